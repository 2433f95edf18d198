"""k^m-anonymity as a promise: it travels as data and is about baskets."""

import pytest

from sfumato.ground.errors import ParameterError
from sfumato.privacy.km_anonymity import KMAnonymity
from sfumato.privacy.promise import promise_from_dict


def test_the_promise_is_about_baskets():
    promise = KMAnonymity(5, 2)
    assert promise_from_dict(promise.to_dict()) == promise
    assert promise.min_size() == 5
    assert promise.limit(5, []) is None
    assert "the best is k=4" in promise.limit(4, [])
    with pytest.raises(ParameterError, match="is about baskets"):
        promise.conditions([])
    with pytest.raises(ParameterError, match="is about baskets"):
        promise.check(None)
