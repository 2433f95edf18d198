"""Kernels: records one by one into the nearest group, and groups of 2k split in two.

A group is its size, and by column how many values came, their mean, and the sums of products of differences from it
(Welford's way: nothing is ever subtracted that is large). Where values are missing, products are weighted so that the
variance of every column stays exact and the matrix a covariance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sfumato.ground.kernels import kernel
from sfumato.tables.condensing.axes import principal_axes

__all__ = ["condense_records", "covariance_of", "split_group"]


@kernel
def covariance_of(counts: NDArray[np.float64], moments: NDArray[np.float64]) -> NDArray[np.float64]:
    """The covariance of one group from its sums of products."""
    d = counts.shape[0]
    covariance = np.zeros((d, d))
    for a in range(d):
        for b in range(d):
            both = math.sqrt(counts[a]) * math.sqrt(counts[b])
            covariance[a, b] = moments[a, b] / both if both > 0 else 0.0
    return covariance


@kernel
def split_group(
    sizes: NDArray[np.float64], counts: NDArray[np.float64], means: NDArray[np.float64],
    moments: NDArray[np.float64], frequencies: NDArray[np.float64], g: int, new: int, scales: NDArray[np.float64],
) -> None:  # fmt: skip
    """Split group g along its longest eigenvector; the second half becomes group `new`.

    A uniform distribution of variance lambda has the range R = sqrt(12 lambda): the halves' means lie R/4 to either
    side, and their variance along that axis is lambda/4. Mean and covariance of both together are those of before.
    """
    d = counts.shape[1]
    covariance = covariance_of(counts[g], moments[g])
    values, vectors = principal_axes(covariance.reshape(1, d, d), scales)
    longest = values[0, 0] if d > 0 else 0.0
    quarter = math.sqrt(12.0 * longest) / 4.0
    sizes[g] /= 2.0
    sizes[new] = sizes[g]
    for i in range(d):
        counts[g, i] /= 2.0
        counts[new, i] = counts[g, i]
        shift = quarter * vectors[0, i, 0] * scales[i]
        means[new, i] = means[g, i] + shift
        means[g, i] -= shift
    for i in range(d):
        for j in range(d):
            along = longest * vectors[0, i, 0] * scales[i] * vectors[0, j, 0] * scales[j]
            kept = (covariance[i, j] - 0.75 * along) * math.sqrt(counts[g, i]) * math.sqrt(counts[g, j])
            moments[g, i, j] = kept
            moments[new, i, j] = kept
    for v in range(frequencies.shape[1]):
        frequencies[g, v] /= 2.0
        frequencies[new, v] = frequencies[g, v]


@kernel
def _nearest_group(
    number: NDArray[np.float64], code: NDArray[np.int64], n_groups: int, sizes: NDArray[np.float64],
    counts: NDArray[np.float64], means: NDArray[np.float64], frequencies: NDArray[np.float64],
    weights: NDArray[np.float64], whole: bool,  # noqa: FBT001
) -> int:  # fmt: skip
    """The group whose centroid is nearest to a record; a category is as far as the share of the group with another one.

    `weights` are 1 over the squared scales. `whole` says that no value was ever missing.
    """
    best, nearest, d = np.inf, 0, number.shape[0]
    for g in range(n_groups):
        distance = 0.0
        if whole:
            for i in range(d):
                away = number[i] - means[g, i]
                distance += away * away * weights[i]
                if i & 3 == 3 and distance >= best:
                    break
        else:
            for i in range(d):
                if not np.isnan(number[i]) and counts[g, i] > 0:
                    away = number[i] - means[g, i]
                    distance += away * away * weights[i]
        if distance >= best:
            continue
        for c in range(code.shape[0]):
            distance += 1.0 - frequencies[g, code[c]] / sizes[g]
        if distance < best:
            best, nearest = distance, g
    return nearest


@kernel
def condense_records(
    numbers: NDArray[np.float64], codes: NDArray[np.int64], k: int, n_groups: int, sizes: NDArray[np.float64],
    counts: NDArray[np.float64], means: NDArray[np.float64], moments: NDArray[np.float64],
    frequencies: NDArray[np.float64], running: NDArray[np.float64], given: NDArray[np.float64],
) -> int:  # fmt: skip
    """Add records to groups in the order they come, all arrays in place; returns how many groups there are then.

    `running` has the count, mean and sum of squares of every column so far, and the count of records; columns are
    measured by their standard deviation so far, or by `given` where that is above 0.
    """
    n, d = numbers.shape
    scales, weights, weighted = np.ones(d), np.ones(d), np.zeros(d)
    for r in range(n):
        whole = True
        for i in range(d):
            running[3, i] += 1.0
            value = numbers[r, i]
            if not np.isnan(value):
                running[0, i] += 1.0
                away = value - running[1, i]
                running[1, i] += away / running[0, i]
                running[2, i] += away * (value - running[1, i])
            spread = math.sqrt(running[2, i] / running[0, i]) if running[0, i] > 0 else 0.0
            scales[i] = given[i] if given[i] > 0 else (spread if spread > 0 else 1.0)
            weights[i] = 1.0 / (scales[i] * scales[i])
            whole = whole and running[0, i] == running[3, i]
        if n_groups == 0:
            n_groups = 1
        g = 0
        if n_groups > 1:
            g = _nearest_group(numbers[r], codes[r], n_groups, sizes, counts, means, frequencies, weights, whole)
        sizes[g] += 1.0
        for i in range(d):
            weighted[i] = 0.0
            if not np.isnan(numbers[r, i]):
                counts[g, i] += 1.0
                away = numbers[r, i] - means[g, i]
                means[g, i] += away / counts[g, i]
                weighted[i] = away * math.sqrt((counts[g, i] - 1.0) / counts[g, i])
        for a in range(d):
            for b in range(d):
                moments[g, a, b] += weighted[a] * weighted[b]
        for c in range(codes.shape[1]):
            frequencies[g, codes[r, c]] += 1.0
        if sizes[g] >= 2 * k:
            split_group(sizes, counts, means, moments, frequencies, g, n_groups, scales)
            n_groups += 1
    return n_groups
