"""`render`: a release, its verdict and its measures as one HTML page."""

from __future__ import annotations

from functools import cache, singledispatch
from typing import TYPE_CHECKING, Any, Literal

from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.table import Table
from sfumato.ground.figures import Measures
from sfumato.privacy.verdict import Verdict
from sfumato.published.baskets.baskets import BasketsShape
from sfumato.published.graphs.graph import GraphShape
from sfumato.published.shape import Shape, shape_of
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
    value_chart,
)
from sfumato.report.content import Content, gather
from sfumato.report.graphs_content import GraphContent, gather_graph, share_of
from sfumato.report.graphs_owners import GraphOwners, gather_graph_for_owner
from sfumato.report.owners import OwnersPart, gather_for_owner
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
) -> str:
    """One HTML page without scripts or anything fetched from elsewhere; the same input gives the same bytes.

    For the `public` audience the page says nothing that the release does not say already: the `original` and what
    the owner keeps are not looked at. For the `owner` it adds the original beside the release.
    """
    if audience == "owner" and original is None and release.owner is not None:
        original = release.owner.original
    with skip_validation():
        page: str = _page(
            shape_of(release), release, verdict, measures, audience, original if audience == "owner" else None
        )
    return page


@singledispatch
def _page(
    shape: Shape, release: Release, verdict: Verdict, measures: Measures, audience: Audience, original: Any
) -> str:
    """The page of a release; the original is there for its owner alone."""
    raise TypeError(f"there is no page for {shape.name}")


@_page.register(TableShape)
def _(
    shape: TableShape, release: Release, verdict: Verdict, measures: Measures, audience: Audience, original: Any
) -> str:
    content = gather(release, verdict, measures)
    owners = gather_for_owner(release, original, measures) if audience == "owner" else None
    charts = _charts(content)
    page: str = _template("page").render(
        content=content, owners=owners, charts=charts, comparisons=_comparisons(owners), audience=audience,
        palette=PALETTE,
    )  # fmt: skip
    return page


@_page.register(BasketsShape)
def _(
    shape: BasketsShape, release: Release, verdict: Verdict, measures: Measures, audience: Audience, original: Any
) -> str:
    from markupsafe import Markup

    content = gather_baskets(release, verdict, measures)
    charts: dict[str, Any] = {"marked": None, "labels": None}
    charts["bounds"] = Markup(bounds_chart(content.items, title="Bounds on how many records have an item"))
    if content.marked is not None:
        charts["marked"] = Markup(
            value_chart(content.marked, title="How many items are marked in a record", unit="records")
        )
    if content.labels is not None:
        charts["labels"] = Markup(value_chart(content.labels, title="Labels of the published records", unit="records"))
    owners = before_and_after_items(shape.data, original) if original is not None else None
    if owners is not None:
        charts["beside"] = Markup(comparison_chart(owners, title="Records that have an item, before and after"))
    page: str = _template("baskets").render(
        content=content, owners=owners, charts=charts, audience=audience, palette=PALETTE
    )
    return page


@_page.register(GraphShape)
def _(
    shape: GraphShape, release: Release, verdict: Verdict, measures: Measures, audience: Audience, original: Any
) -> str:
    content = gather_graph(release, verdict)
    owners = None
    if audience == "owner":
        owners = gather_graph_for_owner(release, content, original, measures)
    page: str = _template("graphs").render(
        content=content, owners=owners, charts=_graph_charts(content, owners), audience=audience, palette=PALETTE
    )
    return page


def _graph_charts(content: GraphContent, owners: GraphOwners | None) -> dict[str, Any]:
    from markupsafe import Markup

    drawn: dict[str, Any] = {"degrees": None, "belief": None}
    true = owners.true_degrees if owners is not None else None
    if content.seen or content.estimated or true:
        title = "Vertices by the number of their neighbours, on logarithmic scales"
        drawn["degrees"] = Markup(degree_chart(content.seen, content.estimated, true, title=title))
    if content.curves is not None:
        title = "How likely two people are joined, before and after seeing how they are published"
        drawn["belief"] = Markup(belief_chart(content.curves, title=title))
    return drawn


def _charts(content: Content) -> dict[str, Any]:
    from markupsafe import Markup

    drawn: dict[str, Any] = {"sizes": None, "losses": None, "sensitive": []}
    if content.class_sizes is not None:
        title = f"Distribution of {content.noun} sizes: {content.sizes_in_words}"
        drawn["sizes"] = Markup(class_size_chart(content.class_sizes, content.k, title=title, noun=content.noun))
    if content.losses.labels:
        word, axis = ("Change", "average change") if content.substituted else ("Loss", "lost (NCP)")
        drawn["losses"] = Markup(loss_chart(content.losses, title=f"{word} per column, largest first", axis=axis))
    for name, counts in content.sensitive:
        if counts.after is not None:
            svg = comparison_chart(counts, title=f"{name}: the target, and what is published")
        else:
            svg = value_chart(counts, title=f"Distribution of {name} in the published rows")
        drawn["sensitive"].append((name, counts, Markup(svg)))
    return drawn


def _comparisons(owners: OwnersPart | None) -> list[tuple[str, Any, Any]]:
    from markupsafe import Markup

    if owners is None:
        return []
    return [
        (name, counts, Markup(comparison_chart(counts, title=f"{name} before and after")))
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
    environment.filters["sentence"] = lambda text: capital(text) + ("" if text.endswith((".", "?", "!")) else ".")
    return environment.get_template(f"{name}.html.jinja")
