"""How charts look in the documentation."""

from __future__ import annotations

from typing import Any

__all__ = ["GREY", "svg"]

GREY = "#5a6876"
_FONT = "Arial, Helvetica, sans-serif"


def svg(chart: Any) -> str:
    """A chart as SVG, on white."""
    import vl_convert

    spec = chart.to_dict()
    spec["background"] = "white"
    spec["padding"] = 8
    axis = {"labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal", "labelColor": GREY,
            "titleColor": GREY, "gridColor": "#e4e9ed", "domainColor": GREY, "tickColor": GREY}  # fmt: skip
    spec["config"] = {
        "font": _FONT, "axis": axis, "view": {"stroke": None},
        "legend": {"labelFontSize": 12, "orient": "top", "title": None, "symbolStrokeWidth": 3, "labelLimit": 300},
        "header": {"labelFontSize": 12, "labelColor": GREY, "title": None},
    }  # fmt: skip
    return str(vl_convert.vegalite_to_svg(spec))
