//===- ConvertScaled.cpp - Conversions with a power-of-two scale ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_CVT_SCALEF32_* of gfx950 (CDNA4 ISA, "VOP3A instructions"). The scale is
// the exponent field of a single, so a power of two; towards a small format the
// value is divided by it, away from one it is multiplied (MLIR gives
// amdgpu.packed_scaled_trunc and scaled_ext_packed the same meaning).
//
//===----------------------------------------------------------------------===//

#include "Minifloat.h"
#include "Valu.h"
#include "ValuRegister.h"
#include "mla/Numerics/Formats.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

/// The larger side of a conversion.
enum class Large { F32, F16, Bf16 };

/// 2^(exponent - 127), or its inverse; the exponent 255 is NaN.
MLA_SIM_INLINE double scaleOf(uint32_t bits, bool inverse) {
  const int exponent = int(bits >> 23 & 0xFF);
  const int power = inverse ? 127 - exponent : exponent - 127;
  const double scale = bitsAs<double>(uint64_t(power + 1023) << 52);
  return exponent == 255 ? __builtin_nan("") : scale;
}

/// V_PRNG_B32, which makes the random bits of the following elements.
MLA_SIM_INLINE uint32_t nextRandom(uint32_t value) {
  return value << 1 ^ (value >> 31 ? 197u : 0u);
}

template <Large L>
MLA_SIM_INLINE float largeElement(const uint32_t *const *words, int element,
                                  int lane) {
  if constexpr (L == Large::F32)
    return bitsAs<float>(words[element][lane]);
  const uint32_t half =
      words[element / 2][lane] >> (16 * (element % 2)) & 0xFFFFu;
  return L == Large::F16 ? halfToFloat(half) : bf16ToFloat(half);
}

/// What a narrowing instruction looks like. Sources are one operand of as many
/// registers as it takes (Separate: one for each element; Interleaved: two of
/// 16 elements that alternate in the result).
enum class SourceShape { Together, Separate, Interleaved };

template <class Format, int Bits, Large L, int Count, SourceShape Shape,
          bool Stochastic>
void narrow(Wave &wave, const Instruction &inst) {
  constexpr bool kTwoOperands = Shape != SourceShape::Together;
  constexpr int kRandom = 2;
  constexpr int kScale = kTwoOperands || Stochastic ? 3 : 2;
  constexpr int kPerWord = L == Large::F32 ? 1 : 2;
  constexpr int kWords = (Count + kPerWord - 1) / kPerWord;
  const FloatMode mode(wave.mode);
  LaneArray scratch[2], unused, randomWords, scaleWords;
  const uint32_t *words[kWords];
  if constexpr (Shape == SourceShape::Separate || (Count == 1)) {
    for (int i = 0; i < kWords; ++i)
      words[i] = modifiedSource<F32>(wave, inst, inst.ops[1 + i], unsigned(i),
                                     nullptr, scratch[i], unused)
                     .lo;
  } else {
    for (int i = 0; i < kWords; ++i) {
      const bool second = Shape == SourceShape::Interleaved && i % 2;
      const int place = Shape == SourceShape::Interleaved ? i / 2 : i;
      const Operand &op = inst.ops[second ? 2 : 1];
      words[i] = op.isVgpr() ? wave.vgpr[op.index + place]
                             : splat(scratch[0], wave.scalar32(op));
    }
  }
  const uint32_t *random = source32(wave, inst.ops[kRandom], randomWords);
  const uint32_t *scale = source32(wave, inst.ops[kScale], scaleWords);
  constexpr int kDwords = (Count * Bits + 31) / 32;
  LaneArray out[kDwords];
  for (int lane = 0; lane < kLanes; ++lane) {
    const double factor = scaleOf(scale[lane], true);
    uint32_t bits = Stochastic ? random[lane] : 0;
    uint64_t buffer = 0;
    int filled = 0, word = 0;
    for (int e = 0; e < Count; ++e) {
      const float value =
          doubleToOdd(double(largeElement<L>(words, e, lane)) * factor);
      uint32_t code;
      if constexpr (Stochastic) {
        code = Format::stochastic(value, bits, mode.saturate16);
        bits = nextRandom(bits);
      } else {
        code = Format::nearest(value, mode.saturate16);
      }
      buffer |= uint64_t(code) << filled;
      filled += Bits;
      if (filled >= 32) {
        out[word++].lane[lane] = uint32_t(buffer);
        buffer >>= 32;
        filled -= 32;
      }
    }
    if (filled)
      out[word].lane[lane] = uint32_t(buffer);
  }
  // One or two codes go to the byte or half that op_sel names.
  constexpr int kResultBits = Count * Bits;
  if constexpr (kResultBits <= 16) {
    constexpr int kHalfBit = kScale;
    const unsigned shift = kResultBits == 16
                               ? 16 * (inst.mods.opSel >> kHalfBit & 1)
                               : 8 * (inst.mods.opSel >> 2 & 3);
    const uint32_t mask = ((1u << kResultBits) - 1) << shift;
    const uint32_t *old = wave.vgpr[inst.ops[0].index];
    for (int lane = 0; lane < kLanes; ++lane)
      out[0].lane[lane] =
          (old[lane] & ~mask) | (out[0].lane[lane] << shift & mask);
  }
  for (int i = 0; i < kDwords; ++i)
    writeLanes(wave, inst.ops[0].index + unsigned(i), out[i].lane);
}

