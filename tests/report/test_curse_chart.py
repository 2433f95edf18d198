"""The picture of the curse, in every format."""

import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.report.curse_chart import curse_svg, save_curse
from support.independent_columns import independent_columns


def test_pictures(tmp_path):
    found = sf.curse(independent_columns(200), (2, 5))
    assert save_curse(found, tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert save_curse(found, tmp_path / "a.svg").read_text().startswith("<svg")
    page = save_curse(found, tmp_path / "a.html").read_text()
    assert "<svg" in page
    assert found.said()[0].replace("'", "&#x27;") in page
    for k in (2, 5):
        assert f"k = {k}" in curse_svg(found)
    assert "at most 25%" in curse_svg(found)
    with pytest.raises(ParameterError, match=r"drawn to \.html, \.svg, \.png"):
        save_curse(found, tmp_path / "a.pdf")
    many = sf.curse(independent_columns(200, 2), (2, 3, 4, 5, 6, 7))
    assert "k = 7" in curse_svg(many)
