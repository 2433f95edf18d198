"""Every promise keeps the rules of the house. Whoever adds one adds nothing here: it is found by its class."""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields, replace
from pathlib import Path

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError, SfumatoError
from sfumato.ground.surface import public_homes
from sfumato.privacy.promise import known_promises, promise_from_dict
from support.house import METHODS, PROMISES, promise_named, published, refuses_bad_parameters, said_of

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize("name", PROMISES)
def test_it_is_public_and_says_what_it_means(name):
    promise = promise_named(name)
    assert public_homes()[name] == known_promises()[name].__module__
    assert type(promise).__doc__
    assert promise.name
    assert promise.in_words(["age"], ["illness"])
    assert any(name in page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("name", PROMISES)
def test_its_parameters_travel_as_data(name):
    promise = promise_named(name)
    assert promise_from_dict(json.loads(json.dumps(promise.to_dict()))) == promise
    both = promise & promise_named("KAnonymity")
    assert promise_from_dict(json.loads(json.dumps(both.to_dict()))) == both
    with pytest.raises(ParameterError, match="has no parameter 'no_such_parameter'"):
        promise_from_dict({**promise.to_dict(), "no_such_parameter": 1})
    first = fields(type(promise))[0].name
    with pytest.raises(ParameterError, match=f"{name} needs {first}, as in"):
        promise_from_dict({"name": name})


@pytest.mark.parametrize("name", PROMISES)
def test_bad_parameters_get_one_sentence(name):
    refuses_bad_parameters(promise_named(name))


@pytest.mark.parametrize("name", PROMISES)
def test_it_never_holds_of_rows_that_stand_alone(name):
    """A foreign table in which everybody is unique: broken, not decided, or refused in a sentence, but never kept."""
    frame = pl.DataFrame({"q": range(30), "s": [f"v{i % 3}" for i in range(30)]})
    found = []
    promise = promise_named(name)
    said_of(lambda: found.append(sf.verify(frame, promise=promise, quasi=["q"], sensitive=["s"])), name)
    assert not any(verdict.holds or verdict.stands for verdict in found)


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
def test_every_release_can_be_asked_for_it(name):
    """Also where it was never promised: a verdict or a sentence; and without the original never more than with it."""
    for method in METHODS:
        release, data = published(method)
        promise, found = promise_named(name), []
        for original in (data, None):
            said_of(lambda o=original, r=release, f=found, p=promise: f.append(sf.verify(r, o, promise=p)), method)
        words = [verdict.word for verdict in found]
        assert set(words) <= {"holds", "broken", "not decided", "declared"}
        assert words != ["broken", "holds"]


STRENGTHS = {"int": (2, 5, 200, 10**6), "float": (0.0001, 0.05, 0.3, 0.9, 1.0, 3.0)}


def stronger_and_weaker(name):
    """The promise under several values of its first parameter, as many as it takes."""
    kind = known_promises()[name]
    first = fields(kind)[0]
    made = []
    for value in (*STRENGTHS["int"], *STRENGTHS["float"]):
        with contextlib.suppress(SfumatoError):
            made.append(promise_from_dict({**promise_named(name).to_dict(), first.name: value}))
    return made or [promise_named(name)]


UNSURE = ("cannot be checked", "cannot be decided", "not decided", "without the original")


@pytest.mark.slow
@pytest.mark.parametrize("name", PROMISES)
def test_what_is_not_decided_never_holds(name):
    """Whatever a stranger is told to hold holds with the original and the owner's part too, and is never doubted.

    A promise that is about repeated draws is declared at most.
    """
    for method in METHODS:
        release, data = published(method)
        stranger = replace(release, owner=None)
        for promise in stronger_and_weaker(name):
            found = []
            for given, original in ((release, data), (stranger, None)):
                said_of(lambda g=given, o=original, f=found, p=promise: f.append(sf.verify(g, o, promise=p)), method)
            for verdict in found:
                doubted = any(word in clause for clause in verdict.found for word in UNSURE)
                assert not (verdict.holds and doubted), f"{method}: {promise!r} {verdict}"
                assert not (verdict.holds and promise.measured), f"{method}: {promise!r} {verdict}"
            if len(found) == 2 and found[1].holds:
                assert found[0].holds, f"{method}: {promise!r} holds for a stranger, and not for its owner: {found[0]}"
