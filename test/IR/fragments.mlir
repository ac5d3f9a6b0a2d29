// RUN: mla-opt %s | mla-opt | FileCheck %s

!rows16 = !mla.fragment<16x1xindex, row_index>
!rows32 = !mla.fragment<32x1xindex, row_index>
!query = !mla.fragment<16x576xf8E4M3FN, operand>
!keys = !mla.fragment<32x576xf8E4M3FN, operand>
!scores = !mla.fragment<32x16xf32, score>
!probabilities = !mla.fragment<32x16xf8E4M3FN, probability>
!values = !mla.fragment<256x32xf8E4M3FN, value>
!output = !mla.fragment<256x16xf32, output>
!merged = !mla.fragment<256x16xf32, merged>

// CHECK-LABEL: func.func @wave_id
// CHECK: mla.wave_id
func.func @wave_id() -> index {
  %wave = mla.wave_id
  return %wave : index
}

// CHECK-LABEL: func.func @work_item
// CHECK: %[[ROW:[a-z_0-9]*]], %[[HEAD:[a-z_0-9]*]], %[[PAGE:[a-z_0-9]*]], %[[BEGIN:[a-z_0-9]*]], %[[END:[a-z_0-9]*]], %[[PARTIAL:[a-z_0-9]*]], %[[COMBINE:[a-z_0-9]*]] = mla.work_item %{{.*}}[%{{.*}}] : memref<?x8xi32>
// CHECK: return %[[ROW]], %[[HEAD]], %[[PAGE]], %[[BEGIN]], %[[END]], %[[PARTIAL]], %[[COMBINE]]
func.func @work_item(%items: memref<?x8xi32>, %i: index)
    -> (index, index, index, index, index, index, index) {
  %row, %head, %page, %begin, %end, %partial, %combine = mla.work_item
      %items[%i] : memref<?x8xi32>
  return %row, %head, %page, %begin, %end, %partial, %combine
      : index, index, index, index, index, index, index
}

// CHECK-LABEL: func.func @query_rows
// CHECK: mla.query_rows %{{.*}}, %{{.*}} of 128 : <16x1xindex, row_index>
func.func @query_rows(%row: index, %head: index) -> !rows16 {
  %rows = mla.query_rows %row, %head of 128 : <16x1xindex, row_index>
  return %rows : !rows16
}

// CHECK-LABEL: func.func @page_rows
// CHECK: mla.page_rows %{{.*}}[%{{.*}}] tokens(%{{.*}} to %{{.*}}) page_size 64 : memref<?xi32> -> <32x1xindex, row_index>
func.func @page_rows(%indices: memref<?xi32>, %page: index, %first: index,
                     %end: index) -> !rows32 {
  %rows = mla.page_rows %indices[%page] tokens(%first to %end) page_size 64
      : memref<?xi32> -> <32x1xindex, row_index>
  return %rows : !rows32
}

// CHECK-LABEL: func.func @page_rows_staged
// CHECK: mla.page_rows {{.*}} page_size 64 staged : memref<?xi32> -> <32x1xindex, row_index>
func.func @page_rows_staged(%indices: memref<?xi32>, %page: index,
                            %first: index, %end: index) -> !rows32 {
  %rows = mla.page_rows %indices[%page] tokens(%first to %end) page_size 64
      staged : memref<?xi32> -> <32x1xindex, row_index>
  return %rows : !rows32
}

// CHECK-LABEL: func.func @load_rows
// CHECK: mla.load_rows %{{.*}}[%{{.*}}] : memref<?x576xf8E4M3FN>, <32x1xindex, row_index> -> <32x576xf8E4M3FN, operand>
func.func @load_rows(%cache: memref<?x576xf8E4M3FN>, %rows: !rows32) -> !keys {
  %keys = mla.load_rows %cache[%rows] : memref<?x576xf8E4M3FN>,
      <32x1xindex, row_index> -> <32x576xf8E4M3FN, operand>
  return %keys : !keys
}

