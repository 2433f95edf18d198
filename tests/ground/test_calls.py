import copy
import inspect
import pickle

import numpy as np
import pytest

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.ground.calls import SaysWhatMethodsTake, knows_its_parameters, says_what_it_takes
from sfumato.ground.errors import ArgumentError, ParameterError


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: sf.Schema(quasi_identifiers=["age"]), "Schema has no parameter 'quasi_identifiers'; did you mean 'quasi'?"),
        (lambda: sf.Mondrian(relaxed=True), "Mondrian has no parameter 'relaxed'; did you mean 'strict', as in strict=False?"),
        (lambda: sf.publish(hospital(20), k=5), "did you mean 'promise', as in promise=KAnonymity(5)?"),
        (lambda: sf.publish(), "publish needs 'data'"),
        (lambda: sf.KAnonymity(kk=5), "KAnonymity has no parameter 'kk'; did you mean 'k'?"),
        (lambda: sf.KAnonymity(5, 6), "KAnonymity takes k by place, and 2 were given"),
        (lambda: sf.LinkageAttack(peopel=3), "LinkageAttack has no parameter 'peopel'; did you mean 'people'?"),
        (lambda: sf.Hierarchy.intervals(width=[5]), "intervals has no parameter 'width'; did you mean 'widths'?"),
        (lambda: sf.Table(hospital(5).frame, shema=None), "Table has no parameter 'shema'; did you mean 'schema'?"),
        (lambda: sf.Column(nam="x"), "Column has no parameter 'nam'; did you mean 'name'?"),
        (lambda: sf.read_table("x.csv", sep=","), "read_table has no parameter 'sep'; did you mean 'delimiter'?"),
        (lambda: sf.measure(1, release=2), "measure was given 'release' twice"),
        (lambda: hospital(5).to_pandas(bound=True), "to_pandas has no parameter 'bound'; it takes none"),
        (lambda: hospital(5).head(rows=3), "head has no parameter 'rows'; there are 'n'"),
        (lambda: hospital(5).head(3, 4), "head takes n by place, and 2 were given"),
        (lambda: sf.Graph.from_edges([0]), "from_edges needs 'target'"),
        (lambda: sf.Graph.from_edges([0], [1], names=["a", "b"], n=2), "from_edges has no parameter 'n'"),
        (lambda: sf.Baskets.from_lists(record=[["a"]]), "from_lists has no parameter 'record'; did you mean 'records'?"),
        (lambda: sf.Baskets(indptr=[0]), "Baskets has no parameter 'indptr'"),
    ],
)  # fmt: skip
def test_a_parameter_that_is_not_there_gets_a_sentence(call, said):
    with pytest.raises(ArgumentError) as caught:
        call()
    assert said in str(caught.value)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, ParameterError)


def test_copies_and_pickles_are_made_without_arguments():
    for thing in (sf.KAnonymity(5), sf.Mondrian(strict=False), sf.LinkageAttack(people=3), hospital(5).schema):
        assert copy.deepcopy(thing) == thing
        assert pickle.loads(pickle.dumps(thing)) == thing


def test_a_function_is_called_as_before():
    @says_what_it_takes
    def joined(a, b: "Sequence[str]" = (), *, c: "str | None" = None):  # noqa: F821
        return a, b, c

    assert joined(1) == (1, (), None)
    assert joined(1, ["x"], c="y") == (1, ["x"], "y")
    assert joined(1, np.array(["x", "y"])) == (1, ["x", "y"], None)
    with pytest.raises(ParameterError, match="c must be a text, got 5"):
        joined(1, c=5)
    with pytest.raises(ParameterError, match="b must be a list, got 5"):
        joined(1, 5)


def test_who_looks_at_values_itself_is_left_to_it():
    @knows_its_parameters
    def taken(c: "str" = ""):
        return c

    assert taken(c=5) == 5
    with pytest.raises(ArgumentError, match="did you mean 'c'"):
        taken(cc=5)


def test_what_a_method_does_wrong_itself_is_told_as_it_is():
    class Thing(SaysWhatMethodsTake):
        def halve(self, number):
            return number / 2

        @classmethod
        def made(cls, *, of):
            return cls(), of

        @staticmethod
        def listed(*names, loudly=False):
            return names, loudly

    assert Thing().halve(4) == 2
    assert Thing.made(of=3)[1] == 3
    assert Thing.listed("a", "b", loudly=True) == (("a", "b"), True)
    assert list(inspect.signature(Thing.halve).parameters) == ["self", "number"]
    with pytest.raises(TypeError, match="unsupported operand"):
        Thing().halve("x")
    for call, said in (
        (lambda: Thing().halve(num=4), "halve has no parameter 'num'; did you mean 'number'?"),
        (lambda: Thing().halve(), "halve needs 'number'; help(halve) has an example"),
        (lambda: Thing().halve(1, 2), "halve takes number by place, and 2 were given"),
        (lambda: Thing().halve(1, number=2), "halve was given 'number' twice"),
        (lambda: Thing.made(), "made needs 'of'"),
        (lambda: Thing.listed(name="a"), "listed has no parameter 'name'; give names without a name"),
    ):
        with pytest.raises(ArgumentError) as caught:
            call()
        assert said in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
