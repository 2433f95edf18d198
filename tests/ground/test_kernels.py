"""The kernel decorator: compiled, cached where it can be, and merely slower where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
import types
import warnings

import numpy as np
import pytest

from sfumato.ground import kernels


def total(values):
    result = 0.0
    for i in range(values.shape[0]):
        result += values[i]
    return result


def test_a_kernel_is_compiled_and_computes():
    compiled = kernels.kernel(total)
    assert compiled(np.array([1.0, 2.0, 3.5])) == 6.5
    assert compiled.signatures
    assert compiled.targetoptions["nogil"]


def test_without_a_writable_folder_it_warns_and_computes(monkeypatch):
    def nowhere(function, mark):
        raise RuntimeError("cannot cache function 'total': no locator available")

    monkeypatch.setattr(kernels, "_KernelCache", nowhere)
    kernels._warn_once.cache_clear()
    with pytest.warns(RuntimeWarning, match="set NUMBA_CACHE_DIR to one") as caught:
        compiled = kernels.kernel(total)
    assert caught[0].filename == __file__
    assert compiled(np.array([1.0, 2.0])) == 3.0


# -- what is kept on disk ------------------------------------------------------------------------------------

LOW = """
from typing import NamedTuple
from sfumato.ground.kernels import kernel

class Pair(NamedTuple):
    first: float
    second: float

@kernel
def times(x: float) -> float:
    return {factor} * x

@kernel
def apart(x: float) -> float:
    return x - 1.0
"""
HIGH = """
from low import Pair, apart, times
from sfumato.ground.kernels import kernel

SHIFT = {shift}

@kernel
def shifted(pair: Pair) -> float:
    return times(pair.first) + pair.second + SHIFT + later(0.0)

@kernel
def lone(x: float) -> float:
    return apart(x)

@kernel
def later(x: float) -> float:
    return x
"""


def run_both(folder, *, factor=2.0, shift=0.0, low=LOW, high=HIGH):
    """Both modules as files, run in a process of its own: what they compute, and how often code was found on disk."""
    (folder / "low.py").write_text(low.format(factor=factor))
    (folder / "high.py").write_text(high.format(shift=shift))
    program = (
        "import high, low; print(high.shifted(low.Pair(3.0, 1.0)), high.lone(1.0),"
        "*(sum(each.stats.cache_hits.values()) for each in (high.shifted, high.lone)))"
    )
    env = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "kept"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    value, other, hits, others = done.stdout.split()
    return float(value), float(other), int(hits), int(others)


@pytest.mark.slow
def test_an_edit_recompiles_what_depends_on_it_and_nothing_else(tmp_path):
    """numba itself looks at the kernel's own file alone: it would go on with the old factor."""
    assert run_both(tmp_path) == (7.0, 0.0, 0, 0)
    assert run_both(tmp_path) == (7.0, 0.0, 1, 1)
    assert run_both(tmp_path, factor=3.0) == (10.0, 0.0, 0, 1)  # a kernel of the other file
    assert run_both(tmp_path, factor=3.0, shift=5.0) == (15.0, 0.0, 0, 1)  # a constant
    moved = "# a line above\n" + HIGH.replace(
        "def later(x: float) -> float:\n    return x", "def later(x: float) -> float:\n    return x + 1.0"
    )
    assert run_both(tmp_path, factor=3.0, shift=5.0, high=moved) == (16.0, 0.0, 0, 1)  # one that stands further down
    wider = LOW.replace("    second: float", "    second: float\n    third: float = 0.0")
    assert run_both(tmp_path, factor=3.0, shift=5.0, high=moved, low=wider) == (16.0, 0.0, 0, 1)  # a tuple it takes
    kept = [path.name for path in (tmp_path / "kept").rglob("*.nbi") if "shifted" in path.name]
    assert len(kept) == 1  # what is out of date is gone


def stamped(text, **space):
    """The digest of the kernel `f` in a text."""
    made = {"__name__": "made", **space}
    exec(text, made)
    return kernels._stamp(made["f"])


