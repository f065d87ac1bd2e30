# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A bundle's kernels and what they are timed against, in turn in one process
and by liblathe_measure.so, on the stream that PyTorch queues on."""
import argparse
import json
import sys
import time

import torch

from baseline_records import Records
from baseline_report import write_json
from lathe_measure import Timer
from lathe_runtime import Runtime

DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16}
VERDICTS = {"good": "PASSED", "void": "VOID", "fault": "FAULT"}


def say(*text):
    print(*text, file=sys.stderr, flush=True)


def first_line(error):
    return (str(error).splitlines() or [type(error).__name__])[0][:160]


def is_close(got, want):
    """Whether rows are as close as attention's weights in 16 bits let be."""
    scale = want.pow(2).mean(-1, keepdim=True).sqrt()
    return bool(((got - want).abs() <= 0.02 * want.abs() + 0.03 * scale).all())


def arguments(description):
    """A parser of what every comparison is given."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--measure", required=True)
    parser.add_argument("--db", help="records to add baselines to; lathe-device makes the file")
    parser.add_argument("--json", help="write every shape's times here as they come")
    parser.add_argument("--only", nargs="*", help="operators; default: all")
    parser.add_argument("--seconds", type=float, default=230, help="shapes that do not fit are left out")
    return parser


def time_all(shapes, time_shape, title, args, start, document):
    """Times shapes in order until `args.seconds` after `start` are over; keeps
    `document(results)` in args.json. A shape that raises costs itself alone.
    Returns the results and how many shapes failed."""
    results, failed = [], 0
    for number, shape in enumerate(shapes, 1):
        if time.time() - start > args.seconds:
            break
        try:
            results.append(time_shape(shape))
        except Exception as error:
            failed += 1
            say(f"{title(shape)}: {type(error).__name__}: {error}")
            continue
        if args.json:
            write_json(args.json, document(results))
        if number % 20 == 0:
            say(f"{number} of {len(shapes)} shapes; {time.time() - start:.0f} s")
    return results, failed


class Call:
    """A subject of the timer: a callable that queues on PyTorch's stream."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def launch(self, *_):
        self.function()


class Bench:
    def __init__(self, args, tool):
        torch.manual_seed(0)
        torch.zeros(1, device="cuda")  # a context, for all that follows
        self.timer = Timer(args.measure)
        torch.cuda.set_stream(torch.cuda.ExternalStream(self.timer.stream))
        self.runtime = Runtime(args.runtime, args.bundle)
        self.facts = self.timer.floors()
        self.records = Records(args.db, self.facts, tool) if args.db else None

    def compare(self, launches, **options):
        calls = [Call(name, function) for name, function in launches.items()]
        return self.timer.compare(*calls, traced_launches=0, host_launches=0, **options)

    def best(self, launches, **options):
        """(name, callable) of the fastest, from few samples."""
        answer = self.compare(launches, pairs=5, graph_pairs=0, warmup_ms=0.3, **options)
        times = {s["name"]: s["events"]["median"] for s in answer["subjects"] if "events" in s}
        name = min(times, key=times.get)
        return name, launches[name]

    def time(self, launches, variants, result, **options):
        """Adds to `result`, which says what "lathe" is, the times of it and of
        `launches`; records those that `variants` says are baselines."""
        answer = self.compare(launches, roofline_us=result["roofline_us"], **options)
        result["us"] = {s["name"]: s["time_us"] for s in answer["subjects"]}
        result["honesty"] = {s["name"]: s["honesty"] for s in answer["subjects"]}
        if self.records:
            self.records.add("measurements", list(self.rows(result, variants, answer)))

    def image_of(self, entry, kernel):
        """SHA-256 of the kernel's own image, as records know it."""
        return next((k.get("alone_sha256", "") for k in self.runtime.manifest["kernels"]
                     if (k["entry"], k["name"]) == (entry, kernel)), "")

    def rows(self, result, variants, answer):
        others = {pair["second"]: pair for pair in answer["pairs"] if pair["first"] == 0}
        for index, subject in enumerate(answer["subjects"]):
            if subject["name"] not in variants:
                continue
            evidence = {f"{name}_us": result["us"][name] for name in ("lathe", "copy") if name in result["us"]}
            if right := result.get("right", {}).get(subject["name"]):
                evidence["right_by"] = right
            row = {"run": self.records.run, "kind": "baseline", "entry": result["entry"], "op": result["op"],
                   "dtypes": result["dtypes"], "kernel": subject["name"], "origin": "baseline",
                   "schedule": variants[subject["name"]], "dims": result["dims"],
                   "verdict": VERDICTS[subject["honesty"]], "reason": subject["reason"],
                   "evidence": json.dumps(evidence),
                   "samples": json.dumps(subject["samples"]), "clocks": json.dumps(answer["clocks"]),
                   "time_us": subject["time_us"], "low_us": subject["low_us"], "high_us": subject["high_us"],
                   "spread": subject["spread"], "roofline_us": result["roofline_us"]}
            if pair := others.get(index):
                row.update(rival=result["kernel"], rival_sha=self.image_of(result["entry"], result["kernel"]),
                           ratio=1 / pair["ratio"], ratio_low=1 / pair["high"],
                           ratio_high=1 / pair["low"])
            yield row
