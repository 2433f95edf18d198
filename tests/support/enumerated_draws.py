"""The exact law of what a randomizer reports, by running it on every outcome of its draws.

A randomizer draws whether a number is below a threshold, and whole numbers that are all alike: a tree of choices, each
with an exact probability. The implementation itself is run along every path of the tree, for one answer at a time.
"""

from collections import defaultdict
from fractions import Fraction

import numpy as np

from sfumato.collection.randomizers.draws import WHOLE, Draws


class _Path(Draws):
    """Draws that follow a list of choices, and note the probability and what else could have been chosen."""

    def __init__(self, choices):
        self.choices, self.at = list(choices), 0
        self.probability, self.open = Fraction(1), []

    def _choose(self, probabilities):
        possible = [i for i, each in enumerate(probabilities) if each]
        if self.at == len(self.choices):
            self.choices.append(possible[0])
            self.open.append((self.at, possible[1:]))
        taken = self.choices[self.at]
        self.at += 1
        self.probability *= probabilities[taken]
        return taken

    def are_below(self, thresholds, n):
        each = np.broadcast_to(np.asarray(thresholds, dtype=object), (n,))
        return np.array([bool(self._choose((1 - Fraction(int(t), WHOLE), Fraction(int(t), WHOLE)))) for t in each])

    def integers(self, high, n):
        return np.array([self._choose([Fraction(1, high)] * high) for _ in range(n)], dtype=np.int64)

    def places(self, cumulative):
        weights = np.diff(cumulative, axis=1, prepend=0).tolist()
        return np.array([self._choose([Fraction(w, WHOLE) for w in row]) for row in weights], dtype=np.int64)

    def words(self, n):
        raise AssertionError("a randomizer draws thresholds, whole numbers and places alone")


def law_of(draw):
    """The probability of every result of `draw(draws)`, as exact fractions."""
    law, pending = defaultdict(Fraction), [()]
    while pending:
        path = _Path(pending.pop())
        result = draw(path)
        law[result] += path.probability
        for at, others in path.open:
            pending += [(*path.choices[:at], other) for other in others]
    assert sum(law.values()) == 1
    return dict(law)


def report_law(randomizer, code):
    """The probability of every report for an answer."""
    return law_of(lambda draws: tuple(randomizer.draw(np.array([code]), draws)[0].tolist()))


def gamma_by_enumeration(randomizer, codes):
    """The largest ratio of the probabilities of a report under two answers; None where it is infinite."""
    return largest_ratio([report_law(randomizer, code) for code in codes])


def largest_ratio(laws):
    """The largest ratio of the probabilities of a report under two laws; None where it is infinite."""
    worst = Fraction(1)
    for report in set().union(*laws):
        under = [law.get(report, Fraction(0)) for law in laws]
        if not min(under):
            return None
        worst = max(worst, max(under) / min(under))
    return worst
