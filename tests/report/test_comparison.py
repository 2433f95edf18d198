"""The page of a comparison: whole, text alone, every point at its place, and every reason once."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from typing import Any

import altair as alt
import pytest

from sfumato.report.charts import PALETTE
from sfumato.report.comparison import (
    FAMILY_COLORS,
    ComparedRow,
    Comparison,
    comparison_chart,
    render_comparison,
    unmade,
)

CATEGORY = "column 'sex' is a category, and {} changes numbers only"


def done(label: str, k: int, risk: float | None, utility: float | None, **further) -> ComparedRow:
    said = {"verdict": "holds", "seconds": 0.25, "command": f"sfumato publish --method {label} --k {k}", **further}
    return ComparedRow(
        label=label, strength=f"KAnonymity(k={k})", family=label.partition("(")[0], came="done", risk=risk,
        utility=utility, **said,
    )  # fmt: skip


def refused(label: str, k: int, why: str, came: str = "refused") -> ComparedRow:
    family = label.partition("(")[0]
    return ComparedRow(label=label, strength=f"KAnonymity(k={k})", family=family, came=came, why=why)


MADE = (
    done("Mondrian", 10, 0.08, 0.5, front=True),
    done("Mondrian", 5, 0.16, 0.36),
    done("Ordered", 5, 0.15, 0.33, front=True, best=True),
    done("Hilbert(bits=4)", 5, 0.2, 0.4, command=None, recipe='[method]\nname = "Hilbert"\n'),
    done("Condensation", 5, 0.11, None),
)


def compared(*rows: ComparedRow, said: tuple[str, ...] = ("Take Ordered.", "The next is Mondrian.")) -> Comparison:
    return Comparison(
        title="patients.csv", said=said, risk_label="Chance", risk_meaning="that a person is found",
        utility_label="Penalty", utility_meaning="loss of a cell", rows=rows,
    )  # fmt: skip


def text_of(page: str) -> str:
    return " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]*>", " ", page, flags=re.DOTALL)).split())


def table_rows(page: str) -> list[str]:
    return re.findall(r"<tr.*?</tr>", page[page.index("<tbody>") : page.index("</tbody>")], re.DOTALL)


def layers_of(comparison: Comparison) -> list[dict[str, Any]]:
    """The layers of the chart, each with its data in it; they are checked against Vega-Lite's schema."""
    spec = comparison_chart(comparison).to_dict()
    return [{**layer, "rows": spec["datasets"][layer["data"]["name"]]} for layer in spec["layer"]]


def test_the_page_says_which_to_take_and_stands_alone():
    page = render_comparison(compared(*MADE, refused("Anatomy", 5, "nobody hides")))
    assert page == render_comparison(compared(*MADE, refused("Anatomy", 5, "nobody hides")))
    text = text_of(page[page.index("<body>") :])
    order = (
        "For the owner: it tells of the original; not for publication", "patients.csv", "5 of 6 points have a release",
        "Take Ordered.", "The next is Mondrian.", "Towards the lower left is better", "Each method apart",
        "All points with a release", "nobody hides", "Not for publication.",
    )  # fmt: skip
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert page.count("<svg ") == 4  # each picture for wide and for narrow screens
    assert "<script" not in page
    assert not re.findall(r"""(?:src|href)=["'](?!#)|url\(|@import""", page)
    assert not re.findall(r"https?://(?!www\.w3\.org/)", page)
    assert "{{" not in page


def test_rows_come_by_strength_and_utility_with_front_and_best_marked():
    page = render_comparison(compared(*MADE))
    rows = [text_of(row) for row in table_rows(page)]
    assert [row.removeprefix("* ").split()[0] for row in rows] == [
        "Ordered", "Mondrian", "Hilbert(bits=4)", "Condensation", "Mondrian"
    ]  # fmt: skip
    assert [row.startswith("* ") for row in rows] == [True, False, False, False, True]
    assert ["take this" in row for row in rows] == [True, False, False, False, False]
    assert page.count('class="front best"') == 1
    assert "sfumato publish --method Ordered --k 5" in rows[0]
    assert '[method] name = "Hilbert"' in rows[2]
    assert "lacking" in rows[3]
    assert "0.1100" in rows[3]


