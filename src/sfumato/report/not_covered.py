"""What the promise of a table does not cover, told in every report, and measured on the published rows where it can be.

A class promises something of whoever knows the quasi-identifiers, *and nothing else*. Columns that are published as
they are stand in the same row: how often the best guess of a sensitive value is right from the class alone, and how
often from the class and one such column, anybody can count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from sfumato.data.persons import Codes, is_nested
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.m_invariance import MInvariance
from sfumato.privacy.of_population import OfPopulation
from sfumato.privacy.promise import Promise
from sfumato.privacy.sensitive import columns_in_words
from sfumato.privacy.words import join_names, number_in_words
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.tables.table import TableShape

__all__ = ["BestGuess", "best_guesses", "not_covered", "share_right"]

_NOTICEABLE = 0.05
"""How much more often a guess must be right for a column to be named."""
_MOST_NAMED = 5
_MOST_WORK = 10_000_000
"""Rows counted, over all pairs of a sensitive and a plain column."""
_AT_LEAST = 3


@dataclass(frozen=True)
class BestGuess:
    """How often the best guess of a sensitive value is right: from the class alone, and with a plain column."""

    sensitive: str
    plain: str
    alone: float
    both: float


def share_right(known: Sequence[pl.Series], secret: Codes) -> float:
    """The share of rows whose `secret` is the most frequent one among the rows that are alike in what is `known`."""
    if not len(secret):
        return 0.0
    names = [str(i) for i in range(len(known))]
    frame = pl.DataFrame([series.alias(name) for name, series in zip(names, known, strict=True)])
    counts = frame.with_columns(secret=pl.Series(secret)).group_by([*names, "secret"]).len(name="n")
    return float(counts.group_by(names).agg(pl.col("n").max())["n"].sum()) / len(secret)


def best_guesses(
    classes: PublishedClasses, plain: Sequence[str], *, in_classes: bool = True
) -> tuple[list[BestGuess], int]:  # fmt: skip
    """The best guesses with each plain column, the largest rise first, and how many pairs were too many to count.

    Without `in_classes`, as where values were drawn anew, what is known alone is nothing.
    """
    frame, of_row = classes.frame, _class_numbers(classes, in_classes=in_classes)
    room = max(_MOST_WORK // max(len(of_row), 1), _AT_LEAST)
    pairs = [(secret, name) for secret in classes.sensitive for name in plain]
    found, alone = [], {}
    for secret, name in pairs[:room]:
        values = classes.column(secret).codes
        if secret not in alone:
            alone[secret] = share_right([of_row], values)
        found.append(BestGuess(secret, name, alone[secret], share_right([of_row, frame[name]], values)))
    found.sort(key=lambda each: (each.alone - each.both, each.plain, each.sensitive))
    return found, max(len(pairs) - room, 0)


def _class_numbers(classes: PublishedClasses, *, in_classes: bool) -> pl.Series:
    """The class of every row; one class of all where there are none."""
    of_row = classes.of_row if in_classes else np.zeros(classes.frame.height, dtype=np.int64)
    return pl.Series("class", of_row, dtype=pl.UInt32)


def not_covered(shape: TableShape, promise: Promise | None, classes: PublishedClasses, own: Sequence[str]) -> list[str]:
    """Say what the release promises nothing about, a paragraph each; `own` are those of the shape itself."""
    schema, parts = shape.schema, promise.parts if promise is not None else ()
    drawn, apart, noun = bool(shape.drawn_columns), shape.sensitive_apart, classes.noun
    plain = [name for name in schema.plain if name in shape.frame.columns and not is_nested(shape.frame[name])]
    plain = [name for name in plain if name not in shape.drawn_columns]
    about_values = [part for part in parts if part.speaks_of == "groups" and not part.bounds_loss]
    said = list(own)
    said += _of_values(classes, schema.sensitive, about_values, promised=bool(parts), countable=not drawn)
    if not apart:
        said += _of_plain_columns(classes, plain, about_values, in_classes=not drawn)
    if about_values and not own and not drawn:
        said.append(
            f"What the whole release teaches: which values go with which rows can be learned from all {_plural(noun)} "
            f"together, and helps to guess within one. The owner can try InferenceAttack."
        )
    if not drawn and not plain and any(part.speaks_of == "classes" for part in parts):
        said.append(f"Whoever knows more of a person than {join_names(schema.quasi, 'and')}.")
    if about_values and not own and not drawn:
        said.append(
            f"Whoever knows the method and everybody’s {join_names(schema.quasi, 'and') or 'quasi-identifiers'}: that "
            f"this method was taken, and that these {_plural(noun)} were formed and no smaller ones, can tell more of "
            f"values than a {noun} shows. The owner can try MinimalityAttack."
        )
    said += [
        f"Whoever looks for people in another register than the {part.register_text}."
        for part in parts
        if isinstance(part, OfPopulation)
    ]
    sequence = any(isinstance(part, MInvariance) for part in parts)
    again = "outside of this sequence" if sequence else "here or elsewhere"
    said.append(f"The same people published again, {again}: two releases together can tell what neither tells alone.")
    return [*said, _of_rows(shape)]


def _of_values(
    classes: PublishedClasses, sensitive: Sequence[str], about: Sequence[Promise], *, promised: bool, countable: bool
) -> list[str]:
    """Of which sensitive values nothing is promised."""
    if not sensitive:
        return [
            "What is learned about somebody: no column is declared sensitive, and nothing is promised of any value."
        ]
    covered = {name for part in about for name in (getattr(part, "columns", None) or sensitive)}
    left = [name for name in sensitive if name not in covered]
    if not left or not promised:
        return []
    line = f"What is learned about somebody: nothing is promised of {columns_in_words(tuple(left), left)}."
    if not countable:
        return [line]
    for name in [name for name in left if name in classes.sensitive][:1]:
        counts, starts = classes.histograms(name)
        right = float(np.maximum.reduceat(counts, starts).sum()) / counts.sum() if len(starts) else 0.0
        same = int((np.diff(np.append(starts, len(counts))) == 1).sum())
        line += f" Whoever knows which {classes.noun} somebody is in guesses {name} right for {right:.1%} of rows"
        line += f"; in {same:,} of {classes.n_classes:,} everybody has the same." if same else "."
    return [line]


def _of_plain_columns(
    classes: PublishedClasses, plain: Sequence[str], about: Sequence[Promise], *, in_classes: bool
) -> list[str]:
    """What columns that are published as they are tell whoever knows them of a person."""
    if not plain or not classes.frame.height:
        return []
    noun = classes.noun
    known = [_class_numbers(classes, in_classes=in_classes), *(classes.frame[name] for name in plain)]
    alike = pl.DataFrame([series.alias(str(i)) for i, series in enumerate(known)]).group_by(pl.all()).len(name="n")
    single = float((alike["n"] == 1).sum()) / classes.frame.height
    where = f" in their {noun}" if in_classes else ""
    one = len(plain) == 1
    said = [
        f"Whoever also knows {join_names(plain, 'and')} of a person: {'this is' if one else 'these are'} published as "
        f"recorded. To whoever knows {'it' if one else 'them all'}, {single:.1%} of rows stand alone{where}."
    ]
    found, n_left = best_guesses(classes, plain, in_classes=in_classes)
    for secret in classes.sensitive:
        said += _of_guesses([each for each in found if each.sensitive == secret], about, noun if in_classes else None)
    if n_left:
        said.append(f"{n_left:,} more pairs of a plain and a sensitive column, which were not counted for this page.")
    return said


def _of_guesses(found: Sequence[BestGuess], about: Sequence[Promise], noun: str | None) -> list[str]:
    """What plain columns add to the best guess of one sensitive column; `noun` is None where there are no classes."""
    noticed = [each for each in found if each.both - each.alone >= _NOTICEABLE][:_MOST_NAMED]
    if not noticed:
        return []
    first = noticed[0]
    told = [f"{each.both:.1%} with {_short(each.plain)} known too" for each in noticed[:1]]
    told += [f"{each.both:.1%} with {_short(each.plain)}" for each in noticed[1:]]
    line = (
        f"The best guess of {_short(first.sensitive)} is right for {first.alone:.1%} of rows "
        f"{f'from the {noun} alone' if noun else 'where nothing is known'}, for {_listed(told)}."
    )
    cap = _promised_cap(about, first.sensitive)
    if cap is not None and noun and first.both > 1 / cap:
        line += f" The promise of 1 in {number_in_words(cap)} is about the {noun} alone."
    return [line]


def _promised_cap(about: Sequence[Promise], column: str) -> float | None:
    """The largest l by which a promise caps the share of a value of this column in every class."""
    asked = [
        part.l
        for part in about
        if isinstance(part, LDiversity)
        and part.kind == "frequency"
        and (part.columns is None or column in part.columns)
    ]
    return max(asked, default=None)


def _of_rows(shape: TableShape) -> str:
    line = "Several rows of one person: each row is counted as a person, and whoever has several hides among fewer."
    if shape.schema.rows_are_persons:
        return f"{line} The owner says that no two rows are of one person, although the identifiers repeat."
    if shape.identifiers_repeat:
        return f"{line} A column of the original that names people repeats, so that there may be such rows."
    return line


def _plural(noun: str) -> str:
    return "classes" if noun == "class" else f"{noun}s"


def _listed(clauses: Sequence[str]) -> str:
    return " and ".join([", ".join(clauses[:-1]), clauses[-1]] if len(clauses) > 1 else clauses)


def _short(name: str) -> str:
    return join_names([name])
