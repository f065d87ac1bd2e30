#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time a bundle's row-wise operators beside public baselines on an NVIDIA GPU.

Lathe's kernel as the bundle's table picks it, PyTorch's eager operator,
Inductor, Triton and a plain copy of as many bytes, in turn in one process and
by liblathe_measure.so. A short sweep finds the best of Triton's schedules and
of the copies; only those are timed. Rivals must be right. Baselines go into a
file of records that lathe-device made, for `lathe score`.

    row_baselines.py --bundle B --runtime liblathe_runtime.so --measure liblathe_measure.so
                     [--db RECORDS] [--json F] [--seconds N] [--inductor-seconds N]
"""
import argparse
import json
import os
import statistics
import sys
import time

import torch

from baseline_records import Records
from lathe_measure import Timer
from lathe_runtime import Runtime
import row_rivals
from row_operators import DTYPES, INPUTS, draw, output_widths, reference

SAME = 0.03  # relative; closer times are equal
VERDICTS = {"good": "PASSED", "void": "VOID", "fault": "FAULT"}


def say(*text):
    print(*text, file=sys.stderr, flush=True)


def hot_shapes(runtime, only):
    """Instances with one row count, heaviest operators' shapes in turn."""
    shapes = {}
    for instance in runtime.manifest["instances"]:
        found = runtime.table(instance["entry"])
        if not found or found[1] not in INPUTS or (only and found[1] not in only):
            continue
        dims = instance["dims"]
        rows, width = dims["T"], dims.get("H", dims.get("D"))
        shape = shapes.setdefault((instance["entry"], rows, width), {
            "entry": instance["entry"], "table": found[0], "op": found[1], "dtype": found[2], "rows": rows,
            "width": width, "weight": 0.0, "roofline_us": instance["targets"][0]["roofline_us"]})
        shape["weight"] += instance.get("weight", 0.0)
    by_op = {}
    for shape in sorted(shapes.values(), key=lambda s: -s["weight"]):
        by_op.setdefault(shape["op"], []).append(shape)
    turns = [(turn, op, shape) for op, mine in by_op.items() for turn, shape in enumerate(mine)]
    return [shape for _, _, shape in sorted(turns, key=lambda t: t[:2])]


def is_right(op, tensors, outputs):
    """Of the first rows, as close as any order of roundings in bf16 is."""
    head = [t[:64] if t.dim() == 2 else t for t in tensors]
    for got, want in zip(outputs, reference(op, head, tensors[0].dtype)):
        a, b = got[:64].double(), want.double()
        scale = b.pow(2).mean(-1, keepdim=True).sqrt()
        if not ((a - b).abs() <= 0.02 * b.abs() + 0.01 * scale).all():
            return False
    return True


class Call:
    """A subject of the timer: a callable that queues on PyTorch's stream."""

    def __init__(self, name, function):
        self.name, self.function = name, function

    def launch(self, *_):
        self.function()


