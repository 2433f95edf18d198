"""Excluded values make the others likelier."""

from collections import Counter

import numpy as np
import pytest

import sfumato as sf
from support.attacked_classes import CLASSES, publish_classes, table_of


def test_excluding_the_commonest_others_is_the_worst_case():
    table = table_of(CLASSES)
    found = sf.attack(publish_classes(table, 3), sf.BackgroundKnowledgeAttack(1), table)
    by_hand = []
    for c in CLASSES:
        for v in c:
            others = sorted((n for w, n in Counter(c).items() if w != v), reverse=True)[1:]
            by_hand.append(Counter(c)[v] / (Counter(c)[v] + sum(others)))
    assert found["posterior"].value == pytest.approx(np.mean(by_hand))
    assert found["certain"].value == pytest.approx(6 / 10)
    none = sf.attack(publish_classes(table, 3), sf.BackgroundKnowledgeAttack(0), table)
    plain = sf.attack(publish_classes(table, 3), sf.HomogeneityAttack(), table)
    assert none["posterior"].value == pytest.approx(plain["posterior"].value)
    assert none["posterior"].baseline == pytest.approx(plain["posterior"].baseline)
    assert sf.attack(publish_classes(table, 3), sf.BackgroundKnowledgeAttack(2), table)["certain"].value == 1
