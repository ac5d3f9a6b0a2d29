// RUN: not mla-opt %s --mla-split-kv=chip=gfx1100 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not mla-opt %s --mla-split-kv="chip=gfx950 rows=48" 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not mla-opt %s --mla-split-kv="chip=gfx950 rows=-32" 2>&1 | FileCheck %s --check-prefix=NEGATIVE-ROWS
// RUN: not mla-opt %s --mla-split-kv="chip=gfx950 workgroups=-1" 2>&1 | FileCheck %s --check-prefix=WORKGROUPS

// UNKNOWN: error: unknown chip 'gfx1100'; known are gfx942, gfx950
// ROWS: error: 'mla.attend' op shares must be a multiple of the tile's 32 rows, got 48
// NEGATIVE-ROWS: error: 'mla.attend' op a split's rows must be positive, got -32
// WORKGROUPS: error: 'mla.attend' op a split's workgroups must be 0 (as many as are resident) or positive, got -1
func.func @tiled(%q: tensor<?x16x576xbf16>,
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
