"""What to say where no column is declared sensitive: promises about secrets then promise nothing."""

from __future__ import annotations

from sfumato.data.schema import Schema

__all__ = ["nothing_sensitive"]


def nothing_sensitive(schema: Schema) -> str | None:
    """The sentence for a schema without a sensitive column; None where it has one.

    >>> nothing_sensitive(Schema(quasi=["age"], sensitive=["illness"])) is None
    True
    """
    if schema.sensitive:
        return None
    return (
        "Nothing is sensitive: no column is declared a secret, so that no promise is about one, and all that is not "
        "made coarser is published as it is. If a column tells what may harm people, declare it sensitive."
    )
