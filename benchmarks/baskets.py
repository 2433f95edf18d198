"""Set-valued data: how long publishing takes, what it needs, and what the orders lose.

    SFUMATO_DATA=FOLDER python -m benchmarks.baskets [--json FILE] [--quick] [--busy]

Publishing BMS-WebView-1 and a made-up set with the shape of pumsb, in fresh processes without and with compiled loops
on disk, and the memory it takes over the items present; closed walks for growing rings, beside walks that take steps
back; Hamming distances beside copies of memory; the orders beside each other and, on samples, beside LKH where the
package `elkai` is installed. `--busy` notes that the machine had other work, so that times say little.
"""

from __future__ import annotations

import argparse
import functools
import json
import math
import multiprocessing
import os
import platform
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import sfumato as sf
from benchmarks.baselines.closed_walks import closed_walks
from benchmarks.baselines.wmc import wmc_assignments
from benchmarks.reproduce.rounding import rounded
from benchmarks.tables import _kilobytes, seconds
from sfumato.baskets.orders.order import Gray, GrayTSP, Order, Windowed
from sfumato.baskets.orders.windowed import windowed_sum
from sfumato.baskets.rings.ring import random_assignments
from sfumato.baskets.voting import vote_edges
from sfumato.ground.randomness import Randomness
from sfumato.published.baskets.bits import distances, pack
from sfumato.published.baskets.edges import Edges

K = 10
TARGETS = {"bms_webview1": 15.0, "like pumsb": 20.0}
"""Seconds for publishing with compiled loops on disk."""


def read(name: str) -> sf.Baskets:
    """A data set of the evaluation data."""
    return sf.read_baskets(Path(os.environ["SFUMATO_DATA"]) / "transactions" / f"{name}.dat.gz")


@functools.cache
def made(n: int) -> sf.Baskets:
    """Records like those of pumsb: 74 attributes with 2,113 values in all, most of them rare, in 40 kinds of people."""
    random = Randomness("like pumsb")
    weights = np.exp(1.6 * random.normal(74))
    sizes = 2 + np.floor(weights / weights.sum() * (2_113 - 2 * 74)).astype(np.int64)
    sizes[sizes.argmax()] += 2_113 - sizes.sum()
    firsts = np.cumsum(sizes) - sizes
    kind = np.minimum((random.exponential(n) * 12).astype(np.int64), 39)
    items = np.empty((n, 74), dtype=np.int64)
    for a in range(74):
        usual = random.uniform(n) < 0.25 + 0.7 * random.uniform(1)[0]
        shift = random.integers(int(sizes[a]), size=40)[kind]
        rank = np.minimum((random.exponential(n) ** 2).astype(np.int64), sizes[a] - 1)
        items[:, a] = firsts[a] + np.where(usual, 0, (rank + shift) % sizes[a])
    starts = np.arange(n + 1, dtype=np.int64) * 74
    return sf.Baskets(starts, np.sort(items, axis=1).ravel(), [str(i) for i in range(2_113)])


def _data(name: str, n: int) -> sf.Baskets:
    return made(n) if name == "like pumsb" else read(name)


# -- publishing ------------------------------------------------------------------------------------------------------
METHODS = {"Grouped": sf.Grouped(), "Nonreciprocal": sf.Nonreciprocal()}


def _publish(name: str, method: str, n: int, out: Any) -> None:
    baskets = _data(name, n)
    started = time.perf_counter()
    release = sf.publish(baskets, METHODS[method], sf.KAnonymity(K), seed=1)
    taken = time.perf_counter() - started
    assert release.verdict.holds
    del release
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
    before = _kilobytes("VmRSS")
    sf.publish(baskets, METHODS[method], sf.KAnonymity(K), seed=1)
    extra = (_kilobytes("VmHWM") - before) * 1024
    out.send((taken, extra, len(baskets), len(baskets.ids), baskets.n_items))


def whole(n: int) -> list[dict[str, Any]]:
    """Publishing, verified, and the peak of memory over what was there before."""
    result = []
    for (name, target), method in product(TARGETS.items(), METHODS):
        with tempfile.TemporaryDirectory() as folder:
            kept, os.environ["NUMBA_CACHE_DIR"] = os.environ.get("NUMBA_CACHE_DIR"), folder
            times = []
            for _ in range(2):
                ours, theirs = multiprocessing.get_context("spawn").Pipe()
                process = multiprocessing.get_context("spawn").Process(target=_publish, args=(name, method, n, theirs))
                process.start()
                taken, extra, records, present, items = ours.recv()
                process.join()
                times.append(taken)
            if kept is None:
                del os.environ["NUMBA_CACHE_DIR"]
            else:
                os.environ["NUMBA_CACHE_DIR"] = kept
        result.append({
            "data": name, "method": method, "records": records, "items": items, "items present": present, "k": K,
            "seconds": times[1],
            "seconds, compiling": times[0], "asked": target, "peak, MB": extra / 1e6,
            "peak, bytes for an item present": extra / present,
            "peak, bytes for an edge": extra / (K * records),
        })  # fmt: skip
        print(result[-1], flush=True)
    return result


# -- pieces ----------------------------------------------------------------------------------------------------------
def walks(sizes: list[int]) -> dict[str, Any]:
    """Assignments of growing rings, and the power of n that the time goes with."""
    found: dict[str, Any] = {"k": K, "asked": 1.15}
    for name, draw in (
        ("ours", random_assignments),
        ("closed walks", closed_walks),
        ("with steps back", wmc_assignments),
    ):
        few = [n for n in sizes if name == "ours" or n <= 100_000]  # the others take minutes
        taken = {n: seconds(lambda n=n, d=draw: d(n, K, Randomness(1)), 3 if n < 200_000 else 1) for n in few}
        power = float(np.polyfit([math.log(n) for n in taken], [math.log(s) for s in taken.values()], 1)[0])
        found[name] = {"seconds": taken, "power": power}
    return found


