//===- Packed.cpp - Packed arithmetic -------------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_PK_* of two halves or two singles, and the mixed-precision fused
// multiply-adds (CDNA3 ISA, section "VOP3P instructions").
//
//===----------------------------------------------------------------------===//

#include "PackedOperands.h"
#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

template <class Signature, auto Fn, unsigned Flags> struct Packed16;

template <class R, class... Args, auto Fn, unsigned Flags>
struct Packed16<R(Args...), Fn, Flags> {
  static constexpr int kArity = sizeof...(Args);
  static constexpr bool kAccumulator = Flags & kAccumulates;

  template <class... Values>
  static MLA_SIM_INLINE auto call(const FloatMode &mode, Values... values) {
    if constexpr (std::is_invocable_v<decltype(Fn), const FloatMode &,
                                      Values...>)
      return Fn(mode, values...);
    else
      return Fn(values...);
  }

  template <bool Modes, int... I>
  static MLA_SIM_INLINE void loop(const FloatMode &mode, const Modifiers &mods,
                                  const uint32_t *const *in, uint32_t *out,
                                  std::integer_sequence<int, I...>) {
    MLA_SIM_LANES(lane) {
      uint32_t low, high;
      if constexpr (Modes) {
        low = uint32_t(R::put(
            mode, mods, call(mode, Args::get(mode, in[I][lane] & 0xFFFFu)...)));
        high = uint32_t(R::put(
            mode, mods, call(mode, Args::get(mode, in[I][lane] >> 16)...)));
      } else {
        low = uint32_t(R::put(call(mode, Args::get(in[I][lane] & 0xFFFFu)...)));
        high = uint32_t(R::put(call(mode, Args::get(in[I][lane] >> 16)...)));
      }
      out[lane] = low | high << 16;
    }
  }

  template <bool Modes, int... I>
  static MLA_SIM_INLINE void run(Wave &wave, const Instruction &inst,
                                 std::integer_sequence<int, I...> seq) {
    LaneArray scratch[kArity], out;
    const uint32_t *in[kArity] = {arrangedPair(
        wave, inst, inst.ops[kAccumulator && I == kArity - 1 ? 0 : I + 1], I,
        R::kIsFloat, scratch[I])...};
    const FloatMode mode(wave.mode);
    if constexpr (Modes && R::kIsFloat) {
      RoundingScope scope(R::rounding(mode));
      loop<Modes>(mode, inst.mods, in, out.lane, seq);
    } else {
      loop<Modes>(mode, inst.mods, in, out.lane, seq);
    }
    writeLanes(wave, inst.ops[0].index, out.lane);
  }

  static __attribute__((noinline)) void general(Wave &wave,
                                                const Instruction &inst) {
    run<true>(wave, inst, std::make_integer_sequence<int, kArity>());
  }
  static void fast(Wave &wave, const Instruction &inst) {
    if (R::kIsFloat && !plainMode(wave.mode))
      return general(wave, inst);
    run<false>(wave, inst, std::make_integer_sequence<int, kArity>());
  }
};

template <class Signature, auto Fn, unsigned Flags = kPlain>
Handler packed(Instruction &inst) {
  using P = Packed16<Signature, Fn, Flags>;
  if (P::kAccumulator) // v_pk_fmac_f16 is VOP2 and has none of the fields.
    inst.mods.opSelHi = 7;
  return inst.mods.clamp ? P::general : P::fast;
}

/// One word of a packed single-precision source. A constant is both words.
MLA_SIM_INLINE const uint32_t *singleWord(const Wave &wave, const Operand &op,
                                          unsigned word, bool negate,
                                          LaneArray &scratch) {
  const uint32_t *in =
      op.isConstant() ? op.splat : sourceWord(wave, op, word, scratch);
  if (!negate)
    return in;
  for (int lane = 0; lane < kLanes; ++lane)
    scratch.lane[lane] = in[lane] ^ 0x80000000u;
  return scratch.lane;
}

