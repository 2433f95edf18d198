"""Recipes: read whole, and every mistake named."""

import datetime as dt

import pytest

from sfumato.cli import run
from sfumato.data.baskets import Baskets
from sfumato.data.table import Table
from sfumato.datasets import hospital
from sfumato.ground.errors import (
    RecipeError,
)
from sfumato.privacy.k_anonymity import KAnonymity
from sfumato.privacy.l_diversity import LDiversity
from sfumato.recipe import read_recipe
from sfumato.release.bundle import load_release
from sfumato.tables.grouping.mondrian import Mondrian
from sfumato.verbs.publish import publish

GOOD = """
seed = 5

[input]
path = "patients.csv"
schema = "schema.toml"
missing = ["", "?"]

[method]
name = "mondrian"
strict = false

[[promise]]
name = "KAnonymity"
k = 5

[[promise]]
name = "LDiversity"
l = 2

[output]
folder = "out"
format = "csv"
"""


@pytest.fixture
def folder(tmp_path):
    table = hospital(200)
    table.frame.write_csv(tmp_path / "patients.csv")
    (tmp_path / "schema.toml").write_text(table.schema.to_toml())
    return tmp_path


def test_a_recipe_says_everything(folder):
    (folder / "r.toml").write_text(GOOD)
    recipe = read_recipe(folder / "r.toml")
    assert recipe.method == Mondrian(strict=False)
    assert recipe.promise == KAnonymity(5) & LDiversity(2)
    assert recipe.folder == folder / "out"
    assert recipe.save == {"format": "csv", "report": True, "overwrite": False}
    assert recipe.seed == 5
    assert len(recipe.data()) == 200


def test_a_recipe_says_what_stands_at_the_head_of_the_report(folder):
    said = (
        '\n[report]\ntitle = "Patients"\ndate = 2024-12-31\nattack = true\n'
        'decided = [{ what = "k = 5", who = "the board", why = "open data" }]\n'
    )
    (folder / "r.toml").write_text(GOOD + said)
    save = read_recipe(folder / "r.toml").save
    assert save["attack"] is True
    assert save["about"] == {
        "title": "Patients", "date": dt.date(2024, 12, 31),
        "decided": [{"what": "k = 5", "who": "the board", "why": "open data"}],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ('titel = "x"', r"report has no key 'titel'; did you mean 'title'\?"),
        ("title = 5", "report.title must be a text, got 5"),
        ('date = "yesterday"', "report.date must be a date such as 2024-12-31, got 'yesterday'"),
        ('decided = [{ who = "I" }]', r"report.decided\[1\] does not say what was decided; add what"),
        ('decided = "k"', "report.decided must list what was decided"),
        ('attack = "yes"', "report.attack must be true or false, got 'yes'"),
    ],
)
def test_mistakes_in_what_is_said_of_the_report(folder, said, message):
    (folder / "r.toml").write_text(f"{GOOD}\n[report]\n{said}\n")
    with pytest.raises(RecipeError, match=message):
        read_recipe(folder / "r.toml")


def test_the_schema_may_stand_in_the_recipe(folder):
    text = GOOD.replace('schema = "schema.toml"\n', "") + '\n[schema.columns.age]\nrole = "quasi"\n'
    (folder / "r.toml").write_text(text)
    assert read_recipe(folder / "r.toml").data().schema.quasi == ["age"]
    (folder / "r.toml").write_text(
        text.replace("[schema.columns", "[schema]\nrows_are_persons = true\n\n[schema.columns")
    )
    assert read_recipe(folder / "r.toml").data().schema.rows_are_persons


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('path = "patients.csv"', "", "input: give either path or uri"),
        ("[input]", "[imput]", "input is missing; imput is no known key"),
        ('name = "mondrian"', 'name = "mondriaan"', "no method is called 'mondriaan'; did you mean 'Mondrian'"),
        ("strict = false", "strikt = false", "Mondrian has no parameter 'strikt'; did you mean 'strict'"),
        ("k = 5", "k = 0", "k must be a whole number >= 1, got 0"),
        ("k = 5", 'k = "5"', "k must be a whole number >= 1, got '5'"),
        (
            'format = "csv"',
            'format = "xlsx"',
            r"output.format: input should be 'auto', 'parquet', 'csv' or 'arrow', got 'xlsx'",
        ),
        ('schema = "schema.toml"', 'schema = "nowhere.toml"', "nowhere.toml' does not exist"),
        ('schema = "schema.toml"', "", "give the schema once"),
        ("seed = 5", "seed = ", "is not TOML"),
    ],
)
def test_mistakes_in_a_recipe(folder, old, new, message):
    (folder / "r.toml").write_text(GOOD.replace(old, new, 1))
    with pytest.raises(RecipeError, match=message):
        read_recipe(folder / "r.toml")


