"""One column per respondent: the promise is for the whole record, and intervals speak of everybody."""

import numpy as np
import polars as pl
import pytest

from sfumato import collection
from sfumato.errors import DataError, ParameterError

WARNER = collection.Warner(truth=0.8)
KARY = collection.KaryResponse(values=("a", "b", "c"), epsilon=1.0)
SETS = collection.SubsetSelection(values=tuple(range(8)), epsilon=0.5)
ASKED = collection.OneColumn(columns={"yes": WARNER, "letter": KARY, "number": SETS})


def people(n, seed):
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {"yes": rng.choice(["yes", "no"], n, p=[0.3, 0.7]), "letter": rng.choice(list("abc"), n, p=[0.6, 0.4, 0.0]),
         "number": rng.integers(0, 8, n)}
    )  # fmt: skip


def test_the_promise_is_that_of_the_column_that_tells_most():
    assert ASKED.privacy.gamma == WARNER.privacy.gamma > KARY.privacy.gamma
    open_ended = collection.OneColumn(columns={"a": WARNER, "b": collection.UnrelatedQuestion(unrelated=0.0)})
    assert open_ended.privacy.gamma is None
    assert "column 'b' promises nothing" in repr(open_ended.privacy)


def test_each_row_has_the_report_of_one_column():
    reports = ASKED.randomize(people(600, 1), seed=2)
    assert reports.height == 600
    for name in ASKED.columns:
        own = [each for each in reports.columns if each.startswith(f"{name}.")]
        asked = reports["asked"] == name
        assert 120 < asked.sum() < 280
        for each in own:
            assert (reports[each].is_not_null() == asked).all()
    assert reports.equals(ASKED.randomize(people(600, 1).to_pandas(), seed=2))
    assert not reports.equals(ASKED.randomize(people(600, 1)))


def test_intervals_speak_of_all_who_answered():
    held, n = [], 1200
    for seed in range(150):
        table = people(n, seed)
        found = ASKED.estimate(ASKED.randomize(table, seed=seed))
        for name, estimates in found.items():
            shares = dict(table[name].value_counts(normalize=True).iter_rows())
            held.append([a.low <= shares.get(value, 0.0) <= a.high for value, a in list(estimates.items())[:2]])
    assert 0.93 < np.mean(held) < 0.97


def test_errors_lie_between_those_of_fixed_and_sampled_people():
    found = KARY.estimate(KARY.randomize(["a"] * 300 + ["b"] * 200, seed=1))
    sampled = KARY.estimate(KARY.randomize(["a"] * 300 + ["b"] * 200, seed=1), population="sampled")
    wider = found.among(1000)
    assert found["a"].stderr < wider["a"].stderr < sampled["a"].stderr
    assert found.among(500)["a"].stderr == found["a"].stderr
    assert wider["a"].value == found["a"].value
    with pytest.raises(ParameterError, match="people must be a whole number >= 500"):
        found.among(100)


@pytest.mark.parametrize(
    "columns", [{}, {"a": WARNER}, [WARNER], {"a": WARNER, "b": 3}, {1: WARNER, "b": WARNER}, None]
)
def test_columns_without_randomizers_are_refused(columns):
    with pytest.raises(ParameterError):
        collection.OneColumn(columns=columns)


def test_tables_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="the answers have no column 'letter'"):
        ASKED.randomize({"yes": ["yes"]})
    with pytest.raises(DataError, match="1 and 2 rows"):
        ASKED.randomize({"yes": ["yes"], "letter": ["a", "b"], "number": [1]})
    with pytest.raises(DataError, match="a column 'asked'"):
        ASKED.estimate(pl.DataFrame({"x": [1]}))
    with pytest.raises(DataError, match="a report is about 'age', which was not asked"):
        ASKED.estimate(pl.DataFrame({"asked": ["age"]}))
    with pytest.raises(DataError, match="nobody was asked 'letter'"):
        ASKED.estimate(pl.DataFrame({"asked": ["yes"], "yes.answer": ["yes"]}))


def test_two_waves_with_one_seed_are_not_tied_together():
    """Ten of a thousand answers change, in one column, and reports and the columns asked change everywhere."""
    first = people(1000, 3)
    second = first.with_columns(yes=pl.Series(["yes"] * 20 + first["yes"].to_list()[20:]))
    assert 5 <= (first["yes"] != second["yes"]).sum() <= 20
    one, other = ASKED.randomize(first, seed=5), ASKED.randomize(second, seed=5)
    assert (one["asked"] != other["asked"]).sum() > 500
    assert (one["letter.answer"].fill_null("none") != other["letter.answer"].fill_null("none")).sum() > 250
