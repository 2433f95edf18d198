"""Estimates of multi-freq-ldpy and pure-LDP from the same reports; run by `benchmarks/shares.py` in an environment of
its own, which has both and not sfumato:

    pip install multi-freq-ldpy==0.2.5 pure-ldp==1.2.0 scikit-learn 'xxhash<4'

Reads a folder of reports (`*.npy`, named by protocol) and `asked.json`, prints estimates and seconds as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np


def main(folder: Path) -> None:
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_IBU, GRR_Aggregator_MI, GRR_Client
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
    from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
    from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client
    from pure_ldp.frequency_oracles.direct_encoding import DEServer
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
    from pure_ldp.frequency_oracles.unary_encoding import UEServer

    asked = json.loads((folder / "asked.json").read_text())
    k, epsilon = asked["k"], asked["epsilon"]
    told: dict[str, Any] = {}

    def timed(name: str, make: Any) -> Any:
        start = time.perf_counter()
        made = make()
        told[name] = {"seconds": time.perf_counter() - start}
        return made

    def served(server: Any, reports: Any) -> Any:
        for report in reports:
            server.aggregate(report)
        return np.array([server.estimate(v + 1, suppress_warnings=True) for v in range(k)])

    def keep(name: str, shares: Any) -> None:
        told[name]["shares"] = np.asarray(shares, dtype=float).tolist()

    kary = np.load(folder / "kary.npy")[:, 0]
    keep("multi-freq-ldpy GRR", timed("multi-freq-ldpy GRR", lambda: GRR_Aggregator_MI(kary, k, epsilon)))
    keep("pure-LDP DE", timed("pure-LDP DE", lambda: served(DEServer(epsilon, k), kary.tolist())) / len(kary))
    if asked.get("iterated"):
        keep("multi-freq-ldpy GRR IBU", timed("multi-freq-ldpy GRR IBU", lambda: GRR_Aggregator_IBU(kary, k, epsilon)))
    unary = np.load(folder / "unary.npy")
    keep("multi-freq-ldpy OUE", timed("multi-freq-ldpy OUE", lambda: UE_Aggregator_MI(unary, epsilon)))
    if asked["timed"]:
        ue = timed("pure-LDP OUE", lambda: served(UEServer(epsilon, k, use_oue=True), unary))
        keep("pure-LDP OUE", ue / len(unary))
    subset = np.load(folder / "subset.npy")
    keep("multi-freq-ldpy SS", timed("multi-freq-ldpy SS", lambda: SS_Aggregator_MI(subset, k, epsilon)))
    if asked["timed"]:
        some = np.load(folder / "answers.npy")[: asked["some"]].tolist()
        told["some"] = len(some)
        timed("client multi-freq-ldpy GRR", lambda: [GRR_Client(each, k, epsilon) for each in some])
        timed("client multi-freq-ldpy OUE", lambda: [UE_Client(each, k, epsilon) for each in some])
        timed("client multi-freq-ldpy SS", lambda: [SS_Client(each, k, epsilon) for each in some])
        hashed = timed("client multi-freq-ldpy LH", lambda: [LH_Client(each, k, epsilon) for each in some])
        timed("multi-freq-ldpy LH", lambda: LH_Aggregator_MI(hashed, k, epsilon))
        client = LHClient(epsilon, k, use_olh=True)
        private = timed("client pure-LDP LH", lambda: [client.privatise(each + 1) for each in some])
        timed("pure-LDP LH", lambda: served(LHServer(epsilon, k, use_olh=True), private))
    print(json.dumps(told))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
