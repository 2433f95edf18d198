"""Tables 4.1 to 4.3: what can be worked out without a graph."""

from __future__ import annotations

import math

import numpy as np
from scipy.stats import hypergeom

from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.formulas import few_mismatches
from benchmarks.reproduce.graphs.settings import Scale
from sfumato.graphs.attacks.structural import log_choices, log_ratio, posterior, structural_risk
from sfumato.graphs.flip_rate import FlipRates
from sfumato.graphs.risk.choosing_mu import backbone_survives, interval_coverage

__all__ = ["figure_141", "figure_142", "figure_143", "printed_lambda"]

_TABLE_41 = {
    (1e-4, 10): 0.9991, (1e-4, 20): 0.9981, (1e-4, 30): 0.9971, (1e-3, 10): 0.9910, (1e-3, 20): 0.9812,
    (1e-3, 30): 0.9714, (1e-2, 10): 0.9135, (1e-2, 20): 0.8262, (1e-2, 30): 0.7472,
}  # fmt: skip
_TABLE_42 = {
    (1e-3, 0): (0.3670, 5.9643e-6), (1e-3, 2): (0.9814, 0.7983), (1e-3, 4): (0.9994, 0.9931),
    (1e-2, 0): (0.1246, 1.3935e-11), (1e-2, 4): (0.8488, 0.1399), (1e-2, 8): (0.9927, 0.9158),
}  # fmt: skip
_TABLE_43 = {
    (1e-4, 0): (1, 0.9955), (1e-4, 5): (1, 1), (1e-4, 10): (1, 1), (1e-3, 0): (1, 0.9559), (1e-3, 5): (1, 1),
    (1e-3, 10): (0.0031, 1),
}  # fmt: skip
N, DEGREE, ACCOUNTS = 10_000, 50, 12
K, DENSITY = 10, 1e-3
_PAIRS = K * (K - 1) // 2
_PLANTED = K - 1 + round((_PAIRS - K + 1) / 2)


def _digits(value: float, printed: float) -> bool:
    """Whether a value reads as printed, to four digits after the point or in all."""
    return f"{value:.4f}" == f"{printed:.4f}" if printed > 1e-3 else f"{value:.4e}" == f"{printed:.4e}"


