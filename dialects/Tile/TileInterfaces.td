//===- TileInterfaces.td - What layouts have in common ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_TILE_INTERFACES_TD
#define LATHE_TILE_INTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_LayoutInterface : AttrInterface<"LayoutInterface"> {
  let cppNamespace = "::lathe::tile";
  let description = [{
    Which elements of a tile each thread holds, one dimension at a time. Along
    dimension `d`, slot `s` of thread `t` is element

        base_d(t) + roundOffset_d(s / vector_d) + s % vector_d

    where `base_d(t)` is the sum of `t / divisor % modulus * scale` over the
    dimension's digits.
  }];
  let methods = [
    InterfaceMethod<"Dimensions of the tiles that it deals out.", "int64_t",
                    "getRank">,
    InterfaceMethod<"Threads that it deals to.", "int64_t", "getNumThreads">,
    InterfaceMethod<"Neighbours along `dim` that a thread holds together.",
                    "int64_t", "getVectorSize", (ins "int64_t":$dim)>,
    InterfaceMethod<"Rounds that cover `extent` elements of `dim`.", "int64_t",
                    "getRounds", (ins "int64_t":$dim, "int64_t":$extent)>,
    InterfaceMethod<"First element of a round, from the thread's base.",
                    "int64_t", "getRoundOffset",
                    (ins "int64_t":$dim, "int64_t":$round)>,
    InterfaceMethod<"Digits of the thread whose weighted sum is the base.",
                    "::llvm::SmallVector<::lathe::tile::ThreadDigit, 2>",
                    "getDigits", (ins "int64_t":$dim)>
  ];
}

#endif // LATHE_TILE_INTERFACES_TD
