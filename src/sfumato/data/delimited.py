"""Text files with one record a line: CSV, TSV and their relatives.

Dialect and encoding are found first; pyarrow then parses the whole file, every cell as text; cells that stand for no
value go, and the types are found on whole columns. pyarrow and Python's `csv` read quotes alike, so that the slow one
can be asked for the line of a mistake that the fast one met.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from sfumato.data.missing_codes import without_codes
from sfumato.data.schema import Schema
from sfumato.data.text_columns import find_type
from sfumato.ground.errors import DataError, ParameterError, suggest

__all__ = ["DELIMITERS", "as_utf8", "file_content", "read_cells", "read_delimited"]

DELIMITERS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}

_COMMA_LIKELY = (";", "\t")
"""Between such cells a lone comma is likely to stand before decimals."""
_SAMPLE = 1 << 16
_CHUNK = 1 << 22
_BLOCK = 1 << 22
_MAX_BLOCK = (1 << 31) - 1
_END = "\x03"  # closes the text as a record of its own: an open quote would swallow it
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_LEGACY = (
    "cp1252", "iso8859_15", "mac_roman", "cp1250", "iso8859_2", "cp1251", "koi8_r", "cp1253", "cp1254", "cp1255",
    "cp1256", "cp1257", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr",
)  # fmt: skip
_NOT_OF_FILES = ("idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape")
_NAMES = ("utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "cp1251", "iso8859-15", "mac-roman", "shift-jis", "gb18030")


def read_delimited(
    file: Path,
    schema: Schema | None = None,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    missing: Sequence[str] = ("",),
) -> pl.DataFrame:
    """Read the records of a text file, a column for each name in its first line."""
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n\0' or not delimiter.isascii()):
        raise ParameterError(f"delimiter must be one ASCII character other than a quote, got {delimiter!r}")
    content = as_utf8(file, file_content(file), encoding)
    if not content.strip():
        raise DataError(f"file '{file}' is empty; give a file with a line of column names and one line per record")
    delimiter = delimiter or _delimiter(_sample(content), prefer="\t" if ".tsv" in file.suffixes else ",")
    names = _header(file, content, delimiter)
    frame = _parse(file, content, names, delimiter)
    gone = pl.all().is_in(list(missing)) if missing else pl.lit(value=False)
    frame = frame.select(pl.when(gone).then(None).otherwise(pl.all()).name.keep())
    columns = schema.columns if schema is not None else {}
    comma = delimiter in _COMMA_LIKELY
    return frame.with_columns(
        find_type(without_codes(series, column), column, decimal_comma=comma)
        for series in frame.iter_columns()
        for column in [columns.get(series.name)]
    )


def read_cells(file: Path) -> pl.DataFrame:
    """Read a CSV file in UTF-8 as the text of its cells, whatever stands in them; empty ones are missing."""
    try:
        content = file.read_bytes()
        if _first_invalid(content) is not None or b"\0" in content:
            raise DataError(f"file '{file}' is not text in UTF-8; ask for a new copy")
    except OSError as error:
        raise DataError(f"file '{file}' cannot be read: {error.strerror or type(error).__name__}") from None
    if not content.strip():
        raise DataError(f"file '{file}' is empty; ask for a new copy")
    frame = _parse(file, content, _header(file, content, ","), ",")
    return frame.select(pl.when(pl.all() != "").then(pl.all()).name.keep())


# -- bytes to UTF-8 ----------------------------------------------------------------------------------------------
def file_content(file: Path) -> bytes:
    """Read the bytes of a file, unpacked where they are gzipped."""
    content = file.read_bytes()
    zipped = content[:2] == b"\x1f\x8b"
    if file.suffix.lower() == ".gz" and not zipped and content:
        raise DataError(f"file '{file}' ends in .gz but is not gzip; rename it or compress it again")
    if not zipped:
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, gzip.BadGzipFile, zlib.error):
        raise DataError(f"file '{file}' is damaged or cut short: gzip cannot unpack it; fetch it again") from None


def as_utf8(file: Path, content: bytes, encoding: str | None) -> bytes:
    """Return the text as UTF-8 without a byte order mark, whatever its encoding was."""
    name, marked = (encoding, b"") if encoding is not None else _detect(file, content)
    try:
        codec = codecs.lookup(name)
        codec.incrementaldecoder(errors="strict").decode(b"")
        if not codec._is_text_encoding or codec.name in _NOT_OF_FILES:
            raise LookupError
    except (LookupError, TypeError, ValueError):
        raise DataError(f"file '{file}': there is no encoding {name!r}{suggest(name, _NAMES)}") from None
    if encoding is not None:
        marked = next((bom for bom, of in _BOMS if content.startswith(bom) and codec.name in (of, of[:-3])), b"")
        codec = codecs.lookup(dict(_BOMS)[marked]) if marked else codec
    content = content[len(marked) :]
    keep = codec.name in ("utf-8", "ascii")
    decoder = codec.incrementaldecoder(errors="strict")
    parts: list[bytes] = []
    n_lines = 1
    for start in range(0, max(len(content), 1), _CHUNK):
        chunk = content[start : start + _CHUNK]
        try:
            decoded = decoder.decode(chunk, start + _CHUNK >= len(content))
        except UnicodeDecodeError as error:
            line = n_lines + chunk[: error.start].decode(codec.name, errors="replace").count("\n")
            raise DataError(
                f"file '{file}', line {line}: the bytes there are not {codec.name}; "
                f"give the file's encoding, as in encoding='cp1252', or save it as UTF-8"
            ) from None
        if "\0" in decoded:
            line = n_lines + decoded[: decoded.index("\0")].count("\n")
            raise DataError(
                f"file '{file}', line {line}: there is a NUL byte, so this is no text file or a damaged one; "
                f"export the data again as CSV"
            )
        n_lines += decoded.count("\n")
        if not keep:
            parts.append(decoded.encode())
    return content if keep else b"".join(parts)


def _detect(file: Path, content: bytes) -> tuple[str, bytes]:
    """Find the encoding and the byte order mark to skip: by the mark, else UTF-8, else what the letters make likely."""
    for bom, name in _BOMS:
        if content.startswith(bom):
            return name, bom
    head = content[:_SAMPLE]
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) > len(head) // 5 and min(even, odd) < len(head) // 50 + 1:  # Latin letters in UTF-16
        return ("utf-16-le" if odd > even else "utf-16-be"), b""
    at = _first_invalid(content)
    if at is None:
        return "utf-8", b""
    import charset_normalizer

    start = max(0, at - _SAMPLE // 2)
    results = charset_normalizer.from_bytes(content[start : at + _SAMPLE], cp_isolation=list(_LEGACY))
    found = results.best()
    if found is None:
        raise DataError(
            f"the encoding of file '{file}' cannot be told from its bytes; give it, as in encoding='cp1252'"
        )
    likeliest = [r for r in results if r.chaos <= found.chaos and r.coherence >= found.coherence]
    western = any("cp1252" in (r.encoding, *r.could_be_from_charset) for r in likeliest)
    return ("cp1252" if western else found.encoding), b""  # by far the most common where nothing tells them apart


def _first_invalid(content: bytes) -> int | None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(content), _CHUNK):
        try:
            decoder.decode(content[start : start + _CHUNK], start + _CHUNK >= len(content))
        except UnicodeDecodeError as error:
            return start + error.start
    return None


# -- dialect and header ------------------------------------------------------------------------------------------
def _sample(content: bytes) -> str:
    """The first lines, as far as they tell the dialect; a header that is long comes whole, with two records."""
    at = content.find(b"\n")
    if 0 <= at < _SAMPLE // 2 or len(content) <= _SAMPLE:
        return content[:_SAMPLE].decode("utf-8", errors="ignore")
    for _ in range(2):
        at = content.find(b"\n", at + 1) if at >= 0 else at
    return content[: at + 1 if at >= 0 else _CHUNK].decode("utf-8", errors="ignore")


def _records(sample: str, delimiter: str) -> list[list[str]]:
    try:
        records = list(csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter))
    except csv.Error:
        return []
    return [record for record in records if record]


def _delimiter(sample: str, *, prefer: str) -> str:
    """Find the delimiter: the character that cuts the header, and most lines into as many parts as the header."""
    best, best_score = "", (0.0, 0, False)
    for candidate in DELIMITERS:
        records = _records(sample, candidate)
        if len(sample) >= _SAMPLE // 2 and len(records) > 1:
            records = records[:-1]  # the sample may end within a record
        if not records or len(records[0]) < 2:
            continue
        alike = sum(len(record) == len(records[0]) for record in records) / len(records)
        score = (alike, len(records[0]), candidate == prefer)
        if score > best_score:
            best, best_score = candidate, score
    if best:
        return best
    absent = [candidate for candidate in DELIMITERS if candidate not in sample]  # one column only
    return prefer if prefer in absent or not absent else absent[0]


def _header(file: Path, content: bytes, delimiter: str) -> list[str]:
    names = _read_header(file, content, delimiter)
    first_at: dict[str, int] = {}
    for i, name in enumerate(names):
        if not name.strip():
            after = f", after {names[i - 1]!r}," if i else ""
            raise DataError(f"file '{file}', line 1: column {i + 1}{after} has no name; give it one")
        first = first_at.setdefault(name, i) + 1
        if first <= i:
            raise DataError(f"file '{file}', line 1: columns {first} and {i + 1} are both {name!r}; rename one of them")
    return names


def _read_header(file: Path, content: bytes, delimiter: str) -> list[str]:
    text = io.TextIOWrapper(io.BytesIO(content), encoding="utf-8", newline="")
    try:
        record = next(csv.reader(text, delimiter=delimiter))
    except csv.Error:
        raise DataError(
            f"file '{file}', line 1: a name in the header has more than {csv.field_size_limit():,} characters, or a "
            f"quote is never closed; close it, or say the delimiter"
        ) from None
    if not record:
        raise DataError(f"file '{file}', line 1: the first line is blank; it must hold the column names")
    return record


# -- records -----------------------------------------------------------------------------------------------------
def _parse(file: Path, content: bytes, names: list[str], delimiter: str) -> pl.DataFrame:
    """Parse all cells as text; every record must have as many fields as the header."""
    import pyarrow as pa
    from pyarrow import csv as pa_csv

    alone = len(names) == 1  # a blank line is then a record without a value
    start = "" if alone and content.endswith(b"\n") else "\n"
    end = (start + delimiter.join([_END] * len(names)) + "\n").encode()
    buffer = pa.py_buffer(content + end)
    keys = [str(i) for i in range(len(names))]
    block = _BLOCK
    while True:
        try:
            arrow = pa_csv.read_csv(
                pa.BufferReader(buffer),  # type: ignore[arg-type]
                read_options=pa_csv.ReadOptions(column_names=keys, skip_rows_after_names=1, block_size=block),
                parse_options=pa_csv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=True, ignore_empty_lines=not alone
                ),
                convert_options=pa_csv.ConvertOptions(
                    column_types=dict.fromkeys(keys, pa.large_string()),
                    null_values=[], strings_can_be_null=False, check_utf8=False,
                ),
            )  # fmt: skip
            break
        except pa.ArrowInvalid as error:
            if "straddl" in str(error) and block < min(len(buffer), _MAX_BLOCK):  # a record longer than the block
                block = min(block * 16, _MAX_BLOCK)
                continue
            raise _find_mistake(file, content, end, names, delimiter) from None
    frame = pl.from_arrow(arrow)
    assert isinstance(frame, pl.DataFrame)
    if frame.height == 0 or any(cell != _END for cell in frame.row(-1)):
        raise _find_mistake(file, content, end, names, delimiter)
    frame.columns = names
    return frame.head(-1)


def _find_mistake(file: Path, content: bytes, end: bytes, names: list[str], delimiter: str) -> DataError:
    """Read slowly to the first record that does not fit the header; the error names its line, and none of its cells."""
    text = io.TextIOWrapper(io.BytesIO(content + end), encoding="utf-8", newline="")
    reader = csv.reader(text, delimiter=delimiter)
    unclosed = (
        "a quote that opens in this record is never closed; close it, "
        'or double it ("") and quote the whole cell where it belongs to the text'
    )
    while True:
        line = reader.line_num + 1
        try:
            record = next(reader)
        except StopIteration:
            return DataError(f"file '{file}' cannot be read as delimited text; export it again as plain CSV")
        except csv.Error:  # a field past csv's limit
            return DataError(f"file '{file}', line {line}: {unclosed}")
        if record and record[-1].endswith(end.decode()):
            return DataError(f"file '{file}', line {line}: {unclosed}")
        if len(record) not in (0, len(names)):
            fields = f"{len(record)} field{'s' if len(record) != 1 else ''}"
            return DataError(
                f"file '{file}', line {line}: {fields} where the header has {len(names)}, with "
                f"{DELIMITERS.get(delimiter, repr(delimiter))} as delimiter; mend the line, or put quotes around "
                f"text that holds the delimiter"
            )
