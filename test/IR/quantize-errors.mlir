// RUN: mla-opt %s -split-input-file -verify-diagnostics

func.func @amax_of_latent_only(%q: tensor<?x16x512xbf16>) {
  // expected-error @below {{q must be total_q x heads x 576, got 'tensor<?x16x512xbf16>'}}
  %0 = mla.amax %q : tensor<?x16x512xbf16> -> tensor<?xf32>
  return
}

// -----

func.func @amax_of_f32(%q: tensor<?x16x576xf32>) {
  // expected-error @below {{q must hold bf16, got 'tensor<?x16x576xf32>'}}
  %0 = mla.amax %q : tensor<?x16x576xf32> -> tensor<?xf32>
  return
}

// -----

func.func @one_amax_of_four_tokens(%q: tensor<4x16x576xbf16>) {
  // expected-error @below {{amax must be one f32 a token of q, got 'tensor<1xf32>'}}
  %0 = mla.amax %q : tensor<4x16x576xbf16> -> tensor<1xf32>
  return
}

// -----

func.func @quantize_dynamic_heads(%q: tensor<?x?x576xbf16>, %s: tensor<1xf32>) {
  // expected-error @below {{q needs a static, positive number of heads, got 'tensor<?x?x576xbf16>'}}
  %0 = mla.quantize %q scale(%s) : tensor<?x?x576xbf16>, tensor<1xf32> -> tensor<?x16x576xf8E4M3FN>
  return
}

// -----

func.func @quantize_fp8_again(%q: tensor<?x16x576xf8E4M3FN>, %s: tensor<1xf32>) {
  // expected-error @below {{q must hold bf16, got 'tensor<?x16x576xf8E4M3FN>'}}
  %0 = mla.quantize %q scale(%s) : tensor<?x16x576xf8E4M3FN>, tensor<1xf32> -> tensor<?x16x576xf8E4M3FN>
  return
}

// -----

func.func @a_scale_for_each_token(%q: tensor<4x16x576xbf16>, %s: tensor<4xf32>) {
  // expected-error @below {{scale must be one f32 (tensor<1xf32>), got 'tensor<4xf32>'}}
  %0 = mla.quantize %q scale(%s) : tensor<4x16x576xbf16>, tensor<4xf32> -> tensor<4x16x576xf8E4M3FN>
  return
}

// -----

func.func @neither_scale_nor_amax(%q: tensor<?x16x576xbf16>) {
  // expected-error @below {{takes either scale or amax}}
  %0 = mla.quantize %q : tensor<?x16x576xbf16> -> tensor<?x16x576xf8E4M3FN>
  return
}

// -----

func.func @scale_and_amax(%q: tensor<?x16x576xbf16>, %s: tensor<1xf32>, %amax: tensor<?xf32>) {
  // expected-error @below {{takes either scale or amax}}
  %0 = mla.quantize %q scale(%s) amax(%amax) : tensor<?x16x576xbf16>, tensor<1xf32>, tensor<?xf32>
      -> tensor<?x16x576xf8E4M3FN>
  return
}

// -----

func.func @amax_without_scale_returned(%q: tensor<?x16x576xbf16>, %amax: tensor<?xf32>) {
  // expected-error @below {{returns the scale with amax, and only the quantised Q with scale}}
  %0 = mla.quantize %q amax(%amax) : tensor<?x16x576xbf16>, tensor<?xf32> -> tensor<?x16x576xf8E4M3FN>
  return
}

// -----

func.func @scale_returned_again(%q: tensor<?x16x576xbf16>, %s: tensor<1xf32>) {
  // expected-error @below {{returns the scale with amax, and only the quantised Q with scale}}
  %0, %1 = mla.quantize %q scale(%s) : tensor<?x16x576xbf16>, tensor<1xf32>
      -> tensor<?x16x576xf8E4M3FN>, tensor<1xf32>
  return
}

// -----

func.func @amax_of_other_tokens(%q: tensor<4x16x576xbf16>, %amax: tensor<5xf32>) {
  // expected-error @below {{amax must be one f32 a token of q, got 'tensor<5xf32>'}}
  %0, %1 = mla.quantize %q amax(%amax) : tensor<4x16x576xbf16>, tensor<5xf32>
      -> tensor<4x16x576xf8E4M3FN>, tensor<1xf32>
  return
}

// -----

func.func @a_scale_found_for_each_token(%q: tensor<4x16x576xbf16>, %amax: tensor<4xf32>) {
  // expected-error @below {{the scale found must be one f32 (tensor<1xf32>), got 'tensor<4xf32>'}}
  %0, %1 = mla.quantize %q amax(%amax) : tensor<4x16x576xbf16>, tensor<4xf32>
      -> tensor<4x16x576xf8E4M3FN>, tensor<4xf32>
  return
}

// -----

func.func @other_heads(%q: tensor<?x16x576xbf16>, %s: tensor<1xf32>) {
  // expected-error @below {{the quantised Q must be shaped like q, got 'tensor<?x32x576xf8E4M3FN>'}}
  %0 = mla.quantize %q scale(%s) : tensor<?x16x576xbf16>, tensor<1xf32> -> tensor<?x32x576xf8E4M3FN>
  return
}

// -----

func.func @to_another_fp8(%q: tensor<?x16x576xbf16>, %s: tensor<1xf32>) {
  // expected-error @below {{the quantised Q must hold f8E4M3FN or f8E4M3FNUZ, got 'tensor<?x16x576xf8E5M2>'}}
  %0 = mla.quantize %q scale(%s) : tensor<?x16x576xbf16>, tensor<1xf32> -> tensor<?x16x576xf8E5M2>
  return
}
