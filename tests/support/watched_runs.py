"""Runs of a method under the eyes of somebody who may call them off."""

from __future__ import annotations

from sfumato.ground.errors import Cancelled
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness


def run_watched(make, method, promise, watch=None):
    """What was told, as pairs of a step and how much of the whole is done; and whether the run was ended."""
    told = []

    def see(step, done):
        told.append((step, done))
        if watch is not None:
            watch(progress, len(told))

    progress = Progress(4, shown=False, watch=see)
    try:
        method.run(make(), method.promise_for(promise), Randomness(1), progress)
    except Cancelled:
        return told, True
    return told, False
