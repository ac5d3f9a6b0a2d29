//===- ValuDivide.cpp - The steps of a division ---------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_DIV_SCALE, V_DIV_FMAS and V_DIV_FIXUP (CDNA3 ISA, "VOP3A and VOP3B
// instructions"). Source 1 is the denominator, source 2 the numerator.
//
// Three places of the manual's pseudo-code cannot be meant as printed, because
// the sequence would not divide:
// - V_DIV_FMAS scales by +2^32 (f32) or +2^64 (f64) only. Only the numerator
//   was scaled up for a quotient that would be denormal, so this must scale
//   down; the RDNA manuals say 2^64 (2^128) upwards where the exponent of S2 is
//   above the bias and downwards elsewhere, which is what is done here.
// - V_DIV_SCALE, when both 1/denominator and the quotient are denormal, scales
//   the denominator by +2^64 (+2^128), which overflows; here by 2^-64 (2^-128).
// - V_DIV_FIXUP gives an overflow where the denominator's exponent is all ones,
//   which an earlier case has already taken; it is the quotient's that has to
//   be looked at, since a quotient that overflows has made NaN of the steps.
// The scaled V_DIV_FMAS rounds once.
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

template <class F> struct DivideTraits;
template <> struct DivideTraits<float> {
  using Tag = F32;
  static constexpr int kMantissa = 23, kTop = 255;
  static constexpr int kLargeRatio = 96, kTinyNumerator = 23, kUnderflow = -150;
  static constexpr float kUp = 0x1p64f, kDown = 0x1p-64f;
  static constexpr float kLeastNormal = 0x1p-126f;
};
template <> struct DivideTraits<double> {
  using Tag = F64;
  static constexpr int kMantissa = 52, kTop = 2047;
  static constexpr int kLargeRatio = 768, kTinyNumerator = 53,
                       kUnderflow = -1075;
  static constexpr double kUp = 0x1p128, kDown = 0x1p-128;
  static constexpr double kLeastNormal = 0x1p-1022;
};

/// The exponent field.
template <class F> MLA_SIM_INLINE int exponentOf(F value) {
  using T = DivideTraits<F>;
  return int(bitsAs<BitsOf<F>>(value) >> T::kMantissa) & T::kTop;
}
template <class F> MLA_SIM_INLINE bool negative(F value) {
  return bitsAs<BitsOf<F>>(value) >> (8 * sizeof(F) - 1);
}
template <class F> MLA_SIM_INLINE bool isDenormal(F value) {
  return value != 0 && absOf(value) < DivideTraits<F>::kLeastNormal;
}

template <class F> struct Scaled {
  F value;
  bool vcc;
};

template <class F>
MLA_SIM_INLINE Scaled<F> divideScale(F source, F denominator, F numerator) {
  using T = DivideTraits<F>;
  const bool ofDenominator =
      bitsAs<BitsOf<F>>(source) == bitsAs<BitsOf<F>>(denominator);
  const bool ofNumerator =
      bitsAs<BitsOf<F>>(source) == bitsAs<BitsOf<F>>(numerator);
  if (numerator == 0 || denominator == 0)
    return {bitsAs<F>(sizeof(F) == 4 ? BitsOf<F>(0x7FC00000u)
                                     : BitsOf<F>(0x7FF8000000000000ull)),
            false};
  const bool tinyReciprocal = isDenormal(F(1) / denominator);
  const bool tinyQuotient =
      isDenormal(numerator / denominator) || numerator / denominator == 0;
  if (exponentOf(numerator) - exponentOf(denominator) >= T::kLargeRatio)
    return {ofDenominator ? source * T::kUp : source, true};
  if (isDenormal(denominator))
    return {source * T::kUp, false};
  if (tinyReciprocal && tinyQuotient)
    return {ofDenominator ? source * T::kDown : source, true};
  if (tinyReciprocal)
    return {source * T::kDown, false};
  if (tinyQuotient)
    return {ofNumerator ? source * T::kUp : source, true};
  if (exponentOf(numerator) <= T::kTinyNumerator)
    return {source * T::kUp, false};
  return {source, false};
}

/// ops: vdst, sdst, src0, src1, src2.
template <class F>
void divideScaleHandler(Wave &wave, const Instruction &inst) {
  using Tag = typename DivideTraits<F>::Tag;
  Sources<3> in(wave, inst);
  for (int i = 0; i < 3; ++i)
    in.template fetch<Tag>(wave, inst, unsigned(i) + 2, i);
  const FloatMode mode(wave.mode);
  LaneArray lo, hi;
  uint64_t vcc = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    const Scaled<F> scaled =
        divideScale(Tag::get(mode, bitsOf<Tag>(in.source[0], lane)),
                    Tag::get(mode, bitsOf<Tag>(in.source[1], lane)),
                    Tag::get(mode, bitsOf<Tag>(in.source[2], lane)));
    const uint64_t bits = Tag::put(mode, inst.mods, scaled.value);
    lo.lane[lane] = uint32_t(bits);
    hi.lane[lane] = uint32_t(bits >> 32);
    vcc |= uint64_t(scaled.vcc) << lane;
  }
  writeLaneMask(wave, inst.ops[1], vcc);
  writeLanes(wave, inst.ops[0].index, lo.lane);
  if (Tag::kWords == 2)
    writeLanes(wave, inst.ops[0].index + 1u, hi.lane);
}

