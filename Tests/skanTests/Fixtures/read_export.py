"""Reads an export with pandas and with DuckDB, without a cast, and compares both with its JSON.

read_export.py EXPORT.ndjson PARQUET: the export has names in snake case; the Parquet file is made.
"""

import json
import sys

import duckdb
import pandas

STRINGS = ["position", "transaction_id", "network", "app", "source_identifier", "conversion_kind"]
NUMBERS = ["fidelity", "sequence_index", "conversion_value"]
BOOLEANS = ["did_win", "redownload"]

export, parquet = sys.argv[1:]
with open(export, encoding="utf-8") as file:
    rows = [json.loads(line) for line in file]
assert len(rows) > 100
values = {name: [row[name] for row in rows] for name in rows[0]}


def plain(column):
    """The values of a column of pandas, with None for those that are not there."""
    return [None if pandas.isna(value) else value for value in column]


frame = pandas.read_json(export, lines=True, dtype_backend="numpy_nullable")
for name in STRINGS:
    assert pandas.api.types.is_string_dtype(frame[name]), (name, frame[name].dtype)
for name in NUMBERS:
    assert str(frame[name].dtype) == "Int64", (name, frame[name].dtype)
for name in BOOLEANS:
    assert str(frame[name].dtype) == "boolean", (name, frame[name].dtype)
assert str(frame["received_at"].dtype).startswith("datetime64"), frame["received_at"].dtype
for name in STRINGS + NUMBERS + BOOLEANS:
    assert plain(frame[name]) == values[name], name

duckdb.sql(f"COPY (FROM read_json('{export}', sample_size = -1)) TO '{parquet}'")
types = dict(row[:2] for row in duckdb.sql(f"DESCRIBE FROM '{parquet}'").fetchall())
for name in STRINGS:
    # Transaction ids are UUIDs, which DuckDB knows as such.
    assert types[name] == ("UUID" if name == "transaction_id" else "VARCHAR"), (name, types[name])
for name in NUMBERS:
    assert types[name] == "BIGINT", (name, types[name])
for name in BOOLEANS:
    assert types[name] == "BOOLEAN", (name, types[name])
assert types["received_at"].startswith("TIMESTAMP"), types["received_at"]
for name in STRINGS + NUMBERS + BOOLEANS:
    read = [row[0] for row in duckdb.sql(f"SELECT {name} FROM '{parquet}'").fetchall()]
    if name == "transaction_id":
        read, values[name] = [str(id) for id in read], [id.lower() for id in values[name]]
    assert read == values[name], name
