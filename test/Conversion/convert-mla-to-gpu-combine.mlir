// RUN: mla-opt %s --convert-mla-to-gpu=chip=gfx950 -split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @mla_combine(
// CHECK-SAME: %[[O:[a-z0-9]*]]: memref<2147483647x16x512xf32
// CHECK-SAME: %[[ML:[a-z0-9]*]]: memref<2147483647x2x16xf32
// CHECK-SAME: %[[ITEMS:[a-z0-9]*]]: memref<2147483647x4xi32
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<2147483647x16x512xbf16
// CHECK-SAME: %[[LSE:[a-z0-9]*]]: memref<2147483647x16xf32
// CHECK-COUNT-4: memref.load %[[ITEMS]]

// The largest maximum first, then outputs and sums in the order of the parts.
// CHECK: %[[LEAST:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK: %[[MAX:.*]] = scf.for {{.*}} iter_args(%{{.*}} = %[[LEAST]])
// CHECK:   memref.load %[[ML]]
// CHECK:   arith.maxnumf
// CHECK: %[[SUMS:.*]]:2 = scf.for
// CHECK:   %[[PART_MAX:.*]] = memref.load %[[ML]]
// CHECK:   %[[DISTANCE:.*]] = arith.subf %[[PART_MAX]], %[[MAX]]
// CHECK:   %[[WEIGHT:.*]] = math.exp2 %[[DISTANCE]]
// CHECK:   %[[PART:.*]] = vector.load %[[O]]
// CHECK:   vector.fma %[[PART]]
// CHECK:   math.fma %{{.*}}, %[[WEIGHT]]

// CHECK: vector.broadcast %[[SUMS]]#1
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
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
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
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
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

// -----

// The last workgroup to arrive at a block combines it: its 256 threads take two
// heads at a time, eight times. There is no kernel for it.
// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: #mla.workspace<"tickets", combine_items, 4>
// CHECK: gpu.func @mla_attend(
// CHECK-SAME: %[[O:[a-z0-9]*]]: memref<2147483647x16x512xf32, #gpu.address_space<global>> {llvm.noalias},
// CHECK-SAME: %[[ML:[a-z0-9]*]]: memref<2147483647x2x16xf32, #gpu.address_space<global>> {llvm.noalias},
// CHECK-SAME: %[[ITEMS:[a-z0-9]*]]: memref<2147483647x4xi32
// CHECK-SAME: %[[TICKETS:[a-z0-9]*]]: memref<2147483647xi32
// CHECK-SAME: <"partial_o", read_write>, <"partial_ml", read_write>, <"combine_items", read>, <"tickets", read_write>]
// CHECK: %[[FLAG:.*]] = memref.view {{.*}} to memref<1xi32
// CHECK: %[[PARTIAL:[a-z_0-9]*]], %[[COMBINE:[a-z_0-9]*]] = mla.work_item
// CHECK: } else {
// CHECK: mla.store {{.*}} into %[[O]]
// CHECK: memref.load %[[ITEMS]][%[[COMBINE]]
// CHECK: %[[LOADED:.*]] = memref.load %[[ITEMS]][%[[COMBINE]]
// CHECK: %[[UNIFORM:.*]] = gpu.subgroup_broadcast %[[LOADED]]
// CHECK: %[[COUNT:.*]] = arith.index_cast %[[UNIFORM]]
// CHECK: %[[LAST:.*]] = mla.arrive %[[TICKETS]][%[[COMBINE]]] of %[[COUNT]] through %[[FLAG]]
// CHECK: scf.if %[[LAST]] {
// CHECK: %{{.*}}:8 = scf.for %{{.*}} to %[[COUNT]]
// CHECK: %{{.*}}:16 = scf.for %{{.*}} to %[[COUNT]]
// CHECK: vector.load %[[O]]
// CHECK-COUNT-8: vector.store
// CHECK-NOT: gpu.func
func.func @combine_in_attention(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {combines, sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out, %lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}