template <class Format> struct CodeValue {
  static MLA_SIM_INLINE float of(uint32_t code) {
    return Format::finiteValue(code);
  }
};
template <> struct CodeValue<E4M3FN> {
  static MLA_SIM_INLINE float of(uint32_t code) {
    return numerics::decodeTable(numerics::Format::E4M3FN)[code];
  }
};
template <> struct CodeValue<E5M2> {
  static MLA_SIM_INLINE float of(uint32_t code) {
    return numerics::decodeTable(numerics::Format::E5M2)[code];
  }
};

template <Large L>
MLA_SIM_INLINE uint32_t largeBits(const FloatMode &mode, double value) {
  if constexpr (L == Large::F32)
    return bitsAs<uint32_t>(float(value));
  const float odd = doubleToOdd(value);
  if constexpr (L == Large::Bf16)
    return floatToBf16(odd);
  uint32_t half = floatToHalfNearest(odd);
  if (mode.saturate16)
    half -=
        uint32_t((half & 0x7FFFu) == 0x7C00u && absOf(odd) < __builtin_inff());
  return half;
}

/// ops: vdst, codes, scale. op_sel names the byte or half that the codes are
/// taken from; of a single half result its last bit names the half to write.
template <class Format, int Bits, Large L, int Count>
void widen(Wave &wave, const Instruction &inst) {
  constexpr int kSourceBits = Count * Bits;
  constexpr int kSourceDwords = (kSourceBits + 31) / 32;
  constexpr int kPerWord = L == Large::F32 ? 1 : 2;
  constexpr int kDwords = (Count + kPerWord - 1) / kPerWord;
  const FloatMode mode(wave.mode);
  LaneArray scratch, scaleWords;
  const uint32_t *words[kSourceDwords];
  for (int i = 0; i < kSourceDwords; ++i)
    words[i] = i == 0 ? source32(wave, inst.ops[1], scratch)
                      : wave.vgpr[inst.ops[1].index + i];
  const uint32_t *scale = source32(wave, inst.ops[2], scaleWords);
  const unsigned first = kSourceBits == 16  ? 16 * (inst.mods.opSel & 1)
                         : kSourceBits == 8 ? 8 * (inst.mods.opSel & 3)
                                            : 0;
  LaneArray out[kDwords];
  for (int lane = 0; lane < kLanes; ++lane) {
    const double factor = scaleOf(scale[lane], false);
    for (int e = 0; e < Count; ++e) {
      const unsigned at = unsigned(e * Bits) + first, word = at / 32;
      uint64_t both = words[word][lane];
      if (word + 1 < kSourceDwords)
        both |= uint64_t(words[word + 1][lane]) << 32;
      const uint32_t code = uint32_t(both >> at % 32) & ((1u << Bits) - 1);
      const uint32_t bits =
          largeBits<L>(mode, double(CodeValue<Format>::of(code)) * factor);
      uint32_t &to = out[e / kPerWord].lane[lane];
      to = e % kPerWord ? to | bits << 16 : bits;
    }
  }
  if constexpr (L != Large::F32 && Count == 1) {
    writeModified<16>(wave, inst, inst.ops[0].index, out[0].lane, nullptr,
                      inst.mods.opSel >> 2 & 1, HighHalf::Keep);
    return;
  }
  for (int i = 0; i < kDwords; ++i)
    writeLanes(wave, inst.ops[0].index + unsigned(i), out[i].lane);
}