METHOD = '[method]\nname = "mondrian"\nstrict = false\n'


def test_without_a_method_it_is_the_default_one(folder, capsys):
    (folder / "r.toml").write_text(GOOD.replace(METHOD, ""))
    recipe = read_recipe(folder / "r.toml")
    assert recipe.method is None
    assert recipe.takes is Table
    data = recipe.data()
    wanted = publish(data, None, recipe.promise, seed=5)
    assert run(["publish", str(folder / "r.toml")]) == 0
    assert f"200 of 200 rows with {wanted.method['name']}: KAnonymity(k=5) & LDiversity(2)" in capsys.readouterr().out
    assert load_release(folder / "out").data.frame.equals(wanted.data.frame)


def test_neither_a_method_nor_a_promise(folder):
    nothing = GOOD.replace(METHOD, "").split("[[promise]]")[0]
    for text in (nothing, f"promise = []\n{nothing}"):
        (folder / "r.toml").write_text(text)
        with pytest.raises(RecipeError, match="neither a method nor a promise is there; add a promise, as in"):
            read_recipe(folder / "r.toml")
    (folder / "r.toml").write_text(GOOD.replace(METHOD, "").replace("seed = 5", 'method = "mondrian"'))
    with pytest.raises(RecipeError, match="method must be a table, got 'mondrian'"):
        read_recipe(folder / "r.toml")


def test_what_the_data_are_is_seen_without_a_method(folder, capsys):
    (folder / "b.dat").write_text("1 2 3\n2 3\n1 2\n1\n" * 5)
    (folder / "e.csv").write_text("von;nach\n1;2\n2;3\n3;1\n")
    promise = '\n[promise]\nname = "KAnonymity"\nk = 2\n[output]\nfolder = "out"\n'
    (folder / "b.toml").write_text(f'[input]\npath = "b.dat"\n{promise}')
    assert read_recipe(folder / "b.toml").takes is Baskets
    assert run(["publish", str(folder / "b.toml")]) == 0
    assert "with Grouped" in capsys.readouterr().out
    for more in ("", 'direction = "any"\n'):
        (folder / "e.toml").write_text(f'[input]\npath = "e.csv"\n{more}{promise}')
        assert read_recipe(folder / "e.toml").data().n_edges == 3
    assert run(["publish", str(folder / "e.toml"), "-o", str(folder / "other")]) == 2
    assert "KAnonymity(k=2) is not for graphs; name a method" in capsys.readouterr().err


def test_all_mistakes_are_named_at_once(folder):
    text = GOOD.replace("k = 5", "k = 0").replace("mondrian", "mandrian").replace("schema.toml", "no.toml")
    (folder / "r.toml").write_text(text)
    with pytest.raises(RecipeError, match=r"(?s)no\.toml.*mandrian.*k must be"):
        read_recipe(folder / "r.toml")
    (folder / "r.toml").write_text(text.replace('format = "csv"', 'format = "xlsx"').replace("k = 0", ""))
    with pytest.raises(RecipeError, match=r"(?s)output.format.*mandrian.*KAnonymity needs k"):
        read_recipe(folder / "r.toml")
    with pytest.raises(RecipeError, match="does not exist; check its path"):
        read_recipe(folder / "none.toml")


def test_a_recipe_says_what_is_wrong_with_its_population(tmp_path):
    (tmp_path / "recipe.toml").write_text(
        '[input]\npath = "data.csv"\n[schema.columns.age]\nrole = "quasi"\n[method]\nname = "Mondrian"\n'
        '[promise]\nname = "KMap"\nk = 3\npopulation = "nobody.csv"\n'
    )
    with pytest.raises(RecipeError, match=r"nobody.csv"):
        read_recipe(tmp_path / "recipe.toml")
