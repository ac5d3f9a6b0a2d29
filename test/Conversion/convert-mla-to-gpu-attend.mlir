// RUN: mla-opt %s --convert-mla-to-gpu=chip=gfx950 -split-input-file | FileCheck %s

// CHECK-LABEL: gpu.func @mla_attend(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: memref<2147483647x576xf8E4M3FN, #gpu.address_space<global>> {llvm.noalias, llvm.readonly}
// CHECK-SAME: %[[CACHE:[a-z0-9]*]]: memref<2147483647x576xf8E4M3FN
// CHECK-SAME: %[[INDICES:[a-z0-9]*]]: memref<2147483647xi32
// CHECK-SAME: %[[Q_SCALE:[a-z0-9]*]]: memref<2147483647xf32
// CHECK-SAME: %[[KV_SCALE:[a-z0-9]*]]: memref<2147483647xf32
// CHECK-SAME: %[[INDPTR:[a-z0-9]*]]: memref<2147483647xi32
// CHECK-SAME: %[[ITEMS:[a-z0-9]*]]: memref<2147483647x8xi32
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<2147483647x16x512xbf16, #gpu.address_space<global>> {llvm.noalias}
// CHECK-SAME: %[[LSE:[a-z0-9]*]]: memref<2147483647x16xf32
// CHECK-SAME: %[[PARTIAL_O:[a-z0-9]*]]: memref<2147483647x16x512xf32
// CHECK-SAME: %[[PARTIAL_ML:[a-z0-9]*]]: memref<2147483647x2x16xf32

// Rows in LDS are 32 bytes apart beyond their columns.
// CHECK-DAG: %[[TURN:.*]] = memref.view {{.*}} to memref<4x32x288xf8E4M3FN
// CHECK-DAG: %[[STATISTICS:.*]] = memref.view {{.*}} to memref<4x2x16xf32
// CHECK: %[[WAVE:.*]] = mla.wave_id

// The scale of scores holds log2(e): 0.125 * 1.442695.
// CHECK: %[[SM:.*]] = arith.constant 0.180336878 : f32
// CHECK-DAG: %[[QS:.*]] = memref.load %[[Q_SCALE]]
// CHECK-DAG: %[[KS:.*]] = memref.load %[[KV_SCALE]]
// CHECK: %[[SCALE_BUT_Q:.*]] = arith.mulf %[[SM]], %[[KS]]

// The work items of this workgroup.
// CHECK: memref.load %[[INDPTR]][%[[WORKGROUP:.*]]]
// CHECK: memref.load %[[INDPTR]]
// CHECK: scf.for %[[ITEM:.*]] = %{{.*}} to %{{.*}} step
// CHECK:   %[[ROW:[a-z_0-9]*]], %[[HEAD:[a-z_0-9]*]], %[[PAGE:[a-z_0-9]*]], %[[BEGIN:[a-z_0-9]*]], %[[END:[a-z_0-9]*]], %[[PARTIAL:[a-z_0-9]*]], %{{.*}} = mla.work_item %[[ITEMS]][%[[ITEM]]]
// CHECK:   %[[Q_ROWS:.*]] = mla.query_rows %[[ROW]], %[[HEAD]] of 16
// CHECK:   %[[QUERY:.*]] = mla.load_rows %[[Q]][%[[Q_ROWS]]]
// CHECK:   %[[SCALE:.*]] = arith.mulf %[[SCALE_BUT_Q]], %[[QS]]

