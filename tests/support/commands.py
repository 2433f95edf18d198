"""Words of the command line that several tests give."""

from sfumato.cli import run

PUBLISH = ["publish", "patients.csv", "--schema", "schema.toml", "--k", "5", "-o", "out"]
"""For the folder of patients that the fixture `folder` makes."""


def run_words(*words):
    """Run the command with these words, paths and numbers among them."""
    return run([str(word) for word in words])
