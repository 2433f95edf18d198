"""Work that is killed at its n-th file operation, or at its n-th line."""

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

OPERATIONS = (
    "open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.listdir", "os.scandir", "os.truncate",
    "fcntl.flock", "shutil.rmtree",
)  # fmt: skip


def dies_at(n: int, work: Callable[[], object], lines_of: Path | None = None) -> bool:
    """Do the work in another process that ends, without a word to anybody, before its n-th operation.

    An operation is a call for a file or, with `lines_of`, a line of that source. False where the work was done first.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a fork beside threads: the child touches files, and nothing else
        child = os.fork()
    if child == 0:
        left = [n]

        def count() -> None:
            left[0] -= 1
            if left[0] == 0:
                os._exit(9)

        def trace(frame, event, _):
            if frame.f_code.co_filename != str(lines_of):
                return None
            if event == "line":
                count()
            return trace

        try:
            if lines_of is None:
                sys.addaudithook(lambda event, _: count() if event in OPERATIONS else None)
            else:
                sys.settrace(trace)
            work()
        except BaseException:
            os._exit(1)
        os._exit(0)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, 9), "the work failed by itself"
    return ended == 9


def deaths(prepare: Callable[[], object], work: Callable[[], object], lines_of: Path | None = None) -> Iterator[int]:
    """Prepare, do the work and die, once for every operation in turn; what is left can be looked at after each."""
    n = 1
    while True:
        prepare()
        died = dies_at(n, work, lines_of)
        yield n
        if not died:
            return
        n += 1
