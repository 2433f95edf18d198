"""Small mixed tables, their releases, and published cells read by slow and obvious means."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict

import polars as pl
from hypothesis import strategies as st

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.tables.grouping.hilbert import Hilbert
from sfumato.tables.grouping.mondrian import Mondrian

NODES = {
    "Italy": ["Italy"], "France": ["France"], "Spain": ["Spain"], "US": ["US"], "Canada": ["Canada"],
    "Europe": ["France", "Italy", "Spain"], "America": ["Canada", "US"],
}  # fmt: skip
LEAVES = ["France", "Italy", "Spain", "Canada", "US"]
COUNTRIES = Hierarchy.from_paths(
    [("Italy", "Europe", "*"), ("France", "Europe", "*"), ("Spain", "Europe", "*"),
     ("US", "America", "*"), ("Canada", "America", "*")]
)  # fmt: skip
GRADES = ["low", "middle", "high", "top"]
DAY = dt.date(2020, 2, 27)
VALUES = {
    "age": [20, 21, 22, 25, 31],
    "income": [0.0, 0.5, 1.25, 7.0],
    "day": [DAY + dt.timedelta(days=i) for i in (0, 1, 4, 9)],
    "grade": GRADES,
    "country": LEAVES,
    "job": ["cook", "nurse", "clerk, senior", "smith"],
}
ORDERED = ("age", "income", "day", "grade")
DTYPES = {"age": pl.Int64, "income": pl.Float64, "day": pl.Date}


def make_table(columns, quasi):
    frame = pl.DataFrame({q: pl.Series(values, dtype=DTYPES.get(q, pl.String)) for q, values in columns.items()})
    schema = Schema(
        quasi=quasi, sensitive=[name for name in columns if name not in quasi],
        orders={"grade": GRADES} if "grade" in quasi else {},
        hierarchies={"country": COUNTRIES} if "country" in quasi else {},
        weights={"age": 2.0} if "age" in quasi else {},
    )  # fmt: skip
    return Table(frame, schema)


@st.composite
def tables(draw, *, min_rows=4, max_rows=14, quasi=None):
    n = draw(st.integers(min_rows, max_rows))
    if quasi is None:
        quasi = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=4, unique=True))
    columns = {}
    for name in quasi:
        with_missing = draw(st.booleans())
        column = draw(st.lists(st.sampled_from([*VALUES[name], *([None] if with_missing else [])]),
                               min_size=n - 1, max_size=n - 1))  # fmt: skip
        columns[name] = [draw(st.sampled_from(VALUES[name])), *column]  # a column without any value is refused
    columns["disease"] = draw(st.lists(st.sampled_from(["flu", "hiv", "ok"]), min_size=n, max_size=n))
    return make_table(columns, list(quasi))


@st.composite
def releases(draw, *, show=("ranges", "means"), quasi=None):
    table = draw(tables(quasi=quasi))
    k = draw(st.integers(1, 4))
    method = draw(st.sampled_from([Mondrian, Hilbert]))(show=draw(st.sampled_from(show)))
    return table, published(table, method, k), k


def published(table, method, k, seed=3):
    with steps(3) as progress:
        return method.run(table, KAnonymity(k), Randomness(seed), progress)


# -- reading cells -----------------------------------------------------------------------------------------


def number(value, name):
    """A value, or the text of one, as a number."""
    if name == "grade":
        return float(GRADES.index(value))
    if name == "day":
        return float((value if isinstance(value, dt.date) else dt.date.fromisoformat(value)).toordinal())
    return float(value)


def domain(table, name):
    if name == "grade":
        return 0.0, 3.0
    numbers = [number(v, name) for v in table.frame[name].to_list() if v is not None]
    return min(numbers), max(numbers)


def distinct(table, name):
    """The values a column can take, a missing one among them if there is one."""
    present = set(table.frame[name].to_list())
    return (set(LEAVES) | (present & {None})) if name == "country" else present


def read(shown, name):
    """(low, high) or the members of a cell, and whether it may be missing; `*` is None."""
    if shown is None:
        return [], True
    if shown == "*":
        return None, True
    missing = str(shown).endswith(" or missing")
    body = str(shown).removesuffix(" or missing")
    if name == "country":
        return NODES[body], missing
    if name == "job":
        if not body.startswith("{"):
            return [body.strip('"')], missing
        body = body[1:-1].replace('"clerk, senior"', "clerk; senior")
        return [member.replace(";", ",") for member in body.split(", ")], missing
    if body.startswith("["):
        low, high = body[1:-1].split(" .. " if name == "grade" else ", ")
        return (number(low, name), number(high, name)), missing
    return (number(body, name),) * 2, missing


def covers(shown, name, value):
    inside, missing = read(shown, name)
    if value is None:
        return missing
    if inside is None:
        return True
    if name in ORDERED:
        return bool(inside) and inside[0] <= number(value, name) <= inside[1]
    return value in inside


def cell_loss(shown, name, table):
    inside, missing = read(shown, name)
    if inside is None:
        return 1.0
    if not inside:
        return 0.0
    return loss(inside, missing, name, table)


def loss(inside, missing, name, table):
    if name == "job":
        n = len(inside) + missing
        return n / len(distinct(table, name)) if n > 1 else 0.0
    if name == "country":
        cost = len(inside) / 5 if len(inside) > 1 else 0.0
    else:
        first, last = domain(table, name)
        cost = (inside[1] - inside[0]) / (last - first) if last > first else 0.0
    return 0.5 + 0.5 * cost if missing else cost


def true_loss(values, name, table):
    """What the tightest cover of these values costs."""
    present, missing = {v for v in values if v is not None}, None in values
    if not present:
        return 0.0
    if name == "job":
        return loss(sorted(present), missing, name, table)
    if name == "country":
        inside = min((leaves for leaves in [*NODES.values(), LEAVES] if present <= set(leaves)), key=len)
        return loss(inside, missing, name, table)
    numbers = [number(v, name) for v in present]
    return loss((min(numbers), max(numbers)), missing, name, table)


def classes_of(frame, quasi):
    """Published rows by what they show."""
    classes = defaultdict(list)
    for i, row in enumerate(frame.select(quasi).rows()):
        classes[row].append(i)
    return classes
