"""Randomness: repeats to the byte, never changes unnoticed, and is as uniform as it says."""

from __future__ import annotations

import hashlib
import itertools
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, kstest

from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness

seeds = st.integers() | st.binary(min_size=1, max_size=40) | st.text(min_size=1, max_size=20)


# -- repeating -------------------------------------------------------------------------------------------------------
@given(seeds, st.lists(st.integers(0, 70_000), max_size=4))
@settings(max_examples=50)
def test_a_seed_repeats_to_the_byte(seed, sizes):
    one, two = Randomness(seed), Randomness(seed)
    assert b"".join(one.bytes(n) for n in sizes) == two.bytes(sum(sizes))
    assert one.integers(1000, size=5).tolist() == two.integers(1000, size=5).tolist()


def test_golden_values():
    """A change of algorithm would silently break every repeated release: it must be seen here."""
    assert Randomness(7).bytes(16).hex() == "c74c874fc8901ee5c71fc16d2c1e0a27"
    assert Randomness("seven").bytes(8).hex() == "b1423a4da999a732"
    assert Randomness(b"seven").bytes(8).hex() == "593572ee3b9f2d75"
    assert Randomness(7).words(2).tolist() == [16509792473988943047, 2813094093415063495]
    assert Randomness(7).uniform(2).tolist() == [0.8949976433791821, 0.1524981363743375]
    assert Randomness(7).integers(10, size=8).tolist() == [7, 5, 7, 4, 6, 7, 4, 6]
    assert Randomness(7).permutation(6).tolist() == [1, 5, 2, 3, 4, 0]
    assert Randomness(7).spawn("rows").bytes(8).hex() == "bb24ac435bb24b3c"


@pytest.mark.parametrize(
    ("n", "digest"),
    [
        (200_000, "956d2d5587c192c9c679b44faca0dace57202680b21504e2296bfac6a815ec2e"),
        ((1 << 24) + 100, "6c525453ced09ee54dd1ed8498312e7b6fee50664cbbaecdcfcf48ff9d2a4e94"),
    ],
)
def test_golden_long_streams(n, digest):
    drawn = Randomness(7).bytes(n)
    assert len(drawn) == n
    assert hashlib.sha256(drawn).hexdigest() == digest


def test_the_owners_copy_of_a_seed_repeats_the_stream():
    for seed in (7, "seven", b"seven", None):
        random = Randomness(seed)
        assert Randomness(random.seed).bytes(32) == random.bytes(32)


def test_numpy_integers_are_integers():
    assert Randomness(np.int64(7)).bytes(8) == Randomness(7).bytes(8)


def test_seeds_of_different_types_differ():
    drawn = {Randomness(seed).bytes(16) for seed in (7, "7", b"7", -7, 0)}
    assert len(drawn) == 5


def test_without_a_seed_no_two_streams_agree():
    assert len({Randomness().bytes(16) for _ in range(50)}) == 50


def test_draws_never_repeat_within_a_stream():
    random = Randomness(1)
    drawn = [random.bytes(16) for _ in range(9000)]  # crosses the end of the first block
    assert len(set(drawn)) == len(drawn)


# -- spawning --------------------------------------------------------------------------------------------------------
def test_spawned_streams_do_not_depend_on_what_was_drawn():
    early, late = Randomness(3), Randomness(3)
    late.bytes(1000)
    late.spawn("other").bytes(10)
    assert early.spawn("rows").bytes(64) == late.spawn("rows").bytes(64)


def test_spawned_streams_differ_from_each_other_and_their_parent():
    parent = Randomness(3)
    streams = [Randomness(3), *(parent.spawn(label) for label in ("", "a", "b", "ab"))]
    streams += [parent.spawn("a").spawn("b"), parent.spawn("b").spawn("a"), Randomness(4).spawn("a")]
    assert len({stream.bytes(16) for stream in streams}) == len(streams)
    assert parent.bytes(8) == Randomness(3).bytes(8)  # spawning draws nothing


def test_spawned_streams_are_uncorrelated():
    words = [Randomness(5).spawn(str(i)).words(2000) for i in range(4)]
    for a, b in itertools.combinations(words, 2):
        differing = np.bitwise_count(a ^ b).sum() / (64 * 2000)
        assert abs(differing - 0.5) < 4 * 0.5 / np.sqrt(64 * 2000)


