// moe_sum_reduce of one expert and rows of 64 elements, eight rows a block,
// whose input comes by TMA: what a launch needs is said by the attributes that
// convert-tile-to-gpu gives its functions.
gpu.module @kernel {
  llvm.mlir.global external @boxes() {addr_space = 3 : i32, alignment = 128 : i64} : !llvm.array<0 x i8>

  llvm.func @moe_sum_reduce__tma__sm_90a__c_H_64__c_TOPK_1__t_DT_bf16__a_16(
      %x: !llvm.ptr<1>, %out: !llvm.ptr<1>, %tokens: i64, %factor: f32,
      %map: !llvm.ptr {llvm.byval = !llvm.array<128 x i8>, llvm.align = 64 : i64, nvvm.grid_constant})
      attributes {gpu.kernel, nvvm.kernel, nvvm.maxntid = array<i32: 64, 1, 1>,
                  tile.shared_bytes = 1032 : i64,
                  tile.tensor_maps = [#tile.tensor_map<operand = 0, bf16, extents = [64, T],
                                      strides = [128], box = [64, 8], swizzle = 0>]} {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c8 = arith.constant 8 : i32
    %c64 = arith.constant 64 : i32
    %row_elements = arith.constant 64 : i64
    %patience = arith.constant 10000000 : i32
    %bytes = arith.constant 1024 : i32
    %box = llvm.mlir.addressof @boxes : !llvm.ptr<3>
    %barrier = llvm.getelementptr %box[1024] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
    %thread = nvvm.read.ptx.sreg.tid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %first_row = arith.muli %block, %c8 : i32
    %is_first = arith.cmpi eq, %thread, %c0 : i32
    scf.if %is_first {
      nvvm.mbarrier.init %barrier, %c1 : !llvm.ptr<3>, i32
      nvvm.fence.mbarrier.init
      nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32
      %to = llvm.addrspacecast %box : !llvm.ptr<3> to !llvm.ptr<7>
      nvvm.cp.async.bulk.tensor.shared.cluster.global %to, %map, %barrier, box[%c0, %first_row] : !llvm.ptr<7>, !llvm.ptr
    }
    nvvm.barrier0
    %barrier_address = llvm.ptrtoint %barrier : !llvm.ptr<3> to i32
    llvm.inline_asm has_side_effects "{\0A.reg .pred done;\0Aagain:\0Ambarrier.try_wait.parity.shared::cta.b64 done, [$0], $1, $2;\0A@done bra.uni over;\0Abra.uni again;\0Aover:\0A}", "r,r,r,~{memory}" %barrier_address, %c0, %patience : (i32, i32, i32) -> ()
    %column = arith.extui %thread : i32 to i64
    scf.for %i = %c0 to %c8 step %c1 : i32 {
      %row32 = arith.addi %first_row, %i : i32
      %row = arith.extui %row32 : i32 to i64
      %inside = arith.cmpi slt, %row, %tokens : i64
      scf.if %inside {
        %row_at = arith.muli %i, %c64 : i32
        %at = arith.addi %row_at, %thread : i32
        %from = llvm.getelementptr %box[%at] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, bf16
        %narrow = llvm.load %from : !llvm.ptr<3> -> bf16
        %value = llvm.fpext %narrow : bf16 to f32
        %scaled = arith.mulf %value, %factor : f32
        %rounded = llvm.fptrunc %scaled : f32 to bf16
        %row_start = arith.muli %row, %row_elements : i64
        %element = arith.addi %row_start, %column : i64
        %to = llvm.getelementptr %out[%element] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
        llvm.store %rounded, %to : bf16, !llvm.ptr<1>
      }
    }
    llvm.return
  }
}
