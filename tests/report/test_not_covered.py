"""What the report on a table says that its promise does not cover, against counting by hand."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.published.equivalence import PublishedClasses
from sfumato.report.content import gather
from sfumato.report.not_covered import best_guesses, share_right
from sfumato.verbs.measure import measure
from support.report_pages import Page, report_page


def right_by_hand(rows, known, secret):
    """Guess the most frequent value among the rows that are alike in what is known, and count."""
    seen = defaultdict(Counter)
    for row in rows:
        seen[tuple(row[name] for name in known)][row[secret]] += 1
    return sum(max(counts.values()) for counts in seen.values()) / len(rows)


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=15))
def test_the_best_guess_is_that_by_hand(rows):
    known, secret = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    assert share_right([pl.Series(known)], secret) == pytest.approx(right_by_hand(rows, [0], 1))
    assert share_right([pl.Series(known), pl.Series(secret)], secret) == 1


def patients(n=480, *, linked=True):
    rng = np.random.default_rng(8)
    drug = rng.integers(0, 3, n)
    ill = np.where(rng.random(n) < (0.5 if linked else 0.0), drug, rng.integers(0, 3, n))
    return pl.DataFrame(
        {
            "id": range(n), "age": rng.integers(20, 60, n), "drug": [f"d{d}" for d in drug],
            "ill": [f"i{v}" for v in ill],
        }
    )  # fmt: skip


SCHEMA = sf.Schema(identifier=["id"], quasi=["age"], plain=["drug"], sensitive=["ill"])


def limits_of(frame, schema, promise, method=None):
    table = sf.Table(frame, schema)
    release = sf.publish(table, method or sf.Mondrian(), promise, seed=1)
    return release, list(gather(release, release.verdict, measure(release, table)).limits)


def test_a_plain_column_that_tells_more_than_the_class_is_measured_and_named():
    release, limits = limits_of(patients(), SCHEMA, sf.KAnonymity(8) & sf.LDiversity(2))
    rows = release.data.frame.to_dicts()
    alone, both = right_by_hand(rows, ["age"], "ill"), right_by_hand(rows, ["age", "drug"], "ill")
    assert alone <= 0.5 < both
    line = next(each for each in limits if each.startswith("The best guess of ill"))
    assert line == (
        f"The best guess of ill is right for {alone:.1%} of rows from the class alone, for {both:.1%} with drug known "
        f"too. The promise of 1 in 2 is about the class alone."
    )
    single = Counter((row["age"], row["drug"]) for row in rows)
    share = sum(n == 1 for n in single.values()) / len(rows)
    assert (
        f"Whoever also knows drug of a person: this is published as recorded. To whoever knows it, {share:.1%} of rows "
        f"stand alone in their class." in limits
    )


def test_the_figures_are_those_of_the_published_rows():
    """Whoever holds the release counts the same: nothing of the original is in them."""
    release, limits = limits_of(patients(), SCHEMA, sf.KAnonymity(8))
    copy = sf.Table(release.data.frame.sample(fraction=1.0, shuffle=True, seed=3), release.data.schema)
    classes = PublishedClasses(copy.frame, ["age"], ["ill"], release.schema.columns)
    (guess,), left = best_guesses(classes, ["drug"])
    assert left == 0
    assert any(f"{guess.alone:.1%}" in each and f"{guess.both:.1%}" in each for each in limits)


def test_a_column_that_adds_little_is_not_named_as_telling():
    frame = patients(linked=False).with_columns(drug=pl.lit("same"))
    _, limits = limits_of(frame, SCHEMA, sf.KAnonymity(8) & sf.LDiversity(2))
    assert not any(each.startswith("The best guess") for each in limits)


def test_nothing_is_promised_of_values_without_a_promise_about_them():
    release, limits = limits_of(patients(), SCHEMA, sf.KAnonymity(8))
    right = right_by_hand(release.data.frame.to_dicts(), ["age"], "ill")
    assert limits[0] == (
        f"What is learned about somebody: nothing is promised of ill. Whoever knows which class somebody is in guesses "
        f"ill right for {right:.1%} of rows."
    )
    same = patients().with_columns(ill=pl.when(pl.col("age") < 40).then(pl.lit("flu")).otherwise(pl.col("ill")))
    release, limits = limits_of(same, SCHEMA, sf.KAnonymity(8))
    values = release.data.frame.group_by("age").agg(pl.col("ill").n_unique())["ill"]
    assert f"; in {(values == 1).sum()} of {len(values)} everybody has the same." in limits[0]
    _, none = limits_of(patients(), sf.Schema(identifier=["id"], quasi=["age"]), sf.KAnonymity(8))
    assert (
        none[0]
        == "What is learned about somebody: no column is declared sensitive, and nothing is promised of any value."
    )
    assert "Whoever knows more of a person than age." in none


def test_columns_that_a_promise_leaves_out_are_named():
    frame = patients().with_columns(wage=pl.col("age") // 10)
    schema = sf.Schema(identifier=["id"], quasi=["age"], sensitive=["ill", "wage"])
    _, limits = limits_of(frame, schema, sf.KAnonymity(8) & sf.LDiversity(2, columns=("ill",)))
    assert limits[0].startswith("What is learned about somebody: nothing is promised of wage.")


def test_rows_of_one_person_are_spoken_of():
    line = "Several rows of one person: each row is counted as a person, and whoever has several hides among fewer."
    _, limits = limits_of(patients(), SCHEMA, sf.KAnonymity(8))
    assert limits[-1] == line
    twice = patients().with_columns(id=pl.col("id") // 2)
    said = sf.Schema(identifier=["id"], quasi=["age"], plain=["drug"], sensitive=["ill"], rows_are_persons=True)
    _, limits = limits_of(twice, said, sf.KAnonymity(8))
    assert limits[-1] == f"{line} The owner says that no two rows are of one person, although the identifiers repeat."
    two = sf.Schema(identifier=["id", "visit"], quasi=["age"], sensitive=["ill"])
    release, limits = limits_of(twice.with_columns(visit=pl.int_range(480)), two, sf.KAnonymity(8))
    assert limits[-1].startswith(line)
    assert "A column of the original that names people repeats" in limits[-1]
    owner = Page(report_page(release, release.owner.original, "owner")).words
    assert "Identifiers that repeat" in owner
    assert "480 rows share 240 values" in owner
    assert "240 values" not in Page(report_page(release, release.owner.original)).words


def test_methods_and_other_releases_are_spoken_of():
    _, limits = limits_of(patients(), SCHEMA, sf.LDiversity(2))
    text = " ".join(limits)
    assert "The owner can try MinimalityAttack." in text
    assert "The owner can try InferenceAttack." in text
    assert "The same people published again, here or elsewhere" in text
    _, only_k = limits_of(patients(), SCHEMA, sf.KAnonymity(8))
    assert "MinimalityAttack" not in " ".join(only_k)  # classes of k alone do not depend on values


@pytest.mark.parametrize(
    ("method", "promise"),
    [(sf.Anatomy(), sf.LDiversity(2)), (sf.Condensation(), sf.KAnonymity(8)), (sf.AdditiveNoise(0.2), None)],
    ids=["two tables", "condensed", "noise"],
)
def test_every_report_on_a_table_has_the_section(method, promise):
    release, limits = limits_of(patients(), SCHEMA, promise, method)
    assert limits
    assert "Not covered" in Page(report_page(release, release.owner.original)).words
    assert not any("from the class alone" in each for each in limits)


def test_many_pairs_are_counted_up_to_a_bound(monkeypatch):
    frame = patients().with_columns(**{f"p{i}": pl.col("drug") for i in range(8)})
    schema = sf.Schema(identifier=["id"], quasi=["age"], plain=[f"p{i}" for i in range(8)], sensitive=["ill"])
    monkeypatch.setattr("sfumato.report.not_covered._MOST_WORK", 480 * 6)
    _, limits = limits_of(frame, schema, sf.KAnonymity(8))
    assert "2 more pairs of a plain and a sensitive column, which were not counted for this page." in limits


def test_files_that_the_verdict_does_not_cover_are_listed():
    from dataclasses import replace

    release, _ = limits_of(patients(), SCHEMA, sf.KAnonymity(8))
    verdict = replace(release.verdict, not_covered=("the file 'notes.txt' is not in the certificate",))
    page = report_page(release, release.owner.original, verdict=verdict)
    assert "The file &#39;notes.txt&#39; is not in the certificate." in page
