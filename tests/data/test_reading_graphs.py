"""read_graph: every way to write edges down, and every kind of bad input."""

from __future__ import annotations

import gzip
from pathlib import Path

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sfumato.data.graph import Graph
from sfumato.data.reading_graphs import holds_edges, read_graph
from sfumato.ground.errors import DataError, ParameterError

EDGES = {("ann", "bob"), ("bob", "cy")}


@pytest.fixture
def write(tmp_path):
    def write(content, name: str) -> Path:
        file = tmp_path / name
        if isinstance(content, pl.DataFrame):
            {".parquet": content.write_parquet, ".arrow": content.write_ipc, ".ndjson": content.write_ndjson}[
                file.suffix
            ](file)
            return file
        content = content.encode() if isinstance(content, str) else content
        file.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
        return file

    return write


def edges(graph: Graph) -> set[tuple[str, str]]:
    return set(graph.frame.rows())


# -- lines -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("ann bob\nbob cy\n", "e.txt"),
        ("ann bob\nbob cy", "e.txt.gz"),
        ("# a comment, with cells\n\nann\tbob\n% another\n  bob\tcy\n", "e.txt"),
        ("ann  \t bob\r\nbob \tcy\r\n", "e.txt"),
        ("ann, bob\nbob,cy\n", "e.txt"),
        ("ann bob 3\nbob cy 1.5\ncy bob -2e3\nbob bob 1\n", "e.edges"),
        ("source\ttarget\nann\tbob\nbob\tcy\n", "e.txt"),
        ("source,target\nann,bob\nbob,cy\n", "e.csv"),
        ("when;to;From\n1;bob;ann\n2;cy;bob\n", "e.csv.gz"),
        ("who\twhom\nann\tbob\nbob\tcy\n", "e.tsv"),
        ("# made by hand\nann,bob\nbob,cy\n", "e.csv"),
        ("\ufeffann bob\nbob cy\n", "e.txt"),
        ("ann bob\nbob cy\n".encode("utf-16"), "e.txt"),
    ],
)
def test_the_same_edges_however_they_are_written(write, content, name):
    graph = read_graph(write(content, name))
    assert graph.names == ("ann", "bob", "cy")
    assert edges(graph) == EDGES


@pytest.mark.parametrize("name", ["e.parquet", "e.arrow", "e.ndjson"])
def test_tables_of_other_kinds(write, name):
    frame = pl.DataFrame({"when": [1, 2], "source": ["ann", "bob"], "target": ["bob", "cy"]})
    assert edges(read_graph(write(frame, name))) == EDGES
    file = write(pl.DataFrame({"x": [10, 2], "y": [2, 3], "z": [5, 5]}), name)
    assert read_graph(file).names == ("2", "3", "10")
    assert edges(read_graph(file, source_column="y", target_column="z")) == {("2", "5"), ("3", "5")}


def test_names_with_blanks_are_kept_where_a_delimiter_parts_them(write):
    assert edges(read_graph(write("Ann Lee\tBo Ray\n Bo Ray \tÜ\n", "e.txt"))) == {
        ("Ann Lee", "Bo Ray"),
        ("Bo Ray", "Ü"),
    }
    assert edges(read_graph(write("Ann Lee:Bo Ray\n", "e.txt"), delimiter=":")) == {("Ann Lee", "Bo Ray")}
    assert edges(read_graph(write("a,b c,d\n", "e.txt"), delimiter=" ")) == {("a,b", "c,d")}


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("10 9\n9 2\n", ("2", "9", "10")),
        ("10 9\n9 007\n", ("007", "10", "9")),
        ("10 9\n9 x\n", ("10", "9", "x")),
        ("-3 2\n0 2\n", ("-3", "0", "2")),
        ("5 123456789012345678\n", ("5", "123456789012345678")),
        ("5 1234567890123456789\n", ("1234567890123456789", "5")),
        ("1,2\n2,3\n", ("1", "2", "3")),
        ("1 2\n0 -0\n", ("-0", "0", "1", "2")),
    ],
)
def test_whole_numbers_are_ordered_as_numbers(write, content, names):
    graph = read_graph(write(content, "e.txt"))
    assert graph.names == names
    assert read_graph(write(content.replace(" ", ","), "e.csv")).names == names  # no header, and no edge lost