// Waves take tiles in turn: from 32 rows a wave on, in steps of four waves. The
// first maximum is finite, so that no difference of maxima is NaN.
// CHECK:   %[[LEAST:.*]] = arith.constant -3.40282347E+38 : f32
// CHECK:   %[[ZERO:.*]] = mla.zero
// CHECK:   %[[C32:.*]] = arith.constant 32 : index
// CHECK:   %[[OFFSET:.*]] = arith.muli %[[WAVE]], %[[C32]]
// CHECK:   %[[FIRST:.*]] = arith.addi %[[BEGIN]], %[[OFFSET]]
// CHECK:   %[[HAS_TILE:.*]] = arith.cmpi slt, %[[FIRST]], %[[END]]
// CHECK:   %[[STATE:.*]]:4 = scf.if %[[HAS_TILE]]
// CHECK:   %[[ROWS:.*]] = mla.page_rows %[[INDICES]][%[[PAGE]]] tokens(%[[FIRST]] to %[[END]]) page_size 1
// CHECK:   %[[C128:.*]] = arith.constant 128 : index
// CHECK:   %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[C128]]
// CHECK:   %[[SECOND_ROWS:.*]] = mla.page_rows %[[INDICES]][%[[PAGE]]] tokens(%[[SECOND]] to %[[END]])
// CHECK:   %[[FIRST_KEYS:.*]] = mla.load_rows %[[CACHE]][%[[ROWS]]]
// CHECK:   %[[LAST:.*]]:6 = scf.for %[[TILE:.*]] = %[[FIRST]] to %[[END]] step %{{.*}} iter_args(%[[MAX:[a-z0-9]*]] = %[[LEAST]], %[[SUM:[a-z0-9]*]] = %{{.*}}, %[[LOW:[a-z0-9]*]] = %[[ZERO]], %[[HIGH:[a-z0-9]*]] = %[[ZERO]], %[[KEYS:[a-z0-9]*]] = %[[FIRST_KEYS]], %[[ODD_ROWS:[a-z0-9]*]] = %[[SECOND_ROWS]])

// The odd tile is under way while the even one is attended. Rows are looked up
// before keys are loaded, since loads are waited for in order.
// CHECK:     %[[ODD:.*]] = arith.addi %[[TILE]]
// CHECK:     %[[EVEN_ROWS:.*]] = mla.page_rows
// CHECK:     %[[ODD_KEYS:.*]] = mla.load_rows %[[CACHE]][%[[ODD_ROWS]]]
// CHECK:     %[[SCORES:.*]] = mla.score %[[KEYS]], %[[QUERY]] :
// CHECK:     %[[P:.*]], %[[NEW_MAX:.*]], %[[NEW_SUM:.*]], %[[CORRECTION:.*]] = mla.online_softmax %[[SCORES]] tokens(%[[TILE]] to %[[END]]) scale %[[SCALE]] state(%[[MAX]], %[[SUM]]) bias 4.000000e+00
// CHECK:     %[[OLD_LOW:.*]] = mla.rescale %[[LOW]] by %[[CORRECTION]]
// CHECK:     %[[OLD_HIGH:.*]] = mla.rescale %[[HIGH]] by %[[CORRECTION]]
// CHECK:     %[[V:.*]] = mla.transpose %[[KEYS]] from 0 through %[[TURN]][%[[WAVE]]]
// CHECK:     %[[NEW_LOW:.*]] = mla.accumulate %[[V]], %[[P]] into %[[OLD_LOW]]
// CHECK:     mla.transpose %[[KEYS]] from 256
// CHECK:     %[[NEW_HIGH:.*]] = mla.accumulate %{{.*}}, %[[P]] into %[[OLD_HIGH]]

// Then the odd tile, if there is one, with the next even one under way.
// CHECK:     %[[HAS_ODD:.*]] = arith.cmpi slt, %[[ODD]], %[[END]]
// CHECK:     %[[TURN_END:.*]]:6 = scf.if %[[HAS_ODD]]
// CHECK:       %[[ROWS_AFTER:.*]] = mla.page_rows
// CHECK:       %[[NEXT_KEYS:.*]] = mla.load_rows %[[CACHE]][%[[EVEN_ROWS]]]
// CHECK:       mla.score %[[ODD_KEYS]], %[[QUERY]] :
// CHECK:       mla.online_softmax %{{.*}} tokens(%[[ODD]] to %[[END]]) scale %[[SCALE]] state(%[[NEW_MAX]], %[[NEW_SUM]])
// CHECK:       mla.transpose %[[ODD_KEYS]] from 0
// CHECK:       mla.transpose %[[ODD_KEYS]] from 256
// CHECK:       scf.yield %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %[[NEXT_KEYS]], %[[ROWS_AFTER]] :
// CHECK:     } else {
// CHECK:       scf.yield %[[NEW_MAX]], %[[NEW_SUM]], %[[NEW_LOW]], %[[NEW_HIGH]], %[[KEYS]], %[[ODD_ROWS]] :
// CHECK:     scf.yield %[[TURN_END]]#0, %[[TURN_END]]#1, %[[TURN_END]]#2, %[[TURN_END]]#3, %[[TURN_END]]#4, %[[TURN_END]]#5
// CHECK:   scf.yield %[[LAST]]#0, %[[LAST]]#1, %[[LAST]]#2, %[[LAST]]#3
// CHECK: } else {
// CHECK:   scf.yield %[[LEAST]], %{{.*}}, %[[ZERO]], %[[ZERO]]

