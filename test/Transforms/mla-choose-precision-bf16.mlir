// RUN: mla-opt %s --mla-choose-precision=chip=gfx942 | FileCheck %s
// RUN: mla-opt %s --mla-choose-precision=chip=gfx950 | FileCheck %s

// CHECK-LABEL: func.func @bf16
// CHECK: mla.attend
// CHECK-SAME: precision = #mla.precision<q = bf16, p = bf16>
func.func @bf16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 1>, %indices: tensor<?xi32>,
    %schedule: !mla.schedule) -> tensor<?x16x512xbf16> {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 1>, tensor<?xi32>,
        !mla.schedule
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  return %out : tensor<?x16x512xbf16>
}
