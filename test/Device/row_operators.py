#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Check a bundle's row-wise operators on an NVIDIA GPU.

Launches through liblathe_runtime.so only. Every instance of the bundle's
histogram and a list of awkward shapes are compared with a float64 reference;
red zones around the outputs must stay untouched. row_baselines.py times them.

    row_operators.py --bundle B --runtime liblathe_runtime.so
"""
import argparse
import sys

import torch

from lathe_runtime import Runtime

DEV = "cuda"
MARK = 7.25  # exact in every dtype
DTYPES = {"bf16": torch.bfloat16, "f16": torch.float16, "f32": torch.float32}
ULP = {torch.bfloat16: 2.0**-7, torch.float16: 2.0**-10, torch.float32: 2.0**-18}
EPS = {"layer_norm": 1e-5}
INPUTS = {  # (rank, scale, offset) in operator order
    "rms_norm": [(2, 0.02, 0), (1, 0.02, 1)],
    "fused_add_rms_norm": [(2, 0.02, 0), (2, 1, 0), (1, 0.02, 1)],
    "gated_rms_norm": [(2, 0.02, 0), (2, 1, 0), (1, 0.02, 1)],
    "layer_norm": [(2, 1, 0), (1, 1, 0), (1, 1, 0)],
    "l2_norm": [(2, 1, 0)],
    "silu_and_mul": [(2, 1, 0)],
}
AWKWARD = [  # rows, width, extra pitch, base offset in elements
    (0, 128, 0, 0), (1, 2, 0, 0), (3, 2, 0, 0), (5, 3, 0, 0), (7, 127, 0, 0),
    (9, 129, 1, 0), (17, 2048, 8, 0), (17, 2048, 1, 0), (17, 2048, 0, 1),
    (33, 2880, 0, 0), (12, 4002, 0, 0), (12, 4002, 2, 0), (8, 5120, 16, 0),
    (8, 1280, 0, 3), (3, 100001, 0, 0), (1000, 128, 8, 0), (65537, 128, 0, 0),
    (131, 1152, 0, 0), (131, 7168, 0, 0), (16384, 2048, 0, 1),
    (65536, 1000, 1, 0), (300000, 8192, 0, 0),
]


def draw(op, rows, width, dtype, pitch=0, offset=0):
    tensors = []
    for rank, scale, shift in INPUTS[op]:
        step = width + pitch if rank == 2 else width
        count = rows * step if rank == 2 else width
        flat = torch.randn(count + offset, device=DEV, dtype=dtype) * scale + shift
        flat = flat[offset:]
        tensors.append(flat.view(rows, step)[:, :width] if rank == 2 else flat)
    return tensors


def reference(op, tensors, dtype):
    eps = EPS.get(op, 1e-6)
    wide = [t.double() for t in tensors]
    done = lambda x: x.float().to(dtype)
    norm = lambda x: x * torch.rsqrt((x * x).mean(-1, keepdim=True) + eps)
    x = wide[0]
    if op == "rms_norm":
        return [done(norm(x) * wide[1])]
    if op == "fused_add_rms_norm":
        total = (tensors[0].float() + tensors[1].float()).to(dtype)
        return [done(norm(total.double()) * wide[2]), total]
    if op == "gated_rms_norm":
        return [done(norm(x) * wide[2] * wide[1] * torch.sigmoid(wide[1]))]
    if op == "layer_norm":
        centred = x - x.mean(-1, keepdim=True)
        scale = torch.rsqrt((centred**2).mean(-1, keepdim=True) + eps)
        return [done(centred * scale * wide[1] + wide[2])]
    if op == "l2_norm":
        return [done(x * torch.rsqrt((x * x).sum(-1, keepdim=True) + eps))]
    half = x.shape[-1] // 2
    gate = done(x[:, :half] * torch.sigmoid(x[:, :half]))
    return [done(gate.double() * x[:, half:2 * half])]


def count_wrong(got, want):
    a, b = got.double(), want.double()
    row = torch.nan_to_num(b, 0, 0, 0).pow(2).mean(-1, keepdim=True).sqrt()
    near = (a - b).abs() <= 1.01 * ULP[got.dtype] * b.abs() + 2.0**-20 * row + 1e-30
    return int((~(near | (a == b) | (a.isnan() & b.isnan()))).sum())


def output_widths(op, width):
    if op == "silu_and_mul":
        return [width // 2]
    return [width] * (2 if op == "fused_add_rms_norm" else 1)


def verify(runtime, table, op, dtype, rows, width, pitch=0, offset=0):
    """Number of wrong elements, of stores outside included."""
    tensors = draw(op, rows, width, dtype, pitch, offset)
    if rows >= 8 and rows * width < 2**31:
        x = tensors[0]
        x[0], x[1, 0], x[2, -1], x[3] = 0, float("inf"), float("nan"), -0.0
        x[4] *= 1e-30
        x[5] *= 1e4
    buffers, outputs = [], []
    for cols in output_widths(op, width):
        zone = 128
        buffer = torch.full((rows * cols + offset + 2 * zone,), MARK, device=DEV, dtype=dtype)
        buffers.append((buffer, zone + offset, rows * cols))
        outputs.append(buffer[zone + offset:zone + offset + rows * cols].view(rows, cols))
    pitches = [width + pitch] * sum(rank == 2 for rank, *_ in INPUTS[op])
    stream = torch.cuda.current_stream().cuda_stream
    runtime.launcher(table, [rows, width] + pitches, tensors + outputs, stream)()
    torch.cuda.synchronize()
    wrong = 0
    step = max(1, min(rows, 2**25 // max(width, 1)))
    starts = range(0, rows, step) if rows * width < 2**28 else [0, rows // 2, rows - step]
    for first in starts:
        part = slice(first, first + step)
        want = reference(op, [t[part] if t.dim() == 2 else t for t in tensors], dtype)
        wrong += sum(count_wrong(o[part], w) for o, w in zip(outputs, want))
    for buffer, first, count in buffers:
        wrong += int((buffer[:first] != MARK).sum() + (buffer[first + count:] != MARK).sum())
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bundle", required=True)
    parser.add_argument("--runtime", required=True)
    args = parser.parse_args()
    torch.manual_seed(0)
    runtime = Runtime(args.runtime, args.bundle)
    rows_of, failures, checks = {}, 0, 0
    for instance in runtime.manifest["instances"]:
        found = runtime.table(instance["entry"])
        if not found or found[1] not in INPUTS:
            continue
        table, op, dtype = found[0], found[1], DTYPES[found[2]]
        rows_of.setdefault(op, (table, dtype))
        dims = instance["dims"]
        rows, width = dims["T"], dims.get("H", dims.get("D"))
        wrong = verify(runtime, table, op, dtype, rows, width)
        checks += 1
        failures += wrong > 0
        if wrong:
            print(f"WRONG {op} {rows}x{width}: {wrong} elements")
    for op, (table, dtype) in rows_of.items():
        for rows, width, pitch, offset in AWKWARD:
            wrong = verify(runtime, table, op, dtype, rows, width, pitch, offset)
            checks += 1
            failures += wrong > 0
            if wrong:
                print(f"WRONG {op} {rows}x{width} pitch +{pitch} base +{offset}: {wrong} elements")
            torch.cuda.empty_cache()
    print(f"{checks - failures} of {checks} shapes right on {torch.cuda.get_device_name()}")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
