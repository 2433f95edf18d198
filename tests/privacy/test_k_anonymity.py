"""k-anonymity: counting."""

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.published.equivalence import PublishedClasses
from support.naive import is_k_anonymous


@given(st.lists(st.tuples(st.integers(0, 2), st.sampled_from("ab")), max_size=12), st.integers(1, 4))
def test_k_anonymity_equals_counting(rows, k):
    frame = pl.DataFrame(rows, schema={"x": pl.Int64, "y": pl.String}, orient="row")
    (finding,) = sf.KAnonymity(k).check(PublishedClasses(frame, ["x", "y"]))
    assert finding.holds == is_k_anonymous(rows, k)
