"""Releases that say something else than they are: what is told must fit the data, and a mechanism must be one."""

import copy
import gc
import json
import pickle
from dataclasses import replace
from functools import cache
from weakref import ref

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from recorded_releases import RECIPES
from sfumato.ground.errors import DataError, ParameterError, ReleaseError, SfumatoError
from sfumato.published.shape import shape_of


@cache
def made(name):
    return RECIPES[name]()


def told(name, *, alone=True, method=None, **changes):
    """The release with other things told of it; a change of None leaves the key out."""
    release = made(name)
    public = {key: value for key, value in {**release.public, **changes}.items() if value is not ...}
    owner = None if alone else release.owner
    return replace(release, public=public, owner=owner, method=release.method | (method or {}))


def with_data(release, frame):
    return replace(release, data=sf.Table(frame, release.data.schema))


# -- flipped edges ---------------------------------------------------------------------------------------------------


def graph_told(name="edge perturbation", *, alone=True, method=None, **changes):
    graph = {key: value for key, value in {**made(name).public["graph"], **changes}.items() if value is not ...}
    return told(name, alone=alone, method=method, graph=graph)


def test_flips_leave_more_edges_than_were_published():
    forged = graph_told(mu=0.5, epsilon=0.0, method={"mu": 0.5})
    verdict = sf.verify(forged)
    assert verdict.word == "broken"
    assert "where flips with mu=0.5 leave" in verdict.broken[0]
    graph = made("relabelling").public["graph"]
    assert sf.verify(told("relabelling", graph={**graph, "mu": 0.5, "epsilon": 0.0})).word == "broken"


def test_too_few_pairs_without_an_edge_for_the_flips():
    everybody = sf.Graph.from_edges(*np.triu_indices(40, 1), 40)
    release = sf.publish(everybody, sf.EdgePerturbation(0.2), seed=1)
    assert sf.verify(replace(release, owner=None)).word == "declared"
    full = replace(release, data=everybody, owner=None)
    assert "pairs without an edge" in sf.verify(full).broken[0]


def test_a_graph_that_nothing_was_flipped_in_is_not_declared():
    graph = made("relabelling").public["graph"]
    assert sf.verify(told("relabelling", graph={**graph, "mu": 0})).word == "not decided"
    nothing = sf.publish(made("relabelling").owner.original, sf.EdgePerturbation(0), seed=1)
    assert nothing.verdict.word == "holds"  # every edge was compared
    assert sf.verify(replace(nothing, owner=None)).word == "not decided"


@pytest.mark.parametrize("epsilon", [..., "3.9", [], 0.5, float("nan"), True])
def test_an_epsilon_must_be_told_and_follow(epsilon):
    assert sf.verify(graph_told(epsilon=epsilon)).word == "broken"


@pytest.mark.parametrize("name", ["edge perturbation", "add delete", "k degree", "relabelling"])
@pytest.mark.parametrize("graph", [None, 7, [], "x"])
def test_what_is_told_of_a_graph_must_be_readable(name, graph):
    verdict = sf.verify(told(name, graph=graph))
    assert verdict.word == "broken"
    assert "does not say how the graph was made" in verdict.broken[0]


@pytest.mark.parametrize("key", ["edges_replaced", "k"])
def test_numbers_told_of_a_graph_are_whole(key):
    assert sf.verify(graph_told("add delete", **{key: "5"})).word == "broken"


def test_the_number_of_edges_is_compared_without_a_map():
    original = made("edge perturbation").owner.original
    alone = told("edge perturbation")
    assert sf.verify(alone, original).word == "declared"
    few = sf.Graph.from_edges([0, 1], [1, 2], len(original))
    verdict = sf.verify(alone, few)
    assert verdict.word == "broken"
    assert "makes" in verdict.broken[0]
    other = sf.Graph.from_edges([0, 1], [1, 2], 5)
    assert "the original has 5" in sf.verify(alone, other).broken[0]


# -- noise -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [None, [], {}, 5, "x", {"scale": 1.0}, {"distribution": "uniform", "scale": "1"},
                                   {"distribution": "cauchy", "scale": 0.1}, {"distribution": "uniform", "scale": 0},
                                   {"distribution": "uniform", "scale": -1}])  # fmt: skip
