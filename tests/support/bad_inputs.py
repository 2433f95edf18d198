"""Bad input for the command line, made here: files, options, recipes, schemas; each with part of the sentence owed.

A case is what somebody could give by mistake or to harm. Files that it needs are written into an empty folder, beside
the good ones of `write_good_files`; `says` is a part of the one sentence that the command must print.
"""

from __future__ import annotations

from support import bad_data, bad_options, bad_releases
from support.bad_input import Bad

__all__ = ["all_cases"]


def all_cases() -> list[Bad]:
    """Every case, each with a name of its own."""
    modules = (bad_data, bad_options, bad_releases)
    found = [case for module in modules for family in module.__all__ for case in getattr(module, family)()]
    assert len({case.name for case in found}) == len(found)
    return found
