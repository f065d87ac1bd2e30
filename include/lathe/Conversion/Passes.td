//===- Passes.td - From tiles to threads --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef LATHE_CONVERSION_PASSES_TD
#define LATHE_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertTileToGPU : Pass<"convert-tile-to-gpu", "::mlir::ModuleOp"> {
  let summary = "Distribute tiles over the threads of a block";
  let description = [{
    Each static `tile.kernel` becomes a `gpu.module` with one `gpu.func`; a tile
    becomes the vector of the elements that one thread holds. Arguments: a global
    pointer per view, the run-time dimensions as i64, the scalars.

    - Accesses are as wide as layout, strides, offsets and the promised alignment
      prove, at most 16 bytes, and guarded only where bounds are not proven.
      `evict_first` becomes `nontemporal`.
    - A reduction combines in the thread, then across the lanes of a warp with
      `gpu.subgroup_reduce`, then across warps through shared memory.

    Before:
    ```mlir
    %x = tile.load %in[%i, %c0] : !tile.view<[T, 1024], bf16>
       -> tensor<1x1024xbf16, #tile.blocked<vector = [1, 8], threads = [1, 128]>>
    ```
    After:
    ```mlir
    %p = llvm.getelementptr inbounds %in[%offset] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
    %v = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xbf16>
    ```

    **Needs** a layout on every tile. **Errors:** a layout that a reduction cannot
    serve, a conversion between element types that has no instruction.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def LowerSubgroupReduce : Pass<"lower-subgroup-reduce", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand warp reductions to shuffles, or DPP on AMD";
  let description = [{
    Before:
    ```mlir
    %s = gpu.subgroup_reduce add %x cluster(size = 16) : (f32) -> f32
    ```
    After, with `chip=sm_90a`: four butterfly `gpu.shuffle xor` steps; with
    `chip=gfx942`: `amdgpu.dpp` moves, which need no LDS traffic.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "architecture; gfx* selects DPP and 64-lane waves">
  ];
  let dependentDialects = [
    "::mlir::amdgpu::AMDGPUDialect", "::mlir::arith::ArithDialect",
    "::mlir::gpu::GPUDialect", "::mlir::ROCDL::ROCDLDialect",
    "::mlir::vector::VectorDialect"
  ];
}

def ExpandMath : Pass<"expand-math", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand math functions to hardware approximations";
  let description = [{
    Neither backend can call a math library, so what has no instruction is
    expanded here, to the instructions that the vendors' own `expf` and `rsqrtf`
    use. Errors are those of the hardware: `ex2` 2 ulp, `rsqrt` 1 ulp (2 on
    NVIDIA), `rcp` 1 ulp; `math.exp` adds the rounding of `x * log2(e)`. `lg2` is off
    by 2^-22, relative outside of 0.5 to 2; AMD's takes subnormals for zero.

    `tanh`, `erf` and `erfc` are branch-free: minimax polynomials near zero and a
    form with one `exp2` and one reciprocal elsewhere, so that no digits cancel.
    `tanh` and `erf` are right to 8 ulp, `erfc` to a relative 2e-5 down to 1e-37.

    | operation | NVIDIA | AMD |
    |---|---|---|
    | `math.exp` | `ex2.approx(x * log2e)` | `v_exp_f32(x * log2e)` |
    | `math.log2` | `lg2.approx` | `v_log_f32` |
    | `math.rsqrt` | `rsqrt.approx` | `v_rsq_f32` |
    | `arith.divf fastmath<arcp>` | `a * rcp.approx(b)` | `a * v_rcp_f32(b)` |

    Division without `arcp` stays IEEE.

    Before:
    ```mlir
    %e = math.exp %x : f32
    ```
    After, with `chip=sm_90a`:
    ```mlir
    %t = arith.mulf %x, %log2e : f32
    %e = llvm.call_intrinsic "llvm.nvvm.ex2.approx"(%t) : (f32) -> f32
    ```
    **Errors:** a function that it has no expansion for, or one not in f32.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "architecture; gfx* selects AMD instructions">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerFloat8 : Pass<"lower-float8", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert 8-bit floats by what the architecture has";
  let description = [{
    LLVM IR has no 8-bit floats. `arith.extf` from them and `arith.truncf` of f32 to
    them become instructions where there are some, else integer arithmetic, with the
    same results but for the sign of NaN: widening is exact; narrowing rounds to
    nearest even and does not saturate (what overflows becomes infinity, or NaN in a
    type without one).

    | type | sm_89 and later | gfx94x | elsewhere |
    |---|---|---|---|
    | `f8E4M3FN`, `f8E5M2` | `cvt` of pairs | integers | integers |
    | `f8E4M3FNUZ`, `f8E5M2FNUZ` | integers | `v_cvt_pk` of pairs | integers |

    NVIDIA's narrowing saturates; compares and selects around it undo that.

    Before:
    ```mlir
    %w = arith.extf %v : vector<2xf8E4M3FN> to vector<2xf16>
    ```
    After, with `chip=sm_90a`:
    ```mlir
    %b = arith.bitcast %v : vector<2xf8E4M3FN> to vector<2xi8>
    %p = vector.bitcast %b : vector<2xi8> to vector<1xi16>
    %s = vector.extract %p[0] : i16 from vector<1xi16>
    %w = llvm.call_intrinsic "llvm.nvvm.e4m3x2.to.f16x2.rn"(%s) : (i16) -> vector<2xf16>
    ```
    **Errors:** another type of 8 bits or less, a source that is not f32, another
    rounding.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "architecture: sm_90a, gfx942, ...">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::vector::VectorDialect"];
}

def LowerNontemporal : Pass<"lower-nontemporal", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Spell streaming stores for PTX";
  let description = [{
    The NVPTX backend drops `nontemporal`; this pass writes such stores as PTX, in
    32-bit words. AMD modules do not need it: there the backend sets the bit.

    Loads lose the mark: measured on an H200, `L1::no_allocate` made row kernels 2 to
    9 % slower from 4096 rows on, while a plain load through a `noalias readonly`
    argument already takes the read-only path (`ld.global.nc`). `st.global.cs`
    measured equal to a plain store and leaves more of L2 to other kernels.

    Before:
    ```mlir
    llvm.store %v, %p {alignment = 16 : i64, nontemporal} : vector<8xbf16>, !llvm.ptr<1>
    ```
    After:
    ```mlir
    llvm.inline_asm has_side_effects "st.global.cs.v4.b32 [$0], {$1, $2, $3, $4};", ...
    ```
    Stores that are not 1, 2 or 4 aligned words stay plain.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def MarkTensorMaps : Pass<"mark-tensor-maps", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Pass tensor maps by value";
  let description = [{
    The last parameters of a function with `tile.tensor_maps` become 128 bytes each,
    64-byte aligned, in constant memory for the whole grid, as the copy engine wants
    them (CUDA Programming Guide, "Tensor Memory Access"). `gpu.func` cannot say so.

    Before:
    ```mlir
    llvm.func @k(%x: !llvm.ptr<1>, %map: !llvm.ptr)
        attributes {nvvm.kernel, tile.tensor_maps = [#tile.tensor_map<...>]}
    ```
    After:
    ```mlir
    llvm.func @k(%x: !llvm.ptr<1>,
                 %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>,
                                  llvm.align = 64 : i64, nvvm.grid_constant})
        attributes {nvvm.kernel, tile.tensor_maps = [#tile.tensor_map<...>]}
    ```
    **Errors:** more maps than parameters; a map's parameter that is no generic
    pointer.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

def LowerGridDim : Pass<"lower-grid-dim", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Read the grid size from AMD's hidden arguments";
  let description = [{
    Upstream calls the ROCm device library for it, which Lathe does not link. Code
    object version 5 passes the number of blocks per axis as the first three
    32-bit words of the implicit arguments. NVIDIA modules do not need the pass.

    Before:
    ```mlir
    %n = gpu.grid_dim x
    ```
    After:
    ```mlir
    %p = llvm.call_intrinsic "llvm.amdgcn.implicitarg.ptr"() : () -> !llvm.ptr<4>
    %w = llvm.load %p invariant : !llvm.ptr<4> -> i32
    %n = arith.index_castui %w : i32 to index
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

#endif // LATHE_CONVERSION_PASSES_TD
