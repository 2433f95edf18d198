"""Every plot is a valid Vega-Lite chart, and those for readers do not look at the original."""

from dataclasses import replace

import numpy as np
import pytest

import sfumato as sf
from sfumato import plots
from sfumato.datasets import hospital


@pytest.fixture(scope="module")
def release():
    return sf.publish(hospital(120), sf.Mondrian(), sf.KAnonymity(5), seed=1)


def drawn(chart):
    spec = chart.to_dict(validate=True)
    assert "layer" in spec or "mark" in spec
    return spec


def rows_of(chart, layer=None):
    """The rows that a chart draws, or a layer of it; Altair keeps them by name."""
    spec = drawn(chart)
    part = spec if layer is None else spec["layer"][layer]
    return spec["datasets"][part.get("data", spec.get("data"))["name"]]


def test_class_sizes_are_those_of_the_release(release):
    rows = rows_of(plots.class_sizes(release), 0)
    assert sum(row["size"] * row["classes"] for row in rows) == 120
    assert min(row["size"] for row in rows) >= 5


def test_risk_rises_to_all_rows(release):
    rows = rows_of(plots.risk(release), 0)
    assert rows[-1]["share"] == pytest.approx(1)
    assert rows == sorted(rows, key=lambda row: row["size"])


def test_losses_are_those_that_measure_found(release):
    found = sf.measure(release, n_queries=0)
    rows = rows_of(plots.losses(found), 0)
    assert {row["column"]: row["loss"] for row in rows} == dict(found.by_column["ncp"])


@pytest.mark.parametrize("column", ["age", "sex", "zip", "admitted", "education"])
def test_before_and_after_count_all_rows(release, column):
    rows = rows_of(plots.before_after(release, column))
    for when in ("before", "after"):
        assert sum(row["rows"] for row in rows if row["when"] == when) <= 120 + 1e-6


def test_readers_plots_need_no_owner(release):
    for_readers = replace(release, owner=None)
    drawn(plots.class_sizes(for_readers))
    drawn(plots.risk(for_readers))
    for plot in (lambda: plots.before_after(for_readers, "age"), lambda: plots.queries(for_readers)):
        with pytest.raises(sf.errors.ParameterError, match="compares with the original"):
            plot()


def test_attacks_curse_hierarchies_and_queries(release):
    drawn(plots.attacks(sf.threats(release)))
    drawn(plots.attacks(sf.attack(release, sf.LinkageAttack(people=30))))
    found = sf.curse(hospital(120), (2, 5))
    drawn(plots.curse(found))
    drawn(plots.curse(found, "below"))
    values = rows_of(plots.hierarchy(sf.Hierarchy.intervals([5, 10], low=0, high=20)))
    assert [sum(row["level"] == level for row in values) for level in range(4)] == [4, 4, 2, 1]
    points = rows_of(plots.queries(release, n_queries=15), 1)
    assert len(points) == 15
    errors = [abs(row["estimate"] - row["true"]) / max(row["true"], 0.12) for row in points]
    measured = sf.measure(release, n_queries=15)
    assert np.median(errors) == pytest.approx(measured["query_error_median"])


def test_a_release_without_classes_says_so():
    noisy = sf.publish(
        sf.Table(hospital(40).frame.select("age", "cost"), sf.Schema(quasi=["age", "cost"])),
        sf.AdditiveNoise(0.1), seed=1,
    )  # fmt: skip
    with pytest.raises(sf.errors.ParameterError, match="shows no classes"):
        plots.class_sizes(noisy)
    graph = sf.publish(sf.Graph.from_edges([0, 1], [1, 2]), sf.Relabelling(), seed=1)
    with pytest.raises(sf.errors.ParameterError, match="about releases of tables"):
        plots.risk(graph)


def test_every_plot_says_who_may_see_it():
    for name in plots.__all__:
        assert "For readers" in getattr(plots, name).__doc__ or "For the owner alone" in getattr(plots, name).__doc__
