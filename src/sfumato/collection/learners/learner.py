"""What every learner has: the conventions of scikit-learn, without the need for it.

A learner is taught by `fit(X, y)` with reports and asked by `predict(X)` about true values; what it was told when made
it has as attributes, and what it learnt ends in an underscore. It can be cloned, stand at the end of a pipeline, and be
searched over; scikit-learn is needed only by who uses that.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import polars as pl
from numpy.typing import NDArray

from sfumato.collection.given import given_frame
from sfumato.ground.errors import DataError, ParameterError, suggest
from sfumato.ground.validate import told

__all__ = ["Classifier", "Learner", "NotTaughtError", "Regressor", "checked_numbers", "checked_table", "column_of"]


MOST_NUMBER = 1e60
"""The largest number that is learnt from, so that products of a few are finite."""


class NotTaughtError(DataError, AttributeError):
    """A learner was asked before it was taught."""


class NoNumberError(DataError, TypeError):
    """A cell of a table holds something that is no number and no text."""


class Learner(ABC):
    """A learner with the conventions of scikit-learn."""

    _estimator_type: ClassVar[str]
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: FBT001, FBT002  scikit-learn's own signature
        """What it was told when it was made."""
        return {name: getattr(self, name) for name in _parameters(type(self))}

    def set_params(self, **params: Any) -> Self:
        """Tell it something else."""
        known = _parameters(type(self))
        for name, value in params.items():
            if name not in known:
                raise ParameterError(f"{type(self).__name__} has no parameter {name!r}{suggest(name, known)}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        told_params = [
            f"{name}={getattr(self, name)!r}" for name, default in _parameters(type(self)).items()
            if getattr(self, name) is not default and getattr(self, name) != default
        ]  # fmt: skip
        return f"{type(self).__name__}({', '.join(told_params)})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import ClassifierTags, InputTags, RegressorTags, Tags, TargetTags

        kind = self._estimator_type
        return Tags(
            estimator_type=kind, target_tags=TargetTags(required=kind != "clusterer"),
            classifier_tags=ClassifierTags() if kind == "classifier" else None,
            regressor_tags=RegressorTags() if kind == "regressor" else None, input_tags=InputTags(),
        )  # fmt: skip

    def _note_columns(self, frame: pl.DataFrame, given: Any) -> None:
        """Remember the columns that it was taught with."""
        self.n_features_in_ = frame.width
        if _names_of(given) is not None:
            self.feature_names_in_ = np.array(frame.columns, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _asked(self, X: Any) -> NDArray[np.float64]:
        """A table of true values to be asked about, in the columns that it was taught with."""
        if not self.__sklearn_is_fitted__():
            raise _not_fitted(type(self).__name__)
        frame = checked_table(X)
        names = getattr(self, "feature_names_in_", None)
        if names is not None and _names_of(X) is not None:
            lacking = [name for name in names if name not in frame.columns]
            if lacking:
                raise DataError(f"the learner was taught with a column {lacking[0]!r}, which is not there")
            frame = frame.select(names.tolist())
        if frame.width != self.n_features_in_:
            raise DataError(
                f"X has {frame.width} features, but {type(self).__name__} is expecting {self.n_features_in_} features "
                f"as input"
            )
        return checked_numbers(frame)


class Classifier(Learner):
    """A learner of classes."""

    _estimator_type = "classifier"
    classes_: NDArray[Any]

    @abstractmethod
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The probability of each class, a row for each row of `X`."""

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row of `X`."""
        chances = self.predict_proba(X)
        return np.asarray(self.classes_[chances.argmax(axis=1)])

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of rows of `X` whose class is that in `y`."""
        right = self.predict(X) == np.asarray(y)
        return float(np.average(right, weights=sample_weight))

    def _class_codes(self, y: Any, n: int) -> NDArray[np.int64]:
        """The class of each row as a number; sets `classes_`."""
        column = column_of(y, n)
        if column.dtype.kind == "f" and not np.array_equal(column, np.round(column)):
            raise DataError("Unknown label type: y holds numbers with fractions, and classes are asked for")
        try:
            self.classes_, codes = np.unique(column, return_inverse=True)
        except TypeError:
            raise DataError(f"y holds {told(column[0])}, and classes are texts alone, or numbers alone") from None
        if len(self.classes_) < 2:
            raise DataError(f"y has one class alone, {told(self.classes_[0])}, so that there is nothing to be learnt")
        return np.asarray(codes, dtype=np.int64)


