//===- ScalarOneSource.cpp - SOP1: one source, one result -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 and CDNA4 ISA manuals, "SOP1 Instructions".
//
//===----------------------------------------------------------------------===//

#include "ScalarHelpers.h"

#include <bit>

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

using U32 = uint32_t;
using U64 = uint64_t;

template <typename T> MLA_SIM_INLINE T wholeQuads(T value) {
  T any = value | value >> 1;
  any |= any >> 2;
  any &= T(0x1111111111111111);
  return any * 15;
}

template <typename T> MLA_SIM_INLINE T quadMask(T value) {
  T mask = 0;
  for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad)
    mask |= T((value >> (4 * quad) & 15) != 0) << quad;
  return mask;
}

template <typename T> MLA_SIM_INLINE T reverseBits(T value) {
  return sizeof(T) == 8 ? T(__builtin_bitreverse64(value))
                        : T(__builtin_bitreverse32(U32(value)));
}

template <typename T> MLA_SIM_INLINE U32 firstOne(T value) {
  return value ? U32(std::countr_zero(value)) : ~0u;
}

template <typename T> MLA_SIM_INLINE U32 leadingZeros(T value) {
  return value ? U32(std::countl_zero(value)) : ~0u;
}

/// Leading bits that equal the sign; -1 where all do.
template <typename T> MLA_SIM_INLINE U32 leadingSigns(T value) {
  T flipped = T(value >> (sizeof(T) * 8 - 1)) ? T(~value) : value;
  return leadingZeros(flipped);
}

/// Saves EXEC in D and sets EXEC = f(S0, EXEC).
template <auto F> void saveExec(Wave &wave, const Instruction &inst) {
  U64 source = wave.scalar64(inst.ops[1]);
  U64 old = wave.exec();
  U64 value = F(source, old);
  wave.writeSgpr64(inst.ops[0].index, old);
  wave.setExec(value);
  wave.scc = value != 0;
}

/// Sets both EXEC and D to f(S0, EXEC).
template <auto F> void writeExec(Wave &wave, const Instruction &inst) {
  U64 value = F(wave.scalar64(inst.ops[1]), wave.exec());
  wave.setExec(value);
  wave.writeSgpr64(inst.ops[0].index, value);
  wave.scc = value != 0;
}

void conditionalMove32(Wave &wave, const Instruction &inst) {
  if (wave.scc)
    wave.writeSgpr(inst.ops[0].index, wave.scalar32(inst.ops[1]));
}

void conditionalMove64(Wave &wave, const Instruction &inst) {
  if (wave.scc)
    wave.writeSgpr64(inst.ops[0].index, wave.scalar64(inst.ops[1]));
}

template <bool Value> void setBit32(Wave &wave, const Instruction &inst) {
  U32 bit = U32(1) << (wave.scalar32(inst.ops[1]) & 31);
  U32 old = wave.sgpr[inst.ops[0].index];
  wave.writeSgpr(inst.ops[0].index, Value ? old | bit : old & ~bit);
}

template <bool Value> void setBit64(Wave &wave, const Instruction &inst) {
  U64 bit = U64(1) << (wave.scalar32(inst.ops[1]) & 63);
  U64 old = wave.readSgpr64(inst.ops[0].index);
  wave.writeSgpr64(inst.ops[0].index, Value ? old | bit : old & ~bit);
}

/// The register `m0` further on; false with a fault if there is none.
bool relative(Wave &wave, const Instruction &inst, U32 index, U32 dwords,
              U32 &result) {
  U64 sum = U64(index) + wave.sgpr[kM0];
  if (sum + dwords > kM0) {
    wave.fault(inst, -1, "the relative register s%llu does not exist",
               static_cast<unsigned long long>(sum));
    return false;
  }
  result = U32(sum);
  return true;
}

void moveRelativeSource32(Wave &wave, const Instruction &inst) {
  U32 from;
  if (relative(wave, inst, inst.ops[1].index, 1, from))
    wave.writeSgpr(inst.ops[0].index, wave.sgpr[from]);
}
void moveRelativeSource64(Wave &wave, const Instruction &inst) {
  U32 from;
  if (relative(wave, inst, inst.ops[1].index, 2, from))
    wave.writeSgpr64(inst.ops[0].index, wave.readSgpr64(from));
}
void moveRelativeDestination32(Wave &wave, const Instruction &inst) {
  U32 to;
  if (relative(wave, inst, inst.ops[0].index, 1, to))
    wave.writeSgpr(to, wave.scalar32(inst.ops[1]));
}
void moveRelativeDestination64(Wave &wave, const Instruction &inst) {
  U32 to;
  if (relative(wave, inst, inst.ops[0].index, 2, to))
    wave.writeSgpr64(to, wave.scalar64(inst.ops[1]));
}

} // namespace

