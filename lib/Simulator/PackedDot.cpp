//===- PackedDot.cpp - Dot products of packed elements --------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_DOT2, V_DOT4, V_DOT8 and their accumulating forms. Floating-point forms add
// in the order of the manual's pseudo-code, products exact, each sum rounded.
//
//===----------------------------------------------------------------------===//

#include "PackedOperands.h"
#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

/// Element `index` of `Bits` bits, as a signed or unsigned number.
template <int Bits, bool Signed>
MLA_SIM_INLINE int64_t elementOf(uint32_t word, int index) {
  uint32_t up = word << (32 - Bits - Bits * index);
  return Signed ? int64_t(int32_t(up) >> (32 - Bits))
                : int64_t(up >> (32 - Bits));
}

template <int Bits, bool Signed> struct IntegerDot {
  static constexpr bool kPairs = Bits == 16;
  static MLA_SIM_INLINE uint32_t apply(const FloatMode &, const Modifiers &mods,
                                       uint32_t a, uint32_t b, uint32_t c) {
    int64_t sum = Signed ? int64_t(int32_t(c)) : int64_t(c);
    for (int i = 0; i < 32 / Bits; ++i)
      sum += elementOf<Bits, Signed>(a, i) * elementOf<Bits, Signed>(b, i);
    constexpr int64_t low = Signed ? int64_t(INT32_MIN) : 0;
    constexpr int64_t high = Signed ? int64_t(INT32_MAX) : int64_t(UINT32_MAX);
    int64_t saturated = sum < low ? low : sum > high ? high : sum;
    return uint32_t(mods.clamp ? saturated : sum);
  }
};

struct HalfDot {
  static constexpr bool kPairs = true;
  static MLA_SIM_INLINE uint32_t apply(const FloatMode &mode,
                                       const Modifiers &mods, uint32_t a,
                                       uint32_t b, uint32_t c) {
    float sum =
        __builtin_fmaf(F16::get(mode, a), F16::get(mode, b), F32::get(mode, c));
    sum = __builtin_fmaf(F16::get(mode, a >> 16), F16::get(mode, b >> 16), sum);
    return uint32_t(F32::put(mode, mods, sum));
  }
};

struct Bf16Dot {
  static constexpr bool kPairs = true;
  static MLA_SIM_INLINE uint32_t apply(const FloatMode &mode,
                                       const Modifiers &mods, uint32_t a,
                                       uint32_t b, uint32_t c) {
    float sum = bf16ToFloat(a & 0xFFFFu) * bf16ToFloat(b & 0xFFFFu);
    sum = __builtin_fmaf(bf16ToFloat(a >> 16), bf16ToFloat(b >> 16), sum);
    sum += F32::get(mode, c);
    return uint32_t(F32::put(mode, mods, sum));
  }
};

/// V_DOT2C_F32_BF16 starts from the accumulator.
struct Bf16DotFromSum {
  static MLA_SIM_INLINE uint32_t apply(const FloatMode &mode,
                                       const Modifiers &mods, uint32_t a,
                                       uint32_t b, uint32_t c) {
    float sum = __builtin_fmaf(bf16ToFloat(a & 0xFFFFu),
                               bf16ToFloat(b & 0xFFFFu), F32::get(mode, c));
    sum = __builtin_fmaf(bf16ToFloat(a >> 16), bf16ToFloat(b >> 16), sum);
    return uint32_t(F32::put(mode, mods, sum));
  }
};

/// ops: vdst, src0, src1, src2. Pairs take op_sel and the negations.
template <class Dot> void dot(Wave &wave, const Instruction &inst) {
  LaneArray scratch[3], out;
  const uint32_t *in[3];
  for (int i = 0; i < 2; ++i)
    in[i] = Dot::kPairs
                ? arrangedPair(wave, inst, inst.ops[i + 1], i, true, scratch[i])
                : source32(wave, inst.ops[i + 1], scratch[i]);
  in[2] = source32(wave, inst.ops[3], scratch[2]);
  if (inst.mods.negLo >> 2 & 1) {
    for (int lane = 0; lane < kLanes; ++lane)
      scratch[2].lane[lane] = in[2][lane] ^ 0x80000000u;
    in[2] = scratch[2].lane;
  }
  const FloatMode mode(wave.mode);
  MLA_SIM_LANES(lane)
  out.lane[lane] =
      Dot::apply(mode, inst.mods, in[0][lane], in[1][lane], in[2][lane]);
  writeLanes(wave, inst.ops[0].index, out.lane);
}

/// V_DOT*C: VOP2 with the destination as third source, DPP allowed.
template <class Dot> void dotAccumulate(Wave &wave, const Instruction &inst) {
  Sources<2> in(wave, inst);
  in.fetch<U32>(wave, inst, 1, 0);
  in.fetch<U32>(wave, inst, 2, 1);
  const FloatMode mode(wave.mode);
  const uint32_t *sum = wave.vgpr[inst.ops[0].index];
  LaneArray out;
  for (int lane = 0; lane < kLanes; ++lane)
    out.lane[lane] = Dot::apply(mode, inst.mods, in.source[0].lo[lane],
                                in.source[1].lo[lane], sum[lane]);
  writeModified<32>(wave, inst, inst.ops[0].index, out.lane, in.plan, false,
                    HighHalf::Zero);
}

const HandlerTable::Row rows[] = {
    {"v_dot2_f32_f16", dot<HalfDot>},
    {"v_dot2_f32_bf16", dot<Bf16Dot>},
    {"v_dot2_i32_i16", dot<IntegerDot<16, true>>},
    {"v_dot2_u32_u16", dot<IntegerDot<16, false>>},
    {"v_dot4_i32_i8", dot<IntegerDot<8, true>>},
    {"v_dot4_u32_u8", dot<IntegerDot<8, false>>},
    {"v_dot8_i32_i4", dot<IntegerDot<4, true>>},
    {"v_dot8_u32_u4", dot<IntegerDot<4, false>>},
    {"v_dot2c_f32_f16", dotAccumulate<HalfDot>},
    {"v_dot2c_f32_bf16", dotAccumulate<Bf16DotFromSum>},
    {"v_dot2c_i32_i16", dotAccumulate<IntegerDot<16, true>>},
    {"v_dot4c_i32_i8", dotAccumulate<IntegerDot<8, true>>},
    {"v_dot8c_i32_i4", dotAccumulate<IntegerDot<4, true>>},
};

} // namespace

void registerPackedDot(HandlerTable &table) {
  table.add(rows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
