// RUN: mla-opt %s -split-input-file -verify-diagnostics

func.func @no_heads(%qo: tensor<?xi32>, %kv: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{heads must be positive, got 0}}
  %0 = mla.schedule queries(%qo) pages(%kv, %last) {heads = 0 : i64, page_size = 1 : i64}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @no_page_size(%qo: tensor<?xi32>, %kv: tensor<?xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{page_size must be positive, got -16}}
  %0 = mla.schedule queries(%qo) pages(%kv, %last) {heads = 16 : i64, page_size = -16 : i64}
      : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>
  return
}

// -----

func.func @indptrs_of_different_batches(%qo: tensor<5xi32>, %kv: tensor<9xi32>, %last: tensor<?xi32>) {
  // expected-error @below {{qo_indptr and kv_indptr must have the same length, got 5 and 9}}
  %0 = mla.schedule queries(%qo) pages(%kv, %last) {heads = 16 : i64, page_size = 1 : i64}
      : tensor<5xi32>, tensor<9xi32>, tensor<?xi32>
  return
}

// -----

func.func @last_page_len_as_long_as_the_indptrs(%qo: tensor<5xi32>, %kv: tensor<?xi32>, %last: tensor<5xi32>) {
  // expected-error @below {{kv_last_page_len has one entry a sequence, the indptrs one more; got 5 and 5}}
  %0 = mla.schedule queries(%qo) pages(%kv, %last) {heads = 16 : i64, page_size = 1 : i64}
      : tensor<5xi32>, tensor<?xi32>, tensor<5xi32>
  return
}
