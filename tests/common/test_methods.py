"""Every method keeps the rules of the house. Whoever adds one adds nothing here: it is found by its class."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.contracts.method import known_methods, method_from_dict
from sfumato.ground.errors import ParameterError, SfumatoError
from sfumato.ground.surface import public_homes
from sfumato.published.shape import shape_of
from support.house import (
    BAD,
    FORMATS,
    METHODS,
    PROMISES,
    SEED,
    WITHOUT_LIBRARY,
    data_for,
    digest,
    example,
    is_one_sentence,
    method_named,
    promise_named,
    published,
    refuses_bad_parameters,
    said_of,
    seed_of,
)

DOCS = Path(__file__).parents[2] / "docs"


def same_data(a, b):
    return a.frame.equals(b.frame) if type(a) is type(b) else False


@pytest.mark.parametrize("name", sorted(WITHOUT_LIBRARY) or ["none"])
def test_methods_that_cannot_run_here_are_named(name):
    if name in WITHOUT_LIBRARY:
        pytest.skip(f"{name} needs {WITHOUT_LIBRARY[name]}, which is not installed")


@pytest.mark.parametrize("name", METHODS)
def test_it_is_public_and_says_what_it_does(name):
    assert public_homes()[name] == known_methods()[name].__module__
    assert known_methods()[name].__doc__
    assert any(name in page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("name", METHODS)
def test_its_parameters_travel_as_data(name):
    method = method_named(name)
    given = method.to_dict()
    assert method_from_dict(given) == method
    assert given["name"] == name
    told = json.loads(json.dumps(method.public_parameters(), default=lambda each: each.to_dict()))
    assert told["name"] == name
    with pytest.raises(ParameterError, match="has no parameter 'no_such_parameter'"):
        method_from_dict({**example(type(method)), "no_such_parameter": 1})


@pytest.mark.parametrize("name", METHODS)
def test_a_seed_repeats_it_and_another_does_not(name):
    release, data = published(name)
    kind = known_methods()[name]
    if not kind.repeatable:
        with pytest.raises(ParameterError, match="no seed repeats"):
            sf.publish(data, method_named(name), release.promise, seed=SEED)
        return
    again = sf.publish(data, method_named(name), release.promise, seed=SEED)
    assert same_data(again.data, release.data)
    assert again.public == release.public
    assert (again.owner.rows == release.owner.rows).all()
    assert all(again.files[each].equals(release.files[each]) for each in release.files)
    other = sf.publish(data, method_named(name), release.promise, seed=SEED + 1)
    assert not (other.owner.rows == release.owner.rows).all()


@pytest.mark.parametrize("name", METHODS)
def test_what_it_is_given_stays_as_it_was(name):
    release, data = published(name)
    before = digest(data)
    sf.publish(data, method_named(name), release.promise)
    assert digest(data) == before


@pytest.mark.parametrize("name", METHODS)
def test_its_release_stands_before_whoever_looks(name):
    release, data = published(name)
    assert release.verdict.stands
    assert sf.verify(release, data).stands
    alone = sf.verify(release)
    assert alone.word in ("holds", "declared", "not decided")
    assert alone.word != "holds" or sf.verify(release, data).word == "holds"


@pytest.mark.parametrize("name", METHODS)
def test_it_publishes_no_identifier(name):
    release, data = published(name)
    names = set(getattr(getattr(data, "schema", None), "identifier", []) or [])
    seen = set(release.data.frame.columns).union(*(frame.columns for frame in release.files.values()))
    assert not names & seen


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", METHODS)
def test_its_release_survives_the_disk(name, format, tmp_path):
    release, data = published(name)
    release.save(tmp_path / "out", format=format, report=False)
    loaded = sf.load_release(tmp_path / "out")
    assert not loaded.damage
    assert same_data(loaded.data, release.data)
    assert loaded.promise == release.promise
    assert loaded.verdict.word == release.verdict.word
    assert sf.verify(loaded, data).word == sf.verify(release, data).word
    assert sf.verify(loaded).word == sf.verify(release).word
    assert type(shape_of(loaded)) is type(shape_of(release))
    secret = release.owner.seed.hex()
    for path in (tmp_path / "out").iterdir():
        assert secret not in path.read_bytes().decode("latin-1")


@pytest.mark.parametrize("name", METHODS)
def test_bad_parameters_get_one_sentence(name):
    refuses_bad_parameters(method_named(name))


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_odd_parameters_that_it_takes_are_published_or_refused(name):
    release, data = published(name)
    method = method_named(name)
    good = {field.name: getattr(method, field.name) for field in fields(method)}
    for parameter in good:
        for odd in (*BAD, None, 0, 1, 0.5, 10**6):
            try:
                changed = type(method)(**{**good, parameter: odd})
            except SfumatoError:
                continue
            said_of(lambda c=changed: sf.publish(data, c, release.promise), f"{parameter}={odd!r}")


@pytest.mark.slow
@pytest.mark.parametrize("name", METHODS)
def test_any_promise_is_kept_or_refused(name):
    """On all data that the method takes: what is published stands, and what cannot be promised is said in a sentence."""
    kept = 0
    for data in data_for(known_methods()[name]):
        for promise in (None, *map(promise_named, PROMISES)):
            made = []
            said_of(
                lambda d=data, p=promise, m=made: m.append(sf.publish(d, method_named(name), p, seed=seed_of(name))),
                repr(promise),
            )
            for release in made:
                assert release.promise is not None or promise is None
                assert sf.verify(release, data).stands
                kept += 1
    assert kept


@pytest.mark.parametrize("name", METHODS)
def test_other_kinds_of_data_are_refused(name):
    kind = known_methods()[name]
    for other in (set(METHODS) - {name}).intersection(METHODS):
        if known_methods()[other].takes is not kind.takes:
            with pytest.raises(ParameterError, match="choose another method") as said:
                sf.publish(data_for(known_methods()[other])[0], method_named(name))
            assert is_one_sentence(str(said.value))
            return
