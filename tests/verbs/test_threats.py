"""The panel: singling out, linkability, inference."""

import json

import numpy as np
import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.ground.errors import ParameterError, ReleaseError


def hospital(n=150, seed=0):
    rng = np.random.default_rng(seed)
    frame = pl.DataFrame(
        {"id": [f"p{i}" for i in range(n)], "age": rng.integers(20, 80, n), "weight": rng.normal(70, 10, n).round(1),
         "ill": rng.choice(["flu", "cold", "hiv"], n)}
    )  # fmt: skip
    return sf.Table(frame, sf.Schema(identifier=["id"], quasi=["age", "weight"], sensitive=["ill"]))


def test_a_promise_answers_to_its_threat():
    table = hospital()
    panel = sf.threats(sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1), table)
    assert list(panel) == ["singling out", "linkability", "inference"]
    assert panel["singling out"].success.value == 0
    assert panel["linkability"].success.value <= 0.2
    assert type(panel["linkability"].attack).__name__ == "LinkageAttack"
    assert 0 < panel["inference"].success.value < 1
    assert panel["inference"].success.low <= panel["inference"].success.value <= panel["inference"].success.high
    bare = sf.threats(sf.publish(table, sf.Mondrian(), sf.KAnonymity(1), seed=1), table)
    assert bare["singling out"].success.value > 0.9
    assert bare["linkability"].success.value > 0.9
    assert bare["inference"].success.value > 0.9


def test_the_best_attack_is_shown():
    table = sf.Table(hospital().frame.drop("id"), sf.Schema(quasi=["age", "weight"], sensitive=["ill"]))
    release = sf.publish(table, sf.AdditiveNoise(scale=0.02), seed=1)
    panel = sf.threats(release, table)
    tried = [sf.attack(release, sf.DistanceLinkage(by), table)["found"].value
             for by in ("nearest", "rank", "assignment", "rank_assignment")]  # fmt: skip
    assert panel["linkability"].success.value == max(tried)
    turned = sf.threats(sf.publish(table, sf.RotationPerturbation(), seed=1), table)
    assert type(turned["linkability"].attack).__name__ == "KnownSampleAttack"
    assert turned["linkability"].success.value > 0.6  # but for the jitter of whole numbers


def test_an_outside_table_is_what_links_go_to():
    table = hospital()
    outside = sf.Table(table.frame.select("id", "age").head(50), sf.Schema(identifier=["id"], quasi=["age"]))
    panel = sf.threats(sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1), table, outside=outside)
    assert "outside table" in panel["linkability"].sentence
    assert panel["linkability"].success.value < 0.2


def test_without_a_sensitive_column_two_threats_are_left():
    table = sf.Table(hospital().frame.drop("ill"), sf.Schema(identifier=["id"], quasi=["age", "weight"]))
    panel = sf.threats(sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1), table)
    assert list(panel) == ["singling out", "linkability"]
    assert any("inference was not tried" in note for note in panel.notes)


def test_the_command_shows_the_panel(tmp_path, capsys):
    table = hospital()
    table.frame.write_csv(tmp_path / "table.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    table.frame.select("id", "age").write_csv(tmp_path / "register.csv")
    sf.publish(sf.read_table(tmp_path / "table.csv", table.schema), sf.Mondrian(), sf.KAnonymity(5), seed=1).save(
        tmp_path / "out"
    )
    command = ["attack", str(tmp_path / "out"), str(tmp_path / "table.csv"), "--schema", str(tmp_path / "schema.toml")]
    assert run(command) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in ("singling out", "linkability", "inference", "without the release"))
    assert run([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["threats"]["singling out"]["value"] == 0
    assert run([*command, "--param", f"outside={tmp_path / 'register.csv'}"]) == 0
    assert "outside table" in capsys.readouterr().out
    assert run([*command, "--param", "people=5"]) != 0
    assert "name the attack" in capsys.readouterr().err
    named = [*command, "--attack", "LinkageAttack", "--param", f"outside={tmp_path / 'register.csv'}", "--json"]
    assert run(named) == 0
    assert json.loads(capsys.readouterr().out)["attack"]["outside"].endswith("register.csv")


def test_what_it_needs():
    table = hospital(40)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    with pytest.raises(ParameterError, match="takes a Release"):
        sf.threats(table, table)
    with pytest.raises(ParameterError, match="outside must be"):
        sf.threats(release, table, outside="register.csv")
    baskets = sf.Baskets.from_lists([["a"], ["a", "b"], ["b"], ["a"]])
    with pytest.raises(ParameterError, match="releases of tables"):
        sf.threats(sf.publish(baskets, sf.Grouped(), sf.KAnonymity(2), seed=1), table)
    from dataclasses import replace

    with pytest.raises(ReleaseError, match="row map"):
        sf.threats(replace(release, owner=None), table)


@pytest.mark.data
def test_adult_by_threat(data_folder):
    adult = pl.read_csv(data_folder / "relational" / "adult.csv.gz", null_values="?").head(4_000).drop_nulls()
    quasi = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]
    table = sf.Table(adult, sf.Schema(quasi=quasi, sensitive=["occupation"]))
    weak = sf.threats(sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1), table)
    strong = sf.threats(sf.publish(table, sf.Mondrian(), sf.KAnonymity(5) & sf.LDiversity(4), seed=1), table)
    assert weak["singling out"].success.value == strong["singling out"].success.value == 0
    assert weak["linkability"].success.value <= 0.2
    assert strong["inference"].success.value < weak["inference"].success.value
    bound = sf.attack(sf.publish(table, sf.Mondrian(), sf.LDiversity(4), seed=1), sf.HomogeneityAttack(), table)
    assert bound["posterior"].value <= 0.25


def test_the_panel_tells_the_worst_where_classes_overlap():
    ages = sf.Hierarchy.intervals([2, 4], low=0, high=8)
    frame = pl.DataFrame({"age": [1, 1, 5, 5, 0, 0, 2, 6], "d": list("abababab")})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"], hierarchies={"age": ages}))
    release = sf.publish(table, sf.LocalRecoding(), sf.KAnonymity(2), seed=1)
    n_classes = release.data.frame["age"].n_unique()
    assert sf.threats(release, table)["linkability"].success.value >= n_classes / 8


def test_no_further_attack_is_begun_when_the_time_is_over():
    table = hospital(60)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    whole, cut = sf.threats(release, table), sf.threats(release, table, within=1e-9)
    assert list(whole) == ["singling out", "linkability", "inference"]
    assert list(cut) == ["singling out", "linkability"]
    assert cut["linkability"].to_dict() == whole["linkability"].to_dict()
    assert "the time was over before InferenceAttack(learner='bayes')" in cut.notes[-1]
    assert sf.threats(release, table, within=600).to_dict() == whole.to_dict()
    with pytest.raises(ParameterError, match="within must be a number of seconds above 0"):
        sf.threats(release, table, within=0)
