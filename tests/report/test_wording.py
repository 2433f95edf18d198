"""Promises in plain words."""

from __future__ import annotations

from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.privacy.t_closeness import TCloseness
from sfumato.privacy.words import join_names
from sfumato.report.wording import promise_in_words


def test_promises_in_words():
    quasi, sensitive = ["age", "zip"], ["illness"]
    assert "at most 1 in 10" in promise_in_words(KAnonymity(10), quasi, sensitive)
    assert "one other record" in promise_in_words(KAnonymity(2), quasi, sensitive)
    for kind, c in (("frequency", None), ("distinct", None), ("entropy", None), ("recursive", 2.0)):
        assert "illness" in promise_in_words(LDiversity(3, kind=kind, c=c), quasi, sensitive)
    assert "0.2" in promise_in_words(TCloseness(0.2), quasi, sensitive)
    assert join_names([f"c{i}" for i in range(60)]).endswith("and 53 other columns")
