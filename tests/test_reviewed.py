"""Cases that a hostile reader found: each was once certified wrongly, leaked, refused without reason or a traceback."""

import datetime as dt
import json
from dataclasses import replace

import pandas as pd
import polars as pl
import pytest

import sfumato as sf
from sfumato.cli import run
from sfumato.data.hierarchy_rules import Automatic
from sfumato.ground.errors import DataError, InfeasibleError, ParameterError, ReleaseError, SchemaError
from sfumato.privacy.of_population import register_of

QUASI = sf.Schema(quasi=["a", "b"])


def flu(n):
    return pl.DataFrame({"a": ["x"] * n, "d": ["flu"] * (n - 1) + ["cold"]})


# -- what was certified and did not hold -----------------------------------------------------------------------------
@pytest.mark.parametrize("n", [1_000, 3_000, 5_000, 6_000])
@pytest.mark.parametrize(
    "promise",
    [sf.LDiversity(10 / 3), sf.LDiversity(2, kind="recursive", c=1 / 3), sf.LDiversity(2, kind="recursive", c=10 / 3)],
)
def test_long_fractions_do_not_overflow(n, promise):
    assert not sf.verify(flu(n), promise=promise, quasi=["a"], sensitive=["d"])
    with pytest.raises(InfeasibleError):
        sf.publish(sf.Table(flu(n), sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), promise)


def test_algorithm_and_check_agree_on_fractions():
    frame = pl.DataFrame({"a": [0] * 10 + [1] * 10, "s": [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 5, 5, 5, 6, 6, 6, 7, 7, 8, 8]})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"]))
    assert sf.publish(table, sf.Mondrian(), sf.LDiversity(10 / 3)).verdict


def test_nanoseconds_of_a_sensitive_time_count():
    start = 1_700_000_000_000_000_000
    days = pl.Series([start + 123] * 4 + [start + 86_400 * 10**9 * 9 + 456] * 4).cast(pl.Datetime("ns"))
    frame = pl.DataFrame({"a": ["x"] * 4 + ["y"] * 4, "d": days})
    verdict = sf.verify(frame, promise=sf.TCloseness(0.0), quasi=["a"], sensitive=["d"])
    assert not verdict
    assert verdict.reached["TCloseness(0)"] == pytest.approx(0.5)
    close = pl.DataFrame(
        {"a": ["x"] * 4, "d": pl.Series([start, start + 1, start + 2, start + 3]).cast(pl.Datetime("ns"))}
    )
    assert sf.verify(close, promise=sf.LDiversity(4), quasi=["a"], sensitive=["d"])


def test_verify_of_a_release_takes_other_columns():
    frame = pl.DataFrame({"age": [1, 1, 2, 2], "job": list("abcd"), "d": list("xyxy")})
    table = sf.Table(frame, sf.Schema(quasi=["age"], sensitive=["d"], plain=["job"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2))
    assert not sf.verify(release, promise=sf.KAnonymity(2), quasi=["age", "job"])
    with pytest.raises(SchemaError, match="nope"):
        sf.verify(release, promise=sf.LDiversity(2), sensitive=["nope"])
    with pytest.raises(ParameterError, match="named twice"):
        sf.verify(frame, promise=sf.KAnonymity(2), quasi=["age", "age"])


@pytest.mark.parametrize("columns", [(), [], "d", (3,)])
def test_a_promise_about_no_column_is_refused(columns):
    for promise in (sf.LDiversity, sf.TCloseness):
        with pytest.raises(ParameterError, match="columns must name"):
            promise(1, columns=columns)


def test_a_star_is_suppressed_only_where_declared():
    cells = sf.Cells(suppressed=("?",))
    alone = pl.DataFrame({"a": ["*", "x", "x"]})
    assert not sf.verify(alone, promise=sf.KAnonymity(2), quasi=["a"], cells=cells)
    assert sf.verify(alone, promise=sf.KAnonymity(2), quasi=["a"])
    two = pl.DataFrame({"a": ["*", "?", "x", "x"], "c": ["p"] * 4})
    assert not sf.verify(two, promise=sf.KAnonymity(2), quasi=["a", "c"], cells=cells)


@pytest.mark.parametrize("column", ["0.12345678901234567811\n0.12345678901234567822", "1e5\n100000", "1\n1.0"])
def test_cells_of_a_file_are_the_text_they_are(tmp_path, column, capsys):
    (tmp_path / "f.csv").write_text("a\n" + column + "\n")
    assert run(["verify", str(tmp_path / "f.csv"), "--quasi", "a", "--k", "2"]) == 1


def test_a_blank_line_of_a_single_column_is_a_record(tmp_path):
    (tmp_path / "f.csv").write_text("a\nx\n\nx\n")
    assert sf.read_table(tmp_path / "f.csv").frame["a"].to_list() == ["x", None, "x"]
    (tmp_path / "g.csv").write_text("a\nx\n\nx")
    assert sf.read_table(tmp_path / "g.csv").frame["a"].to_list() == ["x", None, "x"]


# -- what leaked -----------------------------------------------------------------------------------------------------
def test_nodes_that_no_cell_shows_are_not_published():
    frame = pl.DataFrame({"job": ["baker", "clerk", "judge", "astronaut"]})
    table = sf.Table(frame, sf.Schema(quasi=["job"], hierarchies={"job": sf.Hierarchy.automatic(frame["job"])}))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(4))
    assert release.data.frame["job"].unique().to_list() == ["*"]
    assert "astronaut" not in json.dumps(release.public)