@pytest.mark.parametrize("alone", [True, False])
def test_noise_must_be_told(noise, alone):
    original = None if alone else made("noise").owner.original
    assert sf.verify(told("noise", alone=alone, noise=noise), original).word == "broken"


@pytest.mark.parametrize(
    ("distribution", "scale"), [("uniform", 1e9), ("uniform", 0.2), ("uniform", 0.05), ("normal", 1e9), ("normal", 0.2),
                                ("normal", 0.02)]
)  # fmt: skip
def test_the_original_contradicts_other_noise(distribution, scale):
    original = made("noise").owner.original
    release = told("noise", alone=False, noise={"distribution": distribution, "scale": scale})
    assert sf.verify(release, original).word == "broken"
    true = told("noise", alone=False)
    assert sf.verify(true, original).word == "declared"
    assert "values moved as the noise" in sf.verify(true, original).found[0]


@pytest.mark.parametrize("distribution", ["uniform", "normal"])
@pytest.mark.parametrize("scale", [0.001, 0.02, 0.3, 4.0])
def test_true_noise_is_never_contradicted(distribution, scale):
    table = made("noise").owner.original
    for seed in range(20):
        release = sf.publish(table, sf.AdditiveNoise(scale=scale, distribution=distribution), seed=seed)
        assert sf.verify(release, table).word == "declared"


def test_values_that_did_not_move_have_no_noise():
    release, original = made("noise"), made("noise").owner.original
    raw = original.frame[release.owner.rows].select(release.data.columns)
    assert sf.verify(with_data(release, raw), original).word == "broken"
    assert sf.verify(with_data(replace(release, owner=None), raw), original).word == "broken"
    one = raw.with_columns(pl.when(pl.int_range(pl.len()) == 0).then(pl.col("age") + 1).otherwise("age").alias("age"))
    assert sf.verify(with_data(release, one), original).word == "broken"


def test_text_has_no_noise():
    release = made("pram")
    forms = dict.fromkeys(release.schema.quasi, "substitute")
    noise = {"distribution": "uniform", "scale": 0.1}
    public = {key: value for key, value in release.public.items() if key != "pram"} | {"forms": forms, "noise": noise}
    for original in (None, release.owner.original):
        verdict = sf.verify(replace(release, public=public), original)
        assert verdict.word == "broken"
    assert "holds no numbers" in str(verdict)


@pytest.mark.parametrize("name", ["blocks", "properties", "linkage"])
def test_noise_has_no_tables_beside_it(name):
    release = made("noise")
    forged = replace(release, files={name: pl.DataFrame({"block": [0] * 60})}, owner=None)
    assert f"the table {name!r} is published" in str(sf.verify(forged))


# -- changed and drawn values ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("change", ["pram", "coding", "swapping", "rotation", "uncertain"])
def test_a_change_of_no_column_is_none(change):
    release = made("mondrian k")
    raw = release.owner.original.frame[release.owner.rows].select(release.data.columns)
    forged = with_data(
        replace(release, promise=None, public={**release.public, "forms": {}, change: {"columns": {}}}), raw
    )
    for each, original in ((replace(forged, owner=None), None), (forged, release.owner.original)):
        verdict = sf.verify(each, original)
        assert verdict.word == "broken"
        assert "no column was changed" in str(verdict)


def test_matrices_that_change_nothing_are_refused():
    pram = made("pram").public["pram"]
    still = {
        name: {**said, "matrix": np.eye(len(said["categories"])).tolist()} for name, said in pram["columns"].items()
    }
    verdict = sf.verify(told("pram", pram={**pram, "columns": still, "invariant": True}))
    assert verdict.word == "broken"
    assert "changes nothing" in verdict.broken[0]


