"""Compiling before it is needed: processes beside the one at work compile the kernels that a method will call.

Numba compiles one kernel at a time. On the first run on a machine every core but one is given to a process that goes
through the kernels of the job (`kernels.json`, recorded by `tests/recorded_kernels.py`) from the last to the first, and
keeps what it compiled on disk, where the process at work finds it. Two processes never compile the same kernel: see
`turns.py`. `SFUMATO_COMPILE=alone` starts none.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any, cast

__all__ = ["Call", "begin_compiling", "compiles_alone", "is_compiled", "is_ready", "read_type", "written_type"]

_MOST_PROCESSES = 4
_PACKAGE = "sfumato."
_begun: set[str] = set()
_started: list[subprocess.Popen[bytes]] = []
"""Kept, since a process that nobody holds is warned of while it runs."""

Call = tuple[str, str, list[Any]]
"""A kernel that Python calls: its module, its name, and the types of its arguments as `written_type` writes them."""


def begin_compiling(job: str) -> bool:
    """Have the kernels of a job compiled by other processes, if they are not yet; True where they were not.

    A job is called as the method that does it. Nothing happens for one that was not recorded, or the second time.
    """
    calls = _calls().get(job, [])
    if not calls or job in _begun:
        return False
    _begun.add(job)
    if is_compiled(job):
        return False
    if not compiles_alone() and not hasattr(sys, "frozen") and sys.executable:
        for turn in range(_n_processes()):
            _start(job, turn)
    _tell()
    return True


def is_compiled(job: str) -> bool:
    """Whether the kernels of a recorded job are on disk, as far as a look at three of them tells."""
    calls = _calls().get(job, [])
    return bool(calls) and all(map(_is_kept, (calls[0], calls[len(calls) // 2], calls[-1])))


def is_ready(job: str) -> bool:
    """Whether a job need not be compiled first: its kernels are on disk, or nobody recorded which it has."""
    return job not in _calls() or is_compiled(job)


def compiles_alone() -> bool:
    """Whether nobody compiles beside the process at work: by choice, on one core, or where nothing can be kept."""
    from sfumato.ground.kernels import keeps_compiled

    return os.environ.get("SFUMATO_COMPILE") == "alone" or _n_processes() < 1 or not keeps_compiled()


def _tell() -> None:
    """Say to whoever sits there why the first run takes longer than the next."""
    try:
        if sys.stderr.isatty() or hasattr(sys, "ps1") or "ipykernel" in sys.modules:
            print("compiling, once on this machine: 5 to 10 s on two cores", file=sys.stderr)
    except (AttributeError, OSError, ValueError):  # no standard error, or closed
        return


def _n_processes() -> int:
    """How many to start: one for each core that is ours, but for the one at work."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(cores, _MOST_PROCESSES) - 1


def _start(job: str, turn: int) -> None:
    command = [sys.executable, "-m", "sfumato.ground.compiling", job, str(turn)]
    quiet = subprocess.DEVNULL
    with contextlib.suppress(OSError):  # then it is compiled here
        _started.append(subprocess.Popen(command, stdin=quiet, stdout=quiet, stderr=quiet))


@cache
def _calls() -> dict[str, list[Call]]:
    """The recorded calls of every job, in the order in which it needs them."""
    return dict(json.loads(files("sfumato.ground").joinpath("kernels.json").read_text(encoding="utf-8")))


def _is_kept(call: Call) -> bool:
    from sfumato.ground.kernels import is_kept

    return is_kept(_kernel(call))


def _kernel(call: Call) -> Any:
    return getattr(import_module(_PACKAGE + call[0]), call[1])


# -- types, written and read ------------------------------------------------------------------------------------------
def written_type(kind: Any) -> Any:
    """A type of numba as plain data: numbers by name, arrays as a list, tuples with or without names as a table."""
    from numba import types

    if isinstance(kind, types.Array):
        return [written_type(kind.dtype), kind.ndim, kind.layout, kind.mutable]
    if isinstance(kind, types.BaseTuple):
        named = getattr(kind, "instance_class", tuple)
        where = "" if named is tuple else f"{named.__module__.removeprefix(_PACKAGE)}:{named.__qualname__}"
        return {"tuple": where, "of": [written_type(each) for each in cast(Any, kind)]}
    if isinstance(kind, (types.Integer, types.Float, types.Boolean, types.NoneType)):
        return kind.name
    raise TypeError(f"no kernel that Python calls takes a {kind}")


def read_type(written: Any) -> Any:
    """The type that `written_type` wrote."""
    from numba import types

    if isinstance(written, list):
        kind, ndim, layout, mutable = written
        return types.Array(read_type(kind), ndim, layout, readonly=not mutable)
    if isinstance(written, dict):
        module, _, name = written["tuple"].partition(":")
        of = [read_type(each) for each in written["of"]]
        named = getattr(import_module(_PACKAGE + module), name) if name else None
        return types.BaseTuple.from_types(of, named)  # type: ignore[no-untyped-call]
    return types.boolean if written == "bool" else getattr(types, written)


# -- in a process of its own ------------------------------------------------------------------------------------------
def _own_calls(job: str, turn: int) -> Iterator[Call]:
    """All calls, from the last to the first; later processes begin further on."""
    calls = _calls()[job][::-1]
    start = turn * len(calls) // _MOST_PROCESSES
    yield from calls[start:]
    yield from calls[:start]


def main(job: str, turn: int, within: float = 120.0) -> None:
    """Compile the kernels of a job. What fails here fails, if at all, where it is needed.

    What another process compiles just now is passed over: to wait for it is of no use to anybody.
    """
    from sfumato.ground.kernels import is_compiled_elsewhere

    until = time.monotonic() + within
    for call in _own_calls(job, turn):
        if time.monotonic() > until:
            return
        try:
            kernel, types = _kernel(call), tuple(map(read_type, call[2]))
            if not is_compiled_elsewhere(kernel, types):
                kernel.compile(types)
        except Exception:  # an old record: nobody waits for it
            continue


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
