"""Frequencies estimated from randomised categories, and matrices that cannot be read."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ReleaseError
from support.changed_tables import with_public


def randomised():
    frame = pl.DataFrame({"sex": ["f", "m"] * 20, "d": ["flu", "gout", "cold", "flu"] * 10})
    table = sf.Table(frame, sf.Schema(quasi=["sex"], sensitive=["d"]))
    return sf.publish(table, sf.PRAM(0.8, columns=["sex"]), seed=1)


MATRIX = [[0.9, 0.1], [0.2, 0.8]]


@pytest.mark.parametrize(
    "pram",
    [
        3, "sex", None, [], {}, {"invariant": False, "columns": 3}, {"columns": {"sex": 1}}, {"columns": {"sex": None}},
        *({"columns": {"sex": said}} for said in (
            {"matrix": MATRIX}, {"categories": ["f", "m"]}, {"categories": 3, "matrix": MATRIX},
            {"categories": ["f", "f"], "matrix": MATRIX}, {"categories": [], "matrix": []},
            *({"categories": ["f", "m"], "matrix": matrix} for matrix in (
                "x", [["", 1], [0, 1]], [[1, 0], [0]], [[10**400, 0], [0, 1]], [[float("nan"), 1], [0, 1]],
                [[1e308, 0], [0, 1]], [[-1, 2], [0, 1]], [[0.5, 0.4], [0, 1]], [MATRIX], {"a": 1}, None,
            )),
        )),
    ],
)  # fmt: skip
def test_a_damaged_matrix_is_one_sentence(pram):
    release = with_public(randomised(), pram=pram)
    with pytest.raises(ReleaseError, match="ask the owner for a new copy"):
        sf.estimate(release)
    assert sf.verify(release).broken


def test_estimates_without_a_word_on_invariance_are_corrected():
    release = randomised()
    said = {"columns": release.public["pram"]["columns"]}
    assert sf.estimate(with_public(release, pram=said))["sex"]
