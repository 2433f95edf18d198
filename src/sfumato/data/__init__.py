"""Data and what they mean: reading, describing and writing tables, baskets and graphs.

`table`, `baskets` and `graph` hold the data; `reading`, `reading_baskets` and `reading_graphs` read them from files.
Of tables, `schema` says what each column is, `hierarchy` and `tree` how its values can be generalised, and `encoding`
turns columns into integer codes. `shown` is what a published cell means. `inspecting` takes a first look at data:
`persons` sees whether rows are persons, `going_with` which columns tell a sensitive one.
"""
