"""t-closeness: Li, Li & Venkatasubramanian, ICDE 2007, doi:10.1109/ICDE.2007.367856."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from sfumato.data.values import text
from sfumato.ground.errors import ParameterError, SchemaError
from sfumato.ground.validate import finite, one_of
from sfumato.privacy.conditions import EMD_GROUND, EMD_ORDERED, EMD_TREE, KL, TOLERANCE, VARIATIONAL, Condition
from sfumato.privacy.ground_distance import Ground, ground_of
from sfumato.privacy.least_moves import least_moves
from sfumato.privacy.option import Option
from sfumato.privacy.promise import Finding, Promise
from sfumato.privacy.sensitive import check_columns, chosen_columns, column_numbers, columns_in_words
from sfumato.privacy.words import counted, number_in_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from sfumato.data.encoding import Coded
    from sfumato.published.equivalence import PublishedClasses, SensitiveColumn

__all__ = ["TCloseness"]

Distance: TypeAlias = Literal["emd", "variational", "kl"]

_DISTANCES = {"emd": "earth mover’s", "variational": "variational", "kl": "Kullback-Leibler"}


@dataclass(frozen=True)
class TCloseness(Promise):
    """The sensitive values of every class are distributed as in the whole table, within distance t.

    - `emd` (the default), the earth mover's distance: between ordered values (numbers, dates, ordinals) the ground
      distance is that of their ranks over m - 1; under a hierarchy it is the height of the lowest common ancestor
      over that of the tree; between bare categories it is 1, which makes it the variational distance.
    - `variational`: half the sum of the absolute differences.
    - `kl`: Kullback-Leibler divergence of the class from the table, in nats.

    A missing value counts as a value: the lowest of an ordered column, a leaf below the root of a hierarchy.

    With `ground` the earth mover's distance of one sensitive column goes by distances that are given: a mapping with
    `values` and `distances`, a square of numbers from 0 to 1, or the path of a CSV file with a header row and column.
    The triangle inequality need not hold: the distance is then still that of the cheapest plan that takes the shares of
    the class to those of the table, each straight to where it goes.

    Every sensitive column is held to it, or only `columns`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> sf.publish(hospital(200), sf.Mondrian(), sf.TCloseness(0.4), seed=1)
    Release(200 rows, Mondrian, TCloseness(0.4) holds)
    """

    speaks_of = "groups"
    kept_by_groups = True
    example = "0.2"
    option = Option(
        flag="--t", help="t-closeness of the sensitive columns.", place=30,
        further=(
            Option(flag="--distance", help="The distance of t-closeness.", type=Distance, default="emd",
                   alone="--distance is that of t-closeness; give --t too"),
            Option(flag="--ground", help="The distances between sensitive values: CSV, for --t.", type=Path,
                   alone="--ground has the distances of t-closeness; give --t too"),
        ),
    )  # fmt: skip

    t: float
    distance: Distance = "emd"
    columns: tuple[str, ...] | None = None
    ground: Ground | Mapping[str, Any] | str | Path | None = None

    def __post_init__(self) -> None:
        """Check t and the distance."""
        one_of("distance", self.distance, get_args(Distance))
        finite("t", self.t, asked="a number >= 0", low=0)
        check_columns(self.columns)
        if self.distance != "kl" and self.t > 1:
            raise ParameterError(f"t must be at most 1 for the {self.distance} distance, got {self.t!r}")
        if self.ground is None:
            return
        if self.distance != "emd":
            raise ParameterError(
                f"ground is for the earth mover's distance, not {self.distance!r}; leave one of them out"
            )
        if self.columns is not None and len(self.columns) != 1:
            raise ParameterError(f"ground is for one sensitive column, and columns names {', '.join(self.columns)}")
        object.__setattr__(self, "ground", ground_of(self.ground))

    def __repr__(self) -> str:
        parts = [f"{number_in_words(self.t)}"]
        parts += [f"distance={self.distance!r}"] if self.distance != "emd" else []
        parts += [f"columns={self.columns!r}"] if self.columns is not None else []
        parts += [f"ground=<{len(self.ground.values)} values>"] if isinstance(self.ground, Ground) else []
        return f"TCloseness({', '.join(parts)})"

    @property
    def name(self) -> str:
        """As in `0.2-closeness`."""
        return f"{number_in_words(self.t)}-closeness"

    def in_words(self, quasi: Sequence[str], sensitive: Sequence[str], noun: str = "class") -> str:
        """How far knowing somebody's class or group can change what is known of them."""
        names = columns_in_words(self.columns, sensitive)
        return (
            f"Knowing which {noun} a person is in tells little about their {names}: in every {noun} its distribution "
            f"is within {_DISTANCES[self.distance]} distance {number_in_words(self.t)} of that in the whole table."
        )

    def min_size(self) -> int:
        """Return 1: no class is too small by its size alone."""
        return 1

    def conditions(self, sensitive: Sequence[Coded]) -> list[Condition]:
        """One condition for each sensitive column, by the distance and by the order or the tree of its values."""
        result = []
        for s in column_numbers(self, self.columns, [column.name for column in sensitive]):
            if isinstance(self.ground, Ground):
                result.append(self._by_ground(s, sensitive))
                continue
            if self.distance == "kl":
                kind = KL
            elif self.distance == "variational" or sensitive[s].shape == "set":
                kind = VARIATIONAL
            else:
                kind = EMD_TREE if sensitive[s].shape == "tree" else EMD_ORDERED
            result.append(Condition(kind, s, self.t))
        return result

    def _by_ground(self, s: int, sensitive: Sequence[Coded]) -> Condition:
        """The condition under given distances, for the values as they are coded."""
        ground, column = self.ground, sensitive[s]
        assert isinstance(ground, Ground)
        self._refuse_several_columns([each.name for each in sensitive])
        occurs = np.bincount(column.codes[column.codes >= 0], minlength=column.n_codes) > 0
        values = [*([""] if column.has_missing else []), *map(text, column.values.to_list())]
        square = ground.between(values, np.append([True] * column.has_missing, occurs).astype(bool), column.name)
        return Condition(EMD_GROUND, s, self.t, float(ground.metric), ground=square)

    def _refuse_several_columns(self, sensitive: Sequence[str]) -> None:
        """Refuse distances that are given for one column where the promise speaks of several."""
        if self.ground is not None and self.columns is None and len(sensitive) > 1:
            raise SchemaError(
                f"{self!r} has the distances of one column, and {', '.join(sensitive)} are sensitive; "
                f"name one, as in columns=({sensitive[0]!r},)"
            )

    def limit(self, n_rows: int, sensitive: Sequence[Coded]) -> str | None:
        """None: the whole table as one class is at distance 0, so that every t can be met."""
        column_numbers(self, self.columns, [column.name for column in sensitive])
        self._refuse_several_columns([column.name for column in sensitive])
        return None

    def to_dict(self) -> dict[str, Any]:
        """Plain data; given distances are written out, since nobody could check the promise without them."""
        given = super().to_dict()
        return {**given, "ground": self.ground.to_dict()} if isinstance(self.ground, Ground) else given

    def check(self, classes: PublishedClasses) -> list[Finding]:
        """Compare the histogram of every class with that of all published records."""
        findings = []
        names = chosen_columns(self, self.columns, classes.sensitive)
        self._refuse_several_columns(names)
        for name in names:
            column = classes.column(name)
            whole = column.whole / column.whole.sum()
            square = self._square(column, name)
            farthest, at = 0.0, None
            for first, parts in classes.distributions(name):
                if square is not None:
                    distances = least_moves(parts, whole, square)
                else:
                    distances = self._distance(parts - whole, parts, whole, column)
                i = int(distances.argmax())
                if at is None or distances[i] > farthest:
                    farthest, at = float(distances[i]), first + i
            findings.append(
                Finding(
                    promise=repr(self), holds=farthest <= self.t + TOLERANCE, value=farthest, worst_class=at,
                    found=f"farthest {classes.noun} at distance {farthest:.4f} on {name!r} in "
                    f"{counted(classes.n_classes, classes.noun)}",
                )
            )  # fmt: skip
        return findings

    def _square(self, column: SensitiveColumn, name: str) -> NDArray[np.float64] | None:
        """The given distances between the published values; None where none are given."""
        if not isinstance(self.ground, Ground):
            return None
        return self.ground.between(column.texts(), column.whole > 0, name)

    def _distance(
        self, extra: NDArray[np.float64], p: NDArray[np.float64], q: NDArray[np.float64], column: SensitiveColumn
    ) -> NDArray[np.float64]:
        """The distance of every row of `p` from `q`; `extra` is their difference."""
        if self.distance == "kl":
            ratio = np.divide(p, q, out=np.ones_like(p), where=p > 0)
            return np.asarray((p * np.log(ratio)).sum(axis=1))
        if self.distance == "variational" or column.shape == "set":
            return np.asarray(np.maximum(extra, 0).sum(axis=1))
        if column.shape == "range":
            return np.asarray(np.abs(np.cumsum(extra, axis=1))[:, :-1].sum(axis=1) / max(extra.shape[1] - 1, 1))
        return _tree_distance(extra, column)


def _tree_distance(extra: NDArray[np.float64], column: SensitiveColumn) -> NDArray[np.float64]:
    """The earth mover's distance over a tree, as in the paper: what children of a node exchange costs its height."""
    tree = column.tree
    assert tree is not None
    n_nodes = len(tree.parent)
    surplus = np.zeros((n_nodes + 1, extra.shape[0]))  # the last row: missing values, which hang below the root
    for value, node in enumerate(column.leaf_node):
        surplus[node] += extra[:, value]
    cost = np.zeros(extra.shape[0])
    for node in range(n_nodes - 1, -1, -1):
        children = [*tree.children(node), *([n_nodes] if node == 0 else [])]
        if children and children != [n_nodes]:
            below = surplus[children]
            gain, lack = np.maximum(below, 0).sum(axis=0), np.maximum(-below, 0).sum(axis=0)
            cost += column.heights[node] * np.minimum(gain, lack)
            surplus[node] += gain - lack
    return cost
