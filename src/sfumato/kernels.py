"""The decorator for loops that must be fast: compiled by numba, kept on disk between runs."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

__all__ = ["kernel"]

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Compile a function over plain arrays. No policy belongs in one.

    The compiled code is cached beside the package or in the user's cache folder. Where neither can be written
    (numba then refuses to cache at all) it is compiled anew in every process, with a warning.
    """
    try:
        return cast(F, njit(cache=True, nogil=True)(function))
    except RuntimeError:
        _warn_once()
        return cast(F, njit(nogil=True)(function))


@functools.cache
def _warn_once() -> None:
    warnings.warn(
        "compiled code cannot be kept (no writable folder); set NUMBA_CACHE_DIR to one to start faster",
        RuntimeWarning,
        stacklevel=3,
    )
