# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recomputes the score of a `lathe score --json` from its own shapes."""

import json
import math
import statistics
import sys

score = json.load(open(sys.argv[1]))
by_entry = {}
for shape in score["shapes"]:
    assert math.isclose(shape["score"], shape["roofline_us"] / shape["us"])
    assert math.isclose(shape["attainable"], shape["floor_us"] / shape["us"])
    assert shape["floor_us"] >= max(shape["roofline_us"], score["launch_floor_us"]) * (1 - 1e-9)
    assert shape["low_us"] <= shape["us"] <= shape["high_us"]
    best = min(shape["baselines_us"], key=shape["baselines_us"].get)
    assert shape["best_baseline"] == best == "triton"
    assert math.isclose(shape["baselines_us"]["triton"], 4 * shape["roofline_us"])
    assert math.isclose(shape["ratio"], shape["baselines_us"][best] / shape["us"])
    by_entry.setdefault(shape["entry"], []).append(shape)
total = 0
for operator in score["operators"]:
    shapes = by_entry[operator["entry"]]
    assert math.isclose(operator["score"], statistics.median(s["score"] for s in shapes))
    assert math.isclose(operator["baseline_score"], 0.25)
    logs = [math.log(s["ratio"]) for s in shapes]
    assert math.isclose(operator["ratio"], math.exp(sum(logs) / len(logs)))
    total += operator["score"]
assert math.isclose(score["score"], total / len(score["operators"]))
assert score["unserved"] == ["moe"]
