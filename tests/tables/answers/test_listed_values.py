"""Names that SQL cannot tell apart are refused."""

import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.asked_originals import DIVERSE, N, published


def test_names_that_differ_in_case_alone_are_refused():
    frame = {"q": range(N), "p": [1] * N, "P": [100] * N, "s": [0, 1] * (N // 2)}
    ranges = published(frame, sf.Hilbert(), sf.KAnonymity(4), quasi=["q"], plain=["p", "P"], sensitive=["s"])
    two = published(frame, sf.Hilbert(show="permutation"), DIVERSE, quasi=["q"], plain=["p", "P"], sensitive=["s"])
    for release in (ranges, two):
        with pytest.raises(ParameterError, match="'p' and 'P' differ in case alone"):
            sf.ask(release, 'SELECT SUM("P") FROM release')
    with pytest.raises(ParameterError, match="differ in case alone"):
        two.sql()
