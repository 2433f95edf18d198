"""Progress: a bar on a terminal that has waited long enough, silence everywhere else, and never an error of its own.

Whoever watches is told of everything, and anybody may call the work off.
"""

from __future__ import annotations

import errno
import io
import sys
import threading
import time

import pytest

from sfumato.ground import progress as module
from sfumato.ground.errors import Cancelled, SfumatoError
from sfumato.ground.progress import Progress, portion, silent_progress, steps, tell_nobody


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Gone(Terminal):
    """A terminal that was closed while the work went on."""

    def write(self, shown):
        raise OSError(errno.EIO, "Input/output error")

    def flush(self):
        raise OSError(errno.EIO, "Input/output error")


@pytest.fixture
def on(monkeypatch):
    """Puts a stream in the place of standard error; called within a test, as pytest puts its own there before."""
    monkeypatch.setattr(module, "_DELAY_S", 0.01)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("SFUMATO_PROGRESS", raising=False)

    def put(stream):
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    return put


def timers():
    return [thread for thread in threading.enumerate() if isinstance(thread, threading.Timer)]


def wait_for_bar(progress):
    until = time.monotonic() + 10
    while progress._bar is None and time.monotonic() < until:
        time.sleep(0.005)
    assert progress._bar is not None


def test_silent_when_not_a_terminal(on, monkeypatch):
    screen = on(io.StringIO())
    monkeypatch.setattr(module, "_DELAY_S", 0.0)
    with steps(2) as progress:
        progress.step("grouping")
        time.sleep(0.05)
        progress.step("showing")
        assert not timers()
    assert screen.getvalue() == ""


def test_the_environment_turns_it_off(on, monkeypatch):
    terminal = on(Terminal())
    monkeypatch.setenv("SFUMATO_PROGRESS", "0")
    with steps(1) as progress:
        progress.step("grouping")
        time.sleep(0.05)
    assert terminal.getvalue() == ""


def test_a_bar_appears_after_the_delay_and_names_the_step(on):
    terminal = on(Terminal())
    with steps(3) as progress:
        progress.step("grouping")
        wait_for_bar(progress)
        progress.step("showing")
        progress._bar.refresh()
        assert progress._bar.tasks[0].completed == 1
        assert progress._bar.tasks[0].total == 3
    shown = terminal.getvalue()
    assert "grouping" in shown
    assert "showing" in shown


def test_work_that_ends_before_the_delay_shows_nothing(on, monkeypatch):
    terminal = on(Terminal())
    monkeypatch.setattr(module, "_DELAY_S", 30.0)
    with steps(1) as progress:
        progress.step("grouping")
    assert terminal.getvalue() == ""
    until = time.monotonic() + 5
    while timers() and time.monotonic() < until:
        time.sleep(0.005)
    assert not timers()


def test_a_timer_that_fires_after_the_end_shows_nothing(on):
    on(Terminal())
    with steps(1) as progress:
        pass
    progress._appear()
    assert progress._bar is None


def test_the_bar_goes_away_when_the_work_fails(on):
    terminal = on(Terminal())

    def fail():
        with steps(1) as progress:
            progress.step("grouping")
            wait_for_bar(progress)
            raise RuntimeError("the work's own error")

    with pytest.raises(RuntimeError, match="the work's own error"):
        fail()
    assert sys.stderr is terminal


def test_standard_output_is_left_alone_while_the_bar_is_up(on, capsys):
    terminal = on(Terminal())
    with steps(1) as progress:
        progress.step("grouping")
        wait_for_bar(progress)
        print("a result")
    assert capsys.readouterr().out == "a result\n"
    assert "a result" not in terminal.getvalue()


def test_more_steps_than_announced_and_steps_after_the_end_do_no_harm(on):
    on(Terminal())
    with steps(1) as progress:
        wait_for_bar(progress)
        for name in ("a", "b", "c"):
            progress.step(name)
    progress.step("after")
    progress.close()


def test_bars_may_be_nested(on):
    on(Terminal())
    with steps(1) as outer:
        wait_for_bar(outer)
        with steps(1) as inner:
            wait_for_bar(inner)


