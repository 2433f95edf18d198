"""Shared by the tests of the report: one release to report on."""

import pytest

from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.ground.figures import Measures
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.release.release import Release
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.verbs.measure import measure
from sfumato.verbs.publish import publish


@pytest.fixture(scope="session")
def hospital_release() -> tuple[Table, Release, Measures]:
    """A table, its release and what was measured of it."""
    table = hospital(600)
    release = publish(table, Mondrian(), KAnonymity(5) & LDiversity(2), seed=1)
    return table, release, measure(release, table)
