// RUN: mla-opt %s -split-input-file -verify-diagnostics

func.func @q_of_latent_only(%q: tensor<?x16x512xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{q must be total_q x heads x 576, got 'tensor<?x16x512xbf16>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x512xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @q_of_dynamic_heads(%q: tensor<?x?x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{q needs a static, positive number of heads, got 'tensor<?x?x576xbf16>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x?x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @q_of_the_other_fp8(%q: tensor<?x16x576xf8E4M3FNUZ>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{q must hold the cache's element type 'f8E4M3FN' or bf16, got 'tensor<?x16x576xf8E4M3FNUZ>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FNUZ>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @fp8_q_without_scale(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %ks: tensor<1xf32>) {
  // expected-error @below {{an fp8 q needs q_scale}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @bf16_cache_with_q_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<1xf32>) {
  // expected-error @below {{a bf16 cache takes no q_scale}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @q_scale_for_each_token(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<4xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{q_scale must be one f32 (tensor<1xf32>), got 'tensor<4xf32>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<4xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @fp8_cache_without_scale(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<1xf32>) {
  // expected-error @below {{an fp8 cache needs kv_scale}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @bf16_cache_with_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %ks: tensor<1xf32>) {
  // expected-error @below {{a bf16 cache takes no kv_scale}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @sm_scale_of_nan(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{sm_scale must be finite and positive, got nan}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0x7FC00000 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @partial_o_of_whole_rows(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{partial_o must be partials x 16 x 512, got 'tensor<?x16x576xf32>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x576xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @partial_ml_without_sums(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{partial_ml must be partials x 2 x 16, got 'tensor<?x16xf32>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x16xf32>
  return
}

// -----

func.func @out_of_other_tokens(%q: tensor<4x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{out must be total_q x heads x 512, got 'tensor<5x16x512xbf16>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<4x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<5x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @out_of_dynamic_heads(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{out needs a static, positive number of heads, got 'tensor<?x?x512xbf16>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x?x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @out_of_fp8(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{out must hold bf16 or f32, got 'tensor<?x16x512xf8E4M3FN>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xf8E4M3FN>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @lse_of_other_heads(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule) {
  // expected-error @below {{lse must be total_q x heads, got 'tensor<?x8xf32>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x8xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @fp8_q_and_bf16_cache(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<1xf32>) {
  // expected-error @below {{q must hold the cache's element type 'bf16', got 'tensor<?x16x576xf8E4M3FN>'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @two_terms_of_an_fp8_q(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{precision fp8x2 of Q needs a bf16 q; an fp8 q has lost its second term}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8x2, p = fp8>}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}

// -----

func.func @fp8_cache_and_p_in_bf16(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>, %schedule: !mla.schedule,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) {
  // expected-error @below {{precision bf16 does not go with a cache of 'f8E4M3FN'}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = bf16>}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return
}
