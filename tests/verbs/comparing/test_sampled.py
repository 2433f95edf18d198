"""A comparison on samples: what is told for the whole, what for a sample alone, and that it goes on where it was."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest

import sfumato as sf
from sfumato.errors import ParameterError
from sfumato.ground.progress import Progress
from sfumato.ground.randomness import Randomness
from sfumato.release.fingerprint import content_digest
from sfumato.verbs.comparing.extrapolation import CONFIDENCE
from sfumato.verbs.comparing.frontier import Frontier
from sfumato.verbs.comparing.plan import planned
from sfumato.verbs.comparing.point import Point
from sfumato.verbs.comparing.processes import try_all
from sfumato.verbs.comparing.sampled import sampling_of
from sfumato.verbs.comparing.samples import FEWEST_CLASSES

RANDOM = Randomness(1)
TABLE = sf.Table(
    pl.DataFrame({
        "age": (18 + 70 * RANDOM.uniform(2400)).astype(int), "place": (300 * RANDOM.uniform(2400) ** 2).astype(int),
        "sex": pl.Series(["f", "m"]).gather(RANDOM.integers(2, size=2400)),
    }),
    sf.Schema(quasi=["age", "place", "sex"]),
)  # fmt: skip
METHODS = ["Mondrian", "Hilbert", "BestFirst", sf.PRAM(0.9)]
KS = [sf.KAnonymity(4), sf.KAnonymity(6)]


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    return tmp_path_factory.mktemp("kept") / "choice"


@pytest.fixture(scope="module")
def found(kept):
    return sf.compare(TABLE, METHODS, KS, sample=600, seed=7, n_queries=20, folder=kept)


def test_every_point_is_tried_on_three_samples(found):
    assert found.samples == (600, 300, 150)
    assert {point.came for point in found.points} == {"done"}
    for point in found.points:
        assert [sample.n_rows for sample in point.samples] == [600, 300, 150]
        assert point.samples[0].figures == point.figures
        assert point.digest == ""
    sampling = sampling_of(TABLE, 600, found.seed)
    release = sf.publish(sampling.rows.rows(slice(0, 300)), sf.Mondrian(), KS[0], seed=found.seed)
    assert found.points[0].samples[1].figures["gcp"] == sf.measure(release, n_queries=0)["gcp"]


def test_the_whole_is_within_the_intervals_as_often_as_is_told(found):
    held = []
    for point in found.points[:4]:
        figures = sf.measure(found.release(point), TABLE, n_queries=0)
        assert figures["gcp"] < 0.85 * point.figures["gcp"]  # a sample tells too much
        held += [point.estimates[name].low <= figures[name] <= point.estimates[name].high for name in point.estimates
                 if name in figures]  # fmt: skip
        told = found.estimate(point, "identification")
        assert told == point.estimates["prosecutor_average"]
        assert found.value(point, "gcp") == point.estimates["gcp"].value
        assert found.value(point, "query_error_mean") == point.figures["query_error_mean"]  # of the sample
    assert sum(held) / len(held) >= CONFIDENCE


def test_a_point_is_published_on_the_whole_table(found):
    release = found.release(found.best)
    assert len(release.data.frame) == len(TABLE)
    assert content_digest(release.data.frame) == content_digest(
        sf.publish(TABLE, found.best.method, found.best.promise, seed=7).data.frame
    )
    assert "--sample" not in found.best.command()


def test_what_moves_in_steps_is_told_for_a_sample_and_held_against_nobody(found):
    stepping = [point for point in found.points if point.label == "BestFirst"]
    assert all(set(point.estimates) == {"promised_risk"} for point in stepping)
    assert not {id(point) for point in found.front()} & {id(point) for point in stepping}
    assert all(found.places(point) is None for point in stepping)
    said = " ".join(found.said())
    assert "Known for a sample alone, and not held against the others: BestFirst; compare them with sample=2400" in said
    assert re.search(r"BestFirst .* 0\.\d{4} on the sample  0\.\d{4} on the sample", str(found))
    by_steps = found.front(risk="promised_risk", utility="query_error_mean")  # all are of a sample, and so comparable
    assert len(found.comparable(risk="promised_risk", utility="query_error_mean")) == 6
    assert by_steps


def test_it_is_said_how_much_is_known(found):
    said = found.said()
    number = r"0\.\d{4}"
    assert re.match(
        rf"Take \S+ with KAnonymity\(k=\d+\): global certainty penalty about {number} \({number} to {number}\), chance "
        rf"that a person is found about {number} \({number} to {number}\), holds on the sample\.",
        said[0],
    )
    assert "at most about" in said[1]
    assert any("extrapolated to 2,400 rows from samples of 600, 300 and 150; an interval is made" in s for s in said)
    assert any("Under the same promise" in each for each in said)
    frame = found.to_polars()
    assert {"gcp_estimate", "gcp_low", "gcp_high", "identification_low", "first_place"} <= set(frame.columns)
    told = frame.filter(pl.col("gcp_low").is_not_null())
    assert told.height == 4
    assert (told["gcp_low"] < told["gcp_estimate"]).all()
    assert (told["gcp_estimate"] < told["gcp_high"]).all()
    plain = json.loads(json.dumps(found.to_dict()))
    assert plain["samples"] == [600, 300, 150]
    assert set(plain["points"][0]["estimates"]["gcp"]) == {"value", "low", "high"}
    assert plain["points"][0]["places"][0] >= 1


def test_the_page_and_the_picture_show_intervals(found, tmp_path):
    page = found.save(tmp_path / "compare.html").read_text()
    assert "points were tried on samples of 600, 300 and 150 of its rows" in page
    assert "on the sample</td>" in page
    assert re.search(r"about 0\.\d{4} \(0\.\d{4} to 0\.\d{4}\)</td>", page)
    marks = [layer["mark"]["type"] for layer in found.plot().to_dict()["layer"]]
    assert marks.count("rule") == 2


@pytest.mark.slow
def test_it_goes_on_where_it_was_and_other_samples_are_others(found, kept):
    lines = (kept / "points.jsonl").read_text().splitlines()
    assert len(lines) == 1 + 3 * 7
    (kept / "points.jsonl").write_text("\n".join(lines[:9]) + "\n" + lines[9][:40])
    again = sf.compare(TABLE, METHODS, KS, sample=600, n_queries=20, folder=kept)
    assert [point.estimates for point in again.points] == [point.estimates for point in found.points]
    assert again.said() == found.said()
    seen = []
    bar = Progress(3, shown=False, watch=lambda name, share: seen.append(name))
    larger = sf.compare(
        TABLE, ["Mondrian"], KS[:1], sample=1200, n_queries=20, folder=kept, progress=bar, utility="ncp"
    )
    assert larger.points[0].samples[1:] == found.points[0].samples[:2]  # the same rows
    assert seen.count("kept from before") == 2
    assert len([name for name in seen if name.startswith("Mondrian, KAnonymity(k=4) on 1,200 rows")]) == 1
    keys = [json.loads(line).get("key") for line in (kept / "points.jsonl").read_text().splitlines() if line[-1] == "}"]
    for n in (1200, 600, 300, 150):
        assert any(key and key.startswith(f"Mondrian KAnonymity(k=4) on {n} rows ") for key in keys)
    assert all(" rows " in key for key in keys if key)  # without, it would be the whole table


@pytest.mark.slow
def test_a_promise_that_no_sample_can_keep_is_refused_with_the_reason():
    frame = TABLE.frame.with_columns(pl.Series("diagnosis", ["gout"] * 10 + ["flu"] * 2390))
    table = sf.Table(frame, sf.Schema(quasi=["age", "sex"], sensitive=["diagnosis"]))
    found = sf.compare(table, ["Mondrian"], [sf.LDiversity(2)], sample=800, seed=1, n_queries=0)
    assert found.points[0].came == "refused"
    assert found.points[0].why.startswith("on a sample of 800 rows: ")
    assert found.front() == []
    assert "No point has a release" in found.said()[0]


def test_without_a_release_of_a_smaller_sample_nothing_is_extrapolated():
    sampling = sampling_of(TABLE, 600, b"1")
    point = Point(method=sf.Mondrian(), promise=KS[0])
    tries = sampling.tries([point])
    assert [each.n_rows for each in tries] == [600, 300, 150]
    figures = {"gcp": 0.1, "prosecutor_average": 0.15}
    found = {each.key: Point(method=each.method, promise=each.promise, came="done", figures=figures, n_rows=each.n_rows)
             for each in tries[:2]}  # fmt: skip
    whole = sampling.together(point, found)
    assert (whole.came, whole.estimates, whole.why) == ("done", {}, "on 150 rows not tried")
    assert not sampling.moot(tries[2], found)
    assert sampling.together(point, {}).came == "not tried"
    late = {
        tries[0].key: Point(method=point.method, promise=KS[0], came="too slow", why="not done after 1 s", n_rows=600)
    }
    assert sampling.moot(tries[2], late)
    assert sampling.together(point, late).why == "on a sample of 600 rows: not done after 1 s"
    refused = Point(method=sf.MDAV(), promise=sf.LDiversity(2), came="refused", why="it does not")
    assert sampling.tries([refused]) == [refused]
    assert sampling.together(refused, {}) is refused


def test_a_table_unlike_those_measured_is_told_for_a_sample_alone():
    values = [None if n % 3 == 0 else n for n in range(2400)]
    frame = TABLE.frame.with_columns(pl.Series("rent", values), pl.Series("far", [*range(2399), 10**9]))
    for name, message in (("rent", "11% of the cells"), ("far", "the range of column 'far' rests on a few values")):
        table = sf.Table(frame, sf.Schema(quasi=["age", "place", name]))
        sampling = sampling_of(table, 600, b"1")
        point = Point(method=sf.Mondrian(), promise=KS[0])
        figures = {"gcp": 0.1, "prosecutor_average": 0.15, "promised_risk": 0.25}
        found = {each.key: replace(each, came="done", figures=figures) for each in sampling.tries([point])}
        whole = sampling.together(point, found)
        assert set(whole.estimates) == {"promised_risk"}  # the same for any number of rows
        compared = Frontier(
            points=(whole,), risk="identification", utility="gcp", data=table, seed=b"1", samples=sampling.sizes
        )
        said = " ".join(compared.said())
        assert f"No figure is extrapolated: {message}" in said
        assert f"{name!r}" in said
        assert "sample=2400 compares all rows." in said
        assert "global certainty penalty 0.1000 on the sample" in said


def test_what_is_moot_is_told_and_not_tried():
    points = [Point(method=sf.Mondrian(), promise=KS[0], n_rows=n) for n in (1000, 500)]
    told = []
    try_all(None, points, b"1", n_queries=0, until=None, each=30, tell=told.append, moot=lambda _: True, n_processes=1)
    assert [point.came for point in told] == ["not tried"] * 2


def test_by_default_promises_fit_into_the_smallest_sample_and_others_are_refused():
    points = planned(TABLE.head(205), ["Mondrian"], None, fewest_classes=FEWEST_CLASSES)
    assert [point.promise.k for point in points] == [5, 10]
    with pytest.raises(
        ParameterError, match=r"sample must be 4,000 rows or more for KAnonymity\(k=50\), got 1,200; give"
    ):
        sf.compare(TABLE, ["Mondrian"], [sf.KAnonymity(50)], sample=1200)
    with pytest.raises(ParameterError, match="only tables are compared on samples"):
        sf.compare(sf.Baskets.from_lists([["a", "b"]] * 50), sample=1000)
