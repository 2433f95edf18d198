"""Reading TOML files, the same for schemas, recipes and parameters."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from sfumato.data.json_file import MOST_NESTED
from sfumato.ground.errors import SfumatoError

__all__ = ["parse_toml", "read_toml"]

_WHOLE = 2**63


def read_toml(file: Path, what: str, error_type: type[SfumatoError], remedy: str) -> dict[str, Any]:
    """Read a TOML file; one that cannot be read raises `error_type`, with the `remedy` in the message."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise error_type(f"{what} '{file}' does not exist; {remedy}") from None
    except UnicodeDecodeError:
        raise error_type(f"{what} '{file}' is not TOML: it is not UTF-8 text; save it as UTF-8") from None
    except OSError as error:
        raise error_type(f"{what} '{file}' cannot be read: {error.strerror}") from None
    except ValueError:
        raise error_type(f"{what} {str(file)!r} cannot be read: not a path") from None
    return parse_toml(text, f"{what} '{file}'", error_type)


def parse_toml(text: str, what: str, error_type: type[SfumatoError]) -> dict[str, Any]:
    """Return the data that a TOML text stands for; `what` names it in the message of the error raised otherwise.

    Lists and tables may nest 64 levels deep, and whole numbers have 63 bits, as TOML asks for.
    """
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise error_type(f"{what} is not TOML: {error}") from None
    except RecursionError:
        raise error_type(f"{what} is nested deeper than {MOST_NESTED} levels; write it flat") from None
    except ValueError:  # of Python: a whole number of thousands of digits, or a date that no calendar has
        raise error_type(f"{what} holds a number or date that is out of range; mend it") from None
    level: list[Any] = [found]
    for _ in range(MOST_NESTED + 1):
        level = [inside for each in level for inside in _inside(each)]
        far = next((each for each in level if isinstance(each, int) and not -_WHOLE <= each < _WHOLE), None)
        if far is not None:
            raise error_type(f"{what} holds a whole number of {far.bit_length():,} bits, and 63 are the most")
        if not level:
            return found
    raise error_type(f"{what} is nested deeper than {MOST_NESTED} levels; write it flat")


def _inside(each: Any) -> list[Any]:
    return list(each.values()) if isinstance(each, dict) else each if isinstance(each, list) else []