def test_a_withheld_record_shows_in_no_figure():
    frame = pl.DataFrame({"age": [30, 31, 32, 33, 117], "zip": ["a", "a", "a", "a", None]})
    for hierarchy in (None, Automatic()):
        columns = [
            sf.Column(name="age", role="quasi", hierarchy=hierarchy),
            sf.Column(name="zip", role="quasi", missing="withhold"),
        ]
        release = sf.publish(sf.Table(frame, sf.Schema.of(columns)), sf.Mondrian(), sf.KAnonymity(4))
        assert "117" not in json.dumps(release.public)
        assert "118" not in json.dumps(release.public) + str(release.data.frame.rows())
        assert sf.verify(replace(release, owner=None), sf.Table(frame, sf.Schema.of(columns)))
        lost = sf.measure(release)
        assert lost.by_column["ncp"]["age"] == 1.0  # the four fill their own domain, the fifth is lost
        assert lost["withheld_rows"] == 1


# -- what was lost ---------------------------------------------------------------------------------------------------
def small():
    frame = pl.DataFrame({"a": [1, 1, 2, 2], "d": list("xyxy")})
    return sf.publish(sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["d"])), sf.Mondrian(), sf.KAnonymity(2))


def test_overwrite_replaces_releases_only(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "patients.csv").write_text("a\n1\n")
    with pytest.raises(ReleaseError, match="holds no release"):
        small().save(tmp_path / "data", overwrite=True)
    assert (tmp_path / "data" / "patients.csv").exists()


def test_a_copy_without_owner_leaves_no_stale_map(tmp_path):
    small().save(tmp_path / "out")
    replace(small(), owner=None).save(tmp_path / "out", overwrite=True)
    assert sf.load_release(tmp_path / "out").owner is None


# -- what was refused without reason ---------------------------------------------------------------------------------
@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_times_survive_a_csv(tmp_path, unit, zone):
    moments = (
        pd.to_datetime([f"2024-01-0{i} 10:30" for i in range(1, 9)]).astype(f"datetime64[{unit}]").tz_localize(zone)
    )
    frame = pd.DataFrame({"a": range(8), "s": moments, "p": moments})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"], plain=["p"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2))
    release.save(tmp_path / "kept", format="csv")
    assert sf.verify(sf.load_release(tmp_path / "kept"), original=table)
    quasi = sf.Table(frame[["s"]], sf.Schema(quasi=["s"]))
    sf.publish(quasi, sf.Mondrian(show="means"), sf.KAnonymity(2)).save(tmp_path / "means", format="csv")
    assert sf.verify(sf.load_release(tmp_path / "means"), original=quasi)


def test_modes_of_codes_that_were_read_as_numbers():
    frame = pd.DataFrame({"z": [53715, 53710, None, 2139, 53715, 2139]})
    table = sf.Table(frame, sf.Schema(quasi=["z"], hierarchies={"z": sf.Hierarchy.prefixes(5)}))
    assert sf.publish(table, sf.Mondrian(show="means"), sf.KAnonymity(2)).verdict


def test_two_moments_of_the_night_when_clocks_change():
    utc = pl.Series([dt.datetime(2024, 10, 27, 0, 30), dt.datetime(2024, 10, 27, 1, 30)] * 2).dt.replace_time_zone(
        "UTC"
    )
    table = sf.Table(pl.DataFrame({"a": utc.dt.convert_time_zone("Europe/Rome")}), sf.Schema(quasi=["a"]))
    assert sf.publish(table, sf.Mondrian(), sf.KAnonymity(4)).verdict


