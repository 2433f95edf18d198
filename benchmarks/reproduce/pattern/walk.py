"""Beside the figures: the walk that does not move, its law where it moves, and how slowly it forgets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.pattern import staircase_body
from benchmarks.reproduce.pattern.printed import isotropic, substitute
from benchmarks.reproduce.pattern.results import Result
from benchmarks.reproduce.pattern.tables import table
from sfumato.ground.randomness import Randomness
from sfumato.tables.pattern.centre import cholesky, john_centre
from sfumato.tables.pattern.mixing import autocorrelation_time
from sfumato.tables.pattern.polytope import Body
from sfumato.tables.pattern.substitution import Walker
from sfumato.tables.pattern.walks import billiard, directions, hit_and_run, mirrors

__all__ = ["arcsine", "mixing", "stuck"]


def stuck(*, quick: bool = False) -> Result:
    """100 integer ages, the domain their own range, 4,000 iterations."""
    ages = table("census", 1_000).frame["age"].head(100).to_numpy().astype(np.float64)
    points: list[dict[str, Any]] = []
    for sigma in (0.001, 0.004, 0.008, 0.05):
        for run in range(2 if quick else 5):
            done = substitute(ages, sigma, 4_000, np.random.default_rng(100 + run))
            apart = float(np.abs(done.values - ages).mean() / np.ptp(ages))
            points.append({"sigma": sigma, "run": run, "properties": done.properties, "dropped": done.dropped,
                           "active": done.active, "moving_steps": done.moving_steps, "distortion": apart,
                           "distortion_relative": float((np.abs(done.values - ages) / ages).mean())})  # fmt: skip
    still = {s: sum(p["moving_steps"] == 0 for p in points if p["sigma"] == s) for s in (0.001, 0.004, 0.008, 0.05)}
    runs = 2 if quick else 5
    return Result(
        figure="beside 5.4 and 5.5: does the walk move?",
        claim="the walk starts at the data and arrives at another point inside",
        printed="runs that never moved: " + ", ".join(f"{n} of {runs} at sigma {s:g}" for s, n in still.items()),
        ours="starts strictly inside; every walk moves",
        seen="at equal values, equal distances and the ends of the domain the start lies on the border; with 20 such "
        "rows one direction in a million leads inside, and the original is published",
        setup={"values": 100, "distinct": len(np.unique(ages)), "iterations": 4_000, "runs": runs},
        points=points,
    )


def arcsine(*, quick: bool = False) -> Result:
    """One value in [0, 1] and no property: where the walk is found."""
    steps = 50_000 if quick else 400_000
    random = np.random.default_rng(3)
    indptr, index = np.arange(3), np.zeros(2, dtype=np.int64)
    coefficient, bound = np.array([1.0, -1.0]), np.array([1.0, 0.0])
    edges = np.linspace(0.0, 1.0, 21)
    points, found = [], {}
    for method, one_sided in (("printed", True), ("ours", False)):
        trace = np.empty((steps, 1))
        hit_and_run(indptr, index, coefficient, bound, np.array([0.5]), isotropic(steps, 1, random),
                    random.random(steps), one_sided, np.ones((1, 1)), trace)  # fmt: skip
        density = np.histogram(trace, edges, density=True)[0]
        law = np.diff(2 / np.pi * np.arcsin(np.sqrt(edges))) * 20 if one_sided else np.ones(20)
        points += [{"method": method, "low": float(a), "high": float(b), "density": float(y), "law": float(z)}
                   for a, b, y, z in zip(edges, edges[1:], density, law, strict=False)]  # fmt: skip
        found[method] = (float(trace.var()), float((trace < 0.1).mean()))
    (pv, pm), (ov, om) = found["printed"], found["ours"]
    return Result(
        figure="beside section 4: the law of the walk",
        claim="the destination tends to be uniform as iterations increase",
        printed=f"variance {pv:.4f}, mass below 0.1: {pm:.4f} (arcsine law: 0.1250, 0.2048)",
        ours=f"the whole chord: variance {ov:.4f}, mass below 0.1: {om:.4f} (uniform: 0.0833, 0.1)",
        seen="half a chord gives the arcsine law: values crowd at the ends of their domain",
        setup={"steps": steps},
        points=points,
    )


def _range_probe(n: int) -> NDArray[np.float64]:
    probe = np.zeros((n, 1))
    probe[-1, 0], probe[0, 0] = 1.0, -1.0
    return probe


def _isotropic_walk(body: Body, steps: int, *, one_sided: bool) -> NDArray[np.float64]:
    rows, n, random = body.rows, body.n_free, np.random.default_rng(7)
    trace, x = np.empty((steps, 1)), body.data.copy()
    for at in range(0, steps, 10_000):
        here = trace[at : at + 10_000]
        hit_and_run(rows.indptr, rows.variable, rows.coefficient, rows.bound, x, isotropic(len(here), n, random),
                    random.random(len(here)), one_sided, _range_probe(n), here)  # fmt: skip
    return trace


def _walker(body: Body, steps: int, walk: Any) -> NDArray[np.float64]:
    walker = Walker(body.rows, body.start, walk, Randomness(7))
    walker.probe = _range_probe(body.n_free)
    return walker.steps(steps)[0]


def _billiard_around(body: Body, steps: int, rounds: int) -> dict[str, float]:
    """The billiard walk in the metric of the plain log barrier (no rounds) or of John's ellipsoid (some)."""
    rows, n, random = body.rows, body.n_free, np.random.default_rng(11)
    x, metric = john_centre(rows.indptr, rows.variable, rows.coefficient, rows.bound, body.start, rounds)
    centre_range = float(x[-1] - x[0])
    normal = mirrors(rows.indptr, rows.variable, rows.coefficient, metric)
    at = np.repeat(np.arange(rows.n), np.diff(rows.indptr))
    square = np.bincount(at, rows.coefficient * normal[at, rows.variable], minlength=rows.n)
    moves = directions(cholesky(metric), random.standard_normal((steps, n)))
    trace = np.empty((steps, 1))
    _, reflections = billiard(
        rows.indptr, rows.variable, rows.coefficient, rows.bound, normal.ravel(), square, x, moves,
        4.0 * np.sqrt(n) * random.standard_exponential(steps), 100 * n, _range_probe(n), trace,
    )  # fmt: skip
    return {"centre_range": centre_range, "iat": autocorrelation_time(trace), "mean_range": float(trace.mean()),
            "reflections_per_step": reflections / steps}  # fmt: skip


