#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Make the cases of agreement.py: simulate launches, assemble the same modules.

Unit kernels are the files of test/Simulate with a line

    ; DEVICE: <class of instructions>; exact
    ; DEVICE: <class>; relative 1e-3, absolute 1e-6

and parts NAME.ll with NAME.yaml, or kernel.ll with launch.yaml. Such a module
goes to the simulator and, unchanged, through llc and ptxas. Kernels of a bundle are cases too, with
--kernels: folders of `lathe compile --dump-ir`, whose optimized.ll and
kernel.cubin were made from one module.

    agreement_cases.py OUT --lathe LATHE --llc LLC --ptxas PTXAS
                       [--units DIR] [--kernels DIR --dims T=33,...]
"""
import argparse
import json
import pathlib
import re
import shutil
import subprocess
import sys

MARK = re.compile(r"^[;/#]+ DEVICE: ([^;]+); (.+)$", re.M)
PART = re.compile(r"^(?:;|//|#)--- (\S+)\n", re.M)
# The row family: no MMA; reciprocal square roots and exponentials are
# approximate on the device, correctly rounded in the simulator.
ROW_BOUNDS = {"bf16": 2**-7, "f16": 2**-10, "f32": 2**-20}


def parse_bound(text):
    if text.strip() == "exact":
        return {"exact": True}
    bound = {}
    for part in text.split(","):
        key, value = part.split()
        if key not in ("relative", "absolute"):
            raise ValueError(f"unknown bound '{key}'")
        bound[key] = float(value)
    return bound


def run(*command):
    result = subprocess.run([str(c) for c in command], capture_output=True,
                            text=True)
    if result.returncode:
        sys.exit(f"error: {' '.join(map(str, command))}\n"
                 f"{result.stdout}{result.stderr}")
    return result.stdout


def unit_cases(path, out, options):
    """The cases in one test file; none if it does not say that it has some."""
    text = path.read_text()
    mark = MARK.search(text)
    if not mark:
        return 0
    pieces = PART.split(text)
    parts = dict(zip(pieces[1::2], pieces[2::2]))
    count = 0
    for part in parts:
        stem = part.removesuffix(".ll")
        launch = "launch.yaml" if stem == "kernel" else stem + ".yaml"
        if part == stem or launch not in parts:
            continue
        unit_case(f"{path.stem}-{stem}", parts[part], parts[launch], mark, out,
                  options)
        count += 1
    if not count:
        sys.exit(f"error: {path} is marked, but has no module with a launch")
    return count


def unit_case(name, module, launch, mark, out, options):
    folder = out / name
    folder.mkdir(parents=True)
    (folder / "kernel.ll").write_text(module)
    (folder / "launch.yaml").write_text(launch)
    run(options.lathe, "simulate", folder / "kernel.ll", "--launch",
        folder / "launch.yaml", "--dump", folder)
    run(options.llc, "-O3", "-mtriple=nvptx64-nvidia-cuda", "-mcpu=sm_90a",
        "-mattr=+ptx86", folder / "kernel.ll", "-o", folder / "kernel.ptx")
    run(options.ptxas, "-arch=sm_90a", folder / "kernel.ptx", "-o",
        folder / "kernel.cubin")
    (folder / "kernel.ptx").unlink()
    (folder / "case.json").write_text(json.dumps(
        {"class": mark[1].strip(), "bound": parse_bound(mark[2])}))


def drop_copies(folder):
    """What a kernel only reads need not be kept twice."""
    for buffer in json.loads((folder / "launch.json").read_text())["buffers"]:
        before = folder / f"{buffer['name']}.before"
        after = folder / f"{buffer['name']}.after"
        if buffer["readonly"] and before.read_bytes() == after.read_bytes():
            after.unlink()


def kernel_case(dump, out, options):
    """One kernel of `lathe compile --dump-ir` as a case."""
    module = next(dump.glob("*-optimized.ll"), None)
    cubin = next(dump.glob("*-kernel.cubin"), None)
    if not module or not cubin:
        return False
    folder = out / dump.name
    folder.mkdir(parents=True)
    dims = options.dims
    while True:  # kernels that take any width are given an awkward one
        result = subprocess.run(
            [options.lathe, "simulate", module, "--dims", dims, "--dump", folder],
            capture_output=True, text=True)
        missing = re.search(r"missing dim '(\w+)'", result.stderr)
        if not missing:
            break
        dims += f",{missing[1]}=515"
    if result.returncode:
        sys.exit(f"error: {module}\n{result.stdout}{result.stderr}")
    drop_copies(folder)
    shutil.copy(cubin, folder / "kernel.cubin")
    dtype = re.search(r"t_DT_(\w+?)(?:\.|$)", dump.name)[1]
    (folder / "case.json").write_text(json.dumps(
        {"class": dump.name.split(".")[0],
         "bound": {"relative": ROW_BOUNDS[dtype], "of_rms": 2**-20}}))
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    for tool in ("lathe", "llc", "ptxas"):
        parser.add_argument(f"--{tool}", required=True)
    parser.add_argument("--units", type=pathlib.Path)
    parser.add_argument("--kernels", type=pathlib.Path)
    parser.add_argument("--dims", default="T=33")
    options = parser.parse_args()
    if options.out.exists():
        shutil.rmtree(options.out)
    count = 0
    if options.units:
        for path in sorted(options.units.glob("*.ll")):
            count += unit_cases(path, options.out / "unit", options)
    if options.kernels:
        for dump in sorted(options.kernels.glob("*.sm_90a.*")):
            count += kernel_case(dump, options.out / "kernel", options)
    print(f"{count} cases in {options.out}")
    if not count:
        sys.exit("error: nothing is marked with DEVICE:")


if __name__ == "__main__":
    main()
