"""A picture of the curse of dimensionality: small classes as recorded, and the loss that makes them large enough."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.ground.errors import ParameterError, ReleaseError
from sfumato.report.charts import PALETTE

if TYPE_CHECKING:
    from sfumato.verbs.curse import Curse

__all__ = ["SUFFIXES", "curse_svg", "save_curse"]

SUFFIXES = (".html", ".svg", ".png")
_FONT = "Arial, Helvetica, sans-serif"
_SHADES = ("#8fbccd", "#4f95af", "#1f6e8c", "#123f50")
_STYLE = (
    "body{font:16px/1.5 Arial,Helvetica,sans-serif;color:#1d2a35;max-width:60rem;margin:2rem auto;padding:0 1rem}"
    "svg{max-width:100%;height:auto}h1{font-size:1.4rem}p{margin:.3rem 0}.note{color:#5a6876}"
)


def save_curse(found: Curse, path: str | Path) -> Path:
    """Draw what `curse` found to an .html, .svg or .png file."""
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in SUFFIXES:
        raise ParameterError(f"a picture is drawn to {', '.join(SUFFIXES)}, got '{target.name}'")
    try:
        if suffix == ".png":
            import vl_convert

            target.write_bytes(vl_convert.vegalite_to_png(_spec(found, PALETTE["card"]), scale=2.0))
        elif suffix == ".svg":
            target.write_text(curse_svg(found), encoding="utf-8")
        else:
            target.write_text(_page(found), encoding="utf-8")
    except OSError as error:
        raise ReleaseError(f"could not write '{target.name}': {error.strerror or error}; name another file") from error
    return target


def curse_svg(found: Curse) -> str:
    """The picture as one `<svg>`."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(_spec(found, None)))


def _page(found: Curse) -> str:
    said = "".join(f"<p>{html.escape(line)}</p>" for line in found.said())
    notes = "".join(f'<p class="note">{html.escape(line)}</p>' for line in found.notes())
    order = html.escape(", ".join(found.columns))
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>How many quasi-identifiers the data can stand</title><style>{_STYLE}</style></head><body>"
        f"<h1>How many quasi-identifiers the data can stand</h1>{curse_svg(found)}{said}"
        f'<p class="note">In the order of the columns: {order}.</p>{notes}</body></html>'
    )


def _spec(found: Curse, background: str | None) -> dict[str, Any]:
    import altair as alt

    few = len(found.columns) <= 15
    shades = _shades(len(found.ks))
    left = _panel(found, found.below, "records in classes below k, as recorded", shades)
    right = _panel(found, found.loss, "loss (GCP) of making them k-anonymous", shades, limit=found.max_loss)
    spec: dict[str, Any] = alt.hconcat(left, right, spacing=46).to_dict()
    spec["background"] = background
    spec["padding"] = {"left": 6, "right": 12, "top": 8, "bottom": 6}
    spec["config"] = {
        "font": _FONT, "view": {"stroke": None}, "text": {"font": _FONT},
        "axis": {
            "labelFont": _FONT, "labelFontSize": 12, "labelColor": PALETTE["faint"], "titleFont": _FONT,
            "titleFontSize": 12, "titleFontWeight": "normal", "titleColor": PALETTE["faint"],
            "gridColor": PALETTE["grid"], "domainColor": PALETTE["faint"], "tickColor": PALETTE["faint"], "tickSize": 4,
        },
        "title": {"font": _FONT, "fontSize": 13, "fontWeight": "normal", "color": PALETTE["ink"], "anchor": "start"},
        "legend": {"labelFont": _FONT, "labelFontSize": 12, "titleFont": _FONT, "titleFontWeight": "normal"},
    }  # fmt: skip
    spec["hconcat"][0]["height"] = spec["hconcat"][1]["height"] = 260 if few else 300
    return spec


def _shades(n: int) -> list[str]:
    """From pale to dark, as many as there are values of k."""
    if n <= len(_SHADES):
        return list(_SHADES[-n:])
    return [_SHADES[min(i * len(_SHADES) // n, len(_SHADES) - 1)] for i in range(n)]


def _panel(found: Curse, figures: Any, title: str, shades: list[str], limit: float | None = None) -> Any:
    """One line for each k over the number of columns, its name at the end."""
    import altair as alt

    n = len(found.columns)
    names = [f"k = {k}" for k in found.ks]
    rows = [
        {"columns": i + 1, "added": found.columns[i], "share": figures[k][i], "k": name}
        for k, name in zip(found.ks, names, strict=True)
        for i in range(n)
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("columns:Q", title="quasi-identifiers", scale=alt.Scale(domain=[1, max(n, 2)], nice=False),
                axis=alt.Axis(grid=False, tickMinStep=1, tickCount=min(n, 15), format="d")),
        y=alt.Y("share:Q", title=None, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format=".0%", tickCount=5)),
        color=alt.Color("k:N", sort=names, scale=alt.Scale(domain=names, range=shades), title=None),
        tooltip=[alt.Tooltip("k:N"), alt.Tooltip("columns:Q"), alt.Tooltip("added:N"),
                 alt.Tooltip("share:Q", format=".1%")],
    )  # fmt: skip
    layers = [base.mark_line(strokeWidth=2), base.mark_point(size=26, filled=True, opacity=1)]
    if limit is not None:
        at = alt.Chart(alt.InlineData(values=[{"limit": limit, "text": f"at most {limit:.0%}"}]))
        layers.append(at.mark_rule(color=PALETTE["alert"], strokeWidth=1.5, strokeDash=[5, 3]).encode(y="limit:Q"))
        label = at.mark_text(color=PALETTE["alert"], align="left", baseline="bottom", dx=4, dy=-3, fontSize=12)
        layers.append(label.encode(y="limit:Q", x=alt.value(0), text="text:N"))
    return alt.layer(*layers).properties(width=380, title=title)
