"""`sfumato compare`: what it prints, what it writes, what it refuses."""

import html
import json
import re
import shlex

import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.cli.comparing import promises_from
from sfumato.cli.promised import Strengths
from sfumato.datasets import hospital
from sfumato.release.fingerprint import content_digest

TABLE = hospital(120)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    TABLE.to_polars().write_csv("data.csv")
    (tmp_path / "schema.toml").write_text(TABLE.schema.to_toml())
    return tmp_path


def test_options_list_promises():
    assert promises_from(Strengths()) == []
    assert promises_from(Strengths(k="5,10")) == [sf.KAnonymity(5), sf.KAnonymity(10)]
    assert promises_from(Strengths(k="5,10", l="2,3", l_kind="distinct")) == [
        sf.KAnonymity(k) & sf.LDiversity(l, kind="distinct") for k in (5, 10) for l in (2, 3)
    ]
    assert promises_from(Strengths(k="3", m="1,2")) == [sf.KMAnonymity(3, 1), sf.KMAnonymity(3, 2)]


def test_it_says_what_to_take_and_writes_the_page(folder, capsys):
    command = ["compare", "data.csv", "--schema", "schema.toml", "--k", "3,6", "--methods", "Mondrian,Hilbert"]
    assert run([*command, "-o", "choice", "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Take ")
    assert "sfumato publish data.csv --schema schema.toml --method" in printed
    assert "For the owner alone: choice/compare.html" in printed
    assert (folder / "choice").stat().st_mode & 0o077 == 0
    assert (folder / "choice" / "compare.html").stat().st_mode & 0o077 == 0
    assert run([*command, "-o", "choice", "--json"]) == 0  # goes on, with all points kept
    found = json.loads(capsys.readouterr().out)
    assert [point["came"] for point in found["points"]] == ["done"] * 4
    assert "choice/compare.html" in found["page"]
    best = printed.split("To publish it:\n  ")[1].splitlines()[0].split()
    assert run([*best[1:], "--no-report"]) == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--k", ""], "--k is given without a value; give one, or leave --k out"),
        (["--k", "5,,10"], "--k has a comma without a value beside it, got '5,,10'; leave the comma out"),
        (["--k", "5", "--l", "2,"], "--l has a comma without a value beside it, got '2,'"),
        (["--methods", ""], "--methods is given without a name; give one, or leave --methods out"),
        (["--methods", "Mondrian,"], "--methods has a comma without a name beside it"),
        (["--k", "5", "--utility", ""], "no figure is called ''"),
        (["--k", "5", "--utility", "n_classes"], "n_classes is neither better nor worse where it is smaller"),
        (["--k", "5", "-o", "."], "'.' holds something else than a comparison; choose a new or an empty folder"),
        (["--k", "five"], "--k takes numbers separated by commas, got 'five'"),
        (["--k", "5", "--l-kind", "odd", "--l", "2"], "--l-kind takes one of"),
        (["--c", "3"], "give --l too"),
        (["--k", "0"], "k must be"),
        (["--k", "5", "--methods", "Mondrain"], "did you mean 'Mondrian'"),
        (["--k", "5", "--utility", "gpc"], "did you mean 'gcp'"),
        (["--k", "5", "--within", "0"], "within"),
        (["--k", "5", "--sample", "0"], "sample must be"),
        (["--k", "5", "--sample", "60"], "sample must be 400 rows or more, got 60; leave it out"),
        (["--k", "5", "--baskets", "fimi"], "no schema"),
    ],
    ids=lambda each: " ".join(each) if isinstance(each, list) else None,
)
def test_bad_options_are_told(folder, capsys, options, message):
    assert run(["compare", "data.csv", "--schema", "schema.toml", *options]) == 2
    assert message in capsys.readouterr().err
    assert sorted(path.name for path in folder.iterdir()) == ["data.csv", "schema.toml"]


