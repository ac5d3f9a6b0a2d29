// RUN: mla-opt %s | mla-opt | FileCheck %s

// CHECK-LABEL: func.func @combine
// CHECK: %[[OUT:.*]], %[[LSE:.*]] = mla.combine %{{.*}}, %{{.*}} partials(%{{.*}}, %{{.*}}) schedule(%{{.*}})
// CHECK-SAME: : tensor<?x128x512xbf16>, tensor<?x128xf32>, tensor<?x16x512xf32>, tensor<?x2x16xf32>, !mla.schedule
// CHECK-SAME: -> tensor<?x128x512xbf16>, tensor<?x128xf32>
// CHECK: return %[[OUT]], %[[LSE]]
func.func @combine(%out: tensor<?x128x512xbf16>, %lse: tensor<?x128xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule)
    -> (tensor<?x128x512xbf16>, tensor<?x128xf32>) {
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x128x512xbf16>, tensor<?x128xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule
      -> tensor<?x128x512xbf16>, tensor<?x128xf32>
  return %0, %1 : tensor<?x128x512xbf16>, tensor<?x128xf32>
}
