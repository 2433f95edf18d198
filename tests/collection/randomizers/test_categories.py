"""Every randomizer of categories: the law that it draws by, by enumeration, against what it says of itself."""

import io
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sfumato import collection
from sfumato.collection.randomizers.categories import PureRandomizer
from sfumato.collection.randomizers.randomizer import known_randomizers, randomizer_from_dict
from sfumato.errors import DataError, ParameterError
from support.enumerated_draws import gamma_by_enumeration, report_law

ABC = ("a", "b", "c")
SMALL = {
    "Warner": collection.Warner(truth=0.8),
    "UnrelatedQuestion": collection.UnrelatedQuestion(asked=0.7, unrelated=0.2),
    "KaryResponse": collection.KaryResponse(values=("a", "b", "c", "d"), epsilon=1.1),
    "SymmetricUnaryEncoding": collection.SymmetricUnaryEncoding(values=ABC, epsilon=1.3),
    "OptimalUnaryEncoding": collection.OptimalUnaryEncoding(values=ABC, epsilon=0.9),
    "HadamardResponse": collection.HadamardResponse(values=tuple("abcdef"), epsilon=0.5),
    "SubsetSelection": collection.SubsetSelection(values=tuple("abcdef"), epsilon=1.0, size=3),
    "Rappor": collection.Rappor(values=ABC, f=0.5, p=0.4, q=0.75),
    "BloomRappor": collection.BloomRappor(values=ABC, bits=4, hashes=2, cohorts=2),
    "MatrixResponse": collection.MatrixResponse(values=ABC, matrix=[[0.8, 0.1, 0.1], [0.2, 0.7, 0.1], [0.1, 0.2, 0.7]]),
}
"""One of each that is small enough to be enumerated; local hashing, which draws from a large field, is tested apart."""
PURE = {name: each for name, each in SMALL.items() if isinstance(each, PureRandomizer)}


def supports(randomizer, report):
    """Which values a report supports, by the way in which the collector counts them."""
    return randomizer.support_counts(np.array([report])) > 0


@pytest.mark.parametrize("name", SMALL)
def test_gamma_is_that_of_the_law_that_is_drawn_by(name):
    randomizer = SMALL[name]
    found = gamma_by_enumeration(randomizer, range(randomizer.k))
    if name == "BloomRappor":  # two values may set the same bit
        assert found <= randomizer.privacy.gamma
    else:
        assert found == randomizer.privacy.gamma


@pytest.mark.parametrize("name", [name for name in SMALL if hasattr(SMALL[name], "epsilon")])
def test_no_more_than_the_epsilon_asked_for_is_spent(name):
    from decimal import Decimal, localcontext

    randomizer = SMALL[name]
    with localcontext() as context:
        context.prec = 80
        most = Fraction(Decimal(randomizer.epsilon).exp())
    assert most * (1 - Fraction(1, 10**12)) < randomizer.privacy.gamma <= most


@pytest.mark.parametrize("name", PURE)
def test_supports_are_drawn_as_they_are_told(name):
    randomizer = PURE[name]
    told, k = randomizer.support, randomizer.k
    for answer in range(k):
        law = report_law(randomizer, answer)
        both = np.full((k, k), Fraction(0), dtype=object)
        for report, probability in law.items():
            here = np.flatnonzero(supports(randomizer, report))
            for v in here:
                both[v, here] += probability
        for v in range(k):
            assert both[v, v] == (told.mine if v == answer else told.other)
            for w in set(range(k)) - {v}:
                if name != "HadamardResponse":
                    assert both[v, w] == (told.mine_and_other if answer in (v, w) else told.others)


@pytest.mark.parametrize("name", SMALL)
def test_estimates_are_unbiased_and_their_covariance_is_exact(name):
    """Over the exact law of one report for each answer, the mean of what it counts, and the covariance."""
    randomizer = SMALL[name]
    k = randomizer.k
    means, seconds = np.zeros((k, k)), np.zeros((k, k, k))
    for answer in range(k):
        for report, probability in report_law(randomizer, answer).items():
            frame = randomizer.report_frame(np.array([report]))
            shares = randomizer.estimate(frame).shares
            means[answer] += float(probability) * shares
            seconds[answer] += float(probability) * np.outer(shares, shares)
    assert means == pytest.approx(np.eye(k), abs=1e-9)
    truth = np.arange(1, k + 1) / (k * (k + 1) / 2)
    expected = sum(f * (seconds[u] - np.outer(means[u], means[u])) for u, f in enumerate(truth))
    found = randomizer.estimate(randomizer.randomize([randomizer.values[0]] * 10, seed=1))
    assert found._noise.covariance(truth) == pytest.approx(expected, abs=1e-8)
    assert found._noise.variances(truth) == pytest.approx(np.diag(expected), abs=1e-8)
    if isinstance(randomizer, PureRandomizer):
        exact = [float(randomizer.variance(Fraction(f).limit_denominator(1000))) for f in truth]
        assert exact == pytest.approx(np.diag(expected), abs=1e-8)


