"""The page of a report: it says no more than the release, is harmless, needs nothing else, and repeats."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.figures import Measures
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.verdict import Verdict
from sfumato.release.release import Release
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish
from support.report_pages import Page, made_up_people, report_page


def canaries() -> Table:
    """One town that occurs once, and names of columns that are not to be published."""
    table = made_up_people()
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
    public = report_page(release, table, measures=measures)
    owner = report_page(release, table, "owner", measures=measures)
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


def test_the_public_page_does_not_depend_on_the_original_or_the_owner(hospital_release):
    table, release, measures = hospital_release
    bare = replace(release, owner=None)
    assert report_page(bare, None, measures=measures) == report_page(release, table, measures=measures)


def test_every_number_and_date_on_the_public_page_of_a_coarse_release_is_published():
    """Ranges start and end at values of the original; nothing else of it may be read off the page or its charts."""
    table = made_up_people()
    release = publish(table, Mondrian(), KAnonymity(60), seed=1)
    page = report_page(release, table)
    published = set(release.data.frame["born"].unique().to_list())
    shown = set(re.findall(r"\d{4}-\d\d-\d\d", page))
    assert shown <= {date for cell in published for date in re.findall(r"\d{4}-\d\d-\d\d", cell)}


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
    page = report_page(release, table, audience)
    parsed = Page(page)
    tags = {tag for tag, _ in parsed.tags}
    assert not tags & {"script", "img", "iframe", "object", "link", "foreignobject", "image", "use", "a"}
    assert all(not key.startswith("on") for _, attributes in parsed.tags for key in attributes)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert EVIL in parsed.words
    assert "{{ 7*7 }}" in parsed.words
    assert not re.search("[\x00-\x08]", page)


@pytest.mark.parametrize("audience", ["public", "owner"])
def test_the_page_needs_nothing_else(hospital_release, audience):
    table, release, measures = hospital_release
    page = report_page(release, table, audience, measures=measures)
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


def test_the_same_input_gives_the_same_bytes(hospital_release):
    table, release, measures = hospital_release
    first = report_page(release, table, "owner", measures=measures)
    assert report_page(release, table, "owner", measures=measures) == first
    code = (
        "import sys; import sfumato as sf; from sfumato.datasets import hospital; from sfumato.report.rendering import render;"
        "t = hospital(600); r = sf.publish(t, sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(2), seed=1);"
        "sys.stdout.buffer.write(render(r, r.verdict, sf.measure(r, t), audience='owner', original=t).encode())"
    )
    env = {"TZ": "Asia/Tokyo", "NUMBA_CACHE_DIR": os.environ["NUMBA_CACHE_DIR"]}
    again = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, env=env)
    assert again.stdout.decode() == first


def test_importing_the_report_is_cheap_and_does_not_import_the_release():
    code = (
        "import sys, sfumato.report; heavy = {'altair', 'vl_convert', 'jinja2', 'sfumato.release.release'} & set(sys.modules);"
        "sys.exit(', '.join(heavy) or 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_release_with_no_rows_still_has_a_page(hospital_release):
    _, release, _ = hospital_release
    empty = replace(release, data=Table(release.data.frame.head(0), Schema(rest="plain")), owner=None)
    page = report_page(
        empty, None, measures=Measures(), verdict=Verdict(found=("no class at all",), checked_on="0 rows")
    )
    assert "0 published rows" in Page(page).words


@pytest.mark.slow
def test_a_large_release_is_small_and_quick():
    table = made_up_people(200_000)
    release = publish(table, Mondrian(), KAnonymity(5), seed=1)
    assert len(class_sizes_of(release)) > 30_000
    measures = measure(release, table)
    for audience in ("public", "owner"):
        start = time.perf_counter()
        page = report_page(release, table, audience, measures=measures)
        assert time.perf_counter() - start < 10
        assert len(page.encode()) < 500_000


def class_sizes_of(release: Release) -> pl.DataFrame:
    return release.data.frame.group_by(release.schema.quasi).len()
