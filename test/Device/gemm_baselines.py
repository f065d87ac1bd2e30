#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time a bundle's matrix products beside public baselines on an NVIDIA GPU.

Lathe's kernel as the bundle's table picks it and the rivals of gemm_rivals.py,
in turn in one process and by liblathe_measure.so. A short sweep finds the best
of cuBLASLt's algorithms and of Triton's schedules; only those are timed. All
must be right; a rival that is wrong or fails is left out, and the report says
why. Baselines go into a file of records that lathe-device made, for
`lathe score`; gemm_report.py prints the tables of the JSON again.

    gemm_baselines.py --bundle B --runtime liblathe_runtime.so --measure liblathe_measure.so
                      [--db RECORDS] [--json F] [--seconds N] [--tune-seconds N] [--models]
"""
import os
import sys
import time

import torch

from baseline_bench import Bench, arguments, say, time_all
from gemm_operands import Operands
from gemm_report import print_report, summarize
import gemm_rivals
from gemm_shapes import ROWS, hot_shapes, missing_models


def title(shape):
    return f"{shape['entry']} {shape['M']}x{shape['N']}x{shape['K']}"


class GemmBench(Bench):
    def __init__(self, args):
        super().__init__(args, "gemm_baselines.py")
        self.budget_ms, self.tuning_seconds = args.budget_ms, args.tune_seconds
        self.broken = set()  # Triton's schedules that cannot be compiled
        self.told = set()  # why rivals were left out

    def right_by(self, operands, launch):
        """What is promised by the output, which no earlier launch has left."""
        operands.out.fill_(float("nan"))
        output = launch()
        torch.cuda.synchronize()
        return operands.right_by(operands.out if output is None else output)

    def rivals(self, operands, left_out):
        """{baseline: (variant, callable, what it keeps)}; the others' reasons."""
        found = {}
        for name, build in gemm_rivals.RIVALS[operands.shape["op"]].items():
            try:
                variant, launch = build(self, operands)
                right = self.right_by(operands, launch)
                if not right:
                    raise RuntimeError(f"wrong ({variant})")
                found[name] = variant, launch, right
            except Exception as error:  # of anybody's compiler or library
                reason = (str(error).splitlines() or [type(error).__name__])[0][:200]
                left_out[name] = reason
                if (name, reason) not in self.told:
                    self.told.add((name, reason))
                    say(f"{title(operands.shape)}: without {name}: {reason}")
        return found

    def time_shape(self, shape):
        dims = self.runtime.dims(shape["table"], shape["given"])
        kernel, shape["named"] = self.runtime.choice(shape["table"], dims)
        operands = Operands(shape)
        ours = self.runtime.launcher(shape["table"], dims, operands.tensors(), self.timer.stream)
        right = self.right_by(operands, ours)
        wanted = shape["options"].get("accumulate", "exact")
        if not right or (wanted == "exact" and right != "exact"):
            raise RuntimeError(f"WRONG: {kernel}, whose result is {right or 'far'} from the reference")
        left_out = {}
        rivals = self.rivals(operands, left_out)
        variants = {name: variant for name, (variant, _, _) in rivals.items()}
        result = {k: shape[k] for k in ("entry", "op", "M", "N", "K", "weight", "roofline_us", "options")}
        result.update(
            kernel=kernel, variants=variants, left_out=left_out, accumulate=shape["options"].get("accumulate"),
            dims=",".join(f"{k}={v}" for k, v in sorted(shape["named"].items())),
            dtypes=",".join(f"{k}={v}" for k, v in sorted(shape["dtypes"].items())),
            right={"lathe": right, **{name: right for name, (_, _, right) in rivals.items()}})
        self.time({"lathe": ours, **{name: launch for name, (_, launch, _) in rivals.items()}}, variants, result,
                  budget_ms=self.budget_ms)
        return result


def main():
    parser = arguments(__doc__)
    parser.add_argument("--budget-ms", type=float, default=120, help="of samples per subject and shape")
    parser.add_argument("--tune-seconds", type=float, default=40, help="for Inductor's templates; 0: none")
    parser.add_argument("--models", action="store_true", help="fail if shapes of examples/models are missing")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2))
    args = parser.parse_args()
    start = time.time()
    bench = GemmBench(args)
    shapes = hot_shapes(bench.runtime, args.only)
    if not shapes:
        sys.exit(f"{args.bundle}: no instance of {', '.join(args.only or ROWS)}")
    missing = missing_models(shapes) if args.models else []
    if any(shape["op"] == "block_scaled_mm" for shape in shapes):
        gemm_rivals.warm_triton(args.jobs)
    say(f"{len(shapes)} shapes; ready after {time.time() - start:.0f} s")
    results, failed = time_all(shapes, bench.time_shape, title, args, start, lambda results: {
        **bench.facts, "summary": summarize(results), "shapes": results})
    print_report(results, bench.facts)
    for entry, *sizes in missing:
        print(f"  no instance: {entry} {'x'.join(map(str, sizes))}")
    left = len(shapes) - len(results) - failed
    print(f"{len(results)} of {len(shapes)} shapes timed on {bench.facts['device']['name']} in "
          f"{time.time() - start:.0f} s; {failed} failed, {left} left out, {len(missing)} missing")
    sys.exit(failed != 0 or bool(missing))


if __name__ == "__main__":
    main()
