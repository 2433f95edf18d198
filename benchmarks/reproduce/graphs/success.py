"""Figures 4.4 and 4.5: how often attacks by planted accounts succeed."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Mapping
from typing import Any

from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.settings import Scale, graph_of, size_of
from benchmarks.reproduce.graphs.trials import every_trial, share, succeeded, trials_of
from sfumato.graphs.attacks.planted import IntervalWalkAttack, StructuralAttack, WalkBasedAttack

__all__ = ["INTERVAL", "STRUCTURAL", "WALK", "figure_44", "figure_45", "success_of", "undisturbed"]

WALK, INTERVAL, STRUCTURAL, CLOSED = "walk-based", "interval-walk", "structural", "closed form"
VICTIMS = {20: 100, 25: 157, 30: 225}
WIDTHS, ERRORS = (3, 4, 5), (0, 2)
_LOW, _ALMOST = 0.1, 0.95


def _victims(k: int) -> int:
    return VICTIMS.get(k, math.ceil(k * k / 4))


def undisturbed(n: int, k: int, mu: float) -> float:
    """The probability that no pair flips that has one of k accounts in it, beside n others."""
    return math.exp((k * n + k * (k - 1) / 2) * math.log1p(-mu))


def _walked(name: str, scale: Scale, *, only_walk: bool = False) -> list[Row]:
    graph, rows = graph_of(name), []
    for k in scale.ks:
        said = {"accounts": k, "victims": _victims(k)}
        kinds: list[Row] = [{"attack": WALK}]
        attacks: list[Any] = [WalkBasedAttack(**said)]
        if not only_walk:
            kinds += [{"attack": INTERVAL, "w": w, "m": m} for m in ERRORS for w in WIDTHS]
            attacks += [IntervalWalkAttack(**said, width=w, errors=m) for m in ERRORS for w in WIDTHS]
        for mu in scale.mus[name]:

            def one(number: int, k: int = k, mu: float = mu, attacks: list[Any] = attacks) -> list[bool]:
                return [succeeded(each) for each in trials_of(graph, mu, attacks, f"{name} {k} {mu} {number}")]

            tried = every_trial(scale.tried(mu), one)
            at = {"data": name, "k": k, "mu": mu}
            rows += [at | kind | share(hits) for kind, hits in zip(kinds, zip(*tried, strict=True), strict=True)]
            rows.append(at | {"attack": CLOSED, "success": undisturbed(len(graph), k, mu)})
    return rows


def _structural(name: str, scale: Scale) -> list[Row]:
    graph, rows = graph_of(name), []
    for k, times in scale.structural_trials.items():
        attack = StructuralAttack(accounts=k, victims=_victims(k))
        for mu in scale.structural[name]:

            def one(number: int, k: int = k, mu: float = mu, attack: StructuralAttack = attack) -> bool:
                return succeeded(trials_of(graph, mu, [attack], f"{name} {k} {mu} {number}")[0])

            rows.append(
                {"data": name, "k": k, "mu": mu, "attack": STRUCTURAL}
                | share(every_trial(times if mu <= 1e-2 else max(times // 2, 2), one))
            )
    return rows


@functools.lru_cache(maxsize=4)
def _kept(name: str, size: str) -> list[Row]:
    """What was found already, by graph and the name of the scale."""
    return []


def success_of(name: str, scale: Scale) -> list[Row]:
    """All attacks on a graph; they are run once."""
    rows = _kept(name, scale.name)
    if not rows:
        rows += _walked(name, scale) + _structural(name, scale)
    return rows


# -- what is said of it ------------------------------------------------------------------------------------------------
def _shares(values: Mapping[Any, float]) -> str:
    return ", ".join(f"{value:.0%} at {mu:g}" for mu, value in sorted(values.items()))


def _falls_with_k(rows: list[Row], scale: Scale, name: str, where: Iterable[Mapping[str, Any]]) -> tuple[bool, str]:
    """Whether the mean over mu and over ways falls with k."""
    found = {}
    for k in scale.ks:
        each = [p for way in where for mu, p in line(rows, "mu", "success", data=name, k=k, **way).items() if mu]
        found[k] = sum(each) / len(each)
    falls = all(found[a] > found[b] for a, b in itertools.pairwise(scale.ks))
    return falls, ", ".join(f"{found[k]:.3f} at k = {k}" for k in scale.ks) + ", means over mu above 0"


def _claims(rows: list[Row], scale: Scale, name: str) -> list[Claim]:
    (n, _), few, many = size_of(name), scale.ks[0], scale.ks[-1]

    def of(attack: str, k: int, **where: Any) -> dict[Any, float]:
        return line(rows, "mu", "success", data=name, attack=attack, k=k, **where)

    ways = [{"attack": INTERVAL, "w": w, "m": 0} for w in WIDTHS]
    start = [of(WALK, k)[0.0] for k in scale.ks]
    drawn = [row for row in rows if row["attack"] == WALK and row["data"] == name]
    inside = sum(row["low"] <= undisturbed(n, row["k"], row["mu"]) <= row["high"] for row in drawn)
    at_small = {k: of(WALK, k)[1e-6] for k in scale.ks}
    gone = next((mu for mu, p in sorted(of(WALK, few).items()) if mu and p < _LOW), None)
    at_1e4 = {(k, w): of(INTERVAL, k, w=w, m=0)[1e-4] for k in scale.ks for w in WIDTHS}
    wider = [(of(INTERVAL, k, w=a, m=m), of(INTERVAL, k, w=b, m=m))
             for k in scale.ks for m in ERRORS for a, b in itertools.pairwise(WIDTHS)]  # fmt: skip
    rises = all(one[mu] <= other[mu] for one, other in wider for mu in one)
    top = max(scale.mus[name])
    last = [of(INTERVAL, k, w=w, m=0)[top] for k in scale.ks for w in WIDTHS]
    falls_walk, seen_walk = _falls_with_k(rows, scale, name, [{"attack": WALK}])
    falls, seen = _falls_with_k(rows, scale, name, ways)
    most, strict = of(INTERVAL, few, w=WIDTHS[-1], m=ERRORS[-1]), of(INTERVAL, few, w=WIDTHS[-1], m=0)
    any_way = of(STRUCTURAL, few)
    beyond = {mu: p for mu, p in any_way.items() if most.get(mu, 0.0) < _LOW and p >= 0.5}
    return [
        Claim(paper="without flips all walk-based attacks succeed", holds=min(start) == 1,
              seen=f"{min(start):.1%} to {max(start):.1%} by k"),
        Claim(paper="walk-based attacks drop to very low rates at mu of 1e-7 to 1e-6",
              holds=max(at_small.values()) < _LOW,
              seen=f"at 1e-6 {', '.join(f'{p:.0%} (k = {k})' for k, p in at_small.items())}; with k = {few} below 10% "
              f"first at {f'{gone:g}' if gone else 'none of those tried'}: {_shares(of(WALK, few))}",
              why=f"the attack needs that none of about k N pairs flips, which has probability exp(-mu k N): "
              f"{undisturbed(n, few, 1e-6):.2f} at 1e-6 with k = {few}, {undisturbed(n, many, 1e-6):.2f} with {many}; "
              f"10% takes a mu of {math.log(10) / (few * n):.1g} with k = {few} and N = {n:,}"),
        Claim(paper="walk-based attacks succeed as often as no pair of an account flips", ours=True,
              holds=inside >= 0.85 * len(drawn),
              seen=f"(1 - mu)^(kN + k(k-1)/2) lies in the 95% interval of {inside} of {len(drawn)} shares measured"),
        Claim(paper="they succeed less often with more accounts", holds=falls_walk, seen=seen_walk,
              why="in closed form they do; so few trials do not tell it apart"),
        Claim(paper="interval-walk attacks succeed in almost all cases at mu = 1e-4",
              holds=min(at_1e4.values()) >= _ALMOST,
              seen="; ".join(f"w = {w}: {', '.join(f'{at_1e4[k, w]:.1%}' for k in scale.ks)} for k = "
                             f"{', '.join(map(str, scale.ks))}" for w in WIDTHS),
              why="a flip among the accounts themselves fails the check of edges, which has probability "
              f"{1 - math.exp(-1e-4 * few * (few - 1) / 2):.1%} with k = {few} and "
              f"{1 - math.exp(-1e-4 * many * (many - 1) / 2):.1%} with {many}, and degrees leave their intervals, "
              f"whose noise has a spread of {math.sqrt(n * 1e-4):.2g}"),
        Claim(paper="success rises with w", holds=rises,
              seen=f"at every mu and k; at mu = 1e-3 with k = {few} and no errors "
              + ", ".join(f"{of(INTERVAL, few, w=w, m=0)[1e-3]:.0%}" for w in WIDTHS)
              + f" for w = {', '.join(map(str, WIDTHS))}"),
        Claim(paper="it swiftly drops as mu grows", holds=max(last) < _LOW,
              seen=f"at most {max(last):.0%} at {top:g}; with w = {WIDTHS[-1]} and k = {few} {_shares(strict)}"),
        Claim(paper="and it falls with more accounts", holds=falls, seen=seen),
        Claim(paper=f"to allow {ERRORS[-1]} errors helps", ours=True,
              holds=all(most[mu] >= strict[mu] for mu in most) and sum(most.values()) > sum(strict.values()),
              seen=f"w = {WIDTHS[-1]}, k = {few}: {_shares(most)}"),
        Claim(paper="the structural attack succeeds where walks along a path no longer do", holds=bool(beyond),
              ours=True, seen=f"k = {few}: {_shares(any_way)}, where interval-walk with w = {WIDTHS[-1]} and "
              f"{ERRORS[-1]} errors has {_shares({mu: p for mu, p in most.items() if mu >= 3e-4})}"),
    ]  # fmt: skip


def _panels(scale: Scale, name: str) -> list[Panel]:
    def by_k(**where: Any) -> dict[str, dict[str, Any]]:
        return {f"k = {k}": {"data": name, "k": k, **where} for k in scale.ks}

    closed = {f"k = {k}, closed form": {"data": name, "k": k, "attack": CLOSED} for k in scale.ks}
    panels = [Panel(title="walk-based", x="mu", y="success", lines=by_k(attack=WALK) | closed)]
    for w in WIDTHS:
        lines = by_k(attack=INTERVAL, w=w, m=0)
        lines |= {f"{k}, {ERRORS[-1]} errors": at | {"m": ERRORS[-1]} for k, at in lines.items()}
        panels.append(Panel(title=f"interval-walk, w = {w}", x="mu", y="success", lines=lines))
    lines = {f"k = {k}": {"data": name, "k": k, "attack": STRUCTURAL} for k in scale.structural_trials}
    return [*panels, Panel(title="structural, ours", x="mu", y="success", lines=lines)]


def _setting(scale: Scale, name: str) -> str:
    vertices, edges = size_of(name)
    few = ", ".join(f"{times} (k = {k})" for k, times in scale.structural_trials.items())
    return (
        f"{name}: {vertices:,} vertices, {edges:,} edges; {scale.trials} publications for each mu up to "
        f"0.0003, {scale.tried(1e-3)} at 0.001, {scale.tried(3e-3)} at 0.003 and {scale.tried(1e-2)} above, the same "
        f"for all walks; structural attacks on {few}, half of it above 0.01; bars are 95% intervals"
    )


def figure_44(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Co-authors."""
    name = scale.coauthors
    rows = list(success_of(name, scale)) if rows is None else rows
    return Figure(number=44, title="success on co-authors (Figure 4.4)", setting=_setting(scale, name), rows=rows,
                  panels=_panels(scale, name), claims=_claims(rows, scale, name))  # fmt: skip


