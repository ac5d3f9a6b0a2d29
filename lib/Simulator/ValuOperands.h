//===- ValuOperands.h - Modifiers, DPP and SDWA of the VALU -----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The general way in and out of a vector instruction: source modifiers, op_sel,
// DPP and SDWA. Plain instructions do not come here.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_VALUOPERANDS_H
#define MLA_LIB_SIMULATOR_VALUOPERANDS_H

#include "Lanes.h"
#include "ValuTypes.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// The 64 lanes of one source; `hi` only for types of two words.
struct Source {
  const uint32_t *lo;
  const uint32_t *hi;
};

template <class T>
MLA_SIM_INLINE uint64_t bitsOf(const Source &source, int lane) {
  if constexpr (T::kWords == 2)
    return uint64_t(source.hi[lane]) << 32 | source.lo[lane];
  else
    return source.lo[lane];
}

/// A source without modifiers.
template <class T>
MLA_SIM_INLINE Source plainSource(const Wave &wave, const Operand &op,
                                  LaneArray &lo, LaneArray &hi) {
  if constexpr (T::kWords == 2)
    return {sourceWord(wave, op, 0, lo, T::kIsFloat),
            sourceWord(wave, op, 1, hi, T::kIsFloat)};
  // A constant of a 16-bit operand is a half where it has a point.
  if (T::kBits == 16 && op.isConstant())
    return {splat(lo, op.bits16), nullptr};
  return {source32(wave, op, lo), nullptr};
}

/// Where each lane's source 0 comes from under DPP, and which lanes the
/// instruction may write (CDNA3 ISA, section "Data parallel processing").
struct DppPlan {
  LaneArray from;  ///< Source lane; the lane itself where there is none.
  LaneArray valid; ///< All ones where the source lane exists and is active.
  LaneArray write; ///< All ones in the lanes that may be written.

  __attribute__((noinline)) void make(const Wave &wave,
                                      const Instruction &inst) {
    const Dpp &dpp = inst.dpp;
    const int amount = dpp.amount;
    for (int lane = 0; lane < kLanes; ++lane) {
      int source = sourceLane(dpp.kind, amount, lane);
      bool exists = source >= 0 && source < kLanes && wave.active(source & 63);
      from.lane[lane] = exists ? uint32_t(source) : uint32_t(lane);
      valid.lane[lane] = -uint32_t(exists);
      bool enabled = (dpp.rowMask >> (lane / 16) & 1) &&
                     (dpp.bankMask >> (lane % 16 / 4) & 1) &&
                     (exists || dpp.boundCtrl);
      write.lane[lane] = -uint32_t(enabled);
    }
  }

  static MLA_SIM_INLINE int sourceLane(DppKind kind, int amount, int lane) {
    const int row = lane & ~15, place = lane & 15;
    switch (kind) {
    case DppKind::None:
      return lane;
    case DppKind::QuadPerm:
      return (lane & ~3) | (amount >> (2 * (lane & 3)) & 3);
    case DppKind::RowShl:
      return place + amount < 16 ? lane + amount : -1;
    case DppKind::RowShr:
      return place >= amount ? lane - amount : -1;
    case DppKind::RowRor:
      return row | ((place - amount) & 15);
    case DppKind::WaveShl:
      return lane + 1;
    case DppKind::WaveRol:
      return (lane + 1) & 63;
    case DppKind::WaveShr:
      return lane - 1;
    case DppKind::WaveRor:
      return (lane - 1) & 63;
    case DppKind::RowMirror:
      return row | (15 - place);
    case DppKind::RowHalfMirror:
      return lane ^ 7;
    case DppKind::RowBcast15:
      return row - 1;
    case DppKind::RowBcast31:
      return lane >= 32 ? 31 : -1;
    case DppKind::RowNewbcast:
      return row | amount;
    }
    return -1;
  }
};

MLA_SIM_INLINE uint32_t sdwaSelected(uint32_t value, SdwaSelect select,
                                     bool sext) {
  unsigned shift = 0, bits = 32;
  if (select <= SdwaSelect::Byte3) {
    shift = 8 * unsigned(select);
    bits = 8;
  } else if (select <= SdwaSelect::Word1) {
    shift = 16 * (unsigned(select) - unsigned(SdwaSelect::Word0));
    bits = 16;
  }
  uint32_t up = value << (32 - bits - shift);
  return sext ? uint32_t(int32_t(up) >> (32 - bits)) : up >> (32 - bits);
}