class Bench:
    def __init__(self, args):
        torch.manual_seed(0)
        torch.zeros(1, device="cuda")  # a context, for all that follows
        self.timer = Timer(args.measure)
        torch.cuda.set_stream(torch.cuda.ExternalStream(self.timer.stream))
        self.runtime = Runtime(args.runtime, args.bundle)
        self.facts = self.timer.floors()
        self.records = Records(args.db, self.facts, "row_baselines.py") if args.db else None
        self.compiled = set()  # (op, rows, width) in Inductor's cache

    def compare(self, launches, **options):
        calls = [Call(name, function) for name, function in launches.items()]
        return self.timer.compare(*calls, traced_launches=0, host_launches=0, **options)

    def best(self, launches):
        """(name, callable) of the fastest, from few samples."""
        answer = self.compare(launches, pairs=5, graph_pairs=0, warmup_ms=0.3)
        times = {s["name"]: s["events"]["median"] for s in answer["subjects"] if "events" in s}
        name = min(times, key=times.get)
        return name, launches[name]

    def rivals(self, shape, tensors, outputs):
        """{baseline: (variant, callable)}"""
        op = shape["op"]
        found = {"torch": ("eager", lambda: row_rivals.EAGER[op](*tensors))}
        if (op, shape["rows"], shape["width"]) in self.compiled:
            found["inductor"] = ("max-autotune-no-cudagraphs", row_rivals.inductor_rival(op, tensors))
        found["triton"] = self.best({
            f"rows={rows},num_warps={warps}": row_rivals.triton_rival(op, tensors, outputs, rows, warps)
            for rows, warps in row_rivals.triton_variants(outputs[0].shape[1])})
        for name, (variant, launch) in found.items():
            for tensor in outputs:
                tensor.zero_()
            if not is_right(op, tensors, launch()):
                raise RuntimeError(f"{name} ({variant}) is wrong at {op} {shape['rows']}x{shape['width']}")
        return found

    def time_shape(self, shape):
        op, rows, width = shape["op"], shape["rows"], shape["width"]
        dtype = DTYPES[shape["dtype"]]
        tensors = draw(op, rows, width, dtype)
        outputs = [torch.empty(rows, cols, device="cuda", dtype=dtype) for cols in output_widths(op, width)]
        dims = [rows, width] + [width] * sum(rank == 2 for rank, *_ in INPUTS[op])
        kernel, named = self.runtime.choice(shape["table"], dims)
        ours = self.runtime.launcher(shape["table"], dims, tensors + outputs, self.timer.stream)
        rivals = self.rivals(shape, tensors, outputs)
        copy = self.best(row_rivals.copies(tensors, outputs))
        launches = {"lathe": ours, **{name: launch for name, (_, launch) in rivals.items()}, "copy": copy[1]}
        answer = self.compare(launches, roofline_us=shape["roofline_us"])
        result = {k: shape[k] for k in ("entry", "op", "rows", "width", "weight", "roofline_us")}
        result.update(kernel=kernel, dims=",".join(f"{k}={v}" for k, v in sorted(named.items())), us={},
                      honesty={}, variants={name: variant for name, (variant, _) in rivals.items()})
        result["variants"]["copy"] = copy[0]
        for subject in answer["subjects"]:
            result["us"][subject["name"]] = subject["time_us"]
            result["honesty"][subject["name"]] = subject["honesty"]
        if self.records:
            self.records.add("measurements", list(self.rows(shape, result, rivals, answer)))
        return result

    def image_of(self, entry, kernel):
        """SHA-256 of the kernel's own image, as records know it."""
        return next((k.get("alone_sha256", "") for k in self.runtime.manifest["kernels"]
                     if (k["entry"], k["name"]) == (entry, kernel)), "")

    def rows(self, shape, result, rivals, answer):
        others = {pair["second"]: pair for pair in answer["pairs"] if pair["first"] == 0}
        for index, subject in enumerate(answer["subjects"]):
            if subject["name"] not in rivals:
                continue
            row = {"run": self.records.run, "kind": "baseline", "entry": shape["entry"], "op": shape["op"],
                   "dtypes": f"DT={shape['dtype']}", "kernel": subject["name"], "origin": "baseline",
                   "schedule": rivals[subject["name"]][0], "dims": result["dims"],
                   "verdict": VERDICTS[subject["honesty"]], "reason": subject["reason"],
                   "evidence": json.dumps({"lathe_us": result["us"]["lathe"], "copy_us": result["us"]["copy"]}),
                   "samples": json.dumps(subject["samples"]), "clocks": json.dumps(answer["clocks"]),
                   "time_us": subject["time_us"], "low_us": subject["low_us"], "high_us": subject["high_us"],
                   "spread": subject["spread"], "roofline_us": shape["roofline_us"]}
            if pair := others.get(index):
                row.update(rival=result["kernel"], rival_sha=self.image_of(shape["entry"], result["kernel"]),
                           ratio=1 / pair["ratio"], ratio_low=1 / pair["high"],
                           ratio_high=1 / pair["low"])
            yield row


def best_rival(result):
    """(name, µs) of the fastest baseline whose time may be believed."""
    believed = {name: us for name, us in result["us"].items()
                if name not in ("lathe", "copy") and result["honesty"][name] == "good"}
    name = min(believed, key=believed.get, default="")
    return name, believed.get(name, float("nan"))


