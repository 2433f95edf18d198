"""Files of reports and the surveys that they belong to."""

import polars as pl
import pytest

from sfumato import collection
from sfumato.collection.collector.report_file import check_is_of, write_reports
from sfumato.ground.errors import DataError
from support.surveys import survey_of


def survey(epsilon=1.0):
    return survey_of({"a": collection.KaryResponse(["x", "y", "z"], epsilon)})


def written(path, of):
    write_reports(of.randomize(pl.DataFrame({"a": ["x", "y", "z"]}), seed=1), path, of)
    return str(path)


def test_a_file_is_refused_with_another_randomizer(tmp_path):
    file = written(tmp_path / "reports.parquet", survey())
    check_is_of(survey(), file)
    with pytest.raises(DataError, match=r"'reports\.parquet' holds reports to another survey"):
        check_is_of(survey(2.0), file)


def test_the_same_number_written_otherwise_is_the_same_survey(tmp_path):
    file = written(tmp_path / "reports.parquet", survey(1))
    check_is_of(survey(1.0), file)
    assert survey(1).id == survey(1.0).id != survey(1.5).id


def test_what_does_not_say_is_read(tmp_path):
    csv, bare, broken = (tmp_path / name for name in ("a.csv", "b.parquet", "c.parquet"))
    written(csv, survey())
    pl.DataFrame({"a.answer": ["x"]}).write_parquet(bare)
    broken.write_bytes(b"none")
    for each in (csv, bare, broken, tmp_path / "none.parquet"):
        check_is_of(survey(2.0), str(each))
