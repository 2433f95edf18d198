"""Real data: what the groupings lose on Adult and on the census, and what the paper says of them."""

from __future__ import annotations

import polars as pl
import pytest

import sfumato as sf

pytestmark = [pytest.mark.data, pytest.mark.slow]

ADULT7 = ["age", "workclass", "education-num", "marital-status", "race", "sex", "native-country"]
TODS_ADULT = ["age", "sex", "education", "marital-status", "race", "workclass", "native-country"]
TODS_CENSUS = ["age", "sex", "education", "marital_status", "race", "class_of_worker", "country_of_birth_self"]


@pytest.fixture(scope="module")
def adult(data_folder):
    return pl.read_csv(data_folder / "relational" / "adult.csv.gz", null_values="?")


@pytest.fixture(scope="module")
def census(data_folder):
    return pl.read_csv(data_folder / "relational" / "census_income.csv.gz", null_values="?")


def hierarchies(data_folder, names):
    folder = data_folder / "relational" / "adult_hierarchies"
    return {name: sf.Hierarchy.from_csv(folder / f"adult_hierarchy_{name}.csv") for name in names}


def gcp(table, method, k):
    release = sf.publish(table, method, sf.KAnonymity(k), seed=1)
    assert release.verdict.holds
    return sf.measure(release, table, n_queries=1)["gcp"]


@pytest.mark.parametrize(("k", "prototype"), [(5, 0.0221), (10, 0.0390), (50, 0.1038)])
def test_hilbert_reaches_the_prototype_on_adult(adult, k, prototype):
    """The 30,162 complete training rows, seven columns, no hierarchies."""
    complete = adult.head(32_561).drop_nulls()
    assert complete.height == 30_162
    table = sf.Table(complete, sf.Schema(quasi=ADULT7))
    hilbert, mondrian = gcp(table, sf.Hilbert(), k), gcp(table, sf.Mondrian(), k)
    print(f"\nadult, 30,162 rows, k={k}: GCP Hilbert {hilbert:.4f}, Mondrian {mondrian:.4f}, prototype {prototype:.4f}")
    assert hilbert <= prototype
    assert hilbert < mondrian


@pytest.mark.parametrize("k", [10, 50])
@pytest.mark.parametrize("with_trees", [False, True], ids=["sets", "hierarchies"])
def test_hilbert_loses_less_than_mondrian_on_adult(adult, data_folder, k, with_trees):
    """The seven quasi-identifiers of the paper, all 48,842 rows, missing values as values."""
    names = ["education", "marital-status", "native-country", "workclass", "race", "sex"] if with_trees else []
    table = sf.Table(adult, sf.Schema(quasi=TODS_ADULT, hierarchies=hierarchies(data_folder, names)))
    hilbert, mondrian = gcp(table, sf.Hilbert(), k), gcp(table, sf.Mondrian(), k)
    print(
        f"\nadult, 48,842 rows, {'hierarchies' if with_trees else 'sets'}, k={k}: Hilbert {hilbert:.4f}, Mondrian {mondrian:.4f}"
    )
    assert hilbert < mondrian


@pytest.mark.parametrize("k", [10, 50])
def test_hilbert_loses_less_than_mondrian_on_the_census(census, k):
    table = sf.Table(census, sf.Schema(quasi=TODS_CENSUS))
    hilbert, mondrian = gcp(table, sf.Hilbert(), k), gcp(table, sf.Mondrian(), k)
    print(f"\ncensus, 99,762 rows, k={k}: GCP Hilbert {hilbert:.4f}, Mondrian {mondrian:.4f}")
    assert hilbert < mondrian


def test_adult_under_every_promise(adult, data_folder, tmp_path):
    names = ["age", "education", "marital-status", "native-country", "workclass", "race", "sex"]
    schema = sf.Schema(quasi=names, sensitive=["occupation"], hierarchies=hierarchies(data_folder, names))
    table = sf.Table(adult, schema)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(10) & sf.LDiversity(4) & sf.TCloseness(0.4), seed=1)
    release.save(tmp_path / "adult")
    assert sf.verify(sf.load_release(tmp_path / "adult"), original=table).holds


def test_the_american_community_survey(data_folder, tmp_path):
    table = sf.read_table(data_folder / "relational" / "acs_national2019.csv.gz", missing=("", "N"))
    schema = sf.Schema(quasi=["PUMA", "AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU"], sensitive=["PINCP_DECILE"])
    table = table.with_schema(schema)
    hilbert, mondrian = gcp(table, sf.Hilbert(), 10), gcp(table, sf.Mondrian(), 10)
    print(f"\nACS, {len(table):,} rows, k=10: GCP Hilbert {hilbert:.4f}, Mondrian {mondrian:.4f}")
    sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(3), seed=1).save(tmp_path / "acs", format="csv")


@pytest.mark.parametrize(("k", "prototype"), [(5, 0.0158), (10, 0.0299), (50, 0.0854)])
def test_ordered_reaches_the_prototype_of_150_orders_on_adult(adult, k, prototype):
    table = sf.Table(adult.head(32_561).drop_nulls(), sf.Schema(quasi=ADULT7))
    release = sf.publish(table, sf.Ordered(), sf.KAnonymity(k), seed=1)
    assert release.verdict.holds
    assert sf.measure(release, table, n_queries=1)["gcp"] < min(prototype, gcp(table, sf.Hilbert(), k))
    assert release.public["order"].startswith("snake: ")


@pytest.mark.parametrize("l", [4, 8, 10])
def test_orders_lose_far_less_than_mondrian_under_l_diversity(census, l):
    """Working people, 46 occupations: no l above 11 can be kept."""
    table = sf.Table(
        census.filter(pl.col("occupation_code") != 0), sf.Schema(quasi=TODS_CENSUS, sensitive=["occupation_code"])
    )
    lost = {}
    for method in (sf.Mondrian(), sf.Hilbert(), sf.Ordered()):
        release = sf.publish(table, method, sf.LDiversity(l), seed=1)
        assert release.verdict.reached[f"LDiversity({l})"] >= l
        lost[type(method).__name__] = sf.measure(release, table, n_queries=1)["gcp"]
    assert lost["Ordered"] < 0.75 * lost["Hilbert"]
    assert lost["Hilbert"] < 0.5 * lost["Mondrian"]
