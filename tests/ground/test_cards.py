from sfumato.ground.cards import card, chip, facts, folded, grid, lines, small

EVIL = '<script>"&'


def test_every_part_escapes_what_it_is_given():
    for made in (card(EVIL, EVIL, badge=EVIL), chip(EVIL, "good"), facts({EVIL: EVIL}), grid([EVIL], [[EVIL]]),
                 folded(EVIL, EVIL), lines([EVIL]), small(EVIL)):  # fmt: skip
        assert "<script" not in made
        assert "&lt;script&gt;&quot;&amp;" in made


def test_parts_go_into_parts_as_they_are():
    assert "&lt;span" not in card("x", lines([chip("holds", "good")]))


def test_long_texts_are_cut():
    assert len(card("x" * 10_000)) < 1_000
