import sys

import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.errors import MissingLibraryError


@pytest.mark.parametrize(
    ("library", "use"),
    [
        ("pandas", lambda: hospital(10).to_pandas()),
        ("pandas", lambda: sf.publish(hospital(10), sf.Mondrian(), sf.KAnonymity(5), seed=1).to_pandas()),
        ("networkx", lambda: sf.Graph.from_edges([0], [1]).to_networkx()),
        ("igraph", lambda: sf.Graph.from_edges([0], [1]).to_igraph()),
    ],
)
def test_what_is_not_installed_is_named_with_the_way_to_get_it(library, use, monkeypatch):
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(MissingLibraryError, match=f"run pip install {library}$") as caught:
        use()
    assert isinstance(caught.value, ImportError)
    assert isinstance(caught.value, sf.errors.SfumatoError)
