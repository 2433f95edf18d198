"""Adult with its usual hierarchies: the optimum of 12,960 nodes, and less loss than is reported elsewhere."""

import math

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.ground.randomness import Randomness
from sfumato.tables.coding.boxes import group_losses, records, word_offsets
from sfumato.tables.coding.columns import flatten
from sfumato.tables.coding.levels import levels_of
from sfumato.tables.grouping.job import Job
from sfumato.tables.lattice.examiner import Examiner

pytestmark = [pytest.mark.data, pytest.mark.slow]


def adult(folder, sensitive=()):
    frame = pl.read_csv(folder / "relational" / "adult_arx_30162.csv.gz", separator=";")
    hierarchies = {
        name: sf.Hierarchy.from_csv(folder / "relational" / "adult_hierarchies" / f"adult_hierarchy_{name}.csv")
        for name in frame.columns
    }
    quasi = [name for name in frame.columns if name not in sensitive]
    return sf.Table(frame, sf.Schema(quasi=quasi, sensitive=list(sensitive), hierarchies=hierarchies))


def recoded(table, promise):
    """What local recoding loses, a node costing (leaves - 1) / (all leaves - 1); and how many rows it publishes."""
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    groups = sf.LocalRecoding().groups(Job(quasi, sensitive, promise, Randomness(1)))
    columns = flatten(quasi)
    costs = np.concatenate([(c.tree.last - c.tree.first) / max(c.tree.n_leaves - 1, 1) for c in quasi])
    columns = columns._replace(node_loss=costs, weight=np.full(len(quasi), 1 / len(quasi)))
    lost = group_losses(columns, word_offsets(columns), records(columns), groups.order, groups.starts)
    return float((lost * groups.sizes).sum()) / len(table), len(groups.order)


def test_best_first_finds_a_node_that_no_other_near_it_beats(data_folder):
    table = adult(data_folder)
    found = sf.BestFirst(max_suppressed=0.04).search(table, sf.KAnonymity(5))
    assert found.complete
    assert found.n_examined < 1000 < found.n_nodes == 12_960
    assert found.n_withheld <= 0.04 * len(table)
    quasi = encode(table, table.schema.quasi)
    examiner = Examiner(quasi, [], sf.KAnonymity(5), levels_of(quasi), max_withheld=math.floor(0.04 * len(table)))
    best = tuple(found.levels.values())
    assert examiner.examine(best).cost == found.cost
    near = [node for node in examiner.lattice if sum(abs(a - b) for a, b in zip(node, best, strict=True)) == 1]
    assert min(examiner.examine(node).cost for node in near) > found.cost


@pytest.mark.slow
def test_every_node_of_adult(data_folder):
    table = adult(data_folder)
    found = sf.BestFirst(max_suppressed=0.04).search(table, sf.KAnonymity(5))
    quasi = encode(table, table.schema.quasi)
    examiner = Examiner(quasi, [], sf.KAnonymity(5), levels_of(quasi), max_withheld=math.floor(0.04 * len(table)))
    cost, _, node = min((examiner.examine(node).cost, sum(node), node) for node in examiner.lattice)
    assert found.cost == pytest.approx(cost)
    assert tuple(found.levels.values()) == node


@pytest.mark.parametrize(("k", "most"), [
    pytest.param(5, 0.0589, marks=pytest.mark.slow), pytest.param(10, 0.0820, marks=pytest.mark.slow), (50, 0.1535),
])  # fmt: skip
def test_local_recoding_loses_less_than_is_reported(data_folder, k, most):
    table = adult(data_folder)
    lost, n = recoded(table, sf.KAnonymity(k))
    assert lost < most
    assert n == len(table)


@pytest.mark.slow
@pytest.mark.parametrize(("promise", "most"), [
    (sf.LDiversity(3, kind="distinct"), 0.0367), (sf.LDiversity(3, kind="entropy"), 0.0699),
    (sf.TCloseness(0.2, distance="variational"), 0.4425), (sf.TCloseness(0.2), 0.4425),
])  # fmt: skip
def test_with_a_sensitive_column(data_folder, promise, most):
    table = adult(data_folder, ["occupation"])
    lost, n = recoded(table, promise)
    assert lost < most
    assert n == len(table)


@pytest.mark.slow
def test_a_release_of_adult_verifies(data_folder):
    table = adult(data_folder, ["occupation"])
    release = sf.publish(table, sf.LocalRecoding(), sf.KAnonymity(5) & sf.LDiversity(3), seed=1)
    assert sf.verify(release, table).holds
