"""Every table method says how far it is, and ends where it is called off."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pytest

import sfumato as sf
from recorded_releases import ages, few_columns, numbers, plain_numbers, visits
from sfumato.contracts.method import known_methods
from sfumato.data.encoding import encode
from sfumato.ground.errors import Cancelled
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.tables.grouping.job import Job
from sfumato.tables.grouping.ordered import search_sequence
from support.house import WITHOUT_LIBRARY
from support.watched_runs import run_watched

K = sf.KAnonymity(5)

RUNS = {
    "Anatomy": (few_columns, sf.Anatomy(), sf.LDiversity(3)),
    "AdditiveNoise": (plain_numbers, sf.AdditiveNoise(distortion=0.1), None),
    "Best": (few_columns, sf.Best(within=60), K),
    "BestFirst": (few_columns, sf.BestFirst(max_suppressed=0.05), K),
    "CellSuppression": (few_columns, sf.CellSuppression(), K),
    "Condensation": (numbers, sf.Condensation(), K),
    "Hilbert": (few_columns, sf.Hilbert(polish=True), K),
    "IDistance": (numbers, sf.IDistance(centres=8), K),
    "IPCSD": (few_columns, sf.IPCSD(), sf.AccuracyBound(max_ncp=0.5, maximise="l")),
    "Incognito": (few_columns, sf.Incognito(), K),
    "LocalRecoding": (few_columns, sf.LocalRecoding(), K),
    "MDAV": (numbers, sf.MDAV(), K),
    "Mondrian": (few_columns, sf.Mondrian(), K),
    "NoisyCounts": (few_columns, sf.NoisyCounts(by=("sex",), values={"sex": ("f", "m")}), None),
    "Ordered": (few_columns, sf.Ordered(trials=6), K),
    "PRAM": (few_columns, sf.PRAM(columns=("sex", "marital")), None),
    "PatternPreserving": (plain_numbers, sf.PatternPreserving(keep=sf.Blocks(5), partition=20, steps=100), None),
    "RankSwapping": (numbers, sf.RankSwapping(p=10), None),
    "Republishing": (lambda: visits(0), sf.Republishing(), sf.MInvariance(3)),
    "RotationPerturbation": (plain_numbers, sf.RotationPerturbation(), None),
    "Samarati": (few_columns, sf.Samarati(), K),
    "TargetDistribution": (ages, sf.TargetDistribution("uniform", groups="department", fakes=0.05), None),
    "TopBottomCoding": (numbers, sf.TopBottomCoding(columns=("age", "cost")), None),
    "TopDown": (few_columns, sf.TopDown(), K),
    "UncertainPublication": (plain_numbers, sf.UncertainPublication(k=4), None),
}
"""A small run of each: a table, the method, the promise."""
RUNS = {name: each for name, each in RUNS.items() if name not in WITHOUT_LIBRARY}
TIMED = {"Best"}
"""Those whose shares are shares of the time, and differ from run to run."""

ALSO = {
    "dual by Hilbert": (few_columns, sf.Hilbert(), sf.AccuracyBound(max_ncp=0.4, maximise="l")),
    "IPCSD for k": (few_columns, sf.IPCSD(over="Mondrian"), sf.AccuracyBound(max_ncp=0.5)),
    "match rank": (
        lambda: plain_numbers(12), sf.PatternPreserving(keep=sf.Order(), steps=20), sf.MatchRank(2, share=0.01)
    ),
    "groups of a target": (ages, sf.TargetDistribution("uniform", groups=sf.Hilbert(), group_size=15), None),
}  # fmt: skip


def run(name, watch=None):
    return run_watched(*{**RUNS, **ALSO}[name], watch)


def test_every_table_method_is_here():
    registered = known_methods().items()
    own = {name for name, cls in registered if cls.takes is sf.Table and cls.__module__.startswith("sfumato.")}
    assert own == {*RUNS, *WITHOUT_LIBRARY}


@pytest.mark.parametrize("name", RUNS)
def test_cancelled_at_the_first_step(name):
    told, cancelled = run(name, lambda progress, n: progress.cancel())
    assert cancelled
    assert len(told) == 1


@pytest.mark.slow
@pytest.mark.parametrize("name", [*RUNS, *ALSO])
def test_shares_rise_and_each_is_a_place_to_stop(name):
    told, cancelled = run(name)
    assert not cancelled
    assert len(told) > len({step for step, _ in told}), "no share beside the steps"
    assert all(a <= b for (_, a), (_, b) in itertools.pairwise(told))
    assert all(0.0 <= done <= 1.0 for _, done in told)
    for stop in sorted({2, len(told) // 2, len(told)} - {0, 1}):
        seen, cancelled = run(name, lambda progress, n, at=stop: progress.cancel() if n == at else None)
        assert cancelled
        assert [step for step, _ in seen] == [step for step, _ in told[:stop]]
        assert name in TIMED or seen == told[:stop]


def test_a_run_that_is_watched_publishes_the_same():
    make, method, promise = RUNS["Ordered"]
    plain = method.run(make(), promise, Randomness(1), Progress(4, shown=False))
    seen = method.run(make(), promise, Randomness(1), Progress(4, shown=False, watch=lambda name, done: None))
    assert plain.frame.equals(seen.frame)


def test_ordered_tells_of_every_trial():
    table = few_columns()
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    told = []
    progress = Progress(1, shown=False, watch=lambda name, done: told.append(done))
    progress.step("forming groups")
    sf.Ordered(best_of=("snake",), trials=6).groups(Job(quasi, sensitive, K, Randomness(1), progress))
    assert told == sorted(told)
    assert len(set(told)) >= 6  # three columns have six sequences, and the start is one of them


def test_a_search_that_is_called_off_leaves_what_has_not_begun():
    begun, gate = [], threading.Event()

    def cost(sequence):
        begun.append(sequence)
        if len(begun) > 2:
            gate.wait(10)
        return float(len(begun))

    def share(done):
        gate.set()
        raise Cancelled("enough")

    with pytest.raises(Cancelled):
        search_sequence(tuple(range(60)), cost, 50, share)
    assert len(begun) < 50


def test_a_part_of_a_job_is_a_part_of_its_step():
    table = few_columns(20)
    told = []
    progress = Progress(1, shown=False, watch=lambda name, done: told.append(done))
    job = Job(encode(table, table.schema.quasi), [], K, Randomness(1), progress)
    assert job.n_rows == 20
    inner = job.part(0.2, 0.6).part(0.5, 1.0)
    for done in (0.0, 0.5, 1.0, 7.0):
        inner.share(done)
    assert np.allclose(told, [0.4, 0.5, 0.6, 0.6])


def test_a_job_that_nobody_watches():
    table = few_columns(20)
    job = Job(encode(table, table.schema.quasi), [], K, Randomness(1))
    job.share(0.5)
    assert sf.Mondrian().groups(job).n_groups
