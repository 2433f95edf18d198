"""Signed certificates: who made a release, beside what its files keep.

An owner's signature (Ed25519, RFC 8032) is over the bytes of `release.json`, which lists the hash of every other file,
and lies in `release.sig` beside it. Whoever has the owner's public key from the owner can then tell that the release is
theirs, and as they left it. `cryptography` does the work; it is an extra, imported when a key is used.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data.json_file import parse_json
from sfumato.ground.errors import DamagedReleaseError, ParameterError
from sfumato.ground.optional import load_optional

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

__all__ = ["Signature", "fingerprint_of_key", "make_keys", "read_signature", "sign_bytes", "signature_flaws"]

_FORMAT = "sfumato signature 1"
_DOMAIN = b"sfumato release certificate\0"
"""Comes before what is signed, so that no signature for another purpose is one of a release."""
_LARGEST_KEY = 10_000
_FINGERPRINT = re.compile(r"[0-9a-f]{4}( [0-9a-f]{4})*")


@dataclass(frozen=True, kw_only=True)
class Signature:
    """What was read beside a certificate: a signature, the bytes that it should be of, and whose it is said to be."""

    value: bytes
    signed: bytes
    key: str
    """The fingerprint of the key that it is said to be made with."""


def make_keys(path: Path) -> tuple[Path, Path, str]:
    """Write a new pair of keys, `NAME.key` for the owner alone and `NAME.pub`; return both and the fingerprint."""
    _ed25519()
    from cryptography.hazmat.primitives import serialization

    if path.name in ("", "..") or "\0" in path.name:
        raise ParameterError(f"keys need a name, as in `sfumato keys hospital`; {str(path)!r} is none")
    private_path, public_path = (path.with_name(f"{path.name}.{ending}") for ending in ("key", "pub"))
    private = _ed25519().Ed25519PrivateKey.generate()
    secret = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = private.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    for taken in (private_path, public_path):
        if os.path.lexists(taken):
            raise ParameterError(f"'{taken.name}' exists already, and keys are never overwritten; choose another name")
    _write_new(private_path, secret, 0o600)
    try:
        _write_new(public_path, public, 0o644)
    except OSError:
        private_path.unlink()
        raise
    return private_path, public_path, fingerprint_of_key(public_path)


def _write_new(path: Path, content: bytes, mode: int) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    with os.fdopen(handle, "wb") as file:
        file.write(content)


def sign_bytes(certificate: bytes, key: Path) -> bytes:
    """Return the content of `release.sig` for a certificate, made with the private key in a file."""
    private = _private_key(key)
    said = {
        "format": _FORMAT,
        "key": _fingerprint(private.public_key()),
        "signature": base64.b64encode(private.sign(_DOMAIN + certificate)).decode(),
    }
    return ("{\n" + ",\n".join(f'  "{name}": "{value}"' for name, value in said.items()) + "\n}\n").encode()


def read_signature(content: bytes, certificate: bytes, what: str) -> Signature:
    """Read what `sign_bytes` wrote; whether it is a true signature is asked with a key."""
    said = parse_json(content, what, error=DamagedReleaseError)
    if not isinstance(said, dict) or said.get("format") != _FORMAT:
        raise DamagedReleaseError(f"{what} is of an unknown format; it may need a newer sfumato")
    if set(said) != {"format", "key", "signature"} or not _FINGERPRINT.fullmatch(str(said["key"])):
        raise DamagedReleaseError(f"{what} says other things than whose it is; ask its owner for a new copy")
    try:
        value = base64.b64decode(str(said["signature"]), validate=True)
    except (KeyError, binascii.Error, ValueError):
        raise DamagedReleaseError(f"{what} holds no signature; ask its owner for a new copy") from None
    return Signature(value=value, signed=certificate, key=str(said.get("key", "")))


def signature_flaws(signature: Signature | None, key: Path) -> list[str]:
    """Say why the signature is not one of the owner of this public key, a clause; nothing where it is."""
    public = _public_key(key)
    if signature is None:
        return ["the certificate is not signed"]
    from cryptography.exceptions import InvalidSignature

    with suppress(InvalidSignature):
        public.verify(signature.value, _DOMAIN + signature.signed)
        return []
    if signature.key != _fingerprint(public):
        return [f"the certificate is signed with another key than '{key.name}'"]
    return ["the certificate has changed since it was signed"]


def fingerprint_of_key(key: Path) -> str:
    """The fingerprint of a public key, by which people compare it on the telephone."""
    return _fingerprint(_public_key(key))


def _fingerprint(public: Ed25519PublicKey) -> str:
    digest = hashlib.sha256(public.public_bytes_raw()).hexdigest()[:32]
    return " ".join(digest[i : i + 4] for i in range(0, 32, 4))


def _private_key(path: Path) -> Ed25519PrivateKey:
    found = _load_key(path, private=True)
    if not isinstance(found, _ed25519().Ed25519PrivateKey):
        raise ParameterError(f"'{path.name}' holds no private key for signing; `sfumato keys NAME` makes one")
    key: Ed25519PrivateKey = found
    return key


def _public_key(path: Path) -> Ed25519PublicKey:
    found = _load_key(path, private=False)
    if not isinstance(found, _ed25519().Ed25519PublicKey):
        raise ParameterError(f"'{path.name}' holds no public key for signatures; ask the owner for NAME.pub")
    key: Ed25519PublicKey = found
    return key


def _load_key(path: Path, *, private: bool) -> Any:
    _ed25519()
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization

    try:
        content = path.read_bytes()[:_LARGEST_KEY]
    except OSError as error:
        raise ParameterError(f"the key '{path}' cannot be read: {error.strerror}; check the path") from None
    except ValueError:
        raise ParameterError(f"{str(path)!r} is not a path; name the file of a key") from None
    try:
        if private:
            return serialization.load_pem_private_key(content, password=None)
        return serialization.load_pem_public_key(content)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return None


def _ed25519() -> Any:
    return load_optional("cryptography.hazmat.primitives.asymmetric.ed25519", to="a signature")
