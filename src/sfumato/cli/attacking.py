"""`sfumato attack`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sfumato.attacking import attack_from_dict
from sfumato.bundle import load_release
from sfumato.cli.options import parameters_from, say, seed_from, write_json
from sfumato.cli.verifying import original_of
from sfumato.verbs.attack import attack

if TYPE_CHECKING:
    from sfumato.cli.app import SetFile

__all__ = ["run"]


def run(
    folder: Path,
    original: str,
    *,
    name: str,
    parameters: list[str],
    schema: Path | None,
    sets: SetFile,
    seed: str | None,
    missing: str,
    as_json: bool,
) -> int:
    """Attack a release folder and say what was found."""
    chosen = attack_from_dict({"name": name, **parameters_from(parameters)})
    release = load_release(folder)
    found = attack(release, chosen, original_of(release, original, schema, sets, missing), seed=seed_from(seed))
    if as_json:
        write_json(found.to_dict())
    else:
        say(str(found))
    return 0
