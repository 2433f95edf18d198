"""The contract of methods: parameters that are checked when made, and one entry point."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.contracts.trying import Streams, Tried
from sfumato.data.table import Table
from sfumato.ground.calls import SaysWhatItTakes
from sfumato.ground.errors import ArgumentError, ParameterError, suggest
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.surface import load_class, load_modules
from sfumato.privacy.promise import Promise

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["Method", "Outcome", "known_method", "known_methods", "make_by_name", "method_from_dict"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What a method made, still to be verified."""

    frame: pl.DataFrame
    """The published rows, in random order, without identifiers."""
    rows: NDArray[np.int64]
    """For each published row, its row in the original. For the owner alone."""
    public: dict[str, Any] = field(default_factory=dict)
    """What a reader must be told to read the data rightly."""
    files: dict[str, pl.DataFrame] = field(default_factory=dict)
    """Tables that are published beside the data, by name."""
    kept: dict[str, pl.DataFrame] = field(default_factory=dict)
    """What the owner keeps to have the release checked, by name."""
    method: Method | None = None
    """The method that made it, where that is another than the one that was run: it would make the same alone."""
    tried: tuple[Tried, ...] = ()
    """What else was tried. For the owner alone."""


class Method(SaysWhatItTakes, ABC):
    """A way of publishing. Subclasses are frozen dataclasses of their own parameters."""

    takes: ClassVar[type] = Table
    """What it publishes."""
    repeatable: ClassVar[bool] = True
    """Whether a seed repeats a run: all that it draws comes from the randomness it is given, and from nowhere else."""
    needs_library: ClassVar[str] = ""
    """A library that it draws on and that is not installed with sfumato; empty for most."""
    needs_promise: ClassVar[bool] = False
    """Whether it keeps a promise and cannot do without one."""
    example: ClassVar[str] = ""
    """Parameters of a small run as a recipe would write them, where those it has by itself do not do."""
    recommended: ClassVar[str] = ""
    """When to take it before others, as the end of a sentence: `where columns have hierarchies`; empty for most."""
    compared: ClassVar[tuple[str, ...]] = ("",)
    """Parameters that `compare` tries it with, each as a recipe would write them: those it has by itself, and without a
    promise one for each strength. Empty where it is of no use without parameters that only a person knows."""
    for_study: ClassVar[bool] = False
    """Whether it is there to be studied, and nobody should be advised to publish with it."""
    _registry: ClassVar[dict[str, type[Method]]] = {}

    def __init_subclass__(cls, *, register: bool = True) -> None:
        super().__init_subclass__()
        if register:
            Method._registry[cls.__name__] = cls

    @abstractmethod
    def run(self, table: Any, promise: Promise | None, random: Randomness, progress: Progress) -> Outcome:
        """Make the data to publish. Whether they keep the promise is for others to decide."""

    def carry_out(self, data: Any, promise: Promise | None, streams: Streams, progress: Progress) -> Outcome:
        """Run with its own stream of random numbers; a method that chooses among others gives each of them its own."""
        return self.run(data, promise, streams.of(self), progress)

    def after(self, previous: Sequence[Release]) -> Method:
        """Return the method as it goes on from earlier releases; refused by methods that cannot."""
        raise ParameterError(
            f"{type(self).__name__} takes no account of earlier releases; leave previous out, or use Republishing"
        )

    def promise_for(self, promise: Promise | None) -> Promise | None:
        """Return the promise that a release will carry: the one asked for, unless the method has one of its own."""
        return promise

    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters, as a recipe gives them."""
        return {"name": type(self).__name__, **{f.name: getattr(self, f.name) for f in fields(self)}}  # type: ignore[arg-type]

    def public_parameters(self) -> dict[str, Any]:
        """The name and the parameters that may be published: all of them, unless some are the owner's secret."""
        return self.to_dict()


def known_methods() -> dict[str, type[Method]]:
    """Every method, by name."""
    load_modules("tables", "baskets", "graphs")
    return dict(Method._registry)


def known_method(name: str) -> type[Method] | None:
    """Return the method of this name, in any case, without loading the others; None where there is none."""
    if name in Method._registry:
        return Method._registry[name]
    load_class(name)
    return next((method for key, method in Method._registry.items() if key.lower() == name.lower()), None)


def method_from_dict(given: Mapping[str, Any]) -> Method:
    """Read what `to_dict` wrote, or what a recipe says."""
    alone = known_method(str(given.get("name", "")))
    made: Method = make_by_name("method", {alone.__name__: alone} if alone else known_methods(), given)
    return made


def make_by_name(word: str, known: Mapping[str, type[Any]], given: Mapping[str, Any]) -> Any:
    """Make an object of the class that `given` names, from its other parameters; `word` says what it is in messages."""
    rest = dict(given)
    name = str(rest.pop("name", ""))
    cls = {key.lower(): each for key, each in known.items()}.get(name.lower())
    if cls is None:
        raise ParameterError(f"no {word} is called {name!r}{suggest(name, known)}")
    accepted = [f.name for f in fields(cls)]
    for key in rest:
        if key not in accepted:
            raise ParameterError(f"{cls.__name__} has no parameter {key!r}{suggest(key, accepted)}")
    try:
        return cls(**rest)
    except ArgumentError:
        raise
    except TypeError as error:
        lacking = str(error).rsplit(": ", 1)[-1]
        said = f" needs {lacking}" if "missing" in str(error) else f": {error}"
        raise ParameterError(f"{cls.__name__}{said}") from None
