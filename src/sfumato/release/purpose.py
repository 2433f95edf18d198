"""What a run is for, so that one seed used for two releases does not tie them together.

Rows would come in the same order and noise would be the same in both, and whoever held the two beside each other could
take it out again. So the stream of a run depends on the seed, the data, the method and the promise: the same run
repeats to the byte, and any other shares nothing with it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.contracts.method import Method
    from sfumato.privacy.promise import Promise

__all__ = ["purpose_of"]


def purpose_of(digest: str, method: Method, promise: Promise | None, n_previous: int = 0) -> str:
    """A text that is the same for two runs only if data (by their `content_digest`), method and promise are."""
    run = [method.to_dict(), promise.to_dict() if promise is not None else None, digest, n_previous]
    return json.dumps(run, sort_keys=True, default=str)