def test_labels_and_reasons_are_text_alone():
    rows = (
        done("Ordered<i>", 5, 0.1, 0.2, front=True, best=True, command="publish <u>x</u>"),
        done("Other<i>", 5, 0.2, 0.3),
        refused("Anatomy", 5, "for <b>nobody</b> & all"),
    )
    page = render_comparison(replace(compared(*rows, said=("Take <em>it</em>.",)), title="<s>.csv", risk_label="<q>"))
    for tag in ("<i>", "<u>", "<b>nobody", "<em>", "<s>", "<q>"):
        assert tag not in page
    assert "for &lt;b&gt;nobody&lt;/b&gt; &amp; all" in page


def test_equal_reasons_are_said_once():
    rows = (
        refused("Noise(p=1)", 5, CATEGORY.format("Noise")),
        refused("Noise(p=2)", 5, CATEGORY.format("Noise")),
        refused("Rotation", 5, CATEGORY.format("Rotation")),
        refused("Anatomy", 5, "nobody hides as KAnonymity(k=5) asks"),
        refused("Anatomy", 10, "nobody hides as KAnonymity(k=10) asks"),
        done("Mondrian", 5, 0.1, 0.2),
        refused("Mondrian", 10, "no end in 20 s", came="too slow"),
        refused("Hilbert", 10, "of KAnonymity(k=10) and Hilbert"),
    )
    found = [(each.names, each.came, each.why) for each in unmade(rows)]
    assert found == [
        (["Noise", "Rotation"], "refused", CATEGORY.format("the method")),
        (["Anatomy"], "refused", "nobody hides as the promise asks"),
        (["Mondrian with KAnonymity(k=10)"], "too slow", "no end in 20 s"),
        (["Hilbert"], "refused", "of KAnonymity(k=10) and Hilbert"),
    ]
    page = render_comparison(compared(*rows))
    assert page.count("changes numbers only") == 1
    assert "7 points, for 4 reasons" in text_of(page)


def test_only_points_with_both_figures_are_drawn():
    rows = (*MADE, done("Nan", 5, float("nan"), 0.1), refused("Anatomy", 5, "no"))
    line, points, ring = layers_of(compared(*rows))[:3]
    placed = {(each["label"], each["risk"], each["utility"]) for each in points["rows"]}
    assert placed == {(row.label, row.risk, row.utility) for row in MADE if row.utility is not None}
    assert [each["risk"] for each in line["rows"]] == [0.08, 0.15]
    assert [each["label"] for each in ring["rows"]] == ["Ordered"]
    assert {each["field"] for each in points["encoding"]["tooltip"]} >= {"label", "strength", "seconds", "command"}
    assert [each["bind"] for each in comparison_chart(compared(*rows)).to_dict()["params"]] == ["legend"]


@pytest.mark.parametrize(
    ("risks", "scale"), [((0.01, 0.2), "log"), ((0.05, 0.2), None), ((0.0, 0.2), None), ((0.2, 0.2), None)]
)
def test_risks_are_drawn_as_logarithms_where_they_are_far_apart(risks, scale):
    rows = [done(f"M{i}", 5, risk, 0.3) for i, risk in enumerate(risks)]
    spec = comparison_chart(compared(*rows)).to_dict()
    assert spec["layer"][1]["encoding"]["x"]["scale"].get("type") == scale
    low, high = spec["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert low < min(risks) <= max(risks) < high


def test_every_colour_has_a_dark_counterpart_and_many_methods_look_different():
    rows = [done(f"M{i:02}", 5, 0.1 + i / 100, 0.3 + i / 50) for i in range(23)]
    page = render_comparison(compared(*rows))
    body = page[page.index("<body>") :]
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+|[a-z]+)"', body)) - {"none", "transparent"}
    assert used <= {*PALETTE.values(), *(light for light, _ in FAMILY_COLORS)}
    assert not {light for light, _ in FAMILY_COLORS} & set(PALETTE.values())
    encoding = comparison_chart(compared(*rows)).to_dict()["layer"][1]["encoding"]
    looks = list(zip(encoding["color"]["scale"]["range"], encoding["shape"]["scale"]["range"], strict=True))
    assert len(set(looks)) == len(rows)


