"""Whatever a user calls, a parameter that is not there gets one sentence: every public method of every public class."""

from __future__ import annotations

import inspect

import pytest

import sfumato as sf
from sfumato.ground.errors import ArgumentError, ParameterError
from sfumato.privacy.promise import Promise
from sfumato.release.showing import Report
from sfumato.tables.pattern.properties import Property

NOT_CALLED = (Promise, Property)
"""Classes whose methods sfumato calls and no user does."""


def methods():
    classes = [each for name in sf.__all__ if inspect.isclass(each := getattr(sf, name))]
    for cls in (*classes, Report):
        if issubclass(cls, NOT_CALLED):
            continue
        for name in dir(cls):
            home = next((base for base in cls.__mro__ if name in vars(base)), object)
            member = vars(home).get(name)
            called = inspect.isfunction(member) or isinstance(member, (classmethod, staticmethod))
            if not name.startswith("_") and called and home.__module__.startswith("sfumato."):
                yield pytest.param(cls, name, id=f"{cls.__name__}.{name}")


@pytest.mark.parametrize(("cls", "name"), list(methods()))
def test_a_method_refuses_a_parameter_that_it_does_not_have(cls, name):
    method = inspect.getattr_static(cls, name)
    of_object = inspect.isfunction(method)
    given = list(inspect.signature(getattr(cls, name)).parameters.values())[int(of_object) :]
    parameters = [each.name for each in given]
    near = f"{parameters[-1]}s" if parameters else "anything"
    with pytest.raises(ArgumentError) as caught:
        getattr(cls, name)(*([object()] if of_object else []), **{near: 1})
    assert f"{name} has no parameter {near!r}; " in str(caught.value)
    assert "'self'" not in str(caught.value)
    if not parameters:
        assert "it takes none" in str(caught.value)
    elif given[-1].kind is inspect.Parameter.VAR_POSITIONAL:
        assert f"give {parameters[-1]} without a name" in str(caught.value)
    elif len(near) > 4:
        assert f"did you mean {parameters[-1]!r}" in str(caught.value)
    assert isinstance(caught.value, ParameterError)
    assert isinstance(caught.value, TypeError)
