"""Notes on risk stand with the risks."""

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.report.risks import risk_notes
from support.report_pages import report_page


def test_the_note_on_the_marketer_stands_with_the_risks():
    table = hospital(200)
    release = sf.publish(table, sf.Mondrian(), sf.KAnonymity(5), seed=1)
    page = report_page(release, table)
    at = page.index("marketer&#39;s risk of")
    assert page.index('<h2 id="risk"') < at < page.index('<h2 id="utility"')
    assert risk_notes(["the marketer's risk of 5%", "3 rows show nothing: they count as wholly lost"]) == (
        ["the marketer's risk of 5%"], ["3 rows show nothing: they count as wholly lost"],
    )  # fmt: skip