def mixing(*, quick: bool = False) -> Result:
    """All localities of n values: the range x_n - x_1, whose exact mean is (n - 1)/(n + 1)."""
    points: list[dict[str, Any]] = []
    traces: dict[tuple[int, str], NDArray[np.float64]] = {}
    for n, steps, few in ((20, 40_000, 4_000), (100, 8_000 if quick else 60_000, 1_000 if quick else 3_000)):
        _, body = staircase_body(n)
        for walk, work in (
            ("printed", lambda b=body, s=steps: _isotropic_walk(b, s, one_sided=True)),
            ("isotropic hit-and-run", lambda b=body, s=steps: _isotropic_walk(b, s, one_sided=False)),
            ("coordinate", lambda b=body, s=steps: _walker(b, s, "coordinate")),
            ("rounded hit-and-run", lambda b=body, s=steps: _walker(b, s, "hit-and-run")),
            ("billiard", lambda b=body, s=few: _walker(b, s, "billiard")),
        ):
            trace = work()
            traces[n, walk] = trace
            iat = autocorrelation_time(trace)
            points.append({"n": n, "rows": body.rows.n, "walk": walk, "steps": len(trace), "iat": iat,
                           "mean_range": float(trace.mean()), "exact": (n - 1) / (n + 1),
                           "sd_range": float(trace.std()),
                           "exact_sd": float(np.sqrt(2 * (n - 1) / (n + 1) ** 2 / (n + 2)))})  # fmt: skip
        for name, rounds in (("log barrier", 0), ("leverage weights", 10)):
            points.append({"n": n, "rows": body.rows.n, "walk": f"billiard, {name}", "steps": few,
                           "exact": (n - 1) / (n + 1), **_billiard_around(body, few, rounds)})  # fmt: skip
    points += [
        {"n": n, "walk": walk, "trace": [float(x) for x in trace[:: max(1, len(trace) // 200), 0]],
         "every": max(1, len(trace) // 200)}
        for (n, walk), trace in traces.items()
    ]  # fmt: skip
    at = {(p["n"], p["walk"]): p for p in points if "iat" in p}
    p20, p100 = at[20, "printed"], at[100, "printed"]
    b20, b100 = at[20, "billiard"], at[100, "billiard"]
    log, john = at[100, "billiard, log barrier"], at[100, "billiard, leverage weights"]

    def told(p: dict[str, Any]) -> str:
        return (f"mean {p['mean_range']:.4f} (exact {p['exact']:.4f}), deviation {p['sd_range']:.4f} "
                f"(exact {p['exact_sd']:.4f})")  # fmt: skip

    return Result(
        figure="beside section 4: mixing",
        claim="4,000 iterations (partition 100) or 40,000 (partition 20) reach a point nearly uniform",
        printed=f"range over the walk: n=20, {p20['steps']:,} steps, {told(p20)}; n=100, {p100['steps']:,} steps, "
        f"{told(p100)}",
        ours=f"billiard: n=20, {b20['steps']:,} steps, {told(b20)}, one independent point per {b20['iat']:.1f} steps; "
        f"n=100, {b100['steps']:,} steps, {told(b100)}, one per {b100['iat']:.1f}",
        seen=f"the body is long and thin; the ellipsoid makes it round. With the plain log barrier a point costs "
        f"{log['iat']:.1f} steps of {log['reflections_per_step']:.0f} reflections at n=100, with leverage weights "
        f"{john['iat']:.1f} of {john['reflections_per_step']:.0f}",
        setup={"values": "uniform, all localities (staircase) and order"},
        points=points,
    )
