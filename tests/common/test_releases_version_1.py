"""Releases of the first version, three of every shape and in every format, are read and verified as they were then."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import sfumato as sf
from recorded_releases import RECIPES, population, visits
from sfumato.published.shape import shape_of

FOLDER = Path(__file__).parent.parent / "releases_version_1"
DECLARED = {"edge-perturbation", "noise", "pattern-blocks", "pram"}
"""These were said to hold; how a draw was made cannot be proved."""
SHAPES = {
    "classes": ["mondrian-k", "mondrian-means", "best-first-k-map"],
    "two tables": ["anatomy", "hilbert-permutation", "mondrian-permutation"],
    "subdomains": ["target-uniform", "target-fakes", "target-table"],
    "sequence": ["republishing-first", "republishing-second", "republishing-third"],
    "condensed": ["condensation", "condensation-noise", "mondrian-condensed-l"],
    "changed values": ["rank-swapping", "pram", "uncertain-normal"],
    "redrawn values": ["noise", "pattern-localities", "pattern-blocks"],
    "baskets": ["grouped-k", "cahd", "apriori"],
    "graph": ["edge-perturbation", "k-degree", "relabelling"],
}
NAMES = [name for names in SHAPES.values() for name in names]


def original_of(name):
    """The data that the release was made from."""
    if name.startswith("republishing"):
        return visits(15 * ["first", "second", "third"].index(name.split("-")[1]))
    recipe = next(recipe for recipe in RECIPES if recipe.replace(" ", "-") == name)
    return RECIPES[recipe]().owner.original


def test_all_of_them_are_here():
    assert sorted(NAMES) == sorted(path.name for path in FOLDER.iterdir() if path.name != "owner")
    formats = {json.loads((FOLDER / name / "release.json").read_text())["format"] for name in NAMES}
    assert formats == {"sfumato release 1"}


@pytest.mark.parametrize("shape", SHAPES)
def test_the_shape_is_read_from_the_certificate(shape):
    assert {shape_of(sf.load_release(FOLDER / name)).name for name in SHAPES[shape]} == {shape}


def without_nouns(found):
    """What was found, with `in 14` where it says `in 14 classes`, as the first version did of most promises."""
    return [re.sub(r"(?<=\d) (class(es)?|groups?)\b", "", each) for each in found]


@pytest.mark.parametrize("name", NAMES)
def test_it_is_verified_as_it_was(name):
    release = sf.load_release(FOLDER / name)
    people = population() if name == "best-first-k-map" else None
    previous = []
    if name.startswith("republishing"):
        earlier = ["republishing-first", "republishing-second"][: NAMES.index(name) - NAMES.index("republishing-first")]
        previous = [sf.load_release(FOLDER / each) for each in earlier]
    verdict = sf.verify(release, original_of(name), population=people, previous=previous or None)
    assert verdict.word == ("declared" if name in DECLARED else "holds")
    if name == "noise":  # the first version did not look at it
        assert verdict.found == ("values moved as the noise that is told of makes likely",)
    else:
        assert without_nouns(verdict.found) == without_nouns(release.verdict.found)
    assert verdict.checked_on == release.verdict.checked_on
    alone = sf.verify(replace(release, owner=None), population=people)
    assert alone.word != "broken"


@pytest.mark.parametrize("name", ["mondrian-k", "anatomy", "cahd", "edge-perturbation"])
def test_it_is_saved_again_in_the_second_version(name, tmp_path):
    old = sf.load_release(FOLDER / name)
    again = replace(old, owner=replace(old.owner, original=original_of(name)))
    again.save(tmp_path / "out", report=False)
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    assert certificate["format"] == "sfumato release 2"
    assert certificate["verdict"]["word"] in ("holds", "declared")
    assert sf.load_release(tmp_path / "out").data.frame.equals(old.data.frame)
