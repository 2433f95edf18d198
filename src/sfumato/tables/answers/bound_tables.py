"""The bound tables: what bounds over groups that list values are read from, as plain SQL over the published tables.

    release             the rows, as published
    release_domain      the values that may occur, by place
    release_targets     the weight of each place in each target distribution
    release_pieces      parts of the domain, from their first place to their last
    release_subdomains  which pieces each group lists, and how often
    release_moments     the least and the largest value of each piece, its mean and its variance
    release_groups      of each group its rows, how many pieces it lists, and their mean and variances
    release_ranks       of each group and each rank up to its rows: the rank-th smallest minimum and the rank-th largest
                        maximum, their sums up to that rank, and for as many records the expected sum and its variance

The last three are about one sensitive column; where there are several they end in its name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from sfumato.contracts.answer import Dialect
from sfumato.contracts.dialects import quote, translate
from sfumato.tables.answers.listed_values import Listing

__all__ = ["bound_tables"]


def bound_tables(listing: Listing, sources: Mapping[str, str], dialect: Dialect = "duckdb") -> Iterator[str]:
    """The statements that create the bound tables; `sources` says what to select each published table from."""
    queries = _queries_for_subdomains if listing.lists_ranges else _queries_for_two_tables
    for name, query in queries(listing, sources).items():
        yield _create_statement(name, query, dialect)
    for column in listing.secret:
        if listing.has_bounds(column):
            yield from _tables_of_column(listing, column, dialect)


def _create_statement(name: str, query: str, dialect: Dialect) -> str:
    flat = " ".join(query.split())
    if dialect == "duckdb":
        return f"CREATE OR REPLACE TABLE {name} AS {flat}"
    return f"DROP TABLE IF EXISTS {name}; CREATE TABLE {name} AS {translate(flat, dialect)}"


def _queries_for_two_tables(listing: Listing, sources: Mapping[str, str]) -> dict[str, str]:
    """The queries of the first five tables by name, where groups list single values: each value is a piece."""
    secret = ", ".join(map(quote, listing.secret))
    group, count, table = quote(listing.group), quote(listing.count), sources["table"]
    place, own = f"DENSE_RANK() OVER (ORDER BY {secret}) - 1", listing.place
    return {
        "release": f"SELECT * FROM {sources['data']}",
        "release_domain": f"SELECT DISTINCT {place} AS {own}, {secret} FROM {table}",
        "release_pieces": f"SELECT {own} AS piece, {own} AS first_place, {own} AS last_place, 0 AS target "
        f"FROM release_domain",
        "release_targets": f"SELECT 0 AS target, {own} AS place, 1 AS weight FROM release_domain",
        "release_subdomains": f"SELECT {group} AS group_number, {place} AS piece, {count} AS copies, "
        f"{_share_of_group(group, count)} FROM {table}",
    }  # fmt: skip


def _queries_for_subdomains(listing: Listing, sources: Mapping[str, str]) -> dict[str, str]:
    """The queries of the first five tables by name, where groups list subdomains: each subdomain is a piece."""
    (column,) = listing.secret
    group, count = quote(listing.group), quote(listing.count)
    pieces = f"""
        WITH told AS (
            SELECT t.{group} AS group_number, t."first" AS first_place, t."last" AS last_place, t.{count} AS copies,
                g.target, DENSE_RANK() OVER (ORDER BY g.target, t."first", t."last") - 1 AS piece
            FROM {sources["table"]} AS t JOIN {sources["groups"]} AS g ON g.{group} = t.{group}
        )"""
    return {
        "release": f"SELECT * FROM {sources['data']}",
        "release_domain": f'SELECT place AS {listing.place}, "value" AS {quote(column)} FROM {sources["domain"]}',
        "release_targets": f"SELECT target, place, weight FROM {sources['targets']}",
        "release_pieces": f"{pieces} SELECT DISTINCT piece, first_place, last_place, target FROM told",
        "release_subdomains": f"{pieces} SELECT group_number, piece, copies, "
        f"{_share_of_group('group_number', 'copies')} FROM told",
    }  # fmt: skip


def _share_of_group(group: str, count: str) -> str:
    return (
        f"CAST({count} AS DOUBLE) / CAST(SUM({count}) OVER (PARTITION BY {group}) AS DOUBLE) AS share_of_group"
    )  # fmt: skip


def _tables_of_column(listing: Listing, column: str, dialect: Dialect) -> Iterator[str]:
    """The statements that create the three tables about one sensitive column."""
    suffix, name = listing.suffix(column), quote(column)
    moments, groups, ranks = (quote(f"release_{part}{suffix}") for part in ("moments", "groups", "ranks"))
    number = listing.secret[column].dtype.is_numeric()
    of_pieces = _moments_query(name, listing.place, number=number, ranged=listing.lists_ranges)
    yield _create_statement(moments, of_pieces, dialect)
    yield _create_statement(groups, _groups_query(moments, quote(listing.group), number=number), dialect)
    total = "BIGINT" if listing.has_exact_sums(column) else None
    yield _create_statement(ranks, _ranks_query(moments, groups, dialect, number=number, total=total), dialect)


def _moments_query(column: str, place: str, *, number: bool, ranged: bool) -> str:
    """The query of `release_moments`. Inside a piece values have the probabilities of the target.

    Where the target gives all of them none, they are equally likely.
    """
    ends = f"""
        SELECT p.piece, a.{column} AS low, b.{column} AS high FROM release_pieces AS p
        JOIN release_domain AS a ON a.{place} = p.first_place JOIN release_domain AS b ON b.{place} = p.last_place"""
    if not number:
        return ends
    if not ranged:
        return f"SELECT {place} AS piece, {column} AS low, {column} AS high, CAST({column} AS DOUBLE) AS mean, " \
               f"CAST(0 AS DOUBLE) AS variance FROM release_domain"  # fmt: skip
    return f"""
        WITH weighed AS (
            SELECT p.piece, CAST(d.{column} AS DOUBLE) AS v, CAST(COALESCE(t.weight, 0) AS DOUBLE) AS w
            FROM release_pieces AS p
            JOIN release_domain AS d ON d.{place} >= p.first_place AND d.{place} <= p.last_place
            LEFT JOIN release_targets AS t ON t.target = p.target AND t.place = d.{place}
        ), means AS (
            SELECT piece, COALESCE(SUM(w * v) / NULLIF(SUM(w), 0), AVG(v)) AS mean FROM weighed GROUP BY piece
        ), variances AS (
            SELECT x.piece, MIN(m.mean) AS mean,
                COALESCE(SUM(w * (v - mean) * (v - mean)) / NULLIF(SUM(w), 0), AVG((v - mean) * (v - mean))) AS variance
            FROM weighed AS x JOIN means AS m ON m.piece = x.piece GROUP BY x.piece
        ), ends AS ({ends})
        SELECT e.piece, e.low, e.high, v.mean, v.variance FROM ends AS e JOIN variances AS v ON v.piece = e.piece"""


def _groups_query(moments: str, group: str, *, number: bool) -> str:
    """The query of `release_groups`."""
    rows = f"SELECT {group} AS group_number, COUNT(*) AS n_rows FROM release GROUP BY {group}"
    listed = f"""
        SELECT s.group_number, SUM(s.copies) AS listed, MIN(m.low) AS least, MAX(m.high) AS most
            {", SUM(s.copies * m.mean) / SUM(s.copies) AS mean" if number else ""}
        FROM release_subdomains AS s JOIN {moments} AS m ON m.piece = s.piece GROUP BY s.group_number"""
    if not number:
        return f"""
            WITH sizes AS ({rows}), lists AS ({listed})
            SELECT r.group_number, r.n_rows, CAST(l.listed AS BIGINT) AS listed, l.least, l.most
            FROM sizes AS r JOIN lists AS l ON l.group_number = r.group_number"""
    return f"""
        WITH sizes AS ({rows}), lists AS ({listed}), apart AS (
            SELECT s.group_number, SUM(s.copies * m.variance) / SUM(s.copies) AS variance_within,
                SUM(s.copies * (m.mean - l.mean) * (m.mean - l.mean)) / SUM(s.copies) AS variance_between
            FROM release_subdomains AS s JOIN {moments} AS m ON m.piece = s.piece
            JOIN lists AS l ON l.group_number = s.group_number GROUP BY s.group_number
        )
        SELECT r.group_number, r.n_rows, CAST(l.listed AS BIGINT) AS listed, l.least, l.most, l.mean, a.variance_within,
            a.variance_between
        FROM sizes AS r JOIN lists AS l ON l.group_number = r.group_number
        JOIN apart AS a ON a.group_number = r.group_number"""


def _ranks_query(moments: str, groups: str, dialect: Dialect, *, number: bool, total: str | None) -> str:
    """The query of `release_ranks`; `total` is the type that sums are cast to."""
    series = "GENERATE_SERIES(1, s.copies)"
    copy = f"UNNEST({series})" if dialect == "duckdb" else series
    window = "OVER (PARTITION BY l.group_number ORDER BY l.place_in_group)"
    low_sum, high_sum = f"SUM(l.low) {window}", f"SUM(h.high) {window}"
    if total is not None:
        low_sum, high_sum = f"CAST({low_sum} AS {total})", f"CAST({high_sum} AS {total})"
    k, more = "l.place_in_group", ""
    if number:
        drawn = f"CASE WHEN g.listed > 1 THEN 1 - CAST({k} - 1 AS DOUBLE) / CAST(g.listed - 1 AS DOUBLE) ELSE 1 END"
        more = f""", {low_sum} AS low_sum, {high_sum} AS high_sum, {k} * g.mean AS expected_sum,
            {k} * g.variance_within + {k} * ({drawn}) * g.variance_between AS variance_sum,
            {k} * GREATEST(ABS(CAST(g.least AS DOUBLE)), ABS(CAST(g.most AS DOUBLE))) AS reach_sum"""
    return f"""
        WITH every_copy AS (
            SELECT s.group_number, m.low, m.high, {copy} AS copy_number
            FROM release_subdomains AS s JOIN {moments} AS m ON m.piece = s.piece
        ), lows AS (
            SELECT group_number, low, ROW_NUMBER() OVER (PARTITION BY group_number ORDER BY low) AS place_in_group
            FROM every_copy
        ), highs AS (
            SELECT group_number, high,
                ROW_NUMBER() OVER (PARTITION BY group_number ORDER BY high DESC) AS place_in_group
            FROM every_copy
        )
        SELECT l.group_number, {k} AS rank, l.low, h.high, g.least, g.most{more}
        FROM lows AS l
        JOIN highs AS h ON h.group_number = l.group_number AND h.place_in_group = {k}
        JOIN {groups} AS g ON g.group_number = l.group_number
        WHERE {k} <= g.n_rows ORDER BY l.group_number, {k}"""
