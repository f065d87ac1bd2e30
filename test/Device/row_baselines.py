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
import os
import statistics
import sys
import time

import torch

from baseline_bench import Bench, arguments, say, time_all
from baseline_report import SAME, best_rival, doubts, in_turns
import row_rivals
from row_operators import DTYPES, INPUTS, draw, output_widths, reference


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
    return in_turns(sorted(shapes.values(), key=lambda s: -s["weight"]), "op")


def is_right(op, tensors, outputs):
    """Of the first rows, as close as any order of roundings in bf16 is."""
    head = [t[:64] if t.dim() == 2 else t for t in tensors]
    for got, want in zip(outputs, reference(op, head, tensors[0].dtype)):
        a, b = got[:64].double(), want.double()
        scale = b.pow(2).mean(-1, keepdim=True).sqrt()
        if not ((a - b).abs() <= 0.02 * b.abs() + 0.01 * scale).all():
            return False
    return True


class RowBench(Bench):
    compiled = set()  # (op, rows, width) in Inductor's cache

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
        variants = {name: variant for name, (variant, _) in rivals.items()}
        result = {k: shape[k] for k in ("entry", "op", "rows", "width", "weight", "roofline_us")}
        result.update(kernel=kernel, dims=",".join(f"{k}={v}" for k, v in sorted(named.items())),
                      dtypes=f"DT={shape['dtype']}", variants={**variants, "copy": copy[0]})
        self.time(launches, variants, result)
        return result


def print_table(results, floors):
    print(f"an empty kernel: {floors['events']:.2f} us by events, {floors['graph']:.2f} us by graph replay")
    print(f"{'operator':20} {'shape':>12}  T roof   lathe    copy   torch  induct  triton  best/lathe")
    for r in sorted(results, key=lambda r: (r["op"], r["width"], r["rows"])):
        cell = lambda name: f"{r['us'][name]:8.2f}" if name in r["us"] else f"{'-':>8}"
        name, us = best_rival(r)
        print(f"{r['op']:20} {r['rows']:6}x{r['width']:<5} {r['roofline_us']:7.2f}"
              + "".join(cell(n) for n in ("lathe", "copy", "torch", "inductor", "triton"))
              + f"  {us / r['us']['lathe']:6.3f} {name} {r['variants'].get(name, '')}{doubts(r)}")
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


def main():
    parser = arguments(__doc__)
    parser.add_argument("--inductor-seconds", type=float, default=80, help="for compiling; 0: no Inductor")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    args = parser.parse_args()
    start = time.time()
    bench = RowBench(args, "row_baselines.py")
    shapes = hot_shapes(bench.runtime, args.only)
    if not shapes:
        sys.exit(f"{args.bundle}: no instance of {', '.join(args.only or INPUTS)}")
    keys = [(s["op"], s["rows"], s["width"]) for s in shapes]
    bench.compiled = row_rivals.warm_caches(keys, DTYPES[shapes[0]["dtype"]], args.inductor_seconds, args.jobs)
    say(f"{len(bench.compiled)} of {len(shapes)} shapes compiled by Inductor; {time.time() - start:.0f} s")
    results, failed = time_all(shapes, bench.time_shape, lambda s: f"{s['op']} {s['rows']}x{s['width']}", args, start,
                               lambda results: {**bench.facts, "shapes": results})
    print_table(results, bench.facts["floors"])
    left = len(shapes) - len(results) - failed
    print(f"{len(results)} of {len(shapes)} shapes timed on {bench.facts['device']['name']} in "
          f"{time.time() - start:.0f} s; {failed} failed, {left} left out; without Inductor: "
          f"{sum('inductor' not in r['us'] for r in results)}")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
