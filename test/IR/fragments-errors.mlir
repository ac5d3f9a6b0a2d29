// RUN: mla-opt %s -split-input-file -verify-diagnostics

func.func @query_rows_of_no_heads(%i: index) {
  // expected-error @below {{attribute 'heads' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = mla.query_rows %i, %i of 0 : <16x1xindex, row_index>
  return
}

// -----

func.func @page_rows_of_empty_pages(%table: memref<?xi32>, %i: index) {
  // expected-error @below {{attribute 'page_size' failed to satisfy constraint: 64-bit signless integer attribute whose value is positive}}
  %0 = mla.page_rows %table[%i] tokens(%i to %i) page_size -1 : memref<?xi32> -> <16x1xindex, row_index>
  return
}

// -----

func.func @load_latent_only(%cache: memref<?x512xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{the source must be rows x 576 of the fragment's 'bf16', got 'memref<?x512xbf16>'}}
  %0 = mla.load_rows %cache[%rows] : memref<?x512xbf16>, <16x1xindex, row_index> -> <16x576xbf16, operand>
  return
}

// -----

func.func @load_from_pages(%cache: memref<?x16x576xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{the source must be rows x 576 of the fragment's 'bf16', got 'memref<?x16x576xbf16>'}}
  %0 = mla.load_rows %cache[%rows] : memref<?x16x576xbf16>, <16x1xindex, row_index> -> <16x576xbf16, operand>
  return
}

// -----

func.func @load_another_fp8(%cache: memref<?x576xf8E4M3FNUZ>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{the source must be rows x 576 of the fragment's 'f8E4M3FN', got 'memref<?x576xf8E4M3FNUZ>'}}
  %0 = mla.load_rows %cache[%rows] : memref<?x576xf8E4M3FNUZ>, <16x1xindex, row_index> -> <16x576xf8E4M3FN, operand>
  return
}

// -----

func.func @load_more_rows_than_indices(%cache: memref<?x576xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{loads 32 rows but has the indices of 16}}
  %0 = mla.load_rows %cache[%rows] : memref<?x576xbf16>, <16x1xindex, row_index> -> <32x576xbf16, operand>
  return
}

// -----

func.func @quantize_fp8_rows(%q: memref<?x576xf8E4M3FN>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{the source must be rows x 576 of bf16, got 'memref<?x576xf8E4M3FN>'}}
  %0, %1 = mla.quantize_rows %q[%rows] : memref<?x576xf8E4M3FN>, <16x1xindex, row_index> -> !mla.fragment<16x576xf8E4M3FN, operand>
  return
}

// -----

func.func @quantize_latent_only(%q: memref<?x512xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{the source must be rows x 576 of bf16, got 'memref<?x512xbf16>'}}
  %0, %1 = mla.quantize_rows %q[%rows] : memref<?x512xbf16>, <16x1xindex, row_index> -> !mla.fragment<16x576xf8E4M3FN, operand>
  return
}

// -----

func.func @quantize_to_nothing(%q: memref<?x576xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{gives one or two terms, got 0}}
  %0 = "mla.quantize_rows"(%q, %rows) : (memref<?x576xbf16>, !mla.fragment<16x1xindex, row_index>) -> f32
  return
}

// -----

!t = !mla.fragment<16x576xf8E4M3FN, operand>
func.func @quantize_to_three_terms(%q: memref<?x576xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{gives one or two terms, got 3}}
  %0:4 = mla.quantize_rows %q[%rows] : memref<?x576xbf16>, <16x1xindex, row_index> -> !t, !t, !t
  return
}

// -----

func.func @quantize_to_two_types(%q: memref<?x576xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{gives terms of one type, got '!mla.fragment<16x576xf8E4M3FN, operand>' and '!mla.fragment<16x576xf8E4M3FNUZ, operand>'}}
  %0:3 = mla.quantize_rows %q[%rows] : memref<?x576xbf16>, <16x1xindex, row_index> -> !mla.fragment<16x576xf8E4M3FN, operand>, !mla.fragment<16x576xf8E4M3FNUZ, operand>
  return
}

// -----

func.func @quantize_to_bf16(%q: memref<?x576xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{gives fp8 terms of 16 rows, got '!mla.fragment<16x576xbf16, operand>'}}
  %0:2 = mla.quantize_rows %q[%rows] : memref<?x576xbf16>, <16x1xindex, row_index> -> !mla.fragment<16x576xbf16, operand>
  return
}

// -----

func.func @quantize_more_rows_than_indices(%q: memref<?x576xbf16>, %rows: !mla.fragment<16x1xindex, row_index>) {
  // expected-error @below {{loads 16 rows, since a lane holds the scale of one, got '!mla.fragment<32x576xf8E4M3FN, operand>'}}
  %0:2 = mla.quantize_rows %q[%rows] : memref<?x576xbf16>, <16x1xindex, row_index> -> !mla.fragment<32x576xf8E4M3FN, operand>
  return
}

