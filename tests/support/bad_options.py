"""Bad options, seeds, parameters, names and recipes."""

from __future__ import annotations

from collections.abc import Iterator

from support.bad_input import DEEP, DIGITS, PUBLISH, RECIPE, Bad

__all__ = ["names", "options", "parameters", "recipes", "seeds"]


# -- options -------------------------------------------------------------------------------------------------------
def options() -> Iterator[Bad]:
    """Options of publish and verify."""
    base = "publish p.csv --schema s.toml -o out"
    for given, says in {
        "": "no promise is asked for",
        "--k": "--k",
        "--k x": "--k",
        "--k 0": "k must be",
        "--k -3": "k must be",
        "--k 2.5": "k must be",
        "--k nan": "k must be",
        "--k inf": "k must be",
        "--k 1e3": "needs at least 1000 records",
        "--k 100": "k",
        "--k 9223372036854775808": "k must be",
        f"--k {'9' * 400}": "k must be",
        "--k ²": "--k",
        "--l 0": "l must be",
        "--l nan": "l must be",
        "--l -1": "l must be",
        "--l 1e308": "l",
        "--l inf": "l must be",
        "--t 2": "t must be",
        "--t -1": "t must be",
        "--t nan": "t must be",
        "--t x": "--t",
        "--k 2 --method Nothing": "Nothing",
        "--k 2 --method ''": "method",
        "--k 2 --format xls": "--format",
        "--k 2 --show all": "--show",
        "--k 2 --label x": "--label is for sets of items",
        "--k 2 --item x": "--item is for sets of items",
        "--k 2 --record x": "--record is for sets of items",
        "--k 2 --labels x": "--labels is for sets of items",
        "--k 2 --direction any": "--direction is for graphs",
        "--k 2 --direction up": "--direction",
        "--k 2 --baskets sets": "--baskets",
        "--k 2 --population none.csv": "does not exist",
        "--k 2 --previous none": "none",
        "--k 2 --unknown 3": "--unknown",
        "--k 2 --report maybe": "maybe",
        "--k 2 p.csv": "p.csv",
        "--max-ncp 2": "max_ncp",
        "--max-ncp nan": "max_ncp",
        "--m 2": "give --k too",
        "--k 2 --method Grouped": "schema",
        "--k 2 --method EdgePerturbation": "mu",
    }.items():
        yield Bad(f"publish with {given[:40] or 'nothing'}", [*base.split(), *given.split()], says)
    yield Bad(
        "publish to owner",
        ["publish", "p.csv", "--schema", "s.toml", "--k", "2", "-o", "owner"],
        "cannot be called 'owner'",
    )
    yield Bad(
        "publish to a file", ["publish", "p.csv", "--schema", "s.toml", "--k", "2", "-o", "p.csv"], "exists already"
    )
    yield Bad(
        "publish below a file",
        ["publish", "p.csv", "--schema", "s.toml", "--k", "2", "-o", "p.csv/out"],
        "nothing was saved",
    )
    yield Bad("publish to nowhere", ["publish", "p.csv", "--schema", "s.toml", "--k", "2"], "--output is missing")
    yield Bad("publish to a long name", [*PUBLISH[:-1], "x" * 300], "File name too long")
    yield Bad("publish nothing", ["publish"], "--source")
    yield Bad("no command", ["anonymise"], "anonymise")
    yield Bad("an option alone", ["--wat"], "--wat")
    for given, says in {
        "--k 2": "name the quasi-identifiers",
        "--quasi a": "no promise to check",
        "--quasi a,a --k 2": "named twice",
        "--quasi z --k 2": "'z'",
        "--quasi a --l 2": "name them with --sensitive",
        "--quasi a --sensitive z --l 2": "'z'",
        "--quasi a --k 0": "k must be",
        "--quasi a --k 2 --empty none": "--empty",
        "--quasi a --k 2 --original p.csv": "--original needs a release folder",
        "--quasi a --k 2 --population p.csv": "--population needs a release folder",
        "--quasi a --k 2 --previous p.csv": "--previous needs a release folder",
        "--quasi a --k 2 --suppressed-rows no": "--suppressed-rows",
    }.items():
        yield Bad(f"verify with {given}", ["verify", "p.csv", *given.split()], says)
    for given, says in {
        "inspect p.csv -o s.toml": "exists already",
        "inspect p.csv -o no/such/s.toml": "no/such",
        "inspect p.csv -o p.csv/x": "p.csv",
        "inspect p.csv -o n.toml --k 2": "go with --curse",
        "inspect p.csv -o n.toml --label x": "--label is for sets of items",
        "inspect p.csv --curse --k x": "--k takes whole numbers",
        "inspect p.csv --curse --k 0": "k",
        "inspect p.csv --curse --schema s.toml --max-loss 2": "max_loss",
        "inspect p.csv --curse --schema s.toml --plot x.bmp": "--plot draws to",
        "inspect p.csv --curse -o n.toml": "writes no schema",
        "inspect b.dat --curse": "about the columns of a table",
        "inspect b.dat -o n.toml": "no schema",
        "inspect b.dat --direction up": "--direction",
        "demo p.csv": "holds other things",
        "demo new --rows 5": "from 100 to 1,000,000 rows",
        "demo new --rows x": "--rows",
        "demo p.csv/x": "p.csv",
    }.items():
        yield Bad(given, given.split(), says)


