"""Odd parameters and recipes of PatternPreserving are refused in one sentence."""

from __future__ import annotations

import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.ground.errors import ParameterError
from support.pattern_tables import sorted_table


@pytest.mark.parametrize(
    "make",
    [
        lambda: sf.PatternPreserving(None), lambda: sf.PatternPreserving(3), lambda: sf.PatternPreserving(sf.Order(), steps=2.5),
        lambda: sf.PatternPreserving(sf.Order(), bounds=3), lambda: sf.PatternPreserving(sf.Order(), bounds=None),
        lambda: sf.PatternPreserving(sf.Order(), bounds={"age": [0]}), lambda: sf.PatternPreserving(sf.Order(), bounds={"age": 3}),
        lambda: sf.PatternPreserving(sf.Order(), resolution=3), lambda: sf.PatternPreserving(sf.Order(), resolution={"age": -1}),
        lambda: sf.PatternPreserving(sf.Order(), resolution={"age": float("nan")}),
        lambda: sf.PatternPreserving(sf.Order(), shift=3), lambda: sf.PatternPreserving(sf.Order(), shift={"age": "a"}),
        lambda: sf.PatternPreserving(sf.Order(), shift={"age": 1e300}), lambda: sf.PatternPreserving(sf.Order(), partition=2.5),
        lambda: sf.PoI(coefficients={}), lambda: sf.PoI(coefficients=[1, 2]), lambda: sf.PoI(text=3), lambda: sf.PoI(),
        lambda: sf.PoI("1e999 * age[0] <= 1"), lambda: sf.PoI("age[0] within 1e400"), lambda: sf.PoI("age[-1] <= 3"),
        lambda: sf.PoI("(" * 3000 + "age[0]" + ")" * 3000 + " <= 1"), lambda: sf.Blocks(5, grouping="Mondrian"),
        lambda: sf.Blocks(5, grouping=sf.AdditiveNoise(0.1)), lambda: sf.Blocks(5, within="x"),
        lambda: sf.publish(sorted_table(), sf.PatternPreserving(sf.Order(columns=3))),
        lambda: sf.publish(sorted_table(20), sf.PatternPreserving(sf.PoI(coefficients={"age": [float("nan")] * 20}))),
        lambda: sf.publish(sorted_table(20), sf.PatternPreserving(sf.PoI(coefficients={"age": ["a"] * 20}))),
    ],
)  # fmt: skip
def test_odd_parameters_are_refused(make):
    with pytest.raises(ParameterError):
        make()


@pytest.mark.parametrize(
    "keep",
    [
        '{ name = "Order", columns = 3 }', '{ name = "PoI", coefficients = [1, 2] }', '{ name = "Blocks" }', '"Order"',
        '{ name = "Blocks", k = 5, grouping = "Mondrian" }', '{ name = "Ratios", of = "age" }', '{ name = "PoI", text = 3 }',
        '{ name = "Means", within = "x" }', "3", '{ name = "Nothing" }',
    ],
)  # fmt: skip
def test_odd_recipes_are_one_sentence(keep, tmp_path, capsys):
    sorted_table().frame.write_csv(tmp_path / "d.csv")
    (tmp_path / "r.toml").write_text(
        f'[input]\npath = "d.csv"\n[schema.columns.age]\nrole = "quasi"\n[method]\nname = "PatternPreserving"\nkeep = [{keep}]\n'
        f'[output]\nfolder = "out"\n'
    )
    assert run(["publish", str(tmp_path / "r.toml")]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "__init__" not in said
