// RUN: mla-opt %s --mla-tile=chip=gfx950 | FileCheck %s --check-prefixes=CHECK,CHOSEN
// RUN: mla-opt %s --mla-tile="chip=gfx950 stages=0" | FileCheck %s --check-prefixes=CHECK,NONE
// RUN: mla-opt %s --mla-tile="chip=gfx950 waves=1" | FileCheck %s --check-prefixes=CHECK,ONE-WAVE

// As many stages as LDS has room for: a tile has 18432 bytes in either format.

!out = tensor<?x16x512xbf16>
!lse = tensor<?x16xf32>
!o = tensor<?x16x512xf32>
!ml = tensor<?x2x16xf32>

// CHECK-LABEL: func.func @fp8
// CHECK: mla.attend
// CHOSEN-SAME: tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>
// NONE-SAME: tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>
// ONE-WAVE-SAME: tile = #mla.tile<rows = 32, heads = 16, waves = 1, stages = 8>
func.func @fp8(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %qs: tensor<1xf32>, %ks: tensor<1xf32>) -> !out {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> !out, !lse, !o, !ml
  return %out : !out
}

// CHECK-LABEL: func.func @bf16
// CHECK: mla.attend
// CHOSEN-SAME: tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 2>
// NONE-SAME: tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>
// ONE-WAVE-SAME: tile = #mla.tile<rows = 16, heads = 16, waves = 1, stages = 8>
func.func @bf16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule) -> !out {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        !mla.schedule -> !out, !lse, !o, !ml
  return %out : !out
}
