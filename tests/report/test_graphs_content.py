"""The report on a graph: what it says, to whom, for every method and for graphs that are hardly any."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser

import numpy as np
import pytest

import sfumato as sf
from sfumato.graphs.counts.triangles import count_triangles
from sfumato.report.charts import PALETTE
from sfumato.report.graphs_content import at_least, edge_beliefs, graph_numbers, share_of
from sfumato.report.rendering import render

METHODS = [
    sf.Relabelling(), sf.EdgePerturbation(0), sf.EdgePerturbation(0.001), sf.EdgePerturbation(0.2), sf.AddDelete(40),
    sf.AddDelete(0.7), sf.KDegree(6), sf.SpectralSwitching(0.2),
]  # fmt: skip


class Page(HTMLParser):
    """Tags with their attributes and the words of a page; tags must be closed as they are opened."""

    VOID = frozenset({"meta", "br", "path", "line", "rect"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.texts.append(data)

    @property
    def words(self) -> str:
        return " ".join(" ".join(self.texts).split())


def circles(seed=0, n=150, m=1_500):
    """Circles of friends, so that there are triangles; vertices with names that no page may hold."""
    rng = np.random.default_rng(seed)
    u, v = rng.integers(0, n, m), rng.integers(0, n, m)
    close = rng.random(m) < np.where(u // 15 == v // 15, 1.0, 0.4)
    return sf.Graph.from_edges(u[close], v[close], n, [f"Zebediah{i:04}" for i in range(n)])


def pages(graph, method, seed=2):
    release = sf.publish(graph, method, seed=seed)
    told = sf.measure(replace(release, owner=None))
    public = render(release, release.verdict, told, audience="public", original=None)
    owner = render(release, release.verdict, sf.measure(release), audience="owner", original=graph)
    return release, public, owner


@cache
def made(method):
    """The pages of the circles, made once for each method."""
    return pages(circles(), method)


def numbers(page):
    """All numbers on a page, without commas."""
    text = page[page.index("<body>") :]
    return {each.replace(",", "") for each in re.findall(r"\d[\d,]*(?:\.\d+)?", text)}


# -- every method ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_both_pages_are_sound_and_name_nobody(method):
    release, public, owner = made(method)
    for page in (public, owner):
        parsed = Page(page)
        assert "Zebediah" not in page
        assert release.owner.seed.hex() not in page
        assert not re.search(
            r"https?:|url\(|@import|\bsrc=|\bhref=|<script|\bnan\b|\bNone\b|\binf\b|NaN|undefined", page
        )
        assert len(page.encode()) < 200_000
        svgs = [attributes for tag, attributes in parsed.tags if tag == "svg"]
        assert svgs
        assert all(attributes.get("role") == "img" for attributes in svgs)
        assert page.count("<title>") == len(svgs) + 1
        ids = [attributes["id"] for _, attributes in parsed.tags if "id" in attributes]
        assert len(ids) == len(set(ids))
        assert {attributes["aria-labelledby"] for tag, attributes in parsed.tags if tag == "section"} <= set(ids)
        body = page[page.index("<body>") :]
        used = set(re.findall(r'(?:fill|stroke)="(#[0-9a-fA-F]+|[a-z]+)"', body)) - {"none", "transparent"}
        assert used <= set(PALETTE.values())
        assert f"{release.data.n_edges:,} edges" in parsed.words
        assert type(method).__name__ in parsed.words
        assert "made up accounts" in parsed.words
        assert "sfumato attack" in parsed.words
    assert "For the owner only" in owner
    assert "What an adversary could do" in owner
    assert not re.search("For the owner|What an adversary|truly|Beside the original", public)
    # nothing of the owner's is looked at
    bare = replace(release, owner=None)
    told = sf.measure(bare)
    assert render(bare, release.verdict, told, audience="public", original=None) == public
    assert render(release, release.verdict, told, audience="public", original=circles(9)) == public


@pytest.mark.parametrize("method", [sf.EdgePerturbation(0.001), sf.EdgePerturbation(0.2), sf.KDegree(6)], ids=repr)
def test_the_public_page_holds_no_number_of_the_original(method):
    graph = circles()
    release, public, owner = made(method)
    assert release.data.n_edges != graph.n_edges
    truth = graph_numbers(graph)
    secrets = {f"{truth[name]:.0f}" for name in ("edges", "triangles", "triples", "squared_degrees")}
    secrets |= {f"{truth[name]:.4g}" for name in ("density", "transitivity")}
    assert not secrets & numbers(public)
    assert secrets <= numbers(owner)


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_pages_are_saved_each_where_it_belongs(method, tmp_path):
    folder = sf.publish(circles(), method, seed=1).save(tmp_path / "out")
    public = (folder / "report.html").read_text(encoding="utf-8")
    owner = (tmp_path / "owner" / "out" / "report.html").read_text(encoding="utf-8")
    assert sorted(path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("report.html")) == [
        "out/report.html", "owner/out/report.html",
    ]  # fmt: skip
    assert "For the owner only" not in public
    assert "For the owner only" in owner
    assert sf.load_release(folder).data is not None  # the certificate knows the page
    assert '"report.html"' in (folder / "release.json").read_text()
    assert not (sf.publish(circles(), method, seed=1).save(tmp_path / "bare", report=False) / "report.html").exists()


# -- what it says ----------------------------------------------------------------------------------------------------
def test_a_perturbed_graph_is_read_rightly():
    graph = circles()
    release, public, owner = made(sf.EdgePerturbation(0.02))
    found = sf.estimate(release, metrics=())
    words = Page(public).words
    assert "Declared: every pair of vertices was flipped with probability 0.02." in words
    assert "edge differential privacy, epsilon = 3.892" in words
    assert "at most 49 times larger or smaller" in words
    for name in ("edges", "triangles", "triples", "squared_degrees"):
        each = found[name]
        shown = f"{each.possible_value:,.0f} {max(each.low, 0):,.0f} to {each.high:,.0f}"
        assert shown in words, name
    kept = int(graph.has_edges(*(release.owner.rows[end] for end in release.data.edges)).sum())
    low, high = (min(end * 0.98 / release.data.n_edges, 1) for end in (found["edges"].low, found["edges"].high))
    assert low < kept / release.data.n_edges < high
    share = found["edges"].value * 0.98 / release.data.n_edges
    assert f"about {share_of(share)} are true ({share_of(low)} to {share_of(high)})" in words
    truly = Page(owner).words
    assert f"{count_triangles(graph):,}" in truly
    assert sf.measure(release).figure("edges_kept").shown in truly
    assert "10 83.4%" in truly  # 0.98 ** 9
    assert "As chosen" in truly
    assert re.search(r"\b0\.002\b.*\b0\.02\b.*\b0\.2\b", truly)
    assert owner.count("<svg") == public.count("<svg") == 2


def test_odds_change_as_bayes_says():
    for mu, before in ((0.001, 0.01), (0.2, 0.5), (0.4, 0.1)):
        edge, none = edge_beliefs(mu, before)
        odds = before / (1 - before)
        assert edge / (1 - edge) == pytest.approx(odds * (1 - mu) / mu)
        assert none / (1 - none) == pytest.approx(odds * mu / (1 - mu))


def test_a_true_value_outside_of_its_interval_is_said_so():
    graph = circles()
    release = sf.publish(graph, sf.EdgePerturbation(0.02), seed=1)
    other = sf.Graph.from_edges([0], [1], len(graph))
    apart = render(release, release.verdict, sf.measure(release), audience="owner", original=other)
    near = render(release, release.verdict, sf.measure(release), audience="owner", original=graph)
    assert apart.count("outside of the interval") >= 4
    assert near.count("outside of the interval") <= 1


@pytest.mark.parametrize("method", [sf.Relabelling(), sf.EdgePerturbation(0), sf.AddDelete(0), sf.KDegree(1)], ids=repr)
def test_what_protects_nobody_is_said_loudly(method):
    _, public, owner = made(method)
    for page in (public, owner):
        assert "This protects nobody." in page
        assert "differential privacy" not in page
    assert "100%" in Page(owner).words  # a planted path survives


@pytest.mark.parametrize("method", METHODS[2:], ids=repr)
def test_what_protects_somebody_has_no_such_warning(method):
    _, public, _ = made(method)
    assert "protects nobody" not in public


def test_promises_of_degrees():
    release, public, _ = made(sf.KDegree(6))
    words = Page(public).words
    assert "This release keeps its promise of 6-degree anonymity." in words
    assert "DegreeAnonymity(k=6)" in words
    assert "at least 6 vertices that have as many" in words
    assert "how many were added is not told" in words
    greedy = replace(release, promise=sf.DegreeAnonymity(100))
    verdict = sf.verify(greedy)
    page = render(greedy, verdict, sf.measure(replace(greedy, owner=None)), audience="public", original=None)
    assert "does not keep its promise of 100-degree anonymity" in page
    assert 'class="card verdict broken"' in page


def test_edges_replaced():
    graph = circles()
    _, public, _ = made(sf.AddDelete(40))
    assert "40 edges were replaced at random" in public
    assert f"{share_of(1 - 40 / graph.n_edges)} of them are true" in public


def test_verdicts_that_are_broken_or_open():
    release = sf.publish(circles(), sf.EdgePerturbation(0.02), seed=1)
    alone = replace(release, owner=None)
    told = sf.measure(alone)
    page = render(alone, sf.verify(alone), told, audience="public", original=None)
    assert "How this release was made cannot be seen without the original." not in page  # mu is declared
    replaced = replace(sf.publish(circles(), sf.AddDelete(5), seed=1), owner=None)
    page = render(replaced, sf.verify(replaced), sf.measure(replaced), audience="public", original=None)
    assert "How this release was made cannot be seen without the original." in page
    wrong = replace(release, public={"graph": {"vertices": 150, "mu": 0.3}})
    page = render(wrong, sf.verify(wrong, circles()), told, audience="public", original=None)
    assert "This release was not made as it says." in page
    owner = render(alone, sf.verify(alone), told, audience="owner", original=None)
    assert "The original was not at hand" in owner
    assert "truly" not in owner


def test_graphs_too_large_to_count_say_so(monkeypatch):
    from sfumato.report import graphs_content

    monkeypatch.setattr(graphs_content, "_MOST_WORK", 10)
    _, public, owner = pages(circles(), sf.EdgePerturbation(0.02))
    for page in (public, owner):
        assert "too large for triangles to be counted" in page
        assert "too large for the distribution to be estimated" in page
        assert "Transitivity" not in page
    assert f"{circles().n_edges:,}" in owner


# -- graphs that are hardly any --------------------------------------------------------------------------------------
def complete(n):
    return sf.Graph.from_edges(*np.triu_indices(n, 1), n)


TINY = {
    "one vertex": sf.Graph.from_edges([], [], 1),
    "two vertices": sf.Graph.from_edges([], [], 2),
    "no edges": sf.Graph.from_edges([], [], 30),
    "one edge": sf.Graph.from_edges([0], [1], 2),
    "complete": complete(12),
    "star": sf.Graph.from_edges([0] * 20, range(1, 21)),
}


@pytest.mark.parametrize("shape", TINY)
@pytest.mark.parametrize(
    "method",
    [sf.Relabelling(), *map(sf.EdgePerturbation, (0.001, 0.2, 0.499)), sf.KDegree(1)],
    ids=repr,
)
def test_tiny_graphs(shape, method):
    _, public, owner = pages(TINY[shape], method)
    for page in (public, owner):
        Page(page)
        assert not re.search(r"\bnan\b|\bNone\b|\binf\b|NaN|undefined", page)
        assert not re.search(r'data-name="(estimated|95% interval)">-', page)  # no graph has fewer than none
        assert "of 1 vertices" not in page.replace("that of 1 vertices or more", "")


def test_the_same_input_gives_the_same_bytes():
    assert made(sf.EdgePerturbation(0.02))[1:] == pages(circles(), sf.EdgePerturbation(0.02))[1:]


def test_shares_of_vertices_by_degree():
    assert at_least(np.array([0.25, 0.25, 0.5]), 4) == [(1, 0.75), (2, 0.5)]
    assert at_least(np.array([1.0]), 4) == []
    assert at_least(np.array([0.5, 0.3, 0.2 - 1e-6, 1e-6]), 10) == [(1, pytest.approx(0.5)), (2, pytest.approx(0.2))]
    many = at_least(np.full(100_000, 1e-5), 100_000)
    assert len(many) < 300
    assert many[-1] == (99_999, pytest.approx(1e-5))