def figure_141(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Whether a path survives."""
    rows = rows or [
        {"mu": mu, "k": k, "survives": backbone_survives(mu, k), "printed": printed}
        for (mu, k), printed in _TABLE_41.items()
    ]
    same = sum(_digits(row["survives"], row["printed"]) for row in rows)
    claims = [Claim(paper="the table, digit by digit", holds=same == len(rows), seen=f"{same} of {len(rows)} values")]
    panels = [Panel(title="the path survives", x="mu", y="survives", lines={
        f"k = {k}": {"k": k} for k in (10, 20, 30)})]  # fmt: skip
    return Figure(number=141, title="whether a path survives (Table 4.1)", setting="(1 - mu)^(k - 1)",
                  rows=rows, panels=panels, claims=claims)  # fmt: skip


def figure_142(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Whether degrees fall in their intervals."""
    if rows is None:
        rows = []
        for mu in (1e-4, 1e-3, 1e-2):
            for w in range(41):
                one = interval_coverage(N, DEGREE, mu, w)
                rows.append({"mu": mu, "w": w, "one": one, "all": one**ACCOUNTS})
    one = {mu: line(rows, "w", "one", mu=mu) for mu in (1e-4, 1e-3, 1e-2)}
    every = {mu: line(rows, "w", "all", mu=mu) for mu in (1e-4, 1e-3, 1e-2)}
    as_printed = sum(_digits(one[mu][w], p) for (mu, w), (p, _) in _TABLE_42.items())
    tenth = sum(abs(one[mu / 10][w] - p) < 1.5e-4 for (mu, w), (p, _) in _TABLE_42.items())
    products = sum(_digits(every[mu / 10][w], p) for (mu, w), (_, p) in _TABLE_42.items())
    wide = {mu: min(w for w, p in every[mu].items() if p > 0.9) for mu in every}
    claims = [
        Claim(paper="the table, for the mu that it tells", holds=as_printed == len(_TABLE_42),
              seen=f"{as_printed} of {len(_TABLE_42)} values; at mu = 0.001 {one[1e-3][0]:.4f}, {one[1e-3][2]:.4f} and "
              f"{one[1e-3][4]:.4f} for w = 0, 2 and 4 instead of 0.3670, 0.9814 and 0.9994, and at 0.01 "
              f"{one[1e-2][0]:.4f}, {one[1e-2][4]:.4f} and {one[1e-2][8]:.4f} for 0, 4 and 8 instead of 0.1246, 0.8488 "
              f"and 0.9927",
              why="its values are those of a mu ten times smaller"),
        Claim(paper="they are those of a mu ten times smaller", holds=tenth == len(_TABLE_42), ours=True,
              seen=f"{tenth} of {len(_TABLE_42)} probabilities of one account, to one unit of the last digit, and "
              f"{products} of {len(_TABLE_42)} of all twelve; {every[1e-3][4]:.4f} and {every[1e-3][8]:.4f}, printed "
              "0.1399 and 0.9158, were rounded before the twelfth power"),
        Claim(paper="at mu = 0.001 and w = 4 it is almost sure that all accounts pass the check",
              holds=every[1e-3][4] > 0.9,
              seen=f"with probability {every[1e-3][4]:.3f}; w = {wide[1e-3]} is needed for 0.9, and {wide[1e-2]} at "
              "mu = 0.01",
              why="the same"),
    ]  # fmt: skip
    panels = [
        Panel(title="one account passes", x="w", y="one", lines={f"mu = {mu:g}": {"mu": mu} for mu in one}),
        Panel(title="all twelve pass", x="w", y="all", lines={f"mu = {mu:g}": {"mu": mu} for mu in one}),
    ]
    return Figure(number=142, title="degrees in their intervals (Table 4.2)",
                  setting=f"N = {N:,}, accounts of {DEGREE} neighbours, {ACCOUNTS} of them",
                  rows=rows, panels=panels, claims=claims)  # fmt: skip


def printed_lambda(mu: float, mismatches: int) -> float:
    """Eq. 4.30."""
    log = (mismatches - _PAIRS / 2) * (math.log(mu) - math.log1p(-mu)) - log_choices(N, K)
    return math.exp(min(log, 0.0))


def _believed(mu: float, mismatches: int) -> float:
    """How probable the right choice is after so many mismatches, on average over which pairs they are."""
    published = FlipRates(mu, mu).density(DENSITY)
    lost = np.arange(mismatches + 1)
    chances = hypergeom(_PAIRS, _PLANTED, mismatches).pmf(lost)
    seen = log_ratio(mu, published, _PAIRS, np.full(len(lost), float(mismatches)), _PLANTED - 2.0 * lost + mismatches)
    return float((chances * posterior(seen, N, K)).sum())


def figure_143(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """What an adversary without limits believes."""
    if rows is None:
        rows = []
        for mu in (1e-4, 1e-3, 1e-2, 5e-2):
            mean = structural_risk(N, K, mu, DENSITY).mean
            for m in range(16):
                rows.append({
                    "mu": mu, "m": m, "printed": printed_lambda(mu, m), "believed": _believed(mu, m),
                    "at_most": few_mismatches(K, mu, m), "mean": mean,
                })  # fmt: skip
    printed, right = ({mu: line(rows, "m", y, mu=mu) for mu in (1e-4, 1e-3, 1e-2, 5e-2)}
                      for y in ("printed", "believed"))  # fmt: skip
    at_most = {mu: line(rows, "m", "at_most", mu=mu) for mu in printed}
    mean = {row["mu"]: row["mean"] for row in rows}
    same = sum(_digits(printed[mu][m], p) for (mu, m), (p, _) in _TABLE_43.items())
    counted = sum(abs(at_most[mu][m] - p) < 2e-4 for (mu, m), (_, p) in _TABLE_43.items())
    told = ", ".join(f"{right[mu][m]:.3g} at ({mu:g}, {m})" for mu, m in _TABLE_43)
    claims = [
        Claim(paper="the table, by Eq. 4.30 and 4.31", holds=same == counted == len(_TABLE_43),
              seen=f"{same} of {len(_TABLE_43)} lambdas, {printed[1e-3][10]:.4f} the last, and {counted} of "
              f"{len(_TABLE_43)} probabilities ({at_most[1e-3][0]:.4f}, printed 0.9559)"),
        Claim(paper="lambda approaches 1 unless both mu and the number of errors are high",
              holds=all(right[mu][m] > 0.9 for mu, m in _TABLE_43 if (mu, m) != (1e-3, 10)),
              seen=f"the probability of the right choice is {told}, by (mu, errors)",
              why="Eq. 4.30 puts the likelihood at the mean number of errors for the mean likelihood, as if half of "
              "all pairs were joined, and Theorem 4.5.1 leaves out how likely what is seen is among others"),
        Claim(paper="on average over the flips, an adversary without limits finds ten accounts at mu up to 0.001",
              holds=min(mean[1e-4], mean[1e-3]) > 0.9, ours=True,
              seen=", ".join(f"{each:.3g} at {mu:g}" for mu, each in mean.items())),
    ]  # fmt: skip
    panels = [
        Panel(title="Eq. 4.30 as printed", x="m", y="printed", lines={f"mu = {mu:g}": {"mu": mu} for mu in printed}),
        Panel(title="probability of the right choice", x="m", y="believed", lines={
            f"mu = {mu:g}": {"mu": mu} for mu in printed}),
    ]  # fmt: skip
    return Figure(
        number=143, title="the right choice of vertices (Table 4.3)",
        setting=f"N = {N:,}, {K} accounts with {_PLANTED} edges among them, density {DENSITY:g}",
        rows=rows, panels=panels, claims=claims,
    )  # fmt: skip
