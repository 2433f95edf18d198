"""The direct problem: diverse groups are joined where k asks for more, and what cannot be kept is refused."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.errors import InfeasibleError
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.job import Job


def test_k_above_l_joins_diverse_groups():
    n = 6000
    table = sf.Table(
        pl.DataFrame({"q": range(n), "s": [i % 3 for i in range(n)]}), sf.Schema(quasi=["q"], sensitive=["s"])
    )  # fmt: skip
    release = sf.publish(table, sf.Hilbert(), sf.LDiversity(3) & sf.KAnonymity(6), seed=1)
    assert sf.measure(release, n_queries=0)["n_classes"] == 1000


@pytest.mark.parametrize("promise", [sf.LDiversity(3), sf.LDiversity(3) & sf.KAnonymity(5), sf.KAnonymity(700)])
@pytest.mark.parametrize("method", [sf.Hilbert(), sf.Hilbert(dealt=True), sf.Ordered(), sf.IDistance()])
def test_a_promise_that_no_table_keeps_is_refused_by_groups_too(method, promise):
    """`publish` refuses it before; whoever calls `groups` must not get kernels that write past their arrays."""
    frame = pl.DataFrame({"q": range(600), "s": ["a"] * 590 + list("bcdefghijk")})
    table = sf.Table(frame, sf.Schema(quasi=["q"], sensitive=["s"]))
    job = Job(encode(table, ["q"]), encode(table, ["s"]), promise, Randomness(1))
    with pytest.raises(InfeasibleError, match="the best is"):
        method.groups(job)
