// RUN: not mla-opt %s --mla-choose-precision=chip=gfx1200 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not mla-opt %s --mla-choose-precision=chip=gfx942 2>&1 | FileCheck %s --check-prefix=FNUZ
// RUN: not mla-opt %s --mla-choose-precision="chip=gfx950 q=fp4" 2>&1 | FileCheck %s --check-prefix=UNKNOWN-Q
// RUN: not mla-opt %s --mla-choose-precision="chip=gfx950 p=int8" 2>&1 | FileCheck %s --check-prefix=UNKNOWN-P
// RUN: not mla-opt %s --mla-choose-precision="chip=gfx950 q=fp8x2" 2>&1 | FileCheck %s --check-prefix=FP8-Q
// RUN: not mla-opt %s --mla-choose-precision="chip=gfx950 p=bf16" 2>&1 | FileCheck %s --check-prefix=BF16-P

// CHIP: error: unknown chip 'gfx1200'; known are gfx942, gfx950
// FNUZ: error: 'mla.attend' op holds its cache in 'f8E4M3FN', but gfx942 takes bf16 and 'f8E4M3FNUZ'
// UNKNOWN-Q: error: unknown precision 'fp4'; known are fp8, fp8x2 and bf16
// UNKNOWN-P: error: unknown precision 'int8'; known are fp8, fp8x2 and bf16
// FP8-Q: error: 'mla.attend' op precision fp8x2 of Q needs a bf16 q; an fp8 q has lost its second term
// BF16-P: error: 'mla.attend' op precision bf16 does not go with a cache of 'f8E4M3FN'
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