// -----

func.func @quantize_fewer_rows_than_indices(%q: memref<?x576xbf16>, %rows: !mla.fragment<32x1xindex, row_index>) {
  // expected-error @below {{gives fp8 terms of 32 rows, got '!mla.fragment<16x576xf8E4M3FN, operand>'}}
  %0:2 = mla.quantize_rows %q[%rows] : memref<?x576xbf16>, <32x1xindex, row_index> -> !mla.fragment<16x576xf8E4M3FN, operand>
  return
}

// -----

func.func @score_without_query(%keys: !mla.fragment<16x576xbf16, operand>) {
  // expected-error @below {{needs at least one term of query}}
  %0 = "mla.score"(%keys) : (!mla.fragment<16x576xbf16, operand>) -> !mla.fragment<16x16xf32, score>
  return
}

// -----

func.func @score_of_terms_of_two_types(%k: !mla.fragment<16x576xf8E4M3FN, operand>, %q: !mla.fragment<16x576xbf16, operand>) {
  // expected-error @below {{needs query terms of one type, got '!mla.fragment<16x576xf8E4M3FN, operand>' and '!mla.fragment<16x576xbf16, operand>'}}
  %0 = mla.score %k, %k, %q : <16x576xf8E4M3FN, operand>, !mla.fragment<16x576xf8E4M3FN, operand>, !mla.fragment<16x576xbf16, operand> -> <16x16xf32, score>
  return
}

// -----

func.func @score_two_element_types(%keys: !mla.fragment<16x576xf8E4M3FN, operand>, %query: !mla.fragment<16x576xbf16, operand>) {
  // expected-error @below {{keys and query must have one element type, got 'f8E4M3FN' and 'bf16'}}
  %0 = mla.score %keys, %query : <16x576xf8E4M3FN, operand>, !mla.fragment<16x576xbf16, operand> -> <16x16xf32, score>
  return
}

// -----

func.func @score_of_other_tokens(%keys: !mla.fragment<16x576xbf16, operand>, %query: !mla.fragment<16x576xbf16, operand>) {
  // expected-error @below {{scores must be the keys' rows x the query's rows, 16x16, got '!mla.fragment<32x16xf32, score>'}}
  %0 = mla.score %keys, %query : <16x576xbf16, operand>, !mla.fragment<16x576xbf16, operand> -> <32x16xf32, score>
  return
}

// -----

func.func @score_of_two_blocks(%keys: !mla.fragment<16x576xbf16, operand>, %query: !mla.fragment<32x576xbf16, operand>) {
  // expected-error @below {{scores must be the keys' rows x the query's rows, 16x32, got '!mla.fragment<16x16xf32, score>'}}
  %0 = mla.score %keys, %query : <16x576xbf16, operand>, !mla.fragment<32x576xbf16, operand> -> <16x16xf32, score>
  return
}

// -----

func.func @score_of_scores(%keys: !mla.fragment<16x576xbf16, operand>, %query: !mla.fragment<16x16xf32, score>) {
  // expected-error @below {{must be variadic of Operand fragment, but got '!mla.fragment<16x16xf32, score>'}}
  %0 = "mla.score"(%keys, %query) : (!mla.fragment<16x576xbf16, operand>, !mla.fragment<16x16xf32, score>) -> !mla.fragment<16x16xf32, score>
  return
}

// -----

func.func @softmax_of_other_tokens(%scores: !mla.fragment<32x16xf32, score>, %i: index, %f: f32) {
  // expected-error @below {{scores and probabilities must have the same tokens, got 32 and 16}}
  %0:4 = mla.online_softmax %scores tokens(%i to %i) scale %f state(%f, %f) bias 0.0
      : <32x16xf32, score> -> !mla.fragment<16x16xbf16, probability>
  return
}

// -----

func.func @softmax_without_probabilities(%scores: !mla.fragment<16x16xf32, score>, %i: index, %f: f32) {
  // expected-error @below {{needs at least one term of probability}}
  %0:3 = "mla.online_softmax"(%scores, %i, %i, %f, %f, %f) {bias = 0.0 : f32}
      : (!mla.fragment<16x16xf32, score>, index, index, f32, f32, f32) -> (f32, f32, f32)
  return
}

// -----

func.func @softmax_terms_of_two_types(%scores: !mla.fragment<16x16xf32, score>, %i: index, %f: f32) {
  // expected-error @below {{needs probability terms of one type}}
  %0:5 = mla.online_softmax %scores tokens(%i to %i) scale %f state(%f, %f) bias 0.0
      : <16x16xf32, score> -> !mla.fragment<16x16xf8E4M3FN, probability>, !mla.fragment<16x16xbf16, probability>
  return
}

