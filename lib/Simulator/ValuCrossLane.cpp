//===- ValuCrossLane.cpp - Vector instructions across lanes ---------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lane reads and writes, counts over lanes and register swaps (CDNA3 and CDNA4
// ISA, sections "VOP1 instructions" and "VOP3A instructions").
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

/// Lane 0 if all lanes are disabled. The source may be a constant or scalar.
void readFirstLane(Wave &wave, const Instruction &inst) {
  const Operand &source = inst.ops[1];
  const uint64_t exec = wave.exec();
  const int lane = exec ? __builtin_ctzll(exec) : 0;
  wave.writeSgpr(inst.ops[0].index, source.isVgpr()
                                        ? wave.vgpr[source.index][lane]
                                        : wave.scalar32(source));
}

/// EXEC does not matter.
void readLane(Wave &wave, const Instruction &inst) {
  const Operand &source = inst.ops[1];
  const uint32_t lane = wave.scalar32(inst.ops[2]) & 63;
  wave.writeSgpr(inst.ops[0].index, source.isVgpr()
                                        ? wave.vgpr[source.index][lane]
                                        : wave.scalar32(source));
}

/// EXEC does not matter.
void writeLane(Wave &wave, const Instruction &inst) {
  wave.vgpr[inst.ops[0].index][wave.scalar32(inst.ops[2]) & 63] =
      wave.scalar32(inst.ops[1]);
}

/// Bits of the mask below the lane, in the low or the high half of a wave.
template <bool High> void countBelow(Wave &wave, const Instruction &inst) {
  Sources<2> in(wave, inst);
  in.fetch<U32>(wave, inst, 1, 0);
  in.fetch<U32>(wave, inst, 2, 1);
  LaneArray out;
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint64_t below = (uint64_t(1) << lane) - 1;
    const uint32_t mask = uint32_t(High ? below >> 32 : below);
    out.lane[lane] =
        uint32_t(__builtin_popcount(in.source[0].lo[lane] & mask)) +
        in.source[1].lo[lane];
  }
  writeModified<32>(wave, inst, inst.ops[0].index, out.lane, in.plan, false,
                    HighHalf::Zero);
}

void swapRegisters(Wave &wave, const Instruction &inst) {
  uint32_t *a = wave.vgpr[inst.ops[0].index];
  uint32_t *b = wave.vgpr[inst.ops[1].index];
  for (int lane = 0; lane < kLanes; ++lane)
    if (wave.active(lane)) {
      uint32_t kept = a[lane];
      a[lane] = b[lane];
      b[lane] = kept;
    }
}

/// V_PERMLANE16_SWAP and V_PERMLANE32_SWAP of gfx950: the odd groups of `Span`
/// lanes of the destination change places with the even groups of the source.
/// Each register is written in active lanes only.
template <int Span> void swapLanes(Wave &wave, const Instruction &inst) {
  uint32_t *dst = wave.vgpr[inst.ops[0].index];
  uint32_t *src = wave.vgpr[inst.ops[1].index];
  for (int first = 0; first < kLanes; first += 2 * Span)
    for (int lane = first; lane < first + Span; ++lane) {
      const uint32_t lower = src[lane], upper = dst[lane + Span];
      if (wave.active(lane))
        src[lane] = upper;
      if (wave.active(lane + Span))
        dst[lane + Span] = lower;
    }
}

void nothing(Wave &, const Instruction &) {}

const HandlerTable::Row rows[] = {
    {"v_nop", nothing},
    {"v_clrexcp", nothing},
    {"v_readfirstlane_b32", readFirstLane},
    {"v_readlane_b32", readLane},
    {"v_writelane_b32", writeLane},
    {"v_mbcnt_lo_u32_b32", countBelow<false>},
    {"v_mbcnt_hi_u32_b32", countBelow<true>},
    {"v_swap_b32", swapRegisters},
    {"v_permlane16_swap_b32", swapLanes<16>},
    {"v_permlane32_swap_b32", swapLanes<32>},
};

} // namespace

void registerValuCrossLane(HandlerTable &table) {
  table.add(rows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
