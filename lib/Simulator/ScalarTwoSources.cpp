//===- ScalarTwoSources.cpp - SOP2: two sources, one result ---------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 and CDNA4 ISA manuals, "SOP2 Instructions".
//
//===----------------------------------------------------------------------===//

#include "ScalarHelpers.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

using U32 = uint32_t;
using U64 = uint64_t;
using I32 = int32_t;
using I64 = int64_t;

MLA_SIM_INLINE U32 addCarry(Wave &wave, U32 a, U32 b, U32 carry) {
  U64 sum = U64(a) + b + carry;
  wave.scc = sum >> 32 != 0;
  return U32(sum);
}

MLA_SIM_INLINE U32 subtractBorrow(Wave &wave, U32 a, U32 b, U32 borrow) {
  wave.scc = U64(b) + borrow > a;
  return a - b - borrow;
}

template <unsigned Shift> U32 shiftAdd(Wave &wave, U32 a, U32 b) {
  U64 sum = (U64(a) << Shift) + b;
  wave.scc = sum >> 32 != 0;
  return U32(sum);
}

/// Offset and width of a bit field are packed into S1: bits 4:0 (5:0) and
/// 22:16.
template <typename T> MLA_SIM_INLINE T extract(T value, U32 field) {
  constexpr unsigned bits = sizeof(T) * 8;
  unsigned offset = field & (bits - 1);
  unsigned width = field >> 16 & 0x7F;
  value = value >> offset;
  return width >= bits ? value : T(value & ((T(1) << width) - 1));
}

/// As extract, then the field's top bit is spread upwards; an empty field is 0.
template <typename S, typename T>
MLA_SIM_INLINE T extractSigned(T value, U32 field) {
  constexpr unsigned bits = sizeof(T) * 8;
  unsigned offset = field & (bits - 1);
  unsigned width = field >> 16 & 0x7F;
  if (width == 0)
    return 0;
  S shifted = S(value) >> offset;
  if (width >= bits)
    return T(shifted);
  return T(S(T(shifted) << (bits - width)) >> (bits - width));
}

template <auto F> constexpr Handler logic32() {
  return binary32<[](Wave &w, U32 a, U32 b) { return nonZero(w, F(a, b)); }>;
}
template <auto F> constexpr Handler logic64() {
  return binary64<[](Wave &w, U64 a, U64 b) { return nonZero(w, F(a, b)); }>;
}

constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
constexpr auto kAndNot = [](auto a, auto b) { return a & ~b; };
constexpr auto kOrNot = [](auto a, auto b) { return a | ~b; };
constexpr auto kNand = [](auto a, auto b) { return ~(a & b); };
constexpr auto kNor = [](auto a, auto b) { return ~(a | b); };
constexpr auto kXnor = [](auto a, auto b) { return ~(a ^ b); };

} // namespace

