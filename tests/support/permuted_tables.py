"""Releases of two tables, and what somebody changes in the second."""

from __future__ import annotations

from dataclasses import replace

import sfumato as sf

L3 = sf.LDiversity(3)
PERMUTED = sf.Mondrian(show="permutation")


def without_owner(release):
    return replace(release, owner=None)


def with_listed(release, change):
    """The release with another second table."""
    return replace(release, files={"sensitive": change(release.files["sensitive"])})
