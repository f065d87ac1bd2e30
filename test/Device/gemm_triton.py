# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Block-scaled fp8 products in Triton: with fp8 instructions, whose sums over
each 128 columns are then added in f32, and with values widened to bf16."""
import torch
import triton
import triton.language as tl

DEPTH = 128
# (rows, columns, warps, stages) of a tile, by whether values are widened.
VARIANTS = {
    False: [(128, 128, 8, 3), (128, 128, 4, 3), (128, 64, 4, 4), (64, 128, 4, 4), (64, 64, 4, 5), (64, 32, 4, 5)],
    True: [(128, 128, 8, 3), (128, 64, 4, 3), (64, 128, 4, 3), (64, 64, 4, 4), (64, 32, 4, 4)]}


@triton.jit(do_not_specialize=["M"])
def block_scaled_kernel(a, b, a_scales, b_scales, out, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                        BK: tl.constexpr, RASTER: tl.constexpr, WIDEN: tl.constexpr):
    across = tl.cdiv(N, BN)
    group = tl.program_id(0) // (RASTER * across)
    place = tl.program_id(0) % (RASTER * across)
    height = tl.minimum(tl.cdiv(M, BM) - group * RASTER, RASTER)
    rows = (group * RASTER + place % height) * BM + tl.arange(0, BM)
    cols = (place // height) * BN + tl.arange(0, BN)
    depth = tl.arange(0, BK)
    # Tiles that reach beyond the edges compute some rows and columns twice.
    safe_rows, safe_cols = (rows % M).to(tl.int64), (cols % N).to(tl.int64)
    a_at = a + safe_rows[:, None] * K + depth[None, :]
    b_at = b + safe_cols[None, :] * K + depth[:, None]
    blocks = K // BK
    a_scale_at = a_scales + safe_rows * blocks
    b_scale_at = b_scales + (place // height) * BN // BK * blocks
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for block in range(0, blocks):
        x = tl.load(a_at)
        y = tl.load(b_at)
        scale = tl.load(a_scale_at + block) * tl.load(b_scale_at + block)
        if WIDEN:
            x = x.to(tl.bfloat16)
            y = y.to(tl.bfloat16)
        total += tl.dot(x, y) * scale[:, None]
        a_at += BK
        b_at += BK
    at = out + rows.to(tl.int64)[:, None] * N + cols[None, :]
    tl.store(at, total, mask=(rows[:, None] < M) & (cols[None, :] < N))


def launchers(a, b, a_scales, b_scales, out, widen):
    """{schedule: callable}"""
    (m, k), n = a.shape, b.shape[0]
    if k % DEPTH:
        raise RuntimeError(f"the kernel takes whole blocks of {DEPTH} columns, not {k} columns")

    def launcher(rows, cols, warps, stages):
        grid = (triton.cdiv(m, rows) * triton.cdiv(n, cols),)

        def launch():
            block_scaled_kernel[grid](a, b, a_scales, b_scales, out, m, n, k, rows, cols, DEPTH, 8, widen,
                                      num_warps=warps, num_stages=stages)
            return out
        return launch
    return {f"tile={rows}x{cols},num_warps={warps},num_stages={stages}": launcher(rows, cols, warps, stages)
            for rows, cols, warps, stages in VARIANTS[widen]}


def warm(widen, index):
    """Compiles one variant into Triton's cache on disk, in a process beside."""
    a, b = (torch.zeros(size, 256, device="cuda").to(torch.float8_e4m3fn) for size in (128, 256))
    a_scales, b_scales = (torch.ones(size, 2, device="cuda") for size in (128, 2))
    out = torch.empty(128, 256, device="cuda")
    list(launchers(a, b, a_scales, b_scales, out, widen).values())[index]()
    torch.cuda.synchronize()
