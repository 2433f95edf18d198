"""The race: what is counted as time, who goes on, and who is left out."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.datasets import hospital
from sfumato.errors import Cancelled, InfeasibleError
from sfumato.ground.progress import Progress, silent_progress
from sfumato.ground.randomness import Randomness
from sfumato.tables.choosing import race as racing
from sfumato.tables.choosing.race import Clock, loss_of, race
from sfumato.tables.grouping.groups import Groups
from sfumato.tables.grouping.job import Job
from support.naive import ncp

TABLE = hospital(200)
QUASI, SENSITIVE = encode(TABLE, TABLE.schema.quasi), encode(TABLE, TABLE.schema.sensitive)


def job(_, progress):
    return Job(QUASI, SENSITIVE, sf.KAnonymity(5), Randomness(1), progress)


def run(methods, seconds=60.0, progress=None, **options):
    return race(methods, job, progress or silent_progress(), Clock(seconds), **{"waits": True, **options})


def test_the_loss_is_that_of_the_definition_and_rows_in_no_group_lose_all():
    order = np.random.default_rng(1).permutation(200)[:190]
    groups = Groups(order, np.array([0, 7, 40, 190]))
    parts = np.split(order, [7, 40])
    expected = (sum(len(part) * ncp(QUASI, part) for part in parts) + 10) / 200
    assert loss_of(groups, job(None, silent_progress())) == pytest.approx(expected)


def test_no_entrant_alone_loses_less_than_the_winner():
    methods = [sf.LocalRecoding(), sf.Ordered(), sf.Mondrian(), sf.BestFirst(show="ranges")]
    won = run(methods)
    alone = [loss_of(method.groups(job(None, silent_progress())), job(None, silent_progress())) for method in methods]
    assert [each.loss for each in won.tried] == sorted(each.loss for each in won.tried)
    assert won.tried[0].loss <= min(alone)
    assert won.tried[0].method == won.method
    assert loss_of(won.groups, job(None, silent_progress())) == pytest.approx(won.tried[0].loss)
    assert {type(each.method) for each in won.tried} == set(map(type, methods))


def test_only_leaders_are_improved():
    won = run([sf.Ordered(), sf.Mondrian(), sf.BestFirst(show="ranges")])
    polished = {type(each.method).__name__: getattr(each.method, "polish", None) for each in won.tried}
    assert polished["Ordered"] > 100
    assert polished["BestFirst"] is polished["Mondrian"] is None


def test_without_time_the_first_is_kept_whatever_it_is():
    won = run([sf.Mondrian(), sf.Ordered()], seconds=1e-9)
    assert won.method == sf.Mondrian()
    assert [each.why for each in won.tried] == ["", "not tried for want of time"]


def test_whoever_takes_too_long_is_ended(monkeypatch):
    spent = iter([0.0] * 12 + [100.0] * 10_000)
    monkeypatch.setattr(Clock, "spent", property(lambda self: next(spent)))
    won = run([sf.Mondrian(), sf.Ordered()], seconds=10)
    assert won.method == sf.Mondrian()
    assert won.tried[1].why == "not done in 5 s"


def test_what_is_not_compiled_is_left_to_the_next_time(monkeypatch):
    begun = []
    monkeypatch.setattr(racing, "is_ready", lambda name: name == "Mondrian")
    monkeypatch.setattr(racing, "begin_compiling", begun.append)
    won = run([sf.Ordered(), sf.LocalRecoding(), sf.Mondrian()], waits=False)
    assert won.method == sf.Ordered()  # neither others nor a polish, but for the one that is there
    assert {type(each.method).__name__: each.why for each in won.tried} == {
        "Ordered": "", "Mondrian": "", "LocalRecoding": "not compiled yet; it is tried the next time",
    }  # fmt: skip
    assert begun == ["LocalRecoding", "polish"]
    begun.clear()
    assert run([sf.Ordered(), sf.LocalRecoding()]).method.polish > 1
    assert begun == []


def test_time_for_compiling_is_not_counted(monkeypatch):
    compiled = iter([0.0, 0.0, 1000.0])
    monkeypatch.setattr(racing, "seconds_compiling", lambda: next(compiled))
    clock = Clock(10)
    assert clock.spent >= 0
    assert not clock.is_over()


def test_a_refusal_of_one_is_told_and_of_all_is_raised(monkeypatch):
    def refuse(self, job):
        raise InfeasibleError("it cannot be")

    monkeypatch.setattr(sf.Ordered, "groups", refuse)
    won = run([sf.Ordered(), sf.Mondrian()])
    assert [str(each) for each in won.tried][1] == "Ordered it cannot be"
    with pytest.raises(InfeasibleError, match="it cannot be"):
        run([sf.Ordered()])


def test_it_can_be_called_off():
    progress = Progress(1, shown=False)
    progress.cancel()
    with pytest.raises(Cancelled):
        run([sf.Ordered()], progress=progress)


def test_a_table_without_loss_is_not_improved():
    alike = sf.Table(TABLE.frame[[0] * 20], sf.Schema(quasi=["age", "zip"]))
    quasi = encode(alike, alike.schema.quasi)
    made = Job(quasi, [], sf.KAnonymity(5), Randomness(1), silent_progress())
    won = race([sf.Ordered(), sf.LocalRecoding()], lambda *_: made, silent_progress(), Clock(60), waits=True)
    assert won.tried[0].loss == 0
    assert won.method == sf.Ordered()
