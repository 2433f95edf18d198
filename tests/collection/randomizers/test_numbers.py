"""Every randomizer of numbers: the law that it draws by, by enumeration, against what it says of itself."""

import json
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import pairwise

import numpy as np
import polars as pl
import pytest

from sfumato import collection
from sfumato.collection.randomizers.randomizer import known_randomizers, randomizer_from_dict
from sfumato.errors import DataError, ParameterError
from support.enumerated_draws import largest_ratio, report_law

SMALL = {
    "LaplaceNoise": collection.LaplaceNoise(low=0, high=6, epsilon=4.5, steps=3),
    "UniformNoise": collection.UniformNoise(low=0, high=6, margin=4, steps=3),
    "NormalNoise": collection.NormalNoise(low=0, high=6, sd=3, steps=3),
    "Staircase": collection.Staircase(low=0, high=6, epsilon=3.0, steps=3),
    "Duchi": collection.Duchi(low=-1, high=5, epsilon=1.3, steps=4),
    "Piecewise": collection.Piecewise(low=-1, high=5, epsilon=1.0, steps=3),
    "Hybrid": collection.Hybrid(low=-1, high=5, epsilon=0.8, steps=1),
}
PROMISING = [name for name in SMALL if hasattr(SMALL[name], "epsilon")]
USUAL = {
    name: type(each)(low=0, high=100, **({"epsilon": 1.0} if name in PROMISING else {"margin": 50.0} if name == "UniformNoise" else {"sd": 25.0}))
    for name, each in SMALL.items()
}  # fmt: skip


@cache
def laws(randomizer):
    return [report_law(randomizer, code) for code in range(randomizer.steps + 1)]


@pytest.mark.parametrize("name", SMALL)
def test_gamma_is_that_of_the_law_that_is_drawn_by(name):
    assert largest_ratio(laws(SMALL[name])) == SMALL[name].privacy.gamma


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 4.0, 12.0])
@pytest.mark.parametrize("name", PROMISING)
def test_no_more_than_the_epsilon_asked_for_is_spent(name, epsilon):
    with localcontext() as context:
        context.prec = 80
        most = Fraction(Decimal(epsilon).exp())
    for steps in (1, 7, 200):
        gamma = type(SMALL[name])(low=0, high=1, epsilon=epsilon, steps=steps).privacy.gamma
        assert gamma <= most
        assert float(gamma) > float(most) ** (1 - 1e-5), "and nearly all of it"


@pytest.mark.parametrize("name", SMALL)
def test_values_are_unbiased_and_vary_as_told(name):
    randomizer = SMALL[name]
    for law, point in zip(laws(randomizer), randomizer.points(), strict=True):
        reports = np.array([report for (report,) in law])
        chances = np.array([float(each) for each in law.values()])
        values = randomizer.values_of(reports)
        mean = chances @ values
        assert mean == pytest.approx(point, abs=1e-6)
        assert chances @ (values - mean) ** 2 == pytest.approx(randomizer.variance_at(point), rel=1e-6)
    assert randomizer.worst_variance == pytest.approx(
        max(map(randomizer.variance_at, randomizer.points())), rel=1e-9
    ) or (randomizer.steps % 2 and name in ("Duchi",))


@pytest.mark.parametrize("name", ["Duchi", "Piecewise", "Hybrid"])
def test_mechanisms_for_a_mean_are_unbiased_exactly(name):
    """The mean of the reports is affine in the answer, in exact fractions (the hybrid's of each mechanism)."""
    randomizer = SMALL[name]
    parts = randomizer.parts if name == "Hybrid" else (randomizer,)
    for part in parts:
        means = [sum(report * chance for (report,), chance in law.items()) for law in laws(part)]
        assert len({b - a for a, b in pairwise(means)}) == 1


@pytest.mark.parametrize("name", SMALL)
def test_every_report_can_be_drawn(name):
    randomizer = SMALL[name]
    drawn = {report for law in laws(randomizer) for (report,) in law}
    least, most = randomizer.report_limits["report"]
    assert drawn == set(range(least, most + 1))


