"""`sfumato keys`."""

from __future__ import annotations

from pathlib import Path

from sfumato.cli.options import say, write_json
from sfumato.release.signing import make_keys

__all__ = ["run"]


def run(name: Path, *, as_json: bool) -> int:
    """Write a pair of keys, and say what each is for."""
    private, public, fingerprint = make_keys(name)
    if as_json:
        write_json({"private": str(private), "public": str(public), "fingerprint": fingerprint})
    else:
        say(
            f"Wrote {private}, to sign with: sfumato publish ... --sign {private}. Keep it to yourself.",
            f"Wrote {public}, for readers: sfumato verify ... --signed-by {public}",
            f"  fingerprint {fingerprint}",
        )
    return 0
