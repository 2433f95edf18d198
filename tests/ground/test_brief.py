from sfumato.ground.brief import brief_number, fit_screen, name_some


def test_what_fits_stays():
    assert fit_screen("one\ntwo") == "one\ntwo"


def test_what_does_not_is_cut_and_says_so():
    cut = fit_screen("\n".join(f"line {i}" for i in range(100)))
    assert cut.count("\n") == 19
    assert cut.endswith("... 81 more lines; print() shows them")
    assert len(fit_screen("x" * 10_000)) < 1_400
    assert len(fit_screen("\n".join(["x" * 500] * 10))) < 1_400


def test_names_are_counted_where_there_are_many():
    assert name_some(["a"]) == "['a']"
    assert name_some(list("abc"), most=1) == "['a' and 2 more]"


def test_small_numbers_keep_three_digits():
    told = [brief_number(value) for value in (0.0, 0.5, -0.5, 12.34, 0.001, 0.00099, 0.0000123, -0.00042, 1e-7, 3e-12)]
    assert told == [
        "0.0000", "0.5000", "-0.5000", "12.3", "0.0010", "0.000990", "0.0000123", "-0.000420", "0.000000100", "3.00e-12"
    ]  # fmt: skip