def test_cells_are_names_as_they_are_written(write):
    file = write("source,target\n1.50,1.5\n2020-01-01,1.5\n", "e.csv")
    assert read_graph(file).names == ("1.5", "1.50", "2020-01-01")
    file = write("source,target\n1.50,1.5\n2.0,1.5\n", "e.csv")
    assert read_graph(file).names == ("1.5", "1.50", "2.0")
    file = write("source,target\n1,x\n2,1\n", "e.csv")
    assert read_graph(file).names == ("1", "2", "x")
    file = write(pl.DataFrame({"source": [1.0, 2.0], "target": ["2", "10"]}), "e.parquet")
    assert read_graph(file).names == ("1", "2", "10")


def test_direction_is_dropped_by_a_rule(write):
    file = write("1 2\n2 1\n2 3\n4 4\n1 2\n", "e.txt")
    assert edges(read_graph(file)) == {("1", "2"), ("2", "3")}
    both = read_graph(file, direction="both")
    assert edges(both) == {("1", "2")}
    assert both.names == ("1", "2", "3", "4")


def test_vertices_without_edges(write):
    file = write("2 10\n", "e.txt")
    assert read_graph(file, vertices=[7, 2, 7]).names == ("2", "7", "10")
    assert read_graph(file, vertices=write("# all\n7\n\n 2 \n", "v.txt")).names == ("2", "7", "10")
    assert read_graph(file, vertices=write("id,age\n7,30\n", "v.csv")).names == ("2", "7", "10")
    assert read_graph(file, vertices=["x"]).names == ("10", "2", "x")
    assert len(read_graph(write("# none\n", "f.txt"), vertices=["x", "y"])) == 2
    assert len(read_graph(write("source,target\n", "f.csv"), vertices=["x", "y"])) == 2


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.lists(st.tuples(st.integers(-40, 10**12), st.integers(0, 9)), min_size=1, max_size=20), st.booleans())
def test_any_edges_are_read_back(tmp_path, pairs, named):
    shown = [tuple(f"v{x}" if named else str(x) for x in pair) for pair in pairs]
    (tmp_path / "e.txt").write_text("".join(f"{a} {b}\n" for a, b in shown))
    graph = read_graph(tmp_path / "e.txt")
    expected = sorted({x for pair in shown for x in pair}, key=None if named else int)
    assert list(graph.names) == expected
    assert {frozenset(e) for e in edges(graph)} == {frozenset(p) for p in shown if p[0] != p[1]}
    pl.DataFrame(shown, schema=["a", "b"], orient="row").write_csv(tmp_path / "e.csv")
    assert read_graph(tmp_path / "e.csv") == graph


# -- bad input -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("content", "name", "options", "says"),
    [
        ("1 2\n# c\n3\n", "e.txt", {}, r"e.txt', line 3: an edge has two ends, and there is one, with blanks"),
        ("1\t2\n3 4\n", "e.txt", {}, r"line 2: .* with a tab as delimiter"),
        ("\t2\t1\n1\t\n", "e.txt", {"delimiter": "\t"}, "line 1"),
        ("1,\n", "e.txt", {"delimiter": ","}, "line 1"),
        ("Smith John,Doe Jane\n", "e.txt", {}, r"line 1: it is not clear .* delimiter=','"),
        ("ann bob friend\n", "e.txt", {}, "line 1: 3 names where an edge has two ends"),
        ("# only\n\n", "e.txt", {}, "has no edges"),
        ("", "e.txt", {}, "has no edges"),
        ("1 2\n2 3\n", "e.txt", {"direction": "both"}, "no pair both ways"),
        ("1 2\x00\n", "e.txt", {}, "line 1: there is a NUL byte"),
        (b"not gzip", "e.gml", {}, "the ending '.gml', which is not known"),
        ("1 2", "e", {}, "no ending"),
        ("source,target\n1,2\n3,\n", "e.csv", {}, "row 2: a value of column 'target' is missing"),
        ("source,target\n1,2\n3\n", "e.csv", {}, "line 3: 1 field"),
        ("source\n1\n", "e.csv", {}, "the column 'source' alone"),
        ('"1","2"\n"2","3"\n', "e.csv", {}, "look like an edge"),
        ("a,b\n1,2\n", "e.csv", {"source_column": "a", "target_column": "c"}, "no column 'c'"),
        ("source,target\n", "e.csv", {}, "has no edges"),
    ],
)
def test_bad_files_are_told_in_a_sentence(write, content, name, options, says):
    with pytest.raises(DataError, match=says) as caught:
        read_graph(write(content, name), **options)
    assert "\n" not in str(caught.value)
    assert str(caught.value).count("file '") == 1