def hamming(n: int) -> list[dict[str, Any]]:
    """Distances a second, and the bytes that are compared, beside those that numpy copies."""
    large = np.zeros(1 << 25, dtype=np.uint64)
    target = np.empty_like(large)
    copied = large.nbytes / seconds(lambda: np.copyto(target, large), 5)
    result = []
    for name in ("like pumsb", "bms_webview1"):
        records = pack(_data(name, n))
        size = len(records[1]) - 1
        at = np.arange(2_000_000)
        anywhere = Randomness(1).integers(size, size=2 * len(at)).reshape(2, -1)
        pairs = {"side by side": (at % size, (at + 1) % size), "anywhere": (anywhere[0], anywhere[1])}
        for how, (first, second) in pairs.items():
            taken = seconds(lambda r=records, a=first, b=second: distances(r, a, b), 3)
            read_bytes = 2 * records[0].shape[1] * 8 * len(at) / taken
            result.append({"data": name, "pairs": how, "words": records[0].shape[1], "bit for each item": records[3],
                           "distances a second": len(at) / taken, "bytes a second": read_bytes,
                           "bytes a second, copied": copied, "ratio": read_bytes / copied})  # fmt: skip
    return result


# -- orders ----------------------------------------------------------------------------------------------------------
def error_rate(baskets: sf.Baskets, order: NDArray[np.int64]) -> float:
    """The share of bits turned round, expected over the draw."""
    edges = Edges.of_ring(order, K)
    base = vote_edges(baskets, edges, Randomness("ties")).base
    own, theirs = baskets.to_scipy().astype(np.int32), base.to_scipy().astype(np.int32)
    off = np.zeros(len(order))
    for s in range(K):
        rows = edges.rows[s::K]
        common = np.asarray(own[rows].multiply(theirs).sum(axis=1)).ravel()
        off += (baskets.sizes[rows] + base.sizes - 2 * common) / np.maximum(baskets.sizes[rows], 1)
    return float(off.mean() / K)


def tour(baskets: sf.Baskets) -> NDArray[np.int64] | None:
    """The shortest way round by LKH, or None where it is not installed."""
    try:
        import elkai  # type: ignore[import-not-found]
    except ImportError:
        return None
    dense = baskets.to_scipy().astype(np.int32).toarray()
    sizes = dense.sum(axis=1)
    apart = sizes[:, None] + sizes[None, :] - 2 * dense @ dense.T
    return np.array(elkai.DistanceMatrix(apart.tolist()).solve_tsp(1)[:-1], dtype=np.int64)


def orders(few: int, names: list[str]) -> list[dict[str, Any]]:
    """What each order pays at lag 1 and at all lags below k, the error rate of its ring, and its processor time."""
    result = []
    warm = made(500)
    for known in (Gray(), GrayTSP(), Windowed()):
        known.order(warm, K, Randomness(1))
    for name in names:
        given = read(name)
        sets = {f"{name}, {few} records": given.rows(np.sort(Randomness("sample").permutation(len(given))[:few])),
                name: given}  # fmt: skip
        for said, baskets in sets.items():
            least, most = (300, 350) if "pumsb" in name else (100, 150)
            by: dict[str, Order] = {"Gray": Gray(), "Gray-TSP": GrayTSP(least=least, most=most), "windowed": Windowed()}
            laid = {}
            for order, made_by in by.items():
                started = time.process_time()
                laid[order] = (made_by.order(baskets, K, Randomness(1)), time.process_time() - started)
            if len(baskets) == few and name != "bms_webview1":  # there LKH did not end within minutes
                started = time.process_time()
                best = tour(baskets)
                if best is not None:
                    laid["LKH"] = (best, time.process_time() - started)
                else:
                    print(f"{said}: LKH left out, the package elkai is not installed", file=sys.stderr)
            for order, (rows, taken) in laid.items():
                n = len(baskets)
                result.append({
                    "data": said, "records": n, "k": K, "order": order, "step": windowed_sum(baskets, rows, 2) / n,
                    "paid": windowed_sum(baskets, rows, K) / (n * (K - 1)), "error rate": error_rate(baskets, rows),
                    "seconds": taken,
                })  # fmt: skip
                print(result[-1], flush=True)
    return result


def main() -> None:
    """Run everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--quick", action="store_true", help="smaller sizes")
    parser.add_argument("--busy", action="store_true", help="note that the machine had other work")
    given = parser.parse_args()
    if "SFUMATO_DATA" not in os.environ:
        sys.exit("set SFUMATO_DATA to the folder of the evaluation data")
    n = 5_000 if given.quick else 49_046
    names = ["chess"] if given.quick else ["chess", "pumsb_first4334", "bms_webview1"]
    found = rounded({
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(),
                    "times": "with other work" if given.busy else "quiet"},
        "publish": whole(n),
        "walks": walks([1_000, 10_000] if given.quick else [10_000, 30_000, 100_000, 300_000, 1_000_000]),
        "hamming": hamming(n),
        "orders": orders(300 if given.quick else 1_000, names),
    })  # fmt: skip
    print(json.dumps(found, indent=2))
    if given.json is not None:
        given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
