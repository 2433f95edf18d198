"""What is tried: promises go to the methods that may keep them."""

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.errors import ParameterError
from sfumato.verbs.comparing.plan import planned

TABLE = hospital(60)
GRAPH = sf.Graph.from_edges([0, 1, 2, 3], [1, 2, 3, 0])


def promises_of(data, methods, promises):
    return [(point.label, point.promise, point.came) for point in planned(data, methods, promises)]


def test_a_method_that_needs_no_promise_is_given_one_that_names_it():
    assert promises_of(TABLE, ["Republishing"], [sf.MInvariance(3)]) == [
        ("Republishing", sf.MInvariance(3), "not tried")
    ]
    assert promises_of(TABLE, [sf.UncertainPublication(5)], [sf.ExpectedAnonymity(5), sf.KAnonymity(5)]) == [
        ("UncertainPublication(k=5)", sf.ExpectedAnonymity(5), "not tried")
    ]
    degrees = promises_of(GRAPH, ["KDegree"], [sf.DegreeAnonymity(10)])
    assert [(label, came) for label, _, came in degrees] == [
        ("KDegree(k=5)", "refused"), ("KDegree(k=10)", "not tried"), ("KDegree(k=20)", "not tried"),
        ("KDegree(k=50)", "not tried"),
    ]  # fmt: skip


def test_one_that_speaks_of_single_records_is_given_where_the_method_is_named():
    blocks = sf.PatternPreserving(sf.Blocks(10))
    assert [promise for _, promise, _ in promises_of(TABLE, [blocks], [sf.Exchangeable(10)])] == [sf.Exchangeable(10)]
    everywhere = promises_of(TABLE, None, [sf.Exchangeable(10)])
    assert all(promise is None for label, promise, _ in everywhere if label.startswith("PRAM"))


def test_others_are_tried_without_a_promise():
    assert promises_of(TABLE, [sf.PRAM(0.9)], [sf.KAnonymity(5), sf.MInvariance(3)]) == [
        ("PRAM(keep=0.9)", None, "not tried")
    ]
    assert promises_of(TABLE, ["Republishing"], [sf.KAnonymity(5)]) == [("Republishing", None, "not tried")]


def test_a_promise_for_other_data_is_refused():
    with pytest.raises(
        ParameterError, match=r"KAnonymity\(k=5\) is a promise for tables and sets of items, and the data"
    ):
        planned(GRAPH, None, [sf.KAnonymity(5)])
    with pytest.raises(
        ParameterError, match=r"TCloseness\(0.2\) is a promise for tables, and the data are sets of items"
    ):
        planned(sf.Baskets.from_lists([["a"]] * 9), None, [sf.KAnonymity(2) & sf.TCloseness(0.2)])
