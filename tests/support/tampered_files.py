"""Tamperings with the folder of a release: files that are missing, too many, cut off or something else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from support.tampering import Edit, Tampering, both, data_file, rehash, told

FOREIGN = ("original.csv", "original.parquet", "data.csv", "data2.csv", "data.parquet.bak.csv", "DATA.CSV", "rows.xlsx", "x.json",
           ".hidden.csv", "deep/er/original.tsv", "backup.zip", "people.sqlite", "report.html", "REPORT.HTML", "data.csv.gz", "x.pkl")  # fmt: skip
BASES = ("classes.parquet", "classes.csv", "classes.arrow", "two tables.parquet", "Apriori.csv", "KDegree.arrow")


def file_edits() -> Iterator[Tampering]:
    """All edits of folders."""
    for base in BASES:
        for name, edit in _of_the_data():
            yield Tampering(base, name, edit)
        for n in range(6):
            yield Tampering(base, f"bit {n} of the data flipped", _flipped(n))
    for name in FOREIGN:
        if name != "data.csv":
            yield Tampering("classes.csv", f"{name} beside the data", _beside(name))
        yield Tampering("classes.parquet", f"{name} beside the data", _beside(name))
        listed = both(_beside(name), _listed(name))
        if name == "report.html":
            why = "a report is listed by its hash; what it says is not read"
            yield Tampering("classes.parquet", f"{name} beside the data, and listed", listed, "stands", why)
        else:
            yield Tampering("classes.parquet", f"{name} beside the data, and listed", listed)
    for name in ("README.md", "LICENSE", "picture.png"):
        why = "it is no data, and the verdict names it as not covered"
        yield Tampering("classes.parquet", f"{name} beside the data", _beside(name), "stands", why)
    for name, content in {"nothing": b"", "text": b"signed", "an empty table": b"{}", "zeros": bytes(64)}.items():
        yield Tampering("classes.parquet", f"a signature that is {name}", _signature(content))
    yield Tampering("classes.parquet", "a good file listed before a bad one", _good_before_bad)
    for name in (
        "data.d/../data.parquet",
        "../copy/data.parquet",
        "./data.parquet",
        "/etc/passwd",
        "data.parquet/",
        "",
        "a\0b",
    ):
        yield Tampering("classes.parquet", f"data are {name!r}", _listed_as(name))
    yield Tampering("classes.parquet", "the data are a link", _linked)
    yield Tampering("two tables.parquet", "a table is a link", lambda folder: _linked(folder, "sensitive.parquet"))
    yield Tampering("two tables.parquet", "a table is missing", lambda folder: (folder / "sensitive.parquet").unlink())
    yield Tampering("two tables.parquet", "a table is not listed", told("files", "sensitive.parquet", value=...))
    yield Tampering("two tables.parquet", "a table is not told of", told("public", "files", value=...))
    for name, text in CERTIFICATES.items():
        yield Tampering("classes.parquet", f"release.json is {name}", _certificate(text))


def _of_the_data() -> Iterator[tuple[str, Edit]]:
    yield "the data are missing", lambda folder: data_file(folder).unlink()
    yield "the data are empty", _rewritten(lambda content: b"")
    yield "the data are cut off", _rewritten(lambda content: content[: len(content) // 2])
    yield "the data go on", _rewritten(lambda content: content + b"p001 is the first")
    yield "the data are something else", _rewritten(lambda content: b"hello")
    yield "the data are empty, and the hash is theirs", both(_rewritten(lambda content: b""), rehash)
    yield (
        "the data are cut off, and the hash is theirs",
        both(_rewritten(lambda content: content[: len(content) // 2]), rehash),
    )
    yield "the data are zeros, and the hash is theirs", both(_rewritten(lambda content: bytes(len(content))), rehash)
    yield "the data are a folder", _as_folder


def _rewritten(change: Any) -> Edit:
    def edit(folder: Path) -> None:
        path = data_file(folder)
        path.write_bytes(change(path.read_bytes()))

    return edit


def _as_folder(folder: Path) -> None:
    path = data_file(folder)
    path.unlink()
    path.mkdir()


def _flipped(n: int) -> Edit:
    def flip(content: bytes) -> bytes:
        at = (n * 2654435761 + 17) % len(content)
        return content[:at] + bytes([content[at] ^ (1 << n)]) + content[at + 1 :]

    return _rewritten(flip)


def _signature(content: bytes) -> Edit:
    def edit(folder: Path) -> None:
        (folder / "release.sig").write_bytes(content)

    return edit


def _beside(name: str) -> Edit:
    def edit(folder: Path) -> None:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("age,illness\n34,flu\n", encoding="utf-8")

    return edit


def _listed(name: str) -> Edit:
    return both(told("files", name, value={}), rehash)


def _good_before_bad(folder: Path) -> None:
    good = data_file(folder)
    (folder / "data.x.parquet").write_bytes(good.read_bytes())
    good.write_bytes(b"bad")
    told("files", value=lambda files: {"data.x.parquet": {}, **files})(folder)
    rehash(folder)


def _listed_as(name: str) -> Edit:
    def edit(folder: Path) -> None:
        (folder / "data.d").mkdir()
        told("files", value=lambda files: {name: files["data.parquet"]})(folder)

    return edit


def _linked(folder: Path, name: str = "data.parquet") -> None:
    aside = folder.parent / "aside.parquet"
    aside.write_bytes((folder / name).read_bytes())
    (folder / name).unlink()
    (folder / name).symlink_to(aside)


CERTIFICATES: dict[str, Any] = {
    "empty": lambda text: "", "a list": lambda text: "[]", "a number": lambda text: "7", "null": lambda text: "null",
    "nested too deep": lambda text: "[" * 200_000, "nested and closed": lambda text: "[" * 5000 + "]" * 5000,
    "cut off": lambda text: text[:300], "with a number of 6,000 digits": lambda text: text.replace('"rows": 90', f'"rows": {"9" * 6000}'),
    "with NaN": lambda text: text.replace('"rows": 90', '"rows": NaN'), "with infinity": lambda text: text.replace('"rows": 90', '"rows": 1e999'),
    "with a key twice": lambda text: text.replace('"rows": 90', '"rows": 7, "rows": 90'), "with a comment": lambda text: f"// hello\n{text}",
    "in UTF-16": lambda text: text.encode("utf-16"), "not UTF-8": lambda text: text.encode().replace(b"illness", b"ill\xffness"),
    "with half a character": lambda text: text.replace("illness", "\\ud800"), "with a NUL": lambda text: text + "\0",
    "twice": lambda text: text + text, "of another format": lambda text: text.replace("sfumato release 2", "sfumato release 9"),
    "of no format": lambda text: text.replace('"format"', '"formatt"'), "without files": lambda text: _without(text, "files"),
    "without public": lambda text: _without(text, "public"), "without promise": lambda text: _without(text, "promise"),
    "without verdict": lambda text: _without(text, "verdict"), "without method": lambda text: _without(text, "method"),
    "without measures": lambda text: _without(text, "measures"),
}  # fmt: skip


def _without(text: str, key: str) -> str:
    return json.dumps({name: value for name, value in json.loads(text).items() if name != key})


def _certificate(change: Any) -> Edit:
    def edit(folder: Path) -> None:
        path = folder / "release.json"
        text = json.dumps(json.loads(path.read_text(encoding="utf-8")), ensure_ascii=False)
        changed = change(text)
        path.write_bytes(changed if isinstance(changed, bytes) else changed.encode())

    return edit


__all__ = ["file_edits"]
