# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The baseline of row_operators.py: one Triton program per row, in bf16."""
import triton
import triton.language as tl

OPS = ["rms_norm", "fused_add_rms_norm", "gated_rms_norm", "layer_norm", "l2_norm", "silu_and_mul"]


@triton.jit
def row_kernel(x, second, weight, bias, out, residual, eps, WIDTH: tl.constexpr,
               BLOCK: tl.constexpr, OP: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    cols = tl.arange(0, BLOCK)
    inside = cols < WIDTH
    at = row * WIDTH + cols
    dtype: tl.constexpr = out.dtype.element_ty
    if OP == 5:
        at2 = row * 2 * WIDTH + cols
        gate = tl.load(x + at2, mask=inside, other=0).to(tl.float32)
        up = tl.load(x + at2 + WIDTH, mask=inside, other=0).to(tl.float32)
        gate = (gate / (1 + tl.exp(-gate))).to(dtype).to(tl.float32)
        tl.store(out + at, (gate * up).to(dtype), mask=inside)
    else:
        value = tl.load(x + at, mask=inside, other=0).to(tl.float32)
        if OP == 1:
            total = value + tl.load(second + at, mask=inside, other=0).to(tl.float32)
            total = total.to(dtype)
            tl.store(residual + at, total, mask=inside)
            value = total.to(tl.float32)
        if OP == 3:
            centred = tl.where(inside, value - tl.sum(value, 0) / WIDTH, 0.0)
            result = centred * tl.rsqrt(tl.sum(centred * centred, 0) / WIDTH + eps)
            result = result * tl.load(weight + cols, mask=inside, other=0).to(tl.float32)
            result += tl.load(bias + cols, mask=inside, other=0).to(tl.float32)
        elif OP == 4:
            result = value * tl.rsqrt(tl.sum(value * value, 0) + eps)
        else:
            result = value * tl.rsqrt(tl.sum(value * value, 0) / WIDTH + eps)
            result = result * tl.load(weight + cols, mask=inside, other=0).to(tl.float32)
        if OP == 2:
            gate = tl.load(second + at, mask=inside, other=0).to(tl.float32)
            result = result * (gate / (1 + tl.exp(-gate)))
        tl.store(out + at, result.to(dtype), mask=inside)


def baseline(op, tensors, outputs, eps, warps):
    rows, width = outputs[0].shape
    matrices = [t for t in tensors if t.dim() == 2]
    vectors = [t for t in tensors if t.dim() == 1] or [tensors[0]]
    block = triton.next_power_of_2(width)

    def launch():
        row_kernel[(rows,)](tensors[0], matrices[-1], vectors[0], vectors[-1], outputs[0], outputs[-1],
                            eps, width, block, OPS.index(op), num_warps=warps)
    return launch
