"""`sfumato attack`."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.cli.options import parameters_from, refuse_unused, releases_from, say, seed_from, write_json
from sfumato.cli.progress_lines import told_steps
from sfumato.cli.verifying import original_of
from sfumato.contracts.attack import attack_from_dict
from sfumato.data.baskets import Baskets
from sfumato.data.graph import Graph
from sfumato.data.reading import read_table
from sfumato.data.table import Table
from sfumato.ground.errors import ParameterError
from sfumato.published.shape import shape_of
from sfumato.release.bundle import load_release
from sfumato.verbs.attack import attack
from sfumato.verbs.threats import threats

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile
    from sfumato.contracts.attack import Attacked
    from sfumato.release.release import Release
    from sfumato.verbs.threats import Panel

__all__ = ["run"]

_ATTACK_STEPS, _PANEL_STEPS = 3, 12


def run(
    folder: Path,
    original: str,
    *,
    name: str | None,
    parameters: list[str],
    schema: Path | None,
    sets: SetFile,
    previous: list[Path],
    originals: list[str],
    seed: str | None,
    within: float,
    missing: str,
    as_json: bool,
) -> int:
    """Attack a release folder and say what was found, within so many seconds; 0 sets no limit."""
    if not (math.isfinite(within) and within >= 0):
        raise ParameterError(f"--within takes a number of seconds, or 0 for no limit; got {within:g}")
    release = load_release(folder)
    if shape_of(release).original_type is Table:
        refuse_unused(sets, "a table")
    earlier = _earlier(previous, originals, schema, sets, missing)
    truth = original_of(release, original, schema, sets, missing)
    found: Attacked | Panel
    limit = within or None
    if name is None and not earlier and shape_of(release).original_type is Table:
        outside = _outside(parameters, missing)
        with told_steps(_PANEL_STEPS, "attacking") as progress:
            found = threats(
                release, truth, outside=outside, seed=seed_from(seed), within=limit, progress=progress,  # type: ignore[arg-type]
            )  # fmt: skip
    else:
        usual = "IntersectionAttack" if earlier and name is None else name or _default_attack(release)
        chosen = attack_from_dict({"name": usual, **earlier, **parameters_from(parameters)})
        with told_steps(_ATTACK_STEPS, "attacking") as progress:
            found = attack(release, chosen, truth, seed=seed_from(seed), within=limit, progress=progress)
    read = _read_back(release, truth) if name is None and shape_of(release).original_type is Baskets else None
    if as_json:
        write_json(found.to_dict() | ({"read_back": read.to_dict()} if read is not None else {}))
    else:
        say(str(found), *([f"\n{read}"] if read is not None else []))
    return 0


def _read_back(release: Release, truth: Table | Baskets | Graph) -> Attacked | None:
    """What can be read for certain by who knows the method; None where that is no question of such a release."""
    with suppress(ParameterError):
        return attack(release, attack_from_dict({"name": "ReadBack"}), truth)
    return None


def _earlier(
    previous: list[Path], originals: list[str], schema: Path | None, sets: SetFile, missing: str
) -> dict[str, Any]:  # fmt: skip
    """The parameters of an attack that name earlier releases and their originals."""
    if originals and len(originals) != len(previous):
        raise ParameterError("--previous-original is given once for each --previous, in the same order")
    releases = releases_from(previous)
    if not originals:
        return {"previous": releases} if releases else {}
    tables = [original_of(each, path, schema, sets, missing) for each, path in zip(releases, originals, strict=True)]
    return {"previous": releases, "originals": tables}


def _default_attack(release: Release) -> str:
    """The attack where none is named: the strongest one on such data."""
    usual = {Baskets: "ItemKnowledge", Graph: "StructuralAttack"}.get(shape_of(release).original_type)
    if usual is None:
        raise ParameterError("of a table name the attack, as in --attack LinkageAttack")
    return usual


def _outside(parameters: list[str], missing: str) -> Table | None:
    """The outside table that the panel links to, where one is named."""
    given = parameters_from(parameters)
    other = next((name for name in given if name != "outside"), None)
    if other is not None:
        raise ParameterError(f"name the attack that takes {other!r}, as in --attack LinkageAttack")
    return read_table(str(given["outside"]), missing=missing.split(",")) if given else None