// CHECK-LABEL: func.func @quantize_rows_with_a_scale_given
// CHECK: %[[TERM:.*]], %[[USED:.*]] = mla.quantize_rows %{{.*}}[%{{.*}}] scale %{{.*}} : memref<?x576xbf16>, <16x1xindex, row_index> -> !mla.fragment<16x576xf8E4M3FN, operand>
// CHECK: return %[[TERM]], %[[USED]]
func.func @quantize_rows_with_a_scale_given(%q: memref<?x576xbf16>,
                                            %rows: !rows16, %scale: f32)
    -> (!query, f32) {
  %term, %used = mla.quantize_rows %q[%rows] scale %scale
      : memref<?x576xbf16>, <16x1xindex, row_index> -> !query
  return %term, %used : !query, f32
}

// CHECK-LABEL: func.func @quantize_rows_to_two_terms
// CHECK: mla.quantize_rows %{{.*}}[%{{.*}}] : memref<?x576xbf16>, <16x1xindex, row_index> -> !mla.fragment<16x576xf8E4M3FN, operand>, !mla.fragment<16x576xf8E4M3FN, operand>
func.func @quantize_rows_to_two_terms(%q: memref<?x576xbf16>, %rows: !rows16)
    -> (!query, !query, f32) {
  %terms:2, %used = mla.quantize_rows %q[%rows]
      : memref<?x576xbf16>, <16x1xindex, row_index> -> !query, !query
  return %terms#0, %terms#1, %used : !query, !query, f32
}

// CHECK-LABEL: func.func @score
// CHECK: mla.score %{{.*}}, %{{.*}} : <32x576xf8E4M3FN, operand>, !mla.fragment<16x576xf8E4M3FN, operand> -> <32x16xf32, score>
func.func @score(%keys: !keys, %query: !query) -> !scores {
  %scores = mla.score %keys, %query : <32x576xf8E4M3FN, operand>,
      !mla.fragment<16x576xf8E4M3FN, operand> -> <32x16xf32, score>
  return %scores : !scores
}

// CHECK-LABEL: func.func @score_of_a_query_of_two_terms
// CHECK: mla.score %{{.*}}, %{{.*}}, %{{.*}} : <32x576xf8E4M3FN, operand>, !mla.fragment<16x576xf8E4M3FN, operand>, !mla.fragment<16x576xf8E4M3FN, operand> -> <32x16xf32, score>
func.func @score_of_a_query_of_two_terms(%keys: !keys, %q0: !query,
                                         %q1: !query) -> !scores {
  %scores = mla.score %keys, %q0, %q1 : <32x576xf8E4M3FN, operand>, !query,
      !query -> <32x16xf32, score>
  return %scores : !scores
}

// CHECK-LABEL: func.func @online_softmax
// CHECK: %[[P:.*]], %[[MAX:.*]], %[[SUM:.*]], %[[CORRECTION:.*]] = mla.online_softmax %{{.*}} tokens(%{{.*}} to %{{.*}}) scale %{{.*}} state(%{{.*}}, %{{.*}}) bias 8.000000e+00 : <32x16xf32, score> -> !mla.fragment<32x16xf8E4M3FN, probability>
// CHECK: return %[[P]], %[[MAX]], %[[SUM]], %[[CORRECTION]]
func.func @online_softmax(%scores: !scores, %first: index, %end: index,
                          %scale: f32, %max: f32, %sum: f32)
    -> (!probabilities, f32, f32, f32) {
  %p, %newMax, %newSum, %correction = mla.online_softmax %scores
      tokens(%first to %end) scale %scale state(%max, %sum) bias 8.0
      : <32x16xf32, score> -> !mla.fragment<32x16xf8E4M3FN, probability>
  return %p, %newMax, %newSum, %correction : !probabilities, f32, f32, f32
}

