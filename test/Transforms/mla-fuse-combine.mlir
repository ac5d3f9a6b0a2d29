// RUN: mla-opt %s --mla-fuse-combine | FileCheck %s

!q = tensor<?x16x576xbf16>
!cache = !mla.cache<bf16, page_size = 1>
!out = tensor<?x16x512xbf16>
!lse = tensor<?x16xf32>
!o = tensor<?x16x512xf32>
!ml = tensor<?x2x16xf32>

// CHECK-LABEL: func.func @combine_of_one_attend
// CHECK: %[[OUT:.*]], %[[LSE:.*]], %{{.*}}, %{{.*}} = mla.attend {{.*}} {combines, sm_scale
// CHECK-NOT: mla.combine
// CHECK: return %[[OUT]], %[[LSE]]
func.func @combine_of_one_attend(%q: !q, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule) -> (!out, !lse) {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : !q, !cache, tensor<?xi32>, !mla.schedule -> !out, !lse, !o, !ml
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : !out, !lse, !o, !ml, !mla.schedule -> !out, !lse
  return %0, %1 : !out, !lse
}

// CHECK-LABEL: func.func @partials_read_elsewhere
// CHECK: mla.attend
// CHECK-NOT: combines
// CHECK: mla.combine
func.func @partials_read_elsewhere(%q: !q, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule) -> (!out, !o) {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : !q, !cache, tensor<?xi32>, !mla.schedule -> !out, !lse, !o, !ml
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : !out, !lse, !o, !ml, !mla.schedule -> !out, !lse
  return %0, %o : !out, !o
}

// CHECK-LABEL: func.func @another_schedule
// CHECK: mla.attend
// CHECK-NOT: combines
// CHECK: mla.combine
func.func @another_schedule(%q: !q, %cache: !cache, %indices: tensor<?xi32>,
    %schedule: !mla.schedule, %other: !mla.schedule) -> !out {
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : !q, !cache, tensor<?xi32>, !mla.schedule -> !out, !lse, !o, !ml
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%other)
      : !out, !lse, !o, !ml, !mla.schedule -> !out, !lse
  return %0 : !out
}

// CHECK-LABEL: func.func @outputs_of_another_attend
// CHECK-COUNT-2: mla.attend
// CHECK-NOT: combines
// CHECK: mla.combine
func.func @outputs_of_another_attend(%q: !q, %cache: !cache,
    %indices: tensor<?xi32>, %schedule: !mla.schedule) -> !out {
  %a:4 = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.125 : f32}
      : !q, !cache, tensor<?xi32>, !mla.schedule -> !out, !lse, !o, !ml
  %b:4 = mla.attend %q, %cache[%indices] schedule(%schedule)
      {sm_scale = 0.25 : f32}
      : !q, !cache, tensor<?xi32>, !mla.schedule -> !out, !lse, !o, !ml
  %0, %1 = mla.combine %a#0, %a#1 partials(%b#2, %b#3) schedule(%schedule)
      : !out, !lse, !o, !ml, !mla.schedule -> !out, !lse
  return %0 : !out
}
