"""The decision on a promise, and what it does not speak of."""

from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf

ALIKE = ["that some values of 's' look the same, as {!r} and {!r} do: they count as different values"]


@pytest.mark.parametrize(
    ("one", "other"),
    [("flu", "flu "), ("Flu", "flu"), ("flu", "\N{LATIN SMALL LIGATURE FL}u"), ("flu", "flu\u200b"),
     ("fu\u0308r", "f\N{LATIN SMALL LETTER U WITH DIAERESIS}r"), ("a b", "a\u00a0b")],
)  # fmt: skip
def test_values_that_look_the_same_are_told(one, other):
    frame = pl.DataFrame({"q": [1] * 4 + [2] * 4, "s": [one, other, "gout", "cold"] * 2})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"]))
    for promise, show in (
        (sf.LDiversity(2), "ranges"),
        (sf.LDiversity(2), "permutation"),
        (sf.KAnonymity(2), "ranges"),
    ):
        verdict = sf.publish(table, sf.Mondrian(show=show), promise, seed=1).verdict
        assert verdict.holds
        told = [ALIKE[0].format(*sorted((one, other)))] if promise != sf.KAnonymity(2) else []
        assert list(verdict.not_covered) == told
    foreign = sf.verify(frame, promise=sf.LDiversity(2), quasi=["q"], sensitive=["s"])
    assert foreign.not_covered


def test_values_that_differ_are_not_told():
    frame = pl.DataFrame({"q": [1] * 4 + [2] * 4, "s": ["a1", "a2", "b", "é"] * 2, "n": [1.0, 2.0, 3.0, 4.0] * 2})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s", "n"]))
    assert not sf.publish(table, sf.Mondrian(), sf.LDiversity(2), seed=1).verdict.not_covered
