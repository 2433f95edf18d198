"""Groups that are taken apart and formed anew keep the promise, lose no more, and are the same on every machine."""

import itertools
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.errors import ParameterError
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.boxes import records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.grouping import regrouping
from sfumato.tables.grouping.regrouping import Regrouping
from sfumato.tables.grouping.regrouping_kernels import cut, grow, keep, lay, make_room
from support.naive import ncp
from support.naive_partitions import consecutive
from support.recoded_tables import KEPT, holds, prepare, total
from support.tables_strategies import tables


def regroup(columns, criteria, group, n_steps, random):
    """The group of every record after so many steps."""
    improving = Regrouping(columns, criteria, group, random)
    while improving.n_steps < n_steps:
        improving.round(n_steps - improving.n_steps)
    return improving.group


@settings(max_examples=60, deadline=None)
@given(tables(min_rows=6, max_rows=30), st.sampled_from(KEPT), st.integers(2, 6), st.integers(0, 1000))
def test_any_groups_that_hold_become_such_at_no_larger_loss(table, promise, n_groups, seed):
    quasi, columns, criteria, _ = prepare(table, promise)
    group = np.unique(np.random.default_rng(seed).integers(0, n_groups, len(table)), return_inverse=True)[1]
    assume(holds(criteria, group))
    better = regroup(columns, criteria, group, 40, Randomness(seed))
    assert holds(criteria, better)
    assert total(quasi, better) <= total(quasi, group) + 1e-9
    assert sorted(np.unique(better)) == list(range(better.max() + 1))


def test_the_optimum_of_a_small_table_is_found():
    """Values 0, 49 | 50, 51, 100 in pairs and threes: the best groups are not consecutive."""
    table = sf.Table(pl.DataFrame({"x": [0, 49, 50, 51, 100, 101]}), sf.Schema(quasi=["x"]))
    quasi, columns, criteria, _ = prepare(table, sf.KAnonymity(2))
    found = regroup(columns, criteria, np.array([0, 0, 1, 1, 2, 2]), 200, Randomness(1))
    best = min(
        sum(len(g) * ncp(quasi, g) for g in groups)
        for groups in _partitions(range(6))
        if min(map(len, groups)) >= 2
    )  # fmt: skip
    assert total(quasi, found) == pytest.approx(best)


def _partitions(rows):
    rows = list(rows)
    for size in range(2, len(rows) + 1):
        for rest in itertools.combinations(rows[1:], size - 1):
            first, others = [rows[0], *rest], [row for row in rows[1:] if row not in rest]
            if not others:
                yield [first]
            else:
                yield from ([first, *more] for more in _partitions(others))


@pytest.mark.parametrize("promise", [sf.KAnonymity(2), sf.KAnonymity(3), sf.LDiversity(2)], ids=repr)
def test_an_order_is_cut_optimally(promise):
    for seed in range(12):
        random = np.random.default_rng(seed)
        frame = pl.DataFrame({
            "x": random.integers(0, 9, 9), "c": random.choice(list("abc"), 9), "s": random.choice(list("pqr"), 9)
        })  # fmt: skip
        table = sf.Table(frame, sf.Schema(quasi=["x", "c"], sensitive=["s"]))
        quasi, columns, criteria, _ = prepare(table, promise)
        room = make_room(criteria, 2, int(word_offsets(columns)[-1]))
        room.members[:9] = np.arange(9)
        lay(records(columns), np.array([1, 0]), room, 9)
        order = room.order[:9].tolist()

        def allowed(rows, criteria=criteria):
            return holds(criteria._replace(codes=criteria.codes[rows]), np.zeros(len(rows), dtype=np.int64))

        expected = min(
            (sum(len(g) * ncp(quasi, g) for g in groups) for groups in consecutive(order, allowed)), default=np.inf
        )
        found = cut(columns, word_offsets(columns), records(columns), criteria, room, 9, np.inf)
        assert found == pytest.approx(expected)
        if np.isfinite(found):
            stops = [room.best_cut[i] for i in range(keep(room, 9) + 1)]
            assert stops[0] == 9
            assert stops[-1] == 0
            assert stops == sorted(stops, reverse=True)


def test_an_order_is_reflected():
    frame = pl.DataFrame({"a": [0, 0, 1, 1, 2, 2], "b": [0, 1, 0, 1, 0, 1]})
    table = sf.Table(frame, sf.Schema(quasi=["a", "b"]))
    _, columns, criteria, _ = prepare(table, sf.KAnonymity(2))
    room = make_room(criteria, 2, 0)
    room.members[:6] = [5, 3, 1, 0, 2, 4]
    lay(records(columns), np.array([0, 1]), room, 6)
    assert room.order[:6].tolist() == [0, 1, 3, 2, 4, 5]


