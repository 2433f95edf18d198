"""Somebody who learns from the release which sensitive values go with which quasi-identifiers, and guesses.

Cormode, "Personal privacy vs population privacy", KDD 2011: a learner guesses well about people who are not in the
release too, and no promise about its members can prevent that. What counts is the excess over such people: the control
of Giomi and others, "A unified framework for quantifying privacy risk in synthetic data", PoPETs 2023. Without a table
of such people, the method publishes once more without some, who are guessed by what the others' release teaches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array

from sfumato.contracts.attack import Attack, Attacked, Success, mean_success
from sfumato.contracts.method import method_from_dict
from sfumato.data.given import given_table
from sfumato.data.missing_codes import without_codes
from sfumato.data.reading import read_table
from sfumato.data.schema import Column
from sfumato.data.table import Table
from sfumato.ground.errors import DataError, SchemaError, SfumatoError, suggest
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.ground.validate import finite, one_of, whole
from sfumato.published.shape import Bare
from sfumato.published.tables.table import table_shape
from sfumato.tables.attacks.beliefs import RAW
from sfumato.tables.attacks.learners import BayesLearner, ClassLearner, Learner
from sfumato.tables.attacks.row_matching import RowMatcher, as_known
from sfumato.tables.attacks.targets import (
    OWNER,
    Secret,
    check_name,
    draw_targets,
    published_records,
    row_values,
    secret_of,
    value_numbers,
)

if TYPE_CHECKING:
    from sfumato.release.release import Release

__all__ = ["InferenceAttack"]

LearnerName: TypeAlias = Literal["bayes", "class"]
_Z = 1.959963984540054


@dataclass(frozen=True)
class InferenceAttack(Attack):
    """Trains a `learner` on the release and guesses the value in `sensitive` of `people` by their quasi-identifiers.

    `"bayes"` is naive Bayes over cells, `"class"` believes the rows that fit. `control` is a table, or
    the path of one, of people who are not in the release; without one, the method publishes once more, and leaves out
    a share of people, `holdout`.

    >>> import sfumato as sf
    >>> from sfumato.datasets import hospital
    >>> release = sf.publish(hospital(100), sf.Mondrian(), sf.KAnonymity(5), seed=1)
    >>> found = sf.attack(release, sf.InferenceAttack(people=50))
    >>> found["right"].meaning
    "people whose 'diagnosis' is guessed rightly"
    """

    learner: LearnerName = "bayes"
    sensitive: str | None = None
    control: Table | str | None = None
    holdout: float = 0.2
    people: int = 1000

    def __post_init__(self) -> None:
        """Check the parameters."""
        one_of("learner", self.learner, get_args(LearnerName))
        check_name("sensitive", self.sensitive)
        if self.control is not None and not isinstance(self.control, str):
            given_table(self.control, f"control must be a Table or the path of one, got {type(self.control).__name__}")
        finite("holdout", self.holdout, asked="a number above 0 and at most 1", above=0, high=1)
        whole("people", self.people, least=1)

    def to_dict(self) -> dict[str, Any]:
        """The name and the parameters; the control by its size."""
        given = self.control
        parameters = given if given is None or isinstance(given, str) else f"{len(given):,} people"
        return {**super().to_dict(), "control": parameters}

    def run(self, release: Release, original: Any, random: Randomness, progress: Progress) -> Attacked:
        """Train on the raw records and on the release, and guess for members and for others."""
        progress.step("learning")
        targets = draw_targets(release, original, self.people, random)
        secret = secret_of(release, original, self.sensitive, targets.before, targets.after)
        columns = [original.schema.column(name) for name in original.schema.quasi]
        everybody = as_known(original, columns, "the original")
        n, top = len(original), float(secret.shares.max())
        own = csr_array((np.ones(n), (np.arange(n), secret.true)), shape=(n, len(secret.values)))
        control = read_table(self.control) if isinstance(self.control, str) else self.control
        asked = original.schema.column(secret.name)
        others = self._others(control, columns, asked, secret, random) if control is not None else None
        domain = everybody if others is None else _append_people(everybody, others[0])
        raw = self._learner(everybody.frame, {}, targets.before, domain, own)
        forms = table_shape(release).seen_forms
        learner = self._learner(release.data.frame, forms, targets.after, domain, secret.of_row)
        progress.step("guessing")
        true = secret.true[targets.records]
        before, right = _is_right(raw, targets.known, true), _is_right(learner, targets.known, true)
        members = right
        notes = [OWNER]
        if others is not None:
            without, who = _is_right(learner, *others), "people who are not in the release"
        else:
            fresh = self._guess_without(release, original, everybody, secret, random)
            if fresh is not None:
                members, without = fresh
                who = "people who were left out when the method published once more"
                notes.append("the excess is that of another release by the same method, which left some people out")
            else:
                without = _is_right(learner, targets.known, true, targets.rows)
                who = "people, each by a learner that never saw the own row"
                notes.append("the method could not publish again without some people: the control is too low, as it "
                             "lacks rows of the people it guesses; give a control")  # fmt: skip
        found = {
            "right_before": mean_success(before, top, f"people whose {secret.name!r} is guessed rightly{RAW}"),
            "right": mean_success(right, top, f"people whose {secret.name!r} is guessed rightly"),
            "control": mean_success(without, top, f"the same of {who}"),
            "excess": _excess(members, without),
        }
        if members is not right:
            found["members"] = mean_success(members, top, "the same of people who were not left out")
        return Attacked(self, found, tuple(notes))

    def _guess_without(
        self, release: Release, original: Table, everybody: Table, secret: Secret, random: Randomness
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """Publish once more without some people; whether guesses are right about members, and about those left out.

        None where the method cannot publish without them.
        """
        _, records = published_records(release, original)
        order = random.spawn("left out").permutation(len(records))
        n_out = min(max(round(self.holdout * len(records)), 1), len(records) - 1)
        if n_out < 1:
            return None
        out, stayed = records[order[:n_out]], np.sort(records[order[n_out:]])
        try:
            method = method_from_dict(release.method)
            made = method.run(
                original.rows(stayed), release.promise, random.spawn("again"), Progress(4, shown=False)
            )  # fmt: skip
        except (SfumatoError, TypeError):
            return None
        shape = table_shape(Bare(data=made, public=made.public, files=made.files))
        matcher = RowMatcher.of(made.frame, shape.seen_forms, everybody.columns)
        of_row = row_values(shape, secret.name, secret.values)
        learner = self._learner(made.frame, shape.seen_forms, matcher, everybody, of_row)
        there = stayed[made.rows[made.rows >= 0]]
        there = there[random.spawn("members").permutation(len(there))[: self.people]]
        out = out[: self.people]
        return (
            _is_right(learner, everybody.rows(there), secret.true[there]),
            _is_right(learner, everybody.rows(out), secret.true[out]),
        )

    def _learner(
        self, frame: pl.DataFrame, forms: Any, matcher: RowMatcher, domain: Table, of_row: csr_array
    ) -> Learner:
        """The learner that the attack asks for, trained on these rows."""
        if self.learner == "class":
            return ClassLearner(matcher, of_row)
        return BayesLearner(frame, forms, domain, domain.columns, of_row)

    def _others(
        self, control: Table, columns: list[Column], asked: Column, secret: Secret, random: Randomness
    ) -> tuple[Table, NDArray[np.int64]]:
        """Some people who are not in the release, and their values; -1 for one that the release lacks."""
        others = as_known(control, columns, "the control")
        if not len(others):
            raise DataError("the control has nobody in it; leave it out, or give people who are not in the release")
        if secret.name not in control.columns:
            said = suggest(secret.name, control.columns)
            raise SchemaError(f"the control lacks the sensitive column {secret.name!r}{said}")
        chosen = np.sort(random.spawn("control").permutation(len(others))[: self.people])
        values = without_codes(control.frame[secret.name], asked)
        return others.rows(chosen), value_numbers(values.gather(chosen), secret.values)


def _append_people(everybody: Table, others: Table) -> Table:
    """One table of both."""
    alike = others.frame.select(pl.col(name).cast(dtype) for name, dtype in everybody.frame.schema.items())
    return Table(pl.concat([everybody.frame, alike]), everybody.schema)


def _is_right(
    learner: Learner, people: Table, true: NDArray[np.int64], own: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Whether the learner's guess is right, by person; with `own` rows, each is left out for its person."""
    return np.asarray(learner.scores(people, own).argmax(axis=1) == true, dtype=np.float64)


def _excess(right: NDArray[np.float64], without: NDArray[np.float64]) -> Success:
    """The figure `excess`: how much more often guesses are right about members than about others."""
    mean = float(right.mean() - without.mean())
    variance = float(right.var()) / len(right) + float(without.var()) / len(without)
    few = min(len(right), len(without))
    reach = _Z * math.sqrt(variance) if variance > 0 else _Z**2 / (few + _Z**2)  # Wilson's, of what never occurred
    meaning = "how much more often that is right about people in the release"
    return Success(mean, max(mean - reach, -1.0), min(mean + reach, 1.0), 0.0, meaning)
