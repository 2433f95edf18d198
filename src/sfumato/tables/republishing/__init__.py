"""Publishing a table again and again, while people join and leave it."""

from sfumato.tables.republishing.publishing import Republishing

__all__ = ["Republishing"]