void registerScalarOneSource(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      {"s_mov_b32", unary32<[](Wave &, U32 a) { return a; }>},
      {"s_mov_b64", unary64<[](Wave &, U64 a) { return a; }>},
      {"s_cmov_b32", conditionalMove32},
      {"s_cmov_b64", conditionalMove64},
      {"s_not_b32", unary32<[](Wave &w, U32 a) { return nonZero(w, ~a); }>},
      {"s_not_b64", unary64<[](Wave &w, U64 a) { return nonZero(w, ~a); }>},
      {"s_wqm_b32",
       unary32<[](Wave &w, U32 a) { return nonZero(w, wholeQuads(a)); }>},
      {"s_wqm_b64",
       unary64<[](Wave &w, U64 a) { return nonZero(w, wholeQuads(a)); }>},
      {"s_brev_b32", unary32<[](Wave &, U32 a) { return reverseBits(a); }>},
      {"s_brev_b64", unary64<[](Wave &, U64 a) { return reverseBits(a); }>},
      {"s_bcnt0_i32_b32", unary32<[](Wave &w, U32 a) {
         return nonZero(w, U32(std::popcount(~a)));
       }>},
      {"s_bcnt0_i32_b64", unary64to32<[](Wave &w, U64 a) {
         return nonZero(w, U32(std::popcount(~a)));
       }>},
      {"s_bcnt1_i32_b32", unary32<[](Wave &w, U32 a) {
         return nonZero(w, U32(std::popcount(a)));
       }>},
      {"s_bcnt1_i32_b64", unary64to32<[](Wave &w, U64 a) {
         return nonZero(w, U32(std::popcount(a)));
       }>},
      {"s_ff0_i32_b32", unary32<[](Wave &, U32 a) { return firstOne(~a); }>},
      {"s_ff0_i32_b64",
       unary64to32<[](Wave &, U64 a) { return firstOne(~a); }>},
      {"s_ff1_i32_b32", unary32<[](Wave &, U32 a) { return firstOne(a); }>},
      {"s_ff1_i32_b64", unary64to32<[](Wave &, U64 a) { return firstOne(a); }>},
      {"s_flbit_i32_b32",
       unary32<[](Wave &, U32 a) { return leadingZeros(a); }>},
      {"s_flbit_i32_b64",
       unary64to32<[](Wave &, U64 a) { return leadingZeros(a); }>},
      {"s_flbit_i32", unary32<[](Wave &, U32 a) { return leadingSigns(a); }>},
      {"s_flbit_i32_i64",
       unary64to32<[](Wave &, U64 a) { return leadingSigns(a); }>},
      {"s_sext_i32_i8",
       unary32<[](Wave &, U32 a) { return U32(int32_t(int8_t(a))); }>},
      {"s_sext_i32_i16",
       unary32<[](Wave &, U32 a) { return U32(int32_t(int16_t(a))); }>},
      {"s_bitset0_b32", setBit32<false>},
      {"s_bitset0_b64", setBit64<false>},
      {"s_bitset1_b32", setBit32<true>},
      {"s_bitset1_b64", setBit64<true>},
      {"s_and_saveexec_b64", saveExec<[](U64 s, U64 e) { return s & e; }>},
      {"s_or_saveexec_b64", saveExec<[](U64 s, U64 e) { return s | e; }>},
      {"s_xor_saveexec_b64", saveExec<[](U64 s, U64 e) { return s ^ e; }>},
      {"s_andn2_saveexec_b64", saveExec<[](U64 s, U64 e) { return s & ~e; }>},
      {"s_orn2_saveexec_b64", saveExec<[](U64 s, U64 e) { return s | ~e; }>},
      {"s_nand_saveexec_b64", saveExec<[](U64 s, U64 e) { return ~(s & e); }>},
      {"s_nor_saveexec_b64", saveExec<[](U64 s, U64 e) { return ~(s | e); }>},
      {"s_xnor_saveexec_b64", saveExec<[](U64 s, U64 e) { return ~(s ^ e); }>},
      {"s_andn1_saveexec_b64", saveExec<[](U64 s, U64 e) { return ~s & e; }>},
      {"s_orn1_saveexec_b64", saveExec<[](U64 s, U64 e) { return ~s | e; }>},
      {"s_andn1_wrexec_b64", writeExec<[](U64 s, U64 e) { return ~s & e; }>},
      {"s_andn2_wrexec_b64", writeExec<[](U64 s, U64 e) { return s & ~e; }>},
      {"s_quadmask_b32",
       unary32<[](Wave &w, U32 a) { return nonZero(w, quadMask(a)); }>},
      {"s_quadmask_b64",
       unary64<[](Wave &w, U64 a) { return nonZero(w, quadMask(a)); }>},
      {"s_movrels_b32", moveRelativeSource32},
      {"s_movrels_b64", moveRelativeSource64},
      {"s_movreld_b32", moveRelativeDestination32},
      {"s_movreld_b64", moveRelativeDestination64},
      {"s_abs_i32", unary32<[](Wave &w, U32 a) {
         return nonZero(w, int32_t(a) < 0 ? 0 - a : a);
       }>},
      {"s_bitreplicate_b64_b32", unary32to64<[](Wave &, U32 a) {
         U64 result = 0;
         for (unsigned i = 0; i < 32; ++i)
           result |= U64(a >> i & 1) * 3 << (2 * i);
         return result;
       }>},
  };
  table.add(rows, InstructionClass::Salu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
