"""What an adversary believes of a person's sensitive value who takes all rows that fit for equally likely."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.contracts.attack import Success, mean_success, share_success
from sfumato.tables.attacks.targets import Secret, Targets

__all__ = ["Beliefs", "before_and_after", "belief_figures", "beliefs"]

RAW = " in the raw records"


@dataclass(frozen=True, eq=False)
class Beliefs:
    """People by values: how often each value occurs among the rows that fit, and everybody's true value."""

    counts: csr_array
    true: NDArray[np.int64]

    @property
    def total(self) -> NDArray[np.float64]:
        """How many rows fit each person."""
        return np.asarray(self.counts.sum(axis=1)).ravel()

    @property
    def own(self) -> NDArray[np.float64]:
        """For each person, the probability given to the true value."""
        return self.of(self.true)

    def of(self, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """For each person, the probability given to the value named for them."""
        picked = csr_array((np.ones(len(values)), (np.arange(len(values)), values)), shape=self.counts.shape)
        found = np.asarray(self.counts.multiply(picked).sum(axis=1)).ravel()
        return np.asarray(found / np.maximum(self.total, 1e-300))

    @property
    def n_values(self) -> NDArray[np.int64]:
        """How many values are possible for each person."""
        return np.asarray(np.diff(self.counts.indptr), dtype=np.int64)

    @property
    def likeliest(self) -> NDArray[np.float64]:
        """For each person, the probability that the likeliest value is right; where several are, one is drawn."""
        right = np.zeros(len(self.true))
        for i, (start, stop) in enumerate(zip(self.counts.indptr[:-1], self.counts.indptr[1:], strict=True)):
            counts, values = self.counts.data[start:stop], self.counts.indices[start:stop]
            top = values[counts >= counts.max(initial=0) * (1 - 1e-12)]
            right[i] = float(self.true[i] in top) / max(len(top), 1)
        return right


def beliefs(fits: csr_array, spread: csr_array, true: NDArray[np.int64]) -> Beliefs:
    """Count the values among the rows that fit: `fits` is people by kinds, `spread` kinds by values."""
    counts = csr_array(fits @ spread)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return Beliefs(counts, true)


def before_and_after(targets: Targets, secret: Secret) -> tuple[Beliefs, Beliefs]:
    """The beliefs of an adversary who sees the raw records, and of one who sees the release."""
    true = secret.true[targets.records]
    return beliefs(targets.fits_before, secret.before, true), beliefs(targets.fits, secret.after, true)


def belief_figures(
    found: Beliefs, secret: Secret, targets: Targets, suffix: str, said: str, *, near: bool = False
) -> dict[str, Success]:
    """The figures `certain`, `posterior` and `likeliest` of these beliefs.

    `near` beliefs are about the nearest rows, of which nothing is certain.
    """
    certain = (found.n_values == 1) & (found.own > 0)
    one = float((secret.shares > 0).sum() == 1)
    sure = {} if near else {
        f"certain{suffix}": share_success(
            certain, one, f"people whose {secret.name!r} is the only one among rows that fit{said}"
        )
    }  # fmt: skip
    return sure | {
        f"posterior{suffix}": mean_success(
            found.own, secret.guess(targets.records),
            f"probability that a guess by the rows that fit has it right{said}",
        ),
        f"likeliest{suffix}": mean_success(
            found.likeliest, float(secret.shares.max()), f"people whose likeliest value is the right one{said}"
        ),
    }  # fmt: skip