CALLED = "def g(x):\n    return x\n"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("def f(x):\n    return x + 1", "def f(x):\n    return x + 2"),
        ("def f(x, y=1):\n    return x", "def f(x, y=2):\n    return x"),
        ("def f(x, *, y=1):\n    return x", "def f(x, *, y=2):\n    return x"),
        ("def f(x):\n    return x * 0.1 + 10.5", "def f(x):\n    return x * 0.11 + 0.5"),
        ("C = 1\ndef f(x):\n    return x + C", "C = 2\ndef f(x):\n    return x + C"),
        ("C = (1, 2)\ndef f(x):\n    return x + C[0]", "C = (2, 2)\ndef f(x):\n    return x + C[0]"),
        (CALLED + "def f(x):\n    return g(x)", CALLED.replace("x\n", "-x\n") + "def f(x):\n    return g(x)"),
        (CALLED + "def f(x):\n    h = lambda y: g(y)\n    return h(x)",
         CALLED.replace("x\n", "-x\n") + "def f(x):\n    h = lambda y: g(y)\n    return h(x)"),
        ("class K:\n    A = 1\ndef f(x):\n    return x + K.A", "class K:\n    A = 2\ndef f(x):\n    return x + K.A"),
        ("def make(c):\n    def f(x):\n        return x + c\n    return f\nf = make(1)",
         "def make(c):\n    def f(x):\n        return x + c\n    return f\nf = make(2)"),
        ("import numpy as np\nC = np.array([1, 2])\ndef f(x):\n    return x + C",
         "import numpy as np\nC = np.array([1, 3])\ndef f(x):\n    return x + C"),
    ],
)  # fmt: skip
def test_the_digest_changes_with_all_that_a_kernel_is_compiled_from(one, other):
    assert stamped(one) != stamped(other)
    assert stamped(one) == stamped(one)
    assert stamped("# a line above\n" + one) == stamped(one)


def test_the_digest_changes_with_a_constant_of_another_module():
    values = []
    for number in (1, 2):
        module = types.ModuleType("other")
        module.NUMBER = number
        values.append(stamped("def f(x):\n    return x + other.NUMBER", other=module))
    assert values[0] != values[1]


@pytest.mark.slow
def test_what_cannot_be_read_is_compiled_again(tmp_path):
    run_both(tmp_path)
    for path in (tmp_path / "kept").rglob("*.nbi"):
        path.write_bytes(path.read_bytes().replace(b"low", b"lew"))  # as where a module has moved
    assert run_both(tmp_path) == (7.0, 0.0, 0, 1)
    assert run_both(tmp_path) == (7.0, 0.0, 1, 1)


def test_a_function_without_a_file_cannot_be_cached_but_runs():
    """What numba itself does where it finds no place for the cache."""
    space = {}
    kernels._warn_once.cache_clear()
    exec("def double(x):\n    return 2 * x", space)
    with pytest.warns(RuntimeWarning, match="no writable folder"):
        compiled = kernels.kernel(space["double"])
    assert compiled(4) == 8


def test_other_errors_of_numba_are_not_hidden():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(TypeError):
            kernels.kernel(None)(3)


PROGRAM = """
import warnings
warnings.simplefilter("error")
from numba.core import caching
for locator in caching.CacheImpl._locator_classes:
    locator.from_function = classmethod(lambda cls, function, file: None)  # no folder can be written
warnings.simplefilter("always")
import numpy as np
from sfumato.tables.showing.group_extents import group_extents
codes, order = np.array([3, 1, -1], dtype=np.int32), np.arange(3, dtype=np.int64)
print([x.tolist() for x in group_extents(codes, order, np.array([0, 2, 3], dtype=np.int64))])
"""


@pytest.mark.slow
def test_the_packages_own_kernels_run_where_nothing_can_be_written(tmp_path):
    nowhere = str(tmp_path / "no" / "such" / "folder")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "HOME": nowhere, "XDG_CACHE_HOME": nowhere},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[[1, -1], [3, -1], [False, True]]"
    assert "set NUMBA_CACHE_DIR" in done.stderr


def test_a_kernel_with_tuples_has_no_way_in_from_python_where_kernels_call_it(monkeypatch, tmp_path):
    """It computes the same both ways; what kernels call is compiled apart, and kept under a name of its own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    (tmp_path / "wrapped_twice.py").write_text(
        "from typing import NamedTuple\nimport numpy as np\nfrom sfumato.ground.kernels import kernel\n"
        "class Pair(NamedTuple):\n    a: np.ndarray\n    b: float\n"
        "@kernel\ndef inner(pair):\n    return pair.a.sum() * pair.b\n"
        "@kernel\ndef outer(pair):\n    return inner(pair) + 1.0\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    import wrapped_twice

    pair = wrapped_twice.Pair(np.array([1.0, 2.0]), 3.0)
    assert wrapped_twice.outer(pair) == 10.0
    assert not wrapped_twice.inner.signatures
    assert wrapped_twice.inner(pair) == 9.0
    assert wrapped_twice.outer(pair) == 10.0
