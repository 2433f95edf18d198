"""The risk of being found in a published table, after El Emam, "Guide to the De-Identification of Personal Health
Information", 2013, chapters 16 and 17.

Every record's risk is 1 over the number of records that it cannot be distinguished from, and three adversaries differ
in which these are. The prosecutor knows that the person is in the table: the records of the class, f. The journalist
does not, and looks in a register of the population: all persons that the class covers, F. The marketer wants as many
right matches as possible, no matter whose.

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
from sfumato.ground.figures import Family, Measures, Note, declare
from sfumato.published.equivalence import AS_RECORDED, PublishedClasses
from sfumato.published.tables.population_cover import equal_counts, population_counts

__all__ = ["MARKETER_THRESHOLD", "THRESHOLDS", "risk"]

THRESHOLDS = (0.2, 0.09, 0.05)
"""Usual thresholds of the risk of a single record: classes of 5, 12 and 20 just keep them."""

MARKETER_THRESHOLD = 0.05
"""What is customary for files that anyone can download, the strictest of the usual thresholds."""

_PROSECUTOR_MAX = declare(
    name="prosecutor_max", label="Highest prosecutor risk", group="risk", unit="share", audience="public",
    meaning="chance of finding the person hidden least who is known to be in it",
)  # fmt: skip
_PROSECUTOR_AVERAGE = declare(
    name="prosecutor_average", label="Average prosecutor risk", group="risk", unit="share", audience="public",
    meaning="chance of finding a person known to be in it, on average", stands_for="identification",
)  # fmt: skip
_PROSECUTOR_ABOVE = Family(declare(
    name="prosecutor_above_{t}", label="Records above {t} (prosecutor)", group="risk", unit="share", audience="public",
    meaning="share of records whose prosecutor risk is above {t}",
))  # fmt: skip
_JOURNALIST_MAX = declare(
    name="journalist_max", label="Highest journalist risk", group="risk", unit="share", audience="public",
    meaning="chance of finding the person hidden least in the population",
)  # fmt: skip
_JOURNALIST_AVERAGE = declare(
    name="journalist_average", label="Average journalist risk", group="risk", unit="share", audience="public",
    meaning="chance of finding a person of the population, on average",
)  # fmt: skip
_JOURNALIST_ABOVE = Family(declare(
    name="journalist_above_{t}", label="Records above {t} (journalist)", group="risk", unit="share", audience="public",
    meaning="share of records whose journalist risk is above {t}",
))  # fmt: skip
_MARKETER = declare(
    name="marketer", label="Marketer risk", group="risk", unit="share", audience="public",
    meaning="expected share of the records that can be linked to the right person",
)  # fmt: skip


def risk(
    published: pl.DataFrame,
    forms: Mapping[str, Form],
    original: Table | None = None,
    *,
    population: Table | None = None,
    thresholds: Sequence[float] = THRESHOLDS,
    exact: bool = False,
) -> Measures:
    """The risk that records are found, by the published cells alone.

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
        none = [about.of(0.0) for about in (_PROSECUTOR_MAX, _PROSECUTOR_AVERAGE)]
        none += [_PROSECUTOR_ABOVE.member(t=f"{t:g}").of(0.0) for t in thresholds]
        return Measures([*none, _MARKETER.of(0.0)], notes=[Note(note, "public") for note in notes])
    figures = [
        _PROSECUTOR_MAX.of(1.0 / float(f.min())),
        _PROSECUTOR_AVERAGE.of(len(f) / n),
        *(_PROSECUTOR_ABOVE.member(t=f"{t:g}").of(float(f[t < 1.0 / f].sum()) / n) for t in thresholds),
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
                _JOURNALIST_MAX.of(1.0 / float(F.min())),
                _JOURNALIST_AVERAGE.of(max(len(F) / float(F.sum()), marketer)),
                *(_JOURNALIST_ABOVE.member(t=f"{t:g}").of(float(f[t < 1.0 / F].sum()) / n) for t in thresholds),
            ]
            notes += _population_notes(counts, classes.sizes)
    figures.append(_MARKETER.of(marketer))
    word = "above" if marketer > MARKETER_THRESHOLD else "within"
    notes.append(
        f"the marketer's risk of {marketer:.2%} is {word} {MARKETER_THRESHOLD:.0%}, the threshold that is customary "
        f"for public files; it is a custom and no law, and the rules that you are under may name another"
    )
    return Measures(figures, notes=[Note(note, "public") for note in notes])


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