def test_records_that_nothing_tells_apart_are_declared_where_values_were_drawn():
    release = made("pattern blocks")
    assert release.verdict.word == "declared"  # that they were drawn alike within a block cannot be proved
    assert release.verdict.found[0].startswith("smallest block")
    assert sf.verify(release, promise=sf.Exchangeable(50)).word == "broken"
    classes = sf.publish(release.owner.original, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    assert sf.verify(classes, promise=sf.Exchangeable(5)).word == "holds"  # records of a class look the same


def test_a_loss_of_drawn_values_is_not_decided():
    for name in ("pram", "noise", "rank swapping"):
        release = made(name)
        assert sf.verify(release, release.owner.original, promise=sf.AccuracyBound(0.5)).word == "not decided"


# -- what every release tells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("register_text", ["x", [], None, {}, -1, 1.5, True])
@pytest.mark.parametrize("key", ["withheld_rows", "suppressed_rows"])
def test_withheld_rows_are_told_in_numbers(key, register_text):
    original = made("mondrian k").owner.original
    assert sf.verify(told("mondrian k", **{key: register_text})).word == "broken"
    assert sf.verify(told("mondrian k", alone=False, **{key: register_text}), original).word == "broken"


@pytest.mark.parametrize("forms", [None, [], 7, "x"])
@pytest.mark.parametrize("name", ["mondrian k", "hilbert permutation", "republishing first"])
def test_forms_are_told_by_column(name, forms):
    assert sf.verify(told(name, forms=forms)).word == "broken"


@pytest.mark.parametrize("name", ["mondrian k", "cahd", "noise"])
@pytest.mark.parametrize("register_text", [None, 7, {}, "x"])
def test_data_must_be_of_the_kind_that_is_told(name, register_text):
    with pytest.raises(DataError, match="says that it is of a graph, and its data are"):
        sf.verify(told(name, graph=register_text))
    with pytest.raises(DataError, match="its data are PublishedBaskets"):
        sf.verify(told("cahd", baskets=...))


@pytest.mark.parametrize("name", ["cahd", "edge perturbation"])
def test_only_tables_have_a_schema(name):
    with pytest.raises(ParameterError, match="has no schema"):
        _ = made(name).schema


def test_a_shape_belongs_to_one_release():
    release = replace(made("mondrian k"))
    shape = shape_of(release)
    assert shape_of(release) is shape
    assert shape_of(copy.copy(release)).release is not release
    assert shape_of(replace(release)) is not shape
    assert shape_of(pickle.loads(pickle.dumps(release))).schema.quasi == shape.schema.quasi


def test_a_release_is_freed_when_it_is_gone():
    """No cycle of references keeps its tables until the collector comes by."""
    release = sf.publish(made("mondrian k").owner.original, sf.Mondrian(), sf.KAnonymity(5))
    sf.verify(release)
    assert release.schema is release.schema
    seen = ref(release)
    gc.disable()
    try:
        del release
        assert seen() is None
    finally:
        gc.enable()


KEYS = ("graph", "baskets", "target", "condensed", "republication", "permutation", "swapping", "pram", "coding",
        "rotation", "uncertain", "noise", "forms", "schema")  # fmt: skip


@pytest.mark.parametrize("name", ["mondrian k", "anatomy", "target uniform", "republishing first", "condensation",
                                  "rank swapping", "noise", "cahd", "k degree"])  # fmt: skip
@pytest.mark.parametrize("key", KEYS)
def test_a_key_too_many_or_too_few_never_makes_a_release_hold(name, key):
    """Nothing that is added to what is told, or left out, turns into a proof; and nobody sees a traceback."""
    release = made(name)
    before = sf.verify(replace(release, owner=None)).word
    for value in (..., None, 7, [], {}, {"columns": {}}, "x"):
        if value is ... and key not in release.public:
            continue
        try:
            word = sf.verify(told(name, **{key: value})).word
        except SfumatoError:
            continue
        assert word != "declared" or before == "declared"
        if word == "holds":
            assert before == "holds"


@pytest.mark.parametrize("method", [None, [], "Mondrian", 7])
def test_a_certificate_names_its_method(tmp_path, method):
    made("edge perturbation").save(tmp_path / "out", report=False)
    certificate = json.loads((tmp_path / "out" / "release.json").read_text())
    (tmp_path / "out" / "release.json").write_text(json.dumps({**certificate, "method": method}))
    with pytest.raises(ReleaseError, match="does not say which method was used"):
        sf.load_release(tmp_path / "out")