@pytest.mark.parametrize("name", SMALL)
def test_answers_are_clipped_and_put_on_the_nearest_grid_point(name):
    randomizer = SMALL[name]
    points = randomizer.points()
    given = np.concatenate([points, points + 0.4 * randomizer.unit, [-99.0, 99.0, np.inf, -np.inf]])
    nearest = [int(np.abs(points - each).argmin()) for each in np.clip(given, randomizer.low, randomizer.high)]
    assert randomizer.codes_of(given).tolist() == nearest
    assert randomizer.codes_of([1, 2]).tolist() == randomizer.codes_of(pl.Series([1.0, 2.0])).tolist()


@pytest.mark.parametrize("name", SMALL)
def test_answers_that_are_no_numbers_are_refused_with_their_place(name):
    randomizer = SMALL[name]
    for bad in ([1.0, None, 2.0], [1.0, float("nan")], np.array([0.0, np.nan])):
        with pytest.raises(DataError, match=r"answer 2 is (None|nan), and not a number"):
            randomizer.randomize(bad)
    for bad in (["a", "b"], [True, False], "text", 7, np.zeros((2, 2))):
        with pytest.raises(DataError, match="answers are"):
            randomizer.randomize(bad)


@pytest.mark.parametrize("name", USUAL)
def test_a_seed_repeats_reports_and_their_tables_are_read_back(name):
    randomizer = USUAL[name]
    answers = np.linspace(0, 100, 300)
    reports = randomizer.randomize(answers, seed=5)
    assert reports.equals(randomizer.randomize(answers, seed=5))
    assert not reports.equals(randomizer.randomize(answers))
    expected = randomizer.estimate(reports).value
    for way in (
        reports.to_pandas(),
        reports.to_arrow(),
        reports["report"],
        reports["report"].to_numpy(),
        reports["report"].to_list(),
    ):
        assert randomizer.estimate(way).value == expected
    assert randomizer.read_report([int(reports["report"][0])]).tolist() == [[reports["report"][0]]]
    assert randomizer_from_dict(randomizer.to_dict()) == randomizer
    assert type(randomizer) is known_randomizers()[name]


@pytest.mark.parametrize("name", USUAL)
def test_what_is_shipped_is_small_and_of_whole_numbers(name):
    shipped = USUAL[name].shipped
    assert len(json.dumps(shipped)) < 20_000
    flat = json.dumps({k: v for k, v in shipped.items() if k not in ("kind", "low", "high", "piecewise", "duchi")})
    assert "." not in flat


@pytest.mark.parametrize("name", SMALL)
def test_reports_that_cannot_have_been_drawn_are_refused(name):
    randomizer = SMALL[name]
    least, most = randomizer.report_limits["report"]
    for report in ([least - 1], [most + 1], [0.5], ["0"], [None], [True], [], [0, 0], 0, "0"):
        with pytest.raises(DataError):
            randomizer.read_report(report)
    for column in ([most + 1], [least - 1], [0.5], [None], ["x"]):
        with pytest.raises(DataError, match="cannot have been drawn"):
            randomizer.estimate(column)
    with pytest.raises(DataError, match="no reports"):
        randomizer.estimate(pl.DataFrame({"report": pl.Series([], dtype=pl.Int64)}))
    with pytest.raises(ParameterError, match="population"):
        randomizer.estimate([0], population="all")


@pytest.mark.parametrize(
    ("change", "said"),
    [({"low": "0"}, "low must be"), ({"high": None}, "high must be"), ({"low": 100, "high": 0}, "low must be below high"),
     ({"low": 5, "high": 5}, "low must be below high"), ({"high": float("inf")}, "high must be"), ({"steps": 0}, "steps must be"),
     ({"steps": 10_001}, "steps must be 10,000 at the most"), ({"steps": 2.5}, "steps must be"),
     ({"low": 1e9, "high": 1e9 + 1e-3}, "by a hair"), ({"low": -1e308, "high": 1.5e308}, "low must be below high")],
)  # fmt: skip
@pytest.mark.parametrize("name", USUAL)
def test_bounds_and_grids_that_make_no_question_are_refused(name, change, said):
    with pytest.raises(ParameterError, match=said):
        randomizer_from_dict({**USUAL[name].to_dict(), **change})


