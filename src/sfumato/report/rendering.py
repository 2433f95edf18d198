"""`render`: a release, its verdict and its measures as one HTML page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, singledispatch
from typing import TYPE_CHECKING, Any, Literal

from sfumato.contracts.attack import Findings
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.figures import Measures
from sfumato.privacy.verdict import Verdict
from sfumato.published.baskets.baskets import BasketsShape
from sfumato.published.collection.reports import ReportsShape
from sfumato.published.graphs.graph import GraphShape
from sfumato.published.shape import Shape, shape_of
from sfumato.published.tables.noisy_counts import NoisyCountsShape
from sfumato.published.tables.table import TableShape
from sfumato.report.baskets_content import before_and_after_items, gather_baskets
from sfumato.report.charts import (
    PALETTE,
    belief_chart,
    bounds_chart,
    class_size_chart,
    comparison_chart,
    degree_chart,
    loss_chart,
    skip_validation,
    threats_chart,
    value_chart,
)
from sfumato.report.content import Content, gather
from sfumato.report.counts_content import gather_counts, gather_counts_for_owner
from sfumato.report.graphs_content import GraphContent, gather_graph, share_of
from sfumato.report.graphs_owners import GraphOwners, gather_graph_for_owner
from sfumato.report.identity import NOBODY, Identity
from sfumato.report.owners import OwnersPart, gather_for_owner
from sfumato.report.published_counts import PublishedCounts
from sfumato.report.reports_content import gather_reports
from sfumato.report.threats_content import threats_shown
from sfumato.report.wording import capital

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["render"]

Audience = Literal["public", "owner"]


def render(
    release: Release,
    verdict: Verdict,
    measures: Measures,
    *,
    audience: Audience,
    original: Table | Baskets | Graph | None,
    identity: Identity = NOBODY,
    panel: Findings[Any] | None = None,
) -> str:
    """One HTML page without scripts or anything fetched from elsewhere; the same input gives the same bytes.

    For the `public` audience the page says nothing that the release does not say already: the `original` and what
    the owner keeps are not looked at. For the `owner` it adds the original beside the release, and the `panel` of
    what attacks achieved. At the head is what the owner says the release is: its `identity`.
    """
    if audience == "owner" and original is None and release.owner is not None:
        original = release.owner.original
    asked = _Asked(release, verdict, measures, identity)
    if audience == "owner":
        asked = replace(asked, owner=True, original=original, panel=panel)
    with skip_validation():
        page: str = _page(shape_of(release), asked)
    return page


@dataclass(frozen=True, eq=False)
class _Asked:
    """What a page is made of; the original and the panel are there for the owner alone."""

    release: Release
    verdict: Verdict
    measures: Measures
    identity: Identity
    owner: bool = False
    original: Any = None
    panel: Findings[Any] | None = None

    def page(self, template: str, **parts: Any) -> str:
        page: str = _template(template).render(
            identity=self.identity, audience="owner" if self.owner else "public", palette=PALETTE, **parts
        )
        return page


@singledispatch
def _page(shape: Shape, asked: _Asked) -> str:
    """The page of a release."""
    raise TypeError(f"there is no page for {shape.name}")


@_page.register(TableShape)
def _(shape: TableShape, asked: _Asked) -> str:
    content = gather(asked.release, asked.verdict, asked.measures)
    owners = gather_for_owner(asked.release, asked.original, asked.measures) if asked.owner else None
    beside = _comparisons(owners)
    charts = _charts(content)
    charts["shown"] = [] if beside else _published(content.shown)
    threats = threats_shown(asked.panel)
    if threats is not None:
        charts["threats"] = _markup(threats_chart(threats.threats, title="How far attacks got, with the release"))
    return asked.page("page", content=content, owners=owners, charts=charts, comparisons=beside, threats=threats)


@_page.register(BasketsShape)
def _(shape: BasketsShape, asked: _Asked) -> str:
    content = gather_baskets(asked.release, asked.verdict, asked.measures)
    charts: dict[str, Any] = {"marked": None, "labels": None}
    charts["bounds"] = _markup(bounds_chart(content.items, title="Bounds on how many records have an item"))
    if content.marked is not None:
        charts["marked"] = _markup(
            value_chart(content.marked, title="How many items are marked in a record", unit="records")
        )
    if content.labels is not None:
        charts["labels"] = _markup(value_chart(content.labels, title="Labels of the published records", unit="records"))
    owners = before_and_after_items(shape.data, asked.original) if asked.original is not None else None
    if owners is not None:
        charts["beside"] = _markup(
            comparison_chart(owners, title="Records that have an item, before and after", unit="records")
        )
    return asked.page("baskets", content=content, owners=owners, charts=charts)


@_page.register(GraphShape)
def _(shape: GraphShape, asked: _Asked) -> str:
    content = gather_graph(asked.release, asked.verdict)
    owners = gather_graph_for_owner(asked.release, content, asked.original, asked.measures) if asked.owner else None
    return asked.page("graphs", content=content, owners=owners, charts=_graph_charts(content, owners))


@_page.register(ReportsShape)
def _(shape: ReportsShape, asked: _Asked) -> str:
    return asked.page("reports", content=gather_reports(asked.release, asked.verdict), owners=None)


@_page.register(NoisyCountsShape)
def _(shape: NoisyCountsShape, asked: _Asked) -> str:
    content = gather_counts(shape, asked.verdict, asked.measures, asked.original)
    owners = gather_counts_for_owner(shape, asked.measures) if asked.original is not None else None
    charts = [_markup(bounds_chart(each.cells, title=f"Counts by {each.name}")) for each in content.marginals]
    return asked.page("counts", content=content, owners=owners, charts=charts)


def _markup(svg: str) -> Any:
    """A drawing that is put into the page as it is."""
    from markupsafe import Markup

    return Markup(svg)


def _graph_charts(content: GraphContent, owners: GraphOwners | None) -> dict[str, Any]:
    drawn: dict[str, Any] = {"degrees": None, "belief": None}
    true = owners.true_degrees if owners is not None else None
    if content.seen or content.estimated or true:
        title = "Vertices by the number of their neighbours, on logarithmic scales"
        drawn["degrees"] = _markup(degree_chart(content.seen, content.estimated, true, title=title))
    if content.curves is not None:
        title = "How likely two people are joined, before and after seeing how they are published"
        drawn["belief"] = _markup(belief_chart(content.curves, title=title))
    return drawn


def _charts(content: Content) -> dict[str, Any]:
    drawn: dict[str, Any] = {"sizes": None, "losses": None, "sensitive": []}
    if content.class_sizes is not None:
        title = f"Distribution of {content.noun} sizes: {content.sizes_in_words}"
        drawn["sizes"] = _markup(class_size_chart(content.class_sizes, content.k, title=title, noun=content.noun))
    if content.losses.labels:
        word, axis = ("Change", "average change") if content.substituted else ("Loss", "lost (NCP)")
        drawn["losses"] = _markup(loss_chart(content.losses, title=f"{word} per column, largest first", axis=axis))
    for name, counts in content.sensitive:
        if counts.after is not None:
            svg = comparison_chart(counts, title=f"{name}: the target, and what is published")
        else:
            svg = value_chart(counts, title=f"Distribution of {name} in the published rows")
        drawn["sensitive"].append((name, counts, _markup(svg)))
    drawn["plain"] = _published(content.plain)
    return drawn


def _published(columns: Sequence[PublishedCounts]) -> list[tuple[PublishedCounts, Any]]:
    """Columns as published, drawn."""
    return [
        (each, _markup(value_chart(each.counts, title=f"Distribution of {each.name} in the published rows")))
        for each in columns
    ]


def _comparisons(owners: OwnersPart | None) -> list[tuple[str, Any, Any]]:
    if owners is None:
        return []
    return [
        (name, counts, _markup(comparison_chart(counts, title=f"{name} before and after")))
        for name, counts in owners.comparisons
    ]


@cache
def _template(name: str) -> Any:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("sfumato.report", "."), autoescape=True, trim_blocks=True, lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )  # fmt: skip
    environment.filters["thousands"] = lambda number: f"{number:,.0f}"
    environment.filters["percent"] = lambda share: f"{100 * share:.1f}%"
    environment.filters["share"] = share_of
    environment.filters["capital"] = capital
    environment.filters["ended"] = lambda text: text + ("" if text.endswith((".", "?", "!")) else ".")
    environment.filters["sentence"] = lambda text: capital(environment.filters["ended"](text))
    return environment.get_template(f"{name}.html.jinja")