@pytest.mark.parametrize("name", SMALL)
def test_a_randomizer_is_read_back_from_plain_data(name):
    randomizer = SMALL[name]
    assert randomizer_from_dict(randomizer.to_dict()) == randomizer
    assert type(randomizer) is known_randomizers()[name]


@pytest.mark.parametrize("name", SMALL)
def test_a_seed_repeats_reports_and_their_tables_are_read_back(name):
    randomizer = SMALL[name]
    answers = list(randomizer.values) * 30
    reports = randomizer.randomize(answers, seed=5)
    assert reports.equals(randomizer.randomize(answers, seed=5))
    assert not reports.equals(randomizer.randomize(answers))
    assert randomizer.report_frame(randomizer.reports_of(reports)).equals(reports)
    for way in (reports.to_pandas(), reports.to_arrow()):
        assert randomizer.estimate(way).shares.tolist() == randomizer.estimate(reports).shares.tolist()
    one = randomizer.reports_of(reports)[:1]
    assert (randomizer.read_report(one[0].tolist()) == one).all()


@pytest.mark.parametrize("name", SMALL)
def test_reports_that_cannot_have_been_drawn_are_refused(name):
    randomizer = SMALL[name]
    good = randomizer.reports_of(randomizer.randomize([randomizer.values[0]] * 3, seed=1))[0].tolist()
    limits = list(randomizer.report_limits.values())
    bad = [[*good, 0], good[:-1], "text", None, 7, {}, [None] * len(good), [True] * len(good)]
    for i, (least, most) in enumerate(limits):
        wrong = (least - 1, most + 1, 0.5, "0", None, 2**70)
        bad += [[*good[:i], value, *good[i + 1 :]] for value in wrong]
    for report in bad:
        with pytest.raises(DataError):
            randomizer.read_report(report)


def test_sets_out_of_order_are_refused():
    asked = SMALL["SubsetSelection"]
    for report in ([0, 0, 1], [2, 1, 3]):
        with pytest.raises(DataError, match="rising order"):
            asked.read_report(report)
    with pytest.raises(DataError, match="rising order"):
        asked.estimate(pl.DataFrame({"value_1": [0, 2], "value_2": [1, 1], "value_3": [2, 3]}))


def test_answers_outside_the_values_are_refused_with_the_way_out():
    asked = SMALL["KaryResponse"]
    with pytest.raises(DataError, match="answer 2 is 'z', which is none of the 4 values; map it"):
        asked.randomize(["a", "z"])
    with pytest.raises(DataError, match="answer 1 is None"):
        asked.randomize([None])
    with pytest.raises(DataError, match="report 1 is 'z'"):
        asked.estimate(["z"])
    with pytest.raises(DataError, match="no reports"):
        asked.estimate(pl.DataFrame({"answer": pl.Series([], dtype=pl.String)}))
    with pytest.raises(DataError, match="column 'answer'"):
        asked.estimate(pl.DataFrame({"other": ["a"]}))


@pytest.mark.parametrize(
    ("values", "said"),
    [("abc", "a list"), (["a"], "between 2"), (["a", "a"], "twice"), ([1, "1"], "texts alone"), ([[1], 2], "texts alone"),
     ([None, 1], "texts alone"), (7, "a list"), ([float("nan"), 1], "texts alone"), ([1, 1.0], "twice"),
     ([2**53 + 1, 2**53, 0.5], "2..53"), ([True, 2], "beside True"), ([True, 1.5], "beside True"), ([1e-7, "x"], "beside 1e-07"),
     ([10**40, 5], "numbers alone"), ([True, "true"], "alone"), ([1.0, "1"], "alone"), ([10**20, 5], "alone"),
     ([10**5000, 5], "whole number of"), ([float("inf"), 1.0], "alone"), ([1, None], "got None"), (["\ud800", "x"], "alone")],
)  # fmt: skip
def test_values_that_make_no_question_are_refused(values, said):
    with pytest.raises(ParameterError, match=said):
        collection.KaryResponse(values=values, epsilon=1.0)


@pytest.mark.parametrize("epsilon", [0, -1, float("inf"), float("nan"), "1", None, True, 21, 1e-6, 9e-6])
def test_an_epsilon_that_cannot_be_kept_is_refused(epsilon):
    with pytest.raises(ParameterError, match=r"epsilon must be a number from 0\.00001 to 20"):
        collection.KaryResponse(values=ABC, epsilon=epsilon)


