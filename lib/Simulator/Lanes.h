//===- Lanes.h - Operands as arrays of 64 lanes -----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raw access: no source modifiers, no DPP, no SDWA (those are the VALU's).
// Sources are arrays that may be the destination itself; a loop that reads and
// writes lane i only is right all the same, and MLA_SIM_LANES tells so to the
// vectoriser.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_LANES_H
#define MLA_LIB_SIMULATOR_LANES_H

#include "Wave.h"

/// A loop over all lanes whose iterations touch lane `lane` only.
#define MLA_SIM_LANES(lane)                                                    \
  _Pragma("clang loop vectorize(assume_safety) interleave(enable)") for (      \
      int lane = 0; lane < ::mla::sim::kLanes; ++lane)

namespace mla::sim {

/// 64 lanes of 32 bits.
struct alignas(64) LaneArray {
  uint32_t lane[kLanes];
};

MLA_SIM_INLINE const uint32_t *splat(LaneArray &scratch, uint32_t value) {
  for (int lane = 0; lane < kLanes; ++lane)
    scratch.lane[lane] = value;
  return scratch.lane;
}

/// All lanes of a 32-bit source. `scratch` is used for scalars.
MLA_SIM_INLINE const uint32_t *source32(const Wave &wave, const Operand &op,
                                        LaneArray &scratch) {
  if (op.kind == OperandKind::Vgpr)
    return wave.vgpr[op.index];
  if (op.kind == OperandKind::Constant)
    return op.splat;
  return splat(scratch, wave.scalar32(op));
}

/// Dword `word` of all lanes of a source of several dwords. A constant is
/// read as 64-bit integer, or as double if asDouble or written with a point.
MLA_SIM_INLINE const uint32_t *sourceWord(const Wave &wave, const Operand &op,
                                          unsigned word, LaneArray &scratch,
                                          bool asDouble = false) {
  if (op.kind == OperandKind::Vgpr)
    return wave.vgpr[op.index + word];
  if (op.kind == OperandKind::Sgpr)
    return splat(scratch, wave.sgpr[op.index + word]);
  if (op.kind == OperandKind::Constant) {
    uint64_t bits = asDouble || op.isFloat ? op.bitsF64 : op.bits64;
    return splat(scratch, uint32_t(word < 2 ? bits >> (32 * word) : 0));
  }
  return splat(scratch, word ? 0 : wave.scalar32(op));
}

/// Writes the active lanes of vector register `index`.
MLA_SIM_INLINE void writeLanes(Wave &wave, unsigned index,
                               const uint32_t *values) {
  uint32_t *out = wave.vgpr[index];
  if (wave.allLanes()) {
    memmove(out, values, sizeof(LaneArray));
    return;
  }
  MLA_SIM_LANES(lane)
  out[lane] = (values[lane] & wave.execLanes[lane]) |
              (out[lane] & ~wave.execLanes[lane]);
}

/// A mask with bit i set where lane i of `values` is not zero.
MLA_SIM_INLINE uint64_t maskOf(const uint32_t *values) {
  uint64_t mask = 0;
  for (int lane = 0; lane < kLanes; ++lane)
    mask |= uint64_t(values[lane] != 0) << lane;
  return mask;
}

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_LANES_H
