// RUN: mla-opt %s --convert-mla-to-gpu=chip=gfx950 | FileCheck %s

// Each stage is a memory of its own; the merge takes the first one's.
// CHECK-LABEL: gpu.func @mla_attend(
// CHECK-SAME: workgroup(%[[MEMORY0:[a-z0-9]*]] : memref<73728xi8, {{.*}}, %[[MEMORY1:[a-z0-9]*]] : memref<73728xi8
// CHECK: %[[STAGE0:.*]] = memref.view %[[MEMORY0]]{{.*}} to memref<4x18x64x16xf8E4M3FN
// CHECK: %[[STAGE1:.*]] = memref.view %[[MEMORY1]]{{.*}} to memref<4x18x64x16xf8E4M3FN
// CHECK: memref.view %[[MEMORY0]]{{.*}} to memref<4x8x64x4xf32

// Both stages are on their way before the loop; the rows of the third tile are
// looked up before.
// CHECK: %[[ROWS0:.*]] = mla.page_rows {{.*}} staged
// CHECK: %[[ROWS1:.*]] = mla.page_rows {{.*}} staged
// CHECK: %[[ROWS2:.*]] = mla.page_rows {{.*}} staged
// CHECK: mla.stage_rows %{{.*}}[%[[ROWS0]]] into %[[STAGE0]][%[[WAVE:.*]]] :
// CHECK: mla.stage_rows %{{.*}}[%[[ROWS1]]] into %[[STAGE1]][%[[WAVE]]]

// A stage is awaited, attended and filled again, one after the other; the
// second only if the item has a tile for it.
// CHECK: scf.for {{.*}} step %{{.*}} iter_args({{.*}}, %[[ROWS:[a-z0-9]*]] = %[[ROWS2]])
// CHECK:   mla.await_stage %[[STAGE0]] younger 1
// CHECK:   %[[KEYS:.*]] = mla.staged_rows %[[STAGE0]][%[[WAVE]]]
// CHECK:   mla.score %[[KEYS]]
// CHECK:   mla.staged_values %[[STAGE0]][%[[WAVE]]] from 0
// CHECK:   mla.staged_values %[[STAGE0]][%[[WAVE]]] from 256
// CHECK:   %[[NEXT:.*]] = mla.page_rows {{.*}} staged
// CHECK:   mla.stage_rows %{{.*}}[%[[ROWS]]] into %[[STAGE0]]
// CHECK:   scf.if
// CHECK:     mla.await_stage %[[STAGE1]] younger 1
// CHECK:     mla.staged_rows %[[STAGE1]]
// CHECK:     mla.stage_rows %{{.*}}[%[[NEXT]]] into %[[STAGE1]]
// CHECK-NOT: mla.transpose

// The merge goes through the same memory, into which loads of tiles beyond the
// end may still be on their way.
// CHECK: }
// CHECK: mla.await_stage %[[STAGE0]] younger 0
// CHECK: mla.await_stage %[[STAGE1]] younger 0
// CHECK: mla.merge_statistics
// CHECK: mla.merge_output
func.func @staged(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %q8 = mla.quantize %q scale(%qs) : tensor<?x16x576xbf16>, tensor<1xf32>
      -> tensor<?x16x576xf8E4M3FN>
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>}
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
