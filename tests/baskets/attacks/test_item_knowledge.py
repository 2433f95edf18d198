"""Somebody who knows items: candidates and weights against enumeration, 1/k over many releases, and the verb."""

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

import sfumato as sf
from sfumato.baskets.attacks import item_knowledge
from sfumato.baskets.attacks.item_knowledge import ItemKnowledge, Knowledge, _label_likelihoods, weigh
from sfumato.baskets.estimates.item_chances import Chances, item_chances
from sfumato.cli import attacking
from sfumato.cli.app import SetFile
from sfumato.contracts.attack import Attack, Attacked, attack_from_dict, known_attacks, mean_success, share_success
from sfumato.data.baskets import Baskets
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.ground.errors import DataError, ParameterError, ReleaseError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.verdict import Verdict
from sfumato.published.baskets.edges import Edges
from sfumato.release.release import Owner, Release
from sfumato.verbs.attack import attack

LABELS = ["flu", "cold", "asthma", "gout", "mumps", "ulcer"]


def shopping(n=120, m=10, seed=0, labelled=True):
    rng = np.random.default_rng(seed)
    dense = rng.random((n, m)) < rng.random(m) * 0.8
    dense[0] = False  # somebody without items
    return Baskets.from_scipy(dense.astype(int), [f"i{j}" for j in range(m)],
                              rng.choice(LABELS, n).tolist() if labelled else None)  # fmt: skip


@pytest.fixture(scope="module")
def release():
    return sf.publish(shopping(), sf.Nonreciprocal(), sf.KAnonymity(4), seed=2)


def random_published(seed, n=8, m=5):
    rng = np.random.default_rng(seed)
    base, differs = (Baskets.from_scipy((rng.random((n, m)) < p).astype(int)) for p in (0.5, 0.6))
    threshold = [int(rng.integers(0, size + 1)) for size in differs.sizes]
    return PublishedBaskets(base, differs, threshold), rng


def possible(published, j, has, lacks):
    base, marked = (each.to_scipy().toarray().astype(bool)[j] for each in (published.base, published.differs))
    for size in range(published.threshold[j] + 1):
        for flip in combinations(np.flatnonzero(marked).tolist(), size):
            world = base.copy()
            world[list(flip)] ^= True
            if world[has].all() and not world[lacks].any():
                return True
    return False


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("whole", [False, True])
def test_weights_are_those_of_enumeration(seed, whole, monkeypatch):
    monkeypatch.setattr(item_knowledge, "_CELLS", 24)  # three people at a time
    published, rng = random_published(seed)
    n_people, m = 7, len(published.items)
    told = rng.integers(0, 2 if whole else 3, (n_people, m))  # 0 lacks, 1 has, 2 is not known
    chances = Chances(rng.uniform(0.2, 0.5, m), rng.uniform(0.5, 0.8, m))
    known = Knowledge(csr_array((told == 1).astype(float)), None if whole else csr_array((told == 0).astype(float)))
    weights = np.concatenate([each for _, each in weigh(published, chances, known)], axis=1)
    base, marked = (each.to_scipy().toarray().astype(bool) for each in (published.base, published.differs))
    for p in range(n_people):
        has, lacks = np.flatnonzero(told[p] == 1), np.flatnonzero(told[p] == 0)
        agrees = [possible(published, j, has, lacks) for j in range(len(published))]
        assert (weights[:, p] > 0).tolist() == agrees
        chance = np.where(marked, np.where(base, chances.shown, chances.lacked), base)
        wanted = chance[:, has].prod(axis=1) * (1 - chance[:, lacks]).prod(axis=1) * agrees
        if any(agrees):
            assert weights[:, p] == pytest.approx(wanted / wanted.sum())


@pytest.mark.parametrize("kind", ["present", "absent", "both", "all"])
def test_before_is_what_the_raw_records_tell(release, kind):
    found = attack(release, ItemKnowledge(items=2, kind=kind, people=200), seed=1)
    assert found["candidates_before"].value <= found["candidates"].value
    assert found["fewest_before"].value >= 1
    assert found["fewest"].value >= 4
    assert found["exposed"].value == 0
    assert found["found"].value < found["found_before"].value
    assert found["found"].baseline == 1 / 120


