// RUN: mla-opt %s | mla-opt | FileCheck %s

// CHECK-LABEL: func.func @bf16_not_tiled
// CHECK: %[[OUT:.*]], %[[LSE:.*]], %[[O:.*]], %[[ML:.*]] = mla.attend %{{.*}}, %{{.*}}[%{{.*}}] schedule(%{{.*}}) {sm_scale = 1.250000e-01 : f32}
// CHECK-SAME: : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 16>, tensor<?xi32>, !mla.schedule
// CHECK-SAME: -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>, tensor<?x2x16xf32>
// CHECK: return %[[O]], %[[ML]]
func.func @bf16_not_tiled(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 16>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule) -> (tensor<?x16x512xf32>, tensor<?x2x16xf32>) {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 16>, tensor<?xi32>,
        !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %o, %ml : tensor<?x16x512xf32>, tensor<?x2x16xf32>
}

// CHECK-LABEL: func.func @fp8_tiled_and_combining
// CHECK: mla.attend {{.*}} schedule(%{{.*}}) q_scale(%{{.*}}) kv_scale(%{{.*}}) {combines, sm_scale = 1.250000e-01 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
// CHECK-SAME: tensor<4x128x576xf8E4M3FNUZ>, !mla.cache<f8E4M3FNUZ, page_size = 1>
func.func @fp8_tiled_and_combining(%q: tensor<4x128x576xf8E4M3FNUZ>,
    %cache: !mla.cache<f8E4M3FNUZ, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> tensor<4x128x512xf32> {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks)
      {combines, sm_scale = 0.125 : f32,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<4x128x576xf8E4M3FNUZ>, !mla.cache<f8E4M3FNUZ, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<4x128x512xf32>, tensor<4x128xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<4x128x512xf32>
}

// CHECK-LABEL: func.func @fp8_cache_and_q_quantised_on_the_way_in
// CHECK: mla.attend {{.*}} schedule(%{{.*}}) kv_scale(%{{.*}}) {precision = #mla.precision<q = fp8x2, p = fp8>, sm_scale = 1.250000e-01 : f32}
// CHECK-SAME: tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>
func.func @fp8_cache_and_q_quantised_on_the_way_in(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      kv_scale(%ks)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8x2, p = fp8>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}
