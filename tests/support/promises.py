"""Every promise there is."""

from sfumato.privacy.promise import known_promises

PROMISES = sorted(known_promises().values(), key=lambda each: each.__name__)
