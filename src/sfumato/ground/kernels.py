"""The decorator for loops that must be fast: compiled by numba, kept on disk between runs."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import re
import sys
import threading
import time
import types
import warnings
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from pickle import UnpicklingError
from typing import Any, TypeVar, cast

import numpy as np
from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from numba.core.types import BaseTuple, unliteral

from sfumato.ground.turns import give_turn, take_turn

__all__ = ["is_compiled_elsewhere", "is_kept", "keeps_compiled", "kernel", "seconds_compiling"]

_VERSION = f"py{sys.version_info[0]}{sys.version_info[1]}"
_FOREIGN = frozenset({"numba", "numpy", "math", "builtins"})
"""Whose functions are known by their names: a new version of numba compiles everything anew."""

_NO_WAY_IN: dict[str, Any] = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}

F = TypeVar("F", bound=Callable[..., Any])


class _Compiling:
    """How long kernels were compiled, read from disk or waited for in this process, by whichever thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._depth, self._since, self._spent = 0, 0.0, 0.0

    def __enter__(self) -> None:
        with self._lock:
            if self._depth == 0:
                self._since = time.monotonic()
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._spent += time.monotonic() - self._since

    @property
    def seconds(self) -> float:
        with self._lock:
            return self._spent + (time.monotonic() - self._since if self._depth else 0.0)


_compiling = _Compiling()


def seconds_compiling() -> float:
    """How many seconds this process has compiled kernels for, or read and waited for what others compiled."""
    return _compiling.seconds


def kernel(function: F) -> F:
    """Compile a function over plain arrays. No policy belongs in one.

    The compiled code is cached beside the package or in the user's cache folder. Where neither can be written
    (numba then refuses to cache at all) it is compiled anew in every process, with a warning.
    """
    compiled = _keeping(njit(nogil=True)(function), "-")
    inner = _keeping(njit(nogil=True, **_NO_WAY_IN)(function), "+")
    for_python, for_kernels = compiled.get_call_template, inner.get_call_template
    overload_for_python, overload_for_kernels = compiled.get_overload, inner.get_overload

    def get_call_template(args: tuple[Any, ...], kws: Any) -> Any:
        template = for_kernels if _is_dear_to_wrap(args) else for_python
        return template(_not_literal(args), kws)

    compiled.get_call_template = get_call_template
    compiled.get_overload = lambda args: (overload_for_kernels if _is_dear_to_wrap(args) else overload_for_python)(args)
    return cast(F, compiled)


def _keeping(compiled: Any, mark: str) -> Any:
    """Have what is compiled kept on disk, under a name with this mark."""
    try:
        compiled._cache = _KernelCache(compiled.py_func, mark)
    except RuntimeError:
        _warn_once()
    else:
        compiled.compile = _in_turn(compiled.compile, compiled._cache)
    return compiled


def _is_dear_to_wrap(args: Iterable[Any]) -> bool:
    """Whether a kernel with such arguments is compiled without a way in from Python where kernels alone call it.

    To take tuples of arrays out of Python's objects is a sixth of all that a first run compiles, for nothing.
    """
    return any(isinstance(each, BaseTuple) for each in args)


def is_kept(compiled: Any) -> bool:
    """Whether something that a kernel was compiled to is on disk, for whatever types of arguments."""
    cache = compiled._cache
    return isinstance(cache, _KernelCache) and cache.is_kept()


def is_compiled_elsewhere(compiled: Any, types: tuple[Any, ...]) -> bool:
    """Whether another process compiles a kernel for these types just now."""
    cache = compiled._cache
    return isinstance(cache, _KernelCache) and cache.turn(types).exists()


def _in_turn(compile: Callable[[Any], Any], cache: _KernelCache) -> Callable[[Any], Any]:
    """Compile, and let others who wait for it go on, whatever came of it."""

    def compile_in_turn(sig: Any) -> Any:
        with _compiling:
            try:
                return compile(sig)
            finally:
                cache.give_turn(sig)

    return compile_in_turn