@pytest.mark.parametrize("stream", ["none", "closed"])
def test_no_standard_error_at_all(on, stream):
    closed = io.StringIO()
    closed.close()
    on(None if stream == "none" else closed)
    with steps(1) as progress:
        progress.step("grouping")


def test_a_terminal_that_went_away_does_not_stop_the_work(on):
    on(Gone())
    with steps(1) as progress:
        progress.step("grouping")
        progress._timer.join(5)
        assert progress._bar is None
        progress.step("showing")


# Watching


def test_whoever_watches_is_told_of_every_step_and_share(on):
    on(io.StringIO())
    told = []
    with steps(4, watch=lambda name, done: told.append((name, done))) as progress:
        progress.step("reading")
        progress.step("grouping")
        progress.share(0.5)
        progress.share(1.0)
        progress.step("showing")
    assert told == [("reading", 0.0), ("grouping", 0.25), ("grouping", 0.375), ("grouping", 0.5), ("showing", 0.5)]


def test_what_was_done_stays_done():
    told = []
    progress = Progress(1, shown=False, watch=lambda name, done: told.append(done))
    progress.step("grouping")
    for done in (0.5, 0.25, 7.0):
        progress.share(done)
    progress.step("more than was announced")
    assert told == [0.0, 0.5, 0.5, 1.0, 1.0]


def test_shares_reach_the_bar(on):
    on(Terminal())
    with steps(2) as progress:
        wait_for_bar(progress)
        progress.step("grouping")
        progress.step("showing")
        progress.share(0.5)
        assert progress._bar.tasks[0].completed == 1.5


def test_what_a_watcher_raises_ends_the_work():
    def watch(name, done):
        raise RuntimeError("the watcher's own error")

    with pytest.raises(RuntimeError, match="the watcher's own error"):
        Progress(1, shown=False, watch=watch).step("grouping")


def test_a_portion_of_a_share():
    told = []
    share = portion(portion(told.append, 0.5, 1.0), 0.0, 0.5)
    for done in (-1.0, 0.0, 0.5, 1.0, 2.0):
        share(done)
    assert told == [0.5, 0.5, 0.625, 0.75, 0.75]
    tell_nobody(0.5)
    silent_progress().share(0.5)


# Calling it off

CANCELLED = "^cancelled before anything was published; nothing was written$"


@pytest.mark.parametrize("ends", ["step", "share"])
def test_the_next_step_or_share_ends_cancelled_work(ends):
    told = []
    progress = Progress(2, shown=False, watch=lambda name, done: told.append(name))
    progress.step("grouping")
    progress.cancel()
    with pytest.raises(Cancelled, match=CANCELLED):
        progress.step("showing") if ends == "step" else progress.share(0.5)
    with pytest.raises(Cancelled, match=CANCELLED):
        progress.share(1.0)
    assert told == ["grouping"]
    assert issubclass(Cancelled, SfumatoError)


def test_a_watcher_may_cancel():
    progress = Progress(2, shown=False, watch=lambda name, done: progress.cancel() if done >= 0.25 else None)
    progress.step("grouping")
    progress.share(0.4)
    with pytest.raises(Cancelled, match=CANCELLED):
        progress.share(0.5)


def test_another_thread_may_cancel(on):
    on(Terminal())
    started = threading.Event()
    with steps(1) as progress:

        def cancel():
            started.wait(10)
            progress.cancel()

        other = threading.Thread(target=cancel)
        other.start()

        def work():
            progress.step("grouping")
            started.set()
            until = time.monotonic() + 10
            while time.monotonic() < until:
                progress.share(0.5)

        with pytest.raises(Cancelled, match=CANCELLED):
            work()
        other.join(10)


def test_time_that_was_given_is_over_at_some_time():
    progress = Progress(1, shown=False)
    assert not progress.is_over
    progress.end_within(60)
    assert not progress.is_over
    progress.end_within(1e-9)
    time.sleep(0.001)
    assert progress.is_over
    progress.step("whoever cannot stop goes on")
