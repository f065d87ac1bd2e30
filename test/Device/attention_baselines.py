#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time a bundle's attention beside public baselines on an NVIDIA GPU.

Lathe's kernel as the bundle's table picks it and PyTorch's fused attention
(cuDNN's and FlashAttention-2's), in turn in one process and by
liblathe_measure.so. They take sequences of one length; what lies in pages they
are given gathered, once with the gathering and once, marked ~, without. All
must be right on sampled rows; a rival that is wrong or fails is left out, and
the report says why. Baselines go into a file of records that lathe-device
made, for `lathe score`.

    attention_baselines.py --bundle B --runtime liblathe_runtime.so --measure liblathe_measure.so
                           [--db RECORDS] [--json F] [--seconds N]
"""
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from baseline_bench import DTYPES, Bench, arguments, first_line, is_close, say, time_all
from baseline_report import OURS, in_turns, lengths, print_result, print_summary

OPERATORS = ("attention_forward", "unified_attention")
BACKENDS = {"sdpa_cudnn": SDPBackend.CUDNN_ATTENTION, "sdpa_flash2": SDPBackend.FLASH_ATTENTION}
SAMPLED_ROWS = 64


def title(shape):
    return f"{shape['entry']} {len(shape['LQ'])} x {max(shape['LQ'])} heads {shape['HQ']}:{shape['HKV']} d {shape['D']}"


def hot_shapes(runtime, only):
    """The bundle's instances, the heaviest of each entry in turn."""
    shapes = []
    for instance in runtime.manifest["instances"]:
        found = runtime.table(instance["entry"])
        if not found or found[1] not in (only or OPERATORS):
            continue
        dims = instance["dims"]
        shapes.append({"entry": instance["entry"], "table": found[0], "op": found[1], "dtype": found[2],
                       "LQ": lengths(dims["LQ"]), "LK": lengths(dims["LK"]), "HQ": dims.get("HQ", dims.get("NH")),
                       "HKV": dims.get("HKV", dims.get("NH")), "D": dims["D"], "BS": dims.get("BS", 0),
                       "given": {k: v for k, v in dims.items() if k not in ("LQ", "LK")}, "weight": instance.get("weight", 0.0),
                       "flops": instance["targets"][0].get("flops"),
                       "roofline_us": instance["targets"][0]["roofline_us"]})
    return in_turns(sorted(shapes, key=lambda s: -s["weight"]), "entry")


