"""Points: what tells two of them apart."""

import sfumato as sf
from sfumato.datasets import hospital
from sfumato.verbs.comparing.plan import planned
from sfumato.verbs.comparing.point import Point


def test_promises_that_differ_in_what_their_text_hides_are_different_points():
    table, one, other = hospital(60), hospital(200), hospital(200, seed=2)
    promises = [sf.KMap(3, one), sf.KMap(3, other), sf.KMap(3, one)]
    points = planned(table, ["BestFirst"], promises)
    assert [point.promise.population for point in points] == [one, other]
    assert len({point.key for point in points}) == 2
    assert len({point.strength for point in points}) == 2
    assert points[0].strength.startswith("KMap(k=3), population of 200 (")
    near, far = (
        sf.TCloseness(0.2, ground={"values": ["flu", "gout"], "distances": [[0, each], [each, 0]]}) for each in (0.5, 1)
    )
    assert repr(near) == repr(far)
    points = [Point(method=sf.Mondrian(), promise=each) for each in (near, far, far)]
    assert points[0].key != points[1].key == points[2].key
    assert points[0].strength != points[1].strength == points[2].strength


def test_methods_whose_texts_are_cut_are_different_points():
    shares = {str(value): 1 / 400 for value in range(400)}
    one, other = (
        sf.TargetDistribution(sf.Target.histogram({**shares, "399": last})) for last in (1 / 400, 1 / 400 + 1e-12)
    )
    assert repr(one.target) == repr(other.target)
    assert Point(method=one, promise=None).key != Point(method=other, promise=None).key


def test_a_command_says_how_the_data_are_read_and_names_no_schema_where_there_is_none():
    point = Point(method=sf.Mondrian(), promise=sf.KAnonymity(5))
    said = point.command("my data.csv", "s.toml", reading=["--query", "SELECT *", "--missing=-9"])
    assert said == (
        "sfumato publish 'my data.csv' --schema s.toml --query 'SELECT *' --missing=-9 --method Mondrian --k 5 -o out"
    )
    grouped = Point(method=sf.Grouped(), promise=sf.KAnonymity(5))
    assert grouped.command("a.dat") == "sfumato publish a.dat --method Grouped --k 5 -o out"


def test_distances_of_a_file_are_said_by_a_recipe():
    ground = {"values": ["flu", "gout"], "distances": [[0, 0.5], [0.5, 0]]}
    point = Point(method=sf.Mondrian(), promise=sf.TCloseness(0.2, ground=ground))
    assert point.command() is None
    assert 'ground = { values = ["flu", "gout"], distances = [[0.0, 0.5], [0.5, 0.0]] }' in point.recipe
