"""`sfumato attack`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.attacking import attack_from_dict
from sfumato.bundle import load_release
from sfumato.cli.options import parameters_from, say, seed_from, write_json
from sfumato.cli.verifying import original_of
from sfumato.data.graph import Graph
from sfumato.data.published_baskets import PublishedBaskets
from sfumato.errors import ParameterError
from sfumato.verbs.attack import attack

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile
    from sfumato.release import Release

__all__ = ["run"]


def run(
    folder: Path,
    original: str,
    *,
    name: str | None,
    parameters: list[str],
    schema: Path | None,
    sets: SetFile,
    seed: str | None,
    missing: str,
    as_json: bool,
) -> int:
    """Attack a release folder and say what was found."""
    release = load_release(folder)
    chosen = attack_from_dict({"name": name or _usual(release), **parameters_from(parameters)})
    found = attack(release, chosen, original_of(release, original, schema, sets, missing), seed=seed_from(seed))
    if as_json:
        write_json(found.to_dict())
    else:
        say(str(found))
    return 0


def _usual(release: Release) -> str:
    """The adversary to fear most of those known for such data."""
    if isinstance(release.data, PublishedBaskets):
        return "ItemKnowledge"
    if isinstance(release.data, Graph):
        return "StructuralAttack"
    raise ParameterError("no attack is known yet for releases of tables; measure their risks with sfumato measure")
