"""Partial supports of an itemset: the share of sets that have exactly l of its k items, from randomized sets.

With P the matrix of `item_kernel.py`, E s' = P s, so that s is estimated by Q s', Q = P^-1: unbiased, with n times the
covariance Q (sum_l s_l (diag P_l - P_l P_l^T)) Q^T among a fixed set of people. The support is s_k.

Sets of different sizes m have different matrices: each is undone by its own, and the results are pooled by how many
sets there are of each. A set of m < k items cannot have more than m: P has m + 1 columns, s_l is 0 above, and Q is the
left inverse by least squares, weighted as where all l are equally frequent. Several itemsets at once (`blocks`) have
states in place of l; their joint estimates give those of each, and the covariances between them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.collection.reconstruction.item_kernel import states_of, support_matrix
from sfumato.collection.reconstruction.norm_sub import norm_sub
from sfumato.collection.reconstruction.shares import Z95, MixedNoise, ShareEstimates
from sfumato.contracts.answer import Answer

__all__ = ["PartialSupports", "Pooled", "SizeKernel", "kernels_of", "pool", "ratio_answer"]


_LEAST = 1e-12
"""What is added to likely shares, so that a state that no set seems to have is still split by the sizes of sets."""


class SizeKernel(NamedTuple):
    """How sets of one size are reported, and how that is undone."""

    columns: NDArray[np.int64]
    """The states that such sets can have, by their places among all."""
    law: NDArray[np.float64]
    """The probability of each state of a report (rows) under each of these states (columns)."""
    undo: NDArray[np.float64]
    """The weights of the states of reports (columns) in the estimate of every state (rows)."""

    def covariances(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """For each state, n times the covariance of `weights` times counts of reports, if all sets had that state."""
        means = weights @ self.law
        seconds = np.einsum("ar,br,rl->lab", weights, weights, self.law)
        return np.asarray(seconds - np.einsum("al,bl->lab", means, means))


def kernels_of(blocks: Sequence[int], laws: Mapping[int, tuple[Fraction, ...]], rho: Fraction) -> dict[int, SizeKernel]:
    """The kernel of itemsets of these sizes, for each size of sets."""
    return {m: _size_kernel(tuple(blocks), law, rho) for m, law in laws.items()}


@lru_cache(maxsize=256)
def _size_kernel(blocks: tuple[int, ...], law: tuple[Fraction, ...], rho: Fraction) -> SizeKernel:
    states = states_of(blocks)
    matrix = np.array([[float(each) for each in row] for row in support_matrix(blocks, law, rho)])
    columns = np.array([i for i, state in enumerate(states) if sum(state) < len(law)])
    undo = np.zeros((len(states), len(states)))
    undo[columns] = _left_inverse(matrix)
    return SizeKernel(columns, matrix, undo)


def _left_inverse(law: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inverse, or by least squares where there are fewer columns than rows."""
    if law.shape[0] == law.shape[1]:
        return np.asarray(np.linalg.inv(law))
    weighted = law.T / law.mean(axis=1)
    return np.asarray(np.linalg.solve(weighted @ law, weighted))


class Pooled(NamedTuple):
    """Estimates over sets of all sizes."""

    shares: NDArray[np.float64]
    """The share of each state, unbiased."""
    mix: dict[int, NDArray[np.float64]]
    """By size m, the likely share that sets of m items with a state are of all sets with that state."""
    n: int


def pool(kernels: Mapping[int, SizeKernel], counts: Mapping[int, NDArray[np.int64]]) -> Pooled:
    """Undo each size by its own kernel, and pool by how many sets there are of each."""
    n = int(sum(each.sum() for each in counts.values()))
    width = len(next(iter(counts.values())))
    shares, mix = np.zeros(width), {}
    for m, count in counts.items():
        if not count.sum():
            continue
        part = kernels[m].undo @ (count / n)
        shares += part
        likely = np.zeros(width)
        columns, of_size = kernels[m].columns, count.sum() / n
        likely[columns] = (norm_sub(part[columns] / of_size) + _LEAST) * of_size
        mix[m] = likely
    whole = sum(mix.values(), np.zeros(width))
    return Pooled(
        shares, {m: np.divide(each, whole, where=whole > 0, out=np.zeros(width)) for m, each in mix.items()}, n
    )


