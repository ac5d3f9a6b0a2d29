// RUN: mla-opt %s -split-input-file -verify-diagnostics

func.func @q_of_two_dimensions(%q: tensor<?x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{q must be total_q x heads x 576, got 'tensor<?x576xbf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @q_of_latent_only(%q: tensor<?x16x512xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{q must be total_q x heads x 576, got 'tensor<?x16x512xbf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x512xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @q_of_dynamic_heads(%q: tensor<?x?x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{q needs a static, positive number of heads, got 'tensor<?x?x576xbf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x?x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @q_of_no_heads(%q: tensor<?x0x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{q needs a static, positive number of heads, got 'tensor<?x0x576xbf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x0x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @q_of_f16(%q: tensor<?x16x576xf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{q must hold bf16, got 'tensor<?x16x576xf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @indptrs_of_different_batches(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<5xi32>,
    %kv: tensor<9xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{qo_indptr and kv_indptr must have the same length, got 5 and 9}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<5xi32>, tensor<9xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @last_page_len_of_another_batch(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<5xi32>, %indices: tensor<?xi32>, %last: tensor<5xi32>) {
  // expected-error @below {{kv_last_page_len has one entry a sequence, the indptrs one more; got 5 and 5}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<5xi32>, tensor<?xi32>, tensor<5xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @fp8_cache_without_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{an fp8 cache needs kv_scale}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<dynamic>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @bf16_cache_with_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) {
  // expected-error @below {{a bf16 cache takes no kv_scale}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @kv_scale_for_each_token(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<4xf32>) {
  // expected-error @below {{kv_scale must be one f32 (tensor<1xf32>), got 'tensor<4xf32>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<dynamic>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<4xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @q_scale_for_each_token(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<4xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{q_scale must be one f32 (tensor<1xf32>), got 'tensor<4xf32>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<static>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<4xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @sm_scale_of_zero(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{sm_scale must be finite and positive, got 0.000000e+00}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.0 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @sm_scale_negative(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{sm_scale must be finite and positive, got -1.250000e-01}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = -0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @sm_scale_infinite(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{sm_scale must be finite and positive, got INF}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0x7F800000 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @fp8_cache_and_q_left_alone(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) {
  // expected-error @below {{q_mode none does not go with a cache of 'f8E4M3FN': Q takes the cache's type, so fp8 wants static, dynamic or per_head and bf16 wants none}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @bf16_cache_and_q_quantised(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{q_mode dynamic does not go with a cache of 'bf16': Q takes the cache's type, so fp8 wants static, dynamic or per_head and bf16 wants none}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<dynamic>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @static_without_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) {
  // expected-error @below {{q_mode static needs q_scale}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<static>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @dynamic_with_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{q_mode dynamic takes no q_scale}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<dynamic>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @none_with_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>) {
  // expected-error @below {{q_mode none takes no q_scale}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @out_of_other_heads(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{out must be total_q x heads x 512, got 'tensor<?x32x512xbf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x32x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @out_of_whole_rows(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{out must be total_q x heads x 512, got 'tensor<?x16x576xbf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x576xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @out_of_dynamic_heads(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{out needs a static, positive number of heads, got 'tensor<?x?x512xbf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x?x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @out_of_f16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{out must hold bf16 or f32, got 'tensor<?x16x512xf16>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xf16>, tensor<?x16xf32>
  return
}

// -----

func.func @lse_of_other_heads(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{lse must be total_q x heads, got 'tensor<?x8xf32>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x8xf32>
  return
}

// -----

func.func @lse_of_other_tokens(%q: tensor<4x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{lse must be total_q x heads, got 'tensor<5x16xf32>'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<4x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<5x16xf32>
  return
}

// -----

func.func @per_head_with_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{q_mode per_head takes no q_scale}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<per_head>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @fp8_cache_and_p_in_bf16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) {
  // expected-error @below {{precision bf16 does not go with a cache of 'f8E4M3FN'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<dynamic>, precision = #mla.precision<q = fp8, p = bf16>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @bf16_cache_and_q_in_fp8(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>) {
  // expected-error @below {{precision fp8 does not go with a cache of 'bf16'}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>, precision = #mla.precision<q = fp8, p = bf16>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}
