"""Local recoding: every promise is kept, and the polish only ever helps."""

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.ground.errors import InfeasibleError, ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.privacy.criteria import all_hold
from sfumato.tables.grouping.job import Job
from sfumato.tables.lattice.polish import polish_groups
from support.naive_lattice import PROMISES, lattices
from support.recoded_tables import KEPT, prepare, total
from support.tables_strategies import tables


def grouped(groups, n):
    group = np.full(n, -1)
    group[groups.order] = np.repeat(np.arange(groups.n_groups), groups.sizes)
    return group


@settings(max_examples=60)
@given(tables(min_rows=2, max_rows=24), st.sampled_from(KEPT), st.booleans())
def test_every_release_verifies(table, promise, polish):
    try:
        release = sf.publish(table, sf.LocalRecoding(polish=polish), promise, seed=1)
    except InfeasibleError:
        assert promise.limit(len(table), encode(table, table.schema.sensitive)) is not None
        return
    assert release.verdict.holds
    assert sf.verify(release, table).holds
    assert len(release.data) == len(table)


@settings(max_examples=40)
@given(lattices(min_rows=2, max_rows=16), st.sampled_from(PROMISES), st.booleans())
def test_tables_with_hierarchies_of_unequal_depth_verify(made, promise, polish):
    assume(promise.limit(len(made.table), encode(made.table, made.table.schema.sensitive)) is None)
    assert sf.publish(made.table, sf.LocalRecoding(polish=polish), promise, seed=1).verdict.holds


@settings(max_examples=60)
@given(tables(min_rows=2, max_rows=24), st.sampled_from(KEPT))
def test_groups_are_a_partition_and_the_polish_never_raises_the_loss(table, promise):
    quasi, columns, criteria, _ = prepare(table, promise)
    sensitive = encode(table, table.schema.sensitive)
    assume(promise.limit(len(table), sensitive) is None)
    rough = sf.LocalRecoding(polish=False).groups(Job(quasi, sensitive, promise, Randomness(0)))
    fine = sf.LocalRecoding().groups(Job(quasi, sensitive, promise, Randomness(0)))
    for groups in (rough, fine):
        assert sorted(groups.order.tolist()) == list(range(len(table)))
        assert groups.sizes.min() > 0
        assert all_hold(criteria, groups.order, groups.starts)
    before, after = grouped(rough, len(table)), grouped(fine, len(table))
    assert total(quasi, after) <= total(quasi, before) + 1e-9
    again = polish_groups(columns, criteria, after)
    assert total(quasi, again) <= total(quasi, after) + 1e-9


def test_a_single_class_and_a_single_row():
    one = sf.Table(pl.DataFrame({"c": [4]}), sf.Schema(quasi=["c"]))
    assert len(sf.publish(one, sf.LocalRecoding(), sf.KAnonymity(1)).data) == 1
    with pytest.raises(InfeasibleError):
        sf.publish(one, sf.LocalRecoding(), sf.KAnonymity(2))
    alike = sf.Table(pl.DataFrame({"c": [4] * 5}), sf.Schema(quasi=["c"]))
    release = sf.publish(alike, sf.LocalRecoding(), sf.KAnonymity(5))
    assert sf.measure(release, alike)["gcp"] == 0


def test_it_loses_less_than_mondrian_under_hierarchies():
    rng = np.random.default_rng(5)
    paths = [(f"{i:02d}", f"{i // 3}-", f"{i // 9}--", "*") for i in range(27)]
    tree = sf.Hierarchy.from_paths(paths)
    frame = pl.DataFrame({c: [f"{v:02d}" for v in rng.integers(0, 27, 400)] for c in "abc"})
    table = sf.Table(frame, sf.Schema(quasi=list("abc"), hierarchies=dict.fromkeys("abc", tree)))
    lost = {
        method: sf.measure(sf.publish(table, method, sf.KAnonymity(4), seed=1), table)["gcp"]
        for method in (sf.LocalRecoding(), sf.Mondrian())
    }
    assert lost[sf.LocalRecoding()] < lost[sf.Mondrian()]


def test_parameters_are_checked():
    with pytest.raises(ParameterError, match="polish must be true, false or a number of steps"):
        sf.LocalRecoding(polish="yes")
    with pytest.raises(ParameterError, match="show must be one of"):
        sf.LocalRecoding(show="levels")


@settings(max_examples=40)
@given(tables(min_rows=4, max_rows=30), st.integers(2, 5))
def test_classes_that_borrow_keep_k(table, k):
    assume(len(table) >= k)
    release = sf.publish(table, sf.LocalRecoding(borrow=True), sf.KAnonymity(k), seed=1)
    assert release.verdict.holds


def test_borrowing_loses_less_where_a_rare_record_stands_beside_many():
    """Nine alike and one beside them: it borrows two of the nine, the other seven stay as they are."""
    paths = [(f"{country}{i}", country, "*") for country in "AB" for i in range(3)]
    schema = sf.Schema(quasi=["town"], hierarchies={"town": sf.Hierarchy.from_paths(paths)})
    table = sf.Table(pl.DataFrame({"town": ["A0"] * 9 + ["A1"]}), schema)
    for borrow, n in ((True, 3), (False, 4)):
        release = sf.publish(table, sf.LocalRecoding(borrow=borrow, polish=False), sf.KAnonymity(3), seed=1)
        assert sorted(release.data.frame["town"]) == ["A"] * n + ["A0"] * (10 - n)


def test_borrowing_is_for_promises_on_sizes():
    with pytest.raises(
        ParameterError, match=r"borrow=True is for promises on sizes alone.*LDiversity\(2\) asks for more"
    ):
        sf.publish(hospital(60), sf.LocalRecoding(borrow=True), sf.KAnonymity(3) & sf.LDiversity(2))
    with pytest.raises(ParameterError, match="borrow must be"):
        sf.LocalRecoding(borrow="yes")
