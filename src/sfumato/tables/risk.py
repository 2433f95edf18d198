"""The risk of being found in a published table, after El Emam, "Guide to the De-Identification of Personal Health
Information", 2013, chapters 16 and 17.

Every record's risk is 1 over the number of records that it cannot be told from, and three adversaries differ in who
these are. The prosecutor knows that the person is in the table: the records of the class, f. The journalist does not,
and looks in a register of the population: all persons that the class covers, F. The marketer wants as many right
matches as possible, no matter whose.

    prosecutor_max           1 / min f                                        pRb
    prosecutor_average       classes / records                                pRc
    prosecutor_above_t       share of records with 1 / f > t                  pRa
    journalist_max           1 / min F                                        jRb
    journalist_average       max(classes / sum F, mean of 1 / F)              jRc
    journalist_above_t       share of records with 1 / F > t                  jRa
    marketer                 mean of 1 / F; without a population, of 1 / f    mR2, mR1

Rows that show nothing in any quasi-identifier are at no risk and are set aside: they enter no average.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.shown import Form
from sfumato.data.table import Table
from sfumato.figures import Figure, Measures
from sfumato.published.equivalence import AS_RECORDED, PublishedClasses
from sfumato.published.tables.covering import equal_counts, population_counts

__all__ = ["MARKETER_THRESHOLD", "THRESHOLDS", "risk"]

THRESHOLDS = (0.2, 0.09, 0.05)
"""Usual thresholds of the risk of a single record: classes of 5, 12 and 20 just keep them."""

MARKETER_THRESHOLD = 0.05


def risk(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table | None = None,
    *,
    population: Table | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    exact: bool = False,
) -> Measures:
    """How far each record hides among others, by the published cells alone.

    `original` only says what the columns are. With a `population` (a table with the same quasi-identifiers, of
    which the published persons are a part) the journalist's risk is known as well. `exact` cells are the records' own
    values: they stand for nothing else. O(rows x columns), and for a population the boxes of the classes against
    blocks of its distinct combinations.
    """
    quasi = list(forms) if original is None else _quasi(published, forms, original)
    classes = PublishedClasses(published, quasi, cells=AS_RECORDED if exact else None)
    notes = []
    if classes.n_suppressed:
        notes.append(
            f"{classes.n_suppressed:,} rows show nothing: they are at no risk, and no risk is averaged over them"
        )
    f = classes.sizes.astype(np.float64)
    n = float(f.sum())
    if not n:
        notes.append("no row shows anything: nobody is at risk")
        return Measures([_figure("prosecutor_max", 0.0), _figure("prosecutor_average", 0.0),
                         *(_above("prosecutor", t, 0.0) for t in thresholds), _figure("marketer", 0.0)],
                        notes=notes)  # fmt: skip
    figures = [
        _figure("prosecutor_max", 1.0 / float(f.min())),
        _figure("prosecutor_average", len(f) / n),
        *(_above("prosecutor", t, float(f[t < 1.0 / f].sum()) / n) for t in thresholds),
    ]
    marketer = len(f) / n
    if population is not None:
        single = [name for name in quasi if forms.get(name, "value") == "value" and not exact]
        if single:
            notes.append(
                f"the journalist's risk needs cells that cover values; single values are shown in {', '.join(single)}"
            )
        else:
            if exact:
                counts = equal_counts(published, classes, population)
            else:
                counts = population_counts(published, forms, classes, original, population)
            F = np.where(counts > 0, counts, classes.sizes).astype(np.float64)
            marketer = float((f / F).sum()) / n
            figures += [
                _figure("journalist_max", 1.0 / float(F.min())),
                _figure("journalist_average", max(len(F) / float(F.sum()), marketer)),
                *(_above("journalist", t, float(f[t < 1.0 / F].sum()) / n) for t in thresholds),
            ]
            notes += _population_notes(counts, classes.sizes)
    figures.append(_figure("marketer", marketer))
    word = "above" if marketer > MARKETER_THRESHOLD else "within"
    notes.append(f"the marketer's risk of {marketer:.2%} is {word} the usual threshold of {MARKETER_THRESHOLD:.0%}")
    return Measures(figures, notes=notes)


_ABOUT: dict[str, tuple[str, str]] = {
    "prosecutor_max": ("Highest prosecutor risk", "chance of finding the person hidden least who is known to be in it"),
    "prosecutor_average": ("Average prosecutor risk", "chance of finding a person known to be in it, on average"),
    "journalist_max": ("Highest journalist risk", "chance of finding the person hidden least in the population"),
    "journalist_average": ("Average journalist risk", "chance of finding a person of the population, on average"),
    "marketer": ("Marketer risk", "expected share of the records that can be linked to the right person"),
}


def _figure(name: str, value: float) -> Figure:
    label, meaning = _ABOUT[name]
    return Figure(name=name, value=value, label=label, group="risk", meaning=meaning, unit="share")


def _above(who: str, threshold: float, value: float) -> Figure:
    return Figure(
        name=f"{who}_above_{threshold:g}", value=value, label=f"Records above {threshold:g} ({who})", group="risk",
        meaning=f"share of records whose {who} risk is above {threshold:g}", unit="share",
    )  # fmt: skip


def _quasi(published: pl.DataFrame, forms: Mapping[str, Form], original: Table) -> list[str]:
    return [*forms, *(q for q in original.schema.quasi if q not in forms and q in published.columns)]


def _population_notes(counts: NDArray[np.int64], sizes: NDArray[np.int64]) -> list[str]:
    n_few, n_none = int((counts < sizes).sum()), int((counts == 0).sum())
    if not n_few:
        return []
    note = (
        f"{n_few:,} of {len(sizes):,} classes cover fewer persons of the population than they hold rows; "
        f"is every published person in it?"
    )
    if n_none:
        note += f" {n_none:,} cover nobody: their risk is taken as the prosecutor's"
    return [note]