class Operands:
    """A shape's tensors, drawn anew: values, offsets, and pages in any order."""

    def __init__(self, shape):
        self.shape, dtype = shape, DTYPES[shape["dtype"]]
        self.lengths_q, self.lengths_k = shape["LQ"], shape["LK"]
        heads_q, heads_k, d = shape["HQ"], shape["HKV"], shape["D"]

        def draw(*sizes):
            return torch.randn(*sizes, device="cuda", dtype=dtype)

        def offsets(lengths):
            sums = torch.tensor([0] + lengths, dtype=torch.int64).cumsum(0)
            return sums.to(torch.int32).cuda()

        self.q = draw(sum(self.lengths_q), heads_q, d)
        self.out = torch.empty_like(self.q)
        self.offsets_q = offsets(self.lengths_q)
        self.causal = shape["op"] == "unified_attention" and self.lengths_q == self.lengths_k
        if shape["op"] == "attention_forward":
            self.k, self.v = draw(sum(self.lengths_k), heads_k, d), draw(sum(self.lengths_k), heads_k, d)
            self.operands = [self.q, self.k, self.v, self.offsets_q, offsets(self.lengths_k), self.out]
            return
        size = shape["BS"]
        longest = max(self.lengths_k)
        columns = -(-longest // size) + 2
        blocks = len(self.lengths_k) * columns + 64
        self.cache_k, self.cache_v = draw(blocks, size, heads_k, d), draw(blocks, size, heads_k, d)
        order = torch.randperm(blocks, device="cuda")[: len(self.lengths_k) * columns]
        self.table = order.reshape(len(self.lengths_k), columns).to(torch.int32)
        used = torch.tensor(self.lengths_k, dtype=torch.int32).cuda()
        sinks = torch.empty(0, device="cuda")
        self.operands = [self.q, self.cache_k, self.cache_v, self.offsets_q, used, self.table, sinks, self.out]
        self.k, self.v = self.gathered()

    def gathered(self):
        """Keys and values as if they were not in pages; one length alone."""
        length = self.lengths_k[0]
        pages = -(-length // self.shape["BS"])
        rows = self.table[:, :pages].long()
        tails = [cache[rows].flatten(1, 2)[:, :length].flatten(0, 1) for cache in (self.cache_k, self.cache_v)]
        return tails[0], tails[1]

    def is_right(self):
        """Sampled rows of sampled heads, as close as weights in 16 bits let be."""
        generator = torch.Generator().manual_seed(len(self.lengths_q))
        for _ in range(4):
            s = int(torch.randint(len(self.lengths_q), (1,), generator=generator))
            h = int(torch.randint(self.shape["HQ"], (1,), generator=generator))
            kv = h * self.shape["HKV"] // self.shape["HQ"]
            q0, k0 = sum(self.lengths_q[:s]), sum(self.lengths_k[:s])
            q1, k1 = q0 + self.lengths_q[s], k0 + self.lengths_k[s]
            rows = torch.randint(q0, q1, (SAMPLED_ROWS,), generator=generator)
            rows[0], rows[1] = q0, q1 - 1
            keys, values = self.k[k0:k1, kv].double(), self.v[k0:k1, kv].double()
            scores = self.q[rows.cuda(), h].double() @ keys.T * self.shape["D"] ** -0.5
            if self.causal:
                seen = torch.arange(k1 - k0)[None, :] <= (rows - q0)[:, None]
                scores.masked_fill_(~seen.cuda(), float("-inf"))
            want = scores.softmax(-1) @ values
            if not is_close(self.out[rows.cuda(), h].double(), want):
                return False
        return True


class AttentionBench(Bench):
    def rivals(self, operands, left_out):
        """{baseline: (variant, callable)}; the others' reasons."""
        lengths = set(operands.lengths_q), set(operands.lengths_k)
        if any(len(own) != 1 for own in lengths):
            left_out["sdpa"] = "sequences of several lengths"
            return {}
        count, shape = len(operands.lengths_q), operands.shape

        def batched(x):
            return x.view(count, -1, *x.shape[1:]).transpose(1, 2)

        def attend(backend, k, v):
            with sdpa_kernel(backend):
                return scaled_dot_product_attention(batched(operands.q), batched(k), batched(v),
                                                    is_causal=operands.causal,
                                                    enable_gqa=shape["HQ"] != shape["HKV"])

        found, paged = {}, shape["op"] == "unified_attention"
        for name, backend in BACKENDS.items():
            subjects = {name: lambda b=backend: attend(b, operands.k, operands.v)}
            if paged:
                subjects = {f"~{name}": subjects[name],
                            f"gather+{name}": lambda b=backend: attend(b, *operands.gathered())}
            for subject, launch in subjects.items():
                try:
                    output = launch()
                    operands.out.copy_(output.transpose(1, 2).reshape(operands.out.shape))
                    if not operands.is_right():
                        raise RuntimeError("wrong")
                    found[subject] = "one length", launch
                except Exception as error:  # of anybody's library
                    left_out[subject] = first_line(error)
        return found

    def time_shape(self, shape):
        operands, lists = Operands(shape), {}
        for name in ("LQ", "LK"):
            lists.update({f"len_{name}": len(shape[name]), f"sum_{name}": sum(shape[name]),
                          f"max_{name}": max(shape[name])})
        given = {**shape["given"], **lists}
        if shape["op"] == "unified_attention":
            given.update(MB=operands.table.shape[1], NB=operands.cache_k.shape[0])
        dims = self.runtime.dims(shape["table"], given)
        kernel, named = self.runtime.choice(shape["table"], dims)
        ours = self.runtime.launcher(shape["table"], dims, operands.operands, self.timer.stream)
        operands.out.fill_(float("nan"))
        ours()
        torch.cuda.synchronize()
        if not operands.is_right():
            raise RuntimeError(f"WRONG: {kernel}")
        left_out = {}
        rivals = self.rivals(operands, left_out)
        variants = {name: variant for name, (variant, _) in rivals.items()}
        result = {k: shape[k] for k in ("entry", "op", "LQ", "LK", "HQ", "HKV", "D", "weight", "roofline_us")}
        result.update(kernel=kernel, variants=variants, left_out=left_out,
                      dims=",".join(f"{k}={v}" for k, v in sorted(named.items())), dtypes=f"DT={shape['dtype']}")
        self.time({OURS: ours, **{name: launch for name, (_, launch) in rivals.items()}}, variants, result,
                  budget_ms=60)
        return result


def tflops(result, us):
    pairs = sum(q * (q + 1) / 2 if result["op"] == "unified_attention" and q == k else q * k
                for q, k in zip(result["LQ"], result["LK"]))
    return 4 * pairs * result["HQ"] * result["D"] / us / 1e6


def print_report(results):
    print(f"{'entry':20} {'sequences':>14} {'heads':>7} {'d':>4} {'T roof':>9} {'lathe us':>9} {'TFLOP/s':>7} {'S':>6} "
          f"{'best us':>9} {'ratio':>6}  best baseline, and others in us")
    for r in sorted(results, key=lambda r: (r["op"], r["D"], r["HQ"], sum(r["LQ"]))):
        ours = r["us"][OURS]
        print_result(f"{r['entry']:20} {len(r['LQ']):>6}x{max(r['LQ']):<7} {r['HQ']:>3}:{r['HKV']:<3} {r['D']:>4} "
                     f"{r['roofline_us']:9.2f} {ours:9.2f} {tflops(r, ours):7.1f}", r)
    print_summary(results)


def main():
    args = arguments(__doc__).parse_args()
    start = time.time()
    bench = AttentionBench(args, "attention_baselines.py")
    shapes = hot_shapes(bench.runtime, args.only)
    if not shapes:
        sys.exit(f"{args.bundle}: no instance of {', '.join(args.only or OPERATORS)}")
    say(f"{len(shapes)} shapes; ready after {time.time() - start:.0f} s")
    results, failed = time_all(shapes, bench.time_shape, title, args, start,
                               lambda results: {**bench.facts, "shapes": results})
    print_report(results)
    print(f"{len(results)} of {len(shapes)} shapes timed on {bench.facts['device']['name']} in "
          f"{time.time() - start:.0f} s; {failed} failed, {len(shapes) - len(results) - failed} left out")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
