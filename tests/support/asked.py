"""Releases and questions that the tests of answers share: random ones, and such as are put together by hand."""

import datetime as dt
import statistics
from fractions import Fraction

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.data.schema_file import schema_to_dict
from sfumato.privacy.verdict import Verdict
from sfumato.release.release import Release

FIGURE_1 = pl.DataFrame(
    {
        "zipcode": ["91110", "91110", "91110", "91130", "91210", "91220", "91240", "91310", "91320", "91330", "91340"],
        "gender": list("FMMFFFFMMMF"),
        "salary": [30, 40, 50, 60, 40, 30, 50, 40, 60, 60, 60],
    }
)
GROUPS = [1] * 4 + [2] * 3 + [3] * 4
DOMAIN = [30, 40, 50, 60]
FIGURE_2 = {
    1: [(0, 0, 1), (1, 1, 1), (2, 2, 1), (3, 3, 1)],
    2: [(0, 1, 1), (2, 3, 1), (0, 3, 1)],
    3: [(0, 3, 2), (2, 3, 1), (0, 1, 1)],
}


EXACT_AGGREGATES = {
    "SUM": sum, "AVG": lambda values: Fraction(sum(values)) / len(values), "MIN": min, "MAX": max,
    "MEDIAN": statistics.median,
}  # fmt: skip


INTEGER, NUMBER, DATE, TEXT = ({"kinds": {"x": kind}} for kind in ("integer", "number", "date", "category"))


def subdomain_release(frame, column, groups, domain, listed, weights=None):
    """A release with subdomains: `frame` without `column`, the group of each row, and (first, last, count) by group."""
    names = [name for name in frame.columns if name != column]
    schema = sf.Schema(quasi=names, sensitive=[column])
    rows = frame.select(names).with_columns(pl.Series("group", groups, dtype=pl.Int64))
    entries = [(g, a, b, n) for g, parts in listed.items() for a, b, n in parts]
    weights = weights or [1] * len(domain)
    files = {
        "subdomains": pl.DataFrame(entries, schema=["group", "first", "last", "count"], orient="row"),
        "domain": pl.DataFrame({"place": range(len(domain)), "value": domain}),
        "targets": pl.DataFrame(
            [(0, i, w) for i, w in enumerate(weights) if w], schema=["target", "place", "weight"], orient="row"
        ),
        "groups": pl.DataFrame({"group": sorted(listed), "target": [0] * len(listed)}),
    }  # fmt: skip
    told = {"column": column, "group": "group", "count": "count", "table": "subdomains", "domain": "domain",
            "targets": "targets", "groups": "groups", "target": "uniform"}  # fmt: skip
    typed = schema.with_kinds({name: sf.Table(frame, schema).schema.column(name).kind for name in frame.columns})
    return Release(
        data=sf.Table(rows, sf.Schema(quasi=names, plain=["group"])), promise=None,
        verdict=Verdict(found=(), checked_on="nothing"), method={"name": "by hand"}, files=files,
        public={"schema": schema_to_dict(typed), "target": told},
    )  # fmt: skip


def people(rng, n, *, missing=True):
    """A small table of every kind of column."""
    age = rng.integers(18, 60, n)
    days = [dt.date(1990, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 900, n)]
    frame = pl.DataFrame(
        {
            "age": age,
            "zip": [f"{z}" for z in rng.integers(530, 545, n)],
            "height": np.round(rng.normal(170, 8, n), int(rng.integers(0, 3))),
            "born": days,
            "sex": rng.choice(["f", "m"], n),
            "grade": rng.choice(["low", "mid", "high", "top"], n),
            "salary": rng.integers(-3, 12, n) * 10,
            "score": np.round(rng.normal(0, 3, n), 2),
            "seen": [dt.date(2020, 1, 1) + dt.timedelta(days=int(d)) for d in rng.integers(0, 50, n)],
            "illness": rng.choice(["flu", "cold", "gout", "none"], n),
        }
    )
    if missing and rng.random() < 0.4:
        holes = rng.random(n) < 0.15
        frame = frame.with_columns(pl.when(pl.Series(holes)).then(None).otherwise(pl.col("age")).alias("age"))
    if missing and rng.random() < 0.3:
        holes = rng.random(n) < 0.15
        frame = frame.with_columns(pl.when(pl.Series(holes)).then(None).otherwise(pl.col("zip")).alias("zip"))
    return frame


