"""Which shape a release has: by the keys that it tells, in a written order, and by nothing else."""

import json
import shutil
from dataclasses import dataclass

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.contracts.method import Method
from sfumato.datasets import hospital
from sfumato.ground.errors import Cancelled, ParameterError
from sfumato.ground.progress import Progress
from sfumato.published.evidence import Evidence
from sfumato.published.shape import CHANGES, Bare, shape_of, shape_type
from sfumato.published.tables.plain_moments import first_joined_group
from sfumato.tables.condensing.sparse import pools_of
from support.edited_releases import sign_again
from support.house import published

ORDER = ["graph", "baskets", "target", "condensed", "republication", "permutation", "pram", "noise"]
NAMES = ["graph", "baskets", "subdomains", "condensed", "sequence", "two tables", "changed values", "redrawn values"]


@given(st.sets(st.sampled_from(ORDER)))
def test_the_first_key_in_the_order_decides(keys):
    name = shape_type({key: {} for key in keys}).name
    expected = next((name for key, name in zip(ORDER, NAMES, strict=True) if key in keys), "classes")
    assert name == expected


@pytest.mark.parametrize("key", CHANGES)
def test_every_change_is_one_shape(key):
    assert shape_type({key: {}, "forms": {"age": "substitute"}}).name == "changed values"


@pytest.mark.parametrize(
    ("forms", "name"),
    [
        ({"a": "range", "b": "substitute"}, "redrawn values"),
        ({"a": "range"}, "classes"),
        ({}, "classes"),
        (None, "classes"),
    ],
)
def test_forms_decide_where_no_key_does(forms, name):
    assert shape_type({"forms": forms}).name == name


def test_what_a_method_made_has_a_shape_too():
    bare = Bare(data=hospital(5), public={"forms": {"age": "range"}})
    assert shape_of(bare).forms == {"age": "range"}
    assert shape_of(bare).rows is None
    assert shape_of(bare).damage == []


def test_nothing_is_evidence_until_it_was_found_out():
    nothing = Evidence()
    assert nothing.losses is nothing.linked is nothing.expected_fits is nothing.subdomains is nothing.unfit is None
    assert not nothing.fitting


@given(st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=2), min_size=1, max_size=12), st.integers(1, 8))
def test_groups_with_too_few_values_share_theirs(counts, least):
    """By code of its own, as the method that draws joins them; and nobody shares with fewer than enough."""
    given_ = np.array(counts, dtype=float)
    pools = first_joined_group(given_, float(least))
    assert (pools == pools_of(given_, float(least))).all()
    for c in range(2):
        for pool in set(pools[:, c].tolist()) - {-1}:
            assert given_[pools[:, c] == pool, c].sum() >= least


@dataclass(frozen=True)
class Elsewhere(Method, register=False):
    """A method that draws from a source of its own."""

    repeatable = False

    def run(self, table, promise, random, progress):
        raise AssertionError("it must be refused before")


def test_a_method_that_no_seed_repeats_refuses_one():
    with pytest.raises(ParameterError, match="Elsewhere draws from a source that no seed repeats; leave seed out"):
        sf.publish(hospital(10), Elsewhere(), seed=1)
    with pytest.raises(AssertionError):
        sf.publish(hospital(10), Elsewhere())


def test_publishing_can_be_watched_and_called_off():
    seen = []
    progress = Progress(4, shown=False, watch=lambda name, done: seen.append((name, done)))
    sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), progress=progress)
    assert [name for name, _ in seen][-1] == "verifying"
    assert [done for _, done in seen] == sorted(done for _, done in seen)
    stopped = Progress(4, shown=False)
    stopped.cancel()
    with pytest.raises(Cancelled):
        sf.publish(hospital(60), sf.Mondrian(), sf.KAnonymity(5), progress=stopped)


@pytest.mark.parametrize("name", ["Apriori", "Grouped", "KDegree", "EdgePerturbation", "AdditiveNoise", "Mondrian"])
def test_tables_that_no_such_release_has_break_it(tmp_path, name):
    """A table that the certificate lists and hashes, and that nothing speaks of, may hold the original."""
    out = tmp_path / "out"
    published(name)[0].save(out, report=False)
    shutil.rmtree(tmp_path / "owner")
    pl.DataFrame({"name": ["Ann", "Bob"]}).write_parquet(out / "original.parquet")
    certificate = json.loads((out / "release.json").read_text())
    certificate["files"]["original.parquet"] = {}
    certificate["public"]["files"] = [*certificate["public"].get("files", []), "original.parquet"]
    sign_again(out, certificate)
    verdict = sf.verify(sf.load_release(out))
    assert "the table 'original' is published, and the release does not name it" in verdict.broken