def test_columns_that_hold_no_names(write):
    frame = pl.DataFrame({"source": [[1]], "target": [2]})
    with pytest.raises(DataError, match="column 'source' holds List"):
        read_graph(write(frame, "e.parquet"))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"direction": "out"}, "direction must be one of 'any', 'both'"),
        ({"source_column": "a"}, "give both"),
        ({"source_column": "a", "target_column": "a"}, "name two columns"),
        ({"source_column": 3, "target_column": "a"}, "name of a column, got 3"),
        ({"delimiter": "::"}, "one ASCII character"),
        ({"delimiter": "\n"}, "one ASCII character"),
        ({"vertices": 3}, "a file or a sequence of names, got int"),
        ({"vertices": ["a", " "]}, "without a letter"),
    ],
)
def test_bad_parameters_are_told(write, options, says):
    with pytest.raises(ParameterError, match=says):
        read_graph(write("a b\n", "e.txt"), **options)


def test_what_is_no_file():
    with pytest.raises(DataError, match="got list"):
        read_graph([(1, 2)])
    with pytest.raises(DataError, match="address with 'https'"):
        read_graph("https://example.org/e.txt")
    with pytest.raises(DataError, match="does not exist"):
        read_graph("nowhere/e.txt")


@pytest.mark.data
@pytest.mark.parametrize(
    ("name", "n_vertices", "n_edges", "n_mutual"),
    [
        ("wiki-Vote", 7115, 100_762, 2_927),
        ("email-Enron", 36_692, 183_831, 183_831),
        ("ca-HepTh", 9_877, 25_973, 25_973),
        ("ca-CondMat", 23_133, 93_439, 93_439),
    ],
)
def test_graphs_of_the_evaluation(data_folder, name, n_vertices, n_edges, n_mutual):
    file = data_folder / "graphs" / f"{name}.txt.gz"
    graph = read_graph(file)
    assert (graph.n_vertices, graph.n_edges) == (n_vertices, n_edges)
    assert read_graph(file, direction="both").n_edges == n_mutual


