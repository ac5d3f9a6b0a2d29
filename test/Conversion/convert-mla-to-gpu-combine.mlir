// RUN: mla-opt %s --convert-mla-to-gpu=chip=gfx950 -split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @mla_combine(
// CHECK-SAME: %[[O:[a-z0-9]*]]: memref<2147483647x16x512xf32
// CHECK-SAME: %[[ML:[a-z0-9]*]]: memref<2147483647x2x16xf32
// CHECK-SAME: %[[ITEMS:[a-z0-9]*]]: memref<2147483647x4xi32
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<2147483647x16x512xbf16
// CHECK-SAME: %[[LSE:[a-z0-9]*]]: memref<2147483647x16xf32
// CHECK-COUNT-4: memref.load %[[ITEMS]]

// The largest maximum first, then outputs and sums in the order of the parts.
// CHECK: %[[MINUS_INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK: %[[MAX:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[MINUS_INF]])
// CHECK:   memref.load %[[ML]]
// CHECK:   arith.maxnumf
// CHECK: %[[SUMS:.*]]:2 = scf.for
// CHECK:   %[[PART_MAX:.*]] = memref.load %[[ML]]
// CHECK:   %[[DISTANCE:.*]] = arith.subf %[[PART_MAX]], %[[MAX]]
// CHECK:   %[[WEIGHT:.*]] = math.exp2 %[[DISTANCE]]
// CHECK:   %[[PART:.*]] = vector.load %[[O]]
// CHECK:   vector.fma %[[PART]]
// CHECK:   math.fma %{{.*}}, %[[WEIGHT]]

// A block without rows is divided by 1: zeros stay zeros.
// CHECK: %[[EMPTY:.*]] = arith.cmpi eq
// CHECK: %[[DIVISOR:.*]] = arith.select %[[EMPTY]], %{{.*}}, %[[SUMS]]#1
// CHECK: vector.broadcast %[[DIVISOR]]
// CHECK: arith.divf %[[SUMS]]#0
// CHECK: arith.truncf {{.*}} to vector<4xbf16>
// CHECK: vector.store %{{.*}}, %[[OUT]]{{.*}} {alignment = 8 : i64}
// CHECK: %[[LOG:.*]] = math.log2 %[[SUMS]]#1
// CHECK: %[[EXPONENT:.*]] = arith.addf %[[MAX]], %[[LOG]]
// CHECK: arith.constant 0.693147182 : f32
// CHECK: memref.store %{{.*}}, %[[LSE]]
func.func @bf16_output(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

// Heads beyond the last of a short block do nothing; f32 is stored as it is.
// CHECK-LABEL: gpu.func @mla_combine(
// CHECK: %[[C40:.*]] = arith.constant 40 : index
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %[[C40]]
// CHECK: scf.if %[[EXISTS]] {
// CHECK-NOT: arith.truncf
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<2147483647x40x512xf32
func.func @f32_output_of_short_blocks(%q: tensor<?x40x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> (tensor<?x40x512xf32>, tensor<?x40xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 40 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4>}
      : tensor<?x40x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x40x512xf32>, tensor<?x40xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x40x512xf32>, tensor<?x40xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x40x512xf32>, tensor<?x40xf32>
  return %final_out, %final_lse : tensor<?x40x512xf32>, tensor<?x40xf32>
}
