"""Workers: what they tell of a point, and what ends them."""

import subprocess
import sys

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.worker import receive, send


def test_a_worker_tells_what_came_of_points_and_ends_with_whoever_started_it():
    command = [sys.executable, "-m", "sfumato.verbs.comparing.worker"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        send(worker.stdin, (hospital(60), b"1", 0))
        send(worker.stdin, Point(method=sf.Mondrian(), promise=sf.KAnonymity(5)))
        assert receive(worker.stdout).came == "done"
        send(worker.stdin, Point(method=sf.MDAV(), promise=sf.LDiversity(2)))
        assert receive(worker.stdout).came == "refused"
        send(worker.stdin, Point(method=sf.Mondrian(), promise=sf.KAnonymity(5), n_rows="no number"))
        failed = receive(worker.stdout)
        assert (failed.came, failed.why) == ("failed", "an error in sfumato, ColumnNotFoundError; please report it")
        endless = sf.Ordered(polish=10**12)
        send(worker.stdin, Point(method=endless, promise=sf.KAnonymity(5)))
        worker.stdin.close()  # as the end of the other process does
        assert worker.wait(timeout=30) == 1
        assert receive(worker.stdout) is None
    finally:
        worker.kill()
        worker.wait()
        worker.stdin.close()
        worker.stdout.close()


def test_a_message_that_cannot_be_read_ends_it():
    command = [sys.executable, "-m", "sfumato.verbs.comparing.worker"]
    done = subprocess.run(command, input=b"\x03" + bytes(7) + b"abc", capture_output=True, timeout=30, check=False)
    assert done.returncode == 1
    assert done.stdout == b""
