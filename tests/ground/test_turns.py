"""Turns between processes: one has it, the others wait, and a turn of the dead is nobody's."""

import os
import subprocess
import sys
import threading
import time

from sfumato.ground.turns import give_turn, take_turn


def test_a_free_turn_is_taken_and_given_back(tmp_path):
    file = tmp_path / "x.turn"
    assert take_turn(file)
    assert file.read_text() == str(os.getpid())
    give_turn(file)
    assert not file.exists()
    give_turn(file)


def test_who_waits_goes_on_when_it_is_given_back(tmp_path):
    file = tmp_path / "x.turn"
    other = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(30)"])
    try:
        file.write_text(str(other.pid))
        threading.Timer(0.2, give_turn, [file]).start()
        started = time.monotonic()
        assert not take_turn(file)
        assert time.monotonic() - started >= 0.1
        assert take_turn(file)
    finally:
        other.kill()
        other.wait()


def test_a_turn_of_the_dead_is_taken(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    file = tmp_path / "x.turn"
    file.write_text(str(gone.pid))
    assert not take_turn(file)
    assert take_turn(file)


def test_an_old_turn_is_nobodys(tmp_path):
    file = tmp_path / "x.turn"
    file.write_text("")
    os.utime(file, (1, 1))
    assert not take_turn(file)
    assert take_turn(file)


def test_where_nothing_can_be_written_everybody_goes_on(tmp_path):
    assert take_turn(tmp_path / "no such folder" / "x.turn")
