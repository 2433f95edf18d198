"""The commands on sets of items: from a file to a verified release, and back."""

import json

import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.ground.errors import RecipeError
from sfumato.recipe import read_recipe
from support.goods import GOODS, LONG, write_goods


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_goods(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_way_from_a_fimi_file_to_a_verified_release(folder, capsys):
    assert run(["inspect", "goods.dat"]) == 0
    said = capsys.readouterr().out
    assert "90 records, 8 items" in said
    assert "sfumato publish goods.dat --k 10 -o out" in said
    assert not (folder / "schema.toml").exists()
    assert run(["publish", "goods.dat", "--k", "4", "-o", "out"]) == 0
    said = capsys.readouterr().out
    assert "Published 90 of 90 records with Grouped: KAnonymity(k=4)" in said
    assert "report: out/report.html" in said
    assert run(["verify", "out"]) == 0
    assert "KAnonymity(k=4) holds" in capsys.readouterr().out
    assert run(["publish", "goods.dat", "--method", "Nonreciprocal", "--k", "4", "-o", "ring"]) == 0
    capsys.readouterr()
    assert run(["verify", "ring"]) == 1
    assert "KAnonymity(k=4) is NOT decided" in capsys.readouterr().out
    assert run(["verify", "ring", "--original", "goods.dat"]) == 0
    assert "KAnonymity(k=4) holds" in capsys.readouterr().out
    assert run(["verify", "out", "--original", "goods.dat"]) == 0
    assert "KAnonymity(k=4) holds" in capsys.readouterr().out
    assert run(["verify", "out", "--original", "goods.dat", "--k", "5"]) == 1
    capsys.readouterr()
    assert run(["measure", "out", "goods.dat", "--json"]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["values"]["error_rate"] < 2
    assert run(["measure", "out"]) == 0


def test_long_tables_and_labels(folder, capsys):
    assert run(["inspect", "goods.csv", *LONG, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["most_diverse"] == 6
    assert run(["publish", "goods.csv", *LONG, "--l", "3", "-o", "out", "--format", "csv"]) == 0
    assert "at least 3 different labels" in capsys.readouterr().out
    assert run(["verify", "out", "--original", "goods.csv", *LONG]) == 0
    published = pl.read_csv(folder / "out" / "data.csv")
    assert set(json.loads(published["base"][0])) <= set(GOODS)
    assert run(["publish", "goods.dat", "--labels", "labels.txt", "--method", "CAHD", "--l", "2", "-o", "cahd"]) == 0
    capsys.readouterr()
    assert run(["verify", "cahd"]) == 0
    assert "LDiversity(2) holds" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["publish", "goods.dat", "-o", "out"], "no promise is asked for"),
        (["publish", "goods.dat", "--k", "4", "--schema", "s.toml", "-o", "out"], "sets of items have no schema"),
        (["publish", "goods.dat", "--k", "4", "--method", "Mondrian", "-o", "out"], "Mondrian publishes Table"),
        (["publish", "goods.dat", "--k", "400", "-o", "out"], "the best is k=90"),
        (["publish", "goods.dat", "--l", "2", "-o", "out"], "the baskets have no labels"),
        (["publish", "goods.dat", "--t", "0.2", "-o", "out"], "Grouped keeps KAnonymity and LDiversity"),
        (["publish", "goods.dat", "--m", "2", "-o", "out"], "give --k too"),
        (["publish", "goods.dat", "--k", "3", "--population", "goods.csv", "-o", "out"], "--population is for tables"),
        (["publish", "goods.csv", "--k", "3", *LONG[:2], "-o", "out"], "record"),
        (["inspect", "goods.dat", "-o", "s.toml"], "sets of items have no schema"),
    ],
)
def test_bad_input_is_one_sentence(folder, capsys, arguments, message):
    assert run(arguments) == 2
    said = capsys.readouterr().err
    assert message in said
    assert "Traceback" not in said
    assert not (folder / "out").exists()


RECIPE = """
seed = 3

[input]
path = "goods.csv"
record = "customer"
item = "good"
label = "why"

[method]
name = "Nonreciprocal"

[[promise]]
name = "LDiversity"
l = 3

[output]
folder = "out"
"""


def test_a_recipe(folder, capsys):
    (folder / "r.toml").write_text(RECIPE)
    assert run(["publish", "r.toml"]) == 0
    release = sf.load_release(folder / "out")
    assert release.promise == sf.LDiversity(3)
    assert sf.verify(release, read_recipe(folder / "r.toml").data())
    fimi = RECIPE.replace("goods.csv", "goods.dat").replace('record = "customer"\nitem = "good"\nlabel = "why"', "")
    (folder / "f.toml").write_text(fimi.replace("[method]", 'labels = "labels.txt"\n\n[method]'))
    assert read_recipe(folder / "f.toml").data().labels is not None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[method]", '[schema]\nrest = "plain"\n\n[method]', "sets of items have no schema"),
        ('label = "why"', 'label = "why"\nquery = "SELECT 1"', "input.query is for tables"),
        ('"Nonreciprocal"', '"Mondrian"', "input.record is for sets of items, and the data are tables"),
        ('label = "why"', 'label = "why"\nbaskets = "wide"', "input.baskets: input should be"),
    ],
)
def test_mistakes_in_a_recipe_of_sets(folder, old, new, message):
    (folder / "r.toml").write_text(RECIPE.replace(old, new, 1))
    with pytest.raises(RecipeError, match=message):
        read_recipe(folder / "r.toml")


