"""Bad schemas, hierarchies and files of data."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator
from decimal import Decimal

import polars as pl
import pyarrow as pa
import pyarrow.ipc as ipc
import pyarrow.parquet as pq

from support.bad_input import CSV, DEEP, DIGITS, PUBLISH, SCHEMA, Bad

__all__ = ["columnar_files", "columns", "hierarchies", "hierarchy_files", "json_and_databases", "schemas", "tables"]


# -- schemas -------------------------------------------------------------------------------------------------------
def schemas() -> Iterator[Bad]:
    """Schema files that are no schema."""
    deep = "nested deeper than 64 levels"
    texts: dict[str, tuple[str | bytes, str]] = {
        "lists 5000 deep": ("x = " + "[" * DEEP + "]" * DEEP, deep),
        "lists 100 deep": ("x = " + "[" * 100 + "]" * 100, deep),
        "tables 5000 deep": ("x = " + "{a=" * DEEP + "1" + "}" * DEEP, deep),
        "dotted 500 deep": (".".join("a" * 500) + " = 1", deep),
        "header 500 deep": ("[" + ".".join("a" * 500) + "]", deep),
        "5000 digits": (f"rest = {DIGITS}", "out of range"),
        "300 digits": (f"rest = {'9' * 300}", "whole number of 997 bits"),
        "64 bits": ("rest = 9223372036854775808", "whole number of 64 bits"),
        "hex of 300 digits": ("rest = 0x" + "f" * 300, "whole number of 1,200 bits"),
        "date of month 13": ("rest = 2020-13-01", "not TOML"),
        "date of year 0": ("rest = 0000-01-01", "not TOML"),
        "not UTF-8": (b'rest = "\xff\xfe"', "not UTF-8"),
        "UTF-16": ('rest = "plain"\n'.encode("utf-16"), "not UTF-8"),
        "NUL": ('rest = "a\0b"', "not TOML"),
        "bytes": (bytes(range(256)), "not UTF-8"),
        "open quote": ('rest = "plain', "not TOML"),
        "open bracket": ("[columns.a", "not TOML"),
        "JSON": ('{"columns": {}}', "not TOML"),
        "key twice": ('rest = "plain"\nrest = "plain"', "not TOML"),
        "table twice": (SCHEMA + SCHEMA, "not TOML"),
        "nothing": ("", "no columns"),
        "a comment": ("# nothing", "no columns"),
        "columns a list": ("columns = []", "no columns"),
        "columns a number": ("columns = 3", "no columns"),
        "columns empty": ("[columns]", "no columns"),
        "unknown key": (SCHEMA.replace("[columns.a]", "colour = 1\n[columns.a]"), "unknown key 'colour'"),
        "rest unknown": ('rest = "secret"\n' + SCHEMA, "rest must be one of"),
        "rest a list": ("rest = []\n" + SCHEMA, "rest must be one of"),
        "missing unknown": ('missing = "maybe"\n' + SCHEMA, "missing must be one of"),
        "missing a table": ("missing = {}\n" + SCHEMA, "missing must be one of"),
        "long key": ("k" * 100_000 + " = 1\n" + SCHEMA, "unknown key"),
    }
    for name, (text, says) in texts.items():
        content = text if isinstance(text, bytes) else text.encode()
        yield Bad(f"schema: {name}", PUBLISH, says, {"s.toml": content})
    yield Bad(
        "schema: not there", ["publish", "p.csv", "--schema", "none.toml", "--k", "2", "-o", "out"], "does not exist"
    )
    yield Bad("schema: a folder", ["publish", "p.csv", "--schema", ".", "--k", "2", "-o", "out"], "cannot be read")
    yield Bad("schema: the data", ["publish", "p.csv", "--schema", "p.csv", "--k", "2", "-o", "out"], "not TOML")
    yield Bad("schema: for verify", ["verify", "p.csv", "--schema", "none.toml", "--k", "2"], "does not exist")
    yield Bad("schema: none", ["publish", "p.csv", "--k", "2", "-o", "out"], "--schema is missing")


def columns() -> Iterator[Bad]:
    """Columns of a schema that contradict themselves or the data."""
    parts: dict[str, tuple[str, str]] = {
        "no role": ('kind = "integer"', "has no role"),
        "role unknown": ('role = "quasy"', "role"),
        "role a number": ("role = 3", "role"),
        "role a list": ('role = ["quasi"]', "role"),
        "kind unknown": ('role = "quasi"\nkind = "int"', "kind"),
        "kind a list": ("role = 'quasi'\nkind = []", "kind"),
        "kind date": ('role = "quasi"\nkind = "date"', "declared date"),
        "unknown key": ('role = "quasi"\nwide = 1', "unknown key 'wide'"),
        "weight negative": ('role = "quasi"\nweight = -1', "weight"),
        "weight nan": ('role = "quasi"\nweight = nan', "weight"),
        "weight inf": ('role = "quasi"\nweight = inf', "weight"),
        "weight text": ('role = "quasi"\nweight = "x"', "weight"),
        "weight true": ('role = "quasi"\nweight = true', "weight"),
        "low above high": ('role = "quasi"\nlow = 5\nhigh = 1', "low"),
        "low text": ('role = "quasi"\nlow = "x"', "a bound must be"),
        "low nan": ('role = "quasi"\nlow = nan', "a bound must be"),
        "low inf": ('role = "quasi"\nlow = inf', "a bound must be"),
        "low a date": ('role = "quasi"\nlow = 2020-01-01', "its bound is 2020-01-01"),
        "low a time": ('role = "quasi"\nlow = 12:00:00', "a bound must be"),
        "low a list": ('role = "quasi"\nlow = [1]', "a bound must be"),
        "low above the data": ('role = "quasi"\nlow = 2', "below its low"),
        "high below the data": ('role = "quasi"\nhigh = 1', "above its high"),
        "missing unknown": ('role = "quasi"\nmissing = "keep"', "missing"),
        "order of a number": ('role = "quasi"\nkind = "integer"\norder = ["1", "2"]', "order"),
        "order lacks a value": ('role = "quasi"\nkind = "ordinal"\norder = ["1"]', "order"),
        "order twice": ('role = "quasi"\nkind = "ordinal"\norder = ["1", "1", "2"]', "order"),
        "order a text": ('role = "quasi"\nkind = "ordinal"\norder = "12"', "order"),
        "order empty": ('role = "quasi"\nkind = "ordinal"\norder = []', "order"),
        "ordinal without order": ('role = "quasi"\nkind = "ordinal"', "order"),
    }
    for name, (text, says) in parts.items():
        schema = f'[columns.a]\n{text}\n[columns.d]\nrole = "sensitive"\n'
        yield Bad(f"column: {name}", PUBLISH, says, {"s.toml": schema.encode()})
    whole: dict[str, tuple[str, str]] = {
        "not in the data": (SCHEMA + '[columns.zip]\nrole = "quasi"\n', "'zip', which the data lack"),
        "a near name": (SCHEMA.replace("columns.a", "columns.A"), "which the data lack"),
        "an empty name": (SCHEMA + '[columns.""]\nrole = "quasi"\n', "name"),
        "a long name": (SCHEMA + f'[columns.{"x" * 10_000}]\nrole = "quasi"\n', "which the data lack"),
        "a name with a line break": (SCHEMA + '[columns."x\\ny"]\nrole = "quasi"\n', "which the data lack"),
        "a name with an escape": (SCHEMA + '[columns."\\u001b[31m"]\nrole = "quasi"\n', "which the data lack"),
        "a number": ("[columns]\na = 3\n", "must be a table with a role"),
        "a list": ("[columns]\na = [1]\n", "must be a table with a role"),
        "no quasi-identifier": ('[columns.d]\nrole = "sensitive"\n', "quasi"),
    }
    for name, (text, says) in whole.items():
        yield Bad(f"columns: {name}", PUBLISH, says, {"s.toml": text.encode()})


# -- hierarchies ---------------------------------------------------------------------------------------------------
def hierarchies() -> Iterator[Bad]:
    """Hierarchies written in the schema."""
    tables: dict[str, tuple[str, str]] = {
        "no type": ("{length = 2}", "hierarchy type must be one of"),
        "unknown type": ('{type = "tree"}', "hierarchy type must be one of"),
        "type a list": ("{type = []}", "hierarchy type must be one of"),
        "a number": ("3", "hierarchy must be a file or a table"),
        "a list": ("[1]", "hierarchy must be a file or a table"),
        "true": ("true", "hierarchy must be a file or a table"),
        "paths empty": ('{type = "paths", paths = []}', "at least one value"),
        "paths a text": ('{type = "paths", paths = "ab"}', "takes lists"),
        "paths of texts": ('{type = "paths", paths = ["ab"]}', "takes lists"),
        "paths of nothing": ('{type = "paths", paths = [[]]}', "empty path"),
        "paths a number": ('{type = "paths", paths = 3}', "hierarchy"),
        "paths without": ('{type = "paths"}', "hierarchy"),
        "paths twice": ('{type = "paths", paths = [["1","*"],["1","*"],["2","*"]]}', "twice"),
        "paths two parents": ('{type = "paths", paths = [["1","x","y","*"],["2","x","z","*"]]}', "below both"),
        "paths lack a value": ('{type = "paths", paths = [["1","*"]]}', "lacks the value '2'"),
        "paths or missing": ('{type = "paths", paths = [["1","x or missing","*"],["2","*"]]}', "rename it"),
        "flat lacks a value": ('{type = "flat", values = [1]}', "lacks the value '2'"),
        "flat a text": ('{type = "flat", values = "12"}', "takes lists"),
        "flat a number": ('{type = "flat", values = 12}', "hierarchy"),
        "intervals without": ('{type = "intervals"}', "either widths"),
        "intervals both": ('{type = "intervals", widths = [1], breaks = [1, 2]}', "either widths"),
        "intervals no bounds": ('{type = "intervals", widths = [1]}', "need low and high"),
        "intervals width 0": ('{type = "intervals", widths = [0], low = 0, high = 9}', "above 0"),
        "intervals width nan": ('{type = "intervals", widths = [nan], low = 0, high = 9}', "finite bounds"),
        "intervals width text": ('{type = "intervals", widths = ["x"], low = 0, high = 9}', "numbers or dates"),
        "intervals widths a number": ('{type = "intervals", widths = 5, low = 0, high = 9}', "hierarchy"),
        "intervals widths none": ('{type = "intervals", widths = [], low = 0, high = 9}', "one level at least"),
        "intervals width inf": ('{type = "intervals", widths = [inf], low = 0, high = 9}', "interval"),
        "intervals low inf": ('{type = "intervals", widths = [1], low = -inf, high = 9}', "interval"),
        "intervals low text": ('{type = "intervals", widths = [1], low = "x", high = 9}', "numbers or dates"),
        "intervals low a date": ('{type = "intervals", widths = [1], low = 2020-01-01, high = 9}', "interval"),
        "intervals high below": ('{type = "intervals", widths = [1], low = 9, high = 0}', "high must be above low"),
        "intervals too many": ('{type = "intervals", widths = [1e-9], low = 0, high = 9}', "are the most"),
        "intervals huge": ('{type = "intervals", widths = [1], low = 0, high = 1e300}', "are the most"),
        "intervals past the calendar": (
            '{type = "intervals", widths = [400], low = 9998-01-01, high = 9999-12-30}',
            "past the year 9999",
        ),
        "breaks fall": ('{type = "intervals", breaks = [5, 1]}', "must rise"),
        "breaks one": ('{type = "intervals", breaks = [5]}', "must rise"),
        "breaks none": ('{type = "intervals", breaks = []}', "must rise"),
        "breaks equal": ('{type = "intervals", breaks = [1, 1, 5]}', "must rise"),
        "breaks nan": ('{type = "intervals", breaks = [0, nan, 9]}', "numbers or dates"),
        "breaks mixed": ('{type = "intervals", breaks = [0, 2020-01-01]}', "all numbers or all dates"),
        "breaks of lists of lists": ('{type = "intervals", breaks = [[[1]]]}', "interval"),
        "breaks cut": ('{type = "intervals", breaks = [[0, 2, 4], [0, 3, 4]]}', "cuts through"),
        "breaks miss the data": ('{type = "intervals", breaks = [5, 9]}', "'1'"),
        "breaks a text": ('{type = "intervals", breaks = "12"}', "interval"),
        "prefixes without": ('{type = "prefixes"}', "hierarchy"),
        "prefixes 0": ('{type = "prefixes", length = 0}', "length"),
        "prefixes text": ('{type = "prefixes", length = "x"}', "length"),
        "prefixes huge": ('{type = "prefixes", length = 2000000000}', "too long"),
        "prefixes keep text": ('{type = "prefixes", length = 2, keep = "1"}', "keep"),
        "prefixes keep above": ('{type = "prefixes", length = 2, keep = [5]}', "keep"),
        "calendar of numbers": ('{type = "calendar"}', "'1'"),
        "calendar unknown": ('{type = "calendar", parts = ["eon"]}', "eon"),
        "calendar none": ('{type = "calendar", parts = []}', "calendar"),
        "calendar text": ('{type = "calendar", parts = "month"}', "calendar"),
        "automatic with more": ('{type = "automatic", levels = 3}', "automatic"),
        "unknown key": ('{type = "flat", values = [1, 2], root = "*"}', "root"),
        "csv without": ('{type = "csv"}', "hierarchy"),
        "csv not there": ('{type = "csv", path = "no.csv"}', "does not exist"),
        "csv sep long": ('{type = "csv", path = "h.csv", sep = ";;"}', "cannot be split"),
        "csv sep a number": ('{type = "csv", path = "h.csv", sep = 1}', "cannot be split"),
    }
    for name, (text, says) in tables.items():
        schema = f'[columns.a]\nrole = "quasi"\nhierarchy = {text}\n[columns.d]\nrole = "sensitive"\n'
        yield Bad(f"hierarchy: {name}", PUBLISH, says, {"s.toml": schema.encode(), "h.csv": b"1;*\n2;*\n"})


def hierarchy_files() -> Iterator[Bad]:
    """Hierarchy files."""
    schema = b'[columns.a]\nrole = "quasi"\nhierarchy = "h.csv"\n[columns.d]\nrole = "sensitive"\n'
    files: dict[str, tuple[bytes, str]] = {
        "empty": (b"", "is empty"),
        "blank": (b"\n\n;;\n", "is empty"),
        "one level": (b"1\n2\n", "one level only"),
        "commas": (b"1,*\n2,*\n", "is ';' its separator"),
        "not UTF-8": (b"1;\xff\n2;*\n", "not UTF-8"),
        "UTF-16": ("1;*\n2;*\n".encode("utf-16"), "not UTF-8"),
        "twice": (b"1;*\n1;*\n2;*\n", "twice"),
        "lacks a value": (b"1;*\n3;*\n", "lacks the value '2'"),
        "two parents": (b"1;x;y;*\n2;x;z;*\n", "below both"),
        "a cell of 200000": (b"1;" + b"x" * 200_000 + b"\n2;*\n", "cannot be split"),
        "open quote": (b'1;"' + b"x" * 200_000, "cannot be split"),
        "or missing": (b"1;[1, 2] or missing;*\n2;*\n", "rename it"),
        "value and node": (b"1;2;*\n2;x;*\n", "for a value and for a node"),
    }
    for name, (content, says) in files.items():
        yield Bad(f"hierarchy file: {name}", PUBLISH, says, {"s.toml": schema, "h.csv": content})
    yield Bad("hierarchy file: a folder", PUBLISH, "cannot be read", {"s.toml": schema.replace(b'"h.csv"', b'"."')})
    yield Bad("hierarchy file: NUL", PUBLISH, "not a path", {"s.toml": schema.replace(b'"h.csv"', rb'"h\u0000"')})
    yield Bad("hierarchy file: none", PUBLISH, "does not exist", {"s.toml": schema})


# -- data ----------------------------------------------------------------------------------------------------------
def _three(name: str, file: str, says: str, content: bytes | None) -> Iterator[Bad]:
    """A bad file of data for three verbs that read one."""
    files = {file: content} if content is not None else {}
    yield Bad(f"inspect {name}", ["inspect", file, "-o", "new.toml"], says, files)
    yield Bad(f"publish {name}", ["publish", file, *PUBLISH[2:]], says, files)
    yield Bad(f"verify {name}", ["verify", file, "--quasi", "a", "--k", "2"], says, files)


def tables() -> Iterator[Bad]:
    """Text files."""
    texts: dict[str, tuple[str, bytes, str]] = {
        "empty": ("x.csv", b"", "is empty"),
        "blanks": ("x.csv", b"\n \n", "is empty"),
        "a header alone": ("x.csv", b"a,d\n", "no records"),
        "a blank header": ("x.csv", b"\na,d\n1,x\n", "the first line is blank"),
        "a name twice": ("x.csv", b"a,a\n1,x\n", "are both 'a'"),
        "no name": ("x.csv", b"a,\n1,x\n", "has no name"),
        "NUL": ("x.csv", b"a,d\n1,\0\n", "NUL byte"),
        "a row too short": ("x.csv", b"a,d\n1,x\n2\n", "line 3: 1 field"),
        "a row too long": ("x.csv", b"a,d\n1,x\n2,y,z\n", "line 3: 3 fields"),
        "an open quote": ("x.csv", b'a,d\n1,"x\n2,y\n', "never closed"),
        "an open quote in the header": ("x.csv", b'a,"d\n1,x\n2,y\n', "never closed"),
        "half UTF-8": ("x.csv", b"\xef\xbb\xbfa,d\n1,\xff\xfe\n", "are not utf-8"),
        "half UTF-16": ("x.csv", b"\xff\xfea\0,\0d\0\n\0\x00\xd8\n\0", "are not utf-16-le"),
        "no gzip": ("x.csv.gz", b"a,d\n1,x\n", "is not gzip"),
        "half a gzip": ("x.csv.gz", gzip.compress(CSV * 50)[:30], "gzip cannot unpack it"),
        "a broken gzip": ("x.csv.gz", gzip.compress(CSV)[:-6] + b"\0" * 6, "gzip cannot unpack it"),
        "year 0": ("x.csv", b"a,d\n0000-01-01,x\n2020-01-01,y\n", "outside the years 1 to 9999"),
        "year 0 in a time": ("x.csv", b"a,d\n0000-01-01 10:00:00,x\n2020-01-01 10:00:00,y\n", "outside the years"),
        "no ending": ("x", CSV, "no ending"),
        "an unknown ending": ("x.docx", b"PK\3\4", "which is not known"),
        "a workbook that is none": ("x.xlsx", b"PK\3\4", "x.xlsx"),
        "a zipped Parquet": ("x.parquet.gz", gzip.compress(b"x"), "which is not known"),
    }  # fmt: skip
    for name, (file, content, says) in texts.items():
        only = ("verify",) if "year" in name else ()  # text there, as the cells are
        yield from (case for case in _three(name, file, says, content) if not case.name.startswith(only or ("-",)))
    yield from (case for case in _three("a folder", ".", "folder", None) if not case.name.startswith("verify"))
    yield from _three("no file", "nosuch.csv", "does not exist", None)
    quasi: dict[str, tuple[bytes, str]] = {
        "1e200": (b"a,d\n1e200,x\n1,y\n", "too large to compute with"),
        "2**60": (b"a,d\n1152921504606846976,x\n1,y\n", "cannot be told apart"),
        "no value": (b"a,d\n,x\n,y\n", "no value at all"),
        "one row": (b"a,d\n1,x\n", "k"),
    }
    for name, (content, says) in quasi.items():
        yield Bad(f"publish {name}", PUBLISH, says, {"p.csv": content})
    dated = b'[columns.a]\nrole = "quasi"\nkind = "date"\n[columns.d]\nrole = "sensitive"\n'
    for name, cell in {"year 0": "0000-01-01", "year -5": "-0005-01-01", "year 10000": "+10000-01-01"}.items():
        content = f"a,d\n{cell},x\n2020-01-01,y\n".encode()
        yield Bad(f"publish declared {name}", PUBLISH, "column 'a'", {"p.csv": content, "s.toml": dated})


def columnar_files() -> Iterator[Bad]:
    """Parquet and Arrow files: damaged, cut, of types that nobody reads, with dates of no calendar."""
    frame = pl.DataFrame({"a": [1, 1, 2, 2] * 20, "d": ["x", "y", "z", "x"] * 20})
    writers = {"parquet": frame.write_parquet, "arrow": frame.write_ipc}
    for ending, write in writers.items():
        buffer = io.BytesIO()
        write(buffer)
        good = buffer.getvalue()
        damaged = {
            "empty": b"",
            "one byte": good[:1],
            "magic alone": good[:8],
            "half": good[: len(good) // 2],
            "without its end": good[:-1],
            "without its start": good[9:],
            "text": CSV,
            "zeros": bytes(len(good)),
            "ends in zeros": good[:-40] + bytes(40),
            "huge footer": good[:-12] + b"\xff\xff\xff\x7f" * 2 + good[-4:],
        }
        for name, content in damaged.items():
            says = "is empty" if not content else "or is damaged"
            yield from _three(f"{ending}: {name}", f"x.{ending}", says, content)
    types = {
        "decimal of 50 digits": (pa.array([Decimal("1.5")], pa.decimal256(50, 3)), "has the type decimal256"),
        "dates of 10**9 days": (pa.array([10**9], pa.date32()), "outside the years 1 to 9999"),
        "dates of -10**9 days": (pa.array([-(10**9)], pa.date32()), "outside the years 1 to 9999"),
        "dates of year -1199": (pa.array([-100_000_000_000_000], pa.timestamp("ms")), "outside the years"),
        "times of year 12000": (pa.array([2**58], pa.timestamp("us")), "outside the years 1 to 9999"),
    }
    for name, (column, says) in types.items():
        buffer = io.BytesIO()
        pq.write_table(pa.table({"a": column, "d": ["x"]}), buffer)
        yield from _three(f"parquet: {name}", "x.parquet", says, buffer.getvalue())
    odd = {
        "runs": (pa.RunEndEncodedArray.from_arrays([1], [1]), "has the type run_end_encoded"),
        "months": (pa.array([(1, 2, 3)], pa.month_day_nano_interval()), "has the type month_day_nano_interval"),
        "a zone of no place": (pa.array([1], pa.timestamp("us", "Mars/Olympus")), "or is damaged"),
        "lists of none": (pa.array([[]], pa.list_(pa.int32(), 0)), "has the type fixed_size_list"),
        "seconds past all": (pa.array([2**62], pa.timestamp("s")), "or is damaged"),
        "dates past all": (pa.array([10**9], pa.date32()), "outside the years 1 to 9999"),
    }
    for name, (column, says) in odd.items():
        buffer = io.BytesIO()
        table = pa.table({"a": column, "d": ["x"]})
        with ipc.new_file(buffer, table.schema) as writer:
            writer.write_table(table)
        yield from _three(f"arrow: {name}", "x.arrow", says, buffer.getvalue())
    buffer = io.BytesIO()
    twice = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    pq.write_table(twice, buffer)
    yield from _three("parquet: a name twice", "x.parquet", "there twice", buffer.getvalue())


def json_and_databases() -> Iterator[Bad]:
    """JSON of records and DuckDB files."""
    texts: dict[str, bytes] = {
        "empty": b"",
        "text": CSV,
        "half": b'[{"a": 1, "d": "x"}, {"a"',
        "deep": b"[" * DEEP,
        "not UTF-8": b'[{"a": "\xff"}]',
        "bytes": bytes(range(1, 256)),
    }
    for name, content in texts.items():
        says = "is empty" if not content else "not JSON of records"
        yield from _three(f"json: {name}", "x.json", says, content)
    yield from _three("duckdb: text", "x.duckdb", "no DuckDB database", CSV)
    yield Bad("query of a file", [*PUBLISH, "--query", "SELECT 1"], "query goes with a database")
    for address, says in {
        "mysql://x/y": "cannot be read",
        "http://x/y.csv": "cannot be read",
        "postgresql://x": "needs a query",
        "duckdb:///none.duckdb": "does not exist",
        "file://p.csv": "cannot be read",
    }.items():
        yield Bad(f"inspect {address}", ["inspect", address, "-o", "new.toml"], says)
        yield Bad(f"publish {address}", ["publish", address, *PUBLISH[2:]], says)
