"""Surveys that several tests ask, and a server that answers for one of them."""

import contextlib
import itertools
import json
import secrets
import threading
import urllib.error
import urllib.request

import numpy as np
import pytest

from sfumato import collection
from sfumato.collection.randomizers.draws import Draws
from sfumato.ground.randomness import Randomness

TEXT = """
title = "Health at work"
explanation = "Asked every year."

[[question]]
name = "smokes"
text = "Do you smoke?"
values = ["yes, I smoke", "no, I do not"]
epsilon = 1.0

[[question]]
name = "pain"
text = "How often were you in pain?"
values = ["never at all", "once or twice", "every other day", "all the time"]
randomizer = {name = "OptimalUnaryEncoding", epsilon = 1.0}
"""
FIVE = ["one", "two", "three", "four", "five"]
EVERY_KIND = {
    "kary": collection.KaryResponse(FIVE, 1.0),
    "warner": collection.Warner(0.75),
    "unrelated": collection.UnrelatedQuestion(0.7, 0.2),
    "matrix": collection.MatrixResponse(["a", "b"], [[0.8, 0.2], [0.4, 0.6]]),
    "unary": collection.OptimalUnaryEncoding(FIVE, 1.0),
    "rappor": collection.Rappor(FIVE),
    "bloom": collection.BloomRappor(FIVE, bits=4, hashes=1, cohorts=3),
    "hadamard": collection.HadamardResponse(FIVE, 0.5),
    "hashing": collection.LocalHashing(FIVE, 1.0),
    "subset": collection.SubsetSelection(FIVE, 1.0, size=2),
    "duchi": collection.Duchi(0, 10, 1.0, steps=20),
    "piecewise": collection.Piecewise(-1, 1, 2.0, steps=10),
    "hybrid": collection.Hybrid(0, 1, 2.0, steps=10),
    "laplace": collection.LaplaceNoise(0, 1, 1.0, steps=10),
    "staircase": collection.Staircase(0, 1, 3.0, steps=10),
    "uniform": collection.UniformNoise(0, 1, margin=0.5, steps=10),
    "normal": collection.NormalNoise(0, 1, sd=0.5, steps=10),
    "select-a-size": collection.SelectASize(FIVE, keep=[[0.4, 0.6], [0.2, 0.3, 0.5]], rho=0.25, itemset_size=1),
    "cut-and-paste": collection.CutAndPaste(FIVE, sizes=[2], cutoff=3, rho=0.25, padded=True),
}
PROMISING = {name: each for name, each in EVERY_KIND.items() if each.privacy.gamma is not None}
"""Those whose reports do not rule any answer out."""


def survey_of(randomizers, **more):
    """A survey with a question for each randomizer, which is named as given."""
    questions = [collection.Question(name, f"What about {name}?", each) for name, each in randomizers.items()]
    return collection.Survey("Trial", questions, **more)


def code_of(randomizer, code=0):
    """The answer of this place as the randomizer codes it; of sets of items, a set of as many as there may be."""
    items = getattr(randomizer, "items", None)
    return np.array([code]) if items is None else randomizer.codes_of([items[: max(randomizer.sizes)]])


def every_code(randomizer):
    """Every answer as the randomizer codes it."""
    if not hasattr(randomizer, "items"):
        return list(range(getattr(randomizer, "k", 0) or randomizer.steps + 1))
    n, most = len(randomizer.items), max(randomizer.sizes)
    sizes = range(min(n, most) + 1) if randomizer.padded else randomizer.sizes
    sets = [each for size in sizes for each in itertools.combinations(range(n), size)]
    return [(*each, *[-1] * (most - len(each))) for each in sets]


def drawn_reports(survey, codes=None):
    """The reports of one respondent, drawn in Python; to the first answers where no codes are given."""
    found = {}
    for question in survey.questions:
        code = code_of(question.randomizer, (codes or {}).get(question.name, 0))
        found[question.name] = question.randomizer.draw(code, Draws(Randomness()))[0].tolist()
    return found


@contextlib.contextmanager
def served(survey, file, **more):
    """A collector that listens on a free port of this machine, its address and its store."""
    pytest.importorskip("uvicorn", reason="the extra serve is not installed: requirements/serve.txt has it")
    pytest.importorskip("starlette", reason="the extra serve is not installed: requirements/serve.txt has it")
    import uvicorn

    from sfumato.collection.collector import server
    from sfumato.collection.collector.store import open_store

    store = open_store(file, survey)
    listening = server.listen(port=0, **more)
    collector = server.Collector(survey, store, hosts=listening.hosts)
    made = uvicorn.Server(server.configured(collector, listening))
    thread = threading.Thread(target=made.run, kwargs={"sockets": [listening.socket]})
    thread.start()
    try:
        yield collector, listening.address
    finally:
        made.should_exit = True
        thread.join(10)
        store.close()


def ask(address, body=None, *, method=None, headers=None, context=None):
    """The status and the body that a request is answered with."""
    request = urllib.request.Request(address, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, timeout=30, context=context) as response:
            return response.status, response.read().decode(), dict(response.headers)
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode(), dict(error.headers)


def posted(address, given, **headers):
    """Post a submission as the script does."""
    body = given if isinstance(given, bytes) else json.dumps(given).encode()
    return ask(f"{address}answers", body, headers={"Content-Type": "application/json", **headers})


def submission(reports):
    """A submission with these reports, and a number of its own."""
    return {"submission": secrets.token_hex(16), "reports": reports}