def test_a_sample_is_asked_for(folder, capsys):
    hospital(900).to_polars().write_csv("data.csv")
    command = ["compare", "data.csv", "--schema", "schema.toml", "--k", "5", "--methods", "Mondrian"]
    assert run([*command, "--sample", "400", "--seed", "1"]) == 0
    printed = capsys.readouterr().out
    assert "extrapolated to 900 rows from samples of 400, 200 and 100" in printed
    assert "To publish it:\n  sfumato publish data.csv --schema schema.toml --method Mondrian --k 5 -o out" in printed
    assert run([*command, "--sample", "900", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["samples"] == []


# -- the command that is printed ---------------------------------------------------------------------------------


def printed_command(printed):
    return shlex.split(printed.split("To publish it:\n  ")[1].splitlines()[0])


def page_command(folder):
    return html.unescape(re.search(r"Publish it:<pre>(.*?)</pre>", (folder / "compare.html").read_text()).group(1))


def test_the_command_reads_missing_values_as_the_comparison_did(folder, capsys):
    marked = TABLE.to_polars().with_columns(pl.col("age").cast(pl.String))
    marked = marked.with_columns(age=pl.when(pl.int_range(pl.len()) % 7 == 0).then(pl.lit("-9")).otherwise("age"))
    marked.write_csv("data.csv")
    command = [
        "compare",
        "data.csv",
        "--schema",
        "schema.toml",
        "--k",
        "4",
        "--methods",
        "Mondrian",
        "--missing=n/a,-9",
    ]
    assert run([*command, "-o", "choice", "--seed", "1"]) == 0
    best = printed_command(capsys.readouterr().out)
    assert "n/a,-9" in best
    assert shlex.split(page_command(folder / "choice")) == best
    assert run([*best[1:], "--no-report", "--seed", "1"]) == 0
    compared = json.loads((folder / "choice" / "points.jsonl").read_text().splitlines()[1])
    assert content_digest(sf.load_release("out").data.frame) == compared["digest"]


def test_the_command_reads_baskets_as_the_comparison_did(folder, capsys):
    rows = [(record, item) for record in range(30) for item in ("tea", "milk", "figs")[: record % 3 + 1]]
    pl.DataFrame(rows, schema=["who", "what"], orient="row").write_csv("long.csv")
    reading = ["--baskets", "long", "--record", "who", "--item", "what"]
    assert (
        run(["compare", "long.csv", *reading, "--k", "3", "--methods", "Grouped", "-o", "choice", "--seed", "1"]) == 0
    )
    best = printed_command(capsys.readouterr().out)
    assert best[1:9] == ["publish", "long.csv", *reading]
    assert shlex.split(page_command(folder / "choice")) == best
    assert run([*best[1:], "--no-report", "--seed", "1"]) == 0
    release = sf.load_release("out")
    compared = json.loads((folder / "choice" / "points.jsonl").read_text().splitlines()[1])
    assert (release.promise, release.method["name"]) == (sf.KAnonymity(3), "Grouped")
    assert content_digest(release.data.frame) == compared["digest"]


# -- nothing to advise, and what was ended -----------------------------------------------------------------------


def test_where_nothing_came_of_it_the_exit_code_says_so(folder, capsys):
    command = ["compare", "data.csv", "--schema", "schema.toml", "--l", "2", "--methods", "MDAV"]
    assert run(command) == 2
    printed = capsys.readouterr().out
    assert "No point has a release" in printed
    assert "refused: MDAV keeps k-anonymity only" in printed
    assert run([*command, "--json"]) == 2
    assert [point["came"] for point in json.loads(capsys.readouterr().out)["points"]] == ["refused"]


def test_promises_on_classes_are_not_for_graphs(folder, capsys):
    (folder / "graph.txt").write_text("".join(f"{i} {(i * 7 + 3) % 40}\n" for i in range(40)))
    assert run(["compare", "graph.txt", "--direction", "any", "--k", "5"]) == 2
    said = capsys.readouterr().err
    assert "KAnonymity(k=5) is a promise for tables and sets of items, and the data are graphs; leave it out" in said


def test_a_comparison_that_is_interrupted_says_what_is_there(folder, capsys, monkeypatch):
    command = ["compare", "data.csv", "--schema", "schema.toml", "--k", "5", "--methods", "Mondrian"]
    monkeypatch.setattr("sfumato.verbs.compare.try_all", interrupted)
    assert run([*command, "-o", "choice"]) == 130
    said = capsys.readouterr().err
    assert said == (
        "sfumato: interrupted; what was found so far is in 'choice', and the same command goes on from there\n"
    )
    assert run(command) == 130
    assert capsys.readouterr().err == "sfumato: interrupted; nothing was saved\n"


def interrupted(*args, **kwargs):
    raise KeyboardInterrupt


def test_help_says_what_methods_are(capsys):
    assert run(["compare", "--help"]) == 0
    assert "Methods by name, separated by commas" in " ".join(capsys.readouterr().out.split())