/// a * b + c in double, rounded to odd where it is not exact.
MLA_SIM_INLINE double fusedToOdd(float a, float b, float c) {
  const double product = double(a) * b, sum = product + c;
  const double part = sum - product;
  const double error = (product - (sum - part)) + (c - part);
  uint64_t bits = bitsAs<uint64_t>(sum);
  if (error != 0 && absOf(sum) < __builtin_inf()) {
    bits -= uint64_t((error > 0) != (sum > 0));
    bits |= 1;
  }
  return bitsAs<double>(bits);
}

MLA_SIM_INLINE float scaledFused(float a, float b, float c) {
  const double exact = fusedToOdd(a, b, c);
  return float(exact * (exponentOf(c) > 127 ? 0x1p64 : 0x1p-64));
}

#ifdef __SIZEOF_FLOAT128__
using Quad = __float128;
#else
using Quad = long double;
#endif
MLA_SIM_INLINE double scaledFused(double a, double b, double c) {
  // The product is exact in a quad.
  const Quad exact = Quad(a) * Quad(b) + Quad(c);
  return double(exact *
                (exponentOf(c) > 1023 ? Quad(0x1p128) : Quad(0x1p-128)));
}

template <class F> void divideFused(Wave &wave, const Instruction &inst) {
  using Tag = typename DivideTraits<F>::Tag;
  Sources<3> in(wave, inst);
  for (int i = 0; i < 3; ++i)
    in.template fetch<Tag>(wave, inst, unsigned(i) + 1, i);
  const FloatMode mode(wave.mode);
  const uint64_t vcc = wave.vcc();
  LaneArray lo, hi;
  RoundingScope scope(Tag::rounding(mode));
  for (int lane = 0; lane < kLanes; ++lane) {
    const F a = Tag::get(mode, bitsOf<Tag>(in.source[0], lane));
    const F b = Tag::get(mode, bitsOf<Tag>(in.source[1], lane));
    const F c = Tag::get(mode, bitsOf<Tag>(in.source[2], lane));
    F value;
    if (vcc >> lane & 1)
      value = scaledFused(a, b, c);
    else if constexpr (sizeof(F) == 4)
      value = __builtin_fmaf(a, b, c);
    else
      value = __builtin_fma(a, b, c);
    const uint64_t bits = Tag::put(mode, inst.mods, value);
    lo.lane[lane] = uint32_t(bits);
    hi.lane[lane] = uint32_t(bits >> 32);
  }
  writeLanes(wave, inst.ops[0].index, lo.lane);
  if (Tag::kWords == 2)
    writeLanes(wave, inst.ops[0].index + 1u, hi.lane);
}

template <class F>
MLA_SIM_INLINE F divideFixup(F quotient, F denominator, F numerator) {
  using T = DivideTraits<F>;
  using Bits = BitsOf<F>;
  constexpr Bits sign = Bits(1) << (8 * sizeof(F) - 1);
  constexpr Bits infinity = Bits(T::kTop) << T::kMantissa;
  const Bits signOut =
      negative(denominator) != negative(numerator) ? sign : Bits(0);
  const F invalid =
      bitsAs<F>(Bits(sign | infinity | Bits(1) << (T::kMantissa - 1)));
  const bool top = bitsAs<Bits>(absOf(numerator)) == infinity;
  const bool bottom = bitsAs<Bits>(absOf(denominator)) == infinity;
  if (isNan(numerator))
    return quiet(numerator);
  if (isNan(denominator))
    return quiet(denominator);
  if ((numerator == 0 && denominator == 0) || (top && bottom))
    return invalid;
  if (denominator == 0 || top)
    return bitsAs<F>(Bits(infinity | signOut));
  if (bottom || numerator == 0 ||
      exponentOf(numerator) - exponentOf(denominator) < T::kUnderflow)
    return bitsAs<F>(signOut);
  if (exponentOf(quotient) == T::kTop)
    return bitsAs<F>(Bits(infinity | signOut));
  return bitsAs<F>(Bits(bitsAs<Bits>(absOf(quotient)) | signOut));
}

/// In half precision the quotient is not replaced on underflow.
MLA_SIM_INLINE float divideFixupHalf(float quotient, float denominator,
                                     float numerator) {
  const bool negativeOut = negative(denominator) != negative(numerator);
  const float invalid = bitsAs<float>(0xFFC00000u);
  const float sign = negativeOut ? -1.0f : 1.0f;
  const bool top = absOf(numerator) == __builtin_inff();
  const bool bottom = absOf(denominator) == __builtin_inff();
  if (isNan(numerator))
    return numerator;
  if (isNan(denominator))
    return denominator;
  if ((numerator == 0 && denominator == 0) || (top && bottom))
    return invalid;
  if (denominator == 0 || top)
    return sign * __builtin_inff();
  if (bottom || numerator == 0)
    return sign * 0.0f;
  return sign * absOf(quotient);
}

const HandlerTable::Row rows[] = {
    {"v_div_scale_f32", divideScaleHandler<float>},
    {"v_div_scale_f64", divideScaleHandler<double>},
    {"v_div_fmas_f32", divideFused<float>},
    {"v_div_fmas_f64", divideFused<double>},
};

const HandlerTable::SelectorRow selectorRows[] = {
    {"v_div_fixup_f32", valu<F32(F32, F32, F32), divideFixup<float>>},
    {"v_div_fixup_f64", valu<F64(F64, F64, F64), divideFixup<double>>},
    {"v_div_fixup_f16", valu<F16(F16, F16, F16), divideFixupHalf, kKeepsHigh>},
    {"v_div_fixup_legacy_f16", valu<F16(F16, F16, F16), divideFixupHalf>},
};

} // namespace

void registerValuDivide(HandlerTable &table) {
  table.add(rows, InstructionClass::Valu);
  table.add(selectorRows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
