"""A promise describes itself: its words, its options and what it speaks of stand in its own file."""

import contextlib
import subprocess
import sys
import tomllib
from dataclasses import MISSING, dataclass, fields, replace
from typing import ClassVar, get_args

import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.privacy.option import Option, asked_for, in_order
from sfumato.privacy.promise import DataKind, OfSize, Promise, SpeaksOf, known_promises
from sfumato.report.wording import promise_in_words, promise_name

PROMISES = sorted(known_promises().values(), key=lambda each: each.__name__)


def example(promise):
    """A promise of this class, all parameters that it needs set to its own example."""
    value = tomllib.loads(f"value = {promise.example}")["value"]
    needed = [each.name for each in fields(promise) if each.default is MISSING and each.default_factory is MISSING]
    return promise(**dict.fromkeys(needed, value))


def given(**values):
    return asked_for(PROMISES, values)


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
        "A share of the records is linked by no attack with probability above 1/k, as measured over repeated releases."
    )
    assert "finds at least 3 vertices" in sf.DegreeAnonymity(3).in_words([], [])


# -- options ---------------------------------------------------------------------------------------------------------


def test_options_stand_in_the_order_of_their_places():
    flags = [option.flag for option in in_order(PROMISES)]
    assert [flag for flag in flags if flag in FLAGS] == FLAGS
    assert flags == [option.flag for option in in_order(reversed(PROMISES))]


FLAGS = ["--k", "--l", "--l-kind", "--c", "--t", "--distance", "--ground", "--beta", "--max-ncp", "--m"]


@pytest.mark.parametrize(
    ("values", "promises"),
    [
        ({}, []),
        ({"k": None, "l": None, "l_kind": "frequency"}, []),
        ({"k": 5.0}, [sf.KAnonymity(5)]),
        ({"k": 5.0, "m": 2}, [sf.KMAnonymity(5, 2)]),
        ({"l": 3.0}, [sf.LDiversity(3)]),
        ({"l": 2.5, "k": 4.0}, [sf.KAnonymity(4), sf.LDiversity(2.5)]),
        ({"l": 3.0, "k": 4.0, "m": 1}, [sf.KMAnonymity(4, 1), sf.LDiversity(3)]),
        ({"l": 3.0, "l_kind": "recursive", "c": 2.0}, [sf.LDiversity(3, kind="recursive", c=2)]),
        ({"t": 1.0, "distance": "kl"}, [sf.TCloseness(1.0, distance="kl")]),
        ({"max_ncp": 0.3, "beta": 2.0, "t": 0.2}, [sf.TCloseness(0.2), sf.BetaLikeness(2.0), sf.AccuracyBound(0.3)]),
    ],
)
def test_options_make_promises(values, promises):
    found = given(**values)
    assert found == promises
    assert repr(found) == repr(promises)


def test_whole_numbers_are_passed_on_as_such_where_a_promise_counts():
    (k,), (l,), (t,) = given(k=5.0), given(l=3.0), given(t=1.0)
    assert (type(k.k), type(l.l), type(t.t)) == (int, int, float)
    with pytest.raises(ParameterError, match=r"k must be a whole number >= 1, got 2\.5"):
        given(k=2.5)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"m": 2}, "--m speaks of k^m-anonymity; give --k too"),
        ({"c": 2.0}, "--c and --l-kind speak of l-diversity; give --l too"),
        ({"k": 2.0, "l_kind": "distinct"}, "--c and --l-kind speak of l-diversity; give --l too"),
        ({"ground": "far.csv"}, "--ground has the distances of t-closeness; give --t too"),
        ({"distance": "kl"}, "--distance is that of t-closeness; give --t too"),
    ],
)
def test_an_option_without_the_one_it_needs_is_refused(values, said):
    with pytest.raises(ParameterError) as error:
        given(**values)
    assert str(error.value) == said


@dataclass(frozen=True)
class Herd(OfSize, register=False):
    """Records hide in herds."""

    speaks_of = "classes"
    option: ClassVar = Option(
        flag="--herd",
        help="The least size of a herd.",
        whole=True,
        further=(Option(flag="--herd-side", help="Where."),),
    )
    k: int
    side: float = 0.5

    def check(self, classes):
        return []


class Flock(Herd, register=False):
    pass


def test_a_new_promise_brings_its_option_in_its_own_file():
    own = replace(Herd.option, parameter="k", further=(replace(Herd.option.further[0], parameter="side"),))
    Flock.option = own
    known = [*PROMISES, Flock]
    assert [option.flag for option in in_order(known)][-2:] == ["--herd", "--herd-side"]
    herd, k = asked_for(known, {"herd": 7.0, "herd_side": 0.25, "k": 2.0})[::-1]
    assert (herd.k, herd.side, k) == (7, 0.25, sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="--herd-side goes with --herd; give --herd too"):
        asked_for(known, {"herd_side": 0.25})
    assert herd.in_words([], []) == "See the documentation of this promise."
    assert Herd(3).in_words([], []) == "Records hide in herds."


def test_two_promises_cannot_declare_one_option():
    with pytest.raises(TypeError, match="--herd is declared twice"):
        in_order([Herd, Flock])


def test_describing_a_promise_needs_no_compiler():
    """Help texts read the files of promises: these load no kernels."""
    code = "import sys, sfumato.privacy; print([each for each in ('numba', 'scipy') if each in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
