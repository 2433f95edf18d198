"""Figures, their catalogue and who may see them."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest

import sfumato as sf
import sfumato.report.graphs_content  # this and the folders below declare every figure there is
from recorded_releases import RECIPES
from sfumato.ground import figures
from sfumato.ground.errors import DataError
from sfumato.ground.figures import About, Audience, Family, Figure, Measures, Note, catalogue, declare, figures_of
from sfumato.ground.surface import load_folder
from sfumato.verbs import measure as verb

for room in ("tables", "baskets", "graphs"):
    load_folder(f"{room}.measures")

DOCS = Path(__file__).parents[2] / "docs/reference/measures.md"


@pytest.fixture
def declared(monkeypatch):
    """`declare`, into a catalogue that is forgotten after the test."""
    monkeypatch.setattr(figures, "_CATALOGUE", dict(catalogue()))
    return declare


def described(**contents):
    """What a figure is, as read from a file."""
    known = {"label": "", "group": "utility", "meaning": "", "unit": "number", "smaller_is_better": True}
    return About(**{**known, "audience": "public", "read": True, **contents})


def some():
    loss = described(name="gcp", label="Loss <all>", meaning="a & b", unit="share").of(0.125)
    found = described(name="marketer", label="Found", group="risk", unit="count", smaller_is_better=None).of(3)
    note = Note("one < two", "public")
    return Measures([loss, found], by_column={"gcp": {"<age>": 0.25}}, notes=[note, note])


# -- the catalogue -------------------------------------------------------------------------------------------------


def test_every_declared_figure_says_what_it_is_and_who_may_see_it():
    assert len(catalogue()) > 60
    for name, about in catalogue().items():
        assert about.name == name
        assert about.label
        assert about.meaning
        assert about.audience in get_args(Audience)
        assert about.group in get_args(figures.FigureGroup)
        assert about.unit in get_args(figures.Unit)


def test_every_figure_is_in_the_reference_with_its_audience():
    rows = [line.split("|") for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    told = {}
    for cells in rows:
        for name in cells[1].replace("`", "").split(","):
            told.setdefault(name.strip(), set()).add(cells[2].strip())
    for name, about in catalogue().items():
        if any(character.isdigit() for character in name.removeprefix("il1")):
            continue  # a member of a family, which stands under its pattern
        shown = name.format(t="t", level="i") if "{" in name else name
        assert shown in told, name
        assert told[shown] <= {about.audience, "owner"}, name  # a public figure may be kept for the owner
        assert about.audience in told[shown], name


def test_a_figure_needs_an_audience():
    about = catalogue()["gcp"]
    with pytest.raises(TypeError, match="audience"):
        Figure(about=about, value=0.5)
    with pytest.raises(TypeError, match="audience"):
        declare(name="new_loss", label="Loss", group="utility", meaning="what is lost")
    with pytest.raises(ValueError, match="must be 'public' or 'owner', got 'all'"):
        declare(name="new_loss", label="Loss", group="utility", meaning="what is lost", audience="all")
    with pytest.raises(ValueError, match="needs a label and a meaning"):
        declare(name="new_loss", label="Loss", group="utility", meaning="", audience="owner")
    with pytest.raises(ValueError, match="must be 'public' or 'owner', got 'all'"):
        about.of(0.5, audience="all")
    assert "new_loss" not in catalogue()


def test_a_figure_declared_nowhere_cannot_be_made():
    with pytest.raises(ValueError, match="no figure 'new_loss' is declared"):
        replace(catalogue()["gcp"], name="new_loss").of(0.5)


def test_a_name_is_declared_once(declared):
    contents = {"name": "new_loss", "label": "Loss", "group": "utility", "meaning": "what is lost"}
    first = declared(**contents, audience="owner")
    assert declared(**contents, audience="owner") is first
    for other in ({"audience": "public"}, {"audience": "owner", "label": "Cost"}):
        with pytest.raises(ValueError, match="'new_loss' is declared already"):
            declared(**{**contents, **other})


def test_an_audience_is_narrowed_and_never_widened(declared):
    open_, closed = catalogue()["gcp"], catalogue()["distortion"]
    assert open_.of(0.5).audience == "public"
    assert open_.of(0.5, audience="owner").audience == "owner"
    assert closed.with_wording(label="Moved").of(0.5).audience == "owner"
    for wide in (closed, replace(closed, audience="public")):
        with pytest.raises(ValueError, match="is the owner's and cannot be made public"):
            wide.of(0.5, audience="public")


def test_other_words_are_the_same_figure():
    gcp = catalogue()["gcp"]
    figure = gcp.with_wording(meaning="another text").of(0.5)
    assert (figure.name, figure.label, figure.meaning) == ("gcp", gcp.label, "another text")


def test_a_family_is_declared_once_for_all_its_members(declared):
    family = Family(
        declared(name="far_{t}", label="Beyond {t}", group="risk", meaning="further than {t}", audience="owner")
    )
    figure = family.member(t="0.2").of(1)
    assert (figure.name, figure.label, figure.meaning) == ("far_0.2", "Beyond 0.2", "further than 0.2")
    assert figure.audience == "owner"
    assert family.member(t="0.2") is catalogue()["far_0.2"]


# -- what is published ---------------------------------------------------------------------------------------------

KINDS = [
    "mondrian k", "mdav means", "anatomy", "target uniform", "republishing first", "condensation", "rank swapping",
    "rotation", "noise", "pattern blocks", "grouped k", "apriori", "k degree",
]  # fmt: skip


@pytest.mark.parametrize("kind", [KINDS[0], *(pytest.param(each, marks=pytest.mark.slow) for each in KINDS[1:])])
def test_what_is_the_owners_never_reaches_a_release(kind, declared, monkeypatch, tmp_path):
    secret = declared(name="new_secret", label="New secret", group="utility", meaning="a secret text", audience="owner")
    told = declared(name="new_figure", label="New figure", group="utility", meaning="an open text", audience="public")

    def measuring(release, *args, **options):
        more = Measures(
            [secret.of(0.25), told.of(0.75)],
            by_column={"new_secret": {"age": 0.5}, "new_figure": {"age": 1.0}, "new_unknown": {"age": 2.0}},
            notes=[Note("new_secret is a note", "owner"), Note("everybody reads this", "public")],
        )
        return measure(release, *args, **options) | more

    measure = verb.measure
    monkeypatch.setattr(verb, "measure", measuring)
    RECIPES[kind]().save(tmp_path / "out")
    certificate = (tmp_path / "out" / "release.json").read_text()
    page = (tmp_path / "out" / "report.html").read_text()
    for text in ("new_secret", "New secret", "a secret text", "new_unknown"):
        assert text not in certificate
        assert text not in page
    measures = json.loads(certificate)["measures"]
    assert measures["values"]["new_figure"] == 0.75
    assert measures["by_column"]["new_figure"] == {"age": 1.0}
    assert "everybody reads this" in measures["notes"]
    kept = json.loads((tmp_path / "owner" / "out" / "owner.json").read_text())["measures"]
    assert kept["values"]["new_secret"] == 0.25
    loaded = sf.load_release(tmp_path / "out").measures
    assert all(figure.audience == "public" for figure in loaded.figures)
    assert loaded.public.to_dict() == loaded.to_dict()


@pytest.mark.parametrize(
    "kind", ["mondrian k", "mdav means", "anatomy", "target fakes", "republishing third", "top bottom coding",
             "uncertain normal", "pattern blocks", "condensation"],
)  # fmt: skip
def test_no_public_figure_follows_the_row_map(kind):
    release = RECIPES[kind]()
    found = sf.measure(release)
    rows = np.random.default_rng(1).permutation(release.owner.rows)
    other = sf.measure(replace(release, owner=replace(release.owner, rows=rows)))
    assert found.public.to_dict() == other.public.to_dict()


# -- Measures ------------------------------------------------------------------------------------------------------


def test_measures_are_a_mapping_that_explains_itself():
    measures = some()
    assert dict(measures) == {"gcp": 0.125, "marketer": 3.0}
    assert measures.by_column["gcp"]["<age>"] == 0.25
    assert measures.figure("gcp").shown == "12.50%"
    assert measures.notes == ("one < two",)
    assert "gpc" not in measures
    with pytest.raises(KeyError, match="did you mean 'gcp'"):
        measures["gpc"]
    with pytest.raises(TypeError):
        measures.by_column["gcp"]["<age>"] = 1.0
    assert list(measures.group("risk")) == ["marketer"]


def test_what_is_public_is_a_part():
    gcp, distortion = catalogue()["gcp"], catalogue()["distortion"]
    notes = [Note("for all", "public"), Note("for one", "owner")]
    found = Measures(
        figures_of({gcp: 0.5, distortion: 0.25, catalogue()["ncp"]: None}),
        by_column={"gcp": {"age": 0.5}, "distortion": {"age": 0.25}, "ncp": {"age": 0.5}},
        notes=notes,
    )
    assert dict(found) == {"gcp": 0.5, "distortion": 0.25}
    assert found.notes == ("for all", "for one")
    assert dict(found.public) == {"gcp": 0.5}
    assert dict(found.public.by_column) == {"gcp": {"age": 0.5}}
    assert found.public.notes == ("for all",)
    narrowed = Measures(figures_of({gcp: 0.5}, audience="owner"), by_column={"gcp": {"age": 0.5}})
    assert not narrowed.public
    assert not narrowed.public.by_column
    with pytest.raises(TypeError, match="a note says who may read it"):
        Measures(notes=["for all"])
    with pytest.raises(ValueError, match="audience of a note"):
        Note("for all", "everybody")


def test_measures_travel_as_json_and_pickles():
    measures = some() | Measures(
        [catalogue()["distortion"].of(0.5), catalogue()["ncp"].of(0.5, audience="owner")], notes=[Note("more", "owner")]
    )
    plain = json.loads(json.dumps(measures.to_dict(), allow_nan=False))
    assert "audience" not in json.dumps(plain)
    for other in (Measures.from_dict(plain, audience="public"), Measures.from_dict(plain), pickled(measures)):
        assert other == measures
        assert [replace(each.about, audience="public") for each in other.figures] == [
            replace(each.about, audience="public") for each in measures.figures
        ]
        assert (other.by_column, other.notes) == (measures.by_column, measures.notes)
    assert pickled(measures).figures == measures.figures
    assert pickled(measures).public.to_dict() == measures.public.to_dict()
    assert not Measures.from_dict(plain).public  # unknown is never public
    assert not Measures.from_dict(plain).public.notes
    for damaged in (
        {},
        {"values": {"gcp": None}},
        {"values": [1]},
        {"values": {"a": 1}, "about": {"a": {"unit": "%"}}},
    ):
        with pytest.raises(DataError, match="no measures"):
            Measures.from_dict(damaged)


def pickled(measures):
    return pickle.loads(pickle.dumps(measures))


def test_figures_of_another_version_are_read():
    given = {"values": {"loss_of_tomorrow": 0.5}, "about": {"loss_of_tomorrow": {"label": "Loss", "unit": "share"}}}
    figure = Measures.from_dict(given, audience="public").figure("loss_of_tomorrow")
    assert (figure.shown, figure.label, figure.audience) == ("50.00%", "Loss", "public")
    assert figure.with_value(1.0).audience == "public"


def test_measures_show_themselves():
    measures = some()
    lines = repr(measures).splitlines()
    assert lines[0] == "utility"
    assert lines[1].split() == ["gcp", "12.50%", "Loss", "<all>"]
    assert lines[-1] == "  note: one < two"
    shown = measures._repr_html_()
    assert "Loss &lt;all&gt;" in shown
    assert "&lt;age&gt; 25.00%" in shown
    assert "<all>" not in shown
    assert "http" not in shown
    assert repr(Measures()) == "Measures()"


def test_an_unknown_figure_is_left_out_not_nan():
    with pytest.raises(ValueError, match="must be finite"):
        catalogue()["gcp"].of(float("nan"))


def test_joining_keeps_both():
    left, right = some(), Measures([some().figure("gcp").with_value(0.5)], notes=[Note("more", "owner")])
    assert dict(left | right) == {"gcp": 0.5, "marketer": 3.0}
    assert (left | right).notes == ("one < two", "more")
    assert (left | right).by_column == {}  # that of the value before
    assert (right | left).by_column == left.by_column


def test_leaving_figures_out():
    rest = some().without("gcp")
    assert (dict(rest), rest.by_column, rest.notes) == ({"marketer": 3.0}, {}, ("one < two",))