@pytest.mark.parametrize("name", PROMISING)
@pytest.mark.parametrize("epsilon", [0, -1, float("inf"), float("nan"), "1", None, True, 21])
def test_an_epsilon_that_cannot_be_kept_is_refused(name, epsilon):
    with pytest.raises(ParameterError, match="epsilon must be"):
        type(SMALL[name])(low=0, high=1, epsilon=epsilon)


@pytest.mark.parametrize("name", SMALL)
def test_people_are_told_what_is_promised(name):
    said = SMALL[name].in_words()
    assert "You report" in said or "you report" in said
    assert ("promises nothing by itself" in said) == (name not in PROMISING)
    assert ("times as likely, beside another" in said) == (name in PROMISING)


# -- means -------------------------------------------------------------------------------------------------------------
def check_means(randomizer, population, *, n, runs, seed):
    rng = np.random.default_rng(seed)
    one = rng.choice([5.0, 20.0, 20.0, 90.0], size=n)
    answers = np.tile(one, (runs, 1)) if population == "fixed" else rng.choice([5.0, 20.0, 20.0, 90.0], size=(runs, n))
    truth = one.mean() if population == "fixed" else 33.75
    reports = randomizer.reports_of(randomizer.randomize(answers.ravel(), seed=seed)).reshape(runs, n)
    found = [randomizer.estimate(each, population=population) for each in reports]
    values = np.array([each.value for each in found])
    spread = np.mean([randomizer.variance_at(each) for each in one]) + (
        np.var([5, 20, 20, 90]) if population == "sampled" else 0
    )
    assert abs(values.mean() - truth) < 4.5 * np.sqrt(spread / n / runs), "unbiased"
    assert values.std() / np.sqrt(spread / n) == pytest.approx(1, abs=5 / np.sqrt(2 * runs)), "as exact as is told"
    held = np.mean([each.low <= truth <= each.high for each in found])
    slack = 0.02 + 3 * np.sqrt(0.05 * 0.95 / runs) * (runs < 5000)
    assert held > 0.95 - slack
    assert held < (0.95 + slack if randomizer.variances[1] > -0.5 else 1.0), "Duchi's variance is taken at its worst"


@pytest.mark.parametrize("name", USUAL)
def test_a_few_means_are_unbiased_and_their_intervals_hold(name):
    check_means(USUAL[name], "fixed", n=400, runs=200, seed=3)


@pytest.mark.slow
@pytest.mark.parametrize("population", ["fixed", "sampled"])
@pytest.mark.parametrize("name", USUAL)
def test_many_means_are_unbiased_and_their_intervals_hold(name, population):
    check_means(USUAL[name], population, n=300, runs=6_000, seed=4)


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([[1]]), pl.Series([object()], dtype=pl.Object), pl.Series([b"1"]), pl.Series([{"a": 1}]),
        pl.Series(["1"], dtype=pl.Categorical), pl.Series([2**100], dtype=pl.Int128),
    ],
)  # fmt: skip
def test_columns_that_hold_no_whole_numbers_are_refused(column):
    with pytest.raises(DataError, match="column 'report' of the reports holds whole numbers"):
        USUAL["Duchi"].estimate(column)
    assert USUAL["Duchi"].reports_of(pl.Series([1], dtype=pl.Int128)).tolist() == [[1]]


def test_what_cannot_be_reckoned_with_is_refused():
    with pytest.raises(ParameterError, match="answer must be a number, got None"):
        USUAL["Duchi"].variance_at(None)
    for bad in (lambda: collection.best_mean(1.0, -1e308, 0), lambda: collection.NormalNoise(low=0, high=5e-324, sd=1)):
        with pytest.raises(ParameterError, match="low and high must be between 1e-60 and 1e"):
            bad()
    with pytest.raises(ParameterError, match="confidence must be so far above 0"):
        collection.NormalNoise.of_level(low=0, high=1, level=1.0, confidence=5e-324)