# -- recognised by contents ------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "content", "wanted"),
    [
        ("snap.txt", "# Nodes: 3\n# FromNodeId\tToNodeId\n1\t2\n2\t3\n", True),
        ("snap.txt.gz", "# Nodes: 3\n1\t2\n2\t3\n", True),
        ("weights.txt", "% of calls\n1 2 0.5\n2 3 7\n", True),
        ("plain.txt", "1 2\n2 3\n", True),
        ("plain.csv", "1,2\n2,3\n", True),
        ("headed.csv", "source,target\nann,bob\nbob,cy\n", True),
        ("headed.tsv", "From\tTo\nann\tbob\n", True),
        ("any.edges", "ann bob 3\n", True),
        ("german.csv", "von;nach\n1;2\n2;3\n", True),
        ("german.txt", "von;nach\n1;2\n2;3\n", True),
        ("excel.csv", '\ufeff"Quelle";"Ziel"\r\n"1";"2"\r\n"2";"3"\r\n', True),
        ("post.csv", "Absender,Empfänger\nann,bob\nbob,cy\n", True),
        ("french.tsv", "De\tVers\nann\tbob\nbob\tcy\n", True),
        ("spanish.csv", "Origen;Destino\n10;20\n20;30\n", True),
        ("ids.csv", "Source_ID,Target ID\n1,2\n2,3\n", True),
        ("numbered.csv", "node1,node2\nann,bob\nbob,cy\n", True),
        ("numbered.txt", "id1 id2\n1 2\n2 3\n", True),
        ("sociometry.csv", "ego,alter\n7,8\n8,9\n", True),
        ("letters.csv", "u,v\n1,2\n2,3\n", True),
        ("wind.csv", "u,v\n0.5,1.5\n1.5,0.5\n", False),
        ("trips.csv", "von;nach\n2024-01-01;2024-01-02\n2024-01-02;2024-01-03\n", False),
        ("money.csv", "Alter;Einkommen\n30;30\n40;30\n", False),
        ("apart.csv", "von;nach\n1;7\n2;8\n", False),
        ("three.csv", "von;nach;wann\n1;2;3\n2;3;4\n", False),
        ("half.csv", "von;nach\n1;2\n2;\n", False),
        ("other.csv", "von;ziel\n1;2\n2;1\n", False),
        ("vertices.csv", "v1,v2\nv2,v3\n", False),
        ("commented.dat", "# edges\n1 2\n2 3\n", True),
        ("crlf.txt", "1 2\r\n2 3\r\n", True),
        ("baskets.dat", "1 2\n2 3\n", False),
        ("three.txt", "1 2 3\n2 3 4\n", False),
        ("names.txt", "ann bob\nbob cy\n", False),
        ("table.csv", "age,zip\n1,2\n2,3\n", False),
        ("flows.csv", "source,target,amount\na,b,3\n", False),
        ("uneven.txt", "1 2\n2 3 4\n", False),
        ("remarks.txt", "# people\nann;34;flu\n", False),
        ("empty.txt", "", False),
        ("only.txt", "# nothing\n", False),
        ("broken.txt.gz", "not gzip", False),
        ("list.parquet", "1 2\n", False),
    ],
)  # fmt: skip
def test_edges_are_known_by_how_a_file_begins(tmp_path, name, content, wanted):
    file = tmp_path / name
    zipped = name.endswith(".gz") and content != "not gzip"
    file.write_bytes(gzip.compress(content.encode()) if zipped else content.encode())
    assert holds_edges(file) == wanted
    if wanted:
        assert read_graph(file).n_edges > 0


@pytest.mark.parametrize("name", ["edges.csv", "edges.txt", "edges.txt.gz"])
@pytest.mark.parametrize("head", ["von;nach", "Quelle;Ziel", "node1;node2", "source;target"])
def test_a_header_is_no_edge(write, name, head):
    assert edges(read_graph(write(f"{head}\n1;2\n2;3\n", name))) == {("1", "2"), ("2", "3")}


def test_an_edge_is_no_header(write):
    for lines in ("v1 v2\nv2 v3\nv4 v5\n", "u v\nv w\nx y\n", "node1 node2\nnode3 node4\nnode3 node9\n"):
        assert read_graph(write(lines, "edges.txt")).n_edges == 3
    assert read_graph(write("von nach\n", "edges.txt")).n_edges == 1


def test_columns_are_found_by_what_ends_are_called(write):
    found = read_graph(write("Gewicht;Von;Nach\n5;a;b\n6;b;c\n", "edges.csv"))
    assert edges(found) == {("a", "b"), ("b", "c")}


def test_a_long_list_of_edges_is_known_by_its_beginning(write, tmp_path):
    lines = "".join(f"{i} {i + 1}\n" for i in range(30_000))
    assert holds_edges(write(lines, "long.txt"))
    assert holds_edges(write(lines, "long.txt.gz"))
    assert not holds_edges(tmp_path / "not-there.txt")
    assert not holds_edges("postgresql://host/name.txt")
