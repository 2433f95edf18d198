"""A point of a comparison: one method with one promise, what came of it, and how to do it again."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from types import NoneType
from typing import Any, Literal

from sfumato.contracts.method import Method
from sfumato.contracts.trying import label_of, own_parameters
from sfumato.data.schema_file import toml_value
from sfumato.data.table import Table
from sfumato.ground.calls import SaysWhatMethodsTake
from sfumato.ground.errors import SfumatoError
from sfumato.privacy.ground_distance import Ground
from sfumato.privacy.of_population import OfPopulation
from sfumato.privacy.option import promises_asked_for
from sfumato.privacy.promise import Promise, known_promises
from sfumato.verbs.comparing.extrapolation import Estimate

__all__ = ["Came", "Point", "Sample"]

Came = Literal["done", "refused", "failed", "too slow", "not tried"]
"""What came of an attempt: a verified release, a reason why these data and this promise have none, an end by a fault or
for want of memory, more time than there was, or nothing yet."""


@dataclass(frozen=True)
class Sample:
    """What was measured on a sample of `n_rows` rows."""

    n_rows: int
    figures: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Point(SaysWhatMethodsTake):
    """A method with a promise: what came of it, its figures, and how to do it again.

    `figures` are those of `measure`, by name; one that the release does not have is not among them. `verdict` is the
    word of `verify`, or that nothing is promised, and `found` what it found. `digest` is that of the published records,
    the same whenever it is done again. `seconds` are those of publishing. `why` says why there is no release. `promise`
    is None where the method's own parameters say how strong it is. Where `method` chose another, as `Best` does,
    `made_by` is the one that made the release and does it again; recipe and command are of that one.

    A large table is compared on `samples`, by falling size. All but `estimates` is then of the largest: these are the
    figures that can be told for the whole table, each with its interval. `n_rows` is how many rows it was tried on.

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
    made_by: Method | None = None
    n_rows: int | None = None
    samples: tuple[Sample, ...] = ()
    estimates: Mapping[str, Estimate] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """Its method and promise as a text, and the sample: the same for no other point of a comparison.

        Texts hide what is long, such as populations and ground distances, so that a digest of everything is part of it.
        """
        digest = _digest([each.to_dict() for each in (self.method, self.promise) if each is not None])
        on_sample = f" on {self.n_rows} rows" if self.n_rows is not None else ""
        return f"{self.label} {self.promise!r}{on_sample} {digest[:16]}"

    @property
    def k(self) -> int:
        """The size of the smallest class that its promise allows."""
        return max((part.min_size() for part in self.promise.parts), default=1) if self.promise is not None else 1

    @property
    def label(self) -> str:
        """The method as a person would write it, with the parameters that are not as they are by default."""
        return label_of(self.method)

    @property
    def maker(self) -> Method:
        """The method that makes the release alone."""
        return self.made_by or self.method

    @property
    def strength(self) -> str:
        """The promise, or else the parameters of the method, in words."""
        if self.promise is not None:
            return ", ".join([repr(self.promise), *_untold(self.promise)])
        first = fields(self.method)[:1]  # type: ignore[arg-type]
        own = own_parameters(self.method) or {each.name: getattr(self.method, each.name) for each in first}
        return ", ".join(f"{name} = {value}" for name, value in own.items())

    @property
    def recipe(self) -> str:
        """The method and the promise as the parts of a recipe that say them."""
        lines = ["[method]", *_toml_lines({"name": type(self.maker).__name__, **own_parameters(self.maker)})]
        for part in self.promise.parts if self.promise is not None else ():
            lines += ["", "[[promise]]", *_toml_lines(part.to_dict())]
        return "\n".join(lines) + "\n"

    def command(
        self, source: str = "DATA", schema: str | None = "SCHEMA", output: str = "out", *, reading: Sequence[str] = ()
    ) -> str | None:
        """The command that publishes `source` like this; None where only a recipe can say it.

        `reading` are the options that the data were read by, such as `["--missing", "n/a"]`.
        """
        options = _options_for(self.promise)
        if options is None:
            return None
        words = ["sfumato", "publish", source]
        words += ["--schema", schema] if schema is not None and self.maker.takes is Table else []
        words += [*reading, "--method", type(self.maker).__name__]
        for name, value in own_parameters(self.maker).items():
            words += ["--param", f"{name}={toml_value(value)}"]
        return shlex.join([*words, *options, "-o", output])

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain data."""
        sampled = {
            "n_rows": self.n_rows, "samples": [asdict(sample) for sample in self.samples],
            "estimates": {name: asdict(estimate) for name, estimate in self.estimates.items()},
        }  # fmt: skip
        return {
            "method": self.label, "promise": repr(self.promise) if self.promise is not None else None,
            "came": self.came, "verdict": self.verdict, "found": list(self.found), "why": self.why,
            "seconds": self.seconds, "digest": self.digest, "figures": dict(self.figures), "recipe": self.recipe,
            **({"made_by": self.made_by.to_dict()} if self.made_by is not None else {}),
            **(sampled if self.n_rows is not None else {}),
        }  # fmt: skip


def _digest(plain: Any) -> str:
    """SHA-256 of parameters, each as it tells itself in full where it can."""
    said = json.dumps(plain, default=lambda value: value.to_dict() if hasattr(value, "to_dict") else repr(value))
    return hashlib.sha256(said.encode()).hexdigest()


def _untold(promise: Promise) -> Iterator[str]:
    """What the text of a promise does not tell, by its fingerprint: two promises may differ in nothing else."""
    for part in promise.parts:
        if isinstance(part, OfPopulation) and part.register is not None:
            yield f"population of {part.register.rows:,} ({part.register.sha256[:8]})"
        if isinstance(ground := getattr(part, "ground", None), Ground):
            yield f"distances {_digest(ground)[:8]}"


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
            if not isinstance(value, (str, int, float, NoneType)):  # read from a file, as ground distances are
                return None
            if value is not None and value != option.default:
                values[option.field] = value
                words += [option.flag, str(value)]
    try:
        same = promises_asked_for(known_promises().values(), values) == list(promise.parts)
    except SfumatoError:
        return None
    return words if same else None
