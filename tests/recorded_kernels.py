"""Record which kernels a first run compiles, for `sfumato.ground.compiling`.

    python tests/recorded_kernels.py            # says what is missing or needless, and exits with 1 where something is
    python tests/recorded_kernels.py --record   # writes src/sfumato/ground/kernels.json anew

Every job publishes and saves a small made-up release in a process of its own, with an empty folder for compiled code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent.parent / "src" / "sfumato" / "ground" / "kernels.json"
JOBS = (
    "LocalRecoding",
    "Ordered",
    "Hilbert",
    "Mondrian",
    "BestFirst",
    "Grouped",
    "Apriori",
    "EdgePerturbation",
    "polish",
)
"""Methods, and what `Best` does after them: the steps of `polish=STEPS`, without the method that they follow."""


def publish(job: str, folder: str) -> None:
    """Do what a new user does with this method."""
    import sfumato as sf

    if job == "EdgePerturbation":
        edges = Path(folder, "edges.txt")
        edges.write_text("".join(f"{i} {(i * i + 3) % 97}\n" for i in range(200)))
        release = sf.publish(sf.read_graph(edges), sf.EdgePerturbation(mu=0.01))
    elif job in ("Grouped", "Apriori"):
        lines = Path(folder, "baskets.dat")
        lines.write_text("".join(f"{i % 7} {i % 5 + 10} {i % 3 + 20}\n" for i in range(60)))
        promise = sf.KMAnonymity(3, 2) if job == "Apriori" else sf.KAnonymity(3)
        release = sf.publish(sf.read_baskets(lines), getattr(sf, job)(), promise)
    elif job == "polish":
        for promise in (sf.KAnonymity(5), sf.KAnonymity(5) & sf.LDiversity(2)):
            release = sf.publish(sf.datasets.hospital(120), sf.Ordered(polish=200), promise)
    else:
        for promise in (sf.KAnonymity(5), sf.KAnonymity(5) & sf.LDiversity(2)):
            release = sf.publish(sf.datasets.hospital(120), getattr(sf, job)(), promise)
    release.save(Path(folder, "out"))


def calls(job: str) -> list[Any]:
    """The kernels that Python called, in the order in which they were compiled."""
    from numba.core import event

    from sfumato.ground.compiling import written_type

    found: list[Any] = []

    class Listener(event.Listener):
        depth = 0

        def on_start(self, event: Any) -> None:
            self.depth += 1

        def on_end(self, event: Any) -> None:
            self.depth -= 1
            function = event.data["dispatcher"].py_func
            if self.depth == 0 and function.__module__.startswith("sfumato."):
                types = [written_type(each) for each in event.data["args"]]
                found.append([function.__module__.removeprefix("sfumato."), function.__qualname__, types])

    with tempfile.TemporaryDirectory() as folder, event.install_listener("numba:compile", Listener()):
        publish(job, folder)
    return [call for call in found if job != "polish" or ".regrouping" in call[0]]


def recorded() -> dict[str, list[Any]]:
    """The calls of all jobs, each from a process with nothing compiled."""
    result: dict[str, list[Any]] = {}
    for job in JOBS:
        with tempfile.TemporaryDirectory() as folder:
            environment = {**os.environ, "NUMBA_CACHE_DIR": folder, "SFUMATO_COMPILE": "alone"}
            output = subprocess.run(
                [sys.executable, __file__, "--job", job], env=environment, check=True, capture_output=True, text=True
            ).stdout
        result[job] = json.loads(output.splitlines()[-1])
    return result


def main() -> int:
    """Compare with what is recorded, or record."""
    if sys.argv[1:2] == ["--job"]:
        print(json.dumps(calls(sys.argv[2])))
        return 0
    found = recorded()
    if "--record" in sys.argv:
        lines = (
            f"{json.dumps(job)}: [\n" + ",\n".join(f" {json.dumps(each)}" for each in of_job) + "\n]"
            for job, of_job in found.items()
        )
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
        return 0
    kept = json.loads(FILE.read_text(encoding="utf-8"))
    differing = [job for job in JOBS if kept.get(job) != found[job]]
    if differing:
        print(f"other kernels are compiled now for {', '.join(differing)}; record them with --record")
    return 1 if differing else 0


if __name__ == "__main__":
    sys.exit(main())
