"""What a report says to everybody: promise, columns, risks, and what was withheld."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Column, Schema
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.tables.lattice.best_first import BestFirst
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish
from sfumato.verbs.verify import verify
from support.report_pages import Page, both_pages, made_up_people, report_page


def test_the_public_page_says_what_a_steward_looks_for_in_order(hospital_release):
    table, release, measures = hospital_release
    words = Page(report_page(release, table, measures=measures)).words
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
    assert "without anything the owner keeps. The file" in " ".join(report_page(release, table).split())
    page = report_page(release, table, measures=measures)
    headings = re.findall(r'<h2 id="(\w+)"', page)
    assert headings == ["method", "cells", "columns", "risk", "utility", "shown", "sensitive", "plain", "yourself"]


def test_columns_have_role_kind_form_and_loss(hospital_release):
    table, release, measures = hospital_release
    page = report_page(release, table, measures=measures)
    rows = re.findall(r'<tr><th scope="row">(\w+)</th>(.*?)</tr>', page, re.DOTALL)
    cells = {name: Page(f"<p>{rest}</p>").words for name, rest in rows if 'data-name="kind"' in rest}
    assert list(cells) == release.data.columns
    assert cells["zip"].startswith("quasi-identifier category node of a hierarchy")
    assert f"{100 * measures.by_column['ncp']['zip']:.1f}%" in cells["zip"]
    assert cells["diagnosis"] == "sensitive category as recorded none"


def test_risks_are_marked_against_each_threshold(hospital_release):
    table, release, measures = hospital_release
    page = report_page(release, table, measures=measures)
    panel = page[page.index('<h2 id="risk"') : page.index('<h2 id="utility"')]
    prosecutor = panel[panel.index("Prosecutor") : panel.index("Marketer")]
    assert measures["prosecutor_max"] == 0.2
    assert re.findall("✓ within|✕ exceeds", prosecutor) == ["✓ within", "✕ exceeds", "✕ exceeds"]
    assert "journalist’s risk was not measured" in panel
    crowd = hospital(3_000, seed=1)
    with_population = measure(release, table, population=Table(crowd.frame, crowd.schema))
    shown = report_page(release, table, measures=with_population)
    assert "Journalist" in shown
    assert with_population.figure("journalist_max").shown in shown
    assert "journalist’s risk was not measured" not in shown


def test_a_broken_promise_is_said_loudly(hospital_release):
    table, release, measures = hospital_release
    greedy = replace(release, promise=KAnonymity(500))
    verdict = verify(greedy, table)
    assert not verdict.holds
    page = report_page(greedy, table, measures=measures, verdict=verdict)
    words = Page(page).words
    assert "This release does not keep its promise of 500-anonymity." in words
    assert "KAnonymity(k=500): smallest class" in words
    assert 'class="card verdict broken"' in page


def test_without_a_promise_the_page_says_so(hospital_release):
    table, release, measures = hospital_release
    free = replace(release, promise=None)
    page = report_page(free, table, measures=measures, verdict=verify(free, table))
    assert "No privacy promise was asked for." in page
    assert "promised: k" not in page


def test_withheld_rows_are_told():
    table = made_up_people()
    frame = table.frame.with_columns(pl.when(pl.int_range(pl.len()) > 9).then(pl.col("age")))
    schema = table.schema.with_columns(Column(name="age", role="quasi", missing="withhold"))
    table = Table(frame, schema)
    release = publish(table, Mondrian(), KAnonymity(5), seed=1)
    assert "10 rows were withheld" in Page(report_page(release, table)).words
    owner = Page(report_page(release, table, "owner")).words
    assert "10 of 300" in owner
    assert "never declared in the schema" in owner


def test_one_class():
    public, owner = both_pages(made_up_people(30), promise=KAnonymity(30))
    assert "One class of 30 rows" in public
    assert "All classes" in owner


def test_many_quasi_identifiers_and_long_labels():
    random = np.random.default_rng(2)
    names = [f"column {i} " + "with a very long name " * 6 for i in range(60)]
    values = ["an extremely long category label " * 8 + str(i) for i in range(30)]
    frame = pl.DataFrame({name: random.choice(values, 400) for name in names}).with_columns(pl.lit(1).alias("plain"))
    public, owner = both_pages(Table(frame, Schema(quasi=names, plain=["plain"])))
    assert "The 20 of 60 columns that lost most." in public
    assert "The 24 of 60 quasi-identifiers that lost most." in owner
    assert "or 53 other columns" in public


def test_dates_and_numbers_under_a_hierarchy_and_orders():
    table = made_up_people()
    schema = Schema(
        quasi=["age", "born", "town", "shoe"], sensitive=["illness"], orders={"town": ["Oslo", "Rome", "Pune", "Lima"]},
        hierarchies={"born": Hierarchy.calendar(("month", "quarter", "year"))},
    )  # fmt: skip
    public, owner = both_pages(Table(table.frame, schema))
    assert "node of a hierarchy" in public
    assert "<title>born before and after</title>" in owner


def test_suppressed_rows_are_told_apart_from_those_that_lack_a_value(tmp_path):
    table = hospital(300, seed=2)
    release = publish(table, BestFirst(max_suppressed=0.1), KAnonymity(5), seed=1)
    assert release.public["suppressed_rows"] == len(table) - len(release.data) > 0
    release.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "withheld because their classes would have broken the promise" in page
    assert "for lack of a value" not in page
