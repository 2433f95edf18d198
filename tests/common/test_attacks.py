"""Every attack keeps the rules of the house. Whoever adds one adds nothing here: it is found by its class."""

from __future__ import annotations

import contextlib
import json
import math
import shutil
from functools import cache
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.contracts.attack import attack_from_dict, known_attacks
from sfumato.ground.errors import ParameterError, SfumatoError
from sfumato.ground.surface import public_homes
from support.house import (
    ATTACKS,
    METHODS,
    all_published,
    attack_named,
    digest,
    example,
    followed,
    published,
    refuses_bad_parameters,
    said_of,
)

DOCS = Path(__file__).parents[2] / "docs"


def attackable(name):
    """Releases that an attack may be tried on: the quick ones first."""
    yield followed()[1:]
    yield from map(published, METHODS)
    for method in METHODS:
        yield from all_published(method)


@cache
def attacked(name):
    """What an attack found in the first release that it can attack, and that release with its original."""
    for release, data in attackable(name):
        if isinstance(release.data, known_attacks()[name].takes):
            with contextlib.suppress(SfumatoError):
                return sf.attack(release, attack_named(name), data, seed=1), release, data
    raise AssertionError(f"{name} attacks no release of the house")


@pytest.mark.parametrize("name", ATTACKS)
def test_it_is_public_and_says_who_attacks(name):
    assert public_homes()[name] == known_attacks()[name].__module__
    assert known_attacks()[name].__doc__
    assert any(name in page.read_text(encoding="utf-8") for page in DOCS.rglob("*.md"))


@pytest.mark.parametrize("name", ATTACKS)
def test_its_parameters_travel_as_data(name):
    attack = attack_named(name)
    assert json.dumps(attack.to_dict())
    if not hasattr(attack, "previous"):  # releases do not travel as data
        assert attack_from_dict(attack.to_dict()) == attack
    with pytest.raises(ParameterError, match="has no parameter 'no_such_parameter'"):
        attack_from_dict({**example(type(attack)), "no_such_parameter": 1})


@pytest.mark.parametrize("name", ATTACKS)
def test_bad_parameters_get_one_sentence(name):
    refuses_bad_parameters(attack_named(name))


@pytest.mark.parametrize("name", ATTACKS)
def test_what_it_finds_comes_with_a_baseline_and_an_interval(name):
    found, *_ = attacked(name)
    assert len(found)
    for each in found.values():
        assert math.isfinite(each.value)
        assert math.isfinite(each.baseline)
        assert each.meaning
        if each.low is not None and each.high is not None:
            assert each.low <= each.value <= each.high
    assert str(found)
    assert found.to_dict()["attack"]["name"] == name


@pytest.mark.parametrize("name", ATTACKS)
def test_a_seed_repeats_it_and_nothing_is_touched(name):
    found, release, data = attacked(name)
    before = digest(data), digest(release.data)
    again = sf.attack(release, attack_named(name), data, seed=1)
    assert again.to_dict() == found.to_dict()
    assert (digest(data), digest(release.data)) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", ATTACKS)
def test_every_release_is_attacked_or_refused_in_a_sentence(name):
    for method in METHODS:
        release, data = published(method)
        said_of(lambda r=release, d=data: sf.attack(r, attack_named(name), d, seed=1), method)


@pytest.mark.parametrize("name", ATTACKS)
def test_without_the_owners_part_nothing_is_found_out(name, tmp_path):
    _, release, data = attacked(name)
    release.save(tmp_path / "out", report=False)
    shutil.rmtree(tmp_path / "owner")
    with pytest.raises(SfumatoError, match="row map"):
        sf.attack(sf.load_release(tmp_path / "out"), attack_named(name), data)
