// RUN: mla-opt %s --mla-decompose | FileCheck %s

!cache8 = !mla.cache<f8E4M3FN, page_size = 16>

// The scale given is both what Q is divided by and what attention multiplies
// back.
// CHECK-LABEL: func.func @static_scale(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<?x128x576xbf16>, %[[CACHE:[a-z0-9]*]]: !mla.cache<f8E4M3FN, page_size = 16>, %[[QO:[a-z0-9]*]]: tensor<?xi32>, %[[KV:[a-z0-9]*]]: tensor<?xi32>, %[[INDICES:[a-z0-9]*]]: tensor<?xi32>, %[[LAST:[a-z0-9]*]]: tensor<?xi32>, %[[QS:[a-z0-9]*]]: tensor<1xf32>, %[[KS:[a-z0-9]*]]: tensor<1xf32>)
// CHECK-NOT: mla.decode
// CHECK: %[[TABLES:.*]] = mla.schedule queries(%[[QO]]) pages(%[[KV]], %[[LAST]]) {heads = 128 : i64, page_size = 16 : i64, shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>}
// CHECK: %[[Q8:.*]] = mla.quantize %[[Q]] scale(%[[QS]]) : {{.*}} -> tensor<?x128x576xf8E4M3FN>
// CHECK: %[[OUT:.*]], %[[LSE:.*]], %[[O:.*]], %[[ML:.*]] = mla.attend %[[Q8]], %[[CACHE]][%[[INDICES]]] schedule(%[[TABLES]]) q_scale(%[[QS]]) kv_scale(%[[KS]]) {sm_scale = 1.250000e-01 : f32}
// CHECK-SAME: -> tensor<?x128x512xbf16>, tensor<?x128xf32>, tensor<?x16x512xf32>, tensor<?x2x16xf32>
// CHECK: %[[FINAL_OUT:.*]], %[[FINAL_LSE:.*]] = mla.combine %[[OUT]], %[[LSE]] partials(%[[O]], %[[ML]]) schedule(%[[TABLES]])
// CHECK: return %[[FINAL_OUT]], %[[FINAL_LSE]]
func.func @static_scale(%q: tensor<?x128x576xbf16>, %cache: !cache8,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>, %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x128x512xbf16>, tensor<?x128xf32>) {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) kv_scale(%ks)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<static>,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>}
      : tensor<?x128x576xbf16>, !cache8, tensor<?xi32>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x128x512xbf16>, tensor<?x128xf32>
  return %out, %lse : tensor<?x128x512xbf16>, tensor<?x128xf32>
}

// The scale is found on the way, and attention takes the one found.
// CHECK-LABEL: func.func @dynamic_scale(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<4x16x576xbf16>, %{{.*}}, %[[KS:[a-z0-9]*]]: tensor<1xf32>)
// CHECK: %[[AMAX:.*]] = mla.amax %[[Q]] : tensor<4x16x576xbf16> -> tensor<4xf32>
// CHECK: %[[Q8:.*]], %[[QS:.*]] = mla.quantize %[[Q]] amax(%[[AMAX]]) : {{.*}} -> tensor<4x16x576xf8E4M3FNUZ>, tensor<1xf32>
// CHECK: mla.attend %[[Q8]], {{.*}} q_scale(%[[QS]]) kv_scale(%[[KS]])
// CHECK: mla.combine
func.func @dynamic_scale(%q: tensor<4x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FNUZ, page_size = 1>, %qo: tensor<5xi32>,
    %kv: tensor<5xi32>, %indices: tensor<?xi32>, %last: tensor<4xi32>,
    %ks: tensor<1xf32>) -> tensor<4x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<dynamic>}
      : tensor<4x16x576xbf16>, !mla.cache<f8E4M3FNUZ, page_size = 1>,
        tensor<5xi32>, tensor<5xi32>, tensor<?xi32>, tensor<4xi32>,
        tensor<1xf32> -> tensor<4x16x512xbf16>, tensor<4x16xf32>
  return %out : tensor<4x16x512xbf16>
}

// Nothing is quantised, and there is no shape to hand on.
// CHECK-LABEL: func.func @bf16(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<?x16x576xbf16>
// CHECK-NOT: mla.amax
// CHECK-NOT: mla.quantize
// CHECK: %[[TABLES:.*]] = mla.schedule {{.*}} {heads = 16 : i64, page_size = 1 : i64}
// CHECK-NOT: mla.quantize
// CHECK: mla.attend %[[Q]], %{{.*}}[%{{.*}}] schedule(%[[TABLES]]) {sm_scale
// CHECK: mla.combine {{.*}} -> tensor<?x16x512xf32>, tensor<?x16xf32>
func.func @bf16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xf32> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xf32>, tensor<?x16xf32>
  return %out : tensor<?x16x512xf32>
}

// Attention gets Q as it is and finds the scales itself.
// CHECK-LABEL: func.func @scale_of_each_head(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<?x16x576xbf16>
// CHECK-NOT: mla.amax
// CHECK-NOT: mla.quantize
// CHECK: mla.attend %[[Q]], {{.*}} schedule(%{{.*}}) kv_scale(%{{.*}}) {precision = #mla.precision<q = fp8x2, p = fp8>
func.func @scale_of_each_head(%q: tensor<?x16x576xbf16>, %cache: !cache8,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>, %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<per_head>,
       precision = #mla.precision<q = fp8x2, p = fp8>}
      : tensor<?x16x576xbf16>, !cache8, tensor<?xi32>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}
