# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each stage includes only its own headers and those of earlier stages."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])
ORDER = ["Support", "Ingest", "Dialects", "Plan", "Specialize", "Transforms",
         "Conversion", "Codegen", "Simulate", "Verify", "Measure", "Records", "Rank",
         "Runtime", "Package"]
RANK = {stage: rank for rank, stage in enumerate(ORDER)}
# The runtime is shipped alone, with headers of Support that need nothing. Dialects know nothing of what is read from files;
# the dispatch dialect has the limits of the runtime's table format, in plain C.
ALONE = {"Runtime": {"Runtime"}, "Dialects": {"Support", "Dialects", "Runtime"}}
# What runs where the GPU is, or in a server, needs no compiler.
WITHOUT_LLVM = {"Runtime", "Measure", "Records"}
LLVM = re.compile(r'#include ["<](llvm|mlir)/')
INCLUDE = re.compile(r'#include "(?:lathe/(\w+)|(Problem|Tile|Dispatch))/')


def stage_of(path):
    parts = path.relative_to(ROOT).parts
    return "Dialects" if parts[0] == "dialects" else parts[2 if parts[0] == "include" else 1]


wrong = []
files = [f for top in ("lib", "include/lathe", "dialects")
         for f in (ROOT / top).rglob("*") if f.suffix in (".h", ".cpp", ".c")]
for file in sorted(files):
    stage = stage_of(file)
    if stage not in RANK:
        wrong.append(f"{file.relative_to(ROOT)}: stage '{stage}' has no place in the order")
        continue
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if stage in WITHOUT_LLVM and LLVM.match(line):
            wrong.append(f"{file.relative_to(ROOT)}:{number}: {stage} includes LLVM")
        match = INCLUDE.match(line)
        if not match:
            continue
        other = match[1] or "Dialects"
        allowed = ALONE.get(stage, {s for s in ORDER if RANK[s] <= RANK[stage]})
        if stage == "Runtime" and "Support/TensorMapRules.h" in line:
            continue
        if other not in allowed:
            wrong.append(f"{file.relative_to(ROOT)}:{number}: {stage} includes {other}")
print("\n".join(wrong) or f"{len(files)} files keep the order")
sys.exit(bool(wrong))
