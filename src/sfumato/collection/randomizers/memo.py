"""Memoized answers: who is asked again reports the same again, and tells nothing new.

Reports that are drawn afresh average out: of eleven by Warner with p = 3/4 the majority is the answer with 96.6%. So a
respondent keeps a key, and what is drawn depends on the key, the question, the answer and the randomizer alone (on the
whole numbers that it draws with, `shipped`). The promise for ever is epsilon times the number of distinct answers that
somebody has given to the question; that a report has changed shows that the answer has, or may have. A question with
another randomizer, however little differs, is drawn for anew: it is another question, whose epsilon adds up, and a memo
refuses it under the same name. RAPPOR keeps its permanent response alone, and draws each report from it afresh.
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
from sfumato.ground.validate import told

__all__ = ["Memo"]

_LEAST_KEY = 16


class Memo(SaysWhatMethodsTake):
    """The key of one respondent, by which answers are reported the same every time. It never leaves the respondent.

    Without a `key` a new one is drawn; keep `memo.key` where only the respondent reads it. Reports are the same as long
    as the question and its randomizer stay as they are. A memo remembers, for as long as it is in memory, which
    randomizer a question came with, and refuses the question with another one.

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
        self._asked: dict[str, str] = {}

    def report(self, asked: Randomizer, answer: Any, *, question: str) -> pl.DataFrame:
        """The report of an answer to a `question`, by the randomizer `asked`: a table of one row."""
        if not isinstance(asked, Randomizer):
            raise ParameterError(f"asked must be a randomizer, such as Warner(truth=0.75), got {told(asked)}")
        if not isinstance(question, str):
            raise ParameterError(f"question must be a text that names the question, got {told(question)}")
        codes, by = asked.codes_of([answer]), _digest(asked)
        if self._asked.setdefault(question, by) != by:
            raise ParameterError(
                f"question {told(question)} was asked with another randomizer before, and two reports tell more than "
                f"one; ask it under another name, and it is another question, whose epsilon adds up"
            )
        kept = Kept(
            answer=self._draws(by, question, codes.ravel().tolist()),
            respondent=self._draws(by, question, "whatever the answer"),
        )
        return asked.report_frame(asked.draw_memoized(codes, kept, Draws(Randomness())))

    def _draws(self, by: str, question: str, what: Any) -> Draws:
        """The draws that are kept for an answer; from one draw by two thresholds, two reports would give it away."""
        purpose = json.dumps([question, by, what])
        return Draws(Randomness(hashlib.sha256(b"sfumato memo:" + self.key + purpose.encode()).digest()))

    def __repr__(self) -> str:
        return "Memo(<secret>)"


def _digest(asked: Randomizer) -> str:
    """A text that two randomizers share exactly if they draw by the same numbers."""
    canonical = json.dumps(_plain(asked.shipped), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """The value with numbers that are the same written the same: 1.0 as 1."""
    if isinstance(value, dict):
        return {key: _plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
