"""Values that differ and are much the same."""

import numpy as np
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from support.attacked_classes import CLASSES, publish_classes, table_of


def test_three_low_salaries_are_similar():
    salaries = [[3, 4, 5], [6, 11, 8], [7, 9, 10]]  # Li, Li & Venkatasubramanian, table 3
    table = table_of(salaries)
    found = sf.attack(publish_classes(table, 3), sf.SimilarityAttack(), table)
    assert found["near"].value == pytest.approx(1 / 3)
    assert found["spread"].value == pytest.approx(np.mean([2 / 8, 5 / 8, 3 / 8]))
    assert found["spread"].baseline == 1


def test_diseases_of_the_stomach_are_similar():
    tree = sf.Hierarchy.from_paths(
        [["ulcer", "stomach", "*"], ["gastritis", "stomach", "*"], ["flu", "lung", "*"], ["cold", "lung", "*"]]
    )
    table = table_of([["ulcer", "gastritis", "ulcer"], ["flu", "ulcer", "cold"]], hierarchies={"ill": tree})
    found = sf.attack(publish_classes(table, 3), sf.SimilarityAttack(within=0.5), table)
    assert found["near"].value == 0.5
    assert found["near"].baseline == 0
    assert sf.attack(publish_classes(table, 3), sf.SimilarityAttack(within=0.1), table)["near"].value == 0


def test_values_without_order_are_never_near():
    table = table_of(CLASSES)
    with pytest.raises(ParameterError, match="neither an order nor a hierarchy"):
        sf.attack(publish_classes(table, 3), sf.SimilarityAttack(), table)
