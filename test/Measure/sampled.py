# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""sampled.py DB: whether evidence says how much of a sample was compared."""
import json
import sqlite3
import sys

rows = sqlite3.connect(sys.argv[1]).execute(
    "SELECT kind, evidence FROM measurements WHERE kernel LIKE 'right%'"
)
kinds = set()
for kind, text in rows:
    kinds.add(kind)
    evidence = json.loads(text)
    sampled = evidence["sampled"]
    assert sampled["elements"] == sampled["draws"] * 8192 * 64, sampled
    if kind == "verdict":
        # Two draws; a rectangle may cover a corner again.
        assert sampled["draws"] == 2, sampled
        assert 2 * 64 * 64 <= sampled["compared"] <= 2 * 66 * 64, sampled
    else:
        # A fifth of that; never fewer bands than are a sample.
        assert sampled["draws"] >= 1, sampled
        # Both kernels give the same bits: one reference for the same inputs.
        assert sampled["draws"] <= evidence["redraws"], evidence
        assert sampled["compared"] <= sampled["draws"] * 16 * 64, sampled
        assert sampled["compared"] >= sampled["draws"] * 12 * 64, sampled
assert {"verdict", "time"} <= kinds, kinds
