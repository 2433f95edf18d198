"""The script of the form draws what the Python randomizers draw, from the same random numbers, in node and in Chromium."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import sfumato.collection.collector
from sfumato import collection
from sfumato.collection.randomizers.draws import WHOLE, Draws, GivenDraws
from sfumato.collection.randomizers.itemsets import ItemsetRandomizer
from sfumato.collection.randomizers.randomizer import known_randomizers
from sfumato.ground.randomness import Randomness

SCRIPT = Path(sfumato.collection.collector.__file__).with_name("script.js")
THREE, SEVEN, MANY = ["a", "b", "c"], list("abcdefg"), list(range(70))
ASKED = [
    collection.KaryResponse(THREE, 1.0), collection.KaryResponse(["yes", "no"], 0.1), collection.KaryResponse(MANY, 3.0),
    collection.Warner(0.75), collection.Warner(0.1), collection.UnrelatedQuestion(0.7, 0.2),
    collection.MatrixResponse(THREE, [[0.8, 0.1, 0.1], [0.2, 0.5, 0.3], [0.3, 0.3, 0.4]]),
    collection.SymmetricUnaryEncoding(THREE, 1.0), collection.OptimalUnaryEncoding(MANY, 0.5),
    collection.Rappor(THREE), collection.Rappor(MANY, f=0.3, p=0.2, q=0.9),
    collection.BloomRappor(list(range(20)), bits=16, hashes=2, cohorts=4),
    collection.HadamardResponse(THREE, 0.5), collection.HadamardResponse(MANY, 2.0),
    collection.LocalHashing(MANY, 1.0), collection.LocalHashing(MANY, 0.2, cells=2),
    collection.LocalHashing([*MANY, 999_999], 4.0),
    collection.SubsetSelection(MANY, 1.0), collection.SubsetSelection(THREE, 0.5, size=2),
    collection.SubsetSelection(THREE, 5.0), collection.SubsetSelection(["yes", "no"], 1.0),
    collection.Duchi(0, 10, 1.0), collection.Piecewise(0, 1, 2.0), collection.Piecewise(0, 1, 0.5, steps=7),
    collection.Hybrid(0, 1, 2.0), collection.Hybrid(0, 1, 0.3), collection.LaplaceNoise(0, 1, 1.0),
    collection.LaplaceNoise(-5, 5, 8.0, steps=10_000), collection.Staircase(0, 1, 1.0), collection.Staircase(0, 1, 6.0, steps=9),
    collection.UniformNoise(0, 1, margin=0.4), collection.NormalNoise(0, 1, sd=0.3, steps=50),
    collection.SelectASize(SEVEN, keep=[0.1, 0.2, 0.3, 0.4], rho=0.2), collection.SelectASize(SEVEN, keep=[0.1, 0.2, 0.3, 0.4], rho=0.3, padded=True),
    collection.SelectASize(SEVEN, keep=[[1.0], [0.4, 0.6], [0.2, 0.3, 0.5], [0.1, 0.0, 0.2, 0.7]], rho=0.4),
    collection.SelectASize(["a"], keep=[0.2, 0.3, 0.5], rho=0.1, padded=True), collection.SelectASize(SEVEN, keep=[0.0] * 7 + [1.0], rho=0.5),
    collection.CutAndPaste(SEVEN, sizes=[3], cutoff=2, rho=0.2), collection.CutAndPaste(SEVEN, sizes=[4], cutoff=9, rho=0.3, padded=True),
    collection.CutAndPaste(SEVEN, sizes=[0, 1, 2, 7], cutoff=3, rho=0.45), collection.CutAndPaste(MANY, sizes=[20], cutoff=15, rho=0.05, padded=True),
]  # fmt: skip
PER_RANDOMIZER = 20
RUN = """
(cases) => cases.map(({shipped, code, words}) => {
  const left = [...words];
  const draws = new Draws(() => { if (!left.length) throw new Error("more are drawn than were given"); return left.shift(); });
  return [drawReport(shipped, code, draws), words.length - left.length];
})
"""


class Counted(GivenDraws):
    """Draws that were given, which count how many of them are taken."""

    taken = 0

    def words(self, n):
        self.taken += n
        return super().words(n)


def made_cases():
    """For every randomizer: the first and the last answer and some between, each with random numbers of its own."""
    random = Randomness("the script and Python")
    for asked in ASKED:
        for i in range(PER_RANDOMIZER):
            code = some_code(asked, i, random)
            words = Draws(random).words(2 * asked.width + 10).tolist()
            if i % 5 == 4:  # words that are drawn anew, and those on the edge of a threshold
                words[1:1] = [WHOLE - 1, WHOLE - 2]
            yield asked, code, words
        for i in (0, 1):
            code = some_code(asked, i, random) if isinstance(asked, ItemsetRandomizer) else i
            yield from ((asked, code, [word] * (2 * asked.width + 10)) for word in edges(asked.shipped))


def some_code(asked, i, random):
    """The first answer, the last, and then one at random; of sets the smallest, the largest, and then one at random."""
    if not isinstance(asked, ItemsetRandomizer):
        n = getattr(asked, "k", 0) or asked.steps + 1
        return [0, n - 1, *random.integers(n, size=1).tolist()][min(i, 2)]
    n, sizes = len(asked.items), list(range(asked.sizes[0] + 1)) if asked.padded else list(asked.sizes)
    sizes = [size for size in sizes if size <= n]
    size = [sizes[0], sizes[-1], sizes[int(random.integers(len(sizes), size=1)[0])]][min(i, 2)]
    held = {*random.permutation(n)[:size].tolist()}
    return [int(item in held) for item in range(n)]


def coded(asked, code):
    """The code in Python of an answer as the script has it: of a set the places of its bits."""
    if not isinstance(asked, ItemsetRandomizer):
        return np.array([code])
    return asked.codes_of([[item for item, bit in zip(asked.items, code, strict=True) if bit]])


def edges(shipped):
    """Words just below and at the thresholds of a randomizer, and zero."""
    by_size = shipped.get("sums") if isinstance(shipped.get("sums"), dict) else {}
    told = [*shipped.values(), *(each for sums in by_size.values() for each in sums)]
    said = [value for value in told if isinstance(value, int) and 1 << 40 < value < WHOLE]
    return [0, *(word for value in said for word in (value - 1, value))]


@pytest.fixture(scope="module")
def cases():
    found = []
    for asked, code, words in made_cases():
        draws = Counted(words)
        report = asked.draw(coded(asked, code), draws)[0].tolist()
        found.append(({"shipped": asked.shipped, "code": code, "words": words}, [report, draws.taken]))
    return found


def test_every_kind_of_randomizer_is_tried_and_every_kind_is_in_the_script(cases):
    assert len(cases) > 400
    kinds = {asked.shipped["kind"] for asked in ASKED}
    listed = re.search(r"^const RANDOMIZERS = \{\n(.*?)^\};", SCRIPT.read_text(), re.MULTILINE | re.DOTALL)
    assert set(re.findall(r'^  "?([\w-]+)"?: \{', listed[1], re.MULTILINE)) == kinds
    assert {type(asked).__name__ for asked in ASKED} == set(known_randomizers())


def test_node_draws_the_same(cases):
    assert run_in_node(RUN, [case for case, _ in cases]) == [wanted for _, wanted in cases]


def run_in_node(function, given):
    """What a function of the script gives, in node."""
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not here")
    program = (
        "const vm = require('vm'), fs = require('fs'); vm.runInThisContext(fs.readFileSync(process.argv[1], 'utf8'));"
        f"const run = vm.runInThisContext({json.dumps('(' + function.strip() + ')')});"
        "console.log(JSON.stringify(run(JSON.parse(fs.readFileSync(0, 'utf8')))));"
    )
    done = subprocess.run(
        [node, "-e", program, str(SCRIPT)], input=json.dumps(given), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


HASH = "(cases) => cases.map((bytes) => Array.from(sha256(bytes)))"
FROM = "(cases) => cases.map(([secret, purpose]) => { const d = drawsFrom(secret, purpose); return upTo(9).map(() => d.word()); })"


def test_the_hash_is_that_of_python():
    """Of every length about the blocks of 64 bytes, and of bytes of every value."""
    given = [np.random.default_rng(i).integers(0, 256, i).tolist() for i in [*range(200), 1000, 5000]]
    given += [[255] * 64, [0] * 119, list(range(256))]
    wanted = [
        [int.from_bytes(hashlib.sha256(bytes(each)).digest()[i : i + 4]) for i in range(0, 32, 4)] for each in given
    ]
    assert run_in_node(HASH, given) == wanted


def words_from(secret, purpose):
    """The first words that follow from a secret and a purpose: 53 of every 64 bits of the hashes."""
    hashes = b"".join(hashlib.sha256(f"{secret} {purpose} {n}".encode()).digest() for n in range(3))
    return [int.from_bytes(hashes[8 * i : 8 * i + 8]) >> 32 + 11 << 32 | int.from_bytes(hashes[8 * i + 4 : 8 * i + 8]) for i in range(9)]  # fmt: skip


def test_what_is_drawn_from_a_secret_are_hashes_of_it():
    given = [("ab" * 32, 0), ("ab" * 32, 1), ("cd" * 32, 599), ("00" * 32, "whatever the answer")]
    assert run_in_node(FROM, given) == [words_from(*each) for each in given]


@pytest.mark.browser
def test_chromium_draws_the_same(cases, browser):
    page = browser.new_page()
    page.add_script_tag(path=SCRIPT)
    assert page.evaluate(RUN, [case for case, _ in cases]) == [wanted for _, wanted in cases]
    page.close()


@pytest.mark.browser
def test_numbers_are_put_on_the_grid_as_python_does(browser):
    asked = collection.Duchi(-1.7, 12.3, 1.0, steps=173)
    numbers = [-1e300, -1.7, 0.0, 1e300, 12.3, *(np.random.default_rng(3).uniform(-3, 14, 500)).tolist()]
    numbers += [asked.low + (i + 0.5) * asked.unit for i in range(173)]
    page = browser.new_page()
    page.add_script_tag(path=SCRIPT)
    grid = {"low": asked.low, "high": asked.high, "steps": asked.steps}
    placed = page.evaluate("([grid, numbers]) => numbers.map((each) => placeOnGrid(grid, each))", [grid, numbers])
    page.close()
    assert placed == asked.codes_of(numbers).tolist()


@pytest.mark.browser
def test_words_of_the_browser_fill_53_bits(browser):
    page = browser.new_page()
    page.add_script_tag(path=SCRIPT)
    words = page.evaluate("Array.from({length: 4000}, secureWord)")
    page.close()
    assert all(float(word).is_integer() and 0 <= word < WHOLE for word in words)
    for bit in range(53):
        assert 1700 < sum(int(word) >> bit & 1 for word in words) < 2300, bit


def test_the_script_asks_for_nothing_from_elsewhere_and_draws_from_the_cryptographic_generator_alone():
    text = SCRIPT.read_text()
    assert "Math.random" not in text
    assert len(re.findall(r"\bfetch\(", text)) == 1
    assert 'fetch("answers"' in text
    for word in (
        "XMLHttpRequest",
        "sendBeacon",
        "WebSocket",
        "EventSource",
        "import",
        "//cdn",
        "http:",
        "https:",
        "eval",
    ):
        assert not re.search(rf"\b{re.escape(word)}\b", re.sub(r"^\s*(//|\*|/\*).*$", "", text, flags=re.MULTILINE)), (
            word
        )
