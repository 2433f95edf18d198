"""The server under load, and after a sudden end: no answer that was acknowledged is lost, and none counts twice."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import time

import pytest

from sfumato import collection
from sfumato.collection.collector.store import open_store
from support.surveys import TEXT, drawn_reports, posted

pytest.importorskip("starlette", reason="the extra serve is not installed: requirements/serve.txt has it")
pytest.importorskip("uvicorn", reason="the extra serve is not installed: requirements/serve.txt has it")

pytestmark = pytest.mark.slow

POSTS, CLIENTS, MOST_A_SECOND = 10_000, 8, 1_000


@pytest.fixture
def survey(tmp_path):
    (tmp_path / "survey.toml").write_text(TEXT)
    return collection.read_survey(tmp_path / "survey.toml")


@pytest.fixture
def started(tmp_path, survey):
    """Start the collector as a process of its own; each call starts one more on the same store."""
    running = []

    def start():
        words = [sys.executable, "-m", "sfumato", "serve", "collect", "survey.toml", "--port", "0", "--json"]
        process = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True, env={**os.environ})
        running.append(process)
        said = ""
        while not said.rstrip().endswith("}"):
            line = process.stdout.readline()
            assert line, "the collector did not start"
            said += line
        return process, json.loads(said)["form"]

    yield start
    for process in running:
        if process.poll() is None:
            process.kill()
        process.wait()
        process.stdout.close()


class Client(threading.Thread):
    """Posts submissions one after the other, and notes which were acknowledged."""

    def __init__(self, address, survey, n, every):
        super().__init__()
        self.host, self.every = address.split("/")[2], every
        several = [drawn_reports(survey) for _ in range(20)]
        self.waiting = [(secrets.token_hex(16), several[i % 20]) for i in range(n)]
        self.kept, self.slowest = {}, 0.0

    def run(self):
        connection = http.client.HTTPConnection(self.host, timeout=30)
        begun = time.monotonic()
        for i, (number, reports) in enumerate(self.waiting):
            time.sleep(max(begun + i * self.every - time.monotonic(), 0))
            sent = time.monotonic()
            try:
                body = json.dumps({"submission": number, "reports": reports})
                connection.request("POST", "/answers", body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                said = answer.read()
            except (OSError, http.client.HTTPException):
                break
            if answer.status == 200 and json.loads(said) == {"kept": True}:
                self.kept[number] = reports
            self.slowest = max(self.slowest, time.monotonic() - sent)
        connection.close()


def kept_in(file, survey):
    """All that a store holds, by number."""
    store = open_store(file, survey)
    rows = {number: json.loads(reports) for number, _, reports in store._run("SELECT * FROM sfumato_answers")}
    store.close()
    return rows


def test_ten_thousand_posts_at_a_bounded_rate_are_all_kept(started, survey, tmp_path):
    process, address = started()
    clients = [Client(address, survey, POSTS // CLIENTS, CLIENTS / MOST_A_SECOND) for _ in range(CLIENTS)]
    begun = time.monotonic()
    for each in clients:
        each.start()
    for each in clients:
        each.join()
    took = time.monotonic() - begun
    print(f"{POSTS / took:,.0f} posts a second, the slowest answer after {max(each.slowest for each in clients):.3f} s")
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
    acknowledged = {number: reports for each in clients for number, reports in each.kept.items()}
    assert len(acknowledged) == POSTS
    assert kept_in(tmp_path / "survey.sqlite", survey) == acknowledged
    assert not (tmp_path / "survey.sqlite-wal").exists()


def test_a_sudden_end_loses_no_acknowledged_answer(started, survey, tmp_path):
    clients = []
    for _ in range(3):
        process, address = started()
        several = [Client(address, survey, 5_000, 0.0) for _ in range(4)]
        for each in several:
            each.start()
        time.sleep(1.5)
        process.kill()
        assert process.wait(20) == -signal.SIGKILL
        for each in several:
            each.join()
        clients += several
        kept = kept_in(tmp_path / "survey.sqlite", survey)
        for each in clients:
            assert 10 < len(each.kept) < 5_000
            assert all(kept.get(number) == reports for number, reports in each.kept.items())
    _, address = started()
    for each in clients:  # what was under way when it ended is sent again, and counts once
        number, reports = each.waiting[len(each.kept)]
        for _ in range(2):
            assert posted(address, {"submission": number, "reports": reports})[0] == 200
    acknowledged = sum(len(each.kept) for each in clients)
    assert len(kept_in(tmp_path / "survey.sqlite", survey)) == acknowledged + len(clients)
