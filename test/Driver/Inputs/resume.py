# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Takes up every dump of `lathe compile --dump-ir` again with lathe-opt and
compares with the next dump: resume.py DIR DIMS OPTION...

DIMS: the operator's dims, comma-separated; OPTION: for planning."""
import pathlib
import re
import subprocess
import sys

root, dims, planning = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3:]


def opt(path, *passes):
    run = subprocess.run(
        ["lathe-opt", *passes, path], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, f"{passes} on {path}:\n{run.stderr}"
    return run.stdout.strip()


def expect(path, text):
    assert path.read_text().strip() == text, f"{path} is not what is made again"


def specialize(name):
    """The pass options that a kernel's name stands for."""
    pairs = {kind: [] for kind in "ctsma"}
    for part in name.split(".")[3:]:
        kind, *rest = part.split("_")
        pairs[kind].append(":".join(("_".join(rest[:-1]), rest[-1])).lstrip(":"))
    options = {
        "constants": pairs["c"],
        "schedule": pairs["s"],
        "dtypes": pairs["t"],
        "multiples": pairs["m"],
        "dims": [dims],
        "alignment": pairs["a"],
        "wave": ["64" if ".gfx" in name else "32"],
        "shared-memory": ["65536"],
        "kernel-name": [name.replace(".", "__")],
    }
    text = " ".join(f"{k}={','.join(v)}" for k, v in options.items() if v)
    return f"--tile-specialize={text}"


kernels = sorted((root / "kernels").iterdir())
for kernel in kernels:
    chip = kernel.name.split(".")[2]
    steps = [
        ("00-template", "01-specialized", specialize(kernel.name)),
        ("01-specialized", "02-tile", "--lathe-tile"),
        ("02-tile", "03-gpu", "--lathe-tile-to-gpu"),
        ("03-gpu", "04-target", f"--lathe-gpu-to-target=chip={chip}"),
    ]
    for before, after, step in steps:
        expect(kernel / f"{after}.mlir", opt(kernel / f"{before}.mlir", step))
    expect(kernel / "04-target.mlir", opt(kernel / "04-target.mlir"))

expect(
    root / "01-roofline.mlir",
    opt(root / "00-import.mlir", "--problem-evaluate-roofline"),
)
expect(
    root / "02-plan.mlir",
    opt(
        root / "01-roofline.mlir",
        "--problem-enumerate-candidates=" + " ".join(planning),
    ),
)
# What was built is attached to the plan, then the pass adds the tables.
selected = opt(root / "03-build.mlir", "--problem-select-kernels")
tables = opt(root / "04-dispatch.mlir")
body = re.sub(r"^module \{\n|\n\}$", "", tables)
assert body in selected, "the dispatch tables are not what is made again"
print(len(kernels), "kernels and the problem resumed")
