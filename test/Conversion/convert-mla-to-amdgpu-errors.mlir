// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx942 -split-input-file -verify-diagnostics

// expected-error @below {{carries no mla.tile; it is not a module of mla kernels}}
gpu.module @not_of_mla {
}

// -----

gpu.module @fp8_of_the_other_chip attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {
  gpu.func @load(%cache: memref<?x576xf8E4M3FN>, %i: index) {
    %rows = mla.query_rows %i, %i of 16 : <16x1xindex, row_index>
    // expected-error @below {{holds 'f8E4M3FN', but gfx942 takes bf16 and 'f8E4M3FNUZ'}}
    %0 = mla.load_rows %cache[%rows] : memref<?x576xf8E4M3FN>, <16x1xindex, row_index> -> <16x576xf8E4M3FN, operand>
    gpu.return
  }
}

// -----

gpu.module @probabilities_of_the_other_chip attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {
  gpu.func @softmax(%i: index, %x: f32) {
    %scores = builtin.unrealized_conversion_cast to !mla.fragment<32x16xf32, score>
    // expected-error @below {{holds 'f8E4M3FN', but gfx942 takes bf16 and 'f8E4M3FNUZ'}}
    %p, %newMax, %newSum, %correction = mla.online_softmax %scores
        tokens(%i to %i) scale %x state(%x, %x) bias 0.0
        : <32x16xf32, score> -> !mla.fragment<32x16xf8E4M3FN, probability>
    gpu.return
  }
}

// -----

gpu.module @fewer_probabilities_than_a_product_takes attributes {mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>} {
  gpu.func @softmax(%i: index, %x: f32) {
    %scores = builtin.unrealized_conversion_cast to !mla.fragment<16x16xf32, score>
    // expected-error @below {{has 16 tokens of 'f8E4M3FNUZ', but gfx942 multiplies 32 at a time}}
    %p, %newMax, %newSum, %correction = mla.online_softmax %scores
        tokens(%i to %i) scale %x state(%x, %x) bias 0.0
        : <16x16xf32, score> -> !mla.fragment<16x16xf8E4M3FNUZ, probability>
    gpu.return
  }
}

// -----

gpu.module @fewer_values_than_a_product_takes attributes {mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>} {
  gpu.func @turn(%lds: memref<4x16x272xf8E4M3FNUZ, #gpu.address_space<workgroup>>, %wave: index) {
    %keys = builtin.unrealized_conversion_cast to !mla.fragment<16x576xf8E4M3FNUZ, operand>
    // expected-error @below {{has 16 tokens of 'f8E4M3FNUZ', but gfx942 multiplies 32 at a time}}
    %values = mla.transpose %keys from 0 through %lds[%wave] : <16x576xf8E4M3FNUZ, operand>, memref<4x16x272xf8E4M3FNUZ, #gpu.address_space<workgroup>> -> <256x16xf8E4M3FNUZ, value>
    gpu.return
  }
}

// -----

gpu.module @scratch_of_fewer_matrices_than_waves attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {
  gpu.func @merge(%lds: memref<4x2x64x4xf32, #gpu.address_space<workgroup>>, %wave: index) {
    %output = mla.zero : <256x16xf32, output>
    // expected-error @below {{needs scratch memory for a part of each wave's 4 matrices that all 4 waves share alike, got 'memref<4x2x64x4xf32, #gpu.address_space<workgroup>>'}}
    // expected-error @below {{failed to legalize operation 'mla.merge_output'}}
    %merged = mla.merge_output %output through %lds[%wave] : <256x16xf32, output>, memref<4x2x64x4xf32, #gpu.address_space<workgroup>> -> <256x16xf32, merged>
    gpu.return
  }
}

// -----

gpu.module @scratch_that_does_not_divide_among_waves attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {
  gpu.func @merge(%lds: memref<4x6x64x4xf32, #gpu.address_space<workgroup>>, %wave: index) {
    %output = mla.zero : <256x16xf32, output>
    // expected-error @below {{needs scratch memory for a part of each wave's 4 matrices that all 4 waves share alike, got 'memref<4x6x64x4xf32, #gpu.address_space<workgroup>>'}}
    // expected-error @below {{failed to legalize operation 'mla.merge_output'}}
    %merged = mla.merge_output %output through %lds[%wave] : <256x16xf32, output>, memref<4x6x64x4xf32, #gpu.address_space<workgroup>> -> <256x16xf32, merged>
    gpu.return
  }
}

// -----

gpu.module @turned_by_lds attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 2>} {
  gpu.func @read(%stage: memref<4x18x64x8xbf16, #gpu.address_space<workgroup>>, %wave: index) {
    // expected-error @below {{needs a chip whose LDS turns matrices; gfx942 has no such reads}}
    // expected-error @below {{failed to legalize operation 'mla.staged_values'}}
    %values = mla.staged_values %stage[%wave] from 0 : memref<4x18x64x8xbf16, #gpu.address_space<workgroup>> -> <256x16xbf16, value>
    gpu.return
  }
}