class Regressor(Learner):
    """A learner of numbers."""

    _estimator_type = "regressor"

    @abstractmethod
    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number that is expected for each row of `X`."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the variance of `y` that is explained (R squared)."""
        true = np.asarray(y, dtype=np.float64)
        weights = np.ones(len(true)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        mean = np.average(true, weights=weights)
        left, whole = weights @ (true - self.predict(X)) ** 2, weights @ (true - mean) ** 2
        return float(1.0 - left / whole) if whole else 0.0


# -- tables and columns ------------------------------------------------------------------------------------------------
def checked_table(X: Any) -> pl.DataFrame:
    """A table of a frame or an array of two dimensions, with at least a row and a column."""
    if hasattr(X, "toarray") and hasattr(X, "nnz"):
        raise DataError("X is a sparse matrix; give a dense array, as by X.toarray()")
    if _names_of(X) is not None:
        frame = given_frame(X)
    else:
        array = _array(X, "X")
        if np.iscomplexobj(array):
            raise DataError("Complex data not supported: X holds complex numbers")
        if array.ndim != 2:
            raise DataError(
                f"X must be a table, got an array of {array.ndim} dimension(s). Reshape your data: "
                f"X.reshape(-1, 1) for one column"
            )
        if array.shape[1] == 0:
            raise DataError(f"0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
        frame = pl.DataFrame({f"column {i + 1}": _plain(array[:, i]) for i in range(array.shape[1])})
    if not frame.height:
        raise DataError(f"Found array with 0 sample(s) (shape={frame.shape}) while a minimum of 1 is required.")
    return frame


def checked_numbers(frame: pl.DataFrame) -> NDArray[np.float64]:
    """The columns of a table as numbers; missing and infinite ones are refused."""
    columns = []
    for name in frame.columns:
        column = frame[name]
        try:
            numbers = column.cast(pl.Float64).to_numpy()
        except pl.exceptions.PolarsError:
            raise DataError(f"could not convert string to float: column {name!r} of X holds texts") from None
        if not np.isfinite(numbers).all():
            row = int((~np.isfinite(numbers)).argmax())
            raise DataError(f"column {name!r} of X has a missing value (NaN) or an infinite one (inf) in row {row + 1}")
        if len(numbers) and np.abs(numbers).max() > MOST_NUMBER:
            raise DataError(f"column {name!r} of X has numbers above {MOST_NUMBER:g}; take another unit")
        columns.append(numbers)
    return np.stack(columns, axis=1)


def column_of(y: Any, n: int) -> NDArray[Any]:
    """The column that is to be learnt, one value for each row."""
    if y is None:
        raise DataError("requires y to be passed, but the target y is None")
    column = _array(y, "y")
    if column.ndim == 2 and column.shape[1] == 1:
        import warnings

        warnings.warn(_one_column_warning(), stacklevel=2)
        column = column[:, 0]
    if column.ndim != 1:
        raise DataError(f"y should be a 1d array, got an array of shape {column.shape} instead.")
    if len(column) != n:
        raise DataError(f"X has {n} rows, and y has {len(column)}: there is one class or number for each row")
    lacking = column.dtype == object and any(each is None for each in column)
    if lacking or (column.dtype.kind == "f" and not np.isfinite(column).all()):
        raise DataError("Input y contains NaN or infinity: every row needs a class or a number")
    return column


def _array(value: Any, name: str) -> NDArray[Any]:
    try:
        return np.asarray(value)
    except ValueError:
        raise DataError(f"the rows of {name} are not of the same length; give as many values in each") from None


def _one_column_warning() -> Warning:
    """The warning that scikit-learn gives, where it is there."""
    said = "A column-vector y was passed when a 1d array was expected"
    try:
        from sklearn.exceptions import DataConversionWarning
    except ImportError:
        return UserWarning(said)
    return DataConversionWarning(said)  # type: ignore[no-any-return]


def _not_fitted(name: str) -> Exception:
    """The error that scikit-learn gives, where it is there."""
    said = f"this {name} has not been taught yet; call fit first"
    try:
        from sklearn.exceptions import NotFittedError
    except ImportError:
        return NotTaughtError(said)

    class BothError(NotTaughtError, NotFittedError):  # type: ignore[misc]
        """What either library expects."""

    return BothError(said)


def _parameters(kind: type) -> dict[str, Any]:
    """The parameters that a learner is made with, and their defaults."""
    signature = inspect.signature(kind)
    return {name: each.default for name, each in signature.parameters.items()}


def _names_of(X: Any) -> list[str] | None:
    """The names of the columns of a frame; None where they have none."""
    columns = getattr(X, "columns", None)
    if columns is None and hasattr(X, "column_names"):
        columns = X.column_names
    return None if columns is None or isinstance(X, Mapping) else [str(each) for each in columns]


def _plain(column: NDArray[Any]) -> Any:
    if column.dtype != object:
        return np.ascontiguousarray(column)
    for row, each in enumerate(column):
        if not isinstance(each, (int, float, str, np.generic, type(None))):
            raise NoNumberError(f"argument must be a string or a number, and row {row + 1} of X has {told(each)}")
    try:
        return [float(each) if isinstance(each, (int, float, np.generic)) else each for each in column]
    except OverflowError:
        raise DataError("X has a number that is too large; take another unit") from None
