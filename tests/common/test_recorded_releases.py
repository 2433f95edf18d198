"""Releases of a fixed set of recipes and seeds stay what they are; a change that means to alter one says so."""

from functools import cache

import pytest

from recorded_releases import PARTS, RECIPES, digests_of, recorded
from sfumato.contracts.method import known_methods

RECORDED = recorded()


@cache
def made(name):
    return RECIPES[name]()


@pytest.mark.slow
@pytest.mark.parametrize("name", RECIPES)
def test_a_release_is_what_was_recorded(name):
    found = digests_of(made(name))
    differs = [part for part in PARTS if found[part] != RECORDED[name][part]]
    assert not differs, f"run `python tests/recorded_releases.py --record` if {differs} of {name!r} changed on purpose"


def test_every_method_that_a_seed_repeats_has_a_recipe():
    """Names are read off the functions, so that nothing is published a second time."""
    methods = {type(each.cell_contents).__name__ for make in RECIPES.values() for each in make.__closure__ or ()}
    repeatable = {name for name, method in known_methods().items() if method.repeatable}
    assert methods | {"Republishing"} >= repeatable
    assert set(RECORDED) == set(RECIPES)