template <int Arity, auto Fn>
void packedSingle(Wave &wave, const Instruction &inst) {
  LaneArray scratch[Arity], out[2];
  const FloatMode mode(wave.mode);
  const Modifiers &mods = inst.mods;
  RoundingScope scope(mode.round32);
  const bool plain = plainMode(wave.mode);
  for (int part = 0; part < 2; ++part) {
    const uint32_t *in[3];
    for (int i = 0; i < Arity; ++i)
      in[i] = singleWord(wave, inst.ops[i + 1],
                         (part ? mods.opSelHi : mods.opSel) >> i & 1,
                         (part ? mods.negHi : mods.negLo) >> i & 1, scratch[i]);
    const uint32_t *a = in[0], *b = in[1], *c = in[Arity - 1];
    uint32_t *to = out[part].lane;
    if (plain) {
      MLA_SIM_LANES(lane)
      to[lane] = bitsAs<uint32_t>(
          Fn(F32::get(a[lane]), F32::get(b[lane]), F32::get(c[lane])));
    } else {
      MLA_SIM_LANES(lane)
      to[lane] = uint32_t(
          F32::putRounded(mode, mods,
                          Fn(F32::get(mode, a[lane]), F32::get(mode, b[lane]),
                             F32::get(mode, c[lane]))));
    }
    if (mods.clamp)
      finishLanes<F32>(mode, mods, to, nullptr);
  }
  writeLanes(wave, inst.ops[0].index, out[0].lane);
  writeLanes(wave, inst.ops[0].index + 1u, out[1].lane);
}

/// V_PK_MOV_B32: a word of source 0 and a word of source 1.
void packedMove(Wave &wave, const Instruction &inst) {
  LaneArray scratch[2], low, high;
  memcpy(low.lane,
         singleWord(wave, inst.ops[1], inst.mods.opSel & 1, false, scratch[0]),
         sizeof(low));
  memcpy(high.lane,
         singleWord(wave, inst.ops[2], inst.mods.opSel >> 1 & 1, false,
                    scratch[1]),
         sizeof(high));
  writeLanes(wave, inst.ops[0].index, low.lane);
  writeLanes(wave, inst.ops[0].index + 1u, high.lane);
}

enum class MixResult { Single, LowHalf, HighHalf };

/// V_MAD_MIX*, V_FMA_MIX*: op_sel_hi says that a source is a half, op_sel
/// which. The other half of a half result is kept.
template <MixResult Result, bool Fused>
void mixed(Wave &wave, const Instruction &inst) {
  const FloatMode mode(wave.mode);
  alignas(64) float in[3][kLanes];
  for (int i = 0; i < 3; ++i) {
    const Operand &op = inst.ops[i + 1];
    LaneArray scratch;
    const bool isHalf = inst.mods.opSelHi >> i & 1;
    const unsigned shift = inst.mods.opSel >> i & 1 ? 16 : 0;
    const uint32_t *words = isHalf ? pairSource(wave, op, true, scratch)
                                   : source32(wave, op, scratch);
    for (int lane = 0; lane < kLanes; ++lane) {
      float value = isHalf ? F16::get(mode, words[lane] >> shift)
                           : F32::get(mode, words[lane]);
      value = op.abs ? absOf(value) : value;
      in[i][lane] = op.neg ? -value : value;
    }
  }
  uint32_t *dst = wave.vgpr[inst.ops[0].index];
  LaneArray out;
  RoundingScope scope(mode.round32);
  for (int lane = 0; lane < kLanes; ++lane) {
    const float a = in[0][lane], b = in[1][lane], c = in[2][lane];
    const float value = Fused ? __builtin_fmaf(a, b, c) : a * b + c;
    if (Result == MixResult::Single) {
      out.lane[lane] = uint32_t(F32::put(mode, inst.mods, value));
      continue;
    }
    const uint32_t half = uint32_t(F16::put(mode, inst.mods, value));
    out.lane[lane] = Result == MixResult::LowHalf
                         ? (dst[lane] & 0xFFFF0000u) | half
                         : (dst[lane] & 0xFFFFu) | half << 16;
  }
  writeLanes(wave, inst.ops[0].index, out.lane);
}

MLA_SIM_INLINE double fusedHalf(float a, float b, float c) {
  return double(a) * double(b) + double(c);
}

