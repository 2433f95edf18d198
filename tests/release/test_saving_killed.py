"""A save that is killed, or that meets another: the old release or the new one, each with its own owner's part."""

import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import polars as pl
import pytest

import sfumato as sf


def small_release(seed=None):
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "d": list("xyxy")})
    return sf.publish(
        sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2), seed=seed
    )


@pytest.mark.slow
def test_killed_at_every_file_operation_a_save_leaves_old_or_new(tmp_path):
    """In another process, as what listens to file operations cannot be taken off again.

    It is as dead as can be: from the n-th operation on, none is done.
    """
    code = textwrap.dedent("""
        import shutil, sys
        from dataclasses import replace
        from pathlib import Path
        import polars as pl
        import sfumato as sf
        from support.sudden_death import OPERATIONS

        class Dead(BaseException): pass

        left = [0]
        def listen(event, args):
            if left[0] and event in OPERATIONS:
                left[0] -= 1
                if left[0] == 0:
                    left[0] = 1
                    raise Dead
        sys.addaudithook(listen)

        frame = pl.DataFrame({"a": [1, 1, 2, 2, 3, 3], "d": list("xyxyxy")})
        table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["d"]))
        made = {seed: sf.publish(table, sf.Mondrian(), sf.KAnonymity(2), seed=seed) for seed in (1, 2, 3)}
        seeds = {release.owner.seed: seed for seed, release in made.items()}
        place = Path(sys.argv[1])
        out = place / "out"

        def found():
            try:
                release = sf.load_release(out)
            except sf.errors.ReleaseError as error:
                assert "holds no release" in str(error), error
                return None
            assert sf.verify(release, table).stands
            if release.owner is None:
                return 0
            seed = seeds[release.owner.seed]
            assert release.owner.rows.tolist() == made[seed].owner.rows.tolist()
            assert release.data.frame.equals(made[seed].data.frame)
            return seed

        for old, new in ((None, made[2]), (made[1], made[2]), (replace(made[1], owner=None), made[2]), (made[1], replace(made[2], owner=None))):
            n, seen = 1, []
            while True:
                shutil.rmtree(place, ignore_errors=True)
                place.mkdir()
                if old is not None:
                    old.save(out, report=False)
                left[0] = n
                try:
                    new.save(out, overwrite=True, report=False)
                    died = False
                except Dead:
                    died = True
                left[0] = 0
                seen.append(found())
                made[3].save(out, overwrite=True, report=False)
                assert found() == 3
                assert not list(place.rglob(".*")), list(place.rglob("*"))
                if not died:
                    break
                n += 1
            print(*seen)
    """)
    known = [str(Path(__file__).parents[1]), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(known)}
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "place")], capture_output=True, text=True, check=False,
        env=environment,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    ends = [(["None"], ["2"]), (["1"], ["2"]), (["0"], ["2"]), (["1"], ["0"])]
    for line, (first, last) in zip(done.stdout.splitlines(), ends, strict=True):
        seen = line.split()
        assert [each for i, each in enumerate(seen) if i == 0 or seen[i - 1] != each] == first + last
        assert len(seen) > 30


SAVER = textwrap.dedent("""
    import sys
    import polars as pl
    import sfumato as sf
    out, seed, overwrite = sys.argv[1], int(sys.argv[2]), sys.argv[3] == "overwrite"
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "d": list("xyxy")})
    release = sf.publish(sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2), seed=seed)
    print("ready", flush=True)
    for line in sys.stdin:
        try:
            release.save(out.replace("N", line.strip()), overwrite=overwrite, report=False)
            print("saved", flush=True)
        except sf.errors.ReleaseError as error:
            print(error, flush=True)
""")


def saver(out, seed, how="overwrite"):
    process = subprocess.Popen(
        [sys.executable, "-c", SAVER, str(out), str(seed), how],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline().strip() == "ready"
    return process


@pytest.mark.slow
def test_killed_at_any_time_a_save_leaves_old_or_new(tmp_path):
    chance = random.Random(5)
    small_release(1).save(tmp_path / "out", report=False)
    known = {small_release(seed).owner.seed: seed for seed in range(1, 9)}
    for seed in range(2, 9):
        before = known[sf.load_release(tmp_path / "out").owner.seed]
        with saver(tmp_path / "out", seed) as process:
            process.stdin.write("go\n")
            process.stdin.flush()
            time.sleep(chance.uniform(0, 0.08))
            process.send_signal(signal.SIGKILL)
        loaded = sf.load_release(tmp_path / "out")
        assert known[loaded.owner.seed] in (before, seed)
        assert sf.verify(loaded, small_release(seed).owner.original).stands
    small_release(1).save(tmp_path / "out", overwrite=True, report=False)
    assert not list(tmp_path.rglob(".*"))


@pytest.mark.slow
@pytest.mark.parametrize("how", ["overwrite", "new"])
def test_of_two_processes_that_save_to_one_folder_one_is_refused_or_waits_its_turn(tmp_path, how):
    """Without `overwrite`, exactly one says that it has saved."""
    trials = 30
    known = {small_release(seed).owner.seed for seed in (1, 2)}
    with saver(tmp_path / "outN", 1, how) as one, saver(tmp_path / "outN", 2, how) as two:
        for trial in range(trials):
            for process in (one, two):
                process.stdin.write(f"{trial}\n")
                process.stdin.flush()
            said = [process.stdout.readline().strip() for process in (one, two)]
            saved = said.count("saved")
            assert saved == 1 if how == "new" else saved >= 1
            for each in said:
                assert each == "saved" or "is being saved by another process" in each or "exists already" in each
            assert sf.load_release(tmp_path / f"out{trial}").owner.seed in known
        one.stdin.close()
        two.stdin.close()
    assert not list(tmp_path.rglob(".*"))
