"""What all promises share: they describe themselves, combine, travel as data, and refuse bad parameters."""

import contextlib
import subprocess
import sys
import tomllib
from dataclasses import MISSING, fields
from typing import get_args

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import DataKind, Promise, SpeaksOf, known_promises, promise_from_dict
from sfumato.report.wording import promise_in_words, promise_name
from support.promises import PROMISES


def test_several_sensitive_columns_are_each_held_to_it():
    frame = pl.DataFrame({"g": [1, 1], "a": ["x", "y"], "b": ["z", "z"]})
    verdict = sf.verify(frame, promise=sf.LDiversity(2), quasi=["g"], sensitive=["a", "b"])
    assert not verdict.holds
    assert "'b'" in verdict.broken[0]
    assert sf.verify(frame, promise=sf.LDiversity(2, columns=("a",)), quasi=["g"], sensitive=["a", "b"]).holds


def test_promises_combine_and_travel_as_data():
    promise = sf.KAnonymity(5) & sf.LDiversity(3, kind="recursive", c=2) & sf.TCloseness(0.2, columns=("s",))
    assert len(promise.parts) == 3
    assert promise.min_size() == 5
    assert promise_from_dict(promise.to_dict()) == promise
    assert repr(promise) == "KAnonymity(k=5) & LDiversity(3, kind='recursive', c=2) & TCloseness(0.2, columns=('s',))"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: sf.KAnonymity(0), "k must be a whole number >= 1, got 0"),
        (lambda: sf.KAnonymity(2.5), "k must be a whole number >= 1, got 2.5"),
        (lambda: sf.KAnonymity(True), "k must be a whole number"),
        (lambda: sf.LDiversity(0.5), "l must be a number from 1 to 1,000,000,000, got 0.5"),
        (lambda: sf.LDiversity(2.5, kind="distinct"), "whole number for distinct"),
        (lambda: sf.LDiversity(2, kind="recursive"), "needs c"),
        (lambda: sf.LDiversity(2, c=1), "takes no c"),
        (lambda: sf.LDiversity(2, kind="recursive", c=0), "c must be a number of 1e-06 or more"),
        (lambda: sf.LDiversity(2, kind="odd"), "kind must be one of frequency"),
        (lambda: sf.TCloseness(-0.1), "t must be a number >= 0"),
        (lambda: sf.TCloseness(1.5), "t must be at most 1"),
        (lambda: sf.TCloseness(0.1, distance="far"), "distance must be one of emd"),
        (lambda: promise_from_dict({"name": "Kanonymity", "k": 3}), "did you mean 'KAnonymity'"),
        (lambda: promise_from_dict({"name": "KAnonymity", "j": 3}), "KAnonymity has no parameter 'j'; there are 'k'"),
        (lambda: promise_from_dict({"name": "KAnonymity"}), "KAnonymity needs k, as in k = 5"),
        (lambda: sf.KAnonymity(2) & 3, "unsupported operand"),
    ],
)  # fmt: skip
def test_bad_promises_are_refused_when_made(make, message):
    with pytest.raises((ParameterError, TypeError), match=message):
        make()


def test_limits_say_the_best_that_can_be_reached():
    frame = pl.DataFrame({"q": range(10), "s": ["a"] * 6 + ["b"] * 3 + ["c"]})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"]))
    for promise, best in (
        (sf.KAnonymity(11), "the best is k=10"),
        (sf.LDiversity(2), "6 of 10 records and 3 values occur; the best is l=1.66"),
        (sf.LDiversity(4, kind="distinct"), "the best is l=3"),
        (sf.LDiversity(3, kind="entropy"), "the best is l=2.45"),
        (sf.LDiversity(3, kind="recursive", c=2), "the best is l=2"),
    ):
        with pytest.raises(sf.errors.InfeasibleError, match=best):
            sf.publish(table, sf.Mondrian(), promise)


def example(promise):
    """A promise of this class, all parameters that it needs set to its own example."""
    value = tomllib.loads(f"value = {promise.example}")["value"]
    needed = [each.name for each in fields(promise) if each.default is MISSING and each.default_factory is MISSING]
    return promise(**dict.fromkeys(needed, value))


