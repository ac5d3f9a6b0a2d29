// RUN: mla-opt %s | mla-opt | FileCheck %s

// CHECK-LABEL: func.func @amax
// CHECK: mla.amax %{{.*}} : tensor<?x16x576xbf16> -> tensor<?xf32>
func.func @amax(%q: tensor<?x16x576xbf16>) -> tensor<?xf32> {
  %amax = mla.amax %q : tensor<?x16x576xbf16> -> tensor<?xf32>
  return %amax : tensor<?xf32>
}

// CHECK-LABEL: func.func @scale_given
// CHECK: %[[Q:.*]] = mla.quantize %{{.*}} scale(%{{.*}}) : tensor<?x16x576xbf16>, tensor<1xf32> -> tensor<?x16x576xf8E4M3FN>
// CHECK: return %[[Q]]
func.func @scale_given(%q: tensor<?x16x576xbf16>, %scale: tensor<1xf32>)
    -> tensor<?x16x576xf8E4M3FN> {
  %q8 = mla.quantize %q scale(%scale) : tensor<?x16x576xbf16>, tensor<1xf32>
      -> tensor<?x16x576xf8E4M3FN>
  return %q8 : tensor<?x16x576xf8E4M3FN>
}

// CHECK-LABEL: func.func @scale_found
// CHECK: %[[Q:.*]], %[[SCALE:.*]] = mla.quantize %{{.*}} amax(%{{.*}}) : tensor<4x16x576xbf16>, tensor<4xf32> -> tensor<4x16x576xf8E4M3FNUZ>, tensor<1xf32>
// CHECK: return %[[Q]], %[[SCALE]]
func.func @scale_found(%q: tensor<4x16x576xbf16>, %amax: tensor<4xf32>)
    -> (tensor<4x16x576xf8E4M3FNUZ>, tensor<1xf32>) {
  %q8, %scale = mla.quantize %q amax(%amax)
      : tensor<4x16x576xbf16>, tensor<4xf32>
      -> tensor<4x16x576xf8E4M3FNUZ>, tensor<1xf32>
  return %q8, %scale : tensor<4x16x576xf8E4M3FNUZ>, tensor<1xf32>
}
