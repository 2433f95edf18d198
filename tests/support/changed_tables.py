"""Tables for the tests of methods that change values, and ways to spoil a release."""

import datetime as dt
from dataclasses import replace

import numpy as np
import polars as pl

import sfumato as sf
from sfumato.ground.progress import steps
from sfumato.ground.randomness import Randomness

ORDER = ("low", "mid", "high", "top")


def people(n=200, seed=1, **changes):
    """Numbers, a date, an ordinal and categories."""
    rng = np.random.default_rng(seed)
    columns = {
        "name": [f"person {i}" for i in range(n)],
        "age": rng.integers(17, 90, n),
        "income": rng.gamma(2, 1000, n),
        "day": [dt.date(2000, 1, 1) + dt.timedelta(days=int(i)) for i in rng.integers(0, 3000, n)],
        "edu": rng.choice(ORDER, n, p=[0.5, 0.3, 0.15, 0.05]),
        "sex": rng.choice(["f", "m"], n),
        "disease": rng.choice(["flu", "hiv", "ok"], n, p=[0.3, 0.1, 0.6]),
    }
    columns = {key: value for key, value in (columns | changes).items() if value is not None}
    roles = {"name": "identifier", "disease": "sensitive"}
    made = [
        sf.Column(name=name, role=roles.get(name, "quasi"), **({"kind": "ordinal", "order": ORDER} if name == "edu" else {}))
        for name in columns
    ]  # fmt: skip
    return sf.Table(pl.DataFrame(columns), sf.Schema.of(made))


def numbers(n=200, seed=1, **changes):
    """The same with numbers and dates alone among the quasi-identifiers."""
    return people(n, seed, edu=None, sex=None, **changes)


def drawn(method, table, seed):
    """What the method makes, without the check that `publish` adds."""
    with steps(4) as progress:
        return method.run(table, None, Randomness(seed), progress)


def with_frame(release, frame):
    """The release with other published rows."""
    return replace(release, data=sf.Table(frame, release.data.schema))


def with_public(release, **changes):
    """The release with something else told of it."""
    return replace(release, public={**release.public, **changes})


def saved(release, folder, format="parquet"):
    """The release as it is read back; nothing of the original may be in the page that everybody sees."""
    release.save(folder, format=format)
    page = (folder / "report.html").read_text()
    assert "person " not in page.replace("a person ", "")
    assert (folder.parent / "owner" / folder.name / "report.html").exists()
    loaded = sf.load_release(folder)
    assert loaded.data.frame.equals(release.data.frame)
    return loaded
