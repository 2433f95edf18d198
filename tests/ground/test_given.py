import pytest

from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.ground.given import checked_arguments, kinds_of


@pytest.mark.parametrize(
    ("annotation", "kinds"),
    [
        ("str", ("text",)), ("bool", ("flag",)), ("str | Path | None", ("text", "path", "none")),
        ("Sequence[str | Callable[[Graph], float]]", ("list",)), ("Mapping[str, float] | None", ("mapping", "none")),
        ("Table | None", ()), ("int", ()), ("Any", ()), (int, ()), ("Sequence[Any] | None", ()),
        ("Progress | None", ("Progress", "none")),
    ],
)  # fmt: skip
def test_what_an_annotation_allows(annotation, kinds):
    assert kinds_of(annotation) == kinds


def test_a_value_of_no_kind_is_refused():
    with pytest.raises(ParameterError, match="x must be a text or a path, got 5"):
        checked_arguments({"x": ("text", "path", "none")}, {"x": 5})
    with pytest.raises(SchemaError, match="x must be true or false, got 1"):
        checked_arguments({"x": ("flag",)}, {"x": 1}, SchemaError)
    assert checked_arguments({"x": ("list",)}, {"x": range(2), "y": 5}) == {"x": range(2), "y": 5}