def seeds() -> Iterator[Bad]:
    """Seeds that are no number and no text, or too long a number."""
    for verb, words in {
        "publish": PUBLISH,
        "risk": ["risk", "e.txt", "--mu", "0.1"],
    }.items():
        for seed in ("9" * 6_000, "-" + "9" * 500, "1" * 401):
            yield Bad(f"{verb} --seed of {len(seed)} digits", [*words, "--seed", seed], "at most 400 digits")
        yield Bad(f"{verb} --seed empty", [*words, "--seed", ""], "seed must not be empty")


def parameters() -> Iterator[Bad]:
    """Parameters of methods."""
    for given, says in {
        "strict": "takes name=value",
        "=3": "takes name=value",
        "name=Hilbert": "takes name=value",
        "strict=" + "[" * 3_000: "nested deeper",
        "strict=" + "[" * 100 + "]" * 100: "nested deeper",
        "strict=" + "{a=" * 3_000: "nested deeper",
        f"strict={DIGITS}": "out of range",
        f"strict={'9' * 100}": "333 bits",
        "strict=5": "strict must be true or false",
        "strict=maybe": "strict must be true or false",
        "strict=[true]": "strict must be true or false",
        "strict=nan": "strict must be true or false",
        "strict=" + "x" * 100_000: "strict must be true or false",
        "strict=1\nshow='means'": "one name=value at a time",
        "nothing=3": "nothing",
        "show=colours": "show",
        "show=3": "show",
        "show={}": "show",
    }.items():
        name = given if len(given) < 40 else f"{given[:20]} and {len(given)} characters"
        yield Bad(f"--param {name!r}", [*PUBLISH, "--method", "Mondrian", "--param", given], says)


