"""What somebody believes of a person's sensitive value who takes every row that fits for as likely as any other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.contracts.attack import Success, mean_success, share_success
from sfumato.tables.attacks.targets import Case, Secret

__all__ = ["Beliefs", "before_and_after", "belief_figures", "beliefs"]

RAW = " in the raw records"


@dataclass(frozen=True, eq=False)
class Beliefs:
    """People by values: how often each value occurs among the rows that fit, and the number of the true one."""

    counts: csr_array
    true: NDArray[np.int64]

    @property
    def total(self) -> NDArray[np.float64]:
        """Rows that fit, by person."""
        return np.asarray(self.counts.sum(axis=1)).ravel()

    @property
    def own(self) -> NDArray[np.float64]:
        """The belief in the true value, by person."""
        return self.of(self.true)

    def of(self, values: NDArray[np.int64]) -> NDArray[np.float64]:
        """The belief in one value for each person."""
        picked = csr_array((np.ones(len(values)), (np.arange(len(values)), values)), shape=self.counts.shape)
        found = np.asarray(self.counts.multiply(picked).sum(axis=1)).ravel()
        return np.asarray(found / np.maximum(self.total, 1e-300))

    @property
    def n_values(self) -> NDArray[np.int64]:
        """How many values are possible, by person."""
        return np.asarray(np.diff(self.counts.indptr), dtype=np.int64)

    @property
    def likeliest(self) -> NDArray[np.float64]:
        """How likely the value believed most is right: a share where several are believed alike."""
        right = np.zeros(len(self.true))
        for i, (start, stop) in enumerate(zip(self.counts.indptr[:-1], self.counts.indptr[1:], strict=True)):
            counts, values = self.counts.data[start:stop], self.counts.indices[start:stop]
            top = values[counts >= counts.max(initial=0) * (1 - 1e-12)]
            right[i] = float(self.true[i] in top) / max(len(top), 1)
        return right


def beliefs(fits: csr_array, spread: csr_array, true: NDArray[np.int64]) -> Beliefs:
    """Count the values among the rows that fit."""
    counts = csr_array(fits @ spread)
    counts.sum_duplicates()
    counts.eliminate_zeros()
    return Beliefs(counts, true)


def before_and_after(case: Case, secret: Secret) -> tuple[Beliefs, Beliefs]:
    """What is believed by the raw records, and by the release."""
    true = secret.true[case.records]
    return beliefs(case.fits_before, secret.before, true), beliefs(case.fits, secret.after, true)


def belief_figures(
    found: Beliefs, secret: Secret, case: Case, suffix: str, said: str, *, near: bool = False
) -> dict[str, Success]:
    """How sure somebody is of people's values; of the nearest rows alone nothing is certain."""
    certain = (found.n_values == 1) & (found.own > 0)
    one = float((secret.shares > 0).sum() == 1)
    sure = {} if near else {
        f"certain{suffix}": share_success(
            certain, one, f"people whose {secret.name!r} is the only one among rows that fit{said}"
        )
    }  # fmt: skip
    return sure | {
        f"posterior{suffix}": mean_success(
            found.own, secret.guess(case.records), f"probability that a guess by the rows that fit has it right{said}"
        ),
        f"likeliest{suffix}": mean_success(
            found.likeliest, float(secret.shares.max()), f"people whose likeliest value is the right one{said}"
        ),
    }  # fmt: skip
