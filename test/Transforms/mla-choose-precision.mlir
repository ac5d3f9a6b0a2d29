// RUN: mla-opt %s --mla-choose-precision=chip=gfx950 | FileCheck %s --check-prefixes=CHECK,CHOSEN
// RUN: mla-opt %s --mla-choose-precision="chip=gfx950 p=fp8" | FileCheck %s --check-prefixes=CHECK,FORCED-P

!cache = !mla.cache<f8E4M3FN, page_size = 1>
!out = tensor<?x16x512xbf16>
!lse = tensor<?x16xf32>
!o = tensor<?x16x512xf32>
!ml = tensor<?x2x16xf32>

// Memory is slow enough for two terms of both.
// CHECK-LABEL: func.func @q_quantised_in_attention
// CHECK: mla.attend
// CHOSEN-SAME: precision = #mla.precision<q = fp8x2, p = fp8x2>
// FORCED-P-SAME: precision = #mla.precision<q = fp8x2, p = fp8>
func.func @q_quantised_in_attention(%q: tensor<?x16x576xbf16>, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule, %ks: tensor<1xf32>)
    -> !out {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !cache, tensor<?xi32>, !mla.schedule,
        tensor<1xf32> -> !out, !lse, !o, !ml
  return %out : !out
}

// A Q that comes in fp8 has lost its second term.
// CHECK-LABEL: func.func @q_quantised_before
// CHECK: mla.attend
// CHOSEN-SAME: precision = #mla.precision<q = fp8, p = fp8x2>
// FORCED-P-SAME: precision = #mla.precision<q = fp8, p = fp8>
func.func @q_quantised_before(%q: tensor<?x16x576xf8E4M3FN>, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule, %qs: tensor<1xf32>,
    %ks: tensor<1xf32>) -> !out {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !cache, tensor<?xi32>, !mla.schedule,
        tensor<1xf32>, tensor<1xf32> -> !out, !lse, !o, !ml
  return %out : !out
}

// CHECK-LABEL: func.func @chosen_before
// CHECK: mla.attend
// CHECK-SAME: precision = #mla.precision<q = fp8, p = fp8x2>
func.func @chosen_before(%q: tensor<?x16x576xbf16>, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule, %ks: tensor<1xf32>)
    -> !out {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      kv_scale(%ks)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8x2>}
      : tensor<?x16x576xbf16>, !cache, tensor<?xi32>, !mla.schedule,
        tensor<1xf32> -> !out, !lse, !o, !ml
  return %out : !out
}
