// RUN: mla-opt %s --mla-fuse-quantize | FileCheck %s

!cache = !mla.cache<f8E4M3FN, page_size = 1>
!q16 = tensor<?x16x576xbf16>
!q8 = tensor<?x16x576xf8E4M3FN>

// CHECK-LABEL: func.func @scale_given(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<?x16x576xbf16>, {{.*}} %[[QS:[a-z0-9]*]]: tensor<1xf32>, %[[KS:[a-z0-9]*]]: tensor<1xf32>)
// CHECK-NOT: mla.quantize
// CHECK: mla.attend %[[Q]], {{.*}} q_scale(%[[QS]]) kv_scale(%[[KS]])
func.func @scale_given(%q: !q16, %cache: !cache, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> tensor<?x16x512xbf16> {
  %q8 = mla.quantize %q scale(%qs) : !q16, tensor<1xf32> -> !q8
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : !q8, !cache, tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// A scale of the whole tensor has to be known before the first row is rounded.
// CHECK-LABEL: func.func @scale_found_stays(
// CHECK: %[[Q8:.*]], %[[QS:.*]] = mla.quantize %{{.*}} amax(
// CHECK: mla.attend %[[Q8]], {{.*}} q_scale(%[[QS]])
func.func @scale_found_stays(%q: !q16, %cache: !cache, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %amax = mla.amax %q : !q16 -> tensor<?xf32>
  %q8, %qs = mla.quantize %q amax(%amax) : !q16, tensor<?xf32>
      -> !q8, tensor<1xf32>
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : !q8, !cache, tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// Attention multiplies another scale back than Q was divided by: quantising
// with its own scale would change the result.
// CHECK-LABEL: func.func @another_scale_stays(
// CHECK: %[[Q8:.*]] = mla.quantize
// CHECK: mla.attend %[[Q8]],
func.func @another_scale_stays(%q: !q16, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule, %qs: tensor<1xf32>,
    %other: tensor<1xf32>, %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %q8 = mla.quantize %q scale(%qs) : !q16, tensor<1xf32> -> !q8
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%schedule)
      q_scale(%other) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : !q8, !cache, tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// CHECK-LABEL: func.func @quantised_q_used_elsewhere(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<?x16x576xbf16>
// CHECK: %[[Q8:.*]] = mla.quantize %[[Q]]
// CHECK: mla.attend %[[Q]],
// CHECK: return %{{.*}}, %[[Q8]]
func.func @quantised_q_used_elsewhere(%q: !q16, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule, %qs: tensor<1xf32>,
    %ks: tensor<1xf32>) -> (tensor<?x16x512xbf16>, !q8) {
  %q8 = mla.quantize %q scale(%qs) : !q16, tensor<1xf32> -> !q8
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : !q8, !cache, tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out, %q8 : tensor<?x16x512xbf16>, !q8
}