def _not_literal(args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Types of arguments without their values: a kernel that is called with 0 and with 1 is compiled once."""
    return tuple(unliteral(each) for each in args)


class _KernelCache(FunctionCache):
    """numba's cache, under names that change with whatever a kernel is compiled from.

    numba's own stamp is that of the file, so that an edit of another file which a kernel calls goes unnoticed, and an
    old entry whose argument types have moved cannot even be read. Here the file's name holds a digest of the kernel
    itself, of the kernels it calls and of the constants it uses: an edit recompiles what depends on it, and no more.
    """

    _named = False

    def __init__(self, function: Callable[..., Any], mark: str) -> None:
        super().__init__(function)
        self._mark = mark
        self._turns: dict[Any, Path] = {}

    def is_kept(self) -> bool:
        """Whether the file of this kernel is there."""
        self._name_file()
        return Path(self._cache_path, f"{self._kept}{_VERSION}.nbi").exists()

    def turn(self, sig: Any) -> Path:
        """The file of whoever compiles the kernel for these types."""
        self._name_file()
        return Path(self._cache_path, f"{self._kept}{hashlib.sha256(str(sig).encode()).hexdigest()[:16]}.turn")

    def give_turn(self, sig: Any) -> None:
        """End the turn for these types, if it is ours."""
        if sig in self._turns:
            give_turn(self._turns.pop(sig))

    def _load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is kept on disk; where nothing is, wait for another process that compiles it just now."""
        found = self._read(sig, target_context)
        if found is not None or not self._enabled:
            return found
        self._impl.locator.ensure_cache_path()
        while not take_turn(self.turn(sig)):
            found = self._read(sig, target_context)
            if found is not None:
                return found
        self._turns[sig] = self.turn(sig)
        return None

    def _read(self, sig: Any, target_context: Any) -> Any:
        self._name_file()
        try:
            return super()._load_overload(sig, target_context)
        except (ImportError, AttributeError, EOFError, UnpicklingError):  # what cannot be read is compiled again
            self._cache_file.flush()
            return None

    def _save_overload(self, sig: Any, data: Any) -> None:
        self._name_file()
        self._remove_outdated()
        super()._save_overload(sig, data)

    def _name_file(self) -> None:
        """Name the file at the first call: when a kernel is defined, those it calls may stand further down."""
        if self._named:
            return
        stamp = _stamp(self._py_func)
        self._prefix = f"{Path(self._py_func.__code__.co_filename).stem}.{self._py_func.__qualname__}{self._mark}"
        self._cache_file = IndexDataCacheFile(
            cache_path=self._cache_path, filename_base=f"{self._prefix}{stamp}.{_VERSION}", source_stamp=stamp
        )
        self._kept = f"{self._prefix}{stamp}."
        self._named = True

    def _remove_outdated(self) -> None:
        for path in Path(self._cache_path).glob(f"{self._prefix}*.{_VERSION}.*nb[ic]"):
            if not path.name.startswith(self._kept):
                with contextlib.suppress(OSError):  # somebody else's
                    path.unlink()


def _stamp(function: types.FunctionType) -> str:
    """A digest of all that a kernel is compiled from, but for the types of its arguments."""
    digest, seen, waiting = hashlib.sha256(), {id(function)}, [function]

    def add(part: bytes) -> None:
        digest.update(len(part).to_bytes(8, "big") + part)  # so that no two parts read as one

    while waiting:
        each = waiting.pop()
        for part in _code_parts(each.__code__):
            add(part)
        add(repr((each.__defaults__, each.__kwdefaults__)).encode())
        for name, value in _used(each):
            called = value.py_func if isinstance(value, Dispatcher) else value
            if isinstance(called, types.FunctionType) and called.__module__.partition(".")[0] not in _FOREIGN:
                add(f"{name} calls {called.__module__}.{called.__qualname__}".encode())
                source = Path(called.__code__.co_filename)
                if called is value and source.is_file():  # no kernel: what numba takes in its place stands beside it
                    add(source.read_bytes())
                if id(called) not in seen:
                    seen.add(id(called))
                    waiting.append(called)
            else:
                add(f"{name} is {_described(called)}".encode())
    return digest.hexdigest()[:16]


def _used(function: types.FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function reaches by its names: globals, what it closes over, and attributes of modules and classes."""
    names = [*_names(function.__code__), *_annotated(function)]
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    space = ChainMap({name: cell.cell_contents for name, cell in cells}, function.__globals__)
    for name in names:
        if name not in space:
            continue
        value = space[name]
        yield name, value
        if isinstance(value, (types.ModuleType, type)):
            for inside in dict.fromkeys(names):
                if hasattr(value, inside):
                    yield f"{name}.{inside}", getattr(value, inside)


def _code_parts(code: types.CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames, code.co_freevars, code.co_argcount)).encode()
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(sorted(constant) if isinstance(constant, frozenset) else constant).encode()


def _names(code: types.CodeType) -> list[str]:
    """Names that a function and those defined in it take from outside."""
    inner = (each for each in code.co_consts if isinstance(each, types.CodeType))
    return [*code.co_names, *code.co_freevars, *(name for each in inner for name in _names(each))]


def _annotated(function: types.FunctionType) -> list[str]:
    """Names in the annotations of a function, such as those of the tuples it takes."""
    return [name for each in function.__annotations__.values() for name in re.findall(r"\w+", str(each))]


def _described(value: Any) -> str:
    """A global as a kernel sees it: frozen, so that another value is another kernel."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} {value.shape} {hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()}"
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__} {''.join(_fields_of(value))}"
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, (bool, int, float, complex, str, bytes, tuple, np.generic, type(None))):
        return repr(value)
    return f"{type(value).__module__}.{type(value).__qualname__}"


def _fields_of(kind: type) -> Iterator[str]:
    """The fields of a tuple with names, and those of tuples in it."""
    space = vars(sys.modules[kind.__module__]) if kind.__module__ in sys.modules else {}
    for field in getattr(kind, "_fields", ()):
        told = str(kind.__annotations__.get(field, ""))
        yield f"{field}: {told}; "
        for name in re.findall(r"\w+", told):
            inner = space.get(name)
            if isinstance(inner, type) and inner is not kind and hasattr(inner, "_fields"):
                yield f"({''.join(_fields_of(inner))})"


def keeps_compiled() -> bool:
    """Whether compiled code is kept on disk for the next process, as far as can be told."""
    return not _warn_once.cache_info().currsize


@functools.cache
def _warn_once() -> None:
    warnings.warn(
        "compiled code cannot be kept (no writable folder); set NUMBA_CACHE_DIR to one to start faster",
        RuntimeWarning,
        stacklevel=4,
    )
