"""Who of a population fits a published class, against brute force and by what is known of the columns."""

from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.ground.errors import (
    PromiseBrokenError,
)
from support.populations import sample_of_population, showing_cells, table_of


def fits(cell, row):
    (age, sex), (low_high, sexes) = row, cell
    return (low_high == "*" or low_high[0] <= age <= low_high[1]) and (sexes == "*" or sex in sexes)


def as_text(cell):
    ages, sexes = cell
    shown = ages if ages == "*" else f"[{ages[0]}, {ages[1]}]" if ages[0] < ages[1] else f"{ages[0]}"
    return shown, sexes if sexes == "*" else f"{{{', '.join(sorted(sexes))}}}" if len(sexes) > 1 else sexes


ages = st.integers(20, 26)


cells = st.tuples(
    st.one_of(st.just("*"), st.tuples(ages, ages).map(lambda pair: (min(pair), max(pair)))),
    st.sampled_from(["*", "f", "m", "fm"]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(ages, st.sampled_from("fm")), min_size=1, max_size=12), st.lists(cells, min_size=1, max_size=6),
       st.integers(1, 4), st.sampled_from([(0, 0.5), (0.1, 0.6), (0, 1)]))  # fmt: skip
def test_verify_counts_people_as_brute_force_does(people, shown, k, bounds):
    population = table_of(people)
    release = showing_cells([as_text(cell) for cell in shown])
    classes = {}
    for cell in shown:
        classes.setdefault(as_text(cell), []).append(cell)
    fitting = {text: [row for row in people if fits(same[0], row)] for text, same in classes.items()}
    verdict = sf.verify(release, promise=sf.KMap(k), population=population)
    fewest = min(len(each) for each in fitting.values())
    assert verdict.holds == (fewest >= k)
    assert verdict.reached == {f"KMap(k={k})": fewest}

    hidden = len(classes.pop(("*", "*"), []))
    several = sum(sum(fits(same[0], row) for same in classes.values()) > 1 for row in people)
    verdict = sf.verify(release, promise=sf.DeltaPresence(*bounds), population=population)
    if several:
        assert verdict.undecided
        assert not verdict.holds
        return
    shown_people = sum(min(len(same), len(fitting[text])) for text, same in classes.items())
    rest = max(len(people) - shown_people, hidden)
    chances = []
    for row in people:
        mine = [text for text, same in classes.items() if fits(same[0], row)]
        share = (
            Fraction(min(len(classes[mine[0]]), len(fitting[mine[0]])), len(fitting[mine[0]])) if mine else Fraction(0)
        )
        chances.append(1 - (1 - share) * (1 - Fraction(hidden, rest)) if hidden else share)
    low, high = (Fraction(str(bound)) for bound in bounds)
    assert verdict.holds == all(low <= chance <= high for chance in chances)


def test_nodes_of_a_hierarchy_are_counted_by_what_is_known_of_it(tmp_path):
    paths = [("1010", "10", "*"), ("1011", "10", "*"), ("2020", "20", "*"), ("2021", "20", "*"), ("3030", "30", "*")]
    tree = sf.Hierarchy.from_paths(paths)
    schema = sf.Schema(quasi=["zip"], hierarchies={"zip": tree})
    table = sf.Table(pl.DataFrame({"zip": ["1010", "1011", "2020", "2021"]}), schema)
    everybody = pl.DataFrame({"zip": ["1010", "1011", "2020", "2021", "2021", "3030"]})
    people = sf.Table(everybody, schema)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2) & sf.KMap(2, people), seed=1)
    assert sorted(release.data.to_polars()["zip"].unique()) == ["10", "20"]
    loaded = sf.load_release(release.save(tmp_path / "out", report=False))
    assert sf.verify(loaded, population=people).holds
    flat = sf.verify(loaded, population=sf.Table(everybody, sf.Schema(quasi=["zip"])))
    assert flat.undecided
    assert "declare it in the schema of the population" in flat.found[1]
    presence = sf.verify(loaded, promise=sf.DeltaPresence(0, 1), population=people)
    assert presence.found == ("the chance that somebody of the 6 is in the table is 0.0000 to 1.0000",)


def test_what_shows_single_values_is_not_decided():
    table, people = sample_of_population()
    with pytest.raises(PromiseBrokenError, match="cover nobody else; show ranges"):
        sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(5) & sf.KMap(5, people))
    frame = pl.DataFrame({"age": ["20", "20"], "sex": ["f", "f"]})
    verdict = sf.verify(frame, promise=sf.KMap(2, table_of([(20, "f")] * 3)), quasi=["age", "sex"])
    assert verdict.undecided
    assert "only a release says how its cells are to be read" in verdict.found[0]


def test_two_tables_are_counted_by_what_was_recorded():
    rows = [(20, "f"), (20, "f"), (21, "m"), (21, "m")]
    frame = pl.DataFrame(rows, schema=["age", "sex"], orient="row").with_columns(s=pl.Series(["a", "b", "a", "b"]))
    table = sf.Table(frame, sf.Schema(quasi=["age", "sex"], sensitive=["s"]))
    release = sf.publish(table, sf.Anatomy(), sf.LDiversity(2), seed=1)
    people = table_of([*rows, (20, "f"), (22, "m")])
    assert sf.verify(release, promise=sf.KMap(2), population=people).holds
    assert not sf.verify(release, promise=sf.KMap(3), population=people).holds
    assert sf.verify(release, promise=sf.DeltaPresence(0, 1), population=people).found == (
        "the chance that somebody of the 6 is in the table is 0.0000 to 1.0000",
    )
    assert not sf.verify(release, promise=sf.DeltaPresence(0, 0.9), population=people).holds