def test_a_star_may_be_the_mode():
    frame = pl.DataFrame({"a": ["*", "*", "*", "b", "c", "c"], "n": [1, 1, 1, 2, 2, 2]})
    release = sf.publish(sf.Table(frame, sf.Schema(quasi=["a", "n"])), sf.Mondrian(show="means"), sf.KAnonymity(3))
    assert sf.measure(release)["suppressed_rows"] == 0
    assert sf.measure(release)["gcp"] < 0.5


def test_numbers_too_large_are_named():
    with pytest.raises(DataError, match="beyond 1e\\+150"):
        sf.Table(pl.DataFrame({"a": [-1.7e308, 1.7e308, 0.0]}), sf.Schema(quasi=["a"]))


@pytest.mark.parametrize("values", [[2**53] * 4, [2**62, 2**62 + 1] * 2, [1e-310, 2e-310] * 2, [5.0] * 4])
@pytest.mark.parametrize("role", ["quasi", "sensitive"])
def test_columns_of_one_value_have_a_report(tmp_path, values, role):
    columns = [sf.Column(name="a", role=role), sf.Column(name="b", role="quasi")]
    frame = pl.DataFrame({"a": values, "b": [1, 1, 2, 2]})
    if role == "quasi" and max(values) > 2**53:
        with pytest.raises(DataError, match="whole numbers beyond"):
            sf.Table(frame, sf.Schema.of(columns))
        return
    table = sf.Table(frame, sf.Schema.of(columns))
    assert sf.publish(table, sf.Mondrian(), sf.KAnonymity(2)).save(tmp_path / "out")


def test_nested_and_nameless_columns_are_named():
    with pytest.raises(SchemaError, match="not single values"):
        sf.verify(pl.DataFrame({"a": [[1], [2]]}), promise=sf.KAnonymity(1), quasi=["a"])
    with pytest.raises(DataError, match="empty name"):
        sf.Table(pl.DataFrame({"": [1]}), sf.Schema())


