"""The report of a release: one page for people, with everything it needs inside it."""

from sfumato.report.rendering import render

__all__ = ["render"]
