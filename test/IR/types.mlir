// RUN: mla-opt %s | mla-opt | FileCheck %s

// CHECK-LABEL: func.func private @caches(
// CHECK-SAME: !mla.cache<bf16, page_size = 16>
// CHECK-SAME: !mla.cache<f8E4M3FN, page_size = 1>
// CHECK-SAME: !mla.cache<f8E4M3FNUZ, page_size = 64>
func.func private @caches(!mla.cache<bf16, page_size = 16>,
                  !mla.cache<f8E4M3FN, page_size = 1>,
                  !mla.cache<f8E4M3FNUZ, page_size = 64>)

// CHECK-LABEL: func.func private @schedule(!mla.schedule)
func.func private @schedule(!mla.schedule)

// CHECK-LABEL: func.func private @operand_of_query_and_of_keys(
// CHECK-SAME: !mla.fragment<16x576xbf16, operand>
// CHECK-SAME: !mla.fragment<32x576xf8E4M3FNUZ, operand>
func.func private @operand_of_query_and_of_keys(
    !mla.fragment<16x576xbf16, operand>,
    !mla.fragment<32x576xf8E4M3FNUZ, operand>)

// CHECK-LABEL: func.func private @score(!mla.fragment<32x16xf32, score>)
func.func private @score(!mla.fragment<32x16xf32, score>)

// CHECK-LABEL: func.func private @probability(!mla.fragment<32x16xf8E4M3FN, probability>)
func.func private @probability(!mla.fragment<32x16xf8E4M3FN, probability>)

// CHECK-LABEL: func.func private @value(!mla.fragment<256x16xbf16, value>)
func.func private @value(!mla.fragment<256x16xbf16, value>)

// CHECK-LABEL: func.func private @output(!mla.fragment<256x16xf32, output>)
func.func private @output(!mla.fragment<256x16xf32, output>)

// CHECK-LABEL: func.func private @merged(!mla.fragment<256x16xf32, merged>)
func.func private @merged(!mla.fragment<256x16xf32, merged>)

// CHECK-LABEL: func.func private @row_index(!mla.fragment<48x1xindex, row_index>)
func.func private @row_index(!mla.fragment<48x1xindex, row_index>)
