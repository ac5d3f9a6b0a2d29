// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx950 | FileCheck %s

!piece = vector<4xi32>

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>} {

// Two pieces an operand; the ninth goes with zeros, in keys and query alike.
// CHECK-LABEL: gpu.func @fp8(
// CHECK-SAME: %[[K:[a-z0-9]*]]: vector<4xi32>, %[[Q:[a-z0-9]*]]: vector<4xi32>
// CHECK: %[[FILL:.*]] = arith.constant dense<0> : vector<4xi32>
// CHECK: vector.shuffle %[[Q]], %[[Q]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: vector.shuffle %[[Q]], %[[FILL]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: vector.shuffle %[[K]], %{{.*}} [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: amdgpu.mfma 16x16x128 {{.*}} : vector<32xf8E4M3FN>, vector<32xf8E4M3FN>, vector<4xf32>
// CHECK-COUNT-9: amdgpu.mfma 16x16x128
// CHECK-NOT: amdgpu.mfma
gpu.func @fp8(%k: !piece, %q: !piece) {
  %keys = builtin.unrealized_conversion_cast
      %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece,
        !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<32x576xf8E4M3FN, operand>
  %query = builtin.unrealized_conversion_cast
      %q, %q, %q, %q, %q, %q, %q, %q, %q
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<16x576xf8E4M3FN, operand>
  %scores = mla.score %keys, %query : <32x576xf8E4M3FN, operand>,
      !mla.fragment<16x576xf8E4M3FN, operand> -> <32x16xf32, score>
  gpu.return
}

// A piece an operand.
// CHECK-LABEL: gpu.func @bf16(
// CHECK-NOT: vector.shuffle
// CHECK: vector.bitcast {{.*}} : vector<4xi32> to vector<8xbf16>
// CHECK-COUNT-18: amdgpu.mfma 16x16x32 {{.*}} : vector<8xbf16>
// CHECK-NOT: amdgpu.mfma
gpu.func @bf16(%k: !piece, %q: !piece) {
  %keys = builtin.unrealized_conversion_cast
      %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k, %k
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece,
        !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<16x576xbf16, operand>
  %query = builtin.unrealized_conversion_cast
      %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q, %q
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece,
        !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<16x576xbf16, operand>
  %scores = mla.score %keys, %query : <16x576xbf16, operand>,
      !mla.fragment<16x576xbf16, operand> -> <16x16xf32, score>
  gpu.return
}

}
