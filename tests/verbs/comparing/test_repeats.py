"""How often records repeat: against counting by hand."""

from collections import Counter

import polars as pl
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.verbs.comparing.repeats import copies_of


def test_copies_are_as_counted_by_hand():
    table = hospital(300)
    table = sf.Table(table.frame, sf.Schema(quasi=["sex", "education", "marital"]))
    counted = Counter(table.frame.select("sex", "education", "marital").rows())
    copies = copies_of(table)
    assert sorted(copies.counts.tolist()) == sorted(counted.values())
    for k in (1, 3, 10):
        assert copies.share_alone(k) == sum(n for n in counted.values() if n < k) / 300
        wanted = [(k - n) / k for n in counted.values() if n < k for _ in range(n)]
        assert copies.wanting(k) == pytest.approx(sum(wanted) / 300)
        assert copies.classes(k) == sum(n >= k for n in counted.values()) / 300


def test_a_missing_value_is_a_value_and_no_columns_are_one_combination():
    table = sf.Table(pl.DataFrame({"a": ["x", None, None, "y"]}), sf.Schema(quasi=["a"]))
    assert sorted(copies_of(table).counts.tolist()) == [1, 1, 2]
    assert copies_of(sf.Table(pl.DataFrame({"a": [1, 2]}), sf.Schema())).counts.tolist() == [2]
