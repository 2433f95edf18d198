"""Tables to try things on. Nobody in them exists."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.data.hierarchy import Hierarchy
from sfumato.data.schema import Schema
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.ground.randomness import Randomness, Seed
from sfumato.ground.validate import is_whole

__all__ = ["hospital"]

_Floats = NDArray[np.float64]
_Codes = NDArray[np.int64]

_WOMEN = (
    "Mary", "Linda", "Susan", "Karen", "Nancy", "Maria", "Emma", "Olivia", "Sofia", "Aisha", "Mei", "Priya", "Fatima",
    "Chloe", "Grace", "Hannah", "Elena", "Yuki", "Rosa", "Ingrid", "Nadia", "Joan", "Alice", "Carmen", "Leila",
)  # fmt: skip
_MEN = (
    "James", "Robert", "John", "Michael", "David", "William", "José", "Ahmed", "Wei", "Raj", "Liam", "Noah", "Ethan",
    "Carlos", "Omar", "Peter", "Paul", "Daniel", "Hiroshi", "Kwame", "Ivan", "Lucas", "Samuel", "George", "Luis",
)  # fmt: skip
_FAMILIES = (
    "Smith", "Johnson", "Williams", "Brown", "Jones", "Garcia", "Miller", "Davis", "Rodriguez", "Martinez", "Lopez",
    "Wilson", "Anderson", "Thomas", "Taylor", "Moore", "Jackson", "Martin", "Lee", "Perez", "Thompson", "White",
    "Harris", "Sanchez", "Clark", "Ramirez", "Lewis", "Robinson", "Walker", "Young", "Allen", "King", "Wright",
    "Nguyen", "Khan", "O'Brien", "Patel", "Kim", "Chen", "Silva", "Novak", "Müller", "Okafor", "Cohen", "Haddad",
)  # fmt: skip
_AREAS = ("021", "022", "100", "104", "112", "537", "606", "770", "900", "941")
_AREA_SHARES = (0.17, 0.08, 0.14, 0.06, 0.12, 0.08, 0.11, 0.09, 0.09, 0.06)
_MARITAL = ("single", "partnership", "married", "separated", "divorced", "widowed")
_MARITAL_TREE = {
    "single": "alone", "partnership": "together", "married": "together",
    "separated": "formerly together", "divorced": "formerly together", "widowed": "formerly together",
}  # fmt: skip
_EDUCATION = ("none", "primary", "secondary", "vocational", "bachelor", "master", "doctorate")
_FIRST_DAY = dt.date(2022, 1, 1)
_N_DAYS = 3 * 365
_DEPARTMENTS = ("emergency", "internal medicine", "surgery", "short stay", "intensive care")

# disease: log weight; slope per ten years of age past 45; log odds of women against men; mean days; cost per day
_DISEASES: dict[str, tuple[float, float, float, float, float]] = {
    "hypertension": (0.95, 0.22, 0.0, 3.0, 1100.0),
    "influenza": (0.75, -0.12, 0.0, 3.5, 900.0),
    "type 2 diabetes": (0.55, 0.20, -0.15, 4.0, 1200.0),
    "asthma": (0.45, -0.28, 0.2, 2.5, 1000.0),
    "pneumonia": (0.40, 0.15, -0.1, 6.0, 1500.0),
    "heart failure": (0.05, 0.45, -0.3, 7.0, 2100.0),
    "coronary heart disease": (0.15, 0.35, -0.6, 5.0, 3200.0),
    "gastritis": (0.35, -0.05, 0.1, 2.0, 950.0),
    "appendicitis": (0.25, -0.40, -0.1, 3.0, 2600.0),
    "depression": (0.45, -0.10, 0.45, 9.0, 700.0),
    "hip fracture": (-0.45, 0.60, 0.5, 9.0, 2400.0),
    "stroke": (-0.10, 0.45, -0.1, 8.0, 2700.0),
    "breast cancer": (-0.20, 0.35, 5.0, 5.0, 3500.0),
    "prostate cancer": (-0.60, 0.60, -30.0, 4.5, 3300.0),
    "hepatitis C": (-0.65, -0.05, -0.3, 4.0, 1900.0),
    "HIV infection": (-0.85, -0.15, -0.7, 5.0, 2000.0),
}


def hospital(n: int = 2_000, *, seed: Seed = 1) -> Table:
    """Stays in an invented hospital: `n` rows of mixed kinds, correlated, with missing values, and their schema.

    Name and record number are identifiers; age, sex, ZIP code, marital status, education and day of admission are
    quasi-identifiers; the diagnosis is sensitive (no disease takes a quarter of the rows). The same seed gives
    the same table.

    >>> hospital(5)
    Table(5 rows x 13 columns: 2 identifier, 6 quasi, 1 sensitive, 4 plain)
    """
    if not is_whole(n) or n < 1:
        raise ParameterError(f"n must be at least 1, got {n}")
    root = Randomness(seed)

    def uniform(label: str) -> _Floats:
        return root.spawn(label).uniform(n)

    women = uniform("sex") < 0.53
    age = _ages(uniform("age"), uniform("child"))
    disease = _diseases(age, women, uniform("disease"))
    stay_mean, day_cost = np.array([figures[3:] for figures in _DISEASES.values()]).T
    stay = np.ceil(-np.log1p(-uniform("stay")) * stay_mean[disease] * (0.7 + age / 150)).astype(np.int64)
    stay = np.clip(stay, 1, 120)
    exact_cost = (900 + stay * day_cost[disease]) * np.exp(0.35 * np.clip(_normal(uniform("cost")), -4, 4))
    cost = np.maximum(np.round(exact_cost / 500), 1) * 500  # a bill to the cent would be a name
    area = _choice(uniform("area"), _AREA_SHARES)
    zips = _zip_codes(area, uniform("zip"))
    education = _education(age, area, uniform("education"))
    smoker = uniform("smoker") < np.where(age < 15, 0.0, 0.13 + 0.10 * ~women + 0.03 * (education < 4))
    given = np.where(women, 0, len(_WOMEN)) + _skewed_choice(uniform("given"), min(len(_WOMEN), len(_MEN)))
    family = _skewed_choice(uniform("family"), len(_FAMILIES))
    frame = pl.DataFrame(
        {
            "name": _take((*_WOMEN, *_MEN), given) + " " + _take(_FAMILIES, family),
            "mrn": _record_numbers(root.spawn("mrn"), n),
            "age": _with_gaps(pl.Series(age), uniform("no age") < 0.005),
            "sex": _take(("female", "male"), (~women).astype(np.int64)),
            "zip": _with_gaps(zips, uniform("no zip") < 0.015),
            "marital": _with_gaps(_take(_MARITAL, _marital(age, uniform("marital"))), uniform("no marital") < 0.04),
            "education": _with_gaps(_take(_EDUCATION, education), uniform("no education") < 0.06),
            "admitted": _admissions(disease, uniform("day"), uniform("winter")),
            "department": _take(_DEPARTMENTS, _departments(stay, age, uniform("department"))),
            "stay_days": stay,
            "smoker": _take(("no", "yes"), smoker.astype(np.int64)),
            "cost": cost,
            "diagnosis": _take(tuple(_DISEASES), disease),
        }
    )
    return Table(frame, _hospital_schema())


def _hospital_schema() -> Schema:
    return Schema(
        identifier=["name", "mrn"],
        quasi=["age", "sex", "zip", "marital", "education", "admitted"],
        sensitive=["diagnosis"],
        plain=["department", "stay_days", "smoker", "cost"],
        kinds={"zip": "category"},
        bounds={"age": (0, 105)},
        orders={"education": _EDUCATION},
        hierarchies={
            "zip": Hierarchy.prefixes(5, keep=(3, 2, 1)),
            "marital": Hierarchy.from_paths([[status, _MARITAL_TREE[status], "*"] for status in _MARITAL]),
            "admitted": Hierarchy.calendar(("month", "quarter", "year")),
        },
    )


# -- draws by inverse distribution function --------------------------------------------------------------------------
def _choice(u: _Floats, shares: Sequence[float] | _Floats) -> _Codes:
    """One code for each element of `u`, by these shares."""
    edges = np.cumsum(np.asarray(shares, dtype=np.float64))
    return np.minimum(np.searchsorted(edges / edges[-1], u, side="right"), len(edges) - 1).astype(np.int64)


def _choice_by_row(u: _Floats, weights: _Floats, row: _Codes) -> _Codes:
    """One draw per element of `u`, by the weights in row `row[i]`."""
    edges = np.cumsum(weights, axis=1)
    edges /= edges[:, -1:]
    drawn: _Codes = np.minimum((u[:, None] >= edges[row]).sum(axis=1), weights.shape[1] - 1).astype(np.int64)
    return drawn


def _skewed_choice(u: _Floats, n: int) -> _Codes:
    """One of n codes for each element of `u`, the first the most frequent."""
    return _choice(u, [1 / (i + 4) for i in range(n)])


def _normal(u: _Floats) -> _Floats:
    """Nearly normal: the logistic quantile, scaled to variance 1."""
    inside = np.clip(u, 1e-9, 1 - 1e-9)
    return np.asarray(np.log(inside / (1 - inside)) * (np.sqrt(3) / np.pi))


# -- columns -----------------------------------------------------------------------------------------------------
def _ages(u: _Floats, child: _Floats) -> _Codes:
    """Ages of patients, who are older than the town: few children, most between 40 and 85."""
    grown = 62 + 19 * _normal(u)
    return np.clip(np.where(child < 0.09, 18 * u, np.abs(grown)), 0, 104).astype(np.int64)


def _diseases(age: _Codes, women: NDArray[np.bool_], u: _Floats) -> _Codes:
    base, slope, female = np.array([figures[:3] for figures in _DISEASES.values()]).T
    decades = (np.arange(106) - 45) / 10
    logits = base + slope * np.clip(decades, -3.5, 4)[:, None]
    weights = np.exp(np.stack([logits - np.maximum(female, 0), logits + np.minimum(female, 0)])).reshape(2 * 106, -1)
    return _choice_by_row(u, weights, women.astype(np.int64) * 106 + age)


def _marital(age: _Codes, u: _Floats) -> _Codes:
    phases = np.array(
        [[1.0, 0, 0, 0, 0, 0], [0.70, 0.18, 0.11, 0.01, 0.0, 0.0], [0.30, 0.14, 0.45, 0.04, 0.07, 0.0],
         [0.14, 0.07, 0.57, 0.04, 0.16, 0.02], [0.08, 0.03, 0.52, 0.02, 0.13, 0.22],
         [0.06, 0.01, 0.31, 0.01, 0.07, 0.54]]
    )  # fmt: skip
    return _choice_by_row(u, phases, np.searchsorted([18, 28, 42, 65, 80], age, side="right"))


def _education(age: _Codes, area: _Codes, u: _Floats) -> _Codes:
    """Younger adults and some towns have studied longer; children have not yet."""
    grown = np.array([0.02, 0.10, 0.28, 0.26, 0.20, 0.11, 0.03])
    steps = np.arange(7) - 3
    weights = np.stack(
        [grown * np.exp(steps * tilt) for tilt in (-0.3, 0.0, 0.3)]
        + [np.array(w, dtype=np.float64) for w in ([1, 0, 0, 0, 0, 0, 0], [1, 9, 0, 0, 0, 0, 0], [0, 3, 6, 1, 0, 0, 0])]
    )
    tilt = np.clip(1 + (age < 45).astype(np.int64) - (age > 70) + (area % 3 == 0), 0, 2)
    return _choice_by_row(u, weights, np.where(age < 6, 3, np.where(age < 13, 4, np.where(age < 20, 5, tilt))))


def _zip_codes(area: _Codes, u: _Floats) -> pl.Series:
    """A dozen codes in each area, unevenly filled; those that begin with 0 must stay text."""
    ending = _skewed_choice(u, 12) * 3 + 1 + area % 3
    return _take(tuple(f"{prefix}{i:02}" for prefix in _AREAS for i in range(40)), area * 40 + ending)


def _admissions(disease: _Codes, u: _Floats, winter: _Floats) -> pl.Series:
    """Three years; influenza and pneumonia come in winter."""
    seasonal = np.isin(disease, [list(_DISEASES).index(name) for name in ("influenza", "pneumonia")])
    day = (u * _N_DAYS).astype(np.int64)
    in_winter = (day // 365) * 365 + ((u * 7919 % 1) * 120 - 60).astype(np.int64)
    day = np.where(seasonal & (winter < 0.75), in_winter % _N_DAYS, day)
    return pl.Series((day + (_FIRST_DAY - dt.date(1970, 1, 1)).days).astype(np.int32)).cast(pl.Date)


def _departments(stay: _Codes, age: _Codes, u: _Floats) -> _Codes:
    """By length of stay and age, not by disease: what is published untouched must not tell the diagnosis."""
    weights = np.array([[0.35, 0.2, 0.15, 0.28, 0.02], [0.2, 0.42, 0.25, 0.05, 0.08], [0.1, 0.45, 0.22, 0.0, 0.23]])
    return _choice_by_row(u, weights, np.clip((stay > 3).astype(np.int64) + ((stay > 9) | (age > 88)), 0, 2))


def _record_numbers(randomness: Randomness, n: int) -> pl.Series:
    width = max(6, len(str(n)))
    return "H" + pl.Series(randomness.permutation(n) + 1).cast(pl.String).str.zfill(width)


# -- frames ------------------------------------------------------------------------------------------------------
def _take(values: Sequence[str], codes: _Codes) -> pl.Series:
    return pl.Series(values, dtype=pl.String).gather(codes)


def _with_gaps(series: pl.Series, gaps: NDArray[np.bool_]) -> pl.Series:
    """Values taken out where `gaps` says so; the first row keeps its own, so that no column is ever empty."""
    keep: Any = ~gaps
    keep[0] = True
    return series.to_frame("x").select(pl.when(pl.Series(keep)).then(pl.col("x")))["x"]
