// Both rows are read once and written once; the rounded sum stays in registers.
// RUN: lathe-opt %source_dir/templates/operators/fused_add_rms_norm/rows.mlir \
// RUN:   --pass-pipeline="builtin.module(tile-specialize{constants=H:5120 dims=T,H,XS,RS schedule=ROWS:1,WARPS:10,VEC:8,PERSISTENT:0 dtypes=DT:bf16 multiples=XS:8,RS:8 alignment=16 wave=32},lathe-tile,lathe-tile-to-gpu,lathe-gpu-to-target{chip=sm_90a})" \
// RUN:   | %ptx_of | FileCheck %s --check-prefix=PTX --implicit-check-not=.local
// RUN: lathe-opt %source_dir/templates/operators/fused_add_rms_norm/rows.mlir \
// RUN:   --pass-pipeline="builtin.module(tile-specialize{constants=H:5120 dims=T,H,XS,RS schedule=ROWS:1,WARPS:5,VEC:8,PERSISTENT:0 dtypes=DT:bf16 multiples=XS:8,RS:8 alignment=16 wave=64},lathe-tile,lathe-tile-to-gpu,lathe-gpu-to-target{chip=gfx942})" \
// RUN:   | %gcn_of | FileCheck %s --check-prefix=GCN --implicit-check-not=scratch_
// RUN: lathe-opt %source_dir/templates/operators/fused_add_rms_norm/columns.mlir \
// RUN:   --pass-pipeline="builtin.module(tile-specialize{ dims=T,H,XS,RS schedule=ROUNDS:1,WARPS:4,VEC:1,PERSISTENT:1 dtypes=DT:bf16 alignment=2 wave=32},lathe-tile,lathe-tile-to-gpu,lathe-gpu-to-target{chip=sm_90a})" \
// RUN:   | %ptx_of | FileCheck %s --check-prefix=ANY --implicit-check-not=.local
// RUN: lathe-opt %source_dir/templates/operators/fused_add_rms_norm/columns.mlir \
// RUN:   --pass-pipeline="builtin.module(tile-specialize{ dims=T,H,XS,RS schedule=ROUNDS:1,WARPS:4,VEC:8,PERSISTENT:1 dtypes=DT:bf16 multiples=XS:8,RS:8 alignment=16 wave=64},lathe-tile,lathe-tile-to-gpu,lathe-gpu-to-target{chip=gfx942})" \
// RUN:   | %gcn_of | FileCheck %s --check-prefix=WIDE --implicit-check-not=scratch_

// PTX:           .maxntid 320, 1, 1
// PTX-COUNT-6:   ld.global{{(.nc)?}}.v4.b32
// PTX-NOT:       ld.global
// PTX-COUNT-2:   st.global.v4.b32
// PTX-COUNT-2:   st.global.cs.v4.b32
// PTX-NOT:       st.global

// GCN:           amdgcn_target
// GCN-COUNT-6:   global_load_dwordx4
// GCN-NOT:       global_load
// GCN-COUNT-2:   global_store_dwordx4
// GCN:           v_add_f32_dpp
// GCN-COUNT-2:   global_store_dwordx4
// GCN-NOT:       global_store
// GCN:           .private_segment_fixed_size: 0
// GCN:           .vgpr_spill_count: 0

// Every size at run time, no alignment promised.
// ANY:           ld.global{{.*}}.b16
// ANY:           st.global{{.*}}.b16

// Every size at run time, rows in whole vectors.
// WIDE:          global_load_dwordx4
// WIDE-NOT:      global_load_{{(dword |ushort|short)}}
// WIDE:          global_store_dwordx4
// WIDE-NOT:      global_store_{{(dword |short)}}
// WIDE:          .private_segment_fixed_size: 0
