// RUN: mla-opt %s -split-input-file -verify-diagnostics

func.func @out_changes_its_type(%out: tensor<?x16x512xbf16>, %lse: tensor<?x16xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{passes out and lse through with their types}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xf32>, tensor<?x16xf32>
  return
}

// -----

func.func @lse_changes_its_type(%out: tensor<?x16x512xbf16>, %lse: tensor<?x16xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{passes out and lse through with their types}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<4x16xf32>
  return
}

// -----

func.func @out_of_whole_rows(%out: tensor<?x16x576xbf16>, %lse: tensor<?x16xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{out must be total_q x heads x 512, got 'tensor<?x16x576xbf16>'}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x16x576xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x576xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @out_of_dynamic_heads(%out: tensor<?x?x512xbf16>, %lse: tensor<?x16xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{out needs a static, positive number of heads, got 'tensor<?x?x512xbf16>'}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x?x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x?x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @out_of_f16(%out: tensor<?x16x512xf16>, %lse: tensor<?x16xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{out must hold bf16 or f32, got 'tensor<?x16x512xf16>'}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x16x512xf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xf16>, tensor<?x16xf32>
  return
}

// -----

func.func @lse_of_other_heads(%out: tensor<?x16x512xbf16>, %lse: tensor<?x8xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{lse must be total_q x heads, got 'tensor<?x8xf32>'}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x16x512xbf16>, tensor<?x8xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x8xf32>
  return
}

// -----

func.func @lse_of_other_tokens(%out: tensor<4x16x512xbf16>, %lse: tensor<5x16xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{lse must be total_q x heads, got 'tensor<5x16xf32>'}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<4x16x512xbf16>, tensor<5x16xf32>, tensor<?x16x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<4x16x512xbf16>, tensor<5x16xf32>
  return
}

// -----

func.func @partial_o_of_all_heads(%out: tensor<?x16x512xbf16>, %lse: tensor<?x16xf32>,
    %o: tensor<?x128x512xf32>, %ml: tensor<?x2x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{partial_o must be partials x 16 x 512, got 'tensor<?x128x512xf32>'}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x128x512xf32>,
        tensor<?x2x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}

// -----

func.func @partial_ml_without_sums(%out: tensor<?x16x512xbf16>, %lse: tensor<?x16xf32>,
    %o: tensor<?x16x512xf32>, %ml: tensor<?x1x16xf32>, %schedule: !mla.schedule) {
  // expected-error @below {{partial_ml must be partials x 2 x 16, got 'tensor<?x1x16xf32>'}}
  %0, %1 = mla.combine %out, %lse partials(%o, %ml) schedule(%schedule)
      : tensor<?x16x512xbf16>, tensor<?x16xf32>, tensor<?x16x512xf32>,
        tensor<?x1x16xf32>, !mla.schedule -> tensor<?x16x512xbf16>, tensor<?x16xf32>
  return
}
