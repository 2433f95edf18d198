"""A class against the whole table."""

from collections import Counter

import numpy as np
import pytest

import sfumato as sf
from support.attacked_classes import CLASSES, publish_classes, table_of


def test_skew_is_what_a_class_adds_to_the_table():
    table = table_of(CLASSES)
    found = sf.attack(publish_classes(table, 3), sf.SkewnessAttack(), table)
    shares = {"flu": 0.4, "cold": 0.3, "hiv": 0.3}
    apart, ratio, doubled = [], [], []
    for c in CLASSES:
        p = {v: Counter(c)[v] / len(c) for v in shares}
        apart += [sum(max(p[v] - shares[v], 0) for v in shares)] * len(c)
        ratio += [max(p[v] / shares[v] for v in shares)] * len(c)
        doubled += [p[v] >= 2 * shares[v] for v in c]
    assert found["distance"].value == pytest.approx(np.mean(apart))
    assert found["factor"].value == pytest.approx(np.mean(ratio))
    assert found["most"].value == pytest.approx(max(ratio))
    assert found["doubled"].value == pytest.approx(np.mean(doubled))
