#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the op set and the histogram of this folder.

    projections.py [DIR]    # default: this folder
"""
import os
import sys

# (N, K) of out = x w^T on one device, from the models' public config.json and
# named as `lathe import model` names them.
MODELS = {
    # hidden 4096, 32 query and 8 key heads of 128, inner 14336
    "llama_3_8b": {
        "qkv_proj": (6144, 4096), "o_proj": (4096, 4096),
        "gate_up_proj": (28672, 4096), "down_proj": (4096, 14336)},
    # hidden 8192, 64 query and 8 key heads of 128, inner 28672
    "llama_3_70b": {
        "qkv_proj": (10240, 8192), "o_proj": (8192, 8192),
        "gate_up_proj": (57344, 8192), "down_proj": (8192, 28672)},
    # hidden 2048, 16 gated query and 2 key heads of 256; 16 key and 32 value
    # heads of 128 in the delta rule; a shared expert of 512
    "qwen3_5_35b_a3b": {
        "qkv_proj": (9216, 2048), "delta_in_proj": (12288, 2048),
        "o_proj and delta_out_proj": (2048, 4096),
        "shared_gate_up": (1024, 2048), "shared_down": (2048, 512)},
    # hidden 7168, 128 heads of 128 + 64, ranks 1536 and 512, a shared expert of 2048
    "deepseek_v3": {
        "qkv_a_proj": (2112, 7168), "q_b_proj": (24576, 1536),
        "kv_b_proj": (32768, 512), "mla_o_proj": (7168, 16384),
        "shared_gate_up": (4096, 7168), "shared_down": (7168, 2048)},
}
TOKENS = (1, 7, 16, 33, 64, 129, 512, 2048, 8192)
SQUARES = (4096, 8192)


def entries():
    """{entry: {projection: (N, K)}}"""
    return {**MODELS, "square": {f"{n} cubed": (n, n) for n in SQUARES}}


def points():
    """(entry, projection, M, N, K) of every shape."""
    for model, projections in MODELS.items():
        for projection, (n, k) in projections.items():
            for m in TOKENS:
                yield model, projection, m, n, k
    for n in SQUARES:
        yield "square", f"{n} cubed", n, n, n


def opset():
    yield "# Written by projections.py."
    yield "opset: models"
    yield 'description: "Dense bf16 projections of four models, whole on one device, and two squares"'
    yield 'source: "the models\' public config.json"'
    yield "operators:"
    for entry, projections in entries().items():
        sizes = ", ".join(f"{name}: {sorted({size[at] for size in projections.values()})}"
                          for at, name in enumerate("NK"))
        yield f"  - {{name: {entry}, operator: linear, static: {{{sizes}}}, dtypes: {{DT: bf16, OT: bf16}}}}"


def histogram():
    shapes = list(points())
    yield "# Written by projections.py. NO TRAFFIC: every shape counts the same."
    yield "histogram: models"
    yield "opset: models"
    yield 'description: "Token counts of decoding and of prefill; every shape has the same weight"'
    yield "source: chosen for comparisons with other libraries"
    yield "unshaped_weight: 0"
    yield "points:"
    above = None
    for entry, projection, m, n, k in shapes:
        if above != (entry, projection):
            yield f"  # {entry}: {projection}"
            above = entry, projection
        phase = "decode" if m < 512 else "prefill"
        yield (f"  - {{operator: {entry}, phase: {phase}, dims: {{M: {m}, N: {n}, K: {k}}}, "
               f"weight: {1 / len(shapes):.6g}}}")


def main():
    if len(sys.argv) > 2 or sys.argv[1:] in (["-h"], ["--help"]):
        sys.exit(__doc__)
    folder = sys.argv[1] if len(sys.argv) == 2 else os.path.dirname(os.path.abspath(__file__))
    for name, lines in (("opset.yaml", opset()), ("histogram.yaml", histogram())):
        path = os.path.join(folder, name)
        with open(path + ".tmp", "w") as file:
            file.writelines(line + "\n" for line in lines)
        os.replace(path + ".tmp", path)


if __name__ == "__main__":
    main()
