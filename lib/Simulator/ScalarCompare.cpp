//===- ScalarCompare.cpp - SOPC and the comparisons of SOPK ---------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 and CDNA4 ISA manuals, "SOPC Instructions" and "SOPK
// Instructions".
//
//===----------------------------------------------------------------------===//

#include "ScalarHelpers.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

using U32 = uint32_t;
using U64 = uint64_t;
using I32 = int32_t;

template <typename T, auto F> constexpr Handler compare() {
  return compare32<[](U32 a, U32 b) { return F(T(a), T(b)); }>;
}

/// The immediate is sign extended for i32 and zero extended for u32.
template <auto F>
void compareImmediateSigned(Wave &wave, const Instruction &inst) {
  wave.scc = F(I32(wave.sgpr[inst.ops[0].index]), I32(int16_t(inst.imm16)));
}
template <auto F>
void compareImmediateUnsigned(Wave &wave, const Instruction &inst) {
  wave.scc = F(wave.sgpr[inst.ops[0].index], U32(inst.imm16));
}

constexpr auto kEqual = [](auto a, auto b) { return a == b; };
constexpr auto kNotEqual = [](auto a, auto b) { return a != b; };
constexpr auto kGreater = [](auto a, auto b) { return a > b; };
constexpr auto kGreaterEqual = [](auto a, auto b) { return a >= b; };
constexpr auto kLess = [](auto a, auto b) { return a < b; };
constexpr auto kLessEqual = [](auto a, auto b) { return a <= b; };

} // namespace

void registerScalarCompare(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      {"s_cmp_eq_i32", compare<I32, kEqual>()},
      {"s_cmp_lg_i32", compare<I32, kNotEqual>()},
      {"s_cmp_gt_i32", compare<I32, kGreater>()},
      {"s_cmp_ge_i32", compare<I32, kGreaterEqual>()},
      {"s_cmp_lt_i32", compare<I32, kLess>()},
      {"s_cmp_le_i32", compare<I32, kLessEqual>()},
      {"s_cmp_eq_u32", compare<U32, kEqual>()},
      {"s_cmp_lg_u32", compare<U32, kNotEqual>()},
      {"s_cmp_gt_u32", compare<U32, kGreater>()},
      {"s_cmp_ge_u32", compare<U32, kGreaterEqual>()},
      {"s_cmp_lt_u32", compare<U32, kLess>()},
      {"s_cmp_le_u32", compare<U32, kLessEqual>()},
      {"s_cmp_eq_u64", compare64<[](U64 a, U64 b) { return a == b; }>},
      {"s_cmp_lg_u64", compare64<[](U64 a, U64 b) { return a != b; }>},
      {"s_bitcmp0_b32",
       compare32<[](U32 a, U32 b) { return (a >> (b & 31) & 1) == 0; }>},
      {"s_bitcmp1_b32",
       compare32<[](U32 a, U32 b) { return (a >> (b & 31) & 1) == 1; }>},
      {"s_bitcmp0_b64",
       compare64by32<[](U64 a, U32 b) { return (a >> (b & 63) & 1) == 0; }>},
      {"s_bitcmp1_b64",
       compare64by32<[](U64 a, U32 b) { return (a >> (b & 63) & 1) == 1; }>},
      {"s_cmpk_eq_i32", compareImmediateSigned<kEqual>},
      {"s_cmpk_lg_i32", compareImmediateSigned<kNotEqual>},
      {"s_cmpk_gt_i32", compareImmediateSigned<kGreater>},
      {"s_cmpk_ge_i32", compareImmediateSigned<kGreaterEqual>},
      {"s_cmpk_lt_i32", compareImmediateSigned<kLess>},
      {"s_cmpk_le_i32", compareImmediateSigned<kLessEqual>},
      {"s_cmpk_eq_u32", compareImmediateUnsigned<kEqual>},
      {"s_cmpk_lg_u32", compareImmediateUnsigned<kNotEqual>},
      {"s_cmpk_gt_u32", compareImmediateUnsigned<kGreater>},
      {"s_cmpk_ge_u32", compareImmediateUnsigned<kGreaterEqual>},
      {"s_cmpk_lt_u32", compareImmediateUnsigned<kLess>},
      {"s_cmpk_le_u32", compareImmediateUnsigned<kLessEqual>},
  };
  table.add(rows, InstructionClass::Salu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