constexpr SourceShape kTogether = SourceShape::Together;

const HandlerTable::Row narrowRows[] = {
    {"v_cvt_scalef32_pk_fp8_f32",
     narrow<E4M3FN, 8, Large::F32, 2, SourceShape::Separate, false>},
    {"v_cvt_scalef32_pk_bf8_f32",
     narrow<E5M2, 8, Large::F32, 2, SourceShape::Separate, false>},
    {"v_cvt_scalef32_pk_fp4_f32",
     narrow<E2M1, 4, Large::F32, 2, SourceShape::Separate, false>},
    {"v_cvt_scalef32_sr_fp8_f32",
     narrow<E4M3FN, 8, Large::F32, 1, kTogether, true>},
    {"v_cvt_scalef32_sr_bf8_f32",
     narrow<E5M2, 8, Large::F32, 1, kTogether, true>},
    {"v_cvt_scalef32_sr_pk_fp4_f32",
     narrow<E2M1, 4, Large::F32, 2, kTogether, true>},

    {"v_cvt_scalef32_pk_fp8_f16",
     narrow<E4M3FN, 8, Large::F16, 2, kTogether, false>},
    {"v_cvt_scalef32_pk_bf8_f16",
     narrow<E5M2, 8, Large::F16, 2, kTogether, false>},
    {"v_cvt_scalef32_pk_fp4_f16",
     narrow<E2M1, 4, Large::F16, 2, kTogether, false>},
    {"v_cvt_scalef32_sr_fp8_f16",
     narrow<E4M3FN, 8, Large::F16, 1, kTogether, true>},
    {"v_cvt_scalef32_sr_bf8_f16",
     narrow<E5M2, 8, Large::F16, 1, kTogether, true>},
    {"v_cvt_scalef32_sr_pk_fp4_f16",
     narrow<E2M1, 4, Large::F16, 2, kTogether, true>},

    {"v_cvt_scalef32_pk_fp8_bf16",
     narrow<E4M3FN, 8, Large::Bf16, 2, kTogether, false>},
    {"v_cvt_scalef32_pk_bf8_bf16",
     narrow<E5M2, 8, Large::Bf16, 2, kTogether, false>},
    {"v_cvt_scalef32_pk_fp4_bf16",
     narrow<E2M1, 4, Large::Bf16, 2, kTogether, false>},
    {"v_cvt_scalef32_sr_fp8_bf16",
     narrow<E4M3FN, 8, Large::Bf16, 1, kTogether, true>},
    {"v_cvt_scalef32_sr_bf8_bf16",
     narrow<E5M2, 8, Large::Bf16, 1, kTogether, true>},
    {"v_cvt_scalef32_sr_pk_fp4_bf16",
     narrow<E2M1, 4, Large::Bf16, 2, kTogether, true>},

    {"v_cvt_scalef32_2xpk16_fp6_f32",
     narrow<E2M3, 6, Large::F32, 32, SourceShape::Interleaved, false>},
    {"v_cvt_scalef32_2xpk16_bf6_f32",
     narrow<E3M2, 6, Large::F32, 32, SourceShape::Interleaved, false>},
    {"v_cvt_scalef32_sr_pk32_fp6_f32",
     narrow<E2M3, 6, Large::F32, 32, kTogether, true>},
    {"v_cvt_scalef32_sr_pk32_bf6_f32",
     narrow<E3M2, 6, Large::F32, 32, kTogether, true>},
    {"v_cvt_scalef32_pk32_fp6_f16",
     narrow<E2M3, 6, Large::F16, 32, kTogether, false>},
    {"v_cvt_scalef32_pk32_bf6_f16",
     narrow<E3M2, 6, Large::F16, 32, kTogether, false>},
    {"v_cvt_scalef32_pk32_fp6_bf16",
     narrow<E2M3, 6, Large::Bf16, 32, kTogether, false>},
    {"v_cvt_scalef32_pk32_bf6_bf16",
     narrow<E3M2, 6, Large::Bf16, 32, kTogether, false>},
    {"v_cvt_scalef32_sr_pk32_fp6_f16",
     narrow<E2M3, 6, Large::F16, 32, kTogether, true>},
    {"v_cvt_scalef32_sr_pk32_bf6_f16",
     narrow<E3M2, 6, Large::F16, 32, kTogether, true>},
    {"v_cvt_scalef32_sr_pk32_fp6_bf16",
     narrow<E2M3, 6, Large::Bf16, 32, kTogether, true>},
    {"v_cvt_scalef32_sr_pk32_bf6_bf16",
     narrow<E3M2, 6, Large::Bf16, 32, kTogether, true>},
};

