// RUN: mla-opt %s --mla-to-amdgpu="chip=gfx950" -split-input-file 2>&1 | FileCheck %s --check-prefixes=CHECK,FUSED --implicit-check-not='{{error:|unrealized_conversion_cast|= mla\.|gpu\.func|memref\.|scf\.| vector\.}}'
// RUN: sed s/f8E4M3FN/f8E4M3FNUZ/g %s | mla-opt --mla-to-amdgpu="chip=gfx942" -split-input-file 2>&1 | FileCheck %s --check-prefixes=CHECK,FUSED --implicit-check-not='{{error:|unrealized_conversion_cast|= mla\.|gpu\.func|memref\.|scf\.| vector\.}}'
// RUN: mla-opt %s --mla-to-amdgpu="chip=gfx950 fuse=false" -split-input-file 2>&1 | FileCheck %s --check-prefixes=CHECK,UNFUSED --implicit-check-not='{{error:|unrealized_conversion_cast|= mla\.|gpu\.func|memref\.|scf\.| vector\.}}'
// RUN: sed s/f8E4M3FN/f8E4M3FNUZ/g %s | mla-opt --mla-to-amdgpu="chip=gfx942 fuse=false" -split-input-file 2>&1 | FileCheck %s --check-prefixes=CHECK,UNFUSED --implicit-check-not='{{error:|unrealized_conversion_cast|= mla\.|gpu\.func|memref\.|scf\.| vector\.}}'

// From the problem to llvm and rocdl alone: nothing of mla is left but what the
// bundle has to know, and no cast is open (see the implicit checks above). One
// launch does it all unless told otherwise.

// CHECK-LABEL: gpu.module @mla_kernels
// FUSED-SAME: mla.precision = #mla.precision<q = fp8x2, p = fp8x2>
// UNFUSED-SAME: mla.precision = #mla.precision<q = fp8, p = fp8x2>
// CHECK-SAME: mla.problem = #mla.problem<
// CHECK-SAME: q_mode = static
// FUSED-NOT: llvm.func @mla_quantize(
// UNFUSED: llvm.func @mla_quantize(
// UNFUSED-SAME: !llvm.ptr<1> {llvm.noalias, llvm.readonly}
// UNFUSED-SAME: mla.kernel = #mla.kernel<role = "quantize"
// UNFUSED-SAME: rocdl.kernel
// UNFUSED: rocdl.cvt.pk.fp8.f32
// UNFUSED: llvm.return
// CHECK: llvm.func @mla_attend(
// CHECK-SAME: mla.kernel = #mla.kernel<role = "attend"
// FUSED-SAME: args = [<"q", read>, {{.*}}, <"combine_items", read>, <"tickets", read_write>]
// UNFUSED-SAME: args = [<"q_quantized", read>, {{.*}}, <"partial_o", write>, <"partial_ml", write>]
// CHECK-SAME: rocdl.flat_work_group_size = "256,256", rocdl.kernel
// FUSED: rocdl.cvt.pk.fp8.f32
// Rows are found in 64 bits.
// CHECK: llvm.intr.{{[us]min}}(
// CHECK: %[[ID:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK: llvm.zext %[[ID]] : i32 to i64
// CHECK: rocdl.mfma.f32.16x16x32.fp8.fp8
// CHECK: rocdl.exp2
// CHECK: rocdl.ballot
// CHECK: rocdl.mfma.f32.16x16x32.fp8.fp8
// FUSED: llvm.atomicrmw add
// UNFUSED-NOT: llvm.atomicrmw
// UNFUSED: llvm.func @mla_combine(
// UNFUSED-SAME: rocdl.flat_work_group_size = "128,128"
// CHECK: llvm.return
// CHECK-NOT: llvm.func @mla_
// CHECK-NOT: func.func
func.func @fp8_static_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 16>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      q_scale(%qs) kv_scale(%ks)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<static>,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 16>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// -----

// The scale of a whole tensor is found before any of it is quantised.
// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: q_mode = dynamic
// CHECK: llvm.func @mla_amax(
// CHECK: llvm.intr.fabs
// CHECK: rocdl.barrier
// CHECK: llvm.func @mla_quantize(
// CHECK-SAME: args = [<"q", read>, <"q_quantized", write>, <"q_scale", write>, <"q_amax", read>
// CHECK: llvm.func @mla_attend(
// FUSED-NOT: llvm.func @mla_combine(
// UNFUSED: llvm.func @mla_combine(
// CHECK: llvm.return
func.func @fp8_dynamic_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<dynamic>,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// -----

// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: q_mode = per_head
// CHECK-NOT: llvm.func @mla_quantize(
// CHECK: llvm.func @mla_attend(
// CHECK: rocdl.cvt.pk.fp8.f32
// FUSED-NOT: llvm.func @mla_combine(
// UNFUSED: llvm.func @mla_combine(
// CHECK: llvm.return
func.func @fp8_scale_of_each_head(%q: tensor<?x40x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>) -> tensor<?x40x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      kv_scale(%ks)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<per_head>,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>}
      : tensor<?x40x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>,
        tensor<1xf32>
      -> tensor<?x40x512xbf16>, tensor<?x40xf32>
  return %out : tensor<?x40x512xbf16>
}

// -----

// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: q_mode = none
// CHECK: llvm.func @mla_attend(
// CHECK: rocdl.mfma.f32.16x16x16bf16.1k
// FUSED-NOT: llvm.func @mla_combine(
// UNFUSED: llvm.func @mla_combine(
// CHECK: llvm.return
func.func @bf16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 64>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>) -> tensor<?x16x512xbf16> {
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.0416666679 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 64>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}
