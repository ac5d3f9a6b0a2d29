// RUN: mla-opt %s --mla-tile=chip=gfx942 -split-input-file | FileCheck %s --check-prefixes=CHECK,FOUR
// RUN: mla-opt %s --mla-tile="chip=gfx942 waves=2" -split-input-file | FileCheck %s --check-prefixes=CHECK,TWO

// A tile of probabilities fills one operand: 32 tokens of fp8, 16 of bf16. The
// waves are one for each SIMD unless said otherwise. LDS of this chip does not
// turn matrices, so tiles come through registers.

// CHECK-LABEL: func.func @fp8
// CHECK: mla.attend
// FOUR-SAME: tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>
// TWO-SAME: tile = #mla.tile<rows = 32, heads = 16, waves = 2, stages = 0>
func.func @fp8(%q: tensor<?x16x576xf8E4M3FNUZ>,
    %cache: !mla.cache<f8E4M3FNUZ, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> tensor<?x16x512xbf16> {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FNUZ>, !mla.cache<f8E4M3FNUZ, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// -----

// CHECK-LABEL: func.func @bf16
// CHECK: mla.attend
// FOUR-SAME: tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>
// TWO-SAME: tile = #mla.tile<rows = 16, heads = 16, waves = 2, stages = 0>
func.func @bf16(%q: tensor<?x128x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule) -> tensor<?x128x512xbf16> {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x128x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        !mla.schedule
      -> tensor<?x128x512xbf16>, tensor<?x128xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x128x512xbf16>
}

// -----

// A tile chosen before is chosen again.
// CHECK-LABEL: func.func @tiled_before
// CHECK: mla.attend
// FOUR-SAME: tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>
// TWO-SAME: tile = #mla.tile<rows = 16, heads = 16, waves = 2, stages = 0>
func.func @tiled_before(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule) -> tensor<?x16x512xbf16> {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 64, heads = 16, waves = 1, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}
