//===- ValuCarry.cpp - Carries, lane masks and wide multiplies ------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that read or write a bit per lane in a pair of scalar registers.
// Bits of inactive lanes are written as 0.
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

/// ops: vdst, sdst, src0, src1 and, with a carry in, its mask.
template <auto Fn, bool CarryIn>
void addWithCarry(Wave &wave, const Instruction &inst) {
  Sources<2> in(wave, inst);
  in.fetch<U32>(wave, inst, 2, 0);
  in.fetch<U32>(wave, inst, 3, 1);
  LaneArray out, carry, carryIn;
  const uint64_t mask = CarryIn ? wave.scalar64(inst.ops[4]) : 0;
  if (CarryIn)
    for (int lane = 0; lane < kLanes; ++lane)
      carryIn.lane[lane] = uint32_t(mask >> lane) & 1;
  const bool saturate = inst.mods.clamp;
  MLA_SIM_LANES(lane) {
    // The exact result: 33 bits and a sign.
    int64_t exact =
        Fn(int64_t(in.source[0].lo[lane]), int64_t(in.source[1].lo[lane]),
           CarryIn ? int64_t(carryIn.lane[lane]) : 0);
    bool overflow = (uint64_t(exact) >> 32) != 0;
    uint32_t limit = exact < 0 ? 0u : ~0u;
    out.lane[lane] = saturate && overflow ? limit : uint32_t(exact);
    carry.lane[lane] = -uint32_t(overflow);
  }
  writeLaneMask(wave, inst.ops[1], maskOfOnes(carry.lane));
  writeModified<32>(wave, inst, inst.ops[0].index, out.lane, in.plan, false,
                    HighHalf::Zero);
}

template <auto Fn> void carryOut(Wave &wave, const Instruction &inst) {
  addWithCarry<Fn, false>(wave, inst);
}
template <auto Fn> void carryInOut(Wave &wave, const Instruction &inst) {
  addWithCarry<Fn, true>(wave, inst);
}

constexpr auto kAdd = [](int64_t a, int64_t b, int64_t c) { return a + b + c; };
constexpr auto kSub = [](int64_t a, int64_t b, int64_t c) { return a - b - c; };
constexpr auto kSubRev = [](int64_t a, int64_t b, int64_t c) {
  return b - a - c;
};

/// V_MAD_U64_U32, V_MAD_I64_I32. ops: vdst, sdst, src0, src1, src2.
template <bool Signed> void multiplyAdd64(Wave &wave, const Instruction &inst) {
  Sources<3> in(wave, inst);
  in.fetch<U32>(wave, inst, 2, 0);
  in.fetch<U32>(wave, inst, 3, 1);
  in.fetch<U64>(wave, inst, 4, 2);
  LaneArray lo, hi, carry;
  MLA_SIM_LANES(lane) {
    uint32_t a = in.source[0].lo[lane], b = in.source[1].lo[lane];
    uint64_t c = bitsOf<U64>(in.source[2], lane);
    uint64_t product =
        Signed ? uint64_t(int64_t(int32_t(a)) * int32_t(b)) : uint64_t(a) * b;
    uint64_t sum = product + c;
    bool unsignedCarry = sum < product;
    // Bit 64 of the 65-bit signed sum.
    bool signBit = ((product >> 63) + (c >> 63) + unsignedCarry) & 1;
    lo.lane[lane] = uint32_t(sum);
    hi.lane[lane] = uint32_t(sum >> 32);
    carry.lane[lane] = -uint32_t(Signed ? signBit : unsignedCarry);
  }
  writeLaneMask(wave, inst.ops[1], maskOfOnes(carry.lane));
  writeLanes(wave, inst.ops[0].index, lo.lane);
  writeLanes(wave, inst.ops[0].index + 1u, hi.lane);
}

/// ops: vdst, src0, src1, mask. Takes float modifiers on its 32-bit sources.
void conditionalMask(Wave &wave, const Instruction &inst) {
  const uint64_t mask = wave.scalar64(inst.ops[3]);
  LaneArray chosen, out;
  for (int lane = 0; lane < kLanes; ++lane)
    chosen.lane[lane] = -uint32_t(mask >> lane & 1);
  if (isPlain(inst)) {
    LaneArray scratch[2];
    const uint32_t *a = source32(wave, inst.ops[1], scratch[0]);
    const uint32_t *b = source32(wave, inst.ops[2], scratch[1]);
    MLA_SIM_LANES(lane)
    out.lane[lane] =
        (b[lane] & chosen.lane[lane]) | (a[lane] & ~chosen.lane[lane]);
    writeLanes(wave, inst.ops[0].index, out.lane);
    return;
  }
  Sources<2> in(wave, inst);
  in.fetch<U32>(wave, inst, 1, 0);
  in.fetch<U32>(wave, inst, 2, 1);
  for (int lane = 0; lane < kLanes; ++lane)
    out.lane[lane] =
        chosen.lane[lane] ? in.source[1].lo[lane] : in.source[0].lo[lane];
  writeModified<32>(wave, inst, inst.ops[0].index, out.lane, in.plan, false,
                    HighHalf::Zero);
}

const HandlerTable::Row rows[] = {
    {"v_add_co_u32", carryOut<kAdd>},
    {"v_sub_co_u32", carryOut<kSub>},
    {"v_subrev_co_u32", carryOut<kSubRev>},
    {"v_addc_co_u32", carryInOut<kAdd>},
    {"v_subb_co_u32", carryInOut<kSub>},
    {"v_subbrev_co_u32", carryInOut<kSubRev>},
    {"v_mad_u64_u32", multiplyAdd64<false>},
    {"v_mad_i64_i32", multiplyAdd64<true>},
    {"v_cndmask_b32", conditionalMask},
};

} // namespace

void registerValuCarry(HandlerTable &table) {
  table.add(rows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
