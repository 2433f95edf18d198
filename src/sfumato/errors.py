"""What can go wrong, by whose doing: `sfumato.ground.errors` under its public address."""

from sfumato.ground.errors import *  # noqa: F403
