# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes bundles under budgets and checks what is in them: budgets.py BUNDLE
OPTION..., the options of `lathe compile`."""
import json
import subprocess
import sys

bundle, options = sys.argv[1], sys.argv[2:]
archs = ("sm_90a", "gfx942")


def compile_with(*budget):
    """Kernels and bytes by architecture."""
    command = ["lathe", "compile", *options, "-o", bundle, *map(str, budget)]
    subprocess.run(command, check=True, capture_output=True)
    shown = subprocess.run(
        ["lathe", "inspect", bundle, "--json"], check=True, capture_output=True
    )
    shown = json.loads(shown.stdout)
    kernels = {arch: set() for arch in archs}
    generic = {arch: set() for arch in archs}
    for table in shown["tables"]:
        for case in table["cases"]:
            kernels[case["arch"]].add(case["kernel"])
            if case["kind"] == "generic":
                generic[case["arch"]].add(table["entry"])
    for arch, entries in generic.items():
        assert entries == {"norm", "act"}, f"{budget}: {arch} serves {entries}"
    totals = shown["manifest"]["coverage"]["totals"]
    return kernels, {total["arch"]: total["bytes"] for total in totals}


everything, all_bytes = compile_with()
least, least_bytes = compile_with("--max-kernels", 2)
three, _ = compile_with("--max-kernels", 3)
limit = (min(all_bytes.values()) + max(least_bytes.values())) // 2
_, limited = compile_with("--max-bytes", limit)
for arch in archs:
    assert len(everything[arch]) > 3, everything
    assert len(three[arch]) == 3, three
    assert len(least[arch]) == 2, least
    assert least_bytes[arch] <= limited[arch] <= limit < all_bytes[arch], limited
