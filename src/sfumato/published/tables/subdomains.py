"""The shape of subdomains: sensitive values shown as ranges of a domain, read and checked against the original.

The rows have the quasi-identifiers as they are recorded, and a group; beside them lie the subdomains of each group, the
domain they are ranges of, the target distributions over it, and which of these each group follows. Knows nothing of the
method that chose them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.values import text
from sfumato.ground.errors import DataError
from sfumato.privacy.target import Target
from sfumato.published.equivalence import PublishedClasses
from sfumato.published.shape import Check
from sfumato.published.tables.apart import ApartShape
from sfumato.published.tables.subdomain_flaws import subdomain_table_flaws
from sfumato.published.tables.subdomain_lists import Subdomains, achieved_distribution
from sfumato.published.tables.subdomain_truth import subdomain_untruths

__all__ = ["Subdomains", "SubdomainsShape", "read_subdomains"]


class SubdomainsShape(ApartShape):
    """Quasi-identifiers as recorded, and for each group the subdomains that its sensitive values lie in."""

    name = "subdomains"
    key = "target"
    of_groups, in_file, shown_as = "subdomains", "subdomains of the sensitive values", "subdomains by group"

    @cached_property
    def subdomains(self) -> Subdomains:
        """The subdomains of every group."""
        found = read_subdomains(self.frame, self.files, self.public)
        assert found is not None
        return found

    @property
    def column(self) -> str:
        """The sensitive column."""
        return str(self.parameters["column"])

    @property
    def as_subdomains(self) -> str:
        """The sensitive column, which is shown as subdomains."""
        return self.column

    def flaws(self) -> list[str]:
        """What keeps the tables from being read as one, and tables and columns that are not named, a clause each."""
        return subdomain_table_flaws(self.frame, self.files, self.public, self.schema)

    def unnamed_parts(self) -> list[str]:
        """Nothing: `flaws` lists the parts without a name already."""
        return []

    def untruths(self, check: Check) -> list[str]:
        """What the original contradicts, a clause each."""
        target = Target.of(self.parameters["target"])
        return subdomain_untruths(self.frame, self.subdomains, target, check.original, self.rows)

    def classes(self, check: Check, *, sound: bool) -> PublishedClasses:
        """Return the classes of records that are equal in all quasi-identifiers, with the subdomains as evidence."""
        shown = super().classes(check, sound=sound)
        shown.evidence = replace(shown.evidence, subdomains=self.subdomains)
        return shown

    def decisions(self) -> Sequence[str]:
        """Say how many groups there are, and how many subdomains they list beyond their rows."""
        seen = self.subdomains
        fakes = int(seen.list_lengths.sum()) - self.frame.height
        said = f"{seen.n_groups:,} group{'s' if seen.n_groups != 1 else ''}: quasi-identifiers are published as "
        said += f"recorded, {seen.column!r} as subdomains" + (f", {fakes:,} more than there are rows" if fakes else "")
        return (said,)

    def certificate_fields(self) -> dict[str, Any]:
        """Return the distribution that a reader finds in the subdomains."""
        found = achieved_distribution(self.subdomains)
        return {"distribution": found} if found is not None else {}

    @classmethod
    def described_columns(cls, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]) -> list[str]:
        """Return the sensitive column, which is in tables of its own."""
        return [public["target"]["column"]]


def read_subdomains(
    frame: pl.DataFrame, files: Mapping[str, pl.DataFrame], public: Mapping[str, Any]
) -> Subdomains | None:
    """Read the subdomains of a release; None where it has none.

    Tables that do not fit each other raise `DataError`.
    """
    if "target" not in public:
        return None
    wrong = subdomain_table_flaws(frame, files, public)
    if wrong:
        raise DataError(f"the published tables do not fit each other: {wrong[0]}; ask the owner for a new copy")
    parameters = public["target"]
    group, count = parameters["group"], parameters["count"]
    numbers, of_row, sizes = np.unique(_int(frame[group]), return_inverse=True, return_counts=True)
    table = files[parameters["table"]].sort(group, "first", "last")
    domain = files[parameters["domain"]].sort("place")
    targets = files[parameters["targets"]]
    of_target, place = _int(targets["target"]), _int(targets["place"])
    weights = np.zeros((int(of_target.max(initial=0)) + 1, domain.height), dtype=np.int64)
    weights[of_target, place] = _int(targets["weight"])
    groups = files[parameters["groups"]].sort(group)
    follows = Target.of(parameters["target"])
    column = follows.column
    labels: tuple[str, ...] = ()
    if follows.kind == "each":
        firsts = np.full(len(numbers), -1)
        firsts[of_row[::-1]] = np.arange(frame.height)[::-1]
        labels = tuple(text(value) for value in frame[column].gather(firsts).to_list())
    return Subdomains(
        column=parameters["column"], group_name=group, group_of_row=of_row.astype(np.int64),
        numbers=numbers.astype(np.int64), sizes=sizes.astype(np.int64),
        group=np.searchsorted(numbers, _int(table[group])).astype(np.int64),
        first=_int(table["first"]), last=_int(table["last"]), count=_int(table[count]), values=domain["value"],
        weights=tuple(weights), target_of_group=_int(groups["target"]), published_target=follows,
        labels=labels,
    )  # fmt: skip


def _int(series: pl.Series) -> NDArray[np.int64]:
    return series.cast(pl.Int64).to_numpy()
