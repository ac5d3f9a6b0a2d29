// RUN: mla-opt %s --mla-to-amdgpu="chip=gfx950" | FileCheck %s --check-prefixes=CHECK,CHOSEN
// RUN: mla-opt %s --mla-to-amdgpu="chip=gfx950 rows=96 workgroups=7" | FileCheck %s --check-prefixes=CHECK,FORCED
// RUN: mla-opt %s --mla-to-amdgpu="chip=gfx950 p-precision=fp8 q-precision=fp8" | FileCheck %s --check-prefixes=CHECK,SINGLE
// RUN: mla-opt %s --mla-to-amdgpu="chip=gfx950 fuse=false p-precision=fp8" | FileCheck %s --check-prefixes=CHECK,UNFUSED

// CHECK-LABEL: gpu.module @mla_kernels
// CHOSEN-SAME: mla.precision = #mla.precision<q = fp8x2, p = fp8x2>
// CHOSEN-SAME: mla.split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>
// CHOSEN-NOT: llvm.func @mla_quantize
// CHOSEN: llvm.func @mla_attend
// CHOSEN: rocdl.cvt.pk.f32.fp8
// CHOSEN-NOT: llvm.func @mla_combine

// FORCED-SAME: mla.split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>

// Nothing is rounded back to find a second term.
// SINGLE-SAME: mla.precision = #mla.precision<q = fp8, p = fp8>
// SINGLE: llvm.func @mla_attend
// SINGLE: rocdl.cvt.pk.fp8.f32
// SINGLE-NOT: rocdl.cvt.pk.f32.fp8

// UNFUSED-SAME: mla.precision = #mla.precision<q = fp8, p = fp8>
// UNFUSED: llvm.func @mla_quantize
// UNFUSED: llvm.func @mla_attend
// UNFUSED: llvm.func @mla_combine
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
