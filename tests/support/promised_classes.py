"""Classes of sensitive values, and what the kernels of the algorithms say of a promise on them."""

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.data.encoding import encode
from sfumato.privacy.criteria import holds
from sfumato.privacy.requirements import criteria_for
from sfumato.published.equivalence import PublishedClasses


def classes_of(groups, *, column=None, name="s"):
    """A published table with one class per list of sensitive values."""
    rows = [(g, value) for g, values in enumerate(groups) for value in values]
    frame = pl.DataFrame(rows, schema=["g", name], orient="row")
    return PublishedClasses(frame, ["g"], [name], {name: column} if column is not None else {})


def kernel_says(promise, groups, column=None):
    """The check that algorithms use, on the same classes."""
    rows = [value for values in groups for value in values]
    column = column or sf.Column(name="s", role="sensitive")
    frame = pl.DataFrame({"s": rows, "q": [0] * len(rows)})
    table = sf.Table(frame, sf.Schema.of([column, sf.Column(name="q", role="quasi")]))
    sensitive = encode(table, ["s"])
    criteria = criteria_for(promise, len(rows), sensitive)
    scratch = np.zeros(criteria.n_nodes)
    verdicts, start = [], 0
    for values in groups:
        codes = criteria.codes[start : start + len(values), 0]
        counts = np.bincount(codes, minlength=len(criteria.total)).astype(np.int64)
        verdicts.append(holds(criteria, len(values), counts, scratch))
        start += len(values)
    return all(verdicts)
