// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx950 | FileCheck %s -DFP8=f8E4M3FN
// RUN: sed s/f8E4M3FN/f8E4M3FNUZ/g %s | mla-opt --convert-mla-to-amdgpu=chip=gfx942 | FileCheck %s -DFP8=f8E4M3FNUZ

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// v_exp_f32 and v_log_f32 without the library's handling of denormals.
// CHECK-LABEL: gpu.func @exp2_and_log2(
// CHECK: rocdl.exp2
// CHECK: rocdl.log
// CHECK-NOT: math.
gpu.func @exp2_and_log2(%x: f32) {
  %0 = math.exp2 %x : f32
  %1 = math.log2 %x : f32
  gpu.return
}

// The four lanes of a head are 16 apart.
// CHECK-LABEL: gpu.func @head_reduce_sum(
// CHECK-SAME: %[[X:[a-z0-9]*]]: f32
// CHECK: %[[C16:.*]] = arith.constant 16 : i32
// CHECK: %[[OTHER:.*]], %{{.*}} = gpu.shuffle xor %[[X]], %[[C16]]
// CHECK: %[[PAIR:.*]] = arith.addf %[[X]], %[[OTHER]]
// CHECK: %[[C32:.*]] = arith.constant 32 : i32
// CHECK: %[[OTHERS:.*]], %{{.*}} = gpu.shuffle xor %[[PAIR]], %[[C32]]
// CHECK: arith.addf %[[PAIR]], %[[OTHERS]]
gpu.func @head_reduce_sum(%x: f32) {
  %sum = mla.head_reduce sum %x
  gpu.return
}

// CHECK-LABEL: gpu.func @head_reduce_max(
// CHECK-COUNT-2: arith.maxnumf
// CHECK-NOT: arith.addf
gpu.func @head_reduce_max(%x: f32) {
  %max = mla.head_reduce max %x
  gpu.return
}

// CHECK-LABEL: gpu.func @online_softmax_fp8(
// CHECK-SAME: %[[S0:[a-z0-9]*]]: vector<4xf32>, %[[S1:[a-z0-9]*]]: vector<4xf32>, %[[FIRST:[a-z0-9]*]]: index, %[[END:[a-z0-9]*]]: index, %[[SCALE:[a-z0-9]*]]: f32, %[[MAX:[a-z0-9]*]]: f32, %[[SUM:[a-z0-9]*]]: f32

// Only a tile that reaches beyond the end is masked, tokens from there on with
// minus infinity. The count of tokens left is made opaque, so that nothing of
// this is done where no tile needs it.
// CHECK: %[[C32:.*]] = arith.constant 32 : index
// CHECK: %[[TILE_END:.*]] = arith.addi %[[FIRST]], %[[C32]]
// CHECK: %[[REACHES:.*]] = arith.cmpi sgt, %[[TILE_END]], %[[END]]
// CHECK: %[[MASKED:.*]]:2 = scf.if %[[REACHES]]
// CHECK:   %[[LEFT:.*]] = arith.subi %[[END]], %[[FIRST]]
// CHECK:   %[[NARROW:.*]] = arith.index_cast %[[LEFT]] : index to i32
// CHECK:   %[[OPAQUE:.*]] = llvm.inline_asm has_side_effects "", "=s,0" %[[NARROW]]
// CHECK:   %[[REGISTERS:.*]] = arith.constant dense<[0, 1, 2, 3]>
// CHECK:   %[[MINUS_INF:.*]] = arith.constant dense<0xFF800000>
// CHECK:   %[[TOKENS:.*]] = arith.addi %{{.*}}, %[[REGISTERS]]
// CHECK:   %[[LIMIT:.*]] = vector.broadcast %[[OPAQUE]]
// CHECK:   %[[USED:.*]] = arith.cmpi slt, %[[TOKENS]], %[[LIMIT]]
// CHECK:   arith.select %[[USED]], %[[S0]], %[[MINUS_INF]]
// CHECK:   arith.constant 16 : i32
// CHECK:   arith.select %{{.*}}, %[[S1]], %[[MINUS_INF]]
// CHECK: } else {
// CHECK:   scf.yield %[[S0]], %[[S1]]

// The maximum over registers and lanes, then the state.
// CHECK-COUNT-7: arith.maxnumf {{.*}} fastmath<nnan>
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: %[[LARGEST:.*]] = arith.mulf %{{.*}}, %[[SCALE]]
// A maximum passed by no more than 4 stays.
// CHECK: %[[SLACK:.*]] = arith.constant 4.000000e+00 : f32
// CHECK: %[[LIMIT:.*]] = arith.addf %[[MAX]], %[[SLACK]]
// CHECK: %[[EXCEEDS:.*]] = arith.cmpf ogt, %[[LARGEST]], %[[LIMIT]]
// CHECK: %[[NEW_MAX:.*]] = arith.select %[[EXCEEDS]], %[[LARGEST]], %[[MAX]]
// CHECK: %[[FALL:.*]] = arith.subf %[[MAX]], %[[NEW_MAX]]
// CHECK: %[[CORRECTION:.*]] = rocdl.exp2 %[[FALL]]

