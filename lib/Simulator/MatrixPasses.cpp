//===- MatrixPasses.cpp - Passes of matrix instructions -------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sources: gfx942: CDNA3 ISA, "Dependency Resolution: Required Independent
// Instructions", with which the cycles in AMD's matrix instruction calculator
// and the resource cycles in LLVM 22 (SISchedule.td) agree for every row.
// gfx950: LLVM 22, SISchedule.td; its peak rates follow from them (2.5 PFLOP/s
// of f16, 5 of fp8 and 10 of fp4 on 256 compute units at 2.4 GHz).
//
//===----------------------------------------------------------------------===//

#include "MatrixPasses.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

using namespace mla::sim;

namespace {

struct Row {
  std::string_view mnemonic;
  uint8_t gfx942, gfx950; ///< 0: the chip has no such instruction.
};

/// Sorted by mnemonic.
constexpr Row kRows[] = {
    {"v_mfma_f32_16x16x16_bf16", 4, 4},
    {"v_mfma_f32_16x16x16_f16", 4, 4},
    {"v_mfma_f32_16x16x1_4b_f32", 8, 8},
    {"v_mfma_f32_16x16x32_bf16", 0, 4},
    {"v_mfma_f32_16x16x32_bf8_bf8", 4, 4},
    {"v_mfma_f32_16x16x32_bf8_fp8", 4, 4},
    {"v_mfma_f32_16x16x32_f16", 0, 4},
    {"v_mfma_f32_16x16x32_fp8_bf8", 4, 4},
    {"v_mfma_f32_16x16x32_fp8_fp8", 4, 4},
    {"v_mfma_f32_16x16x4_4b_bf16", 8, 8},
    {"v_mfma_f32_16x16x4_4b_f16", 8, 8},
    {"v_mfma_f32_16x16x4_f32", 8, 8},
    {"v_mfma_f32_16x16x8_xf32", 4, 0},
    {"v_mfma_f32_32x32x16_bf16", 0, 8},
    {"v_mfma_f32_32x32x16_bf8_bf8", 8, 8},
    {"v_mfma_f32_32x32x16_bf8_fp8", 8, 8},
    {"v_mfma_f32_32x32x16_f16", 0, 8},
    {"v_mfma_f32_32x32x16_fp8_bf8", 8, 8},
    {"v_mfma_f32_32x32x16_fp8_fp8", 8, 8},
    {"v_mfma_f32_32x32x1_2b_f32", 16, 16},
    {"v_mfma_f32_32x32x2_f32", 16, 16},
    {"v_mfma_f32_32x32x4_2b_bf16", 16, 16},
    {"v_mfma_f32_32x32x4_2b_f16", 16, 16},
    {"v_mfma_f32_32x32x4_xf32", 8, 0},
    {"v_mfma_f32_32x32x8_bf16", 8, 8},
    {"v_mfma_f32_32x32x8_f16", 8, 8},
    {"v_mfma_f32_4x4x1_16b_f32", 2, 2},
    {"v_mfma_f32_4x4x4_16b_bf16", 2, 2},
    {"v_mfma_f32_4x4x4_16b_f16", 2, 2},
    {"v_mfma_f64_16x16x4_f64", 8, 16},
    {"v_mfma_f64_4x4x4_4b_f64", 4, 4},
    {"v_mfma_i32_16x16x32_i8", 4, 4},
    {"v_mfma_i32_16x16x4_4b_i8", 8, 8},
    {"v_mfma_i32_16x16x64_i8", 0, 4},
    {"v_mfma_i32_32x32x16_i8", 8, 8},
    {"v_mfma_i32_32x32x32_i8", 0, 8},
    {"v_mfma_i32_32x32x4_2b_i8", 16, 16},
    {"v_mfma_i32_4x4x4_16b_i8", 2, 2},
    {"v_smfmac_f32_16x16x128_bf8_bf8", 0, 4},
    {"v_smfmac_f32_16x16x128_bf8_fp8", 0, 4},
    {"v_smfmac_f32_16x16x128_fp8_bf8", 0, 4},
    {"v_smfmac_f32_16x16x128_fp8_fp8", 0, 4},
    {"v_smfmac_f32_16x16x32_bf16", 4, 4},
    {"v_smfmac_f32_16x16x32_f16", 4, 4},
    {"v_smfmac_f32_16x16x64_bf16", 0, 4},
    {"v_smfmac_f32_16x16x64_bf8_bf8", 4, 4},
    {"v_smfmac_f32_16x16x64_bf8_fp8", 4, 4},
    {"v_smfmac_f32_16x16x64_f16", 0, 4},
    {"v_smfmac_f32_16x16x64_fp8_bf8", 4, 4},
    {"v_smfmac_f32_16x16x64_fp8_fp8", 4, 4},
    {"v_smfmac_f32_32x32x16_bf16", 8, 8},
    {"v_smfmac_f32_32x32x16_f16", 8, 8},
    {"v_smfmac_f32_32x32x32_bf16", 0, 8},
    {"v_smfmac_f32_32x32x32_bf8_bf8", 8, 8},
    {"v_smfmac_f32_32x32x32_bf8_fp8", 8, 8},
    {"v_smfmac_f32_32x32x32_f16", 0, 8},
    {"v_smfmac_f32_32x32x32_fp8_bf8", 8, 8},
    {"v_smfmac_f32_32x32x32_fp8_fp8", 8, 8},
    {"v_smfmac_f32_32x32x64_bf8_bf8", 0, 8},
    {"v_smfmac_f32_32x32x64_bf8_fp8", 0, 8},
    {"v_smfmac_f32_32x32x64_fp8_bf8", 0, 8},
    {"v_smfmac_f32_32x32x64_fp8_fp8", 0, 8},
    {"v_smfmac_i32_16x16x128_i8", 0, 4},
    {"v_smfmac_i32_16x16x64_i8", 4, 4},
    {"v_smfmac_i32_32x32x32_i8", 8, 8},
    {"v_smfmac_i32_32x32x64_i8", 0, 8},
};
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows),
                             [](const Row &a, const Row &b) {
                               return a.mnemonic < b.mnemonic;
                             }));

/// Instructions whose operands' formats decide: twice the passes when A or B
/// has elements of 8 bits.
struct MixedRow {
  std::string_view mnemonic;
  uint8_t narrow, wide;
};
constexpr MixedRow kMixedRows[] = {
    {"v_mfma_f32_16x16x128_f8f6f4", 4, 8},
    {"v_mfma_f32_32x32x64_f8f6f4", 8, 16},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", 4, 8},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", 8, 16},
};

/// Formats 0 and 1 of cbsz and blgp are fp8 and bf8 (CDNA4 ISA, "MFMA with
/// mixed formats").
constexpr bool isWide(uint8_t format) { return format < 2; }

} // namespace

unsigned mla::sim::matrixPasses(const Instruction &inst, bool gfx950) {
  std::string_view mnemonic = inst.mnemonic;
  for (const MixedRow &row : kMixedRows)
    if (row.mnemonic == mnemonic)
      return isWide(inst.mods.cbsz) || isWide(inst.mods.blgp) ? row.wide
                                                              : row.narrow;
  const Row *row = std::lower_bound(
      std::begin(kRows), std::end(kRows), mnemonic,
      [](const Row &a, std::string_view b) { return a.mnemonic < b; });
  if (row == std::end(kRows) || row->mnemonic != mnemonic)
    return 0;
  return gfx950 ? row->gfx950 : row->gfx942;
}
