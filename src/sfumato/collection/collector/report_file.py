"""Files of reports: what ties them to the survey whose randomizers drew them.

Estimates from reports are right with the numbers that they were drawn with, and wrong with any others, which nobody
would see. So a file of Parquet tells the survey in its metadata, and is refused with another one. CSV has no room for
it: there nothing is checked but that every report can have been drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from sfumato.ground.errors import DataError

if TYPE_CHECKING:
    from sfumato.collection.collector.survey import Survey

__all__ = ["check_is_of", "write_reports"]

_KEY = "sfumato survey"


def write_reports(reports: pl.DataFrame, path: Path, survey: Survey) -> None:
    """Write reports to a file, with the survey that they belong to where the format has room for it."""
    if path.suffix.lower() == ".csv":
        reports.write_csv(path)
    else:
        reports.write_parquet(path, metadata={_KEY: survey.id})


def check_is_of(survey: Survey, source: str) -> None:
    """Refuse a file of reports that says that it belongs to another survey."""
    path = Path(source)
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return
    try:
        told = pl.read_parquet_metadata(path).get(_KEY)
    except (OSError, pl.exceptions.PolarsError):
        return  # who reads the file says what is wrong with it
    if told is not None and told != survey.id:
        raise DataError(
            f"'{path.name}' holds reports to another survey, or to this one with other questions or randomizers, with "
            f"whose numbers estimates would be wrong; name the survey that they were drawn with"
        )
