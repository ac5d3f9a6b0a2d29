// RUN: mla-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a cache holds bf16, f8E4M3FN or f8E4M3FNUZ, not 'f16'}}
func.func private @cache_of_f16(!mla.cache<f16, page_size = 1>)

// -----

// The fp8 with five exponent bits is no cache element either.
// expected-error @below {{a cache holds bf16, f8E4M3FN or f8E4M3FNUZ, not 'f8E5M2'}}
func.func private @cache_of_e5m2(!mla.cache<f8E5M2, page_size = 1>)

// -----

// expected-error @below {{page_size must be positive, got 0}}
func.func private @cache_without_pages(!mla.cache<bf16, page_size = 0>)

// -----

// expected-error @below {{a fragment has two dimensions, got 1}}
func.func private @fragment_of_one_dimension(!mla.fragment<16xf32, score>)

// -----

// expected-error @below {{a fragment has two dimensions, got 3}}
func.func private @fragment_of_three_dimensions(!mla.fragment<1x16x16xf32, score>)

// -----

// expected-error @below {{unknown layout 'sideways'; known are operand, score, probability, value, output, merged and row_index}}
func.func private @fragment_of_unknown_layout(!mla.fragment<16x16xf32, sideways>)

// -----

// expected-error @below {{expected static shape}}
func.func private @fragment_of_dynamic_size(!mla.fragment<?x16xf32, score>)

// -----

// expected-error @below {{a fragment of layout operand has a positive multiple of 16 rows and 576 columns, got 16x512}}
func.func private @operand_of_half_a_row(!mla.fragment<16x512xbf16, operand>)

// -----

// expected-error @below {{a fragment of layout operand has a positive multiple of 16 rows and 576 columns, got 24x576}}
func.func private @operand_of_half_a_subtile(!mla.fragment<24x576xbf16, operand>)

// -----

// expected-error @below {{a fragment of layout operand holds bf16, f8E4M3FN or f8E4M3FNUZ, not 'f32'}}
func.func private @operand_of_f32(!mla.fragment<16x576xf32, operand>)

// -----

// expected-error @below {{a fragment of layout score has a positive multiple of 16 rows and 16 columns, got 0x16}}
func.func private @score_of_no_tokens(!mla.fragment<0x16xf32, score>)

// -----

// expected-error @below {{a fragment of layout score holds f32, not 'bf16'}}
func.func private @score_of_bf16(!mla.fragment<16x16xbf16, score>)

// -----

// expected-error @below {{a fragment of layout probability has a positive multiple of 16 rows and 16 columns, got 32x32}}
func.func private @probability_of_two_blocks(!mla.fragment<32x32xbf16, probability>)

// -----

// expected-error @below {{a fragment of layout probability holds bf16, f8E4M3FN or f8E4M3FNUZ, not 'f32'}}
func.func private @probability_not_rounded(!mla.fragment<32x16xf32, probability>)

// -----

// expected-error @below {{a fragment of layout value has 256 rows and a positive multiple of 16 columns, got 512x16}}
func.func private @value_of_the_whole_latent(!mla.fragment<512x16xbf16, value>)

// -----

// expected-error @below {{a fragment of layout value holds bf16, f8E4M3FN or f8E4M3FNUZ, not 'i8'}}
func.func private @value_of_bytes(!mla.fragment<256x16xi8, value>)

// -----

// expected-error @below {{a fragment of layout output has 256 rows and 16 columns, got 256x8}}
func.func private @output_of_half_a_block(!mla.fragment<256x8xf32, output>)

// -----

// expected-error @below {{a fragment of layout output holds f32, not 'bf16'}}
func.func private @output_of_bf16(!mla.fragment<256x16xbf16, output>)

// -----

// expected-error @below {{a fragment of layout merged has 256 rows and 16 columns, got 64x16}}
func.func private @merged_of_one_waves_share(!mla.fragment<64x16xf32, merged>)

// -----

// expected-error @below {{a fragment of layout merged holds f32, not 'bf16'}}
func.func private @merged_of_bf16(!mla.fragment<256x16xbf16, merged>)

// -----

// expected-error @below {{a fragment of layout row_index has a positive multiple of 16 rows and 1 columns, got 16x2}}
func.func private @row_index_of_two_columns(!mla.fragment<16x2xindex, row_index>)

// -----

// expected-error @below {{a fragment of layout row_index holds index, not 'i32'}}
func.func private @row_index_of_i32(!mla.fragment<16x1xi32, row_index>)
