// RUN: mla-opt %s | mla-opt | FileCheck %s

// CHECK-LABEL: func.func @not_split
// CHECK: = mla.schedule queries(%{{.*}}) pages(%{{.*}}, %{{.*}}) {heads = 128 : i64, page_size = 16 : i64} : tensor<5xi32>, tensor<5xi32>, tensor<4xi32>
func.func @not_split(%qo: tensor<5xi32>, %kv: tensor<5xi32>,
                     %last: tensor<4xi32>) -> !mla.schedule {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 128 : i64, page_size = 16 : i64}
      : tensor<5xi32>, tensor<5xi32>, tensor<4xi32>
  return %tables : !mla.schedule
}

// CHECK-LABEL: func.func @split_for_a_shape
// CHECK: = mla.schedule queries
// CHECK-SAME: shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>, split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>
func.func @split_for_a_shape(%qo: tensor<?xi32>, %kv: tensor<?xi32>,
                             %last: tensor<?xi32>) -> !mla.schedule {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 128, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  return %tables : !mla.schedule
}
