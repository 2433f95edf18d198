"""Speed of pattern preservation, as ratios within one run.

    python -m benchmarks.pattern [--json FILE] [--skip hopsy adult]

`hopsy` (a public sampler, `pip install hopsy`) and a C compiler are used for comparison where they are there. Samples
are judged by the range x_n - x_1 of staircase polytopes, whose law is known: Beta(n - 1, 2).
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import json
import shutil
import statistics
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.baselines.printed_localities import printed_localities
from benchmarks.data import adult
from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.localities import staircase
from sfumato.tables.pattern.mixing import autocorrelation_time
from sfumato.tables.pattern.polytope import Body, bodies
from sfumato.tables.pattern.rows import Rows, stack
from sfumato.tables.pattern.substitution import Walker
from sfumato.tables.pattern.walks import hit_and_run

_C = """
#include <stdint.h>
void walk(int64_t m, int64_t n, int64_t steps, const int64_t *ptr, const int64_t *at, const double *c,
          const double *b, double *x, const double *moves, const double *u) {
  for (int64_t s = 0; s < steps; s++) {
    const double *v = moves + s * n;
    double first = -1e300, last = 1e300;
    for (int64_t r = 0; r < m; r++) {
      double rate = 0, slack = b[r];
      for (int64_t q = ptr[r]; q < ptr[r + 1]; q++) { rate += c[q] * v[at[q]]; slack -= c[q] * x[at[q]]; }
      if (slack < 0) slack = 0;
      if (rate > 1e-14) { double t = slack / rate; if (t < last) last = t; }
      else if (rate < -1e-14) { double t = slack / rate; if (t > first) first = t; }
    }
    double t = first + u[s] * (last - first);
    for (int64_t i = 0; i < n; i++) x[i] += t * v[i];
  }
}
"""


def staircase_body(n: int, seed: int = 1) -> tuple[NDArray[np.float64], Body]:
    """The full set of localities of n random values, in the unit box."""
    values = np.sort(Randomness(seed).spawn(f"values {n}").uniform(n))
    corners = staircase(values)
    near = Rows.of(corners[:, [1, 0, 2]], [2.0, -1.0, -1.0])
    near = near._replace(coefficient=near.coefficient * np.repeat(corners[:, 3], 3))
    order = Rows.of(np.stack([np.arange(n - 1), np.arange(1, n)], axis=1), [1.0, -1.0])
    (body,) = bodies(values, np.zeros(n), np.ones(n), stack([near, order]), np.arange(n), ["localities"])
    return values, body


def median(work: Any, repeat: int = 5) -> float:
    """The median time of some runs, after one that is not timed."""
    work()
    taken = []
    for _ in range(repeat):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return statistics.median(taken)


def extraction() -> list[dict[str, Any]]:
    """Localities of 900 values."""
    values = np.sort(Randomness(2).uniform(900))
    return [
        {"what": "localities of 900 values, staircase", "milliseconds": 1e3 * median(lambda: staircase(values)),
         "rows": len(staircase(values)), "target": "milliseconds"},
        {"what": "localities of 900 values, as printed", "rows": len(printed_localities(values)),
         "milliseconds": 1e3 * median(lambda: printed_localities(values))},
    ]  # fmt: skip


def against_c(n: int = 100, steps: int = 2_000) -> list[dict[str, Any]]:
    """Nanoseconds per row and step of hit-and-run, here and in C over the same rows."""
    _, body = staircase_body(n)
    rows, random = body.rows, Randomness(3)
    moves = random.normal(steps * n).reshape(steps, n)
    moves /= np.linalg.norm(moves, axis=1, keepdims=True)
    uniforms, probe, trace = random.uniform(steps), np.zeros((n, 1)), np.empty((steps, 1))

    def ours() -> None:
        hit_and_run(rows.indptr, rows.variable, rows.coefficient, rows.bound, body.start.copy(), moves, uniforms,
                    False, probe, trace)  # fmt: skip

    per = 1e9 / (rows.n * steps)
    result = [{"what": f"hit-and-run, n={n}, {rows.n:,} rows: ns per row and step", "nanoseconds": median(ours) * per}]
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is not None:
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "walk.c").write_text(_C)
            library = f"{folder}/walk.so"
            subprocess.run([compiler, "-O3", "-march=native", "-shared", "-fPIC", f"{folder}/walk.c", "-o", library],
                           check=True)  # fmt: skip
            walk = ctypes.CDLL(library).walk
            p = [array.ctypes.data_as(ctypes.c_void_p) for array in
                 (rows.indptr, rows.variable, rows.coefficient, rows.bound)]  # fmt: skip

            def theirs() -> None:
                x = body.start.copy()
                walk(ctypes.c_int64(rows.n), ctypes.c_int64(n), ctypes.c_int64(steps), *p,
                     x.ctypes.data_as(ctypes.c_void_p), moves.ctypes.data_as(ctypes.c_void_p),
                     uniforms.ctypes.data_as(ctypes.c_void_p))  # fmt: skip

            c = median(theirs) * per
        result[0] |= {"c": c, "ratio": result[0]["nanoseconds"] / c, "target": 2.0}
    return result


def billiard_rate(n: int, steps: int = 4_000) -> dict[str, Any]:
    """Effective samples of the range per second, rounding included and apart."""
    _, body = staircase_body(n)
    started = time.perf_counter()
    walker = Walker(body.rows, body.start, "billiard", Randomness(5))
    rounding = time.perf_counter() - started
    walker.probe = np.zeros((n, 1))
    walker.probe[-1, 0], walker.probe[0, 0] = 1.0, -1.0
    walker.steps(64)
    started = time.perf_counter()
    trace, _ = walker.steps(steps)
    taken = time.perf_counter() - started
    iat = autocorrelation_time(trace)
    return {"rounding": rounding, "iat": iat, "rate": steps / iat / taken, "mean_range": float(trace.mean())}


def hopsy_rate(n: int, seconds: float = 10.0) -> dict[str, Any] | None:
    """The same with hopsy's own rounding and its best proposal for uniform targets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            import hopsy
        except ImportError:
            return None
        _, body = staircase_body(n)
        rows = body.rows
        matrix = np.zeros((rows.n, n))
        np.add.at(matrix, (np.repeat(np.arange(rows.n), np.diff(rows.indptr)), rows.variable), rows.coefficient)
        started = time.perf_counter()
        problem = hopsy.round(hopsy.Problem(matrix, rows.bound), simplify=False)  # simplifying does not end here
        rounding = time.perf_counter() - started
        chain = hopsy.MarkovChain(problem, proposal=hopsy.UniformHitAndRunProposal,
                                  starting_point=hopsy.compute_chebyshev_center(problem))  # fmt: skip
        generator = hopsy.RandomNumberGenerator(seed=7)
        hopsy.sample(chain, generator, n_samples=10, thinning=1)
        thinning, taken, seen = n, 0.0, []
        while taken < seconds:
            started = time.perf_counter()
            _, states = hopsy.sample(chain, generator, n_samples=200, thinning=thinning)
            taken += time.perf_counter() - started
            seen.append(states[0, :, -1] - states[0, :, 0])
    trace = np.concatenate(seen)[:, None]
    iat = autocorrelation_time(trace)
    return {"rounding": rounding, "iat": iat * thinning, "rate": len(trace) / iat / taken,
            "mean_range": float(trace.mean())}  # fmt: skip


