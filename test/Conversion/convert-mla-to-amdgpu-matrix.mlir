// Instructions of eight bytes a lane; gfx950's wider ones are in
// convert-mla-to-amdgpu-matrix-wide.mlir.
// RUN: sed s/f8E4M3FN/f8E4M3FNUZ/g %s | mla-opt --convert-mla-to-amdgpu=chip=gfx942 | FileCheck %s -DFP8=f8E4M3FNUZ

!w = vector<2xi32>
!piece = vector<4xi32>
!acc = vector<4xf32>

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// CHECK-LABEL: gpu.func @zero
// CHECK: arith.constant dense<0.000000e+00> : vector<4xf32>
gpu.func @zero() {
  %zero = mla.zero : <256x16xf32, output>
  gpu.return
}

// 576 bytes are 18 times the 32 of an instruction; a chain for each subtile.
// The halves of keys and query go together.
// CHECK-LABEL: gpu.func @score_of_fp8(
// CHECK-SAME: %[[K:[a-z0-9]*]]: vector<4xi32>, %[[Q:[a-z0-9]*]]: vector<4xi32>
// CHECK: %[[Q_LOW:.*]] = vector.shuffle %[[Q]], %[[Q]] [0, 1]
// CHECK: %[[Q_HIGH:.*]] = vector.shuffle %[[Q]], %[[Q]] [2, 3]
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[K_LOW:.*]] = vector.shuffle %[[K]], %[[K]] [0, 1]
// CHECK: %[[K_HIGH:.*]] = vector.shuffle %[[K]], %[[K]] [2, 3]
// CHECK: %[[A:.*]] = vector.bitcast %[[K_LOW]] : vector<2xi32> to vector<8x[[FP8]]>
// CHECK: %[[B:.*]] = vector.bitcast %[[Q_LOW]] : vector<2xi32> to vector<8x[[FP8]]>
// CHECK: %[[SUM:.*]] = amdgpu.mfma 16x16x32 %[[A]] * %[[B]] + %[[ZERO]]
// CHECK: vector.bitcast %[[K_HIGH]]
// CHECK: vector.bitcast %[[Q_HIGH]]
// CHECK: amdgpu.mfma 16x16x32 %{{.*}} * %{{.*}} + %[[SUM]]
// CHECK-COUNT-16: amdgpu.mfma 16x16x32
// CHECK: %[[ZERO1:.*]] = arith.constant dense<0.000000e+00>
// CHECK: amdgpu.mfma 16x16x32 %{{.*}} * %{{.*}} + %[[ZERO1]]
// CHECK-COUNT-17: amdgpu.mfma 16x16x32
// CHECK-NOT: amdgpu.mfma
gpu.func @score_of_fp8(%k: !piece, %q: !piece) {
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

// Both terms go into the same sum.
// CHECK-LABEL: gpu.func @score_of_two_terms(
// CHECK-SAME: %{{.*}}: vector<4xi32>, %[[Q0:[a-z0-9]*]]: vector<4xi32>, %[[Q1:[a-z0-9]*]]: vector<4xi32>
// CHECK: %[[LOW0:.*]] = vector.shuffle %[[Q0]], %[[Q0]] [0, 1]
// CHECK: %[[LOW1:.*]] = vector.shuffle %[[Q1]], %[[Q1]] [0, 1]
// CHECK: vector.bitcast %[[LOW0]]
// CHECK: %[[SUM:.*]] = amdgpu.mfma
// CHECK: vector.bitcast %[[LOW1]]
// CHECK: amdgpu.mfma {{.*}} + %[[SUM]]
// CHECK-COUNT-34: amdgpu.mfma
// CHECK-NOT: amdgpu.mfma
gpu.func @score_of_two_terms(%k: !piece, %q0: !piece, %q1: !piece) {
  %keys = builtin.unrealized_conversion_cast
      %k, %k, %k, %k, %k, %k, %k, %k, %k
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<16x576xf8E4M3FN, operand>
  %term0 = builtin.unrealized_conversion_cast
      %q0, %q0, %q0, %q0, %q0, %q0, %q0, %q0, %q0
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<16x576xf8E4M3FN, operand>
  %term1 = builtin.unrealized_conversion_cast
      %q1, %q1, %q1, %q1, %q1, %q1, %q1, %q1, %q1
      : !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece, !piece
      to !mla.fragment<16x576xf8E4M3FN, operand>
  %scores = mla.score %keys, %term0, %term1
      : <16x576xf8E4M3FN, operand>, !mla.fragment<16x576xf8E4M3FN, operand>,
        !mla.fragment<16x576xf8E4M3FN, operand> -> <16x16xf32, score>
  gpu.return
}

// 576 elements are 36 times the 16 of an instruction.
// CHECK-LABEL: gpu.func @score_of_bf16(
// CHECK: vector.bitcast {{.*}} : vector<2xi32> to vector<4xbf16>
// CHECK-COUNT-36: amdgpu.mfma 16x16x16
// CHECK-NOT: amdgpu.mfma
gpu.func @score_of_bf16(%k: !piece, %q: !piece) {
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

// One instruction for each of the 16 matrices, on its own accumulator.
// CHECK-LABEL: gpu.func @accumulate_fp8(
// CHECK-SAME: %[[V:[a-z0-9]*]]: vector<2xi32>, %[[P:[a-z0-9]*]]: vector<2xi32>, %[[O:[a-z0-9]*]]: vector<4xf32>
// CHECK: %[[A:.*]] = vector.bitcast %[[V]] : vector<2xi32> to vector<8x[[FP8]]>
// CHECK: %[[B:.*]] = vector.bitcast %[[P]]
// CHECK: amdgpu.mfma 16x16x32 %[[A]] * %[[B]] + %[[O]]
// CHECK-COUNT-15: amdgpu.mfma 16x16x32 %{{.*}} * %{{.*}} + %[[O]]
// CHECK-NOT: amdgpu.mfma
gpu.func @accumulate_fp8(%v: !w, %p: !w, %o: !acc) {
  %values = builtin.unrealized_conversion_cast
      %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v
      : !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w
      to !mla.fragment<256x32xf8E4M3FN, value>
  %probabilities = builtin.unrealized_conversion_cast %p
      : !w to !mla.fragment<32x16xf8E4M3FN, probability>
  %output = builtin.unrealized_conversion_cast
      %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o
      : !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc,
        !acc, !acc, !acc, !acc
      to !mla.fragment<256x16xf32, output>
  %sum = mla.accumulate %values, %probabilities into %output
      : <256x32xf8E4M3FN, value>, !mla.fragment<32x16xf8E4M3FN, probability>
      into <256x16xf32, output>
  gpu.return
}

// Two depths of 16 tokens for each matrix.
// CHECK-LABEL: gpu.func @accumulate_bf16(
// CHECK-SAME: %[[O:[a-z0-9]*]]: vector<4xf32>)
// CHECK: %[[HALF:.*]] = amdgpu.mfma 16x16x16 %{{.*}} * %{{.*}} + %[[O]]
// CHECK: amdgpu.mfma 16x16x16 %{{.*}} * %{{.*}} + %[[HALF]]
// CHECK-COUNT-30: amdgpu.mfma
// CHECK-NOT: amdgpu.mfma
gpu.func @accumulate_bf16(%v: !w, %p: !w, %o: !acc) {
  %values = builtin.unrealized_conversion_cast
      %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v,
      %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v, %v
      : !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w,
        !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w, !w
      to !mla.fragment<256x32xbf16, value>
  %probabilities = builtin.unrealized_conversion_cast %p, %p
      : !w, !w to !mla.fragment<32x16xbf16, probability>
  %output = builtin.unrealized_conversion_cast
      %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o, %o
      : !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc, !acc,
        !acc, !acc, !acc, !acc
      to !mla.fragment<256x16xf32, output>
  %sum = mla.accumulate %values, %probabilities into %output
      : <256x32xbf16, value>, !mla.fragment<32x16xbf16, probability>
      into <256x16xf32, output>
  gpu.return
}

// Only if some lane's factor is not 1 does the wave multiply.
// CHECK-LABEL: gpu.func @rescale(
// CHECK-SAME: %[[O:[a-z0-9]*]]: vector<4xf32>, %[[FACTOR:[a-z0-9]*]]: f32
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00
// CHECK: %[[DIFFERS:.*]] = arith.cmpf une, %[[FACTOR]], %[[ONE]]
// CHECK: %[[LANES:.*]] = rocdl.ballot %[[DIFFERS]] : i64
// CHECK: %[[NONE:.*]] = arith.constant 0 : i64
// CHECK: %[[ANY:.*]] = arith.cmpi ne, %[[LANES]], %[[NONE]]
// CHECK: scf.if %[[ANY]] -> (vector<4xf32>, vector<4xf32>, vector<4xf32>, vector<4xf32>)
// CHECK:   %[[FACTORS:.*]] = vector.broadcast %[[FACTOR]]
// CHECK-COUNT-4: arith.mulf %[[O]], %[[FACTORS]]
// CHECK: } else {
// CHECK:   scf.yield %[[O]], %[[O]], %[[O]], %[[O]]
gpu.func @rescale(%o: !acc, %factor: f32) {
  %merged = builtin.unrealized_conversion_cast %o, %o, %o, %o
      : !acc, !acc, !acc, !acc to !mla.fragment<256x16xf32, merged>
  %scaled = mla.rescale %merged by %factor : <256x16xf32, merged>
  gpu.return
}
}
