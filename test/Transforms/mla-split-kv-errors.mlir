// RUN: mla-opt %s --mla-split-kv=chip=gfx950 -split-input-file -verify-diagnostics

func.func @not_tiled(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @below {{has no tile yet; run mla-tile first}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// -----

func.func @schedule_from_outside(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>,
    %tables: !mla.schedule)
    -> tensor<?x16x512xbf16> {
  // expected-error @below {{takes its schedule from outside; there is no mla.schedule to write the split into}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>,
         tensor<?x16x512xf32>, tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}
