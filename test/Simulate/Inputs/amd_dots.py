# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of all transpositions on an AMD target: amd_dots.py ARCH FOLDER.

b picks column (5 n + 3) mod K of a, so that each element of the result is one
of a. Views are smaller than the tiles, which then hold zeros.
"""
import subprocess
import sys

KERNEL = """\
tile.kernel @dot(%x: !tile.view<[{xs}], {dt}>, %y: !tile.view<[{ys}], {dt}>,
                 %z: !tile.view<[{m}, {n}], f32>)
    grid ["1"] attributes {{alignment = {align} : i64, threads = {threads} : i64, wave = 64 : i64,
                           schedule = {{VEC = {vec} : i64}}}} {{
  %c0 = arith.constant 0 : index
  %two = arith.constant dense<2.0> : tensor<{tm}x{tn}xf32>
  %a = tile.load %x[%c0, %c0] : !tile.view<[{xs}], {dt}> -> tensor<{xt}x{dt}>
  %b = tile.load %y[%c0, %c0] : !tile.view<[{ys}], {dt}> -> tensor<{yt}x{dt}>
  %sum = tile.dot %a{ta}, %b{tb}, %two : tensor<{xt}x{dt}>, tensor<{yt}x{dt}>, tensor<{tm}x{tn}xf32>
  tile.store %sum to %z[%c0, %c0] : tensor<{tm}x{tn}xf32>, !tile.view<[{m}, {n}], f32>
  tile.return
}}
"""
LAUNCH = """\
grid: 1
block: {threads}
buffers:
  - {{name: x, dtype: {dt}, shape: [{xs}], fill: {{each: {x}}}, readonly: true}}
  - {{name: y, dtype: {dt}, shape: [{ys}], fill: {{each: {y}}}, readonly: true}}
  - {{name: z, dtype: f32, shape: [{m}, {n}]}}
arguments: [x, y, z]
expect:
  - {{buffer: z, each: 2 + (i floordiv {n} * {k} + (5 * (i mod {n}) + 3) mod {k}) mod {values}}}
"""
PASSES = ("builtin.module(lathe-tile,lathe-tile-to-gpu,"
          "lathe-gpu-to-target{chip=%s})")
# Extents of tiles, waves, the fragments expected of them.
TILES = {
    "16-bit": [(32, 80, 48, 2, "m16n16"), (64, 96, 24, 2, "m32n32"),
               (64, 64, 64, 4, "m32n32"), (16, 48, 64, 3, "m16n16")],
    "32-bit": [(32, 80, 12, 2, "m16n16"), (64, 96, 20, 2, "m32n32"),
               (64, 64, 32, 4, "m32n32")],
    "8-bit": [(32, 80, 96, 2, "m16n16"), (64, 96, 48, 2, "m32n32"),
              (64, 64, 64, 4, "m32n32")],
}
# Integers below `values` are exact.
TYPES = {"bf16": ("16-bit", 251), "f16": ("16-bit", 251), "f32": ("32-bit", 251),
         "f8E4M3FNUZ": ("8-bit", 13), "f8E5M2FNUZ": ("8-bit", 7)}


def check(arch, folder, dt, tile, order, ragged):
    tm, tn, tk, waves, fragment = tile
    kind, values = TYPES[dt]
    m, n, k = (tm - 3, tn - 2, tk - 5) if ragged else (tm, tn, tk)
    ta, tb = order
    fields = dict(
        dt=dt, m=m, n=n, k=k, tm=tm, tn=tn, values=values,
        threads=64 * waves, align=1 if ragged else 16,
        vec=1 if ragged else {"8-bit": 16, "16-bit": 8, "32-bit": 4}[kind],
        xs=f"{k}, {m}" if ta else f"{m}, {k}",
        ys=f"{n}, {k}" if tb else f"{k}, {n}",
        xt=f"{tk}x{tm}" if ta else f"{tm}x{tk}",
        yt=f"{tn}x{tk}" if tb else f"{tk}x{tn}",
        ta=" transposed" if ta else "", tb=" transposed" if tb else "",
        x=(f"((i mod {m}) * {k} + i floordiv {m}) mod {values}" if ta else
           f"i mod {values}"),
        y=(f"i mod {k} == (5 * (i floordiv {k}) + 3) mod {k}" if tb else
           f"i floordiv {n} == (5 * (i mod {n}) + 3) mod {k}"))
    name = f"{folder}/{dt}-{tm}x{tn}x{tk}-{int(ta)}{int(tb)}"
    for path, text in ((f"{name}.mlir", KERNEL), (f"{name}.yaml", LAUNCH)):
        with open(path, "w") as file:
            file.write(text.format(**fields))
    tiles = subprocess.run(
        ["lathe-opt", f"{name}.mlir", "--lathe-tile"], check=True,
        capture_output=True, text=True).stdout
    assert f"#tile.mma<{fragment}" in tiles, f"{name}: no {fragment}"
    subprocess.run(["lathe-opt", f"{name}.mlir", "-o", f"{name}.out.mlir",
                    f"--pass-pipeline={PASSES % arch}"], check=True)
    subprocess.run(["lathe", "simulate", "--arch", arch, f"{name}.out.mlir",
                    "--launch", f"{name}.yaml"], check=True,
                   stdout=subprocess.DEVNULL)


def main():
    arch, folder = sys.argv[1:]
    count = 0
    for dt, (kind, _) in TYPES.items():
        if kind == "8-bit" and arch == "gfx90a":
            continue
        for tile in TILES[kind]:
            for order in range(4):
                check(arch, folder, dt, tile, (order & 1, order >> 1),
                      ragged=(order + tile[3]) % 2)
                count += 1
    print(f"{count} products are right")


main()
