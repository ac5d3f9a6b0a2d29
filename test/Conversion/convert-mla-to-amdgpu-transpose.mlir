// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx942 | FileCheck %s

#lds = #gpu.address_space<workgroup>
!piece = vector<4xi32>

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// The lane's pieces of both subtiles go to the wave's part of LDS and come back
// as 16 columns of four tokens of each; then eight byte permutations turn four
// words of four columns into four columns of four tokens (selectors 0x05010400,
// 0x07030602, 0x05040100 and 0x07060302).
// CHECK-LABEL: gpu.func @transpose_fp8(
// CHECK-SAME: %[[P0:[a-z0-9]*]]: vector<4xi32>, %[[P1:[a-z0-9]*]]: vector<4xi32>, %[[LDS:[a-z0-9]*]]: memref<4x32x272xf8E4M3FNUZ, #gpu.address_space<workgroup>>, %[[WAVE:[a-z0-9]*]]: index
// CHECK: %[[PIECE:.*]] = vector.bitcast %[[P0]]
// CHECK: vector.store %[[PIECE]], %[[LDS]][%[[WAVE]], %{{.*}}, %{{.*}}] {alignment = 16 : i64}
// CHECK-COUNT-3: vector.store
// CHECK: %[[PIECE:.*]] = vector.bitcast %[[P1]]
// CHECK: vector.store %[[PIECE]]
// CHECK-COUNT-3: vector.store
// CHECK-NOT: vector.store
// CHECK-COUNT-8: vector.load %[[LDS]][%[[WAVE]], %{{.*}}, %{{.*}}] {alignment = 16 : i64}
// CHECK-NOT: vector.load
// CHECK: %[[LOW_BYTES:.*]] = arith.constant 83952640 : i32
// CHECK: %[[LOW01:.*]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.*}}, %{{.*}}, %[[LOW_BYTES]])
// CHECK: %[[HIGH_BYTES:.*]] = arith.constant 117638658 : i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.*}}, %{{.*}}, %[[HIGH_BYTES]])
// CHECK: %[[LOW23:.*]] = llvm.call_intrinsic "llvm.amdgcn.perm"
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"
// CHECK: %[[LOW_HALVES:.*]] = arith.constant 84148480 : i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%[[LOW23]], %[[LOW01]], %[[LOW_HALVES]])
// CHECK: %[[HIGH_HALVES:.*]] = arith.constant 117834498 : i32
// CHECK: llvm.call_intrinsic "llvm.amdgcn.perm"(%[[LOW23]], %[[LOW01]], %[[HIGH_HALVES]])
// CHECK-COUNT-58: llvm.call_intrinsic "llvm.amdgcn.perm"
// CHECK-NOT: llvm.call_intrinsic
// CHECK-NOT: gpu.barrier
gpu.func @transpose_fp8(%p0: !piece, %p1: !piece, %lds: memref<4x32x272xf8E4M3FNUZ, #lds>,
                        %wave: index) {
  %rows = builtin.unrealized_conversion_cast
      %p0, %p0, %p0, %p0, %p0, %p0, %p0, %p0, %p0, %p1, %p1, %p1, %p1, %p1,
      %p1, %p1, %p1, %p1
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece,
        !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<32x576xf8E4M3FNUZ, operand>
  %values = mla.transpose %rows from 0 through %lds[%wave]
      : <32x576xf8E4M3FNUZ, operand>, memref<4x32x272xf8E4M3FNUZ, #lds>
      -> <256x32xf8E4M3FNUZ, value>
  gpu.return
}

// The second half of the row; a word holds two columns, so two permutations
// make the operand of one column.
// CHECK-LABEL: gpu.func @transpose_bf16_from_column_256(
// CHECK-SAME: %{{[a-z0-9]*}}: vector<4xi32>, %[[HIGH:[a-z0-9]*]]: vector<4xi32>, %[[LDS:[a-z0-9]*]]: memref<4x16x264xbf16
// CHECK: vector.bitcast %[[HIGH]] : vector<4xi32> to vector<8xbf16>
// CHECK-COUNT-8: vector.store
// CHECK-NOT: vector.store
// CHECK-COUNT-8: vector.load %[[LDS]]
// CHECK-NOT: vector.load
// CHECK: %[[LOW_HALVES:.*]] = arith.constant 84148480 : i32
// CHECK: %[[FIRST:.*]] = llvm.call_intrinsic "llvm.amdgcn.perm"(%{{.*}}, %{{.*}}, %[[LOW_HALVES]])
// CHECK: %[[SECOND:.*]] = llvm.call_intrinsic "llvm.amdgcn.perm"
// CHECK: vector.from_elements %[[FIRST]], %[[SECOND]] : vector<2xi32>
// CHECK-COUNT-30: llvm.call_intrinsic "llvm.amdgcn.perm"
// CHECK-NOT: llvm.call_intrinsic
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
}