void registerScalarTwoSources(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      {"s_add_u32",
       binary32<[](Wave &w, U32 a, U32 b) { return addCarry(w, a, b, 0); }>},
      {"s_addc_u32", binary32<[](Wave &w, U32 a, U32 b) {
         return addCarry(w, a, b, w.scc);
       }>},
      {"s_sub_u32", binary32<[](Wave &w, U32 a, U32 b) {
         return subtractBorrow(w, a, b, 0);
       }>},
      {"s_subb_u32", binary32<[](Wave &w, U32 a, U32 b) {
         return subtractBorrow(w, a, b, w.scc);
       }>},
      {"s_add_i32", binary32<[](Wave &w, U32 a, U32 b) {
         w.scc = (~(a ^ b) & (a ^ (a + b))) >> 31;
         return a + b;
       }>},
      {"s_sub_i32", binary32<[](Wave &w, U32 a, U32 b) {
         w.scc = ((a ^ b) & (a ^ (a - b))) >> 31;
         return a - b;
       }>},
      {"s_min_i32", binary32<[](Wave &w, U32 a, U32 b) {
         w.scc = I32(a) < I32(b);
         return w.scc ? a : b;
       }>},
      {"s_min_u32", binary32<[](Wave &w, U32 a, U32 b) {
         w.scc = a < b;
         return w.scc ? a : b;
       }>},
      {"s_max_i32", binary32<[](Wave &w, U32 a, U32 b) {
         w.scc = I32(a) >= I32(b);
         return w.scc ? a : b;
       }>},
      {"s_max_u32", binary32<[](Wave &w, U32 a, U32 b) {
         w.scc = a >= b;
         return w.scc ? a : b;
       }>},
      {"s_cselect_b32",
       binary32<[](Wave &w, U32 a, U32 b) { return w.scc ? a : b; }>},
      {"s_cselect_b64",
       binary64<[](Wave &w, U64 a, U64 b) { return w.scc ? a : b; }>},
      {"s_and_b32", logic32<kAnd>()},
      {"s_and_b64", logic64<kAnd>()},
      {"s_or_b32", logic32<kOr>()},
      {"s_or_b64", logic64<kOr>()},
      {"s_xor_b32", logic32<kXor>()},
      {"s_xor_b64", logic64<kXor>()},
      {"s_andn2_b32", logic32<kAndNot>()},
      {"s_andn2_b64", logic64<kAndNot>()},
      {"s_orn2_b32", logic32<kOrNot>()},
      {"s_orn2_b64", logic64<kOrNot>()},
      {"s_nand_b32", logic32<kNand>()},
      {"s_nand_b64", logic64<kNand>()},
      {"s_nor_b32", logic32<kNor>()},
      {"s_nor_b64", logic64<kNor>()},
      {"s_xnor_b32", logic32<kXnor>()},
      {"s_xnor_b64", logic64<kXnor>()},
      {"s_lshl_b32", binary32<[](Wave &w, U32 a, U32 b) {
         return nonZero(w, a << (b & 31));
       }>},
      {"s_lshl_b64", binary64by32<[](Wave &w, U64 a, U32 b) {
         return nonZero(w, a << (b & 63));
       }>},
      {"s_lshr_b32", binary32<[](Wave &w, U32 a, U32 b) {
         return nonZero(w, a >> (b & 31));
       }>},
      {"s_lshr_b64", binary64by32<[](Wave &w, U64 a, U32 b) {
         return nonZero(w, a >> (b & 63));
       }>},
      {"s_ashr_i32", binary32<[](Wave &w, U32 a, U32 b) {
         return nonZero(w, U32(I32(a) >> (b & 31)));
       }>},
      {"s_ashr_i64", binary64by32<[](Wave &w, U64 a, U32 b) {
         return nonZero(w, U64(I64(a) >> (b & 63)));
       }>},
      {"s_bfm_b32", binary32<[](Wave &, U32 a, U32 b) {
         return ((U32(1) << (a & 31)) - 1) << (b & 31);
       }>},
      {"s_bfm_b64", binary32to64<[](Wave &, U32 a, U32 b) {
         return ((U64(1) << (a & 63)) - 1) << (b & 63);
       }>},
      {"s_mul_i32", binary32<[](Wave &, U32 a, U32 b) { return a * b; }>},
      {"s_mul_hi_u32",
       binary32<[](Wave &, U32 a, U32 b) { return U32(U64(a) * b >> 32); }>},
      {"s_mul_hi_i32", binary32<[](Wave &, U32 a, U32 b) {
         return U32(I64(I32(a)) * I32(b) >> 32);
       }>},
      {"s_bfe_u32", binary32<[](Wave &w, U32 a, U32 b) {
         return nonZero(w, extract(a, b));
       }>},
      {"s_bfe_i32", binary32<[](Wave &w, U32 a, U32 b) {
         return nonZero(w, extractSigned<I32>(a, b));
       }>},
      {"s_bfe_u64", binary64by32<[](Wave &w, U64 a, U32 b) {
         return nonZero(w, extract(a, b));
       }>},
      {"s_bfe_i64", binary64by32<[](Wave &w, U64 a, U32 b) {
         return nonZero(w, extractSigned<I64>(a, b));
       }>},
      {"s_absdiff_i32", binary32<[](Wave &w, U32 a, U32 b) {
         U32 difference = a - b;
         return nonZero(w, I32(difference) < 0 ? 0 - difference : difference);
       }>},
      {"s_lshl1_add_u32", binary32<shiftAdd<1>>},
      {"s_lshl2_add_u32", binary32<shiftAdd<2>>},
      {"s_lshl3_add_u32", binary32<shiftAdd<3>>},
      {"s_lshl4_add_u32", binary32<shiftAdd<4>>},
      {"s_pack_ll_b32_b16",
       binary32<[](Wave &, U32 a, U32 b) { return (a & 0xFFFF) | b << 16; }>},
      {"s_pack_lh_b32_b16", binary32<[](Wave &, U32 a, U32 b) {
         return (a & 0xFFFF) | (b & 0xFFFF0000);
       }>},
      {"s_pack_hh_b32_b16", binary32<[](Wave &, U32 a, U32 b) {
         return a >> 16 | (b & 0xFFFF0000);
       }>},
  };
  table.add(rows, InstructionClass::Salu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