@pytest.mark.parametrize("values", [[1, 2, 3], [1.5, 2.0, 3.0], [True, False], ["x", "y"], [1, 2.5], [2**53, -(2**53)]])
def test_values_of_every_kind_come_back_as_they_were_given(values):
    asked = collection.KaryResponse(values=values, epsilon=2.0)
    found = asked.estimate(asked.randomize(np.array(values * 20), seed=1))
    assert list(found) == values
    assert found[values[0]].value == found.shares[0]
    assert sum(found.shares) == pytest.approx(1.0)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=6, unique=True)
    | st.lists(st.integers(-(2**53), 2**53), min_size=2, max_size=6, unique=True)
    | st.lists(st.integers(-(2**53), 2**53) | st.floats(-1e9, 1e9), min_size=2, max_size=6, unique=True)
    | st.just([True, False])
    | st.lists(st.sampled_from(["x", "a b", "é", "no", "yes, or"]), min_size=2, max_size=5, unique=True)
)
def test_reports_of_values_come_back_from_files_as_they_were(values):
    asked = collection.KaryResponse(values=values, epsilon=2.0)
    codes = np.arange(len(values))[:, None]
    assert (asked.codes_of(list(values)) == codes[:, 0]).all()
    shown = asked.report_frame(codes)
    assert (asked.reports_of(shown) == codes).all()
    text, parquet = io.BytesIO(), io.BytesIO()
    shown.write_csv(text)
    shown.write_parquet(parquet)
    assert (asked.reports_of(pl.read_csv(text.getvalue())) == codes).all()
    assert (asked.reports_of(pl.read_csv(text.getvalue(), infer_schema=False)) == codes).all()
    assert (asked.reports_of(pl.read_parquet(parquet.getvalue())) == codes).all()


def test_numbers_are_compared_exactly():
    asked = collection.KaryResponse(values=[2**53, 0.5], epsilon=1.0)
    for answer in ([2**53 + 1], ["9007199254740993"], [True], [None], [float("nan")], ["x"], [pl.Series([1])]):
        with pytest.raises(DataError):
            asked.codes_of(answer)
    assert asked.codes_of(["0.50", "9007199254740992"]).tolist() == [1, 0]
    with pytest.raises(DataError):
        collection.KaryResponse(values=[True, False], epsilon=1.0).codes_of([1, 0])


@pytest.mark.parametrize("k", [2, 3, 7, 8, 100])
def test_hadamard_columns_agree_with_the_matrix(k):
    """Every row but the first has as many +1 as -1, and the transform counts what the matrix says."""
    asked = collection.HadamardResponse(values=list(range(k)), epsilon=1.0)
    rows, columns = np.arange(1, k + 1), np.arange(asked.n_columns)
    plus = np.bitwise_count(rows[:, None] & columns[None, :]) % 2 == 0
    assert (plus.sum(axis=1) == asked.n_columns // 2).all()
    rng = np.random.default_rng(1)
    reports = rng.integers(0, asked.n_columns, (500, 1))
    assert asked.support_counts(reports).tolist() == plus[:, reports[:, 0]].sum(axis=1).tolist()


def test_one_seed_for_two_columns_does_not_tie_them_together():
    """With the same noise in both, whoever holds the two could take it out again."""
    asked = collection.KaryResponse(values=tuple(range(50)), epsilon=0.5)
    answers = np.random.default_rng(1).integers(0, 50, (2, 4_000))
    stays = [asked.randomize(column, seed=7)["answer"].to_numpy() == column for column in answers]
    assert abs(np.corrcoef(stays)[0, 1]) < 0.08
    other = collection.KaryResponse(values=tuple(range(50)), epsilon=0.6)
    again = [each.randomize(answers[0], seed=7)["answer"].to_numpy() == answers[0] for each in (asked, other)]
    assert abs(np.corrcoef(again)[0, 1]) < 0.08


@pytest.mark.parametrize("stages", [
    {"f": 1 - 1e-16}, {"f": 0.5, "p": 0.5, "q": 0.5000000000000001}, {"f": 0.0, "p": 1e-20, "q": 1e-18}, {"f": 1 - 1e-7},
])  # fmt: skip
def test_stages_from_which_nothing_is_learnt_are_refused(stages):
    with pytest.raises(ParameterError, match="too near to learn from"):
        collection.Rappor(values=ABC, **stages)
    with pytest.raises(ParameterError, match="too near to learn from"):
        collection.BloomRappor(values=ABC, **stages)


@pytest.mark.parametrize("truth", [1e-17, 1e-300])
def test_a_truth_that_thresholds_do_not_tell_from_never_is_refused(truth):
    with pytest.raises(ParameterError, match="so near to 0 or 1"):
        collection.Warner(truth=truth)
    assert collection.Warner(truth=1e-15).privacy.gamma > 1e14


def test_the_smallest_epsilon_is_kept():
    for kind in (
        collection.KaryResponse,
        collection.OptimalUnaryEncoding,
        collection.HadamardResponse,
        collection.SubsetSelection,
    ):
        asked = kind(values=ABC, epsilon=1e-5)
        assert asked.privacy.gamma > 1
        assert asked.privacy.epsilon <= 1e-5
        assert np.isfinite(asked.estimate(asked.randomize(["a"] * 10, seed=1)).shares).all()


def test_a_question_without_reports_or_values_is_refused_in_a_sentence():
    asked = collection.KaryResponse(values=ABC, epsilon=1.0)
    with pytest.raises(DataError, match="no reports"):
        asked.likeliest([])
    with pytest.raises(DataError, match="a list of 1 whole numbers"):
        asked.read_report(b"x")
    found = asked.estimate(list("abc"))
    for value in (["a"], {"a": 1}, None, "z"):
        with pytest.raises(ParameterError, match="no value is called"):
            found[value]
