// RUN: not mla-opt %s --mla-tile 2>&1 | FileCheck %s --check-prefix=NO-CHIP
// RUN: not mla-opt %s --mla-tile=chip=gfx90a 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mla-opt %s --mla-tile=chip=gfx942 2>&1 | FileCheck %s --check-prefix=FNUZ
// RUN: not mla-opt %s --mla-tile="chip=gfx950 waves=3" 2>&1 | FileCheck %s --check-prefix=WAVES
// RUN: not mla-opt %s --mla-tile="chip=gfx950 waves=-4" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not mla-opt %s --mla-tile="chip=gfx950 stages=1" 2>&1 | FileCheck %s --check-prefix=ONE-STAGE
// RUN: not mla-opt %s --mla-tile="chip=gfx950 stages=3" 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: sed s/f8E4M3FN/f8E4M3FNUZ/g %s | not mla-opt --mla-tile="chip=gfx942 waves=1 stages=2" 2>&1 | FileCheck %s --check-prefix=STAGED
// RUN: sed s/f8E4M3FN/f8E4M3FNUZ/g %s | not mla-opt --mla-tile=chip=gfx950 2>&1 | FileCheck %s --check-prefix=FN

// NO-CHIP: error: unknown chip ''; known are gfx942, gfx950
// UNKNOWN: error: unknown chip 'gfx90a'; known are gfx942, gfx950
// FNUZ: error: 'mla.attend' op holds its cache in 'f8E4M3FN', but gfx942 takes bf16 and 'f8E4M3FNUZ'
// FN: error: 'mla.attend' op holds its cache in 'f8E4M3FNUZ', but gfx950 takes bf16 and 'f8E4M3FN'
// WAVES: error: 'mla.attend' op a tile has 1, 2 or 4 waves, got 3
// NEGATIVE: error: 'mla.attend' op a tile has 1, 2 or 4 waves, got -4
// ONE-STAGE: error: 'mla.attend' op a tile has no stages or at least 2, got 1
// ROOM: error: 'mla.attend' op needs 221184 bytes of LDS for 3 stages, but gfx950 has room for 159744
// STAGED: error: 'mla.attend' op cannot be staged in LDS: gfx942 loads 4 bytes a lane into LDS and does not turn matrices there
func.func @fp8(%q: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> tensor<?x16x512xbf16> {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}