def print_table(results, floors):
    print(f"an empty kernel: {floors['events']:.2f} us by events, {floors['graph']:.2f} us by graph replay")
    print(f"{'operator':20} {'shape':>12}  T roof   lathe    copy   torch  induct  triton  best/lathe")
    for r in sorted(results, key=lambda r: (r["op"], r["width"], r["rows"])):
        cell = lambda name: f"{r['us'][name]:8.2f}" if name in r["us"] else f"{'-':>8}"
        name, us = best_rival(r)
        doubt = "".join(f" {n}: {h}" for n, h in r["honesty"].items() if h != "good")
        print(f"{r['op']:20} {r['rows']:6}x{r['width']:<5} {r['roofline_us']:7.2f}"
              + "".join(cell(n) for n in ("lathe", "copy", "torch", "inductor", "triton"))
              + f"  {us / r['us']['lathe']:6.3f} {name} {r['variants'].get(name, '')}{doubt}")
    print(f"\n{'operator':20} shapes  S lathe  S best baseline  S copy  baseline/lathe  faster  slower (3 %)")
    for op in dict.fromkeys(r["op"] for r in results):
        mine = [r for r in results if r["op"] == op and r["honesty"]["lathe"] == "good" and best_rival(r)[0]]
        if not mine:
            continue
        score = lambda us: statistics.median(r["roofline_us"] / us(r) for r in mine)
        ratios = [best_rival(r)[1] / r["us"]["lathe"] for r in mine]
        print(f"{op:20} {len(mine):6}  {score(lambda r: r['us']['lathe']):7.3f}  "
              f"{score(lambda r: best_rival(r)[1]):15.3f}  {score(lambda r: r['us']['copy']):6.3f}  "
              f"{statistics.geometric_mean(ratios):14.3f}  {sum(x > 1 + SAME for x in ratios):6}  "
              f"{sum(x < 1 - SAME for x in ratios):6}")


def write_json(path, results, facts):
    with open(path + ".tmp", "w") as file:
        json.dump({**facts, "shapes": results}, file, indent=1)
    os.replace(path + ".tmp", path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", required=True)
    parser.add_argument("--runtime", required=True)
    parser.add_argument("--measure", required=True)
    parser.add_argument("--db", help="records to add baselines to; lathe-device makes the file")
    parser.add_argument("--json", help="write every shape's times here as they come")
    parser.add_argument("--only", nargs="*", help="operators; default: all")
    parser.add_argument("--seconds", type=float, default=230, help="shapes that do not fit are left out")
    parser.add_argument("--inductor-seconds", type=float, default=80, help="for compiling; 0: no Inductor")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    args = parser.parse_args()
    start = time.time()
    bench = Bench(args)
    shapes = hot_shapes(bench.runtime, args.only)
    if not shapes:
        sys.exit(f"{args.bundle}: no instance of {', '.join(args.only or INPUTS)}")
    keys = [(s["op"], s["rows"], s["width"]) for s in shapes]
    bench.compiled = row_rivals.warm_caches(keys, DTYPES[shapes[0]["dtype"]], args.inductor_seconds, args.jobs)
    say(f"{len(bench.compiled)} of {len(shapes)} shapes compiled by Inductor; {time.time() - start:.0f} s")
    results, failed = [], 0
    for number, shape in enumerate(shapes, 1):
        if time.time() - start > args.seconds:
            break
        try:
            results.append(bench.time_shape(shape))
        except RuntimeError as error:
            failed += 1
            say(f"{shape['op']} {shape['rows']}x{shape['width']}: {error}")
            continue
        if args.json:
            write_json(args.json, results, bench.facts)
        if number % 20 == 0:
            say(f"{number} of {len(shapes)} shapes; {time.time() - start:.0f} s")
    print_table(results, bench.facts["floors"])
    left = len(shapes) - len(results) - failed
    print(f"{len(results)} of {len(shapes)} shapes timed on {bench.facts['device']['name']} in "
          f"{time.time() - start:.0f} s; {failed} failed, {left} left out; without Inductor: "
          f"{sum('inductor' not in r['us'] for r in results)}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
