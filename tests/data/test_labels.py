"""Labels that a release tells: those of values that its cells name, and no others."""

import json

import polars as pl
import pytest

import sfumato as sf
from sfumato import Column
from sfumato.data.labels import labels_of_shown

LABELS = {"1": "one", "2": "two", "3": "three", "9": "nine", "*": "star", "Europe": "the old world"}


@pytest.mark.parametrize(
    ("cells", "form", "wanted"),
    [
        ([1, 3, None], None, {"1", "3"}),
        ([1.0], None, {"1"}),
        (["1", "Europe"], None, {"1", "Europe"}),
        (["[1, 3]", "*"], "range", {"1", "3"}),
        (["2 or missing"], "range", {"2"}),
        (["{1, 9}", "2", "*"], "set", {"1", "2", "9"}),
        (["Europe", "3 or missing", "*"], "node", {"Europe", "3"}),
        ([2, 9], "value", {"2", "9"}),
        ([2, 9], "substitute", {"2", "9"}),
        ([], None, set()),
    ],
)  # fmt: skip
def test_a_cell_names_its_ends_its_members_or_itself(cells, form, wanted):
    column = Column(name="x", labels=LABELS)
    found = labels_of_shown(column, [pl.Series("x", cells)], form).labels
    assert set(found or {}) == wanted
    assert all(LABELS[value] == label for value, label in (found or {}).items())


def table(**more):
    frame = pl.DataFrame(
        {
            "state": [str(i % 6) for i in range(36)],
            "age": [20 + i for i in range(36)],
            "ill": [str(i % 3) for i in range(36)],
        }
    )
    labels = {
        "state": {str(i): f"state {i}" for i in range(9)}, "age": {str(i): f"aged {i}" for i in range(99)},
        "ill": {"0": "healthy", "1": "flu", "2": "measles", "3": "plague"},
    }  # fmt: skip
    return sf.Table(frame, sf.Schema(quasi=["state", "age"], sensitive=["ill"], labels=labels, **more))


@pytest.mark.parametrize("method", [sf.LocalRecoding(), sf.Mondrian(), sf.BestFirst(), sf.Anatomy(), sf.MDAV()])
def test_a_release_tells_no_label_of_a_value_that_it_does_not_show(method):
    paths = [[str(i), "low" if i < 3 else "high", "*"] for i in range(6)]
    hierarchies = {"state": sf.Hierarchy.from_paths(paths)} if not isinstance(method, sf.MDAV) else {}
    given = table(hierarchies=hierarchies)
    if isinstance(method, sf.MDAV):
        given = sf.Table(given.frame, sf.Schema.of(c for c in given.schema.columns.values() if c.name != "state"))
    release = sf.publish(given, method, sf.KAnonymity(6) if not isinstance(method, sf.Anatomy) else sf.LDiversity(2))
    told = release.schema.columns
    assert told["ill"].labels == {"0": "healthy", "1": "flu", "2": "measles"}
    shown = json.dumps([release.data.frame.to_dict(as_series=False)])
    for name in ("state", "age"):
        for value in (told[name].labels or {}) if name in told else {}:
            assert value in shown
    if not isinstance(method, sf.Anatomy):
        assert "aged 98" not in json.dumps(release.public)
        assert len(told["age"].labels or {}) < 36


def test_labels_are_kept_in_the_file_of_the_release(tmp_path):
    sf.publish(table(), sf.LocalRecoding(), sf.KAnonymity(6)).save(tmp_path / "out", report=False)
    assert sf.load_release(tmp_path / "out").schema.column("ill").labels == {"0": "healthy", "1": "flu", "2": "measles"}