// One multiply-add and one exponential an element; the sum is the lane's own,
// of pairs first.
// CHECK: %[[BIAS:.*]] = arith.constant 7.000000e+00
// CHECK: %[[LIFT:.*]] = arith.subf %[[BIAS]], %[[NEW_MAX]]
// CHECK: %[[OFFSET:.*]] = vector.broadcast %[[LIFT]]
// CHECK: %[[SCALES:.*]] = vector.broadcast %[[SCALE]]
// CHECK: vector.fma %[[MASKED]]#0, %[[SCALES]], %[[OFFSET]]
// CHECK: %[[P0:.*]] = rocdl.exp2
// CHECK: %[[P1:.*]] = rocdl.exp2
// CHECK: %[[P2:.*]] = rocdl.exp2
// CHECK: %[[P3:.*]] = rocdl.exp2
// CHECK: %[[HALF:.*]] = amdgpu.packed_trunc_2xfp8 %[[P0]], %[[P1]] into undef[word 0] : f32 to vector<4x[[FP8]]>
// CHECK: %[[FOUR:.*]] = amdgpu.packed_trunc_2xfp8 %[[P2]], %[[P3]] into %[[HALF]][word 1]
// CHECK: %[[WORD0:.*]] = vector.bitcast %[[FOUR]] : {{.*}} to vector<1xi32>
// CHECK: vector.fma %[[MASKED]]#1, %[[SCALES]], %[[OFFSET]]
// CHECK-COUNT-2: amdgpu.packed_trunc_2xfp8
// CHECK: %[[WORD1:.*]] = vector.bitcast
// CHECK: %[[EVEN:.*]] = vector.extract %[[PAIR:.*]][0]
// CHECK: %[[ODD:.*]] = vector.extract %[[PAIR]][1]
// CHECK: %[[TILE_SUM:.*]] = arith.addf %[[EVEN]], %[[ODD]]
// CHECK: math.fma %[[SUM]], %[[CORRECTION]], %[[TILE_SUM]]
// CHECK: vector.shuffle %[[WORD0]], %[[WORD1]] [0, 1]
// CHECK-NOT: rocdl.exp2
gpu.func @online_softmax_fp8(%s0: vector<4xf32>, %s1: vector<4xf32>,
                             %first: index, %end: index, %scale: f32,
                             %max: f32, %sum: f32) {
  %scores = builtin.unrealized_conversion_cast %s0, %s1
      : vector<4xf32>, vector<4xf32> to !mla.fragment<32x16xf32, score>
  %p, %newMax, %newSum, %correction = mla.online_softmax %scores
      tokens(%first to %end) scale %scale state(%max, %sum) bias 7.0
      : <32x16xf32, score> -> !mla.fragment<32x16xf8E4M3FN, probability>
  gpu.return
}

// The second term is what the first leaves out.
// CHECK-LABEL: gpu.func @online_softmax_two_terms(
// CHECK: %[[FIRST:.*]] = amdgpu.packed_trunc_2xfp8 {{.*}}[word 1]
// CHECK: %[[BACK:.*]] = amdgpu.ext_packed_fp8 %[[FIRST]][0]
// CHECK: %[[OUTSIDE:.*]] = arith.subf %{{.*}}, %[[BACK]] : vector<2xf32>
// CHECK: %[[REST:.*]] = vector.extract %[[OUTSIDE]][0]
// CHECK: amdgpu.ext_packed_fp8 %[[FIRST]][1]
// CHECK: amdgpu.packed_trunc_2xfp8 %[[REST]], %{{.*}} into undef[word 0]
// CHECK-COUNT-2: vector.shuffle
// CHECK-NOT: vector.shuffle
gpu.func @online_softmax_two_terms(%s: vector<4xf32>, %first: index,
                                   %end: index, %x: f32) {
  %scores = builtin.unrealized_conversion_cast %s, %s
      : vector<4xf32>, vector<4xf32> to !mla.fragment<32x16xf32, score>
  %p:2, %newMax, %newSum, %correction = mla.online_softmax %scores
      tokens(%first to %end) scale %x state(%x, %x) bias 7.0
      : <32x16xf32, score> -> !mla.fragment<32x16xf8E4M3FN, probability>,
        !mla.fragment<32x16xf8E4M3FN, probability>
  gpu.return
}

// The four tokens of a subtile are an operand by themselves.
// CHECK-LABEL: gpu.func @online_softmax_bf16(
// CHECK-COUNT-5: rocdl.exp2
// CHECK: vector.from_elements
// CHECK: arith.truncf {{.*}} : vector<4xf32> to vector<4xbf16>
// CHECK: vector.bitcast {{.*}} to vector<2xi32>
// CHECK-NOT: vector.shuffle
gpu.func @online_softmax_bf16(%s: vector<4xf32>, %first: index, %end: index,
                              %x: f32) {
  %scores = builtin.unrealized_conversion_cast %s
      : vector<4xf32> to !mla.fragment<16x16xf32, score>
  %p, %newMax, %newSum, %correction = mla.online_softmax %scores
      tokens(%first to %end) scale %x state(%x, %x) bias 0.0
      : <16x16xf32, score> -> !mla.fragment<16x16xbf16, probability>
  gpu.return
}
}