# -- distributions ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("high", [2, 3, 7, 10, 64, 1000])
def test_integers_are_uniform(high):
    drawn = Randomness(f"uniform {high}").integers(high, size=100 * high + 20_000)
    assert chisquare(np.bincount(drawn, minlength=high)).pvalue > 1e-3


def test_integers_have_no_modulo_bias():
    """With high = 3 * 2**61 a plain remainder would put half of all draws in the lowest third."""
    high = 3 * 2**61
    drawn = Randomness("bias").integers(high, size=30_000)
    thirds = np.bincount(drawn // 2**61, minlength=3)
    assert chisquare(thirds).pvalue > 1e-3
    biased = np.bincount((Randomness("bias").words(30_000) % np.uint64(high)).astype(np.int64) // 2**61, minlength=3)
    assert chisquare(biased).pvalue < 1e-9  # the test can fail


@given(seeds, st.integers(1, 2**63), st.integers(0, 50))
@settings(max_examples=50)
def test_integers_lie_below_high(seed, high, size):
    drawn = Randomness(seed).integers(high, size=size)
    assert drawn.shape == (size,)
    assert drawn.dtype == np.int64
    assert all(0 <= x < high for x in drawn.tolist())


@pytest.mark.parametrize("high", [0, -1, 2**63 + 1])
def test_integers_refuse_a_bad_bound(high):
    with pytest.raises(ParameterError, match=rf"between 1 and 2\*\*63, got {high}"):
        Randomness(1).integers(high, size=1)


def test_uniform_lies_in_the_unit_interval_and_is_uniform():
    drawn = Randomness("unit").uniform(50_000)
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert kstest(drawn, "uniform").pvalue > 1e-3
    assert (drawn * 2**53 == np.floor(drawn * 2**53)).all()  # 53 bits each


def test_the_largest_word_stays_below_one(monkeypatch):
    random = Randomness(1)
    monkeypatch.setattr(random, "words", lambda size: np.full(size, 2**64 - 1, dtype=np.uint64))
    assert random.uniform(1)[0] == 1 - 2.0**-53


@pytest.mark.parametrize("n", [2, 3, 4])
def test_permutations_are_uniform(n):
    random = Randomness(f"permutations {n}")
    seen = Counter(tuple(random.permutation(n).tolist()) for _ in range(6000))
    orders = list(itertools.permutations(range(n)))
    assert set(seen) <= set(orders)
    assert chisquare([seen[order] for order in orders]).pvalue > 1e-3


@given(seeds, st.integers(0, 200))
@settings(max_examples=50)
def test_a_permutation_holds_every_number_once(seed, n):
    assert sorted(Randomness(seed).permutation(n).tolist()) == list(range(n))


def test_a_tie_is_drawn_again(monkeypatch):
    random = Randomness(1)
    keys = [np.array([5, 5, 1], dtype=np.uint64), np.array([3, 2, 1], dtype=np.uint64)]
    monkeypatch.setattr(random, "words", lambda size: keys.pop(0))
    assert random.permutation(3).tolist() == [2, 1, 0]


# -- secrets and mistakes --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", [123456789, "correct horse", b"battery staple"])
def test_the_seed_is_never_shown(seed):
    random = Randomness(seed)
    for shown in (repr(random), str(random), f"{random}", f"{[random]}"):
        assert shown.strip("[]") == "Randomness(<secret>)"


@pytest.mark.parametrize("seed", [1.5, True, [1], (1, 2), object(), np.float64(1)])
def test_bad_seeds_are_refused_without_being_shown(seed):
    with pytest.raises(ParameterError, match=f"seed must be an integer, bytes or text, got {type(seed).__name__}"):
        Randomness(seed)


def test_a_copied_stream_goes_on_from_the_same_place():
    random = Randomness(2)
    random.bytes(100)
    assert pickle.loads(pickle.dumps(random)).bytes(100) == random.bytes(100)


@pytest.mark.parametrize("seed", ["", b""])
def test_an_empty_seed_is_refused(seed):
    with pytest.raises(ParameterError, match="seed must not be empty"):
        Randomness(seed)
