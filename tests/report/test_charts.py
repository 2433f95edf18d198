"""Charts of a report: their colours, and columns of every kind and of one value."""

import json
import re

import altair as alt
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import DataError
from sfumato.published.shape import shape_of
from sfumato.report import charts
from sfumato.report.charts import PALETTE
from support.house import METHODS, SHAPES, published
from support.report_pages import both_pages, made_up_people, report_page


@pytest.mark.parametrize("values", [[2**53] * 4, [2**62, 2**62 + 1] * 2, [1e-310, 2e-310] * 2, [5.0] * 4])
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_columns_of_one_value_have_a_report(tmp_path, values, role):
    columns = [sf.Column(name="a", role=role), sf.Column(name="b", role="quasi")]
    frame = pl.DataFrame({"a": values, "b": [1, 1, 2, 2]})
    if role == "quasi" and max(values) > 2**53:
        with pytest.raises(DataError, match="whole numbers beyond"):
            sf.Table(frame, sf.Schema.of(columns))
        return
    table = sf.Table(frame, sf.Schema.of(columns))
    assert sf.publish(table, sf.Mondrian(), sf.KAnonymity(2)).save(tmp_path / "out")


def test_charts_use_only_colours_that_have_a_dark_counterpart(hospital_release):
    table, release, measures = hospital_release
    page = report_page(release, table, "owner", measures=measures)
    body = page[page.index("<body>") :]
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+|[a-z]+)"', body)) - {"none", "transparent"}
    assert used <= set(PALETTE.values())


def test_numeric_date_and_timed_sensitive_columns():
    table = made_up_people()
    frame = table.frame.with_columns(
        pl.col("born").cast(pl.Datetime).alias("seen") + pl.duration(hours=5), pl.lit(7.5).alias("dose")
    )
    schema = Schema(quasi=["age", "town"], sensitive=["wage", "born", "seen", "dose", "illness"])
    public, _ = both_pages(Table(frame, schema))
    assert public.count("in the published rows</title>") == 7


@pytest.mark.parametrize("shape", sorted(set(SHAPES) - {"ReportsShape"}))  # these are shown in tables
def test_charts_are_what_vega_lite_takes(shape, tmp_path, monkeypatch):
    """Reports are written without this check, which costs time at every report."""
    seen, convert = [], charts._convert_to_svg.__wrapped__

    def checked(spec):
        alt.Chart.from_dict(
            {key: value for key, value in json.loads(spec).items() if key != "background"}
        )  # there is none
        seen.append(spec)
        return convert(spec)

    monkeypatch.setattr(charts, "_convert_to_svg", checked)
    for method in METHODS:
        release, _ = published(method)
        if type(shape_of(release)).__name__ == shape:
            release.save(tmp_path / "out")
            break
    assert seen


def test_a_chart_of_both_pages_is_drawn_once(tmp_path, monkeypatch):
    charts._convert_to_svg.cache_clear()
    published("Mondrian")[0].save(tmp_path / "out")
    drawn = charts._convert_to_svg.cache_info()
    assert drawn.hits >= 2
    assert drawn.misses >= 2
