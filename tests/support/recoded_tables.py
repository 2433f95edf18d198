"""Promises and groups of local recoding: what they lose, and whether they hold."""

import numpy as np

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.privacy.criteria import all_hold
from sfumato.privacy.requirements import criteria_for
from sfumato.tables.coding.columns import flatten
from support.naive import ncp

KEPT = [
    sf.KAnonymity(2), sf.KAnonymity(4), sf.LDiversity(2), sf.LDiversity(1.5), sf.LDiversity(2, kind="distinct"),
    sf.LDiversity(1.7, kind="entropy"), sf.LDiversity(2, kind="recursive", c=3), sf.TCloseness(0.3),
    sf.TCloseness(0.3, distance="variational"), sf.TCloseness(0.4, distance="kl"), sf.BetaLikeness(1),
    sf.BetaLikeness(0.7, enhanced=False), sf.KAnonymity(3) & sf.LDiversity(2, columns=("disease",)),
    sf.KAnonymity(2) & sf.TCloseness(0.25) & sf.LDiversity(2, kind="distinct"),
]  # fmt: skip


def prepare(table, promise):
    quasi, sensitive = encode(table, table.schema.quasi), encode(table, table.schema.sensitive)
    criteria = criteria_for(promise, len(table), sensitive)
    codes = np.ascontiguousarray(np.stack([column.codes for column in quasi], axis=1))
    return quasi, flatten(quasi), criteria, codes


def members(group):
    return [np.flatnonzero(group == g) for g in np.unique(group)]


def total(quasi, group):
    return sum(len(rows) * ncp(quasi, rows.tolist()) for rows in members(group))


def holds(criteria, group):
    order = np.argsort(group, kind="stable")
    sizes = np.bincount(group)
    return all_hold(criteria, order, np.concatenate([[0], np.cumsum(sizes[sizes > 0])]))


def partition(group):
    return {tuple(np.flatnonzero(np.asarray(group) == g)) for g in set(group) if g >= 0}