// CHECK:   %[[ALL:.*]] = mla.head_reduce sum %[[STATE]]#1
// CHECK:   %[[M:.*]], %[[L:.*]], %[[FACTOR:.*]] = mla.merge_statistics %[[STATE]]#0, %[[ALL]] through %[[STATISTICS]][%[[WAVE]]]
// CHECK:   mla.rescale %[[STATE]]#2 by %[[FACTOR]]
// CHECK:   %[[MERGED_LOW:.*]] = mla.merge_output
// CHECK:   mla.rescale %[[STATE]]#3 by %[[FACTOR]]
// CHECK:   %[[MERGED_HIGH:.*]] = mla.merge_output

// A block that is whole is final: divided by its sum, lse without the bias. One
// without rows becomes zeros.
// CHECK:   %[[WHOLE:.*]] = arith.cmpi slt, %[[PARTIAL]]
// CHECK:   scf.if %[[WHOLE]] {
// CHECK:     %[[QUOTIENT:.*]] = arith.divf %[[KS]], %[[L]]
// CHECK:     %[[EMPTY:.*]] = arith.cmpf oeq, %[[L]]
// CHECK:     %[[OVER_SUM:.*]] = arith.select %[[EMPTY]], %{{.*}}, %[[QUOTIENT]]
// CHECK:     %[[FINAL:.*]] = mla.rescale %[[MERGED_LOW]] by %[[OVER_SUM]]
// CHECK:     mla.store %[[FINAL]] of wave %[[WAVE]] into %[[OUT]][%[[ROW]], %[[HEAD]], 0]
// CHECK:     mla.rescale %[[MERGED_HIGH]] by %[[OVER_SUM]]
// CHECK:     mla.store {{.*}} into %[[OUT]][%[[ROW]], %[[HEAD]], 256]
// CHECK:     %[[LOG:.*]] = math.log2 %[[L]]
// CHECK:     %[[BIASED:.*]] = arith.addf %[[M]], %[[LOG]]
// CHECK:     %[[BIAS:.*]] = arith.constant 4.000000e+00
// CHECK:     arith.subf %[[BIASED]], %[[BIAS]]
// CHECK:     memref.store %{{.*}}, %[[LSE]][%[[ROW]], %{{.*}}]

