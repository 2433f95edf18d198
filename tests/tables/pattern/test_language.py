"""The language of properties: every form it has, what binds tighter, and what each mistake is told."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.ground.errors import ParameterError
from sfumato.tables.pattern.language import Pick, Statement, parse_property
from sfumato.tables.pattern.poi import PoI


def value_of(linear, values):
    """A weighted sum at values by (column, row)."""
    return linear.constant + sum(weight * values[pick.column, pick.row] for pick, weight in linear.terms)


def weights(linear):
    """The weight of every pick; those of one pick are added."""
    total = {}
    for pick, weight in linear.terms:
        total[pick] = total.get(pick, 0.0) + weight
    return total


def one(text):
    (statement,) = parse_property(text)
    return statement


def test_values_by_row():
    statement = one("age[3] - age[1] <= age[7] - age[3]")
    assert statement.relation == "<="
    assert statement.left.constant == 0.0
    assert weights(statement.left) == {Pick("age", 3): 2.0, Pick("age", 1): -1.0, Pick("age", 7): -1.0}


def test_factors_and_constants():
    statement = one("2 * income[0] <= income[1] + 500")
    assert weights(statement.left) == {Pick("income", 0): 2.0, Pick("income", 1): -1.0}
    assert statement.left.constant == -500.0


def test_means_and_sums_over_a_condition():
    statement = one("mean(income[region = 'north']) <= 40000")
    assert weights(statement.left) == {Pick("income", condition="region = 'north'", mean=True): 1.0}
    assert statement.left.constant == -40000.0
    assert weights(one("sum(income[region = 'north']) <= 1").left) == {
        Pick("income", condition="region = 'north'", mean=False): 1.0
    }


def test_within_a_share_and_within_a_number():
    assert one("sum(cost) within 1%") == Statement(one("sum(cost) <= 0").left, "within", 0.01, relative=True)
    statement = one("mean(age[sex = 'f']) - mean(age[sex = 'm']) within 0.5")
    assert (statement.relation, statement.margin, statement.relative) == ("within", 0.5, False)
    assert weights(statement.left) == {
        Pick("age", condition="sex = 'f'", mean=True): 1.0, Pick("age", condition="sex = 'm'", mean=True): -1.0,
    }  # fmt: skip
    assert one("sum(cost) WITHIN 2.5 %").margin == 0.025
    assert one("cost[0] within 0").margin == 0.0


def test_names_between_backticks():
    statement = one("`blood pressure`[2] = 120")
    assert statement.relation == "=="
    assert weights(statement.left) == {Pick("blood pressure", 2): 1.0}
    assert weights(one("mean(`a - b`[`c d` > 1]) <= 3").left) == {Pick("a - b", condition="`c d` > 1", mean=True): 1.0}
    assert weights(one("`mean`[1] <= 3").left) == {Pick("mean", 1): 1.0}
    assert weights(one("`3`[1] <= 3").left) == {Pick("3", 1): 1.0}


@pytest.mark.parametrize("name", ["età", "年齢", "größe_2", "_x", "Ж1"])
def test_unicode_names(name):
    assert weights(one(f"{name}[0] + sum({name}) <= 1").left) == {Pick(name, 0): 1.0, Pick(name): 1.0}


@pytest.mark.parametrize("name", ["mean", "sum", "avg", "within", "Within"])
def test_words_of_the_language_are_names_before_a_bracket(name):
    assert weights(one(f"{name}[4] <= 2 * {name}[5]").left) == {Pick(name, 4): 1.0, Pick(name, 5): -2.0}


@pytest.mark.parametrize(
    ("sign", "relation"),
    [("<=", "<="), ("<", "<="), ("≤", "<="), (">=", ">="), (">", ">="), ("≥", ">="), ("=", "=="), ("==", "==")],
)
def test_every_relation(sign, relation):
    assert one(f"a[0] {sign} 3").relation == relation
    assert one(f"a[0]{sign}b[1]").relation == relation


def test_vector_a10_parses():
    for text in ("d[0] + d[1] <= d[2]", "d[2] + d[4] < 2*d[3]", "d[3] + d[4] > d[5]"):
        statement = one(text)
        for data in ((3, 5, 11, 27, 33, 45), (2, 7, 13, 25, 29, 47)):
            left = value_of(statement.left, {("d", i): x for i, x in enumerate(data)})
            assert left <= 0 if statement.relation == "<=" else left >= 0


def test_a_chain_is_two_statements_or_more():
    first, second, third = parse_property("1 <= a[0] <= b[0] + 1 = 7 * c[2]")
    assert (first.relation, second.relation, third.relation) == ("<=", "<=", "==")
    assert weights(first.left) == {Pick("a", 0): -1.0}
    assert first.left.constant == 1.0
    assert weights(second.left) == {Pick("a", 0): 1.0, Pick("b", 0): -1.0}
    assert second.left.constant == -1.0
    assert weights(third.left) == {Pick("b", 0): 1.0, Pick("c", 2): -7.0}
    assert third.left.constant == 1.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a[0] + 2 * a[1] <= 0", {0: 1.0, 1: 2.0}),
        ("(a[0] + a[1]) * 2 <= 0", {0: 2.0, 1: 2.0}),
        ("2 * (a[0] - a[1]) <= 0", {0: 2.0, 1: -2.0}),
        ("a[0] - (a[1] - a[2]) <= 0", {0: 1.0, 1: -1.0, 2: 1.0}),
        ("a[0] - a[1] - a[2] <= 0", {0: 1.0, 1: -1.0, 2: -1.0}),
        ("-a[0] + a[1] <= 0", {0: -1.0, 1: 1.0}),
        ("-2 * a[0] * 3 / 4 <= 0", {0: -1.5}),
        ("a[0] / 2 / 2 <= 0", {0: 0.25}),
        ("6 / 3 * a[0] <= 0", {0: 2.0}),
        ("a[0] / (1 + 1) + ((a[1])) <= 0", {0: 0.5, 1: 1.0}),
        ("(-2) * a[0] <= (3 - 1) * a[1]", {0: -2.0, 1: -2.0}),
        ("1e1*a[0] + .5*a[1] + 2.*a[2] + 2.5E-1 * a[3] <= 0", {0: 10.0, 1: 0.5, 2: 2.0, 3: 0.25}),
        ("  a [ 0 ]\n<=\t a[ 1 ]  ", {0: 1.0, 1: -1.0}),
        ("a[0] + a[0] <= a[1]", {0: 2.0, 1: -1.0}),
    ],
)
def test_what_binds_tighter(text, expected):
    found = one(text).left
    assert weights(found) == {Pick("a", row): weight for row, weight in expected.items()}
    assert found.constant == 0.0


def test_functions_by_any_case_and_with_spaces():
    assert weights(one("AVG (a) + Sum(b) + mean( c[x > 1] ) <= 0").left) == {
        Pick("a", mean=True): 1.0, Pick("b"): 1.0, Pick("c", condition="x > 1", mean=True): 1.0,
    }  # fmt: skip


def test_brackets_and_quotes_inside_a_condition_are_matched():
    assert weights(one("sum(a[g = ']']) <= 0").left) == {Pick("a", condition="g = ']'"): 1.0}
    assert weights(one("sum(a[t[0] = 'it''s [']) <= 0").left) == {Pick("a", condition="t[0] = 'it''s ['"): 1.0}
    assert weights(one('sum(a["x]y" = 1]) <= 0').left) == {Pick("a", condition='"x]y" = 1'): 1.0}


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("", "a number, a value such as age[3]", "the text ends"),
        ("   ", "a number, a value such as age[3]", "the text ends"),
        ("<= 3", "a number, a value such as age[3]", "found '<= 3'"),
        ("a[0] +", "a number, a value such as age[3]", "the text ends"),
        ("a[0] <=", "a number, a value such as age[3]", "the text ends"),
        ("a[0] <= * 3", "a number, a value such as age[3]", "found '* 3'"),
        ("a[0] ? 3", "a relation (<=, >=, =) or `within`", "found '? 3'"),
        ("a[0]", "a relation (<=, >=, =) or `within`", "the text ends"),
        ("age <= 3", "the row in brackets, as in age[3]", "found '<= 3'"),
        ("(a[0] + 1 <= 3", "')'", "found '<= 3'"),
        ("mean(a <= 3", "')'", "found '<= 3'"),
        ("mean(a[g = 'x') <= 3", "']'", "found"),
        ("a[0", "']'", "found '0'"),
        ("a[0] * b[0] <= 3", "no product of two values: properties are linear", "found '<= 3'"),
        ("1 / a[0] <= 3", "a number other than 0 to divide by", "found '<= 3'"),
        ("a[0] / 0 <= 3", "a number other than 0 to divide by", "found '<= 3'"),
        ("a[0] / (1 - 1) <= 3", "a number other than 0 to divide by", "found '<= 3'"),
        ("a[0] within", "a number, as in `within 1%`", "the text ends"),
        ("a[0] within -1", "a number, as in `within 1%`", "found"),
        ("a[0] within 1% more", "nothing more", "found 'more'"),
        ("a[0] within 1 + 2", "nothing more", "found '+ 2'"),
        ("`a[0] <= 3", "a number, a value such as age[3]", "found '`a[0] <= 3'"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_the_text_and_what_was_expected(text, wanted, found):
    with pytest.raises(ParameterError) as error:
        parse_property(text)
    message = str(error.value)
    assert f"property {text!r}" in message
    assert f"expected {wanted}" in message
    assert found in message
    with pytest.raises(ParameterError):
        PoI(text)


@pytest.mark.parametrize(
    ("text", "wanted", "found"),
    [
        ("a[0] b[0]", "a relation (<=, >=, =) or `within`", "found 'b[0]'"),
        ("a[0] <= 3 within 1", "a relation (<=, >=, =) or `within`", "found 'within 1'"),
        ("mean(3) <= 1", "the name of a column", "found '3) <= 1'"),
        ("sum() <= 1", "the name of a column", "found ') <= 1'"),
        ("a[0] within much", "a number, as in `within 1%`", "found 'much'"),
        ("2 a[0] <= 3", "a relation (<=, >=, =) or `within`", "found 'a[0] <= 3'"),
    ],
)
def test_a_mistake_is_shown_from_where_it_begins(text, wanted, found):
    with pytest.raises(ParameterError) as error:
        parse_property(text)
    assert f"property {text!r}: expected {wanted}" in str(error.value)
    assert found in str(error.value)


@pytest.mark.parametrize("inside", ["g = 'x'", "", "1.5", "b"])
def test_a_value_is_picked_by_a_row_alone(inside):
    with pytest.raises(ParameterError, match=r"picks rows by a condition; say mean\(a\[") as error:
        parse_property(f"a[{inside}] <= 3")
    assert f"property {f'a[{inside}] <= 3'!r}" in str(error.value)


@pytest.mark.parametrize("text", ["1 <= 2", "3 within 1%", "a[0] <= 2 <= 3", "(1 + 2) * 3 = 9"])
def test_a_statement_without_values_is_refused(text):
    with pytest.raises(ParameterError, match="names no value of a column") as error:
        parse_property(text)
    assert repr(text) in str(error.value)


NAMES = ("a", "b", "`c d`", "é")


@st.composite
def expressions(draw, depth=3):
    """A linear expression as text, and what it is at given values."""
    kind = draw(st.sampled_from(["value", "number"] if depth == 0 else ["value", "+", "-", "*", "/", "()", "-()"]))
    if kind == "number":
        number = draw(st.integers(0, 20).map(float) | st.sampled_from([0.5, 1.25, 1e-2]))
        return f"{number:g}", lambda values: number
    if kind == "value":
        name, row = draw(st.sampled_from(NAMES)), draw(st.integers(0, 5))
        return f"{name}[{row}]", lambda values: values[name.strip("`"), row]
    left, at_left = draw(expressions(depth=depth - 1))
    if kind == "()":
        return f"({left})", at_left
    if kind == "-()":
        return f"(-({left}))", lambda values: -at_left(values)
    if kind == "/":
        by = draw(st.sampled_from([2.0, 0.25, 5.0]))
        return f"({left}) / {by:g}", lambda values: at_left(values) / by
    if kind == "*":
        by = draw(st.sampled_from([2.0, 0.25, 3.0]))
        text = f"{by:g} * ({left})" if draw(st.booleans()) else f"({left}) * {by:g}"
        return text, lambda values: by * at_left(values)
    right, at_right = draw(expressions(depth=depth - 1))
    if kind == "+":
        return f"{left} + {right}", lambda values: at_left(values) + at_right(values)
    return f"{left} - ({right})", lambda values: at_left(values) - at_right(values)


VALUES = st.fixed_dictionaries({
    (name.strip("`"), row): st.integers(-9, 9).map(float) for name in NAMES for row in range(6)
})  # fmt: skip


@given(expressions(), expressions(), VALUES, st.sampled_from(["<=", ">=", "=", "<"]))
def test_random_expressions_are_what_they_say(left, right, values, relation):
    statement = one(f"{left[0]} {relation} a[0] + {right[0]}")
    expected = left[1](values) - (values["a", 0] + right[1](values))
    assert value_of(statement.left, values) == pytest.approx(expected, abs=1e-9)


def told(text):
    """What is said of a text that is refused; None where it is read."""
    try:
        parse_property(text)
    except ParameterError as error:
        return str(error)
    return None


@given(st.text(alphabet="ab[]()0123 +-*/%<>='`within.", max_size=25))
def test_any_text_is_read_or_refused(text):
    message = told(text)
    assert message is None or repr(text) in message


@given(st.text(max_size=12))
def test_any_characters_are_read_or_refused(text):
    for tried in (text, f"a[{text}] <= 1", f"sum(a[{text}]) <= 1", f"a[0] {text} 1", f"`{text}`[0] <= 1"):
        message = told(tried)
        assert message is None or repr(tried) in message
