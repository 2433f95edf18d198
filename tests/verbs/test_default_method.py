"""The method where none is named, by data and promise; and what is taken for a method."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.verbs.default_method import default_method

PEOPLE = pl.DataFrame({"age": range(40), "zip": [f"{i % 7:05}" for i in range(40)], "s": list("abcd") * 10})
FLAT = sf.Table(PEOPLE, sf.Schema(quasi=["age", "zip"], sensitive=["s"]))
DEEP = sf.Table(
    PEOPLE, sf.Schema(quasi=["age", "zip"], sensitive=["s"], hierarchies={"zip": sf.Hierarchy.prefixes(5)})
)  # fmt: skip
BASKETS = sf.Baskets.from_lists([["a", "b"], ["a"], ["b", "c"], ["c"]] * 5)


def name(data, promise):
    return type(default_method(data, promise)).__name__


@pytest.mark.parametrize(
    ("data", "promise", "expected"),
    [
        (FLAT, sf.KAnonymity(5), "Best"),
        (DEEP, sf.KAnonymity(5), "Best"),
        (DEEP, sf.KAnonymity(5) & sf.LDiversity(2), "Best"),
        (FLAT, sf.TCloseness(0.3), "Best"),
        (DEEP, sf.AccuracyBound(0.3), "Hilbert"),
        (FLAT, sf.AccuracyBound(0.3) & sf.KAnonymity(2), "Hilbert"),
        (DEEP, sf.KMap(2, FLAT), "BestFirst"),
        (FLAT, sf.MInvariance(2), "Republishing"),
        (BASKETS, sf.KAnonymity(2), "Grouped"),
        (BASKETS, sf.KMAnonymity(2, 2), "Apriori"),
    ],
)
def test_the_default_goes_by_the_data_and_by_the_promise(data, promise, expected):
    assert name(data, promise) == expected


def test_every_promise_has_a_default_that_keeps_it_or_a_sentence():
    """A default is a method that can be made from the promise alone, and that publishes such data."""
    from sfumato.privacy.promise import known_promises

    kept = {each.kept_by for each in known_promises().values() if each.kept_by}
    graph = sf.Graph.from_edges([0, 1, 2], [1, 2, 0])
    assert default_method(graph, sf.DegreeAnonymity(2)) == sf.KDegree(2)
    assert default_method(FLAT, sf.ExpectedAnonymity(2)) == sf.UncertainPublication(2)
    assert kept <= {"Hilbert", "BestFirst", "Apriori", "KDegree", "Republishing", "TargetDistribution",
                    "UncertainPublication"}  # fmt: skip


@pytest.mark.parametrize("method", [None, "Ordered", "ordered", sf.Ordered, sf.Ordered()])
def test_publish_takes_a_method_its_class_its_name_or_none(method):
    release = sf.publish(FLAT, method, promise=sf.KAnonymity(5), seed=1)
    assert release.method["name"] == "Ordered"
    assert release.verdict.holds


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((FLAT, sf.KAnonymity(5)), r"KAnonymity\(k=5\) is a promise; write publish\(data, promise="),
        ((FLAT,), "neither a method nor a promise"),
        ((sf.Graph.from_edges([0], [1]),), "EdgePerturbation"),
        ((FLAT, "Mondrain", sf.KAnonymity(5)), "did you mean 'Mondrian'"),
        ((FLAT, 5, sf.KAnonymity(5)), "method must be a method such as LocalRecoding"),
        ((FLAT, None, 5), "promise must be a promise"),
        ((FLAT, None, sf.MatchRank(5)), "no default method keeps"),
        ((FLAT, None, sf.KMap(2, FLAT) & sf.AccuracyBound(0.3)), "no one method keeps"),
        ((sf.Graph.from_edges([0], [1]), None, sf.KAnonymity(2)), "is not for graphs"),
    ],
)
def test_what_is_no_method_is_refused_with_the_way_out(arguments, said):
    with pytest.raises(ParameterError, match=said):
        sf.publish(*arguments)