@pytest.mark.parametrize("promise", PROMISES, ids=lambda each: each.__name__)
def test_every_promise_says_what_it_is(promise):
    made = example(promise)
    assert promise.speaks_of in get_args(SpeaksOf)
    assert promise.of
    assert promise.of <= set(get_args(DataKind))
    assert made.name
    assert made.name == promise_name(made)
    for quasi, sensitive, noun in ((["age", "zip"], ["disease"], "class"), ([], [], "group")):
        with contextlib.suppress(sf.errors.SfumatoError):  # a promise may need to know the columns
            said = made.in_words(quasi, sensitive, noun)
            assert said == promise_in_words(made, quasi, sensitive, noun)
            assert said.endswith(".")
            assert "\n" not in said
            assert said[0].isupper()


def test_a_promise_that_does_not_say_what_it_speaks_of_is_no_promise():
    with pytest.raises(TypeError, match="Silent must say what it speaks of"):

        class Silent(Promise):
            pass

    with pytest.raises(TypeError, match="'classes', 'groups'"):

        class Vague(Promise):
            speaks_of = "everything"

    assert not {"Silent", "Vague"} & set(known_promises())


def test_what_promises_speak_of():
    by_word = {word: {each.__name__ for each in PROMISES if each.speaks_of == word} for word in get_args(SpeaksOf)}
    assert by_word["classes"] >= {"KAnonymity", "KMAnonymity"}
    assert by_word["groups"] >= {"LDiversity", "TCloseness", "BetaLikeness", "AccuracyBound", "MInvariance", "PPrivate"}
    assert by_word["records"] >= {"Exchangeable", "MatchRank", "ExpectedAnonymity"}
    assert by_word["population"] >= {"KMap", "DeltaPresence"}
    assert by_word["graph"] == {"DegreeAnonymity"}


def test_names_and_words_of_several_promises():
    both = sf.KAnonymity(5) & sf.LDiversity(3, kind="distinct")
    assert both.name == promise_name(both) == "5-anonymity and 3-diversity (distinct)"
    said = both.in_words(["age"], ["disease"])
    assert said == " ".join(part.in_words(["age"], ["disease"]) for part in both.parts)


def test_without_words_of_its_own_a_promise_is_told_by_its_docstring():
    assert sf.MatchRank(3).name == "MatchRank(k=3, share=0.95)"
    assert sf.MatchRank(3).in_words([], []) == (
        "A share of the records is linked by none of the attacks tried with probability above 1/k, over repeated releases."
    )
    assert "finds at least 3 vertices" in sf.DegreeAnonymity(3).in_words([], [])


def test_describing_a_promise_needs_no_compiler():
    """Help texts read the files of promises: these load no kernels."""
    code = "import sys, sfumato.privacy; print([each for each in ('numba', 'scipy') if each in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_and_does_not_lose_a_promise():
    """Python's own `and` would keep the second alone, and `or` the first."""
    for lose in (lambda: sf.KAnonymity(5) and sf.LDiversity(3), lambda: sf.KAnonymity(5) or sf.LDiversity(3)):
        with pytest.raises(ParameterError, match="join promises with &"):
            lose()
    with pytest.raises(ParameterError, match="neither true nor false"):
        bool(sf.KAnonymity(5) & sf.LDiversity(3))


@pytest.mark.parametrize("value", [2.0000004, 1.99999999, 2.5000001])
def test_parameters_are_not_rounded(value):
    with pytest.raises(ParameterError, match="six decimals at most"):
        sf.LDiversity(value)


@pytest.mark.parametrize(
    ("value", "said"), [(2, "2"), (10 / 3, "3.3333333333333335"), (2.000001, "2.000001"), (2.5, "2.5")]
)
def test_parameters_are_printed_with_all_their_digits(value, said):
    assert repr(sf.LDiversity(value)) == f"LDiversity({said})"
    assert sf.LDiversity(value).name == f"{said}-diversity"
