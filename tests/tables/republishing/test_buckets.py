"""Buckets are balanced: by new people first, by counterfeits where there are none."""

from collections import Counter

from support.republished_tables import people, published, signatures


def test_a_value_that_everybody_left_is_shown_by_counterfeits():
    pool = people(4, ["flu", "gout", "flu", "gout"])
    one, two = published(pool, [[0, 1, 2, 3], [0, 2]], 2)
    assert Counter(two.data.frame["illness"]) == {"flu": 2, "gout": 2}
    assert two.files["counterfeits"]["count"].to_list() == [1, 1]
    assert signatures(two) == {"p000": frozenset({"flu", "gout"}), "p002": frozenset({"flu", "gout"})}
    assert "2 of 4 rows are counterfeits" in two.verdict.found
    assert "0 of 4 rows are counterfeits" in one.verdict.found


def test_new_people_stand_in_before_counterfeits_do():
    pool = people(6, ["flu", "gout", "flu", "gout", "gout", "gout"])
    _, two = published(pool, [[0, 1, 2, 3], [0, 2, 4, 5]], 2)
    assert not (two.owner.rows < 0).any()
