"""A table of patients, and certificates that are signed again after somebody edited a release."""

import hashlib
import json

import sfumato as sf
from sfumato.datasets import hospital

QUASI = ["age", "sex", "department"]


def hospital_table():
    frame = hospital(200, seed=3).frame.select("mrn", *QUASI, "diagnosis").drop_nulls()
    return sf.Table(frame, sf.Schema(identifier=["mrn"], quasi=QUASI, sensitive=["diagnosis"]))


def sign_again(folder, certificate):
    """Write the certificate of an edited release, and in what the owner kept that it goes with this one."""
    for name in certificate["files"]:
        data = (folder / name).read_bytes()
        certificate["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    text = json.dumps(certificate)
    (folder / "release.json").write_text(text)
    kept = folder.parent / "owner" / folder.name / "owner.json"
    if kept.is_file():
        told = json.loads(kept.read_text()) | {"release_sha256": hashlib.sha256(text.encode()).hexdigest()}
        kept.write_text(json.dumps(told))