def recipes() -> Iterator[Bad]:
    """Recipes."""
    whole: dict[str, tuple[str | bytes, str]] = {
        "empty": ("", "input is missing"),
        "lists 5000 deep": (RECIPE + "x = " + "[" * DEEP, "nested deeper"),
        "tables 100 deep": (RECIPE + "x = " + "{a=" * 100 + "1" + "}" * 100, "nested deeper"),
        "5000 digits": (f"seed = {DIGITS}\n" + RECIPE, "out of range"),
        "a seed of 100 digits": (f"seed = {'9' * 100}\n" + RECIPE, "333 bits"),
        "a seed of true": ("seed = true\n" + RECIPE, "seed"),
        "a seed of 1.5": ("seed = 1.5\n" + RECIPE, "seed"),
        "a seed of nothing": ('seed = ""\n' + RECIPE, "seed must not be empty"),
        "not UTF-8": (b"\xff\xfe" + RECIPE.encode(), "not UTF-8"),
        "half": (RECIPE[:41] + '"', "not TOML"),
        "unknown key": ("colour = 1\n" + RECIPE, "colour is no known key"),
        "method a text": (RECIPE.replace('[method]\nname = "Mondrian"', 'method = "Mondrian"'), "input.method is no known key"),
        "neither method nor promise": (RECIPE.split("[method]")[0], "neither a method nor a promise is there"),
        "method unknown": (RECIPE.replace("Mondrian", "Mondrain"), "Mondrian"),
        "method a number": (RECIPE.replace('"Mondrian"', "3"), "3"),
        "method with more": (RECIPE.replace('"Mondrian"', '"Mondrian"\ncolour = 3'), "colour"),
        "no promise": (RECIPE.split("[[promise]]")[0], "promise"),
        "promise unknown": (RECIPE.replace("KAnonymity", "KAnonimity"), "KAnonymity"),
        "promise a number": ("promise = 3\n" + RECIPE.split("[[promise]]")[0], "promise"),
        "promise a text": ('promise = "k"\n' + RECIPE.split("[[promise]]")[0], "promise"),
        "k a text": (RECIPE.replace("k = 2", 'k = "2"'), "k must be"),
        "k 0": (RECIPE.replace("k = 2", "k = 0"), "k must be"),
        "k true": (RECIPE.replace("k = 2", "k = true"), "k must be"),
        "k nan": (RECIPE.replace("k = 2", "k = nan"), "k must be"),
        "k a list": (RECIPE.replace("k = 2", "k = [2]"), "k must be"),
        "k left out": (RECIPE.replace("k = 2", ""), "needs k"),
        "promises 20 deep": (
            RECIPE.split("[[promise]]")[0] + "promise = " + '{name="All",promises=[' * 20 + "3" + "]}" * 20, "promise",
        ),
        "promises 300 deep": (
            RECIPE.split("[[promise]]")[0] + "[[promise]]\n" + 'name="All"\npromises=['
            + '{name="All",promises=[' * 300 + "]}" * 300 + "]", "nested deeper",
        ),
        "promises of numbers": (RECIPE.replace('"KAnonymity"\nk = 2', '"All"\npromises = [1]'), "promise"),
        "promises a text": (RECIPE.replace('"KAnonymity"\nk = 2', '"All"\npromises = "x"'), "promise"),
        "path a number": (RECIPE.replace('"p.csv"', "3"), "input.path"),
        "path left out": (RECIPE.replace('path = "p.csv"\n', ""), "either path or uri"),
        "path and uri": (RECIPE.replace('path = "p.csv"', 'path = "p.csv"\nuri = "x://y"'), "either path or uri"),
        "path not there": (RECIPE.replace("p.csv", "none.csv"), "does not exist"),
        "path with NUL": (RECIPE.replace("p.csv", "p\\u0000.csv"), "does not exist"),
        "path a folder": (RECIPE.replace("p.csv", "."), "folder"),
        "schema not there": (RECIPE.replace("s.toml", "none.toml"), "does not exist"),
        "schema with NUL": (RECIPE.replace("s.toml", "s\\u0000.toml"), "not a path"),
        "schema a number": (RECIPE.replace('"s.toml"', "3"), "schema"),
        "schema twice": (RECIPE + '[schema]\nrest = "plain"\n', "give the schema once"),
        "no schema": (RECIPE.replace('schema = "s.toml"\n', ""), "give the schema once"),
        "delimiter long": (RECIPE.replace('"p.csv"', '"p.csv"\ndelimiter = ";;"'), "one ASCII character"),
        "delimiter empty": (RECIPE.replace('"p.csv"', '"p.csv"\ndelimiter = ""'), "one ASCII character"),
        "delimiter a quote": (RECIPE.replace('"p.csv"', '"p.csv"\ndelimiter = "\\""'), "one ASCII character"),
        "delimiter a letter": (RECIPE.replace('"p.csv"', '"p.csv"\ndelimiter = "ä"'), "one ASCII character"),
        "delimiter NUL": (RECIPE.replace('"p.csv"', '"p.csv"\ndelimiter = "\\u0000"'), "one ASCII character"),
        "missing a text": (RECIPE.replace('"p.csv"', '"p.csv"\nmissing = "x"'), "input.missing"),
        "missing of numbers": (RECIPE.replace('"p.csv"', '"p.csv"\nmissing = [1]'), "input.missing"),
        "query of a file": (RECIPE.replace('"p.csv"', '"p.csv"\nquery = "SELECT"'), "query goes with a database"),
        "baskets unknown": (RECIPE.replace('"p.csv"', '"p.csv"\nbaskets = "x"'), "input.baskets"),
        "record of a table": (RECIPE.replace('"p.csv"', '"p.csv"\nrecord = "x"'), "input.record is for sets"),
        "direction of a table": (RECIPE.replace('"p.csv"', '"p.csv"\ndirection = "any"'), "input.direction"),
        "format unknown": (RECIPE + '[output]\nformat = "xls"\n', "output.format"),
        "report a text": (RECIPE + '[output]\nreport = "yes"\n', "output.report"),
        "folder a number": (RECIPE + "[output]\nfolder = 3\n", "output.folder"),
        "folder with NUL": (RECIPE + '[output]\nfolder = "o\\u0000ut"\n', "no folder can be called"),
        "previous a text": ('previous = "x"\n' + RECIPE, "previous"),
        "previous not there": ('previous = ["none"]\n' + RECIPE, "none"),
        "a population not there": (RECIPE.replace('"KAnonymity"\nk = 2', '"KMap"\nk = 2\npopulation = "n.csv"'), "n.csv"),
        "a population of NUL": (RECIPE.replace('"KAnonymity"\nk = 2', '"KMap"\nk = 2\npopulation = "\\u0000"'), "does not exist"),
    }  # fmt: skip
    for encoding in ("a\\u0000", "", "klingon", "x" * 10_000, "rot13", "base64", "idna", "undefined", "punycode"):
        text = RECIPE.replace('"p.csv"', f'"p.csv"\nencoding = "{encoding}"')
        whole[f"encoding {encoding[:20]!r}"] = (text, "there is no encoding")
    for name, (text, says) in whole.items():
        content = text if isinstance(text, bytes) else text.encode()
        to = ["-o", "out"] if "folder with" not in name else []
        yield Bad(f"recipe: {name}", ["publish", "r.toml", *to], says, {"r.toml": content})
    yield Bad("recipe: not there", ["publish", "none.toml", "-o", "out"], "does not exist")
    yield Bad("recipe: no folder", ["publish", "r.toml"], "--output is missing", {"r.toml": RECIPE.encode()})
    for given in ("--k 2", "--schema s.toml", "--method Mondrian", "--param strict=true", "--missing x", "--label x"):
        words = ["publish", "r.toml", "-o", "out", *given.split()]
        yield Bad(f"recipe: with {given}", words, "leave those options out", {"r.toml": RECIPE.encode()})


