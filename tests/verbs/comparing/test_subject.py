"""What a comparison is of: whatever changes a result makes it another subject."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.verbs.comparing.subject import subject_of

FRAME = pl.DataFrame({"age": [31, 47, 52, 31], "sex": ["f", "m", "f", "x"], "illness": ["flu", "gout", "flu", "998"]})
PLAIN = {"quasi": ["age", "sex"], "sensitive": ["illness"]}


def subject(**given):
    return subject_of(sf.Table(FRAME, sf.Schema(**{**PLAIN, **given})), 200)


@pytest.mark.parametrize(
    "given",
    [
        {"quasi": ["age"], "plain": ["sex"]},
        {"quasi": ["sex", "age"]},
        {"bounds": {"age": (0, 100)}},
        {"weights": {"age": 2.0}},
        {"hierarchies": {"sex": sf.Hierarchy.flat(["f", "m", "x"])}},
        {"orders": {"sex": ["m", "f", "x"]}},
        {"missing": "withhold"},
        {"missing": {"sex": "refuse"}},
        {"missing_values": {"illness": ["998"]}},
        {"kinds": {"age": "category"}},
        {"rest": "plain"},
        {"rows_are_persons": True},
    ],
    ids=str,
)
def test_the_schema_is_part_of_it(given):
    assert subject() == subject()
    assert subject(**given) != subject()
    assert subject().differs_from(subject(**given).to_dict()) in (
        "of the same records with another schema",
        "of other data",
    )


def test_items_and_vertices_without_records_are_part_of_it():
    few, many = (sf.Baskets([0, 1, 2], [0, 0], items) for items in (["tea"], ["tea", "milk"]))
    assert few.frame.equals(many.frame)
    assert subject_of(few, 200).differs_from(subject_of(many, 200).to_dict()) == "of the same records with other items"
    three, four = (sf.Graph.from_edges([0, 1], [1, 2], n_vertices=n) for n in (3, 4))
    assert subject_of(three, 9).differs_from(subject_of(four, 9).to_dict()) == "of the same records with other vertices"
    assert subject_of(three, 9).differs_from(subject_of(three, 9).to_dict()) is None
    assert subject_of(three, 9).differs_from({}) == f"by sfumato of another version, and this is {sf.__version__}"
