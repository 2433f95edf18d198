"""Delta-presence: the chance that somebody of a population is in the table."""

from dataclasses import replace

import numpy as np

import sfumato as sf
from support.populations import showing_cells, table_of


def test_delta_presence_bounds_the_share_of_everybody():
    sizes, counts = np.array([1, 2, 3, 0, 5, 2]), np.array([10, 10, 10, 7, 0, 1])
    assert sf.DeltaPresence(0.1, 0.2).allowed(sizes, counts).tolist() == [True, True, False, False, True, False]
    assert sf.DeltaPresence(0, 0.2).allowed(sizes, counts).tolist() == [True, True, False, True, True, False]
    assert sf.DeltaPresence(0, 1).allowed(sizes, counts).all()
    third = sf.DeltaPresence(1 / 3, 1 / 3)
    assert third.allowed(np.array([1, 10**9]), np.array([3, 3 * 10**9])).all()
    assert not third.allowed(np.array([10**9 + 1]), np.array([3 * 10**9])).any()


def test_records_that_show_nothing_raise_everybodys_chance():
    """4 of 10 people shown in one class of 8; 1 record hidden among the 6 others: 1 - (1/2)(5/6), and 1/6 outside."""
    people = table_of([(20 + i, "f") for i in range(10)])
    sizes, counts = np.array([4, 0]), np.array([8, 2])
    for promise, expected in (
        (sf.DeltaPresence(1 / 6, 7 / 12, people), [True, True]),
        (sf.DeltaPresence(0.17, 7 / 12, people), [True, False]),
        (sf.DeltaPresence(0, 0.58, people), [False, True]),
    ):
        assert promise.allowed(sizes, counts, hidden=1).tolist() == expected
    assert sf.DeltaPresence(0.5, 0.5, people).allowed(sizes[:1], counts[:1]).all()


def test_people_no_record_fits_have_no_chance_and_a_low_bound_forbids_that():
    people = table_of([(20, "f"), (21, "f"), (22, "f"), (40, "m")])
    release = showing_cells([("[20, 22]", "f")] * 2)
    assert sf.verify(release, promise=sf.DeltaPresence(0, 0.7), population=people).holds
    verdict = sf.verify(release, promise=sf.DeltaPresence(0.1, 0.7), population=people)
    assert not verdict.holds
    assert verdict.found == ("the chance that somebody of the 4 is in the table is 0.0000 to 0.6667",)
    broken = sf.verify(release, promise=sf.DeltaPresence(0, 0.6), population=people)
    assert broken.broken[0].endswith("class (age=[20, 22], sex=f)")


def test_withheld_records_may_be_anybodys():
    """2 of the 3 who fit are shown, and one more record of the table is withheld: of those left, anybody's."""
    people = table_of([(20, "f"), (21, "f"), (22, "f"), (40, "m")])
    release = showing_cells([("[20, 22]", "f")] * 2)
    release = replace(release, public={**release.public, "withheld_rows": 1})
    verdict = sf.verify(release, promise=sf.DeltaPresence(0.1, 0.9), population=people)
    assert verdict.holds
    assert verdict.found[0].endswith("0.5000 to 0.8333")  # 1/2, and 1 - 1/3 * 1/2
    assert not sf.verify(release, promise=sf.DeltaPresence(0.1, 0.8), population=people).holds


def test_classes_that_nobody_fits_are_told():
    people = table_of([(20, "f"), (21, "f")])
    release = showing_cells([("[20, 21]", "f"), ("30", "m")])
    verdict = sf.verify(release, promise=sf.DeltaPresence(0, 0.5), population=people)
    assert verdict.holds
    assert verdict.found[0].endswith("0.5000 to 0.5000; 1 of 2 classes fit nobody of the population")
    assert not sf.verify(release, promise=sf.KMap(1), population=people).holds
