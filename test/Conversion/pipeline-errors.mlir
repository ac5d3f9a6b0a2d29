// RUN: not mla-opt %s --mla-to-amdgpu 2>&1 | FileCheck %s --check-prefix=NO-CHIP
// RUN: not mla-opt %s --mla-to-amdgpu=chip=gfx90a 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mla-opt %s --mla-to-amdgpu=chip=gfx942 2>&1 | FileCheck %s --check-prefix=FNUZ
// RUN: not mla-opt %s --mla-to-amdgpu="chip=gfx950 rows=40" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not mla-opt %s --mla-to-amdgpu="chip=gfx950 fuse=false q-precision=fp8x2" 2>&1 | FileCheck %s --check-prefix=Q
// RUN: not mla-opt %s --mla-to-amdgpu="chip=gfx950 p-precision=fp16" 2>&1 | FileCheck %s --check-prefix=P

// NO-CHIP: error: unknown chip ''; known are gfx942, gfx950
// UNKNOWN: error: unknown chip 'gfx90a'; known are gfx942, gfx950
// FNUZ: error: 'mla.attend' op holds its cache in 'f8E4M3FN', but gfx942 takes bf16 and 'f8E4M3FNUZ'
// ROWS: error: 'mla.attend' op shares must be a multiple of the tile's 32 rows, got 40
// Q: error: 'mla.attend' op precision fp8x2 of Q needs a bf16 q; an fp8 q has lost its second term
// P: error: unknown precision 'fp16'; known are fp8, fp8x2 and bf16
func.func @fp8_static_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) kv_scale(%ks)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<static>,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}
