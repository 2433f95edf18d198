"""Every sentence about what is known of people is listed with what it rests on, is true, and is said only where it holds."""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.privacy.promise import Promise, known_promises
from sfumato.privacy.verdict import Verdict
from sfumato.report.graphs_content import edge_beliefs
from sfumato.report.graphs_wording import odds_factor
from sfumato.report.rendering import render
from sfumato.verbs.measure import measure
from support.claims import DOCS, SOURCE, listed, said_in_docs, said_in_source
from support.house import METHODS, PROMISES, promise_named, published
from support.report_pages import Page

CLAIMS = listed()
ROOT = Path(__file__).parents[2]


# -- the list --------------------------------------------------------------------------------------------------------


def variants(promise: Promise) -> list[Promise]:
    """The promise as it is, and with other parameters where these change what it says."""
    more: dict[str, list[Promise]] = {
        "KAnonymity": [sf.KAnonymity(1), sf.KAnonymity(2)],
        "DegreeAnonymity": [sf.DegreeAnonymity(1)],
        "LDiversity": [
            sf.LDiversity(3, kind="distinct"), sf.LDiversity(3, kind="entropy"),
            sf.LDiversity(3, kind="recursive", c=2), sf.LDiversity(2.5, columns=("illness",)),
        ],
        "TCloseness": [sf.TCloseness(0.2, distance="variational")],
        "BetaLikeness": [sf.BetaLikeness(2, enhanced=False)],
        "AccuracyBound": [sf.AccuracyBound(0.2, maximise="l")],
    }  # fmt: skip
    return [promise, *more.get(type(promise).__name__, [])]


def words_of(promise: Promise) -> set[str]:
    said = {
        promise.in_words(quasi, sensitive, noun)
        for quasi, sensitive in ((["age"], ["illness"]), ([], ["illness"]), ([f"q{i}" for i in range(12)], ["illness"]))
        for noun in ("class", "group")
    }
    return said | ({promise.in_words_of_baskets()} if "baskets" in promise.of else set())


def test_what_is_said_in_source_is_listed_and_what_is_listed_is_said():
    written = {(claim.said_in.strip("`"), claim.sentence) for claim in CLAIMS}
    said = {*said_in_source(), *said_in_docs()}
    assert not [each for each in said if each not in written], "say in docs/explanation/claims.md what these rest on"
    told_by_promises = {text for name in PROMISES for each in variants(promise_named(name)) for text in words_of(each)}
    gone = [
        claim.sentence
        for claim in CLAIMS
        if (claim.said_in.strip("`"), claim.sentence) not in said
        and not any(claim.pattern.fullmatch(text) for text in told_by_promises)
    ]
    assert not gone, "these are listed in docs/explanation/claims.md and said no longer"


@pytest.mark.parametrize("name", PROMISES)
def test_all_that_a_promise_says_is_listed(name):
    own = [claim for claim in CLAIMS if claim.said_in.startswith("`privacy/")]
    for promise in variants(promise_named(name)):
        for text in words_of(promise):
            found = [claim for claim in own if claim.pattern.fullmatch(text)]
            assert found, f"{name} says to people, and docs/explanation/claims.md does not list: {text}"
            home = known_promises()[name].__module__.removeprefix("sfumato.").replace(".", "/") + ".py"
            assert any(claim.said_in == f"`{home}`" for claim in found)


def test_every_row_says_what_it_rests_on_and_when_it_is_said():
    assert len(CLAIMS) > 100
    for claim in CLAIMS:
        assert claim.rests_on, claim.sentence
        assert claim.said_when, claim.sentence
        home = claim.said_in.strip("`")
        assert (SOURCE / home).exists() or (DOCS / home).exists(), home
        for path in re.findall(r"`(tests/[\w/.]+)`", claim.rests_on):
            assert (ROOT / path).exists(), path
        for name in re.findall(r"`([A-Z]\w+Attack)`", claim.rests_on):
            assert hasattr(sf, name), name


