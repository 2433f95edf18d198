"""Options of the command line as promises declare them, and the promises that they ask for."""

from dataclasses import dataclass, replace
from typing import ClassVar

import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.privacy.option import Option, options_in_order, promises_asked_for
from sfumato.privacy.promise import OfSize
from support.promises import PROMISES


def given(**values):
    return promises_asked_for(PROMISES, values)


def test_options_stand_in_the_order_of_their_places():
    flags = [option.flag for option in options_in_order(PROMISES)]
    assert [flag for flag in flags if flag in FLAGS] == FLAGS
    assert flags == [option.flag for option in options_in_order(reversed(PROMISES))]


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
    assert [option.flag for option in options_in_order(known)][-2:] == ["--herd", "--herd-side"]
    herd, k = promises_asked_for(known, {"herd": 7.0, "herd_side": 0.25, "k": 2.0})[::-1]
    assert (herd.k, herd.side, k) == (7, 0.25, sf.KAnonymity(2))
    with pytest.raises(ParameterError, match="--herd-side goes with --herd; give --herd too"):
        promises_asked_for(known, {"herd_side": 0.25})
    assert herd.in_words([], []) == "See the documentation of this promise."
    assert Herd(3).in_words([], []) == "Records hide in herds."


def test_two_promises_cannot_declare_one_option():
    with pytest.raises(TypeError, match="--herd is declared twice"):
        options_in_order([Herd, Flock])
