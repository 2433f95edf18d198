"""All randomness of the package comes from here.

A stream is SHAKE-256 in counter mode over a 32-byte key. The function is one-way, so that somebody who sees
what the stream was used for cannot run it backwards to the key or to earlier draws. By default the key comes
from the operating system. A given seed is hashed into the key and makes a run repeat to the byte, on every
platform; it is then a secret of the owner like any other key.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.errors import ParameterError

__all__ = ["Randomness", "Seed"]

Seed: TypeAlias = int | bytes | str

_BLOCK = 1 << 16


class Randomness:
    """A reproducible, one-way stream of random numbers.

    >>> Randomness(7).integers(10, size=3).tolist() == Randomness(7).integers(10, size=3).tolist()
    True
    """

    def __init__(self, seed: Seed | None = None) -> None:
        if seed is None:
            self._seed = secrets.token_bytes(32)
        elif isinstance(seed, bytes):
            self._seed = seed
        elif isinstance(seed, str):
            self._seed = b"str:" + seed.encode()
        elif isinstance(seed, (int, np.integer)) and not isinstance(seed, bool):
            self._seed = b"int:" + str(int(seed)).encode()
        else:
            raise ParameterError(f"seed must be an integer, bytes or text, got {type(seed).__name__}")
        if seed in ("", b""):
            raise ParameterError("seed must not be empty; leave it out for one from the operating system")
        self._key = hashlib.sha256(b"sfumato:" + self._seed).digest()
        self._counter = 0
        self._buffer = b""

    @property
    def seed(self) -> bytes:
        """The secret that repeats this stream: for the owner's folder only."""
        return self._seed

    def __repr__(self) -> str:
        return "Randomness(<secret>)"

    def spawn(self, label: str) -> Randomness:
        """An independent stream for one part of the work, the same whatever was drawn here before."""
        return Randomness(hashlib.sha256(b"spawn:" + self._key + label.encode()).digest())

    def bytes(self, n: int) -> bytes:
        """The next `n` bytes of the stream."""
        parts, have = [self._buffer], len(self._buffer)
        while have < n:  # blocks of one size, so that the stream does not depend on how it is drawn
            block = self._key + self._counter.to_bytes(8, "little")
            parts.append(hashlib.shake_256(block).digest(_BLOCK))
            self._counter += 1
            have += _BLOCK
        joined = b"".join(parts)
        self._buffer = joined[n:]
        return joined[:n]

    def words(self, size: int) -> NDArray[np.uint64]:
        """`size` uniform 64-bit words."""
        return np.frombuffer(self.bytes(8 * size), dtype="<u8").astype(np.uint64)

    def uniform(self, size: int) -> NDArray[np.float64]:
        """`size` numbers in [0, 1) with 53 random bits each."""
        return (self.words(size) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    def normal(self, size: int) -> NDArray[np.float64]:
        """`size` standard normal numbers (Box & Muller, Ann. Math. Statist. 29, 1958)."""
        half = (size + 1) // 2
        u = self.uniform(2 * half)
        radius = np.sqrt(-2.0 * np.log1p(-u[:half]))
        angle = 2.0 * np.pi * u[half:]
        return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:size]

    def exponential(self, size: int) -> NDArray[np.float64]:
        """`size` exponential numbers of mean 1."""
        return -np.log1p(-self.uniform(size))

    def integers(self, high: int, *, size: int) -> NDArray[np.int64]:
        """`size` integers in [0, high), without modulo bias (words past the last whole multiple are redrawn)."""
        if not 1 <= high <= 2**63:
            raise ParameterError(f"high must be between 1 and 2**63, got {high}")
        limit = np.uint64((2**64 // high) * high - 1)
        words = self.words(size)
        while (bad := np.flatnonzero(words > limit)).size:
            words[bad] = self.words(bad.size)
        return (words % np.uint64(high)).astype(np.int64)

    def permutation(self, n: int) -> NDArray[np.int64]:
        """A uniformly random order of 0..n-1."""
        keys = self.words(n)
        order = np.argsort(keys, kind="stable")
        ordered = keys[order]
        if n > 1 and bool((ordered[1:] == ordered[:-1]).any()):  # a tie would favour the given order
            return self.permutation(n)
        return order.astype(np.int64)