def test_a_sentence_nobody_listed_is_found(monkeypatch, tmp_path):
    """The collection is not blind: a new sentence about people in any of these files would fail above."""
    (tmp_path / "report").mkdir()
    (tmp_path / "report" / "new.py").write_text(
        '"""Whoever reads docstrings learns nothing."""\nwords = f"Nobody can ever find {1} person here."\n'
    )
    (tmp_path / "report" / "new.html.jinja").write_text(
        "<p>{% if x %}Nobody learns <b>anything</b> here.{% endif %}</p>"
    )
    monkeypatch.setattr("support.claims.SOURCE", tmp_path)
    assert set(said_in_source()) == {
        ("report/new.py", "Nobody can ever find … person here."),
        ("report/new.html.jinja", "Nobody learns anything here."),
    }


# -- said only where it holds ----------------------------------------------------------------------------------------


def page_of(release, verdict, data) -> str:
    return Page(render(release, verdict, measure(release, data), audience="public", original=None)).words


def said_on(page: str) -> list[str]:
    """The sentences of promises that a page says."""
    said = [claim for claim in CLAIMS if claim.said_in.startswith("`privacy/") and "asked for" in claim.said_when]
    return [claim.sentence for claim in said if claim.pattern.search(page) and len(claim.sentence.split()) > 8]


SMALL = {
    "KAnonymity": lambda: (sf.Mondrian(), sf.KAnonymity(3)),
    "LDiversity": lambda: (sf.Mondrian(), sf.LDiversity(2)),
    "TCloseness": lambda: (sf.Mondrian(), sf.TCloseness(0.5)),
    "BetaLikeness": lambda: (sf.Mondrian(), sf.BetaLikeness(3)),
    "DeltaDisclosure": lambda: (sf.Mondrian(), sf.DeltaDisclosure(1.5)),
    "KMap": lambda: (sf.BestFirst(), sf.KMap(3, register())),
    "DeltaPresence": lambda: (sf.BestFirst(), sf.DeltaPresence(0, 0.9, register())),
}


SPANS = sf.Hierarchy.from_paths([[str(age), f"{age // 4 * 4}-{age // 4 * 4 + 3}", "*"] for age in range(20, 32)])


def people(n=48, *, with_hierarchy=False) -> sf.Table:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {"id": range(n), "age": rng.integers(20, 32, n), "ill": [("flu", "cold", "gout", "ulcer")[i % 4] for i in range(n)]}
    )  # fmt: skip
    spans = {"age": SPANS} if with_hierarchy else {}
    return sf.Table(frame, sf.Schema(identifier=["id"], quasi=["age"], sensitive=["ill"], hierarchies=spans))


def register() -> sf.Table:
    """The people of the table, and as many others."""
    here = people().frame.select("age")
    return sf.Table(pl.concat([here, here.with_columns((pl.col("age") + 1).clip(20, 31))]), sf.Schema(quasi=["age"]))


@pytest.fixture(scope="module")
def released():
    made = {}
    for name, small in SMALL.items():
        method, promise = small()
        data = people(with_hierarchy=isinstance(method, sf.BestFirst))
        made[name] = (sf.publish(data, method, promise, seed=5), data)
    return made


@pytest.mark.parametrize("name", SMALL)
def test_a_report_says_what_a_promise_means_only_where_the_verdict_stands(released, name):
    release, data = released[name]
    words = release.promise.in_words(["age"], ["ill"])
    assert words in page_of(release, release.verdict, data)
    broken = replace(release.verdict, broken=("a row was changed",))
    undecided = replace(release.verdict, undecided=("something",))
    for verdict, instead in (
        (broken, "This is not kept, and nothing follows"),
        (undecided, "Whether this is kept is not decided"),
    ):
        page = page_of(release, verdict, data)
        assert instead in page
        assert words not in page
        assert not said_on(page)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_no_report_says_a_promise_of_people_where_it_is_broken(method):
    release, data = published(method)
    verdict = Verdict(found=("nothing",), checked_on="nothing", broken=("everything",))
    page = page_of(release, verdict, data)
    assert not said_on(page)
    assert "Of any two people" not in page
    assert "the odds change by a factor" not in page


