"""Reading TOML files, the same for schemas and recipes."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from sfumato.ground.errors import SfumatoError

__all__ = ["read_toml"]


def read_toml(file: Path, what: str, error_type: type[SfumatoError], remedy: str) -> dict[str, Any]:
    """Read a TOML file; one that cannot be read raises `error_type`, with the `remedy` in the message."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise error_type(f"{what} '{file}' does not exist; {remedy}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise error_type(f"{what} '{file}' is not TOML: {error}") from None
    except OSError as error:
        raise error_type(f"{what} '{file}' cannot be read: {error.strerror}") from None