const HandlerTable::SelectorRow rows16[] = {
    {"v_pk_mad_i16",
     packed<I16(I16, I16, I16),
            [](int16_t a, int16_t b, int16_t c) { return Exact(a) * b + c; }>},
    {"v_pk_mad_u16",
     packed<U16(U16, U16, U16), [](uint16_t a, uint16_t b,
                                   uint16_t c) { return Exact(a) * b + c; }>},
    {"v_pk_mul_lo_u16",
     packed<U16(U16, U16),
            [](uint16_t a, uint16_t b) { return uint32_t(a) * b; }>},
    {"v_pk_add_i16",
     packed<I16(I16, I16), [](int16_t a, int16_t b) { return Exact(a) + b; }>},
    {"v_pk_sub_i16",
     packed<I16(I16, I16), [](int16_t a, int16_t b) { return Exact(a) - b; }>},
    {"v_pk_add_u16",
     packed<U16(U16, U16),
            [](uint16_t a, uint16_t b) { return Exact(a) + b; }>},
    {"v_pk_sub_u16",
     packed<U16(U16, U16),
            [](uint16_t a, uint16_t b) { return Exact(a) - b; }>},
    {"v_pk_lshlrev_b16",
     packed<U16(U16, U16),
            [](uint16_t a, uint16_t b) { return uint32_t(b) << (a & 15); }>},
    {"v_pk_lshrrev_b16",
     packed<U16(U16, U16),
            [](uint16_t a, uint16_t b) { return uint32_t(b) >> (a & 15); }>},
    {"v_pk_ashrrev_i16",
     packed<I16(U16, I16),
            [](uint16_t a, int16_t b) { return b >> (a & 15); }>},
    {"v_pk_max_i16",
     packed<I16(I16, I16), [](int16_t a, int16_t b) { return a > b ? a : b; }>},
    {"v_pk_min_i16",
     packed<I16(I16, I16), [](int16_t a, int16_t b) { return a < b ? a : b; }>},
    {"v_pk_max_u16",
     packed<U16(U16, U16),
            [](uint16_t a, uint16_t b) { return a > b ? a : b; }>},
    {"v_pk_min_u16",
     packed<U16(U16, U16),
            [](uint16_t a, uint16_t b) { return a < b ? a : b; }>},
    {"v_pk_fma_f16", packed<F16(F16, F16, F16), fusedHalf>},
    {"v_pk_fmac_f16", packed<F16(F16, F16, F16), fusedHalf, kAccumulates>},
    {"v_pk_add_f16",
     packed<F16(F16, F16), [](float a, float b) { return a + b; }>},
    {"v_pk_mul_f16",
     packed<F16(F16, F16), [](float a, float b) { return a * b; }>},
    {"v_pk_min_f16", packed<F16(F16, F16),
                            [](const FloatMode &mode, float a, float b) {
                              return minOrMax<false>(mode, a, b);
                            }>},
    {"v_pk_max_f16",
     packed<F16(F16, F16), [](const FloatMode &mode, float a,
                              float b) { return minOrMax<true>(mode, a, b); }>},
    {"v_pk_minimum3_f16", packed<F16(F16, F16, F16),
                                 [](float a, float b, float c) {
                                   return minimumOrMaximum<false>(
                                       minimumOrMaximum<false>(a, b), c);
                                 }>},
    {"v_pk_maximum3_f16", packed<F16(F16, F16, F16),
                                 [](float a, float b, float c) {
                                   return minimumOrMaximum<true>(
                                       minimumOrMaximum<true>(a, b), c);
                                 }>},
};

constexpr auto kFma = [](float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
};
constexpr auto kMul = [](float a, float b, float) { return a * b; };
constexpr auto kAdd = [](float a, float b, float) { return a + b; };

const HandlerTable::Row rows[] = {
    {"v_pk_fma_f32", packedSingle<3, kFma>},
    {"v_pk_mul_f32", packedSingle<2, kMul>},
    {"v_pk_add_f32", packedSingle<2, kAdd>},
    {"v_pk_mov_b32", packedMove},
    {"v_mad_mix_f32", mixed<MixResult::Single, false>},
    {"v_mad_mixlo_f16", mixed<MixResult::LowHalf, false>},
    {"v_mad_mixhi_f16", mixed<MixResult::HighHalf, false>},
    {"v_fma_mix_f32", mixed<MixResult::Single, true>},
    {"v_fma_mixlo_f16", mixed<MixResult::LowHalf, true>},
    {"v_fma_mixhi_f16", mixed<MixResult::HighHalf, true>},
};

} // namespace

void registerPacked(HandlerTable &table) {
  table.add(rows16, InstructionClass::Valu);
  table.add(rows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
