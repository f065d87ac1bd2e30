# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""rows.py DB: whether every kernel of the records has one verdict, times only
beside it, and what rows must hold."""
import collections
import json
import sqlite3
import sys

rows = sqlite3.connect(sys.argv[1])
rows.row_factory = sqlite3.Row
names = {row[1] for row in rows.execute("PRAGMA table_info(measurements)")}
verdicts = collections.Counter()
times = collections.Counter()
for row in rows.execute("SELECT * FROM measurements ORDER BY rowid"):
    evidence = json.loads(row["evidence"])
    assert len(json.loads(row["seeds"])[0]) == 16, dict(row)
    if row["kind"] == "verdict":
        verdicts[row["kernel"]] += 1
        assert (row["verdict"] == "PASSED") == (row["reason"] == ""), dict(row)
        assert len(evidence["asked"]) == 16, dict(row)
        continue
    assert row["kind"] in ("time", "retime"), dict(row)
    times[row["kernel"], row["dims"], row["kind"], row["rival"]] += 1
    if row["kind"] == "time":
        assert not verdicts[row["kernel"]], f"{row['kernel']}: verdict before times"
    samples = json.loads(row["samples"])
    if row["verdict"] == "PASSED":
        assert len(samples["events"]) >= 3, dict(row)
        assert row["time_us"] > 0 and row["low_us"] <= row["high_us"], dict(row)
        assert json.loads(row["clocks"]), dict(row)
for what in (verdicts, times):
    twice = [key for key, count in what.items() if count != 1]
    assert not twice, f"more than once: {twice}"
print(len(verdicts), "verdicts,", sum(times.values()), "times")