def names() -> Iterator[Bad]:
    """NUL and other characters that no name has, in every place."""
    nul = "an argument holds a NUL character"
    for words in (
        ["inspect", "p\0.csv"], ["publish", "p\0.csv", *PUBLISH[2:]], [*PUBLISH[:-1], "o\0ut"],
        ["publish", "p.csv", "--schema", "s\0.toml", "--k", "2", "-o", "out"], ["verify", "R\0"],
        ["verify", "p.csv", "--quasi", "a\0", "--k", "2"], [*PUBLISH, "--seed", "a\0"],
        [*PUBLISH, "--param", "strict=\0"], [*PUBLISH, "--method", "\0"], ["ask", "R", "SELECT \0"],
        ["measure", "R", "p\0.csv"], ["attack", "R", "p\0.csv"], ["estimate", "G\0"], ["risk", "e\0.txt"],
        ["inspect", "b.dat", "--labels", "\0"], [*PUBLISH, "--population", "\0"], ["\0"], ["demo", "x\0"],
        ["inspect", "duckdb:///\0", "--query", "SELECT 1"], ["inspect", "p.csv", "-o", "\0"],
    ):  # fmt: skip
        yield Bad(f"NUL in {' '.join(words)!r}", words, nul)
    for name, path in {
        "a line break": "no\nfile.csv", "an escape": "no\x1b[31m.csv", "10000 letters": "x" * 10_000 + ".csv",
        "a lone surrogate": "no\udcff.csv", "a right-to-left mark": "no\u202e.csv",
    }.items():  # fmt: skip
        says = "File name too long" if len(path) > 255 else "does not exist"
        for verb in (["inspect", path, "-o", "n.toml"], ["publish", path, *PUBLISH[2:]], ["risk", path]):
            yield Bad(f"{verb[0]} a name with {name}", verb, says)
        yield Bad(f"verify a name with {name}", ["verify", path, "--quasi", "a", "--k", "2"], says)
