"""Order statistics of records whose values are known as a distribution only."""

import polars as pl

import sfumato as sf
from support.asked import subdomain_release


def test_order_statistics_are_quantiles_of_the_mixture():
    frame = pl.DataFrame({"a": range(9), "pay": [1] * 9})
    release = subdomain_release(frame, "pay", [0] * 9, [1, 2, 3, 4, 5], {0: [(0, 4, 9)]})
    found = {name: sf.ask(release, f"SELECT {name}(pay) FROM release").value for name in ("MIN", "MEDIAN", "MAX")}
    assert found == {"MIN": 1, "MEDIAN": 3, "MAX": 5}
    median = sf.ask(release, "SELECT MEDIAN(pay) FROM release")  # quantiles at 1/2 -+ 1/6: 2 and 4
    assert median.spread == 1