// -----

func.func @softmax_to_two_terms_of_bf16(%scores: !mla.fragment<16x16xf32, score>, %i: index, %f: f32) {
  // expected-error @below {{bf16 probabilities are one term, got 2}}
  %0:5 = mla.online_softmax %scores tokens(%i to %i) scale %f state(%f, %f) bias 0.0
      : <16x16xf32, score> -> !mla.fragment<16x16xbf16, probability>, !mla.fragment<16x16xbf16, probability>
  return
}

// -----

func.func @transpose_to_other_tokens(%rows: !mla.fragment<32x576xbf16, operand>, %lds: memref<4x32x264xbf16>, %wave: index) {
  // expected-error @below {{turns 32 rows of 'bf16', got '!mla.fragment<256x16xbf16, value>'}}
  %0 = mla.transpose %rows from 0 through %lds[%wave] : <32x576xbf16, operand>, memref<4x32x264xbf16> -> <256x16xbf16, value>
  return
}

// -----

func.func @transpose_to_another_type(%rows: !mla.fragment<32x576xf8E4M3FN, operand>, %lds: memref<4x32x272xf8E4M3FN>, %wave: index) {
  // expected-error @below {{turns 32 rows of 'f8E4M3FN', got '!mla.fragment<256x32xf8E4M3FNUZ, value>'}}
  %0 = mla.transpose %rows from 0 through %lds[%wave] : <32x576xf8E4M3FN, operand>, memref<4x32x272xf8E4M3FN> -> <256x32xf8E4M3FNUZ, value>
  return
}

// -----

func.func @transpose_through_too_few_rows(%rows: !mla.fragment<32x576xbf16, operand>, %lds: memref<4x16x264xbf16>, %wave: index) {
  // expected-error @below {{needs waves x 32 x 264 (or more) of 'bf16' in LDS, got 'memref<4x16x264xbf16>'}}
  %0 = mla.transpose %rows from 0 through %lds[%wave] : <32x576xbf16, operand>, memref<4x16x264xbf16> -> <256x32xbf16, value>
  return
}

// -----

func.func @transpose_through_too_few_columns(%rows: !mla.fragment<32x576xbf16, operand>, %lds: memref<4x32x128xbf16>, %wave: index) {
  // expected-error @below {{needs waves x 32 x 264 (or more) of 'bf16' in LDS, got 'memref<4x32x128xbf16>'}}
  %0 = mla.transpose %rows from 0 through %lds[%wave] : <32x576xbf16, operand>, memref<4x32x128xbf16> -> <256x32xbf16, value>
  return
}

// -----

func.func @transpose_through_another_type(%rows: !mla.fragment<32x576xbf16, operand>, %lds: memref<4x32x264xf32>, %wave: index) {
  // expected-error @below {{needs waves x 32 x 264 (or more) of 'bf16' in LDS, got 'memref<4x32x264xf32>'}}
  %0 = mla.transpose %rows from 0 through %lds[%wave] : <32x576xbf16, operand>, memref<4x32x264xf32> -> <256x32xbf16, value>
  return
}

// -----

func.func @transpose_of_the_rope(%rows: !mla.fragment<16x576xbf16, operand>, %lds: memref<4x16x264xbf16>, %wave: index) {
  // expected-error @below {{first_column must be 0 or 256, got 512}}
  %0 = mla.transpose %rows from 512 through %lds[%wave] : <16x576xbf16, operand>, memref<4x16x264xbf16> -> <256x16xbf16, value>
  return
}

// -----

func.func @transpose_from_the_middle(%rows: !mla.fragment<16x576xbf16, operand>, %lds: memref<4x16x264xbf16>, %wave: index) {
  // expected-error @below {{first_column must be 0 or 256, got 128}}
  %0 = mla.transpose %rows from 128 through %lds[%wave] : <16x576xbf16, operand>, memref<4x16x264xbf16> -> <256x16xbf16, value>
  return
}

// -----

func.func @accumulate_other_tokens(%v: !mla.fragment<256x16xbf16, value>, %p: !mla.fragment<32x16xbf16, probability>, %o: !mla.fragment<256x16xf32, output>) {
  // expected-error @below {{values and probabilities must have the same tokens and element type, got '!mla.fragment<256x16xbf16, value>' and '!mla.fragment<32x16xbf16, probability>'}}
  %0 = mla.accumulate %v, %p into %o : <256x16xbf16, value>, !mla.fragment<32x16xbf16, probability> into <256x16xf32, output>
  return
}

// -----

func.func @accumulate_another_type(%v: !mla.fragment<256x32xf8E4M3FN, value>, %p: !mla.fragment<32x16xbf16, probability>, %o: !mla.fragment<256x16xf32, output>) {
  // expected-error @below {{values and probabilities must have the same tokens and element type}}
  %0 = mla.accumulate %v, %p into %o : <256x32xf8E4M3FN, value>, !mla.fragment<32x16xbf16, probability> into <256x16xf32, output>
  return
}

