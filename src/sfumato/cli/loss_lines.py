"""What a release lost, in a line or two for whoever made it, and a line of judgement where a figure says enough.

Limits in these lines are rules of thumb of this program, and are said to be.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sfumato.data.json_file import parse_json
from sfumato.ground.errors import SfumatoError
from sfumato.ground.figures import Measures
from sfumato.published.shape import shape_of
from sfumato.release.release import Release

__all__ = ["judgements", "loss_lines", "owners_measures"]

_HARDLY, _WITH_CARE = 0.5, 0.2
_OURS = "a rule of thumb of this program, and no standard"


def owners_measures(folder: Path) -> Measures | None:
    """The figures that the owner kept of the release in a folder; None where there are none."""
    kept = folder.parent / "owner" / folder.name / "owner.json"
    try:
        said = parse_json(kept.read_bytes(), str(kept)) if kept.is_file() else {}
        return Measures.from_dict(said["measures"])
    except (OSError, KeyError, TypeError, SfumatoError):
        return None


def loss_lines(release: Release, measures: Measures) -> list[str]:
    """What was lost, by the figures that there are; the first that is known says it."""
    beside = shape_of(release).beside is not None
    told = [
        say for names, say in _LINES
        if all(name in measures for name in names) and not (beside and names == ("gcp",))
    ]  # fmt: skip
    return [*(f"what was lost: {say(measures)}" for say in told[:1]), *judgements(measures)]


def judgements(measures: Measures) -> list[str]:
    """What can still be done with the data, where a figure says it, and whose limit that is."""
    said = []
    if (off := measures.get("pair_error")) is not None:
        word = "hardly of use" if off > _HARDLY else "to be used with care" if off > _WITH_CARE else "well kept"
        limit = _HARDLY if off > _HARDLY else _WITH_CARE
        side = "above" if off > _WITH_CARE else "at most"
        said.append(
            f"pairs of items are {word}: how often two occur together is off by {off:.0%}, {side} {limit:.0%} ({_OURS})"
        )
    if (false := measures.get("edges_false")) is not None and false > _HARDLY:
        said.append(
            f"single edges are hardly of use: {false:.0%} of those published are false, above {_HARDLY:.0%} ({_OURS})"
        )
    return said


def _of_baskets(measures: Measures) -> str:
    changed, size = measures["items_changed"], measures["items_per_record"]
    share = f", {measures['error_rate']:.0%} of them on average" if "error_rate" in measures else ""
    return f"{changed:.1f} items of a record are not as they were, where a record has {size:.1f}{share}"


def _of_recoded_items(measures: Measures) -> str:
    return (
        f"{measures['item_loss']:.1%} of what items tell (item_loss), and {measures['items_withheld']:.1%} of items "
        f"are shown under no name"
    )


def _of_graph(measures: Measures) -> str:
    return (
        f"{1 - measures['edges_kept']:.1%} of the edges, and {measures['edges_false']:.1%} of those published are "
        f"false; `sfumato estimate` takes that into account where it can"
    )


_LINES: tuple[tuple[tuple[str, ...], Callable[[Measures], str]], ...] = (
    (("gcp",), lambda m: f"{m['gcp']:.4f} of the information (GCP; 0 is the original, 1 shows nothing)"),
    (("items_changed", "items_per_record"), _of_baskets),
    (("item_loss", "items_withheld"), _of_recoded_items),
    (("edges_kept", "edges_false"), _of_graph),
    (("distortion",), lambda m: f"numbers are off by {m['distortion']:.1%} of their range on average"),
    (("query_error_median",), lambda m: f"random counts are off by {m['query_error_median']:.1%} (the median)"),
    (("count_error",), lambda m: f"random counts are off by {m['count_error']:.1%} (the median)"),
    (("neighbours_kept",), lambda m: f"of the records nearest to one, {1 - m['neighbours_kept']:.1%} are others now"),
)
"""Figures, and what they say together; the first that are all there are told."""
