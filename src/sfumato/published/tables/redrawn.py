"""The shape of values that were drawn anew or had noise added; the properties that they keep are published too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sfumato.published.equivalence import PublishedClasses
from sfumato.published.evidence import Evidence
from sfumato.published.shape import Check
from sfumato.published.tables.classes import ClassesShape
from sfumato.published.tables.linkage_rates import linked_shares
from sfumato.published.tables.noise import check_noise
from sfumato.published.tables.properties import check_published_properties

__all__ = ["RedrawnShape"]


class RedrawnShape(ClassesShape):
    """Rows with values that are no record's own: they keep the published properties, or carry the noise told of."""

    name = "redrawn values"

    @property
    def has_noise(self) -> bool:
        """Whether noise was added to the values, so that they keep no property."""
        return "noise" in self.public

    @property
    def noise(self) -> Mapping[str, Any]:
        """What the release tells of the noise."""
        parameters = self.public.get("noise", {})
        return parameters if isinstance(parameters, Mapping) else {}

    def tables_beside(self) -> Sequence[str]:
        """The table of the properties that hold, and that of the blocks of exchangeable records."""
        return () if self.has_noise else ("properties", "blocks")

    def own_check(self, check: Check) -> tuple[list[str], list[str]]:
        """Check that every property holds on the published values, or that the noise is as the release says."""
        if self.has_noise:
            return check_noise(self.public["noise"], self.frame, self.drawn_columns, check.original, self.rows)
        found, broken = check_published_properties(
            self.files.get("properties"), self.frame, self.drawn_columns, self.schema
        )  # fmt: skip
        if "blocks" in self.files and set(self.drawn_columns) != set(self.schema.quasi):
            broken = [*broken, "blocks are published, but not every quasi-identifier was drawn anew"]
        return found, broken

    def undecided_and_declared(self, check: Check) -> tuple[Sequence[str], Sequence[str]]:
        """Declare the noise: no release can prove how it was drawn."""
        if check.promise is not None or not self.has_noise:
            return (), ()
        parameters = self.noise
        return (), (
            f"{parameters.get('distribution')} noise of {parameters.get('scale')} of a column's range was added",
        )

    def evidence(self, check: Check, shown: PublishedClasses, *, sound: bool) -> Evidence:
        """Find the evidence on the classes, and what attacks link."""
        found = super().evidence(check, shown, sound=sound)
        return replace(found, linked=linked_shares(check, self.frame, self.drawn_columns, self.rows))