const HandlerTable::Row widenRows[] = {
    {"v_cvt_scalef32_f32_fp8", widen<E4M3FN, 8, Large::F32, 1>},
    {"v_cvt_scalef32_f32_bf8", widen<E5M2, 8, Large::F32, 1>},
    {"v_cvt_scalef32_f16_fp8", widen<E4M3FN, 8, Large::F16, 1>},
    {"v_cvt_scalef32_f16_bf8", widen<E5M2, 8, Large::F16, 1>},
    {"v_cvt_scalef32_pk_f32_fp8", widen<E4M3FN, 8, Large::F32, 2>},
    {"v_cvt_scalef32_pk_f32_bf8", widen<E5M2, 8, Large::F32, 2>},
    {"v_cvt_scalef32_pk_f16_fp8", widen<E4M3FN, 8, Large::F16, 2>},
    {"v_cvt_scalef32_pk_f16_bf8", widen<E5M2, 8, Large::F16, 2>},
    {"v_cvt_scalef32_pk_bf16_fp8", widen<E4M3FN, 8, Large::Bf16, 2>},
    {"v_cvt_scalef32_pk_bf16_bf8", widen<E5M2, 8, Large::Bf16, 2>},
    {"v_cvt_scalef32_pk_f32_fp4", widen<E2M1, 4, Large::F32, 2>},
    {"v_cvt_scalef32_pk_f16_fp4", widen<E2M1, 4, Large::F16, 2>},
    {"v_cvt_scalef32_pk_bf16_fp4", widen<E2M1, 4, Large::Bf16, 2>},
    {"v_cvt_scalef32_pk32_f32_fp6", widen<E2M3, 6, Large::F32, 32>},
    {"v_cvt_scalef32_pk32_f32_bf6", widen<E3M2, 6, Large::F32, 32>},
    {"v_cvt_scalef32_pk32_f16_fp6", widen<E2M3, 6, Large::F16, 32>},
    {"v_cvt_scalef32_pk32_f16_bf6", widen<E3M2, 6, Large::F16, 32>},
    {"v_cvt_scalef32_pk32_bf16_fp6", widen<E2M3, 6, Large::Bf16, 32>},
    {"v_cvt_scalef32_pk32_bf16_bf6", widen<E3M2, 6, Large::Bf16, 32>},
};

} // namespace

void registerConvertScaled(HandlerTable &table) {
  table.add(narrowRows, InstructionClass::Valu);
  table.add(widenRows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
