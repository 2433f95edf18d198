"""A point of a comparison: one method with one promise, what came of it, and how to do it again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from sfumato.contracts.method import Method
from sfumato.data.schema_file import toml_value
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import SfumatoError
from sfumato.privacy.option import promises_asked_for
from sfumato.privacy.promise import Promise, known_promises

__all__ = ["Came", "Point"]

Came = Literal["done", "refused", "too slow", "not tried"]
"""What came of an attempt: a verified release, a reason why not, more time than there was, or nothing yet."""


@dataclass(frozen=True, kw_only=True)
class Point(SaysWhatMethodsTake):
    """A method with a promise: what came of it, its figures, and how to do it again.

    `figures` are those of `measure`, by name; one that the release does not have is not among them. `verdict` is the
    word of `verify`, and `found` what it found. `digest` is that of the published records, the same whenever it is done
    again. `seconds` are those of publishing. `why` says why there is no release. `promise` is None where the method's
    own parameters say how strong it is.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> point = sf.compare(hospital(100), [sf.Mondrian()], [sf.KAnonymity(5)], seed=1).points[0]
    >>> point.came, point.verdict, point.figures["prosecutor_max"]
    ('done', 'holds', 0.2)
    """

    method: Method
    promise: Promise | None
    came: Came = "not tried"
    figures: Mapping[str, float] = field(default_factory=dict)
    verdict: str = ""
    found: tuple[str, ...] = ()
    seconds: float | None = None
    digest: str = ""
    why: str = ""

    @property
    def key(self) -> str:
        """Its method and promise as a text: the same for no other point of a comparison."""
        return f"{self.label} {self.promise!r}"

    @property
    def label(self) -> str:
        """The method as a person would write it, with the parameters that are not as they are by default."""
        said = ", ".join(f"{name}={value!r}" for name, value in self._own_parameters().items())
        return f"{type(self.method).__name__}({said})" if said else type(self.method).__name__

    @property
    def strength(self) -> str:
        """The promise, or else the parameters of the method, in words."""
        if self.promise is not None:
            return repr(self.promise)
        first = fields(self.method)[:1]  # type: ignore[arg-type]
        own = self._own_parameters() or {each.name: getattr(self.method, each.name) for each in first}
        return ", ".join(f"{name} = {value}" for name, value in own.items())

    @property
    def recipe(self) -> str:
        """The method and the promise as the parts of a recipe that say them."""
        lines = ["[method]", *_toml_lines({"name": type(self.method).__name__, **self._own_parameters()})]
        for part in self.promise.parts if self.promise is not None else ():
            lines += ["", "[[promise]]", *_toml_lines(part.to_dict())]
        return "\n".join(lines) + "\n"

    def command(self, source: str = "DATA", schema: str | None = "SCHEMA", output: str = "out") -> str | None:
        """The command that publishes `source` like this; None where only a recipe can say it."""
        options = _options_for(self.promise)
        if options is None:
            return None
        words = ["sfumato", "publish", source, *(["--schema", schema] if schema is not None else [])]
        words += ["--method", type(self.method).__name__]
        for name, value in self._own_parameters().items():
            words += ["--param", f"{name}={toml_value(value)}"]
        return shlex.join([*words, *options, "-o", output])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "method": self.label, "promise": repr(self.promise) if self.promise is not None else None,
            "came": self.came, "verdict": self.verdict, "found": list(self.found), "why": self.why,
            "seconds": self.seconds, "digest": self.digest, "figures": dict(self.figures), "recipe": self.recipe,
        }  # fmt: skip

    def _own_parameters(self) -> dict[str, Any]:
        """The parameters that are not as they are by default."""
        try:
            plain: Any = type(self.method)()
        except (SfumatoError, TypeError):  # it needs some
            plain = type(self.method)
        own = {each.name: getattr(self.method, each.name) for each in fields(self.method)}  # type: ignore[arg-type]
        return {
            name: value for name, value in own.items() if value is not None and value != getattr(plain, name, None)
        }  # fmt: skip


def _toml_lines(given: Mapping[str, Any]) -> list[str]:
    return [f"{name} = {toml_value(value)}" for name, value in given.items() if value is not None]


def _options_for(promise: Promise | None) -> list[str] | None:
    """The words on the command line that ask for a promise; None where none ask for just this one."""
    if promise is None:
        return []
    values: dict[str, Any] = {}
    words: list[str] = []
    for part in promise.parts:
        if part.option is None:
            return None
        others = [each.option for each in known_promises().values() if each.option is not None]
        taken = [each for each in others if each.flag in part.option.takes]
        for option in (*taken, part.option, *part.option.further):
            value = getattr(part, option.parameter or option.field, None)
            if value is not None and value != option.default:
                values[option.field] = value
                words += [option.flag, str(value)]
    try:
        same = promises_asked_for(known_promises().values(), values) == list(promise.parts)
    except SfumatoError:
        return None
    return words if same else None
