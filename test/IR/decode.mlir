// RUN: mla-opt %s | mla-opt | FileCheck %s

// CHECK-LABEL: func.func @bf16
// CHECK: %{{.*}}, %{{.*}} = mla.decode %{{.*}}, %{{.*}} queries(%{{.*}}) pages(%{{.*}}, %{{.*}}, %{{.*}}) {q_mode = #mla.q_mode<none>, sm_scale = 0.0416666679 : f32}
// CHECK-SAME: : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 16>,
// CHECK-SAME: -> tensor<?x16x512xbf16>, tensor<?x16xf32>
func.func @bf16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 16>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 16>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out, %lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// CHECK-LABEL: func.func @fp8_static_scale
// CHECK: mla.decode {{.*}} q_scale(%{{.*}}) kv_scale(%{{.*}}) {q_mode = #mla.q_mode<static>
// CHECK-SAME: shape = #mla.shape<batch = 64, kv = 8192, q_len = 1>
func.func @fp8_static_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) kv_scale(%ks)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<static>,
       shape = #mla.shape<batch = 64, kv = 8192, q_len = 1>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>, tensor<1xf32> -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// CHECK-LABEL: func.func @fp8_dynamic_scale
// CHECK: mla.decode
// CHECK-NOT: q_scale(
// CHECK-SAME: kv_scale(%{{.*}}) {q_mode = #mla.q_mode<dynamic>
func.func @fp8_dynamic_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FNUZ, page_size = 64>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks) {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<dynamic>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FNUZ, page_size = 64>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32> -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// CHECK-LABEL: func.func @static_sizes_and_f32_output
// CHECK: mla.decode
// CHECK-SAME: tensor<4x128x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<5xi32>, tensor<5xi32>, tensor<100xi32>, tensor<4xi32>
// CHECK-SAME: -> tensor<4x128x512xf32>, tensor<4x128xf32>
func.func @static_sizes_and_f32_output(%q: tensor<4x128x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<5xi32>,
    %kv: tensor<5xi32>, %indices: tensor<100xi32>, %last: tensor<4xi32>)
    -> tensor<4x128x512xf32> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 1.0 : f32, q_mode = #mla.q_mode<none>}
      : tensor<4x128x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<5xi32>,
        tensor<5xi32>, tensor<100xi32>, tensor<4xi32>
      -> tensor<4x128x512xf32>, tensor<4x128xf32>
  return %out : tensor<4x128x512xf32>
}

// CHECK-LABEL: func.func @scale_of_each_head
// CHECK: mla.decode
// CHECK-SAME: precision = #mla.precision<q = fp8x2, p = fp8x2>, q_mode = #mla.q_mode<per_head>
func.func @scale_of_each_head(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 64>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<per_head>,
       precision = #mla.precision<q = fp8x2, p = fp8x2>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 64>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32> -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}