def test_whoever_knows_all_finds_equal_records_only_in_the_raw_ones(release):
    found = attack(release, ItemKnowledge(kind="all", people=1000))
    original = release.owner.original
    sets = [tuple(each) for each in original]
    same = np.array([sets.count(each) for each in sets])
    assert found["candidates_before"].value == pytest.approx(same.mean())
    assert found["found_before"].value == pytest.approx((1 / same).mean())
    assert found["exposed_before"].value == pytest.approx((same < 4).mean())
    labels = original.labels.to_list()
    right = [
        np.mean([labels[j] == labels[i] for j in range(len(sets)) if sets[j] == sets[i]]) for i in range(len(sets))
    ]
    assert found["label_before"].value == pytest.approx(np.mean(right))
    assert found["label_certain_before"].value == pytest.approx(np.mean(np.array(right) == 1))
    shares = [labels.count(each) / len(labels) for each in labels]
    assert found["label"].baseline == pytest.approx(np.mean(shares))
    assert found["label"].value < found["label_before"].value


@pytest.mark.parametrize(
    ("method", "promise", "k"),
    [
        (sf.Nonreciprocal(), sf.KAnonymity(3), 3),
        (sf.Nonreciprocal(), sf.LDiversity(3), 3),
        (sf.CAHD(), sf.LDiversity(3), 3),
    ],
)
def test_no_weighing_finds_more_than_one_in_k(method, promise, k):
    """The weight of the k that a person may stand behind, over k, is what is found: any of them is the true one."""
    everyone, means, expected = ItemKnowledge(kind="all", people=1000), [], []
    baskets = shopping(n=40, m=8, seed=5)
    for seed in range(60):
        release = sf.publish(baskets, method, promise, seed=seed)
        found = attack(release, everyone)
        assert found["fewest"].value >= k
        assert found["exposed"].value == 0
        means.append(found["found"].value)
        published, edges = release.data, Edges.from_frame(release.owner.files["edges"])
        known = Knowledge(baskets.to_scipy().astype(float), None)
        ((_, weights),) = weigh(published, item_chances(published, k), known)
        expected.append((weights[edges.record, edges.rows] / edges.sizes[edges.record]).sum() / len(baskets))
    assert max(expected) <= 1 / k + 1e-9
    noise = np.std(np.subtract(means, expected)) / np.sqrt(len(means))
    assert abs(np.mean(means) - np.mean(expected)) < 3.5 * noise + 1e-9


@pytest.mark.parametrize("kind", ["present", "absent", "all"])
def test_labels_that_go_with_items_tell_more(kind):
    rng = np.random.default_rng(1)
    label = rng.integers(0, 6, 300)
    usual = rng.random((6, 20)) < 0.5
    dense = rng.random((300, 20)) < np.where(usual[label], 0.8, 0.2)
    names = [f"i{j}" for j in range(20)]
    found = {}
    for said, order in (("with", np.arange(300)), ("without", rng.permutation(300))):
        baskets = Baskets.from_scipy(dense.astype(int), names, [LABELS[i] for i in label[order]])
        release = sf.publish(baskets, sf.Nonreciprocal(), sf.LDiversity(3), seed=1)
        found[said] = attack(release, ItemKnowledge(items=12, kind=kind, people=300))
    known, unknown = found["with"], found["without"]
    assert known["label_learnt"].value > 1.25 * known["label"].value
    assert known["found_learnt"].value > 1.15 * known["found"].value
    assert unknown["label_learnt"].value < 1.1 * unknown["label"].value


def test_what_the_release_teaches_is_naive_bayes():
    published, rng = random_published(3, n=12)
    codes = np.arange(12) % 3
    m = len(published.items)
    chances = Chances(rng.uniform(0.2, 0.5, m), rng.uniform(0.5, 0.8, m))
    base, marked = (each.to_scipy().toarray().astype(bool) for each in (published.base, published.differs))
    expected = np.where(marked, np.where(base, chances.shown, chances.lacked), base)
    share = np.stack([(expected[codes == c].sum(axis=0) + 1) / 6 for c in range(3)])
    has, lacks = (rng.random((2, 4, m)) < 0.4).astype(float)
    got = _label_likelihoods(published, chances, Knowledge(csr_array(has), csr_array(lacks)), codes)
    assert got == pytest.approx(has @ np.log(share).T + lacks @ np.log(1 - share).T)
    whole = _label_likelihoods(published, chances, Knowledge(csr_array(has), None), codes)
    assert whole == pytest.approx(has @ np.log(share).T + (1 - has) @ np.log(1 - share).T)


