// RUN: mla-opt %s --convert-mla-to-gpu=chip=gfx950 -split-input-file | FileCheck %s

// Kernels stand in the order of their launches, and each says how it is
// launched and with which buffers. The function they came from is gone.

// CHECK-NOT: func.func
// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: mla.problem = #mla.problem<heads = 16, page_size = 1, kv = f8E4M3FN, q = f8E4M3FN, out = bf16, q_mode = static, sm_scale = 1.250000e-01 : f32>
// CHECK-SAME: mla.shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>
// CHECK-SAME: mla.split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>
// CHECK-SAME: mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>
// CHECK-SAME: mla.workspace = [#mla.workspace<"q_quantized", total_q, 9216>, #mla.workspace<"partial_o", partials, 32768>, #mla.workspace<"partial_ml", partials, 128>]
// CHECK: gpu.func @mla_quantize({{.*}}) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: #mla.kernel<role = "quantize", grid = total_q, factor = 1, block = 256, args = [<"q", read>, <"q_quantized", write>, <"q_scale", read>]>
// CHECK: gpu.func @mla_attend({{.*}}) workgroup({{.*}}) kernel
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>
// CHECK-SAME: #mla.kernel<role = "attend", grid = workgroups, factor = 1, block = 256, args = [<"q_quantized", read>, <"cache", read>, <"kv_indices", read>, <"q_scale", read>, <"kv_scale", read>, <"work_indptr", read>, <"work_items", read>, <"out", write>, <"lse", write>, <"partial_o", write>, <"partial_ml", write>]>
// CHECK: gpu.func @mla_combine({{.*}}) kernel
// CHECK-SAME: #mla.kernel<role = "combine", grid = combine_items, factor = 16, block = 128, args = [<"partial_o", read>, <"partial_ml", read>, <"combine_items", read>, <"out", write>, <"lse", write>]>
// CHECK-NOT: gpu.func
func.func @static_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %q8 = mla.quantize %q scale(%qs) : tensor<?x16x576xbf16>, tensor<1xf32>
      -> tensor<?x16x576xf8E4M3FN>
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

// The scale is a buffer between kernels here.
// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: q_mode = dynamic
// CHECK-SAME: #mla.workspace<"q_amax", total_q, 4>, #mla.workspace<"q_scale", one, 4>
// CHECK: gpu.func @mla_amax
// CHECK-SAME: role = "amax", grid = total_q, factor = 1, block = 256, args = [<"q", read>, <"q_amax", write>]
// CHECK: gpu.func @mla_quantize
// CHECK-SAME: args = [<"q", read>, <"q_quantized", write>, <"q_scale", write>, <"q_amax", read>
// CHECK: gpu.func @mla_attend
// CHECK: gpu.func @mla_combine
func.func @dynamic_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %amax = mla.amax %q : tensor<?x16x576xbf16> -> tensor<?xf32>
  %q8, %qs = mla.quantize %q amax(%amax) : tensor<?x16x576xbf16>, tensor<?xf32>
      -> tensor<?x16x576xf8E4M3FN>, tensor<1xf32>
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

// Attention quantises Q: there is no kernel and no buffer for it.
// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: q_mode = per_head
// CHECK-NOT: "q_quantized"
// CHECK-NOT: gpu.func @mla_quantize
// CHECK: gpu.func @mla_attend
// CHECK-SAME: args = [<"q", read>, <"cache", read>, <"kv_indices", read>, <"kv_scale", read>, <"work_indptr", read>
// CHECK: gpu.func @mla_combine
func.func @scale_of_each_head(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

// Nothing has a scale; no shape was given.
// CHECK-LABEL: gpu.module @mla_kernels
// CHECK-SAME: page_size = 16, kv = bf16, q = bf16, out = f32, q_mode = none
// CHECK-NOT: mla.shape
// CHECK-NOT: _scale"
// CHECK: gpu.func @mla_attend
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>
// CHECK-SAME: args = [<"q", read>, <"cache", read>, <"kv_indices", read>, <"work_indptr", read>
// CHECK: gpu.func @mla_combine
func.func @bf16_of_two_waves(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 16>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> (tensor<?x16x512xf32>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 16 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 2, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 16>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xf32>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xf32>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xf32>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xf32>, tensor<?x16xf32>
}

// -----

// A module without decode stays as it is.
// CHECK-LABEL: func.func @nothing_to_do
// CHECK-NOT: gpu.module
func.func @nothing_to_do() { return }