def against_hopsy(sizes: list[int]) -> list[dict[str, Any]]:
    """Effective samples per second, ours over theirs."""
    result = []
    for n in sizes:
        ours, theirs = billiard_rate(n), hopsy_rate(n)
        what = f"effective samples of the range per second, n={n}"
        row: dict[str, Any] = {"what": what, "exact_mean": (n - 1) / (n + 1)}
        row |= {f"ours_{key}": value for key, value in ours.items()}
        if theirs is not None:
            row |= {f"hopsy_{key}": value for key, value in theirs.items()}
            row |= {"ratio": ours["rate"] / theirs["rate"], "target": 2.0 if n <= 20 else 5.0}
        result.append(row)
    return result


def whole_table(share: float) -> list[dict[str, Any]]:
    """Adult, 30,000 rows x 3 columns, partitions of 100, mixed to 20 autocorrelation times."""
    frame = adult().head(30_000)
    table = sf.Table(frame, sf.Schema(quasi=["age", "fnlwgt", "education-num"], sensitive=["occupation"]))
    small = sf.Table(frame.head(300), table.schema)
    sf.publish(small, sf.PatternPreserving(sf.Localities(share), partition=100), seed=1)
    started = time.perf_counter()
    release = sf.publish(table, sf.PatternPreserving(sf.Localities(share), partition=100), seed=1)
    taken = time.perf_counter() - started
    walk = release.public["walk"]
    return [{"what": f"Adult, 30,000 x 3, partitions of 100, share {share:g}", "seconds": taken, "target": 120.0,
             "properties": release.files["properties"].height, **{f"walk_{k}": v for k, v in walk.items()},
             "resolution": release.public["resolution"]}]  # fmt: skip


def main() -> None:
    """Run everything, print it, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, default=None)
    parser.add_argument("--skip", nargs="*", default=[], choices=["extraction", "hopsy", "adult", "c"])
    parser.add_argument("--sizes", nargs="*", type=int, default=[20, 50, 100], help="of the bodies for hopsy")
    options = parser.parse_args()
    works = {
        "extraction": extraction,
        "c": against_c,
        **{f"hopsy {n}": functools.partial(against_hopsy, [n]) for n in options.sizes},
        "adult": lambda: whole_table(0.05) + whole_table(1.0),
    }
    rows: list[dict[str, Any]] = []
    for name, work in works.items():
        if name.split()[0] in options.skip:
            continue
        for row in work():
            shown = [f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in row.items() if k != "what"]
            print(row["what"], *shown, sep="\n    ", flush=True)
            rows.append(row)
    if options.json is not None:
        options.json.write_text(json.dumps(rows, indent=2) + "\n")


if __name__ == "__main__":
    main()