def test_nothing_known_is_the_baseline():
    release = sf.publish(Baskets.from_lists([["a"], [], [], []]), sf.Nonreciprocal(), sf.KAnonymity(2), seed=1)
    found = attack(release, ItemKnowledge(items=1, people=4), seed=3)
    assert found["candidates_before"].value == pytest.approx((1 + 4 * 3) / 4)
    assert found["fewest"].value == 2
    assert "label" not in found


def test_what_is_known_is_true_and_as_much_as_asked():
    baskets, rng = shopping(), np.random.default_rng(1)
    dense, people = baskets.to_scipy().toarray().astype(bool), np.sort(rng.permutation(120)[:50])
    for kind, n_has, n_lacks in (("present", 3, 0), ("absent", 0, 3), ("both", 2, 1)):
        known = ItemKnowledge(items=3, kind=kind)._draw_knowledge(baskets, people, Randomness(1))
        has, lacks = known.has.toarray().astype(bool), known.lacks.toarray().astype(bool)
        own = dense[people]
        assert not (has & ~own).any()
        assert not (lacks & own).any()
        assert has.sum(axis=1).tolist() == np.minimum(own.sum(axis=1), n_has).tolist()
        assert lacks.sum(axis=1).tolist() == np.minimum((~own).sum(axis=1), n_lacks).tolist()


def test_items_that_are_shown_as_others_or_not_at_all():
    original = Baskets.from_lists([["ale", "bread"], ["beer"], ["cork", "bread"], ["beer", "ale"], ["cork"]])
    rows = np.array([3, 1, 4, 0, 2])
    shown = Baskets.from_lists([["drink"], ["drink"], [], ["drink", "bread"], ["bread"]])
    published = PublishedBaskets(shown, Baskets(np.zeros(6), [], shown.items), np.zeros(5))
    names = {"item": ["ale", "beer", "bread", "cork"], "shown_as": ["drink", "drink", "bread", None]}
    owner = Owner(seed=b"1", rows=rows, original=original, files={"items": pl.DataFrame(names)})
    release = Release(
        data=published, promise=None, verdict=Verdict(found=(), checked_on=""),
        public={"baskets": {"items": list(shown.items)}}, method={}, owner=owner,
    )  # fmt: skip
    whole = attack(release, ItemKnowledge(kind="all"))
    assert whole["candidates_before"].value == 1
    assert whole["candidates"].value == pytest.approx((1 + 2 + 1 + 2 + 1) / 5)
    assert whole["found"].value == pytest.approx((3 + 2 * 0.5) / 5)
    present = attack(release, ItemKnowledge(items=4, kind="present"))
    assert present["candidates"].value == pytest.approx((1 + 3 + 2 + 3 + 5) / 5)
    absent = attack(release, ItemKnowledge(items=4, kind="absent"))
    assert absent["candidates"].value == pytest.approx((5 + 3 + 5 + 3 + 3) / 5)


def test_a_result_repeats_and_reads(release):
    found = attack(release, ItemKnowledge(people=50))
    assert str(found) == str(attack(release, ItemKnowledge(people=50)))
    assert str(found) != str(attack(release, ItemKnowledge(people=50), seed=9))
    assert "without the release" in str(found)
    assert all(name in str(found) for name in found)
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["attack"] == {"name": "ItemKnowledge", "items": 3, "kind": "present", "people": 50}
    assert plain["found"]["found"]["value"] == found["found"].value
    assert found["fewest"].low is None
    for each in found.values():
        assert each.low is None or each.low <= each.value <= each.high
    with pytest.raises(KeyError, match="did you mean 'found'"):
        found["fuond"]


def test_intervals():
    share = share_success(np.arange(100) < 10, 0.0, "")
    assert (share.low, share.high) == pytest.approx((0.05523, 0.17437), abs=1e-5)
    none = share_success(np.zeros(100, dtype=bool), 0.0, "")
    assert (none.low, none.high) == pytest.approx((0.0, 0.03699), abs=1e-5)
    mean = mean_success(np.array([1.0, 2.0, 3.0, 4.0]), 0.0, "", "number")
    assert (mean.low, mean.high) == pytest.approx((2.5 - 1.26517, 2.5 + 1.26517), abs=1e-4)


