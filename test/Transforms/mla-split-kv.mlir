// RUN: mla-opt %s --mla-split-kv=chip=gfx942 | FileCheck %s --check-prefixes=CHECK,CHOSEN,GFX942
// RUN: mla-opt %s --mla-split-kv=chip=gfx950 | FileCheck %s --check-prefixes=CHECK,CHOSEN,GFX950
// RUN: mla-opt %s --mla-split-kv="chip=gfx950 rows=96 workgroups=7" | FileCheck %s --check-prefixes=CHECK,FORCED

// Shares are as large as they can be while every compute unit still gets one:
// gfx942 has 304 of them, gfx950 256.

// CHECK-LABEL: func.func @no_shape_takes_whole_workgroup_tiles
// CHECK: = mla.schedule
// CHOSEN-SAME: split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @no_shape_takes_whole_workgroup_tiles(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// CHECK-LABEL: func.func @plenty_of_rows
// CHECK: = mla.schedule
// CHOSEN-SAME: split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @plenty_of_rows(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 64, kv = 8192, q_len = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// 32 × 1024 rows are 256 shares of 128 rows.
// CHECK-LABEL: func.func @shares_of_half_a_workgroup_tile
// CHECK: = mla.schedule
// GFX942-SAME: split = #mla.split<rows = 64, workgroups = 0, per_compute_unit = 1>
// GFX950-SAME: split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @shares_of_half_a_workgroup_tile(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 32, kv = 1024, q_len = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// 4 × 1024 rows are 128 shares of 32 rows: as small as it gets.
// CHECK-LABEL: func.func @shares_of_one_wave_tile
// CHECK: = mla.schedule
// CHOSEN-SAME: split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @shares_of_one_wave_tile(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// CHECK-LABEL: func.func @more_queries_are_more_blocks
// CHECK: = mla.schedule
// GFX942-SAME: split = #mla.split<rows = 64, workgroups = 0, per_compute_unit = 1>
// GFX950-SAME: split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @more_queries_are_more_blocks(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 8, kv = 1024, q_len = 4>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// 17 heads are two groups.
// CHECK-LABEL: func.func @more_head_groups_are_more_blocks
// CHECK: = mla.schedule
// GFX942-SAME: split = #mla.split<rows = 64, workgroups = 0, per_compute_unit = 1>
// GFX950-SAME: split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @more_head_groups_are_more_blocks(%q: tensor<?x17x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x17x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 17 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 16, kv = 1024, q_len = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x17x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x17x512xbf16>, tensor<?x17xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x17x512xbf16>
}

// 257 rows are 9 shares of 32 rows, 5 of 64 and 3 of 128.
// CHECK-LABEL: func.func @rows_that_fill_no_share
// CHECK: = mla.schedule
// CHOSEN-SAME: split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @rows_that_fill_no_share(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 30, kv = 257, q_len = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// CHECK-LABEL: func.func @no_rows_at_all
// CHECK: = mla.schedule
// CHOSEN-SAME: split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>
// FORCED-SAME: split = #mla.split<rows = 96, workgroups = 7, per_compute_unit = 1>
func.func @no_rows_at_all(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 256, kv = 0, q_len = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// CHECK-LABEL: func.func @one_wave_has_no_smaller_share
// CHECK: = mla.schedule
// CHOSEN-SAME: split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>
func.func @one_wave_has_no_smaller_share(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64, shape = #mla.shape<batch = 1, kv = 16, q_len = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 16, heads = 16, waves = 1, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}
