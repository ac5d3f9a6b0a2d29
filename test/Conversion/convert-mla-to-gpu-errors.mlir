// RUN: mla-opt %s --convert-mla-to-gpu=chip=gfx950 -split-input-file -verify-diagnostics
// RUN: not mla-opt %s --convert-mla-to-gpu=chip=gfx900 -split-input-file 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: error: unknown chip 'gfx900'; known are gfx942, gfx950

func.func @not_decomposed(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> tensor<?x16x512xbf16> {
  // expected-error @below {{is still whole; run mla-decompose first}}
  %out, %lse = mla.decode %q, %cache queries(%qo) pages(%kv, %indices, %last)
      {sm_scale = 0.125 : f32, q_mode = #mla.q_mode<none>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %out : tensor<?x16x512xbf16>
}

// -----

func.func @partials_not_combined(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @below {{leaves partials that no mla.combine in sight combines}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out, %lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

func.func @schedule_from_outside(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>,
    %tables: !mla.schedule)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  // expected-error @below {{needs its mla.schedule in sight}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

func.func @combined_with_another_schedule(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %others = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  // expected-error @below {{combines by another schedule than its mla.attend's}}
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%others)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

func.func @quantised_q_from_outside(%q8: tensor<?x16x576xf8E4M3FN>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @below {{takes a quantised Q that no mla.quantize in sight has made}}
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

func.func @maxima_from_outside(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>, %amax: tensor<?xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @below {{takes maxima that no mla.amax in sight has found}}
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

func.func @another_given_scale(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %other: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %q8 = mla.quantize %q scale(%qs) : tensor<?x16x576xbf16>, tensor<1xf32>
      -> tensor<?x16x576xf8E4M3FN>
  // expected-error @below {{must take the scale that its Q was quantised with}}
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%other) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
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

func.func @another_scale_than_was_found(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %other: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %amax = mla.amax %q : tensor<?x16x576xbf16> -> tensor<?xf32>
  %q8, %qs = mla.quantize %q amax(%amax) : tensor<?x16x576xbf16>, tensor<?xf32>
      -> tensor<?x16x576xf8E4M3FN>, tensor<1xf32>
  // expected-error @below {{must take the scale that its Q was quantised with}}
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%other) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
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

func.func @maxima_without_attention(%q: tensor<?x16x576xbf16>) -> tensor<?xf32> {
  // expected-error @below {{belongs to an mla.attend, but there is none}}
  %amax = mla.amax %q : tensor<?x16x576xbf16> -> tensor<?xf32>
  return %amax : tensor<?xf32>
}

// -----

func.func @quantised_without_attention(%q: tensor<?x16x576xbf16>,
    %qs: tensor<1xf32>) -> tensor<?x16x576xf8E4M3FN> {
  // expected-error @below {{belongs to an mla.attend, but there is none}}
  %q8 = mla.quantize %q scale(%qs) : tensor<?x16x576xbf16>, tensor<1xf32>
      -> tensor<?x16x576xf8E4M3FN>
  return %q8 : tensor<?x16x576xf8E4M3FN>
}

// -----

func.func @schedule_without_attention(%qo: tensor<?xi32>, %kv: tensor<?xi32>,
    %last: tensor<?xi32>) -> !mla.schedule {
  // expected-error @below {{belongs to an mla.attend, but there is none}}
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  return %tables : !mla.schedule
}

// -----

func.func @combined_without_attention(%out: tensor<?x16x512xbf16>,
    %lse: tensor<?x16xf32>, %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>,
    %tables: !mla.schedule) -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  // expected-error @below {{belongs to an mla.attend, but there is none}}
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

func.func @no_precision(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @below {{has no precision yet; run mla-choose-precision first}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

func.func @no_tile(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @below {{has no tile yet; run mla-tile first}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

func.func @no_split(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  // expected-error @below {{has no split yet; run mla-split-kv first}}
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

func.func @first_problem(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

func.func @second_problem(%q: tensor<?x16x576xbf16>, %cache: !mla.cache<bf16, page_size = 1>,
    %qo: tensor<?xi32>, %kv: tensor<?xi32>, %indices: tensor<?xi32>,
    %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  // expected-error @below {{is the second in its module; a bundle holds one problem, so give each a module of its own}}
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
        tensor<?xi32>, !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

%q = ub.poison : tensor<?x16x576xbf16>
%cache = ub.poison : !mla.cache<bf16, page_size = 1>
%qo = ub.poison : tensor<?xi32>
%kv = ub.poison : tensor<?xi32>
%indices = ub.poison : tensor<?xi32>
%last = ub.poison : tensor<?xi32>
%tables = mla.schedule queries(%qo) pages(%kv, %last)
    {heads = 16 : i64, page_size = 1 : i64,
     split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
    : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
// expected-error @below {{must stand in a func.func}}
%out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
    {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
     tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
    : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>,
      tensor<?xi32>, !mla.schedule
    -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
       tensor<?x2x16xf32>
%final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
    schedule(%tables)
    : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
      tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
