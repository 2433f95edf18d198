"""Memoized answers: who is asked again reports the same again, and tells nothing new.

Reports that are drawn afresh average out: of eleven by Warner with p = 3/4 the majority is the answer with 96.6%. So a
respondent keeps a key, and what is drawn depends on the key, the question and the answer alone. The promise for ever is
epsilon times the number of distinct answers that somebody has given to the question; that a report has changed shows
that the answer has, or may have. RAPPOR keeps its permanent response alone, and draws each report from it afresh.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import polars as pl

from sfumato.collection.randomizers.draws import Draws
from sfumato.collection.randomizers.randomizer import Kept, Randomizer
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness

__all__ = ["Memo"]

_LEAST_KEY = 16


class Memo(SaysWhatMethodsTake):
    """The key of one respondent, by which answers are reported the same every time. It never leaves the respondent.

    Without a `key` a new one is drawn; keep `memo.key` where only the respondent reads it.

    >>> from sfumato import collection
    >>> asked, mine = collection.Warner(truth=0.75), collection.Memo()
    >>> mine.report(asked, "yes", question="smokes").equals(mine.report(asked, "yes", question="smokes"))
    True
    """

    def __init__(self, key: bytes | None = None) -> None:
        if key is not None and (not isinstance(key, bytes) or len(key) < _LEAST_KEY):
            raise ParameterError(
                f"a respondent's key is at least {_LEAST_KEY} random bytes; leave it out for a new one"
            )
        self.key = Randomness().bytes(32) if key is None else key

    def report(self, asked: Randomizer, answer: Any, *, question: str) -> pl.DataFrame:
        """The report of an answer to a question: a table of one row."""
        codes = asked.codes_of([answer])
        kept = Kept(
            answer=self._draws(asked, question, codes.ravel().tolist()),
            respondent=self._draws(asked, question, "whatever the answer"),
        )
        return asked.report_frame(asked.draw_memoized(codes, kept, Draws(Randomness())))

    def _draws(self, asked: Randomizer, question: str, what: Any) -> Draws:
        """The draws that are kept for an answer: another randomizer has others."""
        purpose = json.dumps([question, asked.to_dict(), what], default=str)
        return Draws(Randomness(hashlib.sha256(b"sfumato memo:" + self.key + purpose.encode()).digest()))

    def __repr__(self) -> str:
        return "Memo(<secret>)"
