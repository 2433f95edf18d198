"""Published data in files keep their types."""

import pandas as pd
import pytest

import sfumato as sf


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "Europe/Rome"])
def test_times_survive_a_csv(tmp_path, unit, zone):
    moments = (
        pd.to_datetime([f"2024-01-0{i} 10:30" for i in range(1, 9)]).astype(f"datetime64[{unit}]").tz_localize(zone)
    )
    frame = pd.DataFrame({"a": range(8), "s": moments, "p": moments})
    table = sf.Table(frame, sf.Schema(quasi=["a"], sensitive=["s"], plain=["p"]))
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(2))
    release.save(tmp_path / "kept", format="csv")
    assert sf.verify(sf.load_release(tmp_path / "kept"), original=table)
    quasi = sf.Table(frame[["s"]], sf.Schema(quasi=["s"]))
    sf.publish(quasi, sf.Mondrian(show="means"), sf.KAnonymity(2)).save(tmp_path / "means", format="csv")
    assert sf.verify(sf.load_release(tmp_path / "means"), original=quasi)
