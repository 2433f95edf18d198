"""Checks of parameters: what passes, and the sentence for what does not."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.ground.validate import finite, flag, is_number, is_whole, one_of, share, told, whole


@pytest.mark.parametrize("value", [True, False, "3", None, math.nan, math.inf, -math.inf, 10**400, -(10**400), 1j])
def test_no_numbers(value):
    assert not is_number(value)
    with pytest.raises(ParameterError, match=r"^p must be a number, got "):
        finite("p", value, asked="a number")


@pytest.mark.parametrize("value", [0, -3, 2.5, 2**1000])
def test_numbers(value):
    assert is_number(value)
    assert finite("p", value, asked="a number") == value


def test_bounds_are_kept_or_left_out_as_said():
    for value in (0.0, 1.0):
        assert finite("p", value, asked="from 0 to 1", low=0.0, high=1.0) == value
        with pytest.raises(ParameterError, match=r"^p must be between 0 and 1, got "):
            finite("p", value, asked="between 0 and 1", above=0.0, below=1.0)
    assert share("p", 1) == 1.0
    with pytest.raises(ParameterError, match=r"^p must be above 0 and at most 1, got 0$"):
        share("p", 0)


def test_whole_numbers():
    assert is_whole(2**63 - 1)
    assert is_whole(-(2**63))
    assert not is_whole(2**63)  # no kernel could count with it
    assert whole("k", 2, least=2) == 2
    for value in (1, True, 2.0, "2", None, 10**30):
        with pytest.raises(ParameterError, match=r"^k must be a whole number >= 2, got "):
            whole("k", value, least=2)


def test_flags_and_words():
    assert flag("split", True) is True
    with pytest.raises(ParameterError, match=r"^split must be true or false, got 1$"):
        flag("split", 1)
    assert one_of("walk", "billiard", ("billiard", "coordinate")) == "billiard"
    with pytest.raises(ParameterError, match=r"^walk must be one of a, bc, got 'bd'"):
        one_of("walk", "bd", ("a", "bc"))
    with pytest.raises(ParameterError, match=r"^walk must be one of a, bc, got \[\]"):
        one_of("walk", [], ("a", "bc"))


def test_values_that_are_no_short_text_are_named_by_their_type():
    frame = pl.DataFrame({"a": [1, 2]})
    assert [told(each) for each in (frame, frame["a"], np.arange(3), np.int64(3), [1, "x"], None)] == [
        "DataFrame", "Series", "ndarray", repr(np.int64(3)), "[1, 'x']", "None",
    ]  # fmt: skip
    for wrong in (lambda: sf.KAnonymity(frame), lambda: sf.LDiversity(frame)):
        with pytest.raises(ParameterError, match=r"got DataFrame$"):
            wrong()
