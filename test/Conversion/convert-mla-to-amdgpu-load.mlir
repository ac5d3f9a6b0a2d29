// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx942 | FileCheck %s

!rows = !mla.fragment<16x1xindex, row_index>

gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {

// The four groups of lanes take consecutive pieces of 16 bytes, so that
// together they read 64 bytes of each row at a time: 9 times for 576 bytes.
// CHECK-LABEL: gpu.func @load_rows_of_fp8(
// CHECK-SAME: %[[CACHE:[a-z0-9]*]]: memref<?x576xf8E4M3FNUZ>, %[[ROW:[a-z0-9]*]]: index
// CHECK: %[[GROUP:.*]] = arith.divui
// CHECK: %[[C16:.*]] = arith.constant 16 : index
// CHECK: %[[COLUMN:.*]] = arith.muli %[[GROUP]], %[[C16]]
// CHECK: vector.load %[[CACHE]][%[[ROW]], %{{.*}}] {alignment = 16 : i64} : {{.*}}, vector<16xf8E4M3FNUZ>
// CHECK: vector.bitcast {{.*}} to vector<4xi32>
// CHECK: %[[C64:.*]] = arith.constant 64 : index
// CHECK: %[[SECOND:.*]] = arith.addi %[[COLUMN]], %[[C64]]
// CHECK: vector.load %[[CACHE]][%[[ROW]], %[[SECOND]]]
// CHECK-COUNT-6: vector.load
// CHECK: %[[C512:.*]] = arith.constant 512 : index
// CHECK: %[[ROPE:.*]] = arith.addi %[[COLUMN]], %[[C512]]
// CHECK: vector.load %[[CACHE]][%[[ROW]], %[[ROPE]]]
// CHECK-NOT: vector.load
gpu.func @load_rows_of_fp8(%cache: memref<?x576xf8E4M3FNUZ>, %row: index) {
  %rows = builtin.unrealized_conversion_cast %row : index to !rows
  %keys = mla.load_rows %cache[%rows] : memref<?x576xf8E4M3FNUZ>,
      <16x1xindex, row_index> -> <16x576xf8E4M3FNUZ, operand>
  gpu.return
}

// A piece of bf16 has 8 elements: 18 times for 1152 bytes, each subtile with
// its own row.
// CHECK-LABEL: gpu.func @load_rows_of_bf16(
// CHECK-SAME: %[[CACHE:[a-z0-9]*]]: memref<?x576xbf16>, %[[ROW0:[a-z0-9]*]]: index, %[[ROW1:[a-z0-9]*]]: index
// CHECK: %[[C8:.*]] = arith.constant 8 : index
// CHECK: arith.muli %{{.*}}, %[[C8]]
// CHECK-COUNT-18: vector.load %[[CACHE]][%[[ROW0]], %{{.*}}] {alignment = 16 : i64} : memref<?x576xbf16>, vector<8xbf16>
// CHECK-NOT: vector.load %[[CACHE]][%[[ROW0]]
// CHECK-COUNT-18: vector.load %[[CACHE]][%[[ROW1]]
// CHECK-NOT: vector.load
gpu.func @load_rows_of_bf16(%cache: memref<?x576xbf16>, %row0: index,
                            %row1: index) {
  %rows = builtin.unrealized_conversion_cast %row0, %row1
      : index, index to !mla.fragment<32x1xindex, row_index>
  %keys = mla.load_rows %cache[%rows] : memref<?x576xbf16>,
      <32x1xindex, row_index> -> <32x576xbf16, operand>
  gpu.return
}
}
