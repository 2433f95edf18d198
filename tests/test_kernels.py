"""The kernel decorator: compiled, cached where it can be, and merely slower where it cannot."""

from __future__ import annotations

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

from sfumato import kernels


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
    real, asked = kernels.njit, []

    def njit(**options):
        asked.append(options)
        if options.get("cache"):
            raise RuntimeError("cannot cache function 'total': no locator available")
        return real(**options)

    monkeypatch.setattr(kernels, "njit", njit)
    kernels._warn_once.cache_clear()
    with pytest.warns(RuntimeWarning, match="set NUMBA_CACHE_DIR to one") as caught:
        compiled = kernels.kernel(total)
    assert caught[0].filename == __file__
    assert [options.get("cache", False) for options in asked] == [True, False]
    assert compiled(np.array([1.0, 2.0])) == 3.0


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
from sfumato.tables.showing.extents import group_extents
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