def test_graphs_and_baskets_say_it_only_where_it_stands():
    graph = sf.Graph.from_edges([0, 1, 2, 3, 4, 5], [1, 2, 3, 4, 5, 0])
    ring = sf.publish(graph, sf.KDegree(3), sf.DegreeAnonymity(3), seed=1)
    baskets = sf.Baskets.from_lists([["a", "b"], ["a", "b"], ["a"], ["b"], ["a", "c"], ["b", "c"]])
    sets = sf.publish(baskets, sf.Apriori(), sf.KMAnonymity(2, 1), seed=1)
    flipped = sf.publish(graph, sf.EdgePerturbation(0.2), seed=1)
    for release, data, said in (
        (ring, graph, "finds at least 3 vertices that have as many"),
        (sets, baskets, "finds at least 2 published records that have them all"),
        (flipped, graph, "makes them at most 4 times larger or smaller"),
    ):
        assert said in page_of(release, release.verdict, data)
        assert said not in page_of(release, replace(release.verdict, broken=("it",)), data)
    assert "factor of 4 at most" in page_of(flipped, flipped.verdict, graph)
    assert "factor of 4 at most" not in page_of(flipped, replace(flipped.verdict, broken=("it",)), graph)


# -- and it is true --------------------------------------------------------------------------------------------------


def by_class(release) -> dict[str, Counter[str]]:
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for age, ill in release.data.frame.select("age", "ill").iter_rows():
        seen[age][ill] += 1
    return seen


def covers(cell: str, age: int) -> bool:
    if cell == "*":
        return True
    low, high = ([*map(int, re.findall(r"\d+", cell))] * 2)[:2]
    return low <= age <= high


def test_k_anonymity_nobody_is_picked_with_more_than_one_in_k(released):
    """By trying everybody: the rows that look the same as the person's own are k or more, and none is likelier."""
    release, data = released["KAnonymity"]
    own = dict(zip(release.owner.rows.tolist(), release.data.frame["age"].to_list(), strict=True))
    cells = Counter(release.data.frame["age"].to_list())
    for person in range(len(data)):
        assert Fraction(1, cells[own[person]]) <= Fraction(1, 3)


def test_l_diversity_no_guess_from_the_class_alone_is_right_more_often_than_one_in_l(released):
    release, _ = released["LDiversity"]
    for counts in by_class(release).values():
        for guess in counts:  # every guess, not the best alone
            assert Fraction(counts[guess], sum(counts.values())) <= Fraction(1, 2)


def test_l_diversity_does_not_speak_of_who_knows_more():
    """The counterexample of the words `and nothing else`: with a plain column known, guesses are better than 1 in l."""
    frame = people().frame.with_columns(drug=pl.col("ill"))
    table = sf.Table(frame, sf.Schema(identifier=["id"], quasi=["age"], plain=["drug"], sensitive=["ill"]))
    release = sf.publish(table, sf.Mondrian(), sf.LDiversity(2), seed=5)
    assert release.verdict.holds
    rows = release.data.frame.select("age", "drug", "ill").rows()
    seen = defaultdict(Counter)
    for age, drug, ill in rows:
        seen[age, drug][ill] += 1
    assert sum(max(each.values()) for each in seen.values()) == len(rows)
    words = page_of(release, release.verdict, table)
    assert "and nothing else, guesses it right no more often" in words
    assert "for 100.0% with drug known too" in words


