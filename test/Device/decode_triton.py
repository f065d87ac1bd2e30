# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention of one token per sequence in Triton: over a paged cache whose keys
are packed by 16 bytes, and over latents that all heads share.

A program takes heads that share their keys as rows of a product, and all tokens
of a sequence or one of several parts, which a second kernel merges. Tensors come
in operator order, the output last. Scores are in base 2."""
import concurrent.futures
import math
import multiprocessing

import torch
import triton
import triton.language as tl

from baseline_bench import DTYPES

LEAST_ROWS = 16  # of a product
MOST_PARTS, PROCESSORS = 64, 132
# (tokens, warps, stages): of pages by products and, where heads share no keys, by
# sums; (heads, tokens, warps, stages) of latents.
PAGES = [(16, 2, 3), (32, 2, 2), (32, 4, 2), (64, 4, 2), (64, 8, 2), (128, 8, 1)]
PAGES_BY_SUMS = [(16, 2, 2), (16, 4, 2), (32, 4, 2), (64, 4, 1), (64, 8, 1)]
LATENTS = [(16, 16, 4, 2), (16, 32, 4, 2), (16, 32, 8, 2), (16, 64, 8, 2), (64, 32, 8, 2), (64, 64, 8, 1)]


@triton.jit
def weigh(scores, most, total):
    highest = tl.maximum(most, tl.max(scores, 1))
    weights = tl.exp2(scores - highest[:, None])
    shrink = tl.exp2(most - highest)
    return weights, shrink, highest, total * shrink + tl.sum(weights, 1)


@triton.jit
def keep(out, logs, sums, most, total, at, columns, inside, WIDTH: tl.constexpr, IS_PART: tl.constexpr):
    # Without tokens a row is zero, and weighs nothing among parts.
    total = tl.where(total > 0, total, 1.0)
    mean = sums / total[:, None]
    tl.store(out + at[:, None] * WIDTH + columns[None, :], mean.to(out.dtype.element_ty),
             mask=inside[:, None] & (columns < WIDTH)[None, :])
    if IS_PART:
        tl.store(logs + at, most + tl.log2(total), mask=inside)


@triton.jit(do_not_specialize=["entries"])
def page_kernel(query, k_cache, v_cache, table, lengths, out, logs, entries, scale, HKV: tl.constexpr,
                GROUP: tl.constexpr, D: tl.constexpr, BS: tl.constexpr, PACK: tl.constexpr, ROWS: tl.constexpr,
                WIDTH: tl.constexpr, BLOCK: tl.constexpr, IS_PART: tl.constexpr):
    sequence = tl.program_id(0).to(tl.int64)
    kv_head = tl.program_id(1)
    part = tl.program_id(2)
    parts = tl.num_programs(2)
    length = tl.load(lengths + sequence)
    span = tl.cdiv(tl.cdiv(length, BLOCK), parts) * BLOCK
    begin = part * span
    end = tl.minimum(begin + span, length)
    row = tl.arange(0, ROWS)
    d = tl.arange(0, WIDTH)
    is_row = row < GROUP
    is_column = d < D
    head = sequence * (HKV * GROUP) + kv_head * GROUP + row
    q = tl.load(query + head[:, None] * D + d[None, :], mask=is_row[:, None] & is_column[None, :], other=0.0)
    packed = (d // PACK) * (BS * PACK) + d % PACK
    most = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    sums = tl.zeros([ROWS, WIDTH], tl.float32)
    for start in range(begin, end, BLOCK):
        token = tl.multiple_of(start, BLOCK) + tl.arange(0, BLOCK)
        entry = token // BS
        slot = token % BS
        # Tokens behind the last page are read from page 0, and weigh nothing.
        page = tl.load(table + sequence * entries + entry, mask=entry < tl.cdiv(length, BS), other=0)
        base = (page.to(tl.int64) * HKV + kv_head) * (D * BS)
        keys = tl.load(k_cache + base[None, :] + slot[None, :] * PACK + packed[:, None],
                       mask=is_column[:, None], other=0.0)
        if ROWS == 1:
            scores = tl.sum(tl.trans(q.to(tl.float32)) * keys.to(tl.float32), 0)[None, :]
        else:
            scores = tl.dot(q, keys)
        scores = tl.where((token < length)[None, :], scores * scale, float("-inf"))
        weights, shrink, most, total = weigh(scores, most, total)
        values = tl.load(v_cache + base[:, None] + slot[:, None] + d[None, :] * BS,
                         mask=is_column[None, :], other=0.0)
        sums = sums * shrink[:, None]
        if ROWS == 1:
            sums += tl.sum(tl.trans(weights) * values.to(tl.float32), 0)[None, :]
        else:
            sums = tl.dot(weights.to(values.dtype), values, sums)
    keep(out, logs, sums, most, total, head * parts + part, d, is_row, D, IS_PART)


@triton.jit
def latent_kernel(query, cache, lengths, out, logs, scale, NH: tl.constexpr, C: tl.constexpr, R: tl.constexpr,
                  COUNT: tl.constexpr, ROWS: tl.constexpr, C_WIDTH: tl.constexpr, R_WIDTH: tl.constexpr,
                  BLOCK: tl.constexpr, IS_PART: tl.constexpr):
    sequence = tl.program_id(0)
    part = tl.program_id(2)
    parts = tl.num_programs(2)
    before = tl.arange(0, COUNT)
    first = tl.sum(tl.load(lengths + before, mask=before < sequence, other=0).to(tl.int64), 0)
    length = tl.load(lengths + sequence)
    span = tl.cdiv(tl.cdiv(length, BLOCK), parts) * BLOCK
    begin = part * span
    end = tl.minimum(begin + span, length)
    own = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    is_row = own < NH
    head = sequence.to(tl.int64) * NH + own
    c = tl.arange(0, C_WIDTH)
    r = C + tl.arange(0, R_WIDTH)
    is_latent = c < C
    is_rotated = r < C + R
    q_at = query + head[:, None] * (C + R)
    q_latent = tl.load(q_at + c[None, :], mask=is_row[:, None] & is_latent[None, :], other=0.0)
    if R > 0:
        q_rotated = tl.load(q_at + r[None, :], mask=is_row[:, None] & is_rotated[None, :], other=0.0)
    most = tl.full([ROWS], float("-inf"), tl.float32)
    total = tl.zeros([ROWS], tl.float32)
    sums = tl.zeros([ROWS, C_WIDTH], tl.float32)
    for start in range(begin, end, BLOCK):
        token = start + tl.arange(0, BLOCK)
        is_token = token < length
        at = cache + (first + token)[:, None] * (C + R)
        latents = tl.load(at + c[None, :], mask=is_token[:, None] & is_latent[None, :], other=0.0)
        scores = tl.dot(q_latent, tl.trans(latents))
        if R > 0:
            rotated = tl.load(at + r[None, :], mask=is_token[:, None] & is_rotated[None, :], other=0.0)
            scores = tl.dot(q_rotated, tl.trans(rotated), scores)
        scores = tl.where(is_token[None, :], scores * scale, float("-inf"))
        weights, shrink, most, total = weigh(scores, most, total)
        sums = tl.dot(weights.to(latents.dtype), latents, sums * shrink[:, None])
    keep(out, logs, sums, most, total, head * parts + part, c, is_row, C, IS_PART)


@triton.jit
def merge_kernel(sums, logs, out, WIDTH: tl.constexpr, PARTS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    d = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = d < WIDTH
    part = row * PARTS + tl.arange(0, PARTS)
    log = tl.load(logs + part)
    most = tl.max(log, 0)
    weights = tl.exp2(log - tl.where(most == float("-inf"), 0.0, most))
    total = tl.sum(weights, 0)
    values = tl.load(sums + part[:, None] * WIDTH + d[None, :], mask=inside[None, :], other=0.0)
    mean = tl.sum(values * weights[:, None], 0) / tl.where(total > 0, total, 1.0)
    tl.store(out + row * WIDTH + d, mean.to(out.dtype.element_ty), mask=inside)


def variants(shape):
    """(heads, tokens, warps, stages)"""
    if shape["op"] == "mla_decode_attention":
        return [v for v in LATENTS if v[0] == LEAST_ROWS or v[0] <= shape["HQ"]]
    group = shape["HQ"] // shape["HKV"]
    rows = max(LEAST_ROWS, triton.next_power_of_2(group))
    by_sums = [(1, *rest) for rest in PAGES_BY_SUMS] if group == 1 else []
    return by_sums + [(rows, *rest) for rest in PAGES]


def part_counts(shape, rows, tokens):
    """One part, and powers of 2: no more parts than there are blocks of tokens, and
    no more than fill the device a few times; the three largest of them."""
    heads = shape["HKV"] if shape["op"] == "paged_attention_decode" else -(-shape["HQ"] // rows)
    most = min(MOST_PARTS, -(-max(shape["L"], default=0) // tokens))
    counts, parts = [1], 2
    while parts <= most and len(shape["L"]) * heads * parts // 2 < 2 * PROCESSORS:
        counts.append(parts)
        parts *= 2
    return counts[:1] + counts[1:][-3:]


def launcher(shape, tensors, rows, tokens, warps, stages, parts):
    out, query = tensors[-1], tensors[0]
    count, heads, width = out.shape
    sums, logs = out, out  # of parts
    if parts > 1:
        sums = torch.empty(count * heads * parts * width, device="cuda", dtype=torch.float32)
        logs = torch.empty(count * heads * parts, device="cuda", dtype=torch.float32)
    scale = query.shape[-1] ** -0.5 * math.log2(math.e)
    padded = max(LEAST_ROWS, triton.next_power_of_2(width))
    options = {"num_warps": warps, "num_stages": stages}
    if shape["op"] == "paged_attention_decode":
        _, k_cache, v_cache, table, lengths, _ = tensors
        _, kv_heads, packs, slots, pack = k_cache.shape
        if heads % kv_heads or packs * pack != width:
            raise RuntimeError("the kernel takes whole groups of heads and whole packs of columns")
        grid, kernel = (count, kv_heads, parts), page_kernel
        arguments = (query, k_cache, v_cache, table, lengths, sums, logs, table.shape[1], scale, kv_heads,
                     heads // kv_heads, width, slots, pack, rows, padded, tokens, parts > 1)
    else:
        _, cache, lengths, _ = tensors
        rest = query.shape[-1] - width
        grid, kernel = (count, triton.cdiv(heads, rows), parts), latent_kernel
        arguments = (query, cache, lengths, sums, logs, scale, heads, width, rest,
                     max(128, triton.next_power_of_2(count)), rows, padded,
                     max(LEAST_ROWS, triton.next_power_of_2(max(rest, 1))), tokens, parts > 1)
    columns = min(padded, 128)
    merge_grid = (count * heads, triton.cdiv(width, columns))

    def launch():
        kernel[grid](*arguments, **options)
        if parts > 1:
            merge_kernel[merge_grid](sums, logs, out, width, parts, columns, num_warps=4)
    return launch


def schedules(shape, in_parts):
    """{name: arguments of a launcher}, of those in several parts or in one."""
    return {f"heads={rows},tokens={tokens},parts={parts},num_warps={warps},num_stages={stages}":
            (rows, tokens, warps, stages, parts)
            for rows, tokens, warps, stages in variants(shape)
            for parts in part_counts(shape, rows, tokens) if (parts > 1) == in_parts}


def example(shape):
    """Operands of as many sequences, which are empty."""
    count, dtype = len(shape["L"]), DTYPES[shape["dtype"]]

    def zeros(*sizes, of=dtype):
        return torch.zeros(*sizes, device="cuda", dtype=of)

    lengths, heads, d = zeros(count, of=torch.int32), shape["HQ"], shape["D"]
    if shape["op"] == "mla_decode_attention":
        return [zeros(count, heads, d + shape["R"]), zeros(1, 1, d + shape["R"]), lengths, zeros(count, heads, d)]
    pack = 16 // dtype.itemsize
    caches = [zeros(1, shape["HKV"], -(-d // pack), shape["BS"], pack), zeros(1, shape["HKV"], d, shape["BS"])]
    return [zeros(count, heads, d), *caches, zeros(count, shape["MB"], of=torch.int32), lengths,
            zeros(count, heads, d)]


def warm(shape, chosen):
    """Compiles schedules into Triton's cache on disk, in a process beside."""
    tensors = example(shape)
    for schedule in chosen:
        launcher(shape, tensors, *schedule)()
    torch.cuda.synchronize()


def warm_all(shapes, workers):
    """Compiles what will be asked for; what fails there fails here again, where
    it is reported."""
    jobs = {}
    for shape in shapes:
        by_variant = {}
        for in_parts in (False, True):
            for schedule in schedules(shape, in_parts).values():
                by_variant.setdefault(schedule[:4], []).append(schedule)
        sizes = tuple(shape[k] for k in ("op", "dtype", "HQ", "HKV", "D", "R", "BS"))
        for variant, chosen in by_variant.items():
            known = jobs.get((sizes, variant))
            if not known or len(known[1]) < len(chosen):
                jobs[sizes, variant] = shape, chosen
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(workers, context) as pool:
        concurrent.futures.wait([pool.submit(warm, *job) for job in jobs.values()])
