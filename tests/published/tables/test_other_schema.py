"""What a release says of its columns is what the owner declared: roles, and the distances that t-closeness goes by."""

from __future__ import annotations

import json

import polars as pl
import pytest

import sfumato as sf
from sfumato.published.tables.other_schema import other_distances, other_roles
from support.edited_releases import sign_again

VALUES = [f"d{i}" for i in range(8)]
FRAME = pl.DataFrame({"a": [i // 8 for i in range(80)], "s": [VALUES[(i * i // 3) % 8] for i in range(80)]})


def table(**declared):
    return sf.Table(FRAME, sf.Schema(quasi=["a"], sensitive=["s"], **declared))


def test_roles_that_differ_are_named():
    declared = sf.Schema(quasi=["a", "b"], sensitive=["s"])
    assert not other_roles(declared, declared)
    said = sf.Schema(quasi=["a"], plain=["b", "s"])
    assert [clause.split("'")[1] for clause in other_roles(said, declared)] == ["b", "s"]


def test_hierarchies_are_compared_by_what_they_lead_to():
    paths = [[value, "low" if value < "d4" else "high", "*"] for value in VALUES]
    one = table(hierarchies={"s": sf.Hierarchy.from_paths(paths)})
    other = table(hierarchies={"s": sf.Hierarchy.from_paths(paths[::-1])})
    flat = table(hierarchies={"s": sf.Hierarchy.flat(VALUES)})
    asked = [sf.KAnonymity(2), sf.TCloseness(0.5)]
    assert not other_distances(other.schema, one, asked)
    for strange in (flat, table(), table(orders={"s": VALUES})):
        assert other_distances(strange.schema, one, asked)
        assert other_distances(one.schema, strange, asked)
        assert not other_distances(one.schema, strange, asked[:1])


@pytest.mark.parametrize(
    ("declared", "key", "forged"),
    [
        ({"orders": {"s": VALUES}}, "order", ["d3", "d6", "d1", "d5", "d7", "d0", "d4", "d2"]),
        (
            {"hierarchies": {"s": sf.Hierarchy.flat(VALUES)}},
            "hierarchy",
            {"type": "paths", "paths": [[value, *(f"n{i}" for i in range(60)), "*"] for value in VALUES]},
        ),
    ],
)
def test_forged_distances_are_found_with_the_original(tmp_path, declared, key, forged):
    original = table(**declared)
    out = tmp_path / "out"
    sf.publish(original, sf.Mondrian(), sf.TCloseness(0.6), seed=1).save(out, report=False)
    assert sf.verify(sf.load_release(out), original).holds
    certificate = json.loads((out / "release.json").read_text())
    certificate["public"]["schema"]["columns"]["s"][key] = forged
    certificate["verdict"] |= {"found": [], "reached": {}}
    sign_again(out, certificate)
    verdict = sf.verify(sf.load_release(out), original)
    assert f"column 's' has another {key} in the release than in the original" in verdict.broken
