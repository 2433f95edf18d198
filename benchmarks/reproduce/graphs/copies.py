"""Figure 3, ours: somebody with another copy of the network."""

from __future__ import annotations

from benchmarks.reproduce.distribution.results import Figure, Panel, line
from benchmarks.reproduce.figures import Claim, Row
from benchmarks.reproduce.graphs.settings import Scale, graph_of
from sfumato.graphs.attacks.known_graph import KnownGraphAttack
from sfumato.graphs.edge_perturbation import EdgePerturbation
from sfumato.verbs.attack import attack
from sfumato.verbs.publish import publish

__all__ = ["figure_3"]

MUS = (1e-4, 1e-3, 1e-2, 5e-2)
OVERLAPS = (1.0, 0.8, 0.5)
SEEDS = 20


def _rows(scale: Scale) -> list[Row]:
    rows: list[Row] = []
    for name in (scale.wiki, scale.coauthors):
        graph = graph_of(name)
        for mu in MUS:
            release = publish(graph, EdgePerturbation(mu), seed=f"copy {mu}")
            for overlap in OVERLAPS:
                found = attack(release, KnownGraphAttack(overlap=overlap, seeds=SEEDS), graph)
                shares = {key: found[key].value for key in ("found", "found_busy", "mistaken") if key in found}
                rows.append({"data": name, "mu": mu, "overlap": f"{overlap:.0%} of the edges"} | shares)
    return rows


def figure_3(scale: Scale, rows: list[Row] | None = None) -> Figure:
    """How many people are named."""
    rows = _rows(scale) if rows is None else rows
    names, held = (scale.wiki, scale.coauthors), [f"{overlap:.0%} of the edges" for overlap in OVERLAPS]
    claims = []
    for name in names:
        told = {which: line(rows, "mu", "found_busy", data=name, overlap=which) for which in held}
        wrong = max(row["mistaken"] for row in rows if row["data"] == name)
        said = "; ".join(f"{which}: " + ", ".join(f"{share:.1%} at {mu:g}" for mu, share in sorted(shares.items()))
                         for which, shares in told.items())  # fmt: skip
        claims.append(Claim(
            paper=f"{name}: a mu of 0.01 hides most people from somebody with a copy of the network", ours=True,
            holds=told[held[0]][1e-2] < 0.5,
            seen=f"of people with five neighbours or more are found, with {said}; {wrong:.1%} are mistaken at most",
            why="whom somebody is joined to says who they are, and most of it is still there",
        ))  # fmt: skip
    panels = [Panel(title=f"people found, {name}", x="mu", y="found_busy", lines={
        which: {"data": name, "overlap": which} for which in held}) for name in names]  # fmt: skip
    return Figure(number=3, title="somebody with another copy of the network (ours)",
                  setting=f"KnownGraphAttack, which knows the {SEEDS} people of most neighbours in the release; one "
                  f"publication for each mu; of the others those with five neighbours or more",
                  rows=rows, panels=panels, claims=claims)  # fmt: skip
