# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks what `lathe inspect --json` says of bundles made under budgets."""
import json
import sys


def totals(path):
    bundle = json.load(open(path))
    kernels, generic = {}, {}
    for table in bundle["tables"]:
        for case in table["cases"]:
            kernels.setdefault(case["arch"], set()).add(case["kernel"])
            if case["kind"] == "generic":
                generic.setdefault(case["arch"], set()).add(table["entry"])
    bytes_by_arch = {
        total["arch"]: total["bytes"]
        for total in bundle["manifest"]["coverage"]["totals"]
    }
    for arch, entries in generic.items():
        assert entries == {"norm", "act"}, f"{path}: {arch} serves {entries}"
    return kernels, bytes_by_arch


everything, three, two, in_bytes = (totals(path) for path in sys.argv[1:])
for arch in ("sm_90a", "gfx942"):
    assert len(everything[0][arch]) > 3, everything
    assert len(three[0][arch]) == 3, three
    assert len(two[0][arch]) == 2, two
    assert in_bytes[1][arch] <= 50000 < everything[1][arch], in_bytes
