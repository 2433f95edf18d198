"""The page on noisy counts: what readers see, and what the owner's copy adds."""

from sfumato.published.shape import shape_of
from sfumato.report.counts_content import gather_counts
from sfumato.verbs.measure import measure
from support.counted_tables import counted, people


def test_readers_see_counts_with_their_intervals_and_no_true_one():
    release = counted(by=[["sex"], ["region"]], epsilon=1)
    page = release.report().html
    assert "No record is published." in page
    assert "± 6" in page
    assert "truly" not in page
    assert "DifferentialPrivacy(epsilon=1)" in page
    assert (
        "Nothing contradicts the promise of differential privacy with epsilon 1, which no single release can prove."
        in page
    )
    assert page.count("<svg") == 2


def test_the_owner_sees_the_true_counts_beside_them():
    release = counted(epsilon=50)
    page = release.report(owner=True).html
    assert "truly" in page
    assert "For the owner only" in page
    content = gather_counts(shape_of(release), release.verdict, measure(release), people())
    assert [(row.keys, row.true) for row in content.marginals[0].rows][:2] == [("f, north", "12"), ("f, south", "30")]
    assert all(row.inside for row in content.marginals[0].rows)


def test_parameters_are_told_as_people_read_them():
    release = counted(by=[["sex"], []], values={"sex": ["f", "m"]}, epsilon=2)
    content = gather_counts(shape_of(release), release.verdict, measure(release))
    assert dict(content.parameters) == {
        "counted by": "sex; no column: all records", "epsilon": "2", "neighbours": "added or removed",
        "values": "sex=f, m", "scale of the noise": "1",
    }  # fmt: skip


def test_keys_that_were_found_are_said_to_be():
    release = counted(values={"sex": ["f", "m"]}, delta=1e-2)
    content = gather_counts(shape_of(release), release.verdict, measure(release))
    assert dict(content.legend)["not listed"].startswith("Keys were found in the data.")
    assert dict(content.parameters)["least count shown"] == str(shape_of(release).cells.marginals[0].threshold)
