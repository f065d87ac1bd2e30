#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run simulated launches again on an NVIDIA GPU and compare every byte.

A case is a folder that agreement_cases.py made: launch.json, kernel.cubin, and
each buffer before and after the launch as the simulator left it. case.json says
to which class of instructions it belongs and how near the two must be:

    exact              bit-equal
    relative: R, absolute: A, of_rms: M
        |device - simulator| <= A + R * |simulator| + M * RMS of the buffer

Prints one line per class; --repeat launches each case again and wants the same
bits from the device every time.

    agreement.py CASES [--repeat N] [--keep DIR] [--json FILE]
"""
import argparse
import collections
import ctypes as C
import json
import math
import pathlib
import struct
import sys

from cuda_driver import Driver, DriverError

NARROW = {  # exponent bits, fraction bits, bias
    "bf16": (8, 7, 127), "f16": (5, 10, 15), "f8E4M3FN": (4, 3, 7),
    "f8E5M2": (5, 2, 15),
}
SIZES = {"bf16": 2, "f16": 2, "f32": 4, "f64": 8, "f8E4M3FN": 1, "f8E5M2": 1}


def decode(dtype, data):
    """The values of a buffer as floats."""
    if dtype in ("f32", "f64"):
        code = {"f32": "f", "f64": "d"}[dtype]
        return struct.unpack(f"<{len(data) // SIZES[dtype]}{code}", data)
    exponent_bits, fraction_bits, bias = NARROW[dtype]
    code = {1: "B", 2: "H"}[SIZES[dtype]]
    values = []
    for bits in struct.unpack(f"<{len(data) // SIZES[dtype]}{code}", data):
        sign = -1.0 if bits >> (exponent_bits + fraction_bits) else 1.0
        exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
        fraction = bits & (1 << fraction_bits) - 1
        top = exponent == (1 << exponent_bits) - 1
        if top and dtype == "f8E4M3FN":
            top = fraction == (1 << fraction_bits) - 1
            values.append(math.nan if top else sign * math.ldexp(
                (1 << fraction_bits) + fraction, exponent - bias - fraction_bits))
        elif top:
            values.append(math.nan if fraction else sign * math.inf)
        elif exponent == 0:
            values.append(sign * math.ldexp(fraction, 1 - bias - fraction_bits))
        else:
            values.append(sign * math.ldexp(
                (1 << fraction_bits) + fraction, exponent - bias - fraction_bits))
    return values


def difference(buffer, device, simulator, bound):
    """What is wrong with a buffer, or nothing; and the largest distance, in
    units of the value or of the buffer's RMS where that is more."""
    if device == simulator:
        return None, 0.0
    dtype = buffer["dtype"]
    if dtype not in SIZES:
        at = next(i for i, (a, b) in enumerate(zip(device, simulator)) if a != b)
        return f"{buffer['name']}: byte {at} is {device[at]}, not {simulator[at]}", math.inf
    found, wanted = decode(dtype, device), decode(dtype, simulator)
    worst, problem, size = 0.0, None, SIZES[dtype]
    finite = [x for x in wanted if math.isfinite(x)]
    rms = math.sqrt(sum(x * x for x in finite) / max(len(finite), 1))
    near_zero = bound.get("absolute", 0.0) + bound.get("of_rms", 0.0) * rms
    for i, (a, b) in enumerate(zip(found, wanted)):
        if device[i * size:(i + 1) * size] == simulator[i * size:(i + 1) * size]:
            continue
        if math.isnan(a) and math.isnan(b):
            continue
        distance = abs(a - b) / max(abs(b), rms) if rms else abs(a - b)
        worst = max(worst, math.inf if math.isnan(distance) else distance)
        limit = near_zero + bound.get("relative", 0.0) * abs(b)
        near = not bound.get("exact") and abs(a - b) <= limit
        if not near and problem is None:
            problem = f"{buffer['name']}[{i}] is {a!r}, not {b!r}"
    return problem, worst


