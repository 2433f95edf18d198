"""Bad baskets and graphs, and what can be wrong with a release or asked of one.

R is a release of a table, A and C the same as Arrow and CSV, B a release of baskets, G of a graph.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from support.bad_input import DIGITS, Bad

__all__ = [
    "attacks",
    "baskets",
    "certificates",
    "data_files",
    "estimates",
    "graphs",
    "measures",
    "questions",
]


# -- baskets and graphs --------------------------------------------------------------------------------------------
def baskets() -> Iterator[Bad]:
    """Sets of items."""
    lines: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "is empty"),
        "blank lines": (b"\n\n\n", "no items"),
        "NUL": (b"1 2\0\n", "NUL"),
        "half UTF-16": (b"\xff\xfe1\0 \0\x00\xd8", "encoding"),
    }
    for name, (content, says) in lines.items():
        yield Bad(f"inspect fimi {name}", ["inspect", "x.dat"], says, {"x.dat": content})
        yield Bad(f"publish fimi {name}", ["publish", "x.dat", "--k", "2", "-o", "out"], says, {"x.dat": content})
    for given, says in {
        "publish b.dat -o out": "no promise is asked for",
        "publish b.dat --k 9 -o out": "k",
        "publish b.dat --k 0 -o out": "k must be",
        "publish b.dat --k 2 --schema s.toml -o out": "no schema",
        "publish b.dat --k 2 --query x -o out": "no schema",
        "publish b.dat --k 2 --direction any -o out": "'b.dat' holds a graph",
        "publish b.dat --k 2 --labels none -o out": "none",
        "publish b.dat --k 2 --method Mondrian -o out": "Mondrian",
        "publish b.dat --k 2 --m 0 -o out": "m must be",
        "publish b.dat --k 2 --population p.csv -o out": "--population is for tables",
        "publish p.csv --baskets long --record z --item d --k 2 -o out": "'z'",
        "publish p.csv --baskets long --record a --item z --k 2 -o out": "'z'",
        "publish p.csv --baskets lists --item a --k 2 -o out": "a",
        "publish p.csv --baskets one-hot --k 2 -o out": "and not 0 or 1",
        "publish none.dat --k 2 -o out": "does not exist",
        "inspect none.dat": "does not exist",
        "inspect . --baskets fimi": "folder",
        "inspect p.csv --baskets long --record z --item d": "'z'",
        "inspect p.csv --baskets long --item z --record a": "'z'",
        "inspect b.dat --query x": "no schema",
    }.items():
        yield Bad(given, given.split(), says)


def graphs() -> Iterator[Bad]:
    """Graphs."""
    files: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "no edges"),
        "comments": (b"# a\n% b\n", "no edges"),
        "one name": (b"1\n2\n", "an edge has two ends"),
        "an end missing": (b"1 2\n3\n", "line 2"),
        "NUL": (b"1 2\n3 \0\n", "NUL"),
        "half UTF-16": (b"\xff\xfe1\0 \0\x00\xd8", "encoding"),
    }
    for name, (content, says) in files.items():
        yield Bad(f"inspect graph {name}", ["inspect", "x.txt", "--direction", "any"], says, {"x.txt": content})
        yield Bad(f"risk of {name}", ["risk", "x.txt", "--mu", "0.1"], says, {"x.txt": content})
        words = ["publish", "x.txt", "--method", "EdgePerturbation", "--param", "mu=0.1", "-o", "out"]
        yield Bad(f"publish graph {name}", words, says, {"x.txt": content})
    perturb = "publish e.txt --method EdgePerturbation -o out"
    for given, says in {
        "risk none.txt": "does not exist",
        "risk .": "folder",
        "risk e.txt --mu x": "--mu takes numbers",
        "risk e.txt --mu 2": "mu",
        "risk e.txt --mu nan": "mu",
        "risk e.txt --mu -1": "mu",
        "risk e.txt --mu inf": "mu",
        "risk e.txt --mu 0.1 --accounts 0": "accounts",
        "risk e.txt --mu 0.1 --accounts x": "--accounts",
        "risk e.txt --mu 0.1 --trials -1": "trials",
        "risk e.txt --mu 0.1 --success 2": "success",
        "risk e.txt --mu 0.1 --error nan": "error",
        "risk e.txt --mu 0.1 --width -1": "width",
        "risk e.txt --mu 0.1 --errors -1": "errors",
        "risk e.txt --direction up": "--direction",
        "risk e.txt --direction both --mu 0.1": "lists no pair both ways",
        "risk b.csv": "does not exist",
        perturb: "mu",
        f"{perturb} --param mu=2": "mu",
        f"{perturb} --param mu=nan": "mu",
        f"{perturb} --param mu=x": "mu",
        f"{perturb} --param mu=0.1 --schema s.toml": "no schema",
        f"{perturb} --param mu=0.1 --query x": "no schema",
        f"{perturb} --param mu=0.1 --label x": "--label is for sets of items",
        f"{perturb} --param mu=0.1 --population p.csv": "--population is for tables",
        "inspect e.txt --direction any --item x": "--item is for sets of items",
        "inspect e.txt --direction any -o x.toml": "no schema",
    }.items():
        yield Bad(given, given.split(), says)


# -- releases: R is a release of a table, B of baskets, G of a graph -----------------------------------------------
def questions() -> Iterator[Bad]:
    """Questions that no release answers."""
    for given, says in {
        "": "nothing is asked",
        "nothing": "takes a SELECT",
        "SELECT": "write FROM release",
        "SELECT * FROM release": "cannot be answered",
        "SELECT COUNT(*) FROM elsewhere": "write FROM release",
        "SELECT COUNT(*) FROM release WHERE zip = 3": "zip",
        "SELECT AVG(d) FROM release": "holds texts",
        "SELECT COUNT(*) FROM release; SELECT 1": "one statement",
        "DROP TABLE release": "takes a SELECT",
        "SELECT COUNT(*) FROM release WHERE a = 'x": "cannot be read",
        "SELECT COUNT(*) FROM release WHERE " + "(" * 3_000 + "a = 1" + ")" * 3_000: "too deeply",
        "SELECT COUNT(*) FROM release WHERE a = " + "9" * 5_000: "too long",
        "SELECT COUNT(*) FROM read_csv('p.csv')": "write FROM release",
        "SELECT MEDIAN(a) FROM release": "cannot be aggregated",
        "x" * 100_000: "takes a SELECT",
    }.items():
        name = given if len(given) < 60 else f"{given[:40]} and {len(given)} characters"
        yield Bad(f"ask {name!r}", ["ask", "R", given], says)
    yield Bad("ask nothing", ["ask", "R"], "give a question")
    yield Bad("ask no release", ["ask", "none", "SELECT COUNT(*) FROM release"], "none")
    yield Bad("ask a file", ["ask", "p.csv", "SELECT COUNT(*) FROM release"], "p.csv")
    yield Bad("ask for other SQL", ["ask", "R", "SELECT COUNT(*) FROM release", "--sql", "oracle"], "--sql")


def measures() -> Iterator[Bad]:
    """Options of measure."""
    for given, says in {
        "measure none": "none",
        "measure p.csv": "p.csv",
        "measure .": "holds no release",
        "measure R none.csv": "does not exist",
        "measure R p.csv --n-queries -1": "n_queries must be",
        "measure R p.csv --n-queries 1000000000000": "n_queries is at most 1,000,000",
        "measure R p.csv --n-queries x": "--n-queries",
        "measure R p.csv --olap x": "--olap takes whole numbers",
        "measure R p.csv --olap 0": "levels of the cube",
        "measure R --olap 1": "--olap compares with the original",
        "measure R p.csv --label zip": "--label is for sets of items",
        "measure R p.csv --schema none.toml": "does not exist",
        "measure R p.csv --population none.csv": "does not exist",
        "measure R e.txt": "which the data lack",
        "measure B b.dat --olap 1": "for tables",
        "measure B b.dat --population p.csv": "for tables",
        "measure G e.txt --population p.csv": "for tables",
    }.items():
        yield Bad(given, given.split(), says)


def attacks() -> Iterator[Bad]:
    """Options of attack."""
    for given, says in {
        "attack R": "--original",
        "attack none p.csv": "none",
        "attack R none.csv": "does not exist",
        "attack R p.csv --attack Nothing": "Nothing",
        "attack R p.csv --attack LinkageAttack --param x=1": "x",
        "attack R p.csv --attack LinkageAttack --param x": "takes name=value",
        "attack R p.csv --param x=1": "name the attack that takes 'x'",
        "attack R p.csv --param outside=none.csv": "does not exist",
        "attack R p.csv --attack DegreeAttack": "DegreeAttack",
        "attack R p.csv --attack ItemKnowledge": "ItemKnowledge",
        "attack R p.csv --label x": "--label is for sets of items",
        "attack R p.csv --previous none": "none",
        "attack R p.csv --previous-original p.csv": "once for each --previous",
        "attack R p.csv --schema none.toml": "does not exist",
        "attack B p.csv": "name the columns",
        "attack B b.dat --attack LinkageAttack": "LinkageAttack",
        "attack B b.dat --param items=0": "items",
        "attack B b.dat --param items=x": "items",
        "attack G e.txt --attack Nothing": "Nothing",
        "attack G e.txt --param x=3": "x",
    }.items():
        yield Bad(given, given.split(), says)
    yield Bad("attack --seed of 6000 digits", ["attack", "R", "p.csv", "--seed", "9" * 6_000], "at most 400 digits")
    deep = "outside=" + "[" * 3_000
    yield Bad("attack --param 3000 deep", ["attack", "R", "p.csv", "--param", deep], "nested deeper")


def estimates() -> Iterator[Bad]:
    """Options of estimate."""
    for given, says in {
        "estimate none": "none",
        "estimate R": "is neither",
        "estimate B": "is neither",
        "estimate G --metrics beauty": "beauty",
        "estimate G --repeats -1": "repeats",
        "estimate G --repeats x": "--repeats",
        "estimate G --seed " + "9" * 500: "at most 400 digits",
    }.items():
        yield Bad(given[:60], given.split(), says)


def certificates() -> Iterator[Bad]:
    """Certificates (release.json) that are damaged: a damaged release ends with 1."""
    texts: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "not JSON"),
        "lists 200000 deep": (b"[" * 200_000, "nested deeper"),
        "tables 1000 deep": (b'{"a":' * 1_000 + b"1" + b"}" * 1_000, "nested deeper"),
        "5000 digits": (b'{"rows": ' + DIGITS.encode() + b"}", "400 digits"),
        "NaN": (b'{"rows": NaN}', "no number"),
        "not UTF-8": (b'{"rows": "\xff"}', "UTF-8"),
        "a lone surrogate": (b'{"rows": "\\ud800"}', "lone surrogate"),
        "a key twice": (b'{"rows": 1, "rows": 2}', "twice"),
        "a list": (b"[]", "unknown format"),
        "a number": (b"3", "unknown format"),
        "null": (b"null", "unknown format"),
        "half": (b'{"format": "sfumato release 2", "files": {', "not JSON"),
        "another format": (b'{"format": "sfumato release 99"}', "unknown format"),
        "no parts": (b'{"format": "sfumato release 2"}', "unknown format"),
    }
    for name, (content, says) in texts.items():
        for verb in ("verify R", "measure R", "attack R p.csv", "ask R SELECT", "estimate R"):
            words = verb.split()
            yield Bad(f"{words[0]}, certificate: {name}", words, says, {"R/release.json": content}, code=1)
    edits: dict[str, tuple[list[str], object]] = {
        "method a number": (["method"], 3),
        "promise a number": (["promise"], 3),
        "promise unknown": (["promise", "name"], "Nothing"),
        "k a text": (["promise", "k"], "many"),
        "k huge": (["promise", "k"], 10**300),
        "files a list": (["files"], []),
        "files a number": (["files", "data.csv"], 3),
        "public a list": (["public"], []),
        "schema a number": (["public", "schema"], 3),
        "columns a list": (["public", "schema", "columns"], []),
        "a role unknown": (["public", "schema", "columns", "a", "role"], "x"),
        "forms a list": (["public", "forms"], []),
        "verdict a list": (["verdict"], []),
        "measures a list": (["measures"], []),
        "rows a text": (["rows"], "many"),
    }
    for name, (keys, value) in edits.items():
        for verb in ("verify R", "measure R"):
            edit = json.dumps([keys, value]).encode()
            yield Bad(f"{verb}, edited: {name}", verb.split(), "in 'R'", {"R/edit": edit}, code=1)
    for name, value in {"4e8": 400_000_000, "1e15": 10**15, "text": "many", "negative": -1, "none": None}.items():
        for verb in ("verify G", "measure G", "estimate G"):
            edit = json.dumps([["public", "graph", "vertices"], value]).encode()
            says = "is damaged" if verb != "verify G" else "vertices"
            yield Bad(f"{verb}, vertices {name}", verb.split(), says, {"G/edit": edit}, code=1)


def data_files() -> Iterator[Bad]:
    """Published files that are damaged, or not there."""
    for release, ending in (("R", "csv"), ("A", "arrow"), ("C", "csv"), ("B", "parquet"), ("G", "parquet")):
        for name, content in {
            "gone": None, "empty": b"", "text": b"x\xff\0", "half": b"half", "zeros": b"zeros",
        }.items():  # fmt: skip
            files = {f"{release}/data.{ending}": b"gone" if content is None else content}
            yield Bad(f"verify {release}, data {name}", ["verify", release], "cannot be read", files, code=1)
            yield Bad(f"measure {release}, data {name}", ["measure", release], "is damaged", files, code=1)
