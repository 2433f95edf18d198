"""Files that lost their end, or some bits."""

from __future__ import annotations

import random
from collections.abc import Iterator


def damaged(content: bytes, n: int) -> Iterator[bytes]:
    """Copies of a file, every other one cut off, the others with a few bits flipped."""
    draw = random.Random(1)
    for i in range(n):
        if i % 2:
            yield content[: draw.randrange(1, len(content))]
            continue
        changed = bytearray(content)
        for _ in range(draw.randrange(1, 8)):
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        yield bytes(changed)
