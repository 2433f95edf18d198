"""Hierarchies: files, plain data, and that the published rule gives the same tree again."""

from __future__ import annotations

import datetime as dt

import pytest

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.hierarchy_rules import Paths
from sfumato.ground.errors import SchemaError
from support.hierarchy_trees import assert_same_tree, is_monotone, labels_up, read_again


@pytest.fixture
def csv_file(tmp_path):
    def write(content, name="h.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_csv_of_paths(csv_file):
    tree = Hierarchy.from_csv(csv_file("53715;5371*;*\n53710;5371*;*\n52100;5210*;*\n")).tree(["53715"])
    assert tree.labels == ("*", "5371*", "53715", "53710", "5210*", "52100")


def test_csv_with_ragged_depth_bom_quotes_padding_and_blank_lines(csv_file):
    content = '\ufeffItaly;Europe;*\r\n\r\n"Côte; d\'Ivoire" ;Africa ;*\r\n"a ""b""";*;\r\nUS;North;America;*\r\n;;\r\n'
    tree = Hierarchy.from_csv(csv_file(content)).tree([])
    assert set(tree.leaves) == {"Italy", "Côte; d'Ivoire", 'a "b"', "US"}
    assert labels_up(tree, 'a "b"') == ['a "b"', "*"]
    assert labels_up(tree, "US") == ["US", "North", "America", "*"]


def test_csv_cells_may_hold_line_breaks_and_are_not_split_elsewhere(csv_file):
    tree = Hierarchy.from_csv(csv_file('"two\nlines";x;*\npara\u2029graph;x;*\n')).tree([])
    assert tree.leaves == ("two\nlines", "para\u2029graph")


def test_csv_with_another_separator(csv_file):
    assert Hierarchy.from_csv(csv_file("a,x,*\nb,x,*\n"), sep=",").tree(["a"]).labels == ("*", "x", "a", "b")


@pytest.mark.parametrize(
    ("content", "sep", "message"),
    [
        ("", ";", "is empty; give one line per value"),
        ("\n \n;;\n", ";", "is empty"),
        ("a,x,*\nb,x,*\n", ";", "has one level only; is ';' its separator"),
        ("a;x;*\na;y;*\n", ";", "names the value 'a' twice; keep one line"),
        ("a;x;*\n", ";;", "cannot be split at ';;'"),
        ("é;x;*\n".encode("latin-1"), ";", "is not UTF-8"),
        ("a;o;x;*\nb;o;y;*\n", ";", "puts 'o' below both 'x' and 'y'"),
    ],
)
def test_bad_files_are_named_and_explained(csv_file, content, sep, message):
    path = csv_file(content)
    with pytest.raises(SchemaError, match=message) as caught:
        Hierarchy.from_csv(path, sep=sep)
    assert str(path) in str(caught.value)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(SchemaError, match="does not exist"):
        Hierarchy.from_csv(tmp_path / "none.csv")
    with pytest.raises(SchemaError, match="cannot be read"):
        Hierarchy.from_csv(tmp_path)


@pytest.mark.data
def test_the_arx_files_of_adult(data_folder):
    folder = data_folder / "relational" / "adult_hierarchies"
    shapes = {}
    for path in sorted(folder.glob("adult_hierarchy_*.csv")):
        hierarchy = Hierarchy.from_csv(path)
        tree = hierarchy.tree([])
        lines = [line.split(";") for line in path.read_text().splitlines() if line]
        for line in lines:
            assert labels_up(tree, line[0]) == line
        assert tree.labels[0] == "*"
        assert is_monotone(tree)
        assert_same_tree(tree, read_again(hierarchy).tree([]))
        shapes[path.stem.removeprefix("adult_hierarchy_")] = (tree.n_leaves, tree.height)
    assert shapes == {
        "age": (100, 4), "education": (16, 3), "marital-status": (7, 2), "native-country": (41, 2),
        "occupation": (14, 2), "race": (5, 1), "salary-class": (2, 1), "sex": (2, 1), "workclass": (8, 2),
    }  # fmt: skip


@pytest.mark.parametrize(
    "make",
    [lambda: Hierarchy.flat("abc"), lambda: Hierarchy.from_paths(["abc"]), lambda: Hierarchy.from_paths("abc")],
)
def test_text_is_no_list(make):
    with pytest.raises(SchemaError, match="takes lists, got the text 'abc'"):
        make()


@pytest.mark.parametrize("make", [lambda: Hierarchy.flat([]), lambda: Hierarchy.from_paths([]), lambda: Paths(())])
def test_an_empty_hierarchy_is_refused(make):
    with pytest.raises(SchemaError, match="at least one value"):
        make()


DAYS = [dt.date(2024, 1, 1), dt.date(2024, 2, 29), dt.date(2025, 12, 31)]


@pytest.mark.parametrize(
    ("hierarchy", "values"),
    [
        (Hierarchy.from_paths([("a", "x", "*"), ("b", "*")]), ["a", "b"]),
        (Hierarchy.flat(["a", 'q"uote', "ünï"]), ["a"]),
        (Hierarchy.intervals([5, 10], low=0, high=100), [1, 7, 99]),
        (Hierarchy.intervals([0.1, 0.3], low=-1, high=1), [-0.95, 0.2]),
        (Hierarchy.intervals(breaks=[[0, 18, 65], [0, 65]]), [17, 18]),
        (Hierarchy.intervals([31], low=dt.date(2024, 1, 1), high=dt.date(2026, 1, 1)), DAYS),
        (Hierarchy.intervals(breaks=[dt.datetime(2024, 1, 1), dt.datetime(2026, 1, 1, 12, 30)]), DAYS),
        (Hierarchy.prefixes(5), ["53715", "02138"]),
        (Hierarchy.prefixes(5, keep=[3, 1]), ["53715", "02138"]),
        (Hierarchy.calendar(), DAYS),
        (Hierarchy.calendar(["week"]), DAYS),
    ],
)
def test_the_published_rule_gives_the_same_tree(hierarchy, values):
    assert read_again(hierarchy) == hierarchy
    assert_same_tree(hierarchy.tree(values), read_again(hierarchy).tree(values))
    assert read_again(hierarchy).describe() == hierarchy.describe()


@pytest.mark.parametrize(
    ("given_dict", "message"),
    [
        ({"type": "zigzag"}, "must be one of csv, paths, .* got 'zigzag'"),
        ({}, "got None"),
        ({"type": "paths"}, "type 'paths': .*missing"),
        ({"type": "paths", "paths": 5}, "type 'paths'"),
        ({"type": "flat"}, "type 'flat': .*values"),
        ({"type": "intervals", "width": [5]}, "type 'intervals': .*width"),
        ({"type": "intervals", "breaks": 5}, "type 'intervals'"),
        ({"type": "prefixes", "length": 5, "keep": 3}, "keep as a list"),
        ({"type": "calendar", "parts": "month"}, "calendar parts are"),
        ({"type": "csv"}, "type 'csv': .*path"),
    ],
)
def test_bad_plain_data_are_refused(given_dict, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.from_dict(given_dict)


def test_describe_over_values_and_over_the_rule():
    assert Hierarchy.prefixes(3, keep=[1]).describe(["537", "021", "538"]) == (
        "*  (3 values)\n├─ 0**  (1 value)\n│  └─ 021\n└─ 5**  (2 values)\n   ├─ 537\n   └─ 538"
    )
    assert Hierarchy.prefixes(2).describe() == "*  (2 values)\n└─ 1*  (2 values)\n   ├─ 12\n   └─ 19"
    assert Hierarchy.intervals(breaks=[0, 5, 9]).describe() == (
        "*  (2 values)\n├─ [0, 5)  (1 value)\n│  └─ 0\n└─ [5, 9)  (1 value)\n   └─ 5"
    )
    assert "2024-Q1" in Hierarchy.calendar().describe()
    assert Hierarchy.prefixes(12).describe()
    assert Hierarchy.calendar().describe([]) == "*  (0 values)"
    assert Hierarchy.flat(range(100)).describe().splitlines()[-1] == "└─ ... 60 more values"
