// RUN: mla-opt %s | mla-opt | FileCheck %s

// CHECK-LABEL: @q_modes
// CHECK-SAME: #mla.q_mode<none>, #mla.q_mode<static>, #mla.q_mode<dynamic>, #mla.q_mode<per_head>
func.func private @q_modes() attributes {
  test.attrs = [#mla.q_mode<none>, #mla.q_mode<static>, #mla.q_mode<dynamic>,
                #mla.q_mode<per_head>]}

// CHECK-LABEL: @precisions
// CHECK-SAME: #mla.precision<q = fp8, p = fp8x2>, #mla.precision<q = bf16, p = bf16>
func.func private @precisions() attributes {
  test.attrs = [#mla.precision<q = fp8, p = fp8x2>,
                #mla.precision<q = bf16, p = bf16>]}

// An empty cache is a shape too.
// CHECK-LABEL: @shapes
// CHECK-SAME: #mla.shape<batch = 64, kv = 8192, q_len = 1>
// CHECK-SAME: #mla.shape<batch = 1, kv = 0, q_len = 4>
func.func private @shapes() attributes {
  test.attrs = [#mla.shape<batch = 64, kv = 8192, q_len = 1>,
                #mla.shape<batch = 1, kv = 0, q_len = 4>]}

// CHECK-LABEL: @tiles
// CHECK-SAME: #mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>
// CHECK-SAME: #mla.tile<rows = 16, heads = 16, waves = 1, stages = 0>
func.func private @tiles() attributes {
  test.attrs = [#mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>,
                #mla.tile<rows = 16, heads = 16, waves = 1, stages = 0>]}

// CHECK-LABEL: @splits
// CHECK-SAME: #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
// CHECK-SAME: #mla.split<rows = 1, workgroups = 7, per_compute_unit = 2>
func.func private @splits() attributes {
  test.attrs = [#mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>,
                #mla.split<rows = 1, workgroups = 7, per_compute_unit = 2>]}

// CHECK-LABEL: @buffers
// CHECK-SAME: #mla.buffer<"q", read>, #mla.buffer<"out", write>, #mla.buffer<"tickets", read_write>
func.func private @buffers() attributes {
  test.attrs = [#mla.buffer<"q", read>, #mla.buffer<"out", write>,
                #mla.buffer<"tickets", read_write>]}

// CHECK-LABEL: @kernel
// CHECK-SAME: #mla.kernel<role = "combine", grid = combine_items, factor = 16, block = 128, args = [<"partial_o", read>, <"out", write>]>
func.func private @kernel() attributes {
  mla.kernel = #mla.kernel<role = "combine", grid = combine_items, factor = 16,
                           block = 128,
                           args = [<"partial_o", read>, <"out", write>]>}

// CHECK-LABEL: @workspace_of_each_extent
// CHECK-SAME: #mla.workspace<"a", one, 4>, #mla.workspace<"b", total_q, 9216>
// CHECK-SAME: #mla.workspace<"c", workgroups, 64>
// CHECK-SAME: #mla.workspace<"d", combine_items, 8>
// CHECK-SAME: #mla.workspace<"e", partials, 32768>
func.func private @workspace_of_each_extent() attributes {
  mla.workspace = [#mla.workspace<"a", one, 4>,
                   #mla.workspace<"b", total_q, 9216>,
                   #mla.workspace<"c", workgroups, 64>,
                   #mla.workspace<"d", combine_items, 8>,
                   #mla.workspace<"e", partials, 32768>]}

// CHECK-LABEL: @problem
// CHECK-SAME: #mla.problem<heads = 128, page_size = 16, kv = f8E4M3FNUZ, q = f8E4M3FNUZ, out = bf16, q_mode = dynamic, sm_scale = 1.250000e-01 : f32>
func.func private @problem() attributes {
  mla.problem = #mla.problem<heads = 128, page_size = 16, kv = f8E4M3FNUZ,
                             q = f8E4M3FNUZ, out = bf16, q_mode = dynamic,
                             sm_scale = 0.125 : f32>}
