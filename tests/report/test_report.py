"""The report: what it says, to whom, and that it does so safely."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import polars as pl
import pytest

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.ground.figures import Measures
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.t_closeness import TCloseness
from sfumato.privacy.verdict import Verdict
from sfumato.published.tables.cells import place
from sfumato.release.release import Release
from sfumato.report.charts import PALETTE
from sfumato.report.counting import before_and_after, class_sizes
from sfumato.report.rendering import render
from sfumato.report.wording import listed, promise_in_words
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.tables.lattice.best_first import BestFirst
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish
from sfumato.verbs.verify import verify


class Page(HTMLParser):
    """Tags with their attributes, text by tag, and whether every tag is closed."""

    VOID = frozenset({"meta", "br", "link", "img", "input", "hr", "path", "line", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: dict[str, list[str]] = {}
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(data)

    @property
    def words(self) -> str:
        visible = [" ".join(texts) for tag, texts in self.texts.items() if tag != "style"]
        return " ".join(" ".join(visible).split())


def reported(release: Release, original: Table | None, audience="public", measures=None, verdict=None) -> str:
    measures = measure(release, original) if measures is None else measures
    verdict = release.verdict if verdict is None else verdict
    return render(release, verdict, measures, audience=audience, original=original)


def people(n: int = 300, *, seed: int = 3) -> Table:
    random = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {
            "name": [f"Zebediah{i:04}" for i in range(n)],
            "age": random.integers(20, 80, n),
            "town": random.choice(["Rome", "Oslo", "Lima", "Pune"], n),
            "born": [dt.date(1950, 1, 1) + dt.timedelta(days=int(day)) for day in random.integers(0, 9000, n)],
            "wage": random.normal(30_000, 8_000, n).round(2),
            "illness": random.choice(["flu", "gout", "mumps"], n),
            "shoe": random.integers(30, 50, n),
        }
    )
    schema = Schema(identifier=["name"], quasi=["age", "town", "born", "wage"], sensitive=["illness"])
    return Table(frame, schema)


@pytest.fixture(scope="module")
def made() -> tuple[Table, Release, Measures]:
    table = hospital(600)
    release = publish(table, Mondrian(), KAnonymity(5) & LDiversity(2), seed=1)
    return table, release, measure(release, table)


# -- what it says --------------------------------------------------------------------------------------------------
def test_the_public_page_says_what_a_steward_looks_for_in_order(made):
    table, release, measures = made
    words = Page(reported(release, table, measures=measures)).words
    assert "This release keeps its promise of 5-anonymity and 2-diversity." in words
    assert "KAnonymity(k=5)" in words
    assert "LDiversity(2)" in words
    assert "at least 4 other records" in words
    for found in release.verdict.found:
        assert found[1:] in words
    assert release.verdict.checked_on[1:] in words
    assert "'*' is a suppressed cell" in words
    assert "sfumato verify FOLDER" in words
    assert "or missing" in words
    for figure in measures.group("utility").figures:
        assert figure.label in words
        assert figure.shown in words
    page = reported(release, table, measures=measures)
    headings = re.findall(r'<h2 id="(\w+)"', page)
    assert headings == ["method", "cells", "columns", "risk", "utility", "sensitive", "yourself"]


def test_columns_have_role_kind_form_and_loss(made):
    table, release, measures = made
    page = reported(release, table, measures=measures)
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', page, re.DOTALL)
    cells = {name: Page(f"<p>{rest}</p>").words for name, rest in rows if 'data-name="kind"' in rest}
    assert list(cells) == release.data.columns
    assert cells["zip"].startswith("quasi-identifier category node of a hierarchy")
    assert f"{100 * measures.by_column['ncp']['zip']:.1f}%" in cells["zip"]
    assert cells["diagnosis"] == "sensitive category as recorded none"


def test_risks_are_marked_against_each_threshold(made):
    table, release, measures = made
    page = reported(release, table, measures=measures)
    panel = page[page.index('<h2 id="risk"') : page.index('<h2 id="utility"')]
    prosecutor = panel[panel.index("Prosecutor") : panel.index("Marketer")]
    assert measures["prosecutor_max"] == 0.2
    assert re.findall("✓ within|✕ exceeds", prosecutor) == ["✓ within", "✕ exceeds", "✕ exceeds"]
    assert "journalist’s risk was not measured" in panel
    crowd = hospital(3_000, seed=1)
    with_population = measure(release, table, population=Table(crowd.frame, crowd.schema))
    shown = reported(release, table, measures=with_population)
    assert "Journalist" in shown
    assert with_population.figure("journalist_max").shown in shown
    assert "journalist’s risk was not measured" not in shown


def test_a_broken_promise_is_said_loudly(made):
    table, release, measures = made
    greedy = replace(release, promise=KAnonymity(500))
    verdict = verify(greedy, table)
    assert not verdict.holds
    page = reported(greedy, table, measures=measures, verdict=verdict)
    words = Page(page).words
    assert "This release does not keep its promise of 500-anonymity." in words
    assert "KAnonymity(k=500): smallest class" in words
    assert 'class="card verdict broken"' in page


def test_without_a_promise_the_page_says_so(made):
    table, release, measures = made
    free = replace(release, promise=None)
    page = reported(free, table, measures=measures, verdict=verify(free, table))
    assert "No privacy promise was asked for." in page
    assert "promised: k" not in page


def test_promises_in_words():
    quasi, sensitive = ["age", "zip"], ["illness"]
    assert "at most 1 in 10" in promise_in_words(KAnonymity(10), quasi, sensitive)
    assert "one other record" in promise_in_words(KAnonymity(2), quasi, sensitive)
    for kind, c in (("frequency", None), ("distinct", None), ("entropy", None), ("recursive", 2.0)):
        assert "illness" in promise_in_words(LDiversity(3, kind=kind, c=c), quasi, sensitive)
    assert "0.2" in promise_in_words(TCloseness(0.2), quasi, sensitive)
    assert listed([f"c{i}" for i in range(60)]).endswith("and 53 other columns")


# -- to whom -------------------------------------------------------------------------------------------------------
def canaries() -> Table:
    """One town that occurs once, and names of columns that are not to be published."""
    table = people()
    frame = table.frame.with_columns(
        pl.when(pl.int_range(pl.len()) == 17).then(pl.lit("Xanaduville")).otherwise(pl.col("town")).alias("town"),
        pl.when(pl.int_range(pl.len()) == 17).then(pl.lit(54.321)).otherwise(pl.col("wage")).alias("wage"),
        pl.when(pl.int_range(pl.len()) == 18).then(pl.lit(12_345.67)).otherwise(pl.col("wage").clip(20_000)).alias("x"),
    ).rename({"x": "undeclared_canary", "shoe": "shoe_canary"})
    towns = [*(["Rome", "Europe", "*"], ["Oslo", "Europe", "*"]),
             *(["Lima", "Elsewhere", "*"], ["Pune", "Elsewhere", "*"], ["Xanaduville", "Elsewhere", "*"])]  # fmt: skip
    schema = Schema(
        identifier=["name"], quasi=["age", "town", "born", "wage"], sensitive=["illness"],
        hierarchies={"town": Hierarchy.from_paths(towns)},
    )  # fmt: skip
    return Table(frame, schema)


def test_the_public_page_says_nothing_that_the_release_does_not():
    table = canaries()
    seed = 918273645546372819
    release = publish(table, Mondrian(), KAnonymity(20), seed=seed)
    published = " ".join(release.data.frame.select(pl.all().cast(pl.String)).write_csv().split())
    assert "Xanaduville" not in published
    measures = measure(release, table)
    public = reported(release, table, measures=measures)
    owner = reported(release, table, "owner", measures=measures)
    owned = [release.owner.seed.hex(), release.owner.original_sha256, str(seed)]
    secrets = [
        "Zebediah",
        "Xanaduville",
        "undeclared_canary",
        "shoe_canary",
        "name</",
        "/work",
        "/tmp",
        "12345",
        *owned,
    ]
    for secret in secrets:
        assert secret not in public, secret
    assert not re.search(r"before and after|For the owner", public)
    assert not re.search(r"\b20\d\d-\d\d-\d\dT|\d\d:\d\d:\d\d", public)
    for secret in ("Xanaduville", "undeclared_canary", "shoe_canary", "For the owner only", "before and after"):
        assert secret in owner, secret
    assert "Zebediah" not in owner  # not even the owner's page shows records
    assert release.owner.seed.hex() not in owner


def test_the_public_page_does_not_depend_on_the_original_or_the_owner(made):
    table, release, measures = made
    bare = replace(release, owner=None)
    assert reported(bare, None, measures=measures) == reported(release, table, measures=measures)


def test_every_number_and_date_on_the_public_page_of_a_coarse_release_is_published():
    """Ranges start and end at values of the original; nothing else of it may be read off the page or its charts."""
    table = people()
    release = publish(table, Mondrian(), KAnonymity(60), seed=1)
    page = reported(release, table)
    published = set(release.data.frame["born"].unique().to_list())
    shown = set(re.findall(r"\d{4}-\d\d-\d\d", page))
    assert shown <= {date for cell in published for date in re.findall(r"\d{4}-\d\d-\d\d", cell)}


def test_the_owners_page_compares_withholds_and_warns(made):
    table, release, measures = made
    page = reported(release, table, "owner", measures=measures)
    words = Page(page).words
    assert "For the owner only." in words
    for name in release.schema.quasi:
        assert f"<title>{name} before and after</title>" in page
    assert "mrn" in words
    assert "0 of 600" in words
    assert "Smallest and largest classes" in words


def test_withheld_rows_are_told():
    table = people()
    frame = table.frame.with_columns(pl.when(pl.int_range(pl.len()) > 9).then(pl.col("age")))
    schema = table.schema.with_columns(Column(name="age", role="quasi", missing="withhold"))
    table = Table(frame, schema)
    release = publish(table, Mondrian(), KAnonymity(5), seed=1)
    assert "10 rows were withheld" in Page(reported(release, table)).words
    owner = Page(reported(release, table, "owner")).words
    assert "10 of 300" in owner
    assert "never declared in the schema" in owner


def test_an_owner_without_the_original_gets_what_there_is(made):
    _, release, measures = made
    bare = replace(release, owner=None)
    assert "The original was not at hand" in reported(bare, None, "owner", measures=measures)


# -- safely --------------------------------------------------------------------------------------------------------
EVIL = "<script>alert(1)</script>"


def evil_table() -> Table:
    random = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            EVIL: random.integers(0, 50, 200),
            '"><img src=x onerror=alert(1)>': random.choice(["</svg><script>x", "a&amp;b", "{{ 7*7 }}", "]]>"], 200),
            "</style><b>": random.choice(["<i>", "&lt;", "'\"", "\x00\x08\u2028"], 200),
            "javascript:alert(1)": random.choice(["<!--", "-->", "{{ 7*7 }}"], 200),
        }
    )
    quasi, sensitive = frame.columns[:2], frame.columns[2:]
    return Table(frame, Schema(quasi=quasi, sensitive=sensitive))


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_names_and_values_are_harmless(audience):
    table = evil_table()
    release = publish(table, Mondrian(), KAnonymity(5), seed=1)
    page = reported(release, table, audience)
    parsed = Page(page)
    tags = {tag for tag, _ in parsed.tags}
    assert not tags & {"script", "img", "iframe", "object", "link", "foreignobject", "image", "use", "a"}
    assert all(not key.startswith("on") for _, attributes in parsed.tags for key in attributes)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert EVIL in parsed.words
    assert "{{ 7*7 }}" in parsed.words
    assert not re.search("[\x00-\x08]", page)


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_the_page_needs_nothing_else(made, audience):
    table, release, measures = made
    page = reported(release, table, audience, measures=measures)
    assert not re.search(r"https?:|url\(|@import|\bsrc=|\bhref=", page)
    parsed = Page(page)
    svgs = [attributes for tag, attributes in parsed.tags if tag == "svg"]
    assert svgs
    assert all(attributes.get("role") == "img" for attributes in svgs)
    assert page.count("<title>") == len(svgs) + 1
    ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    labels = {attributes["aria-labelledby"] for tag, attributes in parsed.tags if tag == "section"}
    assert labels <= set(ids)
    assert [attributes.get("lang") for tag, attributes in parsed.tags if tag == "html"] == ["en"]


def test_charts_use_only_colours_that_have_a_dark_counterpart(made):
    table, release, measures = made
    page = reported(release, table, "owner", measures=measures)
    body = page[page.index("<body>") :]
    used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+|[a-z]+)"', body)) - {"none", "transparent"}
    assert used <= set(PALETTE.values())


def test_the_same_input_gives_the_same_bytes(made):
    table, release, measures = made
    first = reported(release, table, "owner", measures=measures)
    assert reported(release, table, "owner", measures=measures) == first
    code = (
        "from sfumato.datasets import hospital; from sfumato.verbs.publish import publish;"
        "from sfumato.verbs.measure import measure;"
        "from sfumato.report import render; from sfumato.tables import Mondrian;"
        "from sfumato.privacy import KAnonymity, LDiversity; import sys;"
        "t = hospital(600); r = publish(t, Mondrian(), KAnonymity(5) & LDiversity(2), seed=1);"
        "sys.stdout.buffer.write(render(r, r.verdict, measure(r, t), audience='owner', original=t).encode())"
    )
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env={"TZ": "Asia/Tokyo"})
    assert again.stdout.decode() == first


def test_importing_the_report_is_cheap_and_does_not_import_the_release():
    code = (
        "import sys, sfumato.report; heavy = {'altair', 'vl_convert', 'jinja2', 'sfumato.release.release'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# -- tables of every shape -----------------------------------------------------------------------------------------
def both(table: Table, method=None, promise=None) -> tuple[str, str]:
    release = publish(table, method or Mondrian(), promise or KAnonymity(5), seed=1)
    measures = measure(release, table)
    pages = tuple(reported(release, table, audience, measures=measures) for audience in ("public", "owner"))
    for page in pages:
        Page(page)
        assert len(page.encode()) < 500_000
    return pages  # type: ignore[return-value]


def test_one_class():
    public, owner = both(people(30), promise=KAnonymity(30))
    assert "One class of 30 rows" in public
    assert "All classes" in owner


def test_means_and_modes():
    public, owner = both(people(), Mondrian(show="means"))
    assert "mean of the class" in public
    assert "most frequent in the class" in public
    assert "before and after" in owner


def test_many_quasi_identifiers_and_long_labels():
    random = np.random.default_rng(2)
    names = [f"column {i} " + "with a very long name " * 6 for i in range(60)]
    values = ["an extremely long category label " * 8 + str(i) for i in range(30)]
    frame = pl.DataFrame({name: random.choice(values, 400) for name in names}).with_columns(pl.lit(1).alias("plain"))
    public, owner = both(Table(frame, Schema(quasi=names, plain=["plain"])))
    assert "The 20 of 60 columns that lost most." in public
    assert "The 24 of 60 quasi-identifiers that lost most." in owner
    assert "or 53 other columns" in public


def test_no_sensitive_column_and_cells_all_missing():
    random = np.random.default_rng(4)
    age = pl.Series([None] * 95 + [30, 31, 32, 33, 34], dtype=pl.Int64)
    town = pl.Series(random.choice(["Rome", "Oslo"], 100)).to_frame("t").select(
        pl.when(pl.int_range(pl.len()) > 49).then(pl.col("t"))
    )["t"]  # fmt: skip
    table = Table(pl.DataFrame({"age": age, "town": town, "n": range(100)}), Schema(quasi=["age", "town"], plain=["n"]))
    public, owner = both(table)
    assert "Sensitive values" not in public
    assert "(no value)" in owner
    assert "Without a value: 95 rows before" in owner


def test_numeric_date_and_timed_sensitive_columns():
    table = people()
    frame = table.frame.with_columns(
        pl.col("born").cast(pl.Datetime).alias("seen") + pl.duration(hours=5), pl.lit(7.5).alias("dose")
    )
    schema = Schema(quasi=["age", "town"], sensitive=["wage", "born", "seen", "dose", "illness"])
    public, _ = both(Table(frame, schema))
    assert public.count("in the published rows</title>") == 5


def test_dates_and_numbers_under_a_hierarchy_and_orders():
    table = people()
    schema = Schema(
        quasi=["age", "born", "town", "shoe"], sensitive=["illness"], orders={"town": ["Oslo", "Rome", "Pune", "Lima"]},
        hierarchies={"born": Hierarchy.calendar(("month", "quarter", "year"))},
    )  # fmt: skip
    public, owner = both(Table(table.frame, schema))
    assert "node of a hierarchy" in public
    assert "<title>born before and after</title>" in owner


def test_a_release_with_no_rows_still_has_a_page(made):
    _, release, _ = made
    empty = replace(release, data=Table(release.data.frame.head(0), Schema(rest="plain")), owner=None)
    page = reported(empty, None, measures=Measures(), verdict=Verdict(found=("no class at all",), checked_on="0 rows"))
    assert "0 published rows" in Page(page).words


@pytest.mark.slow
@pytest.mark.slow
def test_a_large_release_is_small_and_quick():
    import time

    table = people(200_000)
    release = publish(table, Mondrian(), KAnonymity(5), seed=1)
    assert len(class_sizes_of(release)) > 30_000
    measures = measure(release, table)
    for audience in ("public", "owner"):
        start = time.perf_counter()
        page = reported(release, table, audience, measures=measures)
        assert time.perf_counter() - start < 10
        assert len(page.encode()) < 500_000


def class_sizes_of(release: Release) -> pl.DataFrame:
    return release.data.frame.group_by(release.schema.quasi).len()


# -- counting ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("sizes", [[5], [5, 5, 6, 9], [5, 5_000], [1, 1_000_000], list(range(5, 400)), [700, 712]])
@pytest.mark.parametrize("k", [None, 1, 5, 600])
def test_class_sizes_are_all_counted_and_a_bin_begins_at_k(sizes, k):
    steps = class_sizes(np.array(sizes), k)
    assert sum(steps.before) == len(sizes)
    assert len(steps.before) <= 41
    assert steps.domain[0] <= steps.edges[0]
    assert steps.edges[-1] <= steps.domain[1]
    if k is not None and k <= min(sizes):
        assert steps.edges[0] == k - 0.5
    assert not steps.logarithmic or steps.domain[0] > 0


def naive_after(cells: list[list[object]], values: list[object]) -> list[float]:
    return [sum(1 / len(cell) for cell in cells if value in cell) for value in values]


def test_after_is_spread_over_what_cells_cover():
    original = pl.Series("x", ["a", "b", "c", "a", "b", None])
    published = pl.Series("x", ["{a, b}", "{a, b}", "c", "*", "*", "{a, b} or missing"])
    column = Column(name="x", role="quasi", kind="category")
    bars = before_and_after(place(published, "set", original, column), original, column)
    everything = ["a", "b", "c", "(no value)"]
    cells = [["a", "b"], ["a", "b"], ["c"], everything, everything, ["a", "b", "(no value)"]]
    assert bars.labels == everything
    assert bars.before == [2, 2, 1, 1]
    assert bars.after == pytest.approx(naive_after(cells, everything))


def test_after_of_ranges_of_whole_numbers():
    original = pl.Series("x", [1, 2, 3, 4, 5, 6])
    published = pl.Series("x", ["[1, 3]", "[1, 3]", "[1, 3]", "[4, 5]", "[4, 5]", "6"])
    column = Column(name="x", role="quasi", kind="integer")
    steps = before_and_after(place(published, "range", original, column), original, column)
    assert steps.edges == [0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5]
    assert steps.before == [1] * 6
    assert steps.after == pytest.approx([1] * 6)


def test_after_of_means_is_where_the_means_are():
    original = pl.Series("x", [1, 2, 9, 10])
    published = pl.Series("x", [1.5, 1.5, 9.6, 9.6])
    column = Column(name="x", role="quasi", kind="integer")
    steps = before_and_after(place(published, "value", original, column), original, column)
    assert sum(steps.after) == pytest.approx(4)
    assert steps.after[9] == pytest.approx(2)


@pytest.mark.parametrize("show", ["ranges", "means"])
def test_before_and_after_count_every_row(show):
    table = hospital(500)
    release = publish(table, Mondrian(show=show), KAnonymity(5), seed=1)
    for name in release.schema.quasi:
        column = table.schema.column(name)
        shown = place(release.data.frame[name], release.forms[name], table.frame[name], column)
        counts = before_and_after(shown, table.frame[name], column)
        outside = getattr(counts, "missing", None) or (0, 0)
        rest = getattr(counts, "rest", (0, 0))
        assert sum(counts.before) + rest[0] + outside[0] == pytest.approx(500)
        assert sum(counts.after) + rest[1] + outside[1] == pytest.approx(500)


def test_suppressed_rows_are_told_apart_from_those_that_lack_a_value(tmp_path):
    table = hospital(300, seed=2)
    release = publish(table, BestFirst(max_suppressed=0.1), KAnonymity(5), seed=1)
    assert release.public["suppressed_rows"] == len(table) - len(release.data) > 0
    release.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "withheld because their classes would have broken the promise" in page
    assert "for lack of a value" not in page
