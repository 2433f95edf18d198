"""m-invariance of one release: classes of m different values, and nothing else."""

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import ParameterError
from sfumato.privacy.promise import promise_from_dict
from support.republished_tables import people, table


def checked(groups, m, sensitive="illness"):
    rows = [(name, value) for name, values in groups.items() for value in values]
    frame = pl.DataFrame(rows, schema=["group", sensitive], orient="row")
    return sf.verify(frame, promise=sf.MInvariance(m), quasi=["group"], sensitive=[sensitive])


def test_classes_of_m_different_values_hold():
    verdict = checked({"a": ["flu", "gout", "cold"], "b": ["flu", "gout", "cold", "HIV"]}, 3)
    assert verdict.holds
    assert verdict.found == ("smallest class 3 in 2 classes, all values of 'illness' in it different",)
    assert verdict.reached == {"MInvariance(m=3)": 3.0}


def test_a_class_that_is_too_small_does_not():
    verdict = checked({"a": ["flu", "gout"], "b": ["flu", "gout", "cold"]}, 3)
    assert not verdict.holds
    assert "smallest class 2 in 2 classes" in verdict.broken[0]
    assert "group=a" in verdict.broken[0]


def test_a_value_twice_is_no_class_however_large():
    verdict = checked({"a": ["flu", "flu", "gout", "cold", "HIV", "mumps"], "b": ["flu", "gout"]}, 2)
    assert not verdict.holds
    assert verdict.reached == {"MInvariance(m=2)": 0.0}
    assert "1 of 2 classes show a value of 'illness' more than once" in verdict.broken[0]
    assert "group=a" in verdict.broken[0]


def test_a_missing_value_is_a_value():
    assert checked({"a": ["flu", None]}, 2).holds
    assert not checked({"a": ["flu", None, None]}, 2).holds


@pytest.mark.parametrize("m", [1, 0, 2.0, True, "2"])
def test_m_is_a_whole_number_from_two(m):
    with pytest.raises(ParameterError, match="m must be a whole number >= 2"):
        sf.MInvariance(m)


def test_it_speaks_of_one_sensitive_column():
    frame = pl.DataFrame({"q": [1, 1], "s": ["a", "b"], "t": ["a", "b"]})
    with pytest.raises(ParameterError, match="one sensitive column, and there are 2"):
        sf.verify(frame, promise=sf.MInvariance(2), quasi=["q"], sensitive=["s", "t"])


def test_other_methods_refuse_it():
    data = table(people(12, ["flu", "gout", "cold"] * 4), range(12))
    with pytest.raises(ParameterError, match="kept by Republishing alone"):
        sf.publish(data, sf.Mondrian(), sf.MInvariance(2))


def test_it_is_written_and_read():
    assert promise_from_dict(sf.MInvariance(4).to_dict()) == sf.MInvariance(4)
    assert promise_from_dict({"name": "MInvariance", "m": 3}) == sf.MInvariance(3)


def test_the_limit_counts_values():
    data = table(people(4, ["flu", "gout", "flu", "gout"]), range(4))
    with pytest.raises(sf.errors.InfeasibleError, match="3 different values of column 'illness', and 2 are known"):
        sf.publish(data, sf.Republishing(), sf.MInvariance(3))