/// A source with all that may be asked of it. `number` counts the sources from
/// 0 (op_sel); `plan` is null unless this is source 0 of a DPP instruction.
template <class T>
__attribute__((noinline)) Source modifiedSource(
    const Wave &wave, const Instruction &inst, const Operand &op,
    unsigned number, const DppPlan *plan, LaneArray &lo, LaneArray &hi) {
  Source source = plainSource<T>(wave, op, lo, hi);
  if (plan) {
    LaneArray moved;
    for (int word = 0; word < T::kWords; ++word) {
      const uint32_t *in = word ? source.hi : source.lo;
      for (int lane = 0; lane < kLanes; ++lane)
        moved.lane[lane] = in[plan->from.lane[lane]] & plan->valid.lane[lane];
      memcpy(word ? hi.lane : lo.lane, moved.lane, sizeof(LaneArray));
    }
    source = {lo.lane, hi.lane};
  }
  const bool high = T::kBits == 16 && (inst.mods.opSel >> number & 1);
  if (!op.hasModifier() && !high)
    return source;
  const uint32_t sign = 1u << ((T::kBits - 1) & 31);
  const uint32_t keep = op.abs ? ~sign : ~0u, flip = op.neg ? sign : 0;
  if constexpr (T::kWords == 2) {
    for (int lane = 0; lane < kLanes; ++lane)
      hi.lane[lane] = (source.hi[lane] & keep) ^ flip;
    return {source.lo, hi.lane};
  }
  const SdwaSelect select = high ? SdwaSelect::Word1 : op.select;
  for (int lane = 0; lane < kLanes; ++lane)
    lo.lane[lane] =
        (sdwaSelected(source.lo[lane], select, op.sext) & keep) ^ flip;
  return {lo.lane, nullptr};
}

/// Sources of a handler that spells out its own loop.
template <int Count> struct Sources {
  DppPlan space;
  const DppPlan *plan;
  LaneArray lo[Count], hi[Count];
  Source source[Count];

  MLA_SIM_INLINE Sources(const Wave &wave, const Instruction &inst) {
    plan = inst.isDpp() ? &space : nullptr;
    if (plan)
      space.make(wave, inst);
  }
  template <class T>
  MLA_SIM_INLINE void fetch(const Wave &wave, const Instruction &inst,
                            unsigned op, int number) {
    source[number] =
        modifiedSource<T>(wave, inst, inst.ops[op], unsigned(number),
                          number ? nullptr : plan, lo[number], hi[number]);
  }
};

/// What becomes of the high half of a register that gets a 16-bit result.
enum class HighHalf : uint8_t { Zero, Keep };

/// Writes `out` (one word per lane) to register `index` under EXEC, the DPP
/// masks, SDWA's destination selection and op_sel's destination bit.
template <int Bits>
__attribute__((noinline)) void
writeModified(Wave &wave, const Instruction &inst, unsigned index,
              const uint32_t *out, const DppPlan *plan, bool toHigh,
              HighHalf high) {
  uint32_t *registers = wave.vgpr[index];
  LaneArray merged;
  if (inst.isSdwa() && inst.mods.dstSelect != SdwaSelect::Dword) {
    const SdwaSelect select = inst.mods.dstSelect;
    const bool byte = select <= SdwaSelect::Byte3;
    const unsigned shift =
        byte ? 8 * unsigned(select)
             : 16 * (unsigned(select) - unsigned(SdwaSelect::Word0));
    const unsigned bits = byte ? 8 : 16;
    const uint32_t mask = ((1u << bits) - 1) << shift;
    const SdwaUnused unused = inst.mods.dstUnused;
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t placed = out[lane] << shift & mask;
      uint32_t extended =
          uint32_t(int32_t(out[lane] << (32 - bits)) >> (32 - bits)) << shift;
      merged.lane[lane] = unused == SdwaUnused::Pad ? placed
                          : unused == SdwaUnused::Sext
                              ? extended
                              : placed | (registers[lane] & ~mask);
    }
    out = merged.lane;
  } else if (Bits == 16 && (toHigh || high == HighHalf::Keep)) {
    const unsigned shift = toHigh ? 16 : 0;
    for (int lane = 0; lane < kLanes; ++lane)
      merged.lane[lane] = (registers[lane] & (0xFFFF0000u >> shift)) |
                          (out[lane] & 0xFFFFu) << shift;
    out = merged.lane;
  }
  if (plan) {
    for (int lane = 0; lane < kLanes; ++lane)
      merged.lane[lane] = plan->write.lane[lane] ? out[lane] : registers[lane];
    out = merged.lane;
  }
  writeLanes(wave, index, out);
}

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_VALUOPERANDS_H