def _compare(rng, name, constants):
    op = rng.choice(["=", "<>", "<", "<=", ">", ">="])
    kind = rng.integers(0, 5)
    a, b = (constants[int(rng.integers(len(constants)))] for _ in range(2))
    if kind == 0:
        return f"{name} BETWEEN {a} AND {b}"
    if kind == 1:
        return f"{name} {'NOT ' if rng.random() < 0.3 else ''}IN ({a}, {b})"
    if kind == 2 and rng.random() < 0.4:
        return f"{name} IS {'NOT ' if rng.random() < 0.5 else ''}NULL"
    return f"{name} {op} {a}" if rng.random() < 0.8 else f"{a} {op} {name}"


def atom(rng, names):
    """A condition on one of these columns."""
    name = names[int(rng.integers(len(names)))]
    constants = {
        "age": [str(int(a)) for a in rng.integers(15, 65, 4)] + ["30.5"],
        "zip": [f"'{z}'" for z in rng.integers(528, 547, 4)],
        "height": [f"{h:.1f}" for h in rng.normal(170, 8, 4)] + ["170"],
        "born": [f"{w}'{dt.date(1990, 1, 1) + dt.timedelta(days=int(d))}'" for d in rng.integers(0, 900, 3)
                 for w in ("", "DATE ")],
        "sex": ["'f'", "'m'", "'x'"],
        "grade": ["'low'", "'mid'", "'high'", "'none'"],
        "salary": [str(int(s) * 10) for s in rng.integers(-4, 13, 4)],
        "score": [f"{s:.2f}" for s in rng.normal(0, 3, 4)],
        "seen": [f"DATE '{dt.date(2020, 1, 1) + dt.timedelta(days=int(d))}'" for d in rng.integers(0, 50, 4)],
        "illness": ["'flu'", "'cold'", "'gout'", "'plague'"],
    }[name]  # fmt: skip
    if name == "zip" and rng.random() < 0.15:
        return f"zip LIKE '53{rng.integers(0, 10)}%'"
    if name == "age" and rng.random() < 0.15:
        return str(rng.choice([f"age % {rng.integers(2, 5)} = 1", "age * 2 > 77", "COALESCE(age, 30) < 31"]))
    if name == "born" and rng.random() < 0.15:
        return str(rng.choice([f"year(born) = {rng.integers(1989, 1993)}", f"month(born) < {rng.integers(1, 13)}"]))
    if name in ("zip", "grade") and rng.random() < 0.15:
        return str(rng.choice([f"UPPER({name}) > 'LOX'", f"substring({name}, 1, 2) = '53'", f"length({name}) = 3"]))
    return _compare(rng, name, constants)


def where(rng, names, depth=2):
    """A condition on these columns, with AND, OR and NOT."""
    if depth == 0 or rng.random() < 0.3:
        return atom(rng, names)
    kind = rng.random()
    if kind < 0.15:
        return f"NOT ({where(rng, names, depth - 1)})"
    return f"({where(rng, names, depth - 1)} {'AND' if kind < 0.65 else 'OR'} {where(rng, names, depth - 1)})"


def release_of_cells(cells, form, **schema):
    """A release of one column that shows these cells, beside a column of numbers."""
    cells = [cells] if isinstance(cells, str) else cells
    frame = pl.DataFrame({"x": cells, "pay": range(len(cells))}, schema_overrides={"x": pl.String})
    return Release(
        data=sf.Table(frame, sf.Schema(quasi=["x"], plain=["pay"])), promise=None, method={"name": "by hand"},
        verdict=Verdict(found=(), checked_on="nothing"),
        public={"schema": schema_to_dict(sf.Schema(quasi=["x"], plain=["pay"], **schema)), "forms": {"x": form}},
    )  # fmt: skip


def judge_condition(release, condition):
    answer = sf.ask(release, f"SELECT COUNT(*) FROM release WHERE {condition}")
    return {(1, 1): "yes", (0, 0): "no", (0, 1): "maybe"}[answer.low, answer.high], answer.value


def figure_2(**others):
    listed = FIGURE_2 | {int(key[1:]): parts for key, parts in others.items()}
    return subdomain_release(FIGURE_1, "salary", GROUPS, DOMAIN, listed)


def bounds(answer):
    return answer.low, answer.high
