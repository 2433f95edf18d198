"""Every vector and erratum that is cited has its entry on the page of vectors, and every entry is cited.

A vector is cited in words, as in "vector B-6" or "E-1 to E-3", or by the name of a test, `test_vectors_e5_to_e7_...`.
An erratum is cited as "erratum D1", or by the name of a test, `test_erratum_b10_...`.
"""

import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "vectors.md"
FOLDERS = {"tests": ".py", "benchmarks": ".py", "src": ".py", "docs": ".md"}
ENTRY = re.compile(r"^### (.+?) *$", re.MULTILINE)
ID = re.compile(r"([A-Z])-([1-9]\d*)|Erratum ([A-Z])([1-9]\d*)")
IN_WORDS = re.compile(r"\b([A-Z])-(\d+)\b(?:\s+to\s+\1-(\d+)\b)?")
IN_NAMES = re.compile(r"(?<=_)vectors?_([a-z]\d+(?:_(?:and|to)_[a-z]\d+)*)(?![a-z0-9])")
ERRATUM = re.compile(r"\b[Ee]rrat(?:um|a)\s+([A-Z]\d+)\b|(?<=_)erratum_([a-z]\d+)(?![a-z0-9])")


def vectors_of(letter, first, last=None):
    return {f"{letter.upper()}-{number}" for number in range(int(first), int(last or first) + 1)}


def ids_cited_in(text):
    """Ids of vectors as A-16, of errata as Erratum A2."""
    found = {f"Erratum {(words or name).upper()}" for words, name in ERRATUM.findall(text)}
    for letter, first, last in IN_WORDS.findall(text):
        found |= vectors_of(letter, first, last)
    for name in IN_NAMES.findall(text):
        for part in name.split("_and_"):
            first, *last = part.split("_to_")
            found |= vectors_of(first[0], first[1:], last[0][1:] if last else None)
    return found


def citations():
    """Each cited id with the files that cite it; neither the page nor this file counts."""
    cited = defaultdict(set)
    for folder, suffix in FOLDERS.items():
        for path in sorted((ROOT / folder).rglob(f"*{suffix}")):
            if path not in (PAGE, Path(__file__)):
                for each in ids_cited_in(path.read_text(encoding="utf-8")):
                    cited[each].add(path.relative_to(ROOT).as_posix())
    return dict(cited)


def entries(text):
    """What stands below each heading of the third level, up to the next heading."""
    return {
        start[1]: re.split(r"^#{1,3} ", text[start.end() :], maxsplit=1, flags=re.MULTILINE)[0]
        for start in ENTRY.finditer(text)
    }


def differences(cited, text):
    """What a reader would look up in vain, with the files that cite it, and what nobody cites."""
    there = entries(text)
    return {each: sorted(files) for each, files in cited.items() if each not in there}, sorted(set(there) - set(cited))


@pytest.fixture(scope="module")
def text():
    return PAGE.read_text(encoding="utf-8")


def test_what_is_cited_is_on_the_page_and_what_is_on_the_page_is_cited(text):
    cited = citations()
    assert len(cited) > 50
    without_entry, without_citation = differences(cited, text)
    assert not without_entry
    assert not without_citation


def test_an_entry_says_what_goes_in_and_what_comes_out(text):
    for name, entry in entries(text).items():
        assert ID.fullmatch(name), name
        parts = ("**Printed:**", "**Right:**", "**Why:**") if name.startswith("Erratum") else ("In: ", "Out")
        assert all(part in entry for part in parts), name
        assert re.search(r"\*(Tests|Benchmarks) of\s", entry), name


def test_entries_are_in_order(text):
    def place(name):
        vector, number, erratum, erratum_number = ID.fullmatch(name).groups()
        return vector or erratum, erratum is not None, int(number or erratum_number)

    names = ENTRY.findall(text)
    assert names == sorted(set(names), key=place)


def test_an_entry_that_is_missing_or_left_over_is_found(text):
    cited = citations()
    for name in entries(text):
        renamed = text.replace(f"### {name}\n", "### Z-1\n")
        assert differences(cited, renamed) == ({name: sorted(cited[name])}, ["Z-1"])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('"""Vector B-6."""', {"B-6"}),
        ("vectors E-1 to E-3 and E-12: 38", {"E-1", "E-2", "E-3", "E-12"}),
        ("E-9\nto E-11", {"E-9", "E-10", "E-11"}),
        ("def test_vector_a17_is_flagged(): ...", {"A-17"}),
        ("def test_vectors_e8_and_e10(): ...", {"E-8", "E-10"}),
        ("def test_vectors_e5_to_e7_as_diversity(): ...", {"E-5", "E-6", "E-7"}),
        ("Erratum A2: on the border", {"Erratum A2"}),
        ("(erratum D1) and A2", {"Erratum D1"}),
        ("def test_erratum_b10_the_ratio(): ...", {"Erratum B10"}),
        ('UTF-8, SHA-256, "A12", x-1, A-B, eigenvectors_e5', set()),
    ],
)
def test_citations_are_read_in_words_and_in_names(text, expected):
    assert ids_cited_in(text) == expected