def test_small_pictures_are_what_vega_lite_takes(monkeypatch):
    """Pages are written without this check, which costs time."""
    seen = []

    def checked(chart, title, *, fit=True):
        seen.append(type(chart.to_dict(validate=True)))
        return f"<svg {title}>"

    monkeypatch.setattr("sfumato.report.comparison.as_svg", checked)
    with alt.utils.schemapi.debug_mode(True):
        render_comparison(compared(*MADE))
    assert seen == [dict] * 4


@pytest.mark.parametrize(
    "rows", [(), (refused("Anatomy", 5, "nobody hides"),), (done("Condensation", 5, 0.1, None),)],
    ids=["none", "refused", "lacking"],
)  # fmt: skip
def test_without_a_place_for_any_point_there_is_still_a_page(rows):
    page = render_comparison(compared(*rows, said=("No point has a release with both figures.",)))
    text = text_of(page)
    assert "No point has a release with both figures." in text
    assert "<svg" not in page
    assert all(row.why in text for row in rows)
    assert "take this" not in text
    assert layers_of(compared(*rows))[1]["rows"] == []


def test_where_more_is_better_the_page_says_so():
    other = replace(compared(*MADE), more_utility_is_better=True)
    page = render_comparison(other)
    assert "Towards the upper left is better" in text_of(page)
    assert [text_of(row).removeprefix("* ").split()[0] for row in table_rows(page)][:3] == [
        "Hilbert(bits=4)", "Mondrian", "Ordered"
    ]  # fmt: skip


def test_what_is_extrapolated_has_intervals_and_what_is_not_says_so():
    rows = (
        done("Ordered", 5, 0.15, 0.33, risk_interval=(0.1, 0.2), utility_interval=(0.3, 0.36), front=True, best=True),
        done("BestFirst", 5, 0.01, 0.6, on_sample=(True, True)),
        done("Condensation", 5, 0.11, None, on_sample=(True, True)),
    )
    shown = replace(compared(*rows), samples=(60_000, 30_000, 15_000))
    page = render_comparison(shown)
    told = [text_of(row) for row in table_rows(page)]
    assert "about 0.1500 (0.1000 to 0.2000) about 0.3300 (0.3000 to 0.3600)" in told[0]
    assert "0.0100 on the sample 0.6000 on the sample" in told[1]
    assert "0.1100 on the sample lacking" in told[2]
    text = text_of(page)
    assert "tried on samples of 60,000, 30,000 and 15,000 of its rows" in text
    assert "seconds on 60,000 rows" in text
    rules = [layer for layer in layers_of(shown) if layer["mark"]["type"] == "rule"]
    assert [(each["rows"][0]["label"], len(each["rows"])) for each in rules] == [("Ordered", 1)] * 2
    assert [set(each["encoding"]) & {"x2", "y2"} for each in rules] == [{"x2"}, {"y2"}]
    points = layers_of(shown)[1]["encoding"]
    low, high = points["y"]["scale"]["domain"]
    assert low < 0.3
    assert high > 0.6
    assert points["x"]["scale"]["domain"][1] > 0.2  # an interval is not cut


def test_without_samples_nothing_is_said_of_them():
    page = render_comparison(compared(*MADE))
    assert "sample" not in text_of(page[page.index("<body>") :])
    assert not [layer for layer in layers_of(compared(*MADE)) if layer["mark"]["type"] == "rule"]


def test_small_figures_are_told_by_digits_that_count():
    small = done("Mondrian", 5, 0.1, 0.000042, utility_interval=(0.00003, 0.00006))
    (row,) = table_rows(render_comparison(compared(small)))
    assert "about 0.0000420 (0.0000300 to 0.0000600)" in text_of(row)