def test_t_closeness_beta_and_delta_bound_how_a_share_changes(released):
    for name in ("TCloseness", "BetaLikeness", "DeltaDisclosure"):
        release, _ = released[name]
        classes = by_class(release)
        whole = sum(classes.values(), Counter())
        n = sum(whole.values())
        for counts in classes.values():
            size = sum(counts.values())
            change = {value: Fraction(counts[value], size) - Fraction(whole[value], n) for value in whole}
            if name == "TCloseness":  # values without an order: half of the sum of all changes
                assert sum(map(abs, change.values())) / 2 <= Fraction(1, 2)
            for value, more in change.items():
                share = Fraction(whole[value], n)
                if name == "BetaLikeness":
                    assert more <= 3 * share
                if name == "DeltaDisclosure":
                    assert np.exp(-1.5) < float((share + more) / share) < np.exp(1.5)


def test_k_map_and_delta_presence_are_true_of_everybody_in_the_register(released):
    ages = register().frame["age"].to_list()
    mapped, _ = released["KMap"]
    for cell in mapped.data.frame["age"].unique():
        assert sum(covers(cell, age) for age in ages) >= 3
    hidden, _ = released["DeltaPresence"]
    cells = Counter(hidden.data.frame["age"].to_list())
    for age in ages:
        fits = [cell for cell in cells if covers(cell, age)]
        assert len(fits) <= 1  # else it is not decided
        for cell in fits:
            assert Fraction(cells[cell], sum(covers(cell, other) for other in ages)) <= Fraction(9, 10)


def test_km_anonymity_is_true_of_every_set_of_items():
    lists = [["a", "b"], ["a", "b", "c"], ["a", "c"], ["b", "c"], ["a", "b"], ["d"], ["a", "d"]]
    release = sf.publish(sf.Baskets.from_lists(lists), sf.Apriori(), sf.KMAnonymity(2, 2), seed=1)
    shown = _shown(release)
    items = sorted(set().union(*shown))
    for size in (1, 2):
        for known in itertools.combinations(items, size):
            having = sum(set(known) <= record for record in shown)
            assert having == 0 or having >= 2


def _shown(release) -> list[set[str]]:
    base, names = release.data.base, release.data.items
    ends = np.cumsum(base.sizes)
    return [{names[i] for i in base.ids[end - size : end]} for size, end in zip(base.sizes, ends, strict=True)]


def test_degree_anonymity_is_true_of_every_vertex():
    graph = sf.Graph.from_edges([0, 0, 0, 1, 2, 4, 5], [1, 2, 3, 2, 3, 5, 6])
    release = sf.publish(graph, sf.KDegree(2), sf.DegreeAnonymity(2), seed=1)
    degrees = Counter(release.data.degrees.tolist())
    assert min(degrees.values()) >= 2


@pytest.mark.parametrize("mu", [0.01, 0.2, 0.5])
def test_what_a_flipped_pair_tells_changes_the_odds_by_no_more_than_is_said(mu):
    """Bayes by counting worlds: joined before or not, flipped or not."""
    most = (1 - mu) / mu
    for before in (0.0001, 0.01, 0.3, 0.5, 0.9):
        joined = {True: before * (1 - mu), False: before * mu}
        apart = {True: (1 - before) * mu, False: (1 - before) * (1 - mu)}
        for seen, after in zip((True, False), edge_beliefs(mu, before), strict=True):
            assert after == pytest.approx(joined[seen] / (joined[seen] + apart[seen]))
            change = (after / (1 - after)) / (before / (1 - before))
            assert 1 / most <= change * (1 + 1e-9)
            assert change <= most * (1 + 1e-9)
    assert float(odds_factor(mu).replace(",", "")) == pytest.approx(most, rel=0.01)


def test_exchangeable_records_can_change_places_without_any_statement_changing():
    rng = np.random.default_rng(2)
    frame = pl.DataFrame({"x": rng.integers(0, 40, 24), "y": rng.integers(0, 40, 24)})
    release = sf.publish(
        sf.Table(frame, sf.Schema(quasi=["x", "y"])), sf.PatternPreserving(sf.Blocks(3)), sf.Exchangeable(3), seed=1
    )
    assert release.verdict.stands
    blocks = Counter(release.files["blocks"]["block"].to_list()) if "blocks" in release.files else Counter()
    assert all(size >= 3 for size in blocks.values())