class Case:
    def __init__(self, folder, driver):
        self.folder, self.driver = folder, driver
        self.launch = json.loads((folder / "launch.json").read_text())
        self.about = json.loads((folder / "case.json").read_text())
        self.buffers = self.launch["buffers"]

    def read(self, buffer, suffix):
        path = self.folder / f"{buffer['name']}.{suffix}"
        if not path.exists():  # only read: kept once
            path = path.with_suffix(".before")
        return path.read_bytes()

    def values(self, pointers):
        out = []
        for argument in self.launch["arguments"]:
            if "bits" in argument:
                out.append(C.c_uint64(argument["bits"]))
            elif "tensor_map" in argument:
                m = argument["tensor_map"]
                out.append(self.driver.encode(
                    pointers[m["buffer"]] + m["offset"], m["dtype"], m["dims"],
                    m["strides"], m["box"], m["element_strides"], m["swizzle"],
                    m["interleave"], m["fill_nan"]))
            else:
                out.append(C.c_uint64(
                    pointers[argument["buffer"]] + argument["offset"]))
        return out

    def run(self, repeat, keep):
        """Largest distance over all buffers, or raises AssertionError."""
        driver = self.driver
        cluster = self.launch["cluster"]
        module, function = driver.load(
            (self.folder / "kernel.cubin").read_bytes(), self.launch["kernel"],
            self.launch["dynamic_shared"], math.prod(cluster))
        pointers = {b["name"]: driver.allocate(b["bytes"]) for b in self.buffers}
        try:
            first, worst = None, 0.0
            for _ in range(repeat):
                for buffer in self.buffers:
                    driver.upload(pointers[buffer["name"]],
                                  self.read(buffer, "before"))
                driver.launch(function, self.launch["grid"],
                              self.launch["block"], cluster,
                              self.launch["dynamic_shared"],
                              self.values(pointers))
                after = [driver.download(pointers[b["name"]], b["bytes"])
                         for b in self.buffers]
                if first is None:
                    first = after
                    if keep:
                        keep.mkdir(parents=True)
                        for buffer, device in zip(self.buffers, after):
                            (keep / f"{buffer['name']}.device").write_bytes(device)
                    for buffer, device in zip(self.buffers, after):
                        problem, distance = difference(
                            buffer, device, self.read(buffer, "after"),
                            self.about["bound"])
                        assert problem is None, problem
                        worst = max(worst, distance)
                assert after == first, "the device does not repeat its own bits"
            return worst
        finally:
            for pointer in pointers.values():
                driver.free(pointer)
            driver.unload(module)


def describe(bound):
    if bound.get("exact"):
        return "bit-equal"
    parts = [f"{key} {bound[key]:.1e}" for key in ("relative", "absolute", "of_rms")
             if key in bound]
    return ", ".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cases", type=pathlib.Path)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--keep", type=pathlib.Path,
                        help="write what the device left in each buffer")
    options = parser.parse_args()
    folders = sorted(p.parent for p in options.cases.rglob("case.json"))
    if not folders:
        sys.exit(f"error: no case.json below {options.cases}")
    driver = Driver()
    classes = collections.OrderedDict()
    failures, results = [], []
    for folder in folders:
        case = Case(folder, driver)
        row = classes.setdefault(case.about["class"], {
            "cases": 0, "agree": 0, "equal": 0, "worst": 0.0, "bounds": set()})
        row["cases"] += 1
        row["bounds"].add(describe(case.about["bound"]))
        try:
            worst = case.run(options.repeat, options.keep / folder.name
                             if options.keep else None)
            row["agree"] += 1
            row["equal"] += worst == 0
            row["worst"] = max(row["worst"], worst)
            results.append({"case": str(folder.relative_to(options.cases)),
                            "class": case.about["class"], "worst": worst})
        except (AssertionError, DriverError) as error:
            failures.append(f"{folder.relative_to(options.cases)}: {error}")
            results.append({"case": str(folder.relative_to(options.cases)),
                            "class": case.about["class"], "error": str(error)})
            if isinstance(error, DriverError):
                print("\n".join(failures))
                sys.exit("error: the driver refused or lost the context; "
                         "the cases after this one did not run")
    print(f"{driver.device}, driver for CUDA {driver.version}")
    print(f"{'class':32} {'cases':>5} {'agree':>5} {'bit-equal':>9} "
          f"{'largest':>9}  bound")
    for name, row in classes.items():
        print(f"{name:32} {row['cases']:5} {row['agree']:5} {row['equal']:9} "
              f"{row['worst']:9.2e}  {'; '.join(sorted(row['bounds']))}")
    for failure in failures:
        print("differs:", failure)
    if options.json:
        options.json.write_text(json.dumps(
            {"device": driver.device, "cuda": driver.version,
             "cases": results}, indent=1))
    agree = sum(row["agree"] for row in classes.values())
    print(f"{agree} of {len(folders)} cases agree")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
