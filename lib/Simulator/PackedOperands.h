//===- PackedOperands.h - Sources of packed instructions --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VOP3P sources: op_sel picks the part of each source that the low result uses,
// op_sel_hi that of the high result; neg_lo and neg_hi negate them (CDNA3 ISA,
// section "Packed math").
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_PACKEDOPERANDS_H
#define MLA_LIB_SIMULATOR_PACKEDOPERANDS_H

#include "ValuOperands.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// A constant of two halves: a float fills the low half, an integer is sign
/// extended to the whole (LLVM's operand types V2FP16 and V2INT16 on GFX9).
MLA_SIM_INLINE const uint32_t *pairSource(const Wave &wave, const Operand &op,
                                          bool isFloat, LaneArray &scratch) {
  if (op.isConstant() && op.isFloat && !op.isLiteral && isFloat)
    return splat(scratch, op.bits16);
  return source32(wave, op, scratch);
}

/// True when op_sel and the negations are what an instruction without any has.
MLA_SIM_INLINE bool plainPacking(const Instruction &inst, int arity) {
  const unsigned all = (1u << arity) - 1;
  const Modifiers &mods = inst.mods;
  return (mods.opSel & all) == 0 && (mods.opSelHi & all) == all &&
         (mods.negLo & all) == 0 && (mods.negHi & all) == 0 && !mods.clamp;
}

/// Source `number` with the half for the low result in the low half and that
/// for the high result in the high half, negated as asked.
MLA_SIM_INLINE const uint32_t *arrangedPair(const Wave &wave,
                                            const Instruction &inst,
                                            const Operand &op, int number,
                                            bool isFloat, LaneArray &scratch) {
  const uint32_t *in = pairSource(wave, op, isFloat, scratch);
  const Modifiers &mods = inst.mods;
  const unsigned low = mods.opSel >> number & 1;
  const unsigned high = mods.opSelHi >> number & 1;
  const uint32_t flip = (mods.negLo >> number & 1 ? 0x8000u : 0) |
                        (mods.negHi >> number & 1 ? 0x80000000u : 0);
  if (!low && high && !flip)
    return in;
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t word = in[lane];
    uint32_t first = low ? word >> 16 : word & 0xFFFFu;
    uint32_t second = high ? word & 0xFFFF0000u : word << 16;
    scratch.lane[lane] = (first | second) ^ flip;
  }
  return scratch.lane;
}

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_PACKEDOPERANDS_H