@pytest.mark.parametrize("wrong", [{"items": 0}, {"items": True}, {"people": 0}, {"kind": "presnt"}, {"items": 1.5}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ParameterError):
        ItemKnowledge(**wrong)


def test_attacks_are_found_by_name():
    assert known_attacks()["ItemKnowledge"] is ItemKnowledge
    assert attack_from_dict({"name": "itemknowledge", "items": 5}) == ItemKnowledge(items=5)
    assert attack_from_dict(ItemKnowledge(kind="all").to_dict()) == ItemKnowledge(kind="all")
    with pytest.raises(ParameterError, match="did you mean 'ItemKnowledge'"):
        attack_from_dict({"name": "ItemKnowlege"})
    with pytest.raises(ParameterError, match="did you mean 'items'"):
        attack_from_dict({"name": "ItemKnowledge", "item": 3})


def test_what_the_verb_refuses(release):
    other = shopping(seed=9)
    table = sf.Table(pl.DataFrame({"a": [1, 2]}), sf.Schema(quasi=["a"]))
    for given, kind, said in (
        ((release.data, ItemKnowledge()), ParameterError, "takes a Release"),
        ((release, "ItemKnowledge"), ParameterError, "takes an attack"),
        ((replace(release, owner=None), ItemKnowledge()), ReleaseError, "row map"),
        ((replace(release, owner=replace(release.owner, original=None)), ItemKnowledge()), ParameterError, "original"),
        ((release, ItemKnowledge(), table), ParameterError, "the original is Table"),
        ((release, ItemKnowledge(), other), DataError, "not those that the release was made from"),
        ((release, ItemKnowledge(), shopping(30)), DataError, "the original has 30"),
        (
            (release, ItemKnowledge(), Baskets.from_lists([["x"]] * 120)),
            DataError,
            "items that no published record has",
        ),
    ):
        with pytest.raises(kind, match=said):
            attack(*given)
    of_table = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="attacks PublishedBaskets, and the release is Table"):
        attack(of_table, ItemKnowledge())


@pytest.mark.parametrize("register", [True, False])
def test_an_attack_is_known_by_its_class_unless_told(register):
    def run(self, release, original, random, progress):
        return Attacked(self, {})

    made = type("Nobody", (Attack,), {"run": run}, register=register)
    try:
        assert known_attacks().get("Nobody") is (made if register else None)
    finally:
        Attack._registry.pop("Nobody", None)


def test_the_command_reads_the_original_and_says_the_same(tmp_path, capsys):
    original = shopping(labelled=False)
    (tmp_path / "shopping.dat").write_text("\n".join(" ".join(each) for each in original) + "\n")
    release = sf.publish(sf.read_baskets(tmp_path / "shopping.dat"), sf.Nonreciprocal(), sf.KAnonymity(3), seed=1)
    release.save(tmp_path / "out")
    source = str(tmp_path / "shopping.dat")
    how = {"schema": None, "sets": SetFile(), "missing": "", "previous": (), "originals": (), "within": 0.0}
    given = {"name": "ItemKnowledge", "parameters": ["items=2", "kind=both"], "seed": "7", **how}
    wanted = attack(release, ItemKnowledge(items=2, kind="both"), seed=7)
    assert attacking.run(tmp_path / "out", source, as_json=True, **given) == 0
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(wanted.to_dict()))
    assert attacking.run(tmp_path / "out", source, as_json=False, **given) == 0
    assert capsys.readouterr().out.strip() == str(wanted).strip()


def test_whose_time_is_over_is_told_of_people_drawn_at_random(release, monkeypatch):
    whole = attack(release, ItemKnowledge(people=100))
    monkeypatch.setattr(item_knowledge, "_CELLS", 10 * len(release.data))  # ten people at a time
    in_parts = attack(release, ItemKnowledge(people=100), within=600)
    assert in_parts.to_dict() == whole.to_dict()
    cut = attack(release, ItemKnowledge(people=100), within=1e-9)
    assert cut.notes[-1].startswith("the time was over: 10 of 100 people, drawn at random, were tried")
    assert cut.to_dict() == attack(release, ItemKnowledge(people=100), within=1e-9).to_dict()
    wide = [each["found"].high - each["found"].low for each in (cut, whole)]
    assert wide[0] > wide[1]
