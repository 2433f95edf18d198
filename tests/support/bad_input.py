"""What a case of bad input is, and the good files that lie beside it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["CSV", "DEEP", "DIGITS", "PUBLISH", "RECIPE", "SCHEMA", "Bad", "write_good_files"]


@dataclass(frozen=True)
class Bad:
    """One bad input: its name, the command, the files it needs, what is said and the exit code."""

    name: str
    words: list[str]
    says: str
    files: dict[str, bytes] = field(default_factory=dict)
    code: int = 2


CSV = b"a,d\n1,x\n1,y\n2,x\n2,y\n"
SCHEMA = '[columns.a]\nrole = "quasi"\n[columns.d]\nrole = "sensitive"\n'
RECIPE = (
    '[input]\npath = "p.csv"\nschema = "s.toml"\n[method]\nname = "Mondrian"\n[[promise]]\nname = "KAnonymity"\nk = 2\n'
)
EDGES = b"1 2\n2 3\n3 1\n3 4\n4 5\n5 1\n"
FIMI = b"1 2 3\n1 2\n2 3\n1 3\n"
PUBLISH = ["publish", "p.csv", "--schema", "s.toml", "--k", "2", "-o", "out"]
DEEP = 5_000
DIGITS = "9" * 5_000


def write_good_files(folder: Path) -> None:
    """A table with its schema, edges and baskets."""
    (folder / "p.csv").write_bytes(CSV)
    (folder / "s.toml").write_text(SCHEMA)
    (folder / "e.txt").write_bytes(EDGES)
    (folder / "b.dat").write_bytes(FIMI)
