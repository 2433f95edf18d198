"""Shared by the tests of the command line: files to give to it."""

import numpy as np
import pytest

from sfumato.datasets import hospital


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a table of patients and its schema, in which commands run."""
    table = hospital(300)
    table.frame.write_csv(tmp_path / "patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(scope="session")
def friends(tmp_path_factory):
    """A file of edges between people with names."""
    ends = np.random.default_rng(6).integers(0, 120, (500, 2))
    lines = "\n".join(f"p{a},p{b}" for a, b in ends if a != b)
    path = tmp_path_factory.mktemp("graphs") / "friends.csv"
    path.write_text("source,target\n" + lines + "\n", encoding="utf-8")
    return path
