# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What row operators are timed against: PyTorch, Inductor, Triton, a plain copy.

Tensors come in operator order, rows without gaps. A rival is a callable that
queues its work on PyTorch's current stream and returns the outputs.
"""
import concurrent.futures
import fcntl
import multiprocessing
import os
import sys
import tempfile
import time

# The processes that fill the caches are many already.
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")

import torch
import torch.nn.functional as F
import triton
import triton.language as tl

OPS = ["rms_norm", "fused_add_rms_norm", "gated_rms_norm", "layer_norm", "l2_norm", "silu_and_mul"]
EPS = {op: 1e-5 if op == "layer_norm" else 1e-6 for op in OPS}

# ---------------------------------------------------------------------------
# Triton
# ---------------------------------------------------------------------------


@triton.jit(do_not_specialize=["count"])
def row_kernel(x, second, weight, bias, out, residual, eps, count, WIDTH: tl.constexpr,
               BLOCK: tl.constexpr, ROWS: tl.constexpr, OP: tl.constexpr):
    rows = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    cols = tl.arange(0, BLOCK)[None, :]
    inside = cols < WIDTH
    if ROWS > 1:
        inside = inside & (rows < count)
    at = rows * WIDTH + cols
    dtype: tl.constexpr = out.dtype.element_ty
    if OP == 5:
        halves = rows * 2 * WIDTH + cols
        gate = tl.load(x + halves, mask=inside, other=0).to(tl.float32)
        up = tl.load(x + halves + WIDTH, mask=inside, other=0).to(tl.float32)
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
            value = tl.where(inside, value - tl.sum(value, 1)[:, None] / WIDTH, 0.0)
        squares = tl.sum(value * value, 1)[:, None]
        if OP != 4:
            squares = squares / WIDTH
        result = value * tl.rsqrt(squares + eps)
        if OP != 4:
            result = result * tl.load(weight + cols, mask=cols < WIDTH, other=0).to(tl.float32)
        if OP == 3:
            result += tl.load(bias + cols, mask=cols < WIDTH, other=0).to(tl.float32)
        if OP == 2:
            gate = tl.load(second + at, mask=inside, other=0).to(tl.float32)
            result = result * (gate / (1 + tl.exp(-gate)))
        tl.store(out + at, result.to(dtype), mask=inside)


@triton.jit(do_not_specialize=["count"])
def copy_kernel(source, target, count, BLOCK: tl.constexpr):
    at = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < count), mask=at < count)


def triton_variants(width):
    """(rows per program, warps): one row, and several where rows are short."""
    block = triton.next_power_of_2(width)
    variants = [(1, warps) for warps in (1, 2, 4, 8, 16)]
    for rows in (2, 4, 8, 16, 32, 64):
        for warps in (1, 2, 4, 8):
            if rows * block <= 8192 and 4 <= rows * block // (32 * warps) <= 64:
                variants.append((rows, warps))
    return variants


def triton_rival(op, tensors, outputs, rows, warps):
    count, width = outputs[0].shape
    matrices = [t for t in tensors if t.dim() == 2]
    vectors = [t for t in tensors if t.dim() == 1] or [tensors[0]]
    arguments = (tensors[0], matrices[-1], vectors[0], vectors[-1], outputs[0], outputs[-1], EPS[op],
                 count, width, triton.next_power_of_2(width), rows, OPS.index(op))

    def launch():
        row_kernel[(triton.cdiv(count, rows),)](*arguments, num_warps=warps)
        return outputs
    return launch


def copies(read, write):
    """A copy that moves as many bytes as reading `read` and writing `write`."""
    count = (sum(t.numel() for t in read) + sum(t.numel() for t in write)) // 2
    source, target = (torch.empty(count, device="cuda", dtype=read[0].dtype) for _ in "ab")
    found = {"memcpy": lambda: target.copy_(source)}
    for block, warps in ((1024, 4), (2048, 4), (4096, 8)):
        grid = (triton.cdiv(count, block),)
        found[f"block={block},num_warps={warps}"] = (
            lambda block=block, warps=warps, grid=grid:
            copy_kernel[grid](source, target, count, block, num_warps=warps))
    return found


# ---------------------------------------------------------------------------
# PyTorch, eager and by Inductor
# ---------------------------------------------------------------------------

EAGER = {
    "rms_norm": lambda x, w: [F.rms_norm(x, w.shape, w, 1e-6)],
    "layer_norm": lambda x, w, b: [F.layer_norm(x, w.shape, w, b, 1e-5)],
    "gated_rms_norm": lambda x, z, w: [F.rms_norm(x, w.shape, w, 1e-6) * F.silu(z)],
    "l2_norm": lambda x: [F.normalize(x, dim=-1, eps=1e-3)],
    "silu_and_mul": lambda x: [F.silu(x[:, :x.shape[1] // 2]) * x[:, x.shape[1] // 2:]],
}


def eager_fused_add(x, residual, w):
    total = x + residual
    return [F.rms_norm(total, w.shape, w, 1e-6), total]


EAGER["fused_add_rms_norm"] = eager_fused_add


def scaled(x, eps, mean=True):
    squares = x * x
    return x * torch.rsqrt((squares.mean(-1, keepdim=True) if mean else squares.sum(-1, keepdim=True)) + eps)


def wide_rms_norm(x, w):
    return [(scaled(x.float(), 1e-6) * w.float()).to(x.dtype)]


def wide_fused_add_rms_norm(x, residual, w):
    total = (x.float() + residual.float()).to(x.dtype)
    return [(scaled(total.float(), 1e-6) * w.float()).to(x.dtype), total]


def wide_gated_rms_norm(x, z, w):
    return [(scaled(x.float(), 1e-6) * w.float() * F.silu(z.float())).to(x.dtype)]


def wide_layer_norm(x, w, b):
    centred = x.float() - x.float().mean(-1, keepdim=True)
    return [(scaled(centred, 1e-5) * w.float() + b.float()).to(x.dtype)]


def wide_l2_norm(x):
    return [scaled(x.float(), 1e-6, mean=False).to(x.dtype)]


def wide_silu_and_mul(x):
    gate, up = x.chunk(2, -1)
    return [(F.silu(gate.float()).to(x.dtype).float() * up.float()).to(x.dtype)]


def inductor_rival(op, tensors):
    """Compiled at the first call, for these sizes alone."""
    torch._dynamo.reset()
    compiled = torch.compile(globals()[f"wide_{op}"], dynamic=False, mode="max-autotune-no-cudagraphs")
    return lambda: compiled(*tensors)


# ---------------------------------------------------------------------------
# Compiling ahead, in processes beside
# ---------------------------------------------------------------------------


def example(op, rows, width, dtype):
    """Operands of an operator whose row is `width` wide, of no particular values."""
    matrices = 2 if op in ("fused_add_rms_norm", "gated_rms_norm") else 1
    vectors = {"l2_norm": 0, "silu_and_mul": 0, "layer_norm": 2}.get(op, 1)
    tensors = [torch.ones(rows, width, device="cuda", dtype=dtype) for _ in range(matrices)]
    tensors += [torch.ones(width, device="cuda", dtype=dtype) for _ in range(vectors)]
    cols = width // 2 if op == "silu_and_mul" else width
    outputs = [torch.empty(rows, cols, device="cuda", dtype=dtype)
               for _ in range(2 if op == "fused_add_rms_norm" else 1)]
    return tensors, outputs


def warm_triton(op, width, dtype):
    tensors, outputs = example(op, 64, width, dtype)
    for rows, warps in triton_variants(outputs[0].shape[1]):
        triton_rival(op, tensors, outputs, rows, warps)()
    torch.cuda.synchronize()


def tune_alone():
    """Lets one process at a time choose among Inductor's configurations, so that
    what they take does not depend on the others."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner
    choose = CachingAutotuner.autotune_to_one_config

    def choose_alone(self, *args, **kwargs):
        with open(os.path.join(tempfile.gettempdir(), "lathe-inductor.lock"), "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            return choose(self, *args, **kwargs)
    CachingAutotuner.autotune_to_one_config = choose_alone


def warm_inductor(op, rows, width, dtype, deadline):
    """Whether there was time for it."""
    if time.time() > deadline:
        return False
    inductor_rival(op, example(op, rows, width, dtype)[0])()
    torch.cuda.synchronize()
    torch.cuda.empty_cache()
    return True


def warm_caches(shapes, dtype, seconds, workers):
    """Fills Triton's cache on disk, and within `seconds` Inductor's, for
    (op, rows, width), in that order. Which ones Inductor has compiled."""
    context, done = multiprocessing.get_context("spawn"), set()
    deadline = time.time() + seconds
    with concurrent.futures.ProcessPoolExecutor(workers, context, initializer=tune_alone) as pool:
        widths = dict.fromkeys((op, width) for op, _, width in shapes)
        warm = [pool.submit(warm_triton, op, width, dtype) for op, width in widths]
        tuned = {shape: pool.submit(warm_inductor, *shape, dtype, deadline) for shape in shapes}
        for job in warm:
            job.result()
        for shape, job in tuned.items():
            try:
                if job.result():
                    done.add(shape)
            except Exception as error:
                print(f"inductor cannot compile {shape}: {error}", file=sys.stderr)
    return done
