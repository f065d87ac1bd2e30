#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copy an operator with nothing but its generic template and one schedule of another.

    one_schedule.py OPERATOR_DIR TO_DIR TEMPLATE NAME=VALUE,...
"""
import pathlib
import re
import shutil
import sys


def narrowed(text, values):
    """The template with one value for each parameter of its space."""
    begin, end = text.index("    space {"), text.index("    where [")
    names = re.findall(r"(\w+) = \[", text[begin:text.index("}", begin)])
    missing = [name for name in names if name not in values]
    if missing:
        sys.exit(f"no value for {', '.join(missing)}")
    space = ", ".join(f"{name} = [{values[name]}]" for name in names)
    return f"{text[:begin]}    space {{{space}}}\n{text[end:]}"


def main():
    source, to, template, schedule = sys.argv[1:]
    source, to = pathlib.Path(source), pathlib.Path(to) / pathlib.Path(source).name
    to.mkdir(parents=True)
    for name in ("operator.yaml", "reference.mlir"):
        shutil.copy(source / name, to)
    values = dict(pair.split("=") for pair in schedule.split(","))
    path = source / f"{template}.mlir"
    (to / path.name).write_text(narrowed(path.read_text(), values))
    generic = (source / "tiles.mlir").read_text()
    first = {name: value for name, value in re.findall(r"(\w+) = \[(\d+)", generic)}
    (to / "tiles.mlir").write_text(narrowed(generic, {**first, "BM": 64, "BN": 64, "WARPS": 4, "VEC": 1}))


main()