def test_asking_and_attacking(folder, capsys):
    assert run(["publish", "goods.csv", *LONG, "--k", "4", "-o", "out"]) == 0
    capsys.readouterr()
    assert (
        run(["ask", "out", "SELECT COUNT(*) FROM release WHERE milk AND NOT tea AND label = 'reason 1'", "--json"]) == 0
    )
    said = json.loads(capsys.readouterr().out)
    baskets = sf.read_baskets("goods.csv", record="customer", item="good", label="why")
    truth = sum(
        "milk" in record and "tea" not in record and label == "reason 1"
        for record, label in zip(baskets, baskets.labels.to_list(), strict=True)
    )
    assert said["low"] <= truth <= said["high"]
    assert run(["ask", "out", "--views", "duckdb"]) == 2
    assert "only a release of a table can be asked in a database" in capsys.readouterr().err
    assert run(["ask", "out", "SELECT COUNT(*) FROM release", "--sql", "duckdb"]) == 2
    assert "no single statement of SQL" in capsys.readouterr().err
    assert run(["ask", "out", "SELECT COUNT(*) FROM release WHERE mlik"]) == 2
    assert "did you mean 'milk'" in capsys.readouterr().err
    attack = ["attack", "out", "goods.csv", *LONG, "--param", "items=2", "--param", "kind=both", "--param", "people=40"]
    assert run([*attack, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["found"]
    assert found["found"]["value"] < found["found_before"]["value"]
    assert run(attack) == 0
    assert "without the release" in capsys.readouterr().out
    assert run(["attack", "out", "goods.csv", *LONG, "--attack", "Telepathy"]) == 2
    assert "no attack is called 'Telepathy'" in capsys.readouterr().err
    assert run(["attack", "out", "goods.csv", *LONG, "--param", "kind=half"]) == 2
    assert "kind must be one of present, absent, both, all" in capsys.readouterr().err


def test_items_known_to_few_are_withheld(folder, capsys):
    assert run(["publish", "goods.dat", "--k", "12", "--m", "2", "-o", "km"]) == 0
    assert "every set of up to 2 items that a record holds is held by" in capsys.readouterr().out
    assert run(["verify", "km"]) == 0
    assert "KMAnonymity(k=12, m=2) holds" in capsys.readouterr().out
    assert run(["verify", "km", "--original", "goods.dat"]) == 0
    assert "each against its own original" in capsys.readouterr().out
    assert run(["verify", "km", "--k", "91", "--m", "1"]) == 1
    capsys.readouterr()
    assert run(["measure", "km", "goods.dat"]) == 0
    assert "item_loss" in capsys.readouterr().out
    (folder / "tree.csv").write_text("".join(f"{i};{'low' if i < 4 else 'high'};*\n" for i in range(8)))
    recipe = RECIPE.replace("goods.csv", "goods.dat").replace('record = "customer"\nitem = "good"\nlabel = "why"', "")
    recipe = recipe.replace('"Nonreciprocal"', '"Apriori"\nhierarchy = "tree.csv"')
    (folder / "k.toml").write_text(recipe.replace('name = "LDiversity"\nl = 3', 'name = "KMAnonymity"\nk = 60\nm = 2'))
    assert run(["publish", "k.toml"]) == 0
    shown = set(sf.load_release(folder / "out").data.items)
    assert shown & {"low", "high"}
    page = (folder / "out" / "report.html").read_text()
    assert "60^2-anonymity" in page
    assert "tree.csv" not in page
    assert "tree.csv" not in (folder / "out" / "release.json").read_text()