class PooledNoise(MixedNoise):
    """The errors of pooled estimates: n times the covariance for each state, mixed over the sizes of sets."""

    def __init__(self, kernels: Mapping[int, SizeKernel], pooled: Pooled) -> None:
        width = len(pooled.shares)
        self._parts = np.zeros((width, width, width))
        for m, mix in pooled.mix.items():
            kernel = kernels[m]
            parts = kernel.covariances(kernel.undo)
            self._parts[kernel.columns] += mix[kernel.columns, None, None] * parts
        super().__init__(np.einsum("laa->la", self._parts).copy())

    def covariance(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The covariance of the estimates, times the number of reports, where these are the true shares."""
        return np.asarray(np.tensordot(shares, self._parts, axes=1))


class PartialSupports(ShareEstimates):
    """The share of sets that have exactly 0, 1, ..., k items of an `itemset`, by how many; `support` is the last.

    They are made from `kernels` for each size of sets, the `counts` of reports that show so many of its items, and the
    `population` that they speak of; `of` is the randomizer.

    >>> from sfumato import collection
    >>> asked = collection.SelectASize(items=list("abcdef"), keep=[0.1, 0.3, 0.6], rho=0.2)
    >>> reports = asked.randomize([["a", "b"]] * 600 + [["a", "c"]] * 400, seed=1)
    >>> found = asked.estimate(reports).partial_supports(["a", "b"])
    >>> [found[l].low <= truth <= found[l].high for l, truth in enumerate([0.0, 0.4, 0.6])]
    [True, True, True]
    """

    def __init__(
        self, itemset: Sequence[str], kernels: Mapping[int, SizeKernel], counts: Mapping[int, NDArray[np.int64]],
        population: str = "fixed", *, of: str = "",
    ) -> None:  # fmt: skip
        self.itemset = tuple(itemset)
        pooled = pool(kernels, counts)
        noise = PooledNoise(kernels, pooled)
        super().__init__(range(len(self.itemset) + 1), pooled.shares, pooled.n, noise, population, of=of)

    @property
    def support(self) -> Answer:
        """The share of sets that have all items."""
        k = len(self.itemset)
        named = ", ".join(self.itemset)
        return Answer(
            f"support of {named}", float(self.shares[k]), float(self._low[k]), float(self._high[k]), False,
            float(self._stderr[k]), self.n, self.n,
        )  # fmt: skip


def ratio_answer(
    label: str, kernels: Mapping[int, SizeKernel], counts: Mapping[int, NDArray[np.int64]],
    weights: Mapping[int, NDArray[np.float64]], population: str,
) -> Answer:  # fmt: skip
    """The ratio of two sums of weights over reports, which are given as two rows for each size of sets.

    The interval is Fieller's: all ratios c for which numerator - c denominator does not differ from 0 at 95%. Unlike
    that of the delta method, which gives the standard error alone, it holds also where the denominator is as uncertain
    as the numerator; where it may be 0, every ratio is possible.
    """
    pooled = pool(kernels, counts)
    sums = sum((weights[m] @ count for m, count in counts.items()), np.zeros(2)) / pooled.n
    covariance, likely = np.zeros((2, 2)), norm_sub(pooled.shares)
    for m, mix in pooled.mix.items():
        kernel = kernels[m]
        held = (mix * likely)[kernel.columns]
        covariance += np.tensordot(held, kernel.covariances(weights[m]), axes=1)
        if population == "sampled":
            means = weights[m] @ kernel.law
            covariance += (means * held) @ means.T
    if population == "sampled":
        covariance -= np.outer(sums, sums)
    return _fieller(label, sums, covariance / pooled.n, pooled.n)


def _fieller(label: str, sums: NDArray[np.float64], covariance: NDArray[np.float64], n: int) -> Answer:
    """The ratio of two estimates, from 0 to 1, with Fieller's interval."""
    (x, y), (xx, xy, yy) = sums.tolist(), (covariance[0, 0], covariance[0, 1], covariance[1, 1])
    square = y * y - Z95**2 * yy
    if not (square > 0 and y > 0):
        value = float(x / y) if y > 0 else None
        return Answer(label, value, 0.0, 1.0, False, None, n, n)
    ratio, linear, constant = float(x / y), x * y - Z95**2 * xy, x * x - Z95**2 * xx
    reach = float(np.sqrt(max(linear**2 - square * constant, 0.0)))
    low, high = (min(max((linear + sign * reach) / square, 0.0), 1.0) for sign in (-1, 1))
    spread = float(np.sqrt(max(xx - 2 * ratio * xy + ratio**2 * yy, 0.0)) / y)
    return Answer(label, ratio, float(low), float(high), False, spread, n, n)
