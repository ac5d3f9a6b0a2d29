// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx950 | FileCheck %s -DFP8=f8E4M3FN -DMAX=4.480000e+02
// RUN: sed s/f8E4M3FN/f8E4M3FNUZ/g %s | mla-opt --convert-mla-to-amdgpu=chip=gfx942 | FileCheck %s -DFP8=f8E4M3FNUZ -DMAX=2.400000e+02

!rows = !mla.fragment<16x1xindex, row_index>
!term = !mla.fragment<16x576xf8E4M3FN, operand>

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// A lane loads what it would load of a quantised row: 144 elements, 8 at a time.
// Values beyond the range become the largest fp8.
// CHECK-LABEL: gpu.func @scale_given(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: memref<?x576xbf16>, %[[ROW:[a-z0-9]*]]: index, %[[SCALE:[a-z0-9]*]]: f32
// CHECK-COUNT-18: vector.load %[[Q]][%[[ROW]], %{{.*}}] {alignment = 16 : i64} : memref<?x576xbf16>, vector<8xbf16>
// CHECK-NOT: vector.load
// CHECK-NOT: gpu.shuffle
// CHECK: %[[INVERSE:.*]] = arith.divf %{{.*}}, %[[SCALE]]
// CHECK: %[[MOST:.*]] = arith.constant [[MAX]]
// CHECK: %[[LEAST:.*]] = arith.constant -[[MAX]]
// CHECK: %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[INVERSE]]
// CHECK: %[[UPPER:.*]] = arith.minnumf %[[SCALED]], %[[MOST]]
// CHECK: arith.maxnumf %[[UPPER]], %[[LEAST]]
// CHECK-COUNT-72: amdgpu.packed_trunc_2xfp8 {{.*}} to vector<4x[[FP8]]>
// CHECK-NOT: amdgpu.packed_trunc_2xfp8
gpu.func @scale_given(%q: memref<?x576xbf16>, %row: index, %scale: f32) {
  %rows = builtin.unrealized_conversion_cast %row : index to !rows
  %term, %used = mla.quantize_rows %q[%rows] scale %scale
      : memref<?x576xbf16>, <16x1xindex, row_index> -> !term
  gpu.return
}

// The least power of two that keeps the row within range: the ratio's mantissa
// carries into its exponent. Nothing is beyond the range then.
// CHECK-LABEL: gpu.func @scale_of_the_row(
// CHECK-COUNT-18: vector.load
// CHECK-COUNT-144: math.absf
// CHECK-COUNT-2: gpu.shuffle xor
// CHECK: %[[LARGEST:.*]] = arith.maxnumf
// CHECK: %[[RATIO:.*]] = arith.mulf %[[LARGEST]]
// CHECK: %[[NORMAL:.*]] = arith.maxnumf %[[RATIO]]
// CHECK: %[[BITS:.*]] = arith.bitcast %[[NORMAL]] : f32 to i32
// CHECK: %[[MANTISSA:.*]] = arith.constant 8388607 : i32
// CHECK: %[[CARRIED:.*]] = arith.addi %[[BITS]], %[[MANTISSA]]
// CHECK: %[[EXPONENT:.*]] = arith.constant 2139095040 : i32
// CHECK: %[[POWER:.*]] = arith.andi %[[CARRIED]], %[[EXPONENT]]
// CHECK: %[[SCALE:.*]] = arith.bitcast %[[POWER]] : i32 to f32
// CHECK: arith.divf %{{.*}}, %[[SCALE]]
// CHECK-NOT: arith.minnumf
// CHECK: amdgpu.packed_trunc_2xfp8
gpu.func @scale_of_the_row(%q: memref<?x576xbf16>, %row: index) {
  %rows = builtin.unrealized_conversion_cast %row : index to !rows
  %term, %used = mla.quantize_rows %q[%rows]
      : memref<?x576xbf16>, <16x1xindex, row_index> -> !term
  gpu.return
}

// The second term is what the first leaves out.
// CHECK-LABEL: gpu.func @two_terms(
// CHECK: %[[FIRST:.*]] = amdgpu.packed_trunc_2xfp8 {{.*}}[word 1]
// CHECK: %[[BACK:.*]] = amdgpu.ext_packed_fp8 %[[FIRST]][0] : vector<4x[[FP8]]> to vector<2xf32>
// CHECK: %[[LEFT:.*]] = arith.subf %{{.*}}, %[[BACK]] : vector<2xf32>
// CHECK: %[[REST:.*]] = vector.extract %[[LEFT]][0]
// CHECK: amdgpu.packed_trunc_2xfp8 %[[REST]]
// CHECK-COUNT-141: amdgpu.packed_trunc_2xfp8
// CHECK-NOT: amdgpu.packed_trunc_2xfp8
gpu.func @two_terms(%q: memref<?x576xbf16>, %row: index, %scale: f32) {
  %rows = builtin.unrealized_conversion_cast %row : index to !rows
  %terms:2, %used = mla.quantize_rows %q[%rows] scale %scale
      : memref<?x576xbf16>, <16x1xindex, row_index> -> !term, !term
  gpu.return
}
}
