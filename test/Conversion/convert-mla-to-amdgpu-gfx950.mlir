// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx950 | FileCheck %s

#lds = #gpu.address_space<workgroup>
!piece = vector<4xi32>

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// LDS turns what it gives: one read for each matrix, no permutations.
// CHECK-LABEL: gpu.func @transpose_fp8(
// CHECK-COUNT-8: vector.store
// CHECK-COUNT-16: amdgpu.transpose_load {{.*}} -> vector<8xf8E4M3FN>
// CHECK-NOT: amdgpu.transpose_load
// CHECK-NOT: llvm.amdgcn.perm
gpu.func @transpose_fp8(%p0: !piece, %p1: !piece, %lds: memref<4x32x272xf8E4M3FN, #lds>,
                        %wave: index) {
  %rows = builtin.unrealized_conversion_cast
      %p0, %p0, %p0, %p0, %p0, %p0, %p0, %p0, %p0, %p1, %p1, %p1, %p1, %p1,
      %p1, %p1, %p1, %p1
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece,
        !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<32x576xf8E4M3FN, operand>
  %values = mla.transpose %rows from 0 through %lds[%wave]
      : <32x576xf8E4M3FN, operand>, memref<4x32x272xf8E4M3FN, #lds>
      -> <256x32xf8E4M3FN, value>
  gpu.return
}

// CHECK-LABEL: gpu.func @transpose_bf16_from_column_256(
// CHECK-COUNT-8: vector.store
// CHECK-COUNT-16: amdgpu.transpose_load {{.*}} -> vector<4xbf16>
// CHECK-NOT: amdgpu.transpose_load
// CHECK-NOT: llvm.amdgcn.perm
gpu.func @transpose_bf16_from_column_256(%low: !piece, %high: !piece,
    %lds: memref<4x16x264xbf16, #lds>, %wave: index) {
  %rows = builtin.unrealized_conversion_cast
      %low, %low, %low, %low, %low, %low, %low, %low, %high, %high, %high,
      %high, %high, %high, %high, %high, %low, %low
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece,
        !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<16x576xbf16, operand>
  %values = mla.transpose %rows from 256 through %lds[%wave]
      : <16x576xbf16, operand>, memref<4x16x264xbf16, #lds>
      -> <256x16xbf16, value>
  gpu.return
}

// CHECK-LABEL: gpu.func @load_rows_of_fp8(
// CHECK-SAME: %[[CACHE:[a-z0-9]*]]: memref<?x576xf8E4M3FN>
// CHECK-COUNT-9: vector.load %[[CACHE]]
// CHECK-NOT: vector.load
gpu.func @load_rows_of_fp8(%cache: memref<?x576xf8E4M3FN>, %row: index) {
  %rows = builtin.unrealized_conversion_cast %row
      : index to !mla.fragment<16x1xindex, row_index>
  %keys = mla.load_rows %cache[%rows] : memref<?x576xf8E4M3FN>,
      <16x1xindex, row_index> -> <16x576xf8E4M3FN, operand>
  gpu.return
}

// Reads of the stage are waited for before the first load writes there; each
// load brings 16 bytes a lane.
// CHECK-LABEL: gpu.func @stage_rows(
// CHECK-SAME: %[[CACHE:[a-z0-9]*]]: memref<?x576xf8E4M3FN>
// CHECK: amdgpu.memory_counter_wait ds(0)
// CHECK-COUNT-18: amdgpu.gather_to_lds %[[CACHE]]{{.*}} vector<16xf8E4M3FN>
// CHECK-NOT: amdgpu.gather_to_lds
gpu.func @stage_rows(%cache: memref<?x576xf8E4M3FN>, %row: index,
                     %stage: memref<4x18x64x16xf8E4M3FN, #lds>, %wave: index) {
  %rows = builtin.unrealized_conversion_cast %row, %row
      : index, index to !mla.fragment<32x1xindex, row_index>
  mla.stage_rows %cache[%rows] into %stage[%wave] : memref<?x576xf8E4M3FN>,
      <32x1xindex, row_index>, memref<4x18x64x16xf8E4M3FN, #lds>
  gpu.return
}

// The loads of two younger stages may still be under way.
// CHECK-LABEL: gpu.func @await_stage(
// CHECK: amdgpu.memory_counter_wait load(36)
gpu.func @await_stage(%stage: memref<4x18x64x16xf8E4M3FN, #lds>) {
  mla.await_stage %stage younger 2 : memref<4x18x64x16xf8E4M3FN, #lds>
  gpu.return
}

// CHECK-LABEL: gpu.func @read_stage(
// CHECK-COUNT-18: vector.load {{.*}} : memref<4x18x64x16xf8E4M3FN
// CHECK-NOT: vector.load
// CHECK-COUNT-16: amdgpu.transpose_load {{.*}} -> vector<8xf8E4M3FN>
// CHECK-NOT: amdgpu.transpose_load
gpu.func @read_stage(%stage: memref<4x18x64x16xf8E4M3FN, #lds>, %wave: index) {
  %keys = mla.staged_rows %stage[%wave]
      : memref<4x18x64x16xf8E4M3FN, #lds> -> <32x576xf8E4M3FN, operand>
  %values = mla.staged_values %stage[%wave] from 0
      : memref<4x18x64x16xf8E4M3FN, #lds> -> <256x32xf8E4M3FN, value>
  gpu.return
}
}
