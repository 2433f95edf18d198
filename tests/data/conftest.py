"""Shared by the tests of data: files."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path):
    """Write a file and tell where it is."""

    def write(content: bytes | str, name: str = "people.csv") -> Path:
        file = tmp_path / name
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    return write
