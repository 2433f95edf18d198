"""New people are dealt out so that buckets stay balanced."""

from hypothesis import given
from hypothesis import strategies as st

from sfumato.tables.republishing.assignment import assign, most_often
from sfumato.tables.republishing.buckets import Bucket


@given(st.lists(st.integers(0, 9), min_size=2, max_size=6), st.integers(2, 4), st.data())
def test_as_many_are_taken_as_leave_the_rest_eligible(given_counts, m, data):
    counts = {value: count for value, count in enumerate(given_counts) if count}
    n = sum(counts.values())
    if len(counts) < m or m * max(counts.values()) > n:
        return
    size = data.draw(st.integers(m, len(counts)))
    signature = tuple(sorted(data.draw(st.permutations(sorted(counts)))[:size]))

    def eligible(times):
        left = {value: count - times * (value in signature) for value, count in counts.items()}
        return min(left.values()) >= 0 and m * max(left.values()) <= n - times * size

    times = most_often(counts, signature, m)
    assert eligible(times)
    assert not eligible(times + 1)


def test_everybody_new_is_dealt_out():
    fresh = {0: list(range(5)), 1: list(range(5, 9)), 2: list(range(9, 12)), 3: [12]}
    buckets = {}
    assign(buckets, fresh, 2, [0, 1, 2, 3])
    assert sorted(row for bucket in buckets.values() for rows in bucket.rows.values() for row in rows) == list(
        range(13)
    )
    assert sum(bucket.n_lacking for bucket in buckets.values()) == 0


def test_new_people_join_the_signatures_that_exist():
    buckets = {(0, 3): Bucket({0: [10], 3: [11]}), (1, 2): Bucket({1: [12], 2: [13]})}
    assign(buckets, {value: [value] for value in range(4)}, 2, [0, 1, 2, 3])
    assert {signature: bucket.height for signature, bucket in buckets.items()} == {(0, 3): 2, (1, 2): 2}