// CHECK-LABEL: func.func @online_softmax_to_two_terms
// CHECK: %{{.*}}:2, %[[MAX:.*]], %{{.*}}, %{{.*}} = mla.online_softmax {{.*}} -> !mla.fragment<32x16xf8E4M3FN, probability>, !mla.fragment<32x16xf8E4M3FN, probability>
// CHECK: return %{{.*}}#0, %{{.*}}#1, %[[MAX]]
func.func @online_softmax_to_two_terms(%scores: !scores, %first: index,
                                       %end: index, %scale: f32, %max: f32,
                                       %sum: f32)
    -> (!probabilities, !probabilities, f32) {
  %p:2, %newMax, %newSum, %correction = mla.online_softmax %scores
      tokens(%first to %end) scale %scale state(%max, %sum) bias 8.0
      : <32x16xf32, score> -> !probabilities, !probabilities
  return %p#0, %p#1, %newMax : !probabilities, !probabilities, f32
}

// CHECK-LABEL: func.func @transpose
// CHECK: mla.transpose %{{.*}} from 0 through %{{.*}}[%{{.*}}] : <32x576xf8E4M3FN, operand>, memref<4x32x272xf8E4M3FN> -> <256x32xf8E4M3FN, value>
// CHECK: mla.transpose %{{.*}} from 256 through
func.func @transpose(%keys: !keys, %lds: memref<4x32x272xf8E4M3FN>,
                     %wave: index) -> (!values, !values) {
  %low = mla.transpose %keys from 0 through %lds[%wave]
      : <32x576xf8E4M3FN, operand>, memref<4x32x272xf8E4M3FN>
      -> <256x32xf8E4M3FN, value>
  %high = mla.transpose %keys from 256 through %lds[%wave]
      : <32x576xf8E4M3FN, operand>, memref<4x32x272xf8E4M3FN>
      -> <256x32xf8E4M3FN, value>
  return %low, %high : !values, !values
}

// CHECK-LABEL: func.func @zero
// CHECK: mla.zero : <256x16xf32, output>
func.func @zero() -> !output {
  %zero = mla.zero : <256x16xf32, output>
  return %zero : !output
}

// CHECK-LABEL: func.func @accumulate
// CHECK: mla.accumulate %{{.*}}, %{{.*}} into %{{.*}} : <256x32xf8E4M3FN, value>, !mla.fragment<32x16xf8E4M3FN, probability> into <256x16xf32, output>
func.func @accumulate(%values: !values, %p: !probabilities, %o: !output)
    -> !output {
  %sum = mla.accumulate %values, %p into %o : <256x32xf8E4M3FN, value>,
      !mla.fragment<32x16xf8E4M3FN, probability> into <256x16xf32, output>
  return %sum : !output
}

// CHECK-LABEL: func.func @accumulate_two_terms
// CHECK: mla.accumulate %{{.*}}, %{{.*}}, %{{.*}} into %{{.*}} : <256x32xf8E4M3FN, value>, !mla.fragment<32x16xf8E4M3FN, probability>, !mla.fragment<32x16xf8E4M3FN, probability> into <256x16xf32, output>
func.func @accumulate_two_terms(%values: !values, %p0: !probabilities,
                                %p1: !probabilities, %o: !output) -> !output {
  %sum = mla.accumulate %values, %p0, %p1 into %o
      : <256x32xf8E4M3FN, value>, !probabilities, !probabilities
      into <256x16xf32, output>
  return %sum : !output
}

// CHECK-LABEL: func.func @rescale_before_and_after_the_merge
// CHECK: mla.rescale %{{.*}} by %{{.*}} : <256x16xf32, output>
// CHECK: mla.rescale %{{.*}} by %{{.*}} : <256x16xf32, merged>
func.func @rescale_before_and_after_the_merge(%o: !output, %m: !merged,
                                              %factor: f32)
    -> (!output, !merged) {
  %0 = mla.rescale %o by %factor : <256x16xf32, output>
  %1 = mla.rescale %m by %factor : <256x16xf32, merged>
  return %0, %1 : !output, !merged
}