# -- tracebacks of the command line ----------------------------------------------------------------------------------
@pytest.fixture
def data(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p.csv").write_text("a,d\n1,x\n1,y\n2,x\n2,y\n")
    (tmp_path / "s.toml").write_text('[columns.a]\nrole = "quasi"\n[columns.d]\nrole = "sensitive"\n')
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        "inspect p.csv -o no/such/folder/s.toml", "inspect p.csv -o p.csv/x", "inspect p.csv -o . --overwrite",
        "publish p.csv --schema s.toml --k 2 -o " + "x" * 300, "publish p.csv --schema s.toml --l 1e308 -o out",
        "publish p.csv --schema s.toml --l 2 --l-kind recursive --c 1e-320 -o out",
        "publish p.csv --schema s.toml --k 2 -o out --param strict=maybe",
        "publish p.csv --schema s.toml --k 2 -o out --param strict=5",
        "publish p.csv --schema s.toml --k 2 -o out --param name=Hilbert",
        "publish p.csv --schema s.toml --k 2 -o out --method hilbert --param fast=3",
        "verify p.csv --quasi a,a --k 2", "demo p.csv/x",
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence(data, command, capsys):
    before = sorted(path.name for path in data.iterdir())
    assert run(command.split()) == 2
    said = capsys.readouterr().err
    assert said.startswith("sfumato: ")
    assert said.count("\n") == 1
    assert sorted(path.name for path in data.iterdir()) == before


@pytest.mark.parametrize(
    "promise",
    [
        'name = "LDiversity"\nl = 2\ncolumns = 3',
        'name = "LDiversity"\nl = 2\nkind = "recursive"\nc = "x"',
        'name = "All"',
    ],
)
def test_bad_recipes_are_one_sentence(data, promise, capsys):
    recipe = f'[input]\npath = "p.csv"\nschema = "s.toml"\n[method]\nname = "Mondrian"\n[[promise]]\n{promise}\n'
    (data / "r.toml").write_text(recipe)
    assert run(["publish", "r.toml", "-o", "out"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize(
    "hierarchy",
    [
        '{type="intervals",widths=[10],low=9999-01-01,high=9999-12-31}', '{type="prefixes",length=2000000000}',
        '{type="intervals",widths=[1e-12],low=0,high=1000}', '{type="intervals",widths=[true],low=0,high=10}',
    ],
)  # fmt: skip
def test_bad_hierarchies_are_one_sentence(data, hierarchy, capsys):
    (data / "s.toml").write_text(f'[columns.a]\nrole = "quasi"\nhierarchy = {hierarchy}\n')
    assert run(["publish", "p.csv", "--schema", "s.toml", "--k", "2", "-o", "out"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("verb", ["verify", "measure"])
@pytest.mark.parametrize(
    "damage",
    [
        {"files": {}}, {"files": []}, {"files": {"data.parquet": 3}}, {"public": []}, {"public": {"schema": 3}},
        {"promise": 3}, {"promise": {"name": "All", "promises": []}}, {"verdict": {}}, {"verdict": 3}, {"measures": 3},
    ],
)  # fmt: skip
def test_a_damaged_certificate_is_one_sentence(data, verb, damage, capsys):
    small().save(data / "out")
    certificate = json.loads((data / "out" / "release.json").read_text())
    (data / "out" / "release.json").write_text(json.dumps(certificate | damage))
    assert run([verb, "out"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


# -- certificates that somebody edited -------------------------------------------------------------------------------
def densities(n=60):
    frame = pl.DataFrame(
        {"id": range(n), "age": [20 + i * 7 % 61 for i in range(n)], "stay": [1 + i * 5 % 23 for i in range(n)],
         "d": ["flu", "gout"] * (n // 2)}
    )  # fmt: skip
    table = sf.Table(frame, sf.Schema(identifier=["id"], quasi=["age", "stay"], sensitive=["d"]))
    return table, sf.publish(table, sf.UncertainPublication(5), seed=1)


def told(release, **changed):
    return replace(release, public={**release.public, **changed})


def test_a_published_table_of_fits_decides_nothing():
    """Records as they are, and a table that says how many fit each: nobody who reads counted that."""
    table, release = densities()
    fitting = pl.DataFrame({"expected": [9.0] * len(release.data)})
    public = {key: value for key, value in release.public.items() if key != "uncertain"}
    files = {**release.files, "fitting": fitting}
    bare = replace(release, owner=None, public={**public, "forms": {}}, files=files)
    for forged in (replace(release, owner=None, files=files), bare):
        for original in (None, table):
            verdict = sf.verify(forged, original)
            assert not verdict
            assert verdict.undecided == ("ExpectedAnonymity(k=5)",)
            assert not verdict.reached


def test_a_column_as_recorded_leaves_the_fits_of_densities_undecided():
    table, release = densities()
    assert sf.verify(release, table)
    own = table.frame["stay"].gather(release.owner.rows)
    frame = release.data.frame.with_columns(own)
    forged = told(
        replace(
            release, data=sf.Table(frame, release.data.schema),
            files={"densities": release.files["densities"].select("age")},
        ),
        forms={"age": "substitute"}, uncertain={**release.public["uncertain"], "columns": ["age"]},
    )  # fmt: skip
    verdict = sf.verify(forged, table)
    assert not verdict
    assert verdict.undecided == ("ExpectedAnonymity(k=5)",)
    assert not verdict.broken


@pytest.mark.parametrize(
    "uncertain",
    [10**30, None, [], {"a": 1}, {"columns": [[]]}, {"columns": 3}, {"columns": ["age", "stay"]},
     {"columns": ["nope", "stay"], "density": "normal", "table": "densities"}],
)  # fmt: skip
def test_densities_that_cannot_be_read_are_broken(uncertain):
    table, release = densities()
    verdict = sf.verify(told(release, uncertain=uncertain), table)
    assert not verdict
    assert any("densities" in text for text in verdict.broken)


def test_spreads_that_are_no_numbers_are_broken():
    table, release = densities()
    files = {"densities": release.files["densities"].with_columns(age=pl.lit("["))}
    assert "what the release says of densities cannot be read" in sf.verify(replace(release, files=files), table).broken


def randomised():
    frame = pl.DataFrame({"sex": ["f", "m"] * 20, "d": ["flu", "gout", "cold", "flu"] * 10})
    table = sf.Table(frame, sf.Schema(quasi=["sex"], sensitive=["d"]))
    return sf.publish(table, sf.PRAM(0.8, columns=["sex"]), seed=1)


MATRIX = [[0.9, 0.1], [0.2, 0.8]]


@pytest.mark.parametrize(
    "pram",
    [
        3, "sex", None, [], {}, {"invariant": False, "columns": 3}, {"columns": {"sex": 1}}, {"columns": {"sex": None}},
        *({"columns": {"sex": said}} for said in (
            {"matrix": MATRIX}, {"categories": ["f", "m"]}, {"categories": 3, "matrix": MATRIX},
            {"categories": ["f", "f"], "matrix": MATRIX}, {"categories": [], "matrix": []},
            *({"categories": ["f", "m"], "matrix": matrix} for matrix in (
                "x", [["", 1], [0, 1]], [[1, 0], [0]], [[10**400, 0], [0, 1]], [[float("nan"), 1], [0, 1]],
                [[1e308, 0], [0, 1]], [[-1, 2], [0, 1]], [[0.5, 0.4], [0, 1]], [MATRIX], {"a": 1}, None,
            )),
        )),
    ],
)  # fmt: skip
def test_a_damaged_matrix_is_one_sentence(pram):
    release = told(randomised(), pram=pram)
    with pytest.raises(ReleaseError, match="ask the owner for a new copy"):
        sf.estimate(release)
    assert sf.verify(release).broken


def test_estimates_without_a_word_on_invariance_are_corrected():
    release = randomised()
    said = {"columns": release.public["pram"]["columns"]}
    assert sf.estimate(told(release, pram=said))["sex"]


@pytest.mark.parametrize("columns", [[], ["sex", "sex"]])
def test_a_population_told_by_no_columns_is_one_sentence(data, columns, capsys):
    frame = pl.DataFrame({"sex": ["f", "m"] * 10, "d": ["flu", "gout"] * 10})
    table = sf.Table(frame, sf.Schema(quasi=["sex"], sensitive=["d"]))
    population = sf.Table(frame.select("sex"), sf.Schema(quasi=["sex"]))
    sf.publish(table, sf.BestFirst(), sf.KMap(5, population), seed=1).save(data / "out", report=False)
    certificate = json.loads((data / "out" / "release.json").read_text())
    certificate["promise"]["population"]["columns"] = columns
    (data / "out" / "release.json").write_text(json.dumps(certificate))
    assert run(["verify", "out"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_population_without_columns_has_no_fingerprint():
    people = sf.Table(pl.DataFrame({"sex": ["f"]}), sf.Schema(quasi=["sex"]))
    with pytest.raises(SchemaError, match="known by its columns, and has none"):
        register_of(people, [])


# -- marks that a cell can hold --------------------------------------------------------------------------------------
@pytest.mark.parametrize("cell", ["\0hidden", "\0\0hidden", "\0", "hidden"])
def test_no_cell_is_taken_for_a_suppressed_one(cell):
    frame = pl.DataFrame({"a": ["*"] * 4 + [cell], "b": ["x"] * 5})
    verdict = sf.verify(frame, promise=sf.KAnonymity(5), quasi=["a", "b"])
    assert verdict.reached == {"KAnonymity(k=5)": 1.0}
    assert f"class (a={cell}, b=x)" in verdict.broken[0]
    alone = frame.select("a")
    assert sf.verify(alone, promise=sf.KAnonymity(2), quasi=["a"]).reached == {"KAnonymity(k=2)": 1.0}
    cells = sf.Cells(suppressed=("*", cell))
    assert sf.verify(frame, promise=sf.KAnonymity(5), quasi=["a", "b"], cells=cells)
    empty = pl.DataFrame({"a": [None, "", cell], "b": ["x"] * 3})
    cells = sf.Cells(empty="suppressed")
    assert sf.verify(empty, promise=sf.KAnonymity(1), quasi=["a", "b"], cells=cells).found == ("smallest class 1 in 2",)


def test_cells_that_differ_by_marks_stay_apart():
    frame = pl.DataFrame({"a": ["\0x", "\0\0x", "x"] * 2})
    assert sf.verify(frame, promise=sf.KAnonymity(2), quasi=["a"]).found == ("smallest class 2 in 3",)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([("x\0y", "z")], [("x", "y\0z")]), ([("\1", "z"), ("x", "z")], [(None, "z"), ("x", "z")]),
        ([("-", "z"), ("x", "z")], [(None, "z"), ("x", "z")]),
        ([("x:y", "z")], [("x", "y:z")]), ([("1:a", "b")], [("1", "a1:b")]), ([("a", "b"), ("c", "d")], [("a", "b1:c1:d"), ("", "")]),
    ],
)  # fmt: skip
def test_other_populations_have_other_fingerprints(one, other):
    known = [
        register_of(sf.Table(pl.DataFrame(rows, schema={"a": pl.String, "b": pl.String}, orient="row"), QUASI))
        for rows in (one, other)
    ]
    assert known[0].sha256 != known[1].sha256


def test_the_names_of_columns_are_in_the_fingerprint():
    one = sf.Table(pl.DataFrame({"a\0b": ["x"], "c": ["y"]}), sf.Schema(quasi=["a\0b", "c"]))
    other = sf.Table(pl.DataFrame({"a": ["x"], "b\0c": ["y"]}), sf.Schema(quasi=["a", "b\0c"]))
    assert register_of(one).sha256 != register_of(other).sha256
