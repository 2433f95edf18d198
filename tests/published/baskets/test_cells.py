"""Cells of published baskets in a text file: what means the same and reads otherwise is refused."""

import json
import random

import polars as pl
import pytest

import sfumato as sf
from sfumato.ground.errors import DataError, ReleaseError
from sfumato.published.baskets.baskets import BasketsShape
from sfumato.published.baskets.cells import columns_of_texts
from support.small_baskets import dense_baskets


@pytest.mark.parametrize(
    "text",
    ['[ "a"]', '["a" ]', '["a","b"]', ' ["a"]', '["a"] ', '["\\u0061"]', '[["a"]]', '{"a": 1}', "[1]", "[null]", "", "a",
     "[" * 100_000, "[NaN]", '["a"'],
)  # fmt: skip
def test_another_text_for_a_list_is_refused(text):
    with pytest.raises(DataError, match="column 'differs' of published baskets holds") as error:
        columns_of_texts(pl.DataFrame({"base": ['["a", "b"]'], "differs": [text]}))
    assert len(str(error.value)) < 300


@pytest.mark.parametrize("text", ["03", "+3", "3.0", "-0", "٣", " 3", "3 ", "3e0", "9" * 6000, "", "x", None])
def test_another_text_for_a_threshold_is_refused(text):
    frame = pl.DataFrame(
        {"base": ["[]"], "differs": ["[]"], "threshold": [text]}, schema_overrides={"threshold": pl.String}
    )
    with pytest.raises(DataError, match="'threshold' of published baskets holds numbers such as 3, and not"):
        columns_of_texts(frame)


def test_what_is_written_is_read():
    items = ['say "hi"', "a,b", "\u00e9", "\n", "\\", "[]"]
    frame = pl.DataFrame({"base": [items, []], "differs": [[], ["x"]], "label": ["[ ]", "03"]})
    texts = frame.with_columns(
        pl.Series(name, [json.dumps(each, ensure_ascii=False) for each in frame[name].to_list()])
        for name in ("base", "differs")
    )
    assert columns_of_texts(texts).equals(frame)


def edits(rng, row):
    """Ways to write a row of a text file otherwise that a careless reader takes for the same."""
    base = json.loads(row["base"])
    yield "base", json.dumps(base, separators=(",", ":"))
    yield "base", row["base"].replace("]", " " * rng.randint(1, 9) + "]")
    yield "differs", " " + row["differs"]
    if len(base) > 1:
        yield "base", json.dumps(base[::-1])
        yield "base", json.dumps([*base, base[0]])
    if base:
        yield "base", row["base"].replace('"i', '"\\u0069')


@pytest.mark.parametrize("method", [sf.Grouped(), sf.Nonreciprocal(), sf.Grouped(show="withheld")], ids=str)
def test_a_release_whose_text_was_altered_is_not_read(tmp_path, method):
    release = sf.publish(dense_baskets(3, 12, 5, 0.6), method, sf.KAnonymity(3), seed=1)
    release.save(tmp_path / "out", format="csv")
    assert sf.verify(sf.load_release(tmp_path / "out")).broken == ()
    file, rng = tmp_path / "out" / "data.csv", random.Random(1)
    whole = pl.read_csv(file, infer_schema=False)
    n_edits = 0
    for i, row in enumerate(whole.iter_rows(named=True)):
        for name, text in edits(rng, row):
            if text == row[name]:
                continue
            cells = whole[name].to_list()
            cells[i] = text
            whole.with_columns(pl.Series(name, cells)).write_csv(file)
            with pytest.raises(ReleaseError, match=f"column '{name}'"):
                sf.load_release(tmp_path / "out", check=False)
            n_edits += 1
    assert n_edits > 30


@pytest.mark.parametrize("format", ["parquet", "arrow"])
def test_items_in_another_order_are_refused_in_every_format(tmp_path, format):
    release = sf.publish(dense_baskets(3, 12, 5, 0.6), sf.Grouped(), sf.KAnonymity(3), seed=1)
    release.save(tmp_path / "out", format=format)
    file = tmp_path / "out" / f"data.{format}"
    turned = release.data.frame.with_columns(pl.col("base").list.reverse())
    turned.write_parquet(file) if format == "parquet" else turned.write_ipc(file)
    with pytest.raises(ReleaseError, match="in the order in which the release names them"):
        sf.load_release(tmp_path / "out", check=False)


@pytest.mark.parametrize("items", [123, None, "abc", {"a": 1}, ["a", ["b"]], [1, 2]])
def test_items_that_are_no_list_of_texts_are_refused(items):
    with pytest.raises(DataError, match="names its items in a list of texts"):
        BasketsShape.data_of(pl.DataFrame({"base": [["a"]], "differs": [[]]}), {"baskets": {"items": items}})
