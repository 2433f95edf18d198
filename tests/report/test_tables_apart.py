"""The report on two tables says how to read them, and nothing of the owner's."""

from __future__ import annotations

from collections import Counter

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from support.permuted_tables import L3, PERMUTED


@pytest.fixture(scope="module")
def table():
    return hospital(300)


@pytest.fixture(scope="module")
def release(table):
    return sf.publish(table, PERMUTED, L3, seed=5)


def test_the_report(tmp_path, release):
    release.save(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    for said in (
        "How to read the two tables", "Group sizes", "groups whose sensitive values are told together",
        "This release keeps its promise of 3-diversity", "Among the records of a group", "number of the group",
        "as recorded, by group", "Distribution of diagnosis", "whoever knows them finds",
    ):  # fmt: skip
        assert said in page, said
    for never in ("Class sizes", "made coarser", "mean of the class", "Loss per column"):
        assert never not in page, never
    sizes = Counter(release.data.frame["group"].to_list())
    assert f"{len(sizes):,} groups of {min(sizes.values())} to {max(sizes.values())} rows" in page
    owners = (tmp_path / "owner" / "out" / "report.html").read_text()
    assert "there is nothing to show before and after" in owners
    assert "<code>diagnosis</code> identifier" not in owners
    assert "Smallest and largest" not in owners
    for text in (page, owners):
        assert release.owner.seed.hex() not in text
