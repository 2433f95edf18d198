"""Which class answers questions to a release of a table, by the shape of the release."""

from __future__ import annotations

from sfumato.contracts.answerer import Answerer, answerer_of, refuse_counterfeits
from sfumato.ground.errors import ParameterError
from sfumato.published.tables.changed import ChangedShape
from sfumato.published.tables.subdomains import SubdomainsShape
from sfumato.published.tables.table import TableShape
from sfumato.published.tables.two_tables import TwoTablesShape
from sfumato.tables.answers.generalised import GeneralisedCells
from sfumato.tables.answers.listed_groups import ListedGroups
from sfumato.tables.answers.listed_values import listing_of
from sfumato.tables.answers.withheld import withheld_of

__all__ = ["answerer_of"]


@answerer_of.register
def _(shape: TableShape) -> Answerer:
    refuse_counterfeits(shape)
    return GeneralisedCells(shape.frame, shape.forms, shape.schema, withheld_of(shape))


@answerer_of.register(TwoTablesShape)
@answerer_of.register(SubdomainsShape)
def _(shape: TwoTablesShape | SubdomainsShape) -> Answerer:
    return ListedGroups(shape.frame, listing_of(shape), shape.schema, withheld_of(shape))


@answerer_of.register
def _(shape: ChangedShape) -> Answerer:
    if shape.change == "pram":
        raise ParameterError(
            "categories were changed at random, so that nothing certain follows; read them with estimate"
        )
    return GeneralisedCells(shape.frame, shape.forms, shape.schema, withheld_of(shape))
