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
    for name in certificate["files"]:
        data = (folder / name).read_bytes()
        certificate["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    (folder / "release.json").write_text(json.dumps(certificate))
