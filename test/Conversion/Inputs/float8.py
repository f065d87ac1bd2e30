# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks conversions of 8-bit floats that a kernel made, from their definition.

    float8.py FORMAT widened.f32        values of the codes 0 to 255
    float8.py FORMAT wide.f32 narrow    codes of the values in wide.f32
"""
import array
import bisect
import math
import sys

# mantissa bits, bias, code of the largest value, of what overflows, of NaN.
FORMATS = {
    "f8E4M3FN": (3, 7, 0x7E, 0x7F, 0x7F),
    "f8E5M2": (2, 15, 0x7B, 0x7C, 0x7F),
    "f8E4M3FNUZ": (3, 8, 0x7F, 0x80, 0x80),
    "f8E5M2FNUZ": (2, 16, 0x7F, 0x80, 0x80),
}


def positive_values(mantissa, bias, largest):
    values = []
    for code in range(largest + 2):  # one more: what rounding might give
        exponent, fraction = code >> mantissa, code & ((1 << mantissa) - 1)
        significand = fraction + (1 << mantissa if exponent else 0)
        values.append(math.ldexp(significand, max(exponent, 1) - bias - mantissa))
    return values


def decode(name, code):
    mantissa, bias, largest, overflow, nan = FORMATS[name]
    size, sign = code & 0x7F, -1 if code & 0x80 else 1
    if code == nan or (nan != 0x80 and size > largest and size != overflow):
        return math.nan
    if size > largest:
        return math.nan if overflow == nan else sign * math.inf
    return sign * positive_values(mantissa, bias, largest)[size]


class Encoder:
    def __init__(self, name):
        mantissa, bias, self.largest, self.overflow, self.nan = FORMATS[name]
        self.values = positive_values(mantissa, bias, self.largest)

    def code(self, value):
        if math.isnan(value):
            return self.nan
        size = abs(value)
        above = bisect.bisect_left(self.values, size)
        if above == len(self.values):
            code = self.largest + 1
        elif self.values[above] == size or above == 0:
            code = above
        else:
            low, high = size - self.values[above - 1], self.values[above] - size
            code = above - 1 if low < high or (low == high and above % 2) else above
        if code > self.largest:
            code = self.overflow
        if self.nan == 0x80 and (code == 0 or code == self.nan):
            return code
        return code | (0x80 if math.copysign(1, value) < 0 else 0)


def read(path, kind):
    data = array.array(kind)
    with open(path, "rb") as file:
        data.frombytes(file.read())
    return data


def main():
    name, wide = sys.argv[1], read(sys.argv[2], "f")
    if len(sys.argv) == 3:
        assert len(wide) == 256, len(wide)
        for code, found in enumerate(wide):
            expected = decode(name, code)
            same = math.copysign(1, found) == math.copysign(1, expected) and found == expected
            if not (same or (math.isnan(found) and math.isnan(expected))):
                sys.exit(f"{name}: code {code:#04x} widened to {found}, expected {expected}")
    else:
        encoder = Encoder(name)
        codes = read(sys.argv[3], "B")
        assert len(codes) == len(wide), (len(codes), len(wide))
        for value, found in zip(wide, codes):
            expected = encoder.code(value)
            both_nan = math.isnan(decode(name, expected)) and math.isnan(decode(name, found))
            if found != expected and not both_nan:
                sys.exit(f"{name}: {value!r} narrowed to {found:#04x}, expected {expected:#04x}")
    print(f"{name}: {len(wide)} right")


main()
