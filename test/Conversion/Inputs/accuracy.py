# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints how far a function's f32 results are from the C library's, in ulp of f32
and relative; results below 1e-37 count by their absolute error alone.

    accuracy.py FUNCTION x.f32 y.f32
"""
import array
import math
import sys


def ulp(value):
    return math.ldexp(1, max(math.frexp(value)[1], -125) - 24)


def read(path):
    data = array.array("f")
    with open(path, "rb") as file:
        data.frombytes(file.read())
    return data


def main():
    function = getattr(math, sys.argv[1])
    most_ulp = most_relative = 0.0
    for x, y in zip(read(sys.argv[2]), read(sys.argv[3]), strict=True):
        expected = function(x)
        if math.isnan(expected) or math.isnan(y):
            if math.isnan(expected) != math.isnan(y):
                sys.exit(f"{x!r} gives {y!r}, expected {expected!r}")
            continue
        error = abs(y - expected)
        if abs(expected) < 1e-37:
            if error > 1e-37:
                sys.exit(f"{x!r} gives {y!r}, expected {expected!r}")
            continue
        most_ulp = max(most_ulp, error / ulp(expected))
        most_relative = max(most_relative, error / abs(expected))
    print(f"ulp {math.ceil(most_ulp)} relative {most_relative:.0e}")


main()
