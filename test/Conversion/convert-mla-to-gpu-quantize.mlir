// RUN: mla-opt %s --convert-mla-to-gpu=chip=gfx942 -split-input-file | FileCheck %s

// Eight elements a thread and step; out of range becomes the largest fp8, not
// NaN.
// CHECK-LABEL: gpu.func @mla_quantize(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: memref<2147483647x9792xbf16
// CHECK-SAME: %[[Q8:[a-z0-9]*]]: memref<2147483647x9792xf8E4M3FNUZ
// CHECK-SAME: %[[QS:[a-z0-9]*]]: memref<2147483647xf32
// CHECK: %[[TOKEN:.*]] = gpu.block_id x
// CHECK: %[[SCALE:.*]] = memref.load %[[QS]]
// CHECK: scf.for %[[I:.*]] =
// CHECK:   vector.load %[[Q]][%[[TOKEN]], %[[I]]] {alignment = 16 : i64}
// CHECK:   %[[WIDE:.*]] = arith.extf {{.*}} to vector<8xf32>
// CHECK:   %[[SCALES:.*]] = vector.broadcast %[[SCALE]]
// CHECK:   %[[SCALED:.*]] = arith.divf %[[WIDE]], %[[SCALES]]
// CHECK:   %[[MOST:.*]] = arith.constant dense<2.400000e+02>
// CHECK:   %[[UPPER:.*]] = arith.minnumf %[[SCALED]], %[[MOST]]
// CHECK:   %[[LEAST:.*]] = arith.constant dense<-2.400000e+02>
// CHECK:   %[[CLAMPED:.*]] = arith.maxnumf %[[UPPER]], %[[LEAST]]
// CHECK:   %[[LOW:.*]] = vector.shuffle %[[CLAMPED]], %[[CLAMPED]] [0, 1, 2, 3]
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[LOW]] : vector<4xf32> to vector<4xf8E4M3FNUZ>
// CHECK:   vector.store %[[ROUNDED]], %[[Q8]][%[[TOKEN]], %{{.*}}] {alignment = 4 : i64}
// CHECK:   vector.shuffle %[[CLAMPED]], %[[CLAMPED]] [4, 5, 6, 7]
// CHECK:   vector.store
func.func @static_scale(%q: tensor<?x17x576xbf16>,
    %cache: !mla.cache<f8E4M3FNUZ, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x17x512xbf16>, tensor<?x17xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 17 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %q8 = mla.quantize %q scale(%qs) : tensor<?x17x576xbf16>, tensor<1xf32>
      -> tensor<?x17x576xf8E4M3FNUZ>
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x17x576xf8E4M3FNUZ>, !mla.cache<f8E4M3FNUZ, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x17x512xbf16>, tensor<?x17xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x17x512xbf16>, tensor<?x17xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x17x512xbf16>, tensor<?x17xf32>
  return %final_out, %final_lse : tensor<?x17x512xbf16>, tensor<?x17xf32>
}

// -----

// CHECK-LABEL: gpu.func @mla_amax(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: memref<2147483647x9216xbf16
// CHECK-SAME: %[[AMAX:[a-z0-9]*]]: memref<2147483647xf32
// CHECK: %[[TOKEN:.*]] = gpu.block_id x
// CHECK: %[[OF_THREAD:.*]] = scf.for
// CHECK:   math.absf
// CHECK:   vector.reduction <maxnumf>
// CHECK: gpu.shuffle xor %[[OF_THREAD]]
// CHECK-COUNT-5: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: gpu.barrier
// CHECK-COUNT-4: memref.load
// CHECK: %[[MAX:.*]] = arith.maxnumf
// CHECK: scf.if
// CHECK: memref.store %[[MAX]], %[[AMAX]][%[[TOKEN]]]

// The scale is the largest of the tokens' maxima / 240; the first workgroup
// leaves it for attention. A Q of zeros gets 1.
// CHECK-LABEL: gpu.func @mla_quantize(
// CHECK-SAME: %{{[a-z0-9]*}}: memref<2147483647x9216xbf16
// CHECK-SAME: %{{[a-z0-9]*}}: memref<2147483647x9216xf8E4M3FNUZ
// CHECK-SAME: %[[QS:[a-z0-9]*]]: memref<2147483647xf32
// CHECK-SAME: %[[AMAX:[a-z0-9]*]]: memref<2147483647xf32
// CHECK: scf.for
// CHECK:   memref.load %[[AMAX]]
// CHECK:   arith.maxnumf
// CHECK: gpu.barrier
// CHECK: %[[LIMIT:.*]] = arith.constant 2.400000e+02 : f32
// CHECK: %[[RATIO:.*]] = arith.divf %{{.*}}, %[[LIMIT]]
// CHECK: %[[IS_ZERO:.*]] = arith.cmpf oeq, %[[RATIO]]
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00
// CHECK: %[[SCALE:.*]] = arith.select %[[IS_ZERO]], %[[ONE]], %[[RATIO]]
// CHECK: scf.if
// CHECK:   memref.store %[[SCALE]], %[[QS]]
// CHECK: vector.broadcast %[[SCALE]]
func.func @dynamic_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FNUZ, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %amax = mla.amax %q : tensor<?x16x576xbf16> -> tensor<?xf32>
  %q8, %qs = mla.quantize %q amax(%amax) : tensor<?x16x576xbf16>, tensor<?xf32>
      -> tensor<?x16x576xf8E4M3FNUZ>, tensor<1xf32>
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xf8E4M3FNUZ>, !mla.cache<f8E4M3FNUZ, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}