// -----

func.func @accumulate_nothing(%v: !mla.fragment<256x16xbf16, value>, %o: !mla.fragment<256x16xf32, output>) {
  // expected-error @below {{needs at least one term of probability}}
  %0 = "mla.accumulate"(%v, %o) : (!mla.fragment<256x16xbf16, value>, !mla.fragment<256x16xf32, output>) -> !mla.fragment<256x16xf32, output>
  return
}

// -----

func.func @accumulate_terms_of_two_types(%v: !mla.fragment<256x16xbf16, value>, %p: !mla.fragment<16x16xbf16, probability>, %r: !mla.fragment<32x16xbf16, probability>, %o: !mla.fragment<256x16xf32, output>) {
  // expected-error @below {{needs probability terms of one type, got '!mla.fragment<16x16xbf16, probability>' and '!mla.fragment<32x16xbf16, probability>'}}
  %0 = mla.accumulate %v, %p, %r into %o : <256x16xbf16, value>, !mla.fragment<16x16xbf16, probability>, !mla.fragment<32x16xbf16, probability> into <256x16xf32, output>
  return
}

// -----

func.func @rescale_scores(%s: !mla.fragment<16x16xf32, score>, %f: f32) {
  // expected-error @below {{rescales output or merged fragments, not score}}
  %0 = mla.rescale %s by %f : <16x16xf32, score>
  return
}

// -----

func.func @store_into_whole_rows(%m: !mla.fragment<256x16xf32, merged>, %out: memref<?x16x576xbf16>, %i: index) {
  // expected-error @below {{the destination must be rows x heads x 512, got 'memref<?x16x576xbf16>'}}
  mla.store %m of wave %i into %out[%i, %i, 0] : <256x16xf32, merged>, memref<?x16x576xbf16>
  return
}

// -----

func.func @store_beyond_the_latent(%m: !mla.fragment<256x16xf32, merged>, %out: memref<?x16x512xbf16>, %i: index) {
  // expected-error @below {{first_column must be 0 or 256, got 512}}
  mla.store %m of wave %i into %out[%i, %i, 512] : <256x16xf32, merged>, memref<?x16x512xbf16>
  return
}

// -----

func.func @stage_latent_only(%cache: memref<?x512xbf16>, %rows: !mla.fragment<16x1xindex, row_index>, %lds: memref<4x18x64x8xbf16>, %wave: index) {
  // expected-error @below {{the source must be rows x 576, got 'memref<?x512xbf16>'}}
  mla.stage_rows %cache[%rows] into %lds[%wave] : memref<?x512xbf16>, <16x1xindex, row_index>, memref<4x18x64x8xbf16>
  return
}

// -----

func.func @stage_into_too_few_pieces(%cache: memref<?x576xbf16>, %rows: !mla.fragment<32x1xindex, row_index>, %lds: memref<4x18x64x8xbf16>, %wave: index) {
  // expected-error @below {{a stage of 32 rows is waves x 36 x 64 x 8 of 'bf16', got 'memref<4x18x64x8xbf16>'}}
  mla.stage_rows %cache[%rows] into %lds[%wave] : memref<?x576xbf16>, <32x1xindex, row_index>, memref<4x18x64x8xbf16>
  return
}

// -----

func.func @staged_rows_of_another_type(%lds: memref<4x18x64x16xf8E4M3FN>, %wave: index) {
  // expected-error @below {{a stage of 16 rows is waves x 18 x 64 x 8 of 'bf16', got 'memref<4x18x64x16xf8E4M3FN>'}}
  %0 = mla.staged_rows %lds[%wave] : memref<4x18x64x16xf8E4M3FN> -> <16x576xbf16, operand>
  return
}

// -----

func.func @staged_values_of_the_rope(%lds: memref<4x18x64x16xf8E4M3FN>, %wave: index) {
  // expected-error @below {{first_column must be 0 or 256, got 512}}
  %0 = mla.staged_values %lds[%wave] from 512 : memref<4x18x64x16xf8E4M3FN> -> <256x32xf8E4M3FN, value>
  return
}

// -----

func.func @staged_values_of_half_the_tokens(%lds: memref<4x18x64x16xf8E4M3FN>, %wave: index) {
  // expected-error @below {{a stage of 64 rows is waves x 36 x 64 x 16 of 'f8E4M3FN', got 'memref<4x18x64x16xf8E4M3FN>'}}
  %0 = mla.staged_values %lds[%wave] from 0 : memref<4x18x64x16xf8E4M3FN> -> <256x64xf8E4M3FN, value>
  return
}
