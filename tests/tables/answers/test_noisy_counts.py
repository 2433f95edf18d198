"""Sums of noisy counts: the cells that are summed, and intervals that hold the truth."""

import pytest

import sfumato as sf
from sfumato.ground.discrete_laplace import half_width, standard_deviation
from sfumato.ground.errors import ParameterError
from support.counted_tables import KEYS, TRUE, counted

COUNT = "SELECT COUNT(*) FROM release"


def test_one_cell_is_answered_as_it_stands():
    release = counted(epsilon=0.5)
    row = release.to_polars().row(1, named=True)
    answer = sf.ask(release, f"{COUNT} WHERE sex = 'f' AND region = 'south'")
    assert (answer.value, answer.low, answer.high) == (row["count"], row["low"], row["high"])
    assert answer.stderr == pytest.approx(standard_deviation(2.0))
    assert not answer.certain
    assert answer.notes == ()


def test_sums_have_the_interval_of_their_own_noise():
    release = counted(epsilon=0.5)
    total = sf.ask(release, COUNT)
    assert total.value == release.to_polars()["count"].sum()
    assert total.high - total.value == total.value - total.low == half_width(2.0, 5)
    assert half_width(2.0, 5) < 5 * half_width(2.0)
    both = sf.ask(release, f"{COUNT} WHERE sex IN ('f', 'm') AND region IN ('north', 'south')")
    assert both.value == release.to_polars()["count"][:4].sum()
    assert both.high - both.value == half_width(2.0, 4)


def test_records_without_a_key_may_fit_and_are_within_the_bounds():
    release = counted(epsilon=50)
    women = sf.ask(release, f"{COUNT} WHERE sex = 'f'")
    assert women.value == 42  # 44 of them are there, and 2 tell no region
    assert (women.low, women.high) == (42, 49)
    assert "records of 'everything else' may fit too" in women.notes[0]
    for condition in ("sex <> 'm'", "NOT sex = 'm'", "NOT (sex = 'm' OR region = 'x')".replace("'x'", "'north'")):
        assert sf.ask(release, f"{COUNT} WHERE {condition}").notes


def test_the_marginal_with_the_fewest_cells_answers():
    release = counted(by=[["sex", "region"], ["sex"], []], epsilon=90)
    assert (sf.ask(release, COUNT).value, sf.ask(release, f"{COUNT} WHERE sex = 'f'").value) == (56, 44)
    assert sf.ask(release, f"{COUNT} WHERE 'f' = sex").notes == ()
    by_sex = sf.ask(release, f"{COUNT} GROUP BY sex")
    assert [(key, answer.value) for key, answer in by_sex] == [(("f",), 44), (("m",), 7)]
    both = sf.ask(release, f"{COUNT} WHERE region = 'north' GROUP BY sex")
    assert both["m"].value == TRUE["m", "north"]


def test_intervals_hold_the_truth_in_95_of_100_draws():
    """Of a cell, of a sum, and of a sum that records without a key may add to: 44 women, of whom 42 are in cells."""
    asked = {
        "sex = 'f' AND region = 'north'": 12,
        "region IN ('north', 'south') AND sex IN ('f', 'm')": 49,
        "sex = 'f'": 44,
    }
    n = 300
    inside = dict.fromkeys(asked, 0)
    for _ in range(n):
        release = counted(epsilon=0.4)
        for condition, true in asked.items():
            answer = sf.ask(release, f"{COUNT} WHERE {condition}")
            inside[condition] += answer.low <= true <= answer.high
    assert all(each / n >= 0.95 - 4 * (0.05 * 0.95 / n) ** 0.5 for each in inside.values())


@pytest.mark.parametrize(("sql", "said"), [
    ("SELECT SUM(sex) FROM release", "ask for COUNT"), (f"{COUNT} WHERE sex = 'x'", "'x' is no key of column 'sex'"),
    (f"{COUNT} WHERE sex > 'a'", "by =, <> and IN"), (f"{COUNT} WHERE sex = region", "with keys in quotes"),
    (f"{COUNT} WHERE age = 3", "no column is called 'age'"), (f"{COUNT} WHERE sex IS NULL", "by =, <> and IN"),
])  # fmt: skip
def test_what_cannot_be_answered_is_said(sql, said):
    with pytest.raises(ParameterError, match=said):
        sf.ask(counted(), sql)


def test_what_no_marginal_has_is_said():
    release = counted(by=[["sex"], ["region"]])
    with pytest.raises(ParameterError, match=r"all that is asked \(sex, region\); there are counts by sex; region"):
        sf.ask(release, f"{COUNT} WHERE sex = 'f' AND region = 'north'")


def test_keys_that_were_found_are_not_summed():
    release = counted(values={"sex": KEYS["sex"]}, delta=1e-3)
    with pytest.raises(ParameterError, match="the keys of column 'region' were found in the data"):
        sf.ask(release, f"{COUNT} WHERE region = 'north'")
    with pytest.raises(ParameterError, match="no counts with public keys"):
        sf.ask(release, COUNT)
