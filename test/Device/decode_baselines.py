#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Time a bundle's attention of one token per sequence beside public baselines on
an NVIDIA GPU.

Lathe's kernel as the bundle's table picks it, own kernels in Triton with a
sequence in one part and in several, and PyTorch: products around a softmax, and
fused attention with the heads that share keys as rows. All in turn in one
process and by liblathe_measure.so, with the stream kept busy until a launch is
queued and by replay of a graph, so that nobody's host counts. A short sweep
finds the best of Triton's schedules; only those are timed. PyTorch takes
sequences of one length; what lies in pages it gathers first, and marked ~ it
finds gathered. All must be right for sampled heads; a rival that is wrong or
fails is left out, and the report says why. Baselines go into a file of records
that lathe-device made, for `lathe score`.

    decode_baselines.py --bundle B --runtime liblathe_runtime.so --measure liblathe_measure.so
                        [--db RECORDS] [--json F] [--seconds N] [--jobs N]
"""
import os
import sys
import time

import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from baseline_bench import DTYPES, Bench, arguments, first_line, is_close, say, time_all
from baseline_report import OURS, in_turns, lengths, list_name, print_result, print_summary
import decode_triton

PAGED, LATENT = "paged_attention_decode", "mla_decode_attention"
OPERATORS = (PAGED, LATENT)
BACKENDS = {"sdpa_cudnn": SDPBackend.CUDNN_ATTENTION, "sdpa_flash2": SDPBackend.FLASH_ATTENTION,
            "sdpa_efficient": SDPBackend.EFFICIENT_ATTENTION}
SAMPLED_HEADS = 64
SWEEP_MS, BUDGET_MS = 20, 60  # per subject, at most


def title(shape):
    return f"{shape['entry']} {len(shape['L'])} x {max(shape['L'])} heads {shape['HQ']}:{shape['HKV']} d {shape['D']}"


def hot_shapes(runtime, only):
    """The bundle's instances, the heaviest of each entry in turn."""
    shapes = []
    for instance in runtime.manifest["instances"]:
        found = runtime.table(instance["entry"])
        if not found or found[1] not in OPERATORS or (only and found[1] not in only):
            continue
        given = {k: v for k, v in instance["dims"].items() if k != "L"}
        own = lengths(instance["dims"]["L"])
        shape = {"entry": instance["entry"], "table": found[0], "op": found[1], "dtype": found[2], "L": own,
                 "name": list_name(instance["dims"]["L"]), "given": given, "weight": instance.get("weight", 0.0),
                 "roofline_us": instance["targets"][0]["roofline_us"], "R": 0, "BS": 0, "MB": 0, "NB": 0}
        if found[1] == LATENT:
            shape.update(HQ=given["NH"], HKV=1, D=given.get("C", 512), R=given.get("R", 64))
        else:
            size = given.get("BS", 16)
            columns = given.get("MB", -(-max(own, default=0) // size))
            shape.update(HQ=given["HQ"], HKV=given["HKV"], D=given["D"], BS=size, MB=columns,
                         NB=given.get("NB", len(own) * columns + 16))
        shapes.append(shape)
    return in_turns(sorted(shapes, key=lambda s: -s["weight"]), "entry")


class Operands:
    """A shape's tensors in operator order, the output last, drawn anew: values,
    and pages in any order. Keeps what some heads' output should be."""

    def __init__(self, shape):
        self.shape, dtype = shape, DTYPES[shape["dtype"]]
        count, heads, kv_heads, d = len(shape["L"]), shape["HQ"], shape["HKV"], shape["D"]

        def draw(*sizes):
            return torch.randn(*sizes, device="cuda", dtype=dtype)

        self.query = draw(count, heads, d + shape["R"])
        self.out = draw(count, heads, d)
        used = torch.tensor(shape["L"], dtype=torch.int32).cuda()
        if shape["op"] == LATENT:
            self.cache = draw(sum(shape["L"]), 1, d + shape["R"])
            self.tensors = [self.query, self.cache, used, self.out]
        else:
            size, columns, blocks = shape["BS"], shape["MB"], shape["NB"]
            pack = 16 // dtype.itemsize
            self.k_cache = draw(blocks, kv_heads, -(-d // pack), size, pack)
            self.v_cache = draw(blocks, kv_heads, d, size)
            order = torch.randperm(blocks, device="cuda").repeat(-(-count * columns // blocks))
            self.table = order[: count * columns].reshape(count, columns).to(torch.int32)
            self.tensors = [self.query, self.k_cache, self.v_cache, self.table, used, self.out]
        generator = torch.Generator().manual_seed(count)
        picked = torch.randperm(count * heads, generator=generator)
        last = count * heads - 1
        picked = [0, last] + [i for i in picked.tolist() if i not in (0, last)] if last > 0 else [0]
        self.picked = torch.tensor(picked[:SAMPLED_HEADS]).cuda()
        self.want = torch.stack([self.reference(*divmod(i, heads)) for i in picked[:SAMPLED_HEADS]])

    def keys_and_values(self, s, kv_head):
        """Rows of one sequence and head."""
        length, d, size = self.shape["L"][s], self.shape["D"], self.shape["BS"]
        if self.shape["op"] == LATENT:
            first = sum(self.shape["L"][:s])
            rows = self.cache[first:first + length, 0]
            return rows, rows[:, :d]
        pages = self.table[s, :-(-length // size)].long()
        keys = self.k_cache[pages, kv_head].permute(0, 2, 1, 3).flatten(0, 1).flatten(1)
        values = self.v_cache[pages, kv_head].permute(0, 2, 1).flatten(0, 1)
        return keys[:length, :d], values[:length]

    def reference(self, s, h):
        keys, values = self.keys_and_values(s, h * self.shape["HKV"] // self.shape["HQ"])
        query = self.query[s, h].double()
        scores = keys.double() @ query * query.shape[0] ** -0.5
        return scores.softmax(0) @ values.double()

    def gathered(self):
        """Keys and values of all sequences by head, if they have one length."""
        if self.shape["op"] == LATENT:
            rows = self.cache.view(len(self.shape["L"]), 1, self.shape["L"][0], -1)
            return rows, rows[..., :self.shape["D"]]
        count, length, size = len(self.shape["L"]), self.shape["L"][0], self.shape["BS"]
        pages = self.table[:, :-(-length // size)].reshape(-1)
        keys = self.k_cache.index_select(0, pages).unflatten(0, (count, -1)).permute(0, 2, 1, 4, 3, 5)
        values = self.v_cache.index_select(0, pages).unflatten(0, (count, -1)).permute(0, 2, 1, 4, 3)
        keys, values = keys.flatten(4).flatten(2, 3), values.flatten(2, 3)
        return keys[:, :, :length, :self.shape["D"]], values[:, :, :length]

    def accepts(self, launch):
        """Whether a launch gives the right output, which none before has left."""
        self.out.fill_(float("nan"))
        output = launch()
        if output is not None:
            self.out.copy_(output.reshape(self.out.shape))
        torch.cuda.synchronize()
        return is_close(self.out.flatten(0, 1)[self.picked].double(), self.want)


def by_triton(in_parts):
    def build(bench, operands, left_out):
        launches, known = {}, decode_triton.schedules(operands.shape, in_parts)
        for name, schedule in known.items():
            try:
                launch = decode_triton.launcher(operands.shape, operands.tensors, *schedule)
                if not operands.accepts(launch):
                    raise RuntimeError("wrong")
                launches[name] = launch
            except Exception as error:  # of the compiler
                left_out[f"triton {name}"] = first_line(error)
        if not launches:
            raise RuntimeError("no schedule runs" if known else "too few tokens, or enough programs")
        return bench.best(launches, budget_ms=SWEEP_MS)
    return build


def by_torch(attend, variant, is_gathered=False):
    """Attention of queries by the head of their keys: (sequence, that, query)."""
    def build(_bench, operands, _left_out):
        query = operands.query.unflatten(1, (operands.shape["HKV"], -1))
        if not is_gathered:
            return variant, lambda: attend(query, *operands.gathered())
        keys, values = operands.gathered()
        return variant, lambda: attend(query, keys, values)
    return build


def fused(backend):
    def attend(query, keys, values):
        with sdpa_kernel(backend):
            return scaled_dot_product_attention(query, keys, values)
    return attend


def multiplied(query, keys, values):
    q, k, v = (t.flatten(0, 1) for t in (query, keys, values))
    scores = torch.baddbmm(q.new_empty(1, 1, 1), q, k.transpose(1, 2), beta=0, alpha=q.shape[-1] ** -0.5)
    return torch.bmm(scores.softmax(-1), v)


TRITON = {"triton": by_triton(False), "triton_parts": by_triton(True)}
RIVALS = {
    PAGED: {**TRITON, "gather+bmm": by_torch(multiplied, "baddbmm, softmax, bmm"),
            **{f"gather+{name}": by_torch(fused(b), "one length") for name, b in BACKENDS.items()},
            **{f"~{name}": by_torch(fused(b), "one length", is_gathered=True) for name, b in BACKENDS.items()}},
    LATENT: {**TRITON, "bmm": by_torch(multiplied, "baddbmm, softmax, bmm"),
             "sdpa_efficient": by_torch(fused(BACKENDS["sdpa_efficient"]), "one length")}}


class DecodeBench(Bench):
    def rivals(self, operands, left_out):
        """{baseline: (variant, callable)}; the others' reasons."""
        found, builders = {}, RIVALS[operands.shape["op"]]
        if len(set(operands.shape["L"])) != 1:
            builders, left_out["torch"] = TRITON, "sequences of several lengths"
        for name, build in builders.items():
            try:
                variant, launch = build(self, operands, left_out)
                if not operands.accepts(launch):
                    raise RuntimeError(f"wrong ({variant})")
                found[name] = variant, launch
            except Exception as error:  # of anybody's compiler or library
                left_out[name] = first_line(error)
        return found

    def time_shape(self, shape):
        operands, figures = Operands(shape), {f"{f.__name__}_L": f(shape["L"]) for f in (len, sum, max)}
        dims = self.runtime.dims(shape["table"], {**shape["given"], **figures})
        kernel, named = self.runtime.choice(shape["table"], dims)
        ours = self.runtime.launcher(shape["table"], dims, operands.tensors, self.timer.stream)
        if not operands.accepts(ours):
            raise RuntimeError(f"WRONG: {kernel}")
        left_out = {}
        rivals = self.rivals(operands, left_out)
        variants = {name: variant for name, (variant, _) in rivals.items()}
        result = {k: shape[k] for k in ("entry", "op", "L", "HQ", "HKV", "D", "R", "weight", "roofline_us")}
        # As records name a size: by its list, not by what follows from it.
        size = {"L": shape["name"], **{k: v for k, v in named.items() if k not in figures}}
        result.update(kernel=kernel, variants=variants, left_out=left_out,
                      dims=",".join(f"{k}={v}" for k, v in sorted(size.items())), dtypes=f"DT={shape['dtype']}")
        self.time({OURS: ours, **{name: launch for name, (_, launch) in rivals.items()}}, variants, result,
                  budget_ms=BUDGET_MS)
        return result


def print_report(results, floors):
    print(f"an empty kernel: {floors['events']:.2f} us by events, {floors['graph']:.2f} us by graph replay")
    print(f"{'entry':28} {'sequences':>12} {'heads':>7} {'d':>4} {'T roof':>9} {'lathe us':>9} {'S':>6} "
          f"{'best us':>9} {'ratio':>6}  best baseline, and others in us")
    for r in sorted(results, key=lambda r: (r["op"], r["D"], r["HQ"], sum(r["L"]))):
        print_result(f"{r['entry']:28} {len(r['L']):>6}x{max(r['L']):<5} {r['HQ']:>3}:{r['HKV']:<3} {r['D']:>4} "
                     f"{r['roofline_us']:9.2f} {r['us'][OURS]:9.2f}", r)
        print(f"  {r['kernel']}; {'; '.join(f'{n}: {v}' for n, v in r['variants'].items() if 'triton' in n)}")
    print_summary(results)


def main():
    parser = arguments(__doc__)
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 2), help="to compile with")
    args = parser.parse_args()
    start = time.time()
    bench = DecodeBench(args, "decode_baselines.py")
    shapes = hot_shapes(bench.runtime, args.only)
    if not shapes:
        sys.exit(f"{args.bundle}: no instance of {', '.join(args.only or OPERATORS)}")
    try:
        decode_triton.warm_all(shapes, args.jobs)
    except Exception as error:  # of processes beside; all is compiled here then
        say(f"cannot compile ahead: {first_line(error)}")
    say(f"{len(shapes)} shapes; ready after {time.time() - start:.0f} s")
    results, failed = time_all(shapes, bench.time_shape, title, args, start,
                               lambda results: {**bench.facts, "shapes": results})
    print_report(results, bench.facts["floors"])
    print(f"{len(results)} of {len(shapes)} shapes timed on {bench.facts['device']['name']} in "
          f"{time.time() - start:.0f} s; {failed} failed, {len(shapes) - len(results) - failed} left out")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