def figure_45(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """Enron, and walk-based attacks on the whole of it."""
    name, whole = scale.enron, scale.whole
    if rows is None:
        rows = [*success_of(name, scale), *_walked(whole, scale, only_walk=True)]
    (n, _), few = size_of(whole), scale.ks[0]
    found = {k: line(rows, "mu", "success", data=whole, attack=WALK, k=k) for k in scale.ks}
    claims = _claims(rows, scale, name)
    claims.append(Claim(
        paper=f"on the whole graph of {n:,} accounts walk-based attacks are at very low rates at mu = 1e-6",
        holds=max(each[1e-6] for each in found.values()) < _LOW,
        seen=f"k = {few}: {_shares(found[few])}; k = {scale.ks[-1]}: {_shares(found[scale.ks[-1]])}",
        why=f"the same: {undisturbed(n, few, 1e-6):.2f} at 1e-6 with k = {few}, and {undisturbed(n, few, 1e-5):.2g} at "
        "1e-5",
    ))  # fmt: skip
    lines = {f"k = {k}": {"data": whole, "k": k, "attack": WALK} for k in scale.ks}
    lines |= {f"{k}, closed form": at | {"attack": CLOSED} for k, at in lines.items()}
    panels = [*_panels(scale, name), Panel(title="walk-based, the whole graph", x="mu", y="success", lines=lines)]
    return Figure(number=45, title="success on Enron (Figure 4.5)", setting=_setting(scale, name), rows=rows,
                  panels=panels, claims=claims)  # fmt: skip