def test_grown_groups_keep_the_promise_or_are_refused():
    frame = pl.DataFrame({"x": [0, 1, 2, 50, 51, 52], "s": list("ppqpqq")})
    table = sf.Table(frame, sf.Schema(quasi=["x"], sensitive=["s"]))
    quasi, columns, criteria, _ = prepare(table, sf.KAnonymity(3))
    words, data = word_offsets(columns), records(columns)
    room = make_room(criteria, 1, int(words[-1]))
    room.members[:6] = np.arange(6)
    found = grow(columns, words, data, criteria, room, 6, np.inf, 4)
    assert found == pytest.approx(3 * ncp(quasi, [0, 1, 2]) + 3 * ncp(quasi, [3, 4, 5]))
    assert grow(columns, words, data, criteria, room, 6, found, 4) == np.inf
    strict = prepare(table, sf.KAnonymity(3) & sf.LDiversity(2))[2]
    assert grow(columns, words, data, strict, room, 6, np.inf, 4) == np.inf  # two of three are the same


def test_it_does_not_depend_on_the_number_of_processors(monkeypatch):
    """Parts are made smaller here, so that there are several."""
    table = hospital(2000)
    columns = flatten(encode(table, table.schema.quasi))
    criteria = prepare(table, sf.KAnonymity(5))[2]
    start = np.arange(2000) // 5
    monkeypatch.setattr(regrouping, "_PART", 40)
    once = regroup(columns, criteria, start, 3000, Randomness(3))
    monkeypatch.setattr(regrouping, "ThreadPoolExecutor", lambda n: ThreadPoolExecutor(1))
    again = regroup(columns, criteria, start, 3000, Randomness(3))
    assert (once == again).all()
    assert (once != regroup(columns, criteria, start, 3000, Randomness(4))).any()


def test_whole_rounds_are_the_same_however_many_follow_and_the_loss_is_told():
    table = hospital(300)
    quasi, columns, criteria, _ = prepare(table, sf.KAnonymity(5))
    improving, losses = Regrouping(columns, criteria, np.arange(300) // 5, Randomness(3)), []
    for _ in range(4):
        improving.round()
        losses.append(improving.loss)
        assert losses[-1] == pytest.approx(total(quasi, improving.group) / 300)
        replayed = regroup(columns, criteria, np.arange(300) // 5, improving.n_steps, Randomness(3))
        assert (replayed == improving.group).all()
    assert losses == sorted(losses, reverse=True)


@pytest.mark.parametrize("method", [sf.Ordered, sf.LocalRecoding, sf.Hilbert])
@pytest.mark.parametrize("promise", [sf.KAnonymity(5), sf.KAnonymity(4) & sf.LDiversity(3)], ids=repr)
def test_methods_take_a_number_of_steps(method, promise):
    table = hospital(400)
    plain, polished, again = (
        sf.publish(table, method(polish=polish), promise, seed=1) for polish in (True, 500, 500)
    )  # fmt: skip
    losses = [sf.measure(release, table, n_queries=0)["gcp"] for release in (plain, polished)]
    assert losses[1] < losses[0]
    assert polished.data.frame.equals(again.data.frame)
    assert polished.method["polish"] == 500


def test_bad_steps_are_refused():
    for polish in (0, -1, 2.5, "many", None):
        with pytest.raises(ParameterError, match="polish must be true, false or a number of steps"):
            sf.Ordered(polish=polish)
    with pytest.raises(ParameterError, match="polish=10 forms groups anew"):
        sf.publish(hospital(60), sf.Ordered(polish=10), sf.AccuracyBound(0.4))
    with pytest.raises(ParameterError, match="polish=10 forms groups anew"):
        sf.publish(hospital(60), sf.Hilbert(polish=10, show="permutation"), sf.LDiversity(2))


def test_steps_may_be_a_number_of_numpys():
    for steps, held in ((np.int64(3), 3), (np.uint8(7), 7), (np.True_, True), (np.False_, False)):
        method = sf.Ordered(polish=steps)
        assert method == sf.Ordered(polish=held)
        assert type(method.polish) is type(held)
    with pytest.raises(ParameterError, match="polish must be true, false or a number of steps"):
        sf.LocalRecoding(polish=np.int64(0))
