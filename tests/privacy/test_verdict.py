"""Four words for a verdict: proved, contradicted, not decided, declared; and what each is taken for."""

import json
from dataclasses import replace

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.datasets import hospital
from sfumato.privacy.verdict import Verdict


def verdict(**said):
    return Verdict(found=("something",), checked_on="3 rows", reached={}, **said)


@pytest.mark.parametrize(
    ("said", "word", "stands"),
    [
        ({}, "holds", True),
        ({"declared": ("mu=0.1",)}, "declared", True),
        ({"undecided": ("k",)}, "not decided", False),
        ({"broken": ("k",)}, "broken", False),
        ({"undecided": ("k",), "declared": ("mu=0.1",)}, "not decided", False),
        ({"broken": ("k",), "undecided": ("l",), "declared": ("mu=0.1",)}, "broken", False),
    ],
)
def test_the_worst_of_what_was_found_is_the_word(said, word, stands):
    found = verdict(**said)
    assert (found.word, found.stands) == (word, stands)
    assert found.holds == bool(found) == (word == "holds")
    assert Verdict.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@pytest.mark.parametrize("change", [{"holds": False}, {"word": "declared"}, {"holds": True, "broken": ["k"]}])
def test_a_verdict_that_contradicts_itself_is_refused(change):
    with pytest.raises(ValueError, match="contradicts itself"):
        Verdict.from_dict({**verdict().to_dict(), **change})


def test_the_first_version_had_no_word():
    said = {"holds": True, "found": ["smallest class 5"], "checked_on": "9 rows"}
    assert Verdict.from_dict(said).word == "holds"
    assert Verdict.from_dict({**said, "holds": False, "undecided": ["k"]}).word == "not decided"


TABLE = hospital(120, seed=4)
NUMBERS = sf.Table(
    TABLE.frame.select("age", "stay_days", "cost").drop_nulls(), sf.Schema(quasi=["age", "stay_days", "cost"])
)
FRIENDS = sf.Graph.from_edges([0, 1, 2, 3, 4, 5, 0], [1, 2, 3, 4, 5, 0, 3], 6)
CASES = {
    "holds": (TABLE, sf.Mondrian(), sf.KAnonymity(5)),
    "declared by noise": (NUMBERS, sf.AdditiveNoise(scale=0.1), None),
    "declared by flips": (FRIENDS, sf.EdgePerturbation(0.1), None),
    "declared by matrices": (TABLE, sf.PRAM(columns=["sex"]), None),
    "not decided on ranks": (NUMBERS, sf.RankSwapping(p=10), None),
    "not decided on distances": (NUMBERS, sf.RotationPerturbation(), None),
    "not decided on groups": (NUMBERS, sf.Condensation(), sf.KAnonymity(4)),
    "not decided on edges": (FRIENDS, sf.AddDelete(1), None),
}


@pytest.mark.parametrize("name", CASES)
def test_the_exit_code_and_the_sentence_say_which(name, tmp_path, capsys):
    data, method, promise = CASES[name]
    word = name.split(" by ")[0].split(" on ")[0]
    sf.publish(data, method, promise, seed=3).save(tmp_path / "out", report=False)
    code = run(["verify", str(tmp_path / "out")])
    said = capsys.readouterr().out
    assert code == (0 if word in ("holds", "declared") else 1)
    sentence = {"holds": " holds", "declared": " is declared", "not decided": " is NOT decided"}[word]
    assert sentence in said.splitlines()[0]
    assert ("the draw itself cannot be proved" in said) == (word == "declared")
    assert run(["verify", str(tmp_path / "out"), "--json"]) == code
    assert json.loads(capsys.readouterr().out)["word"] == word


def test_a_broken_release_exits_with_1(tmp_path, capsys):
    sf.publish(TABLE, sf.Mondrian(), sf.KAnonymity(5), seed=3).save(tmp_path / "out", report=False)
    assert run(["verify", str(tmp_path / "out"), "--k", "50"]) == 1
    assert "does NOT hold" in capsys.readouterr().out


@pytest.mark.parametrize(
    "promise", [sf.AccuracyBound(0.0001), sf.MatchRank(200), sf.ExpectedAnonymity(3)], ids=lambda promise: promise.name
)
def test_what_cannot_be_checked_never_holds(promise):
    release = sf.publish(NUMBERS, sf.UncertainPublication(k=3), seed=1)
    assert sf.verify(release, promise=promise).word != "holds"
    classes = sf.publish(TABLE, sf.Mondrian(), sf.KAnonymity(5), seed=3)
    assert sf.verify(classes, promise=promise).word in ("not decided", "broken")


def test_a_told_epsilon_must_follow_from_mu():
    release = sf.publish(FRIENDS, sf.EdgePerturbation(0.1), seed=3)
    told = release.public["graph"]
    for change in ({"epsilon": 0.01}, {"mu": 0.2}, {"mu": "0.1"}, {"mu": 0.9}):
        forged = replace(release, public={"graph": {**told, **change}}, owner=None)
        assert sf.verify(forged).word == "broken"