// A part leaves without the bias: 2^-4.
// CHECK:   } else {
// CHECK:     %[[UNBIAS:.*]] = arith.constant 6.250000e-02
// CHECK:     %[[PART_SCALE:.*]] = arith.mulf %[[KS]], %[[UNBIAS]]
// CHECK:     mla.rescale %[[MERGED_LOW]] by %[[PART_SCALE]]
// CHECK:     mla.store {{.*}} into %[[PARTIAL_O]][%[[PARTIAL]], %{{.*}}, 0]
// CHECK:     %[[PART_SUM:.*]] = arith.mulf %[[L]], %[[UNBIAS]]
// CHECK:     memref.store %[[M]], %[[PARTIAL_ML]][%[[PARTIAL]]
// CHECK:     memref.store %[[PART_SUM]], %[[PARTIAL_ML]][%[[PARTIAL]]
func.func @fp8(%q: tensor<?x16x576xbf16>,
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

// Without scales the output is divided by the sum alone, and no bias is needed.
// CHECK-LABEL: gpu.func @mla_attend(
// CHECK: memref.view {{.*}} to memref<4x16x272xbf16
// CHECK: %[[SM:.*]] = arith.constant 0.180336878 : f32
// CHECK-NOT: arith.mulf
// CHECK: mla.page_rows {{.*}} page_size 64
// CHECK: mla.online_softmax {{.*}} scale %[[SM]] {{.*}} bias 0.000000e+00
// CHECK: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK: arith.divf %[[ONE]], %
func.func @bf16(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<bf16, page_size = 64>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 64 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      {sm_scale = 0.125 : f32, precision = #mla.precision<q = bf16, p = bf16>,
       tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<bf16, page_size = 64>,
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

// CHECK-LABEL: gpu.func @mla_attend(
// CHECK-SAME: %[[Q:[a-z0-9]*]]: memref<2147483647x576xbf16
// CHECK: %[[QS:.*]] = memref.load
// CHECK: %[[TERMS:.*]]:2, %[[USED:.*]] = mla.quantize_rows %[[Q]][%{{.*}}] scale %[[QS]]
// CHECK: %[[SCALE:.*]] = arith.mulf %{{.*}}, %[[USED]]
// CHECK: mla.score %{{.*}}, %[[TERMS]]#0, %[[TERMS]]#1
// CHECK: %[[P:.*]]:2, %{{.*}} = mla.online_softmax {{.*}} scale %[[SCALE]]
// CHECK: mla.accumulate %{{.*}}, %[[P]]#0, %[[P]]#1
func.func @two_terms_of_q_and_of_p(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8x2, p = fp8x2>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
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

// Each row is quantised with the scale that is found for it.
// CHECK-LABEL: gpu.func @mla_attend(
// CHECK: mla.quantize_rows %{{[a-z0-9]*}}[%{{[a-z0-9]*}}] :
func.func @scale_of_each_head(%q: tensor<?x16x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %ks: tensor<1xf32>)
    -> (tensor<?x16x512xbf16>, tensor<?x16xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 16 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %out, %lse, %o, %ml = mla.attend %q, %cache[%indices] schedule(%tables)
      kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x16x576xbf16>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>
      -> tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return %final_out, %final_lse : tensor<?x16x512xbf16>, tensor<?x16xf32>
}

// -----

// The second block of heads has one head; its lanes write no more than that.
// CHECK-LABEL: gpu.func @mla_attend(
// CHECK: mla.query_rows {{.*}} of 17
// CHECK: scf.if
// CHECK: %[[C17:.*]] = arith.constant 17 : index
// CHECK: %[[EXISTS:.*]] = arith.cmpi ult, %{{.*}}, %[[C17]]
// CHECK: %[[HOLDS:.*]] = arith.andi %{{.*}}, %[[EXISTS]]
// CHECK: scf.if %[[HOLDS]]
// CHECK: memref.store
func.func @heads_that_fill_no_block(%q: tensor<?x17x576xbf16>,
    %cache: !mla.cache<f8E4M3FN, page_size = 1>, %qo: tensor<?xi32>,
    %kv: tensor<?xi32>, %indices: tensor<?xi32>, %last: tensor<?xi32>,
    %qs: tensor<1xf32>, %ks: tensor<1xf32>)
    -> (tensor<?x17x512xbf16>, tensor<?x17xf32>) {
  %tables = mla.schedule queries(%qo) pages(%kv, %last)
      {heads = 17 : i64, page_size = 1 : i64,
       shape = #mla.shape<batch = 4, kv = 1024, q_len = 1>,
       split = #mla.split<rows = 32, workgroups = 0, per_compute_unit = 1>}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  %q8 = mla.quantize %q scale(%qs) : tensor<?x17x576xbf16>, tensor<1xf32>
      -> tensor<?x17x576xf8E4M3FN>
  %out, %lse, %o, %ml = mla.attend %q8, %cache[%indices] schedule(%tables)
      q_scale(%qs) kv_scale(%ks) {sm_scale = 0.125 : f32, precision = #mla.precision<q = fp8, p = fp8>,
       tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>}
      : tensor<?x17x576xf8E4M3FN>, !mla.cache<f8E4M3FN, page_size = 1>,
        tensor<?xi32>, !mla.schedule, tensor<1xf32>, tensor<1xf32>
      -> tensor<?x17x512xbf16>, tensor<?x17xf32>, tensor<?x16x512xf32>,
         tensor<?x2x16xf32>
  %final_out, %final_lse = mla.combine %out, %lse partials(%o, %ml)
      schedule(%tables)
      : tensor<?x17x512xbf16>, tensor<?x17xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x17x512xbf16>, tensor<?x17xf32>
  return %final_out, %final_lse : tensor<?x17x512xbf16>, tensor<?x17xf32>
}
