"""Small releases that are asked, beside what their originals say."""

import duckdb
import polars as pl

import sfumato as sf

N = 40
DIVERSE = sf.LDiversity(2, kind="distinct")


def published(frame, method, promise=None, **schema):
    return sf.publish(sf.Table(pl.DataFrame(frame), sf.Schema(**schema)), method, promise, seed=1)


def truth(release, sql):
    release_rows = release.owner.original.frame[release.owner.rows]
    database = duckdb.connect()
    database.register("release", release_rows.to_arrow())
    return database.execute(sql).fetchall()[0][0]


def ask_within_bounds(release, sql):
    answer, true = sf.ask(release, sql), truth(release, sql)
    assert answer.low <= true <= answer.high, (sql, answer, true)
    return answer