// CHECK-LABEL: func.func @head_reduce
// CHECK: mla.head_reduce sum
// CHECK: mla.head_reduce max
func.func @head_reduce(%value: f32) -> (f32, f32) {
  %sum = mla.head_reduce sum %value
  %max = mla.head_reduce max %value
  return %sum, %max : f32, f32
}

// CHECK-LABEL: func.func @merge_statistics
// CHECK: mla.merge_statistics %{{.*}}, %{{.*}} through %{{.*}}[%{{.*}}] : memref<4x2x16xf32>
func.func @merge_statistics(%max: f32, %sum: f32, %lds: memref<4x2x16xf32>,
                            %wave: index) -> (f32, f32, f32) {
  %m, %s, %factor = mla.merge_statistics %max, %sum through %lds[%wave]
      : memref<4x2x16xf32>
  return %m, %s, %factor : f32, f32, f32
}

// CHECK-LABEL: func.func @merge_output
// CHECK: mla.merge_output %{{.*}} through %{{.*}}[%{{.*}}] : <256x16xf32, output>, memref<4x8x64x4xf32> -> <256x16xf32, merged>
func.func @merge_output(%o: !output, %lds: memref<4x8x64x4xf32>, %wave: index)
    -> !merged {
  %merged = mla.merge_output %o through %lds[%wave] : <256x16xf32, output>,
      memref<4x8x64x4xf32> -> <256x16xf32, merged>
  return %merged : !merged
}

// CHECK-LABEL: func.func @store
// CHECK: mla.store %{{.*}} of wave %{{.*}} into %{{.*}}[%{{.*}}, %{{.*}}, 256] : <256x16xf32, merged>, memref<?x16x512xbf16>
func.func @store(%merged: !merged, %wave: index, %out: memref<?x16x512xbf16>,
                 %row: index, %head: index) {
  mla.store %merged of wave %wave into %out[%row, %head, 256]
      : <256x16xf32, merged>, memref<?x16x512xbf16>
  return
}

// CHECK-LABEL: func.func @arrive
// CHECK: mla.arrive %{{.*}}[%{{.*}}] of %{{.*}} through %{{.*}} : memref<?xi32>, memref<1xi32>
func.func @arrive(%tickets: memref<?xi32>, %ticket: index, %count: index,
                  %flag: memref<1xi32>) -> i1 {
  %last = mla.arrive %tickets[%ticket] of %count through %flag
      : memref<?xi32>, memref<1xi32>
  return %last : i1
}

// CHECK-LABEL: func.func @stage
// CHECK: mla.stage_rows %{{.*}}[%{{.*}}] into %{{.*}}[%{{.*}}] : memref<?x576xf8E4M3FN>, <32x1xindex, row_index>, memref<4x18x64x16xf8E4M3FN>
// CHECK: mla.await_stage %{{.*}} younger 1 : memref<4x18x64x16xf8E4M3FN>
// CHECK: mla.staged_rows %{{.*}}[%{{.*}}] : memref<4x18x64x16xf8E4M3FN> -> <32x576xf8E4M3FN, operand>
// CHECK: mla.staged_values %{{.*}}[%{{.*}}] from 256 : memref<4x18x64x16xf8E4M3FN> -> <256x32xf8E4M3FN, value>
func.func @stage(%cache: memref<?x576xf8E4M3FN>, %rows: !rows32,
                 %stage: memref<4x18x64x16xf8E4M3FN>, %wave: index)
    -> (!keys, !values) {
  mla.stage_rows %cache[%rows] into %stage[%wave] : memref<?x576xf8E4M3FN>,
      <32x1xindex, row_index>, memref<4x18x64x16xf8E4M3FN>
  mla.await_stage %stage younger 1 : memref<4x18x64x16xf8E4M3FN>
  %keys = mla.staged_rows %stage[%wave] : memref<4x18x64x16xf8E4M3FN>
      -> <32x576xf8E4M3FN, operand>
  %values = mla.staged_values %stage[%wave] from 256
      : memref<4x18x64x16xf8E4M3FN> -> <256x32xf8E4M3FN, value>
  return %keys, %values : !keys, !values
}
