//===- ValuHalf.cpp - Half precision arithmetic ---------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_*_F16 of one half per lane. A fused multiply-add is exact to one rounding
// in double: the product has 22 bits and sums that need more than 53 are
// decided by their larger part.
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

MLA_SIM_INLINE double fusedHalf(float a, float b, float c) {
  return double(a) * double(b) + double(c);
}

/// V_MAC and V_MAD round the product.
MLA_SIM_INLINE float unfusedHalf(const FloatMode &mode, float a, float b,
                                 float c) {
  return halfToFloat(floatToHalf(mode, a * b)) + c;
}

template <bool Max>
MLA_SIM_INLINE float extreme(const FloatMode &mode, float a, float b) {
  return minOrMax<Max>(mode, a, b);
}
template <bool Max>
MLA_SIM_INLINE float extreme3(const FloatMode &mode, float a, float b,
                              float c) {
  return minOrMax<Max>(mode, minOrMax<Max>(mode, a, b), c);
}
MLA_SIM_INLINE float median(const FloatMode &mode, float a, float b, float c) {
  float low = minOrMax<false>(mode, a, b), high = minOrMax<true>(mode, a, b);
  float middle = minOrMax<true>(mode, low, minOrMax<false>(mode, high, c));
  bool nan = isNan(a) || isNan(b) || isNan(c);
  return nan ? minOrMax<false>(mode, low, c) : middle;
}

MLA_SIM_INLINE float scaleByPower(float value, int16_t exponent) {
  int bounded = clampToInt(exponent, -60, 60);
  return value * bitsAs<float>(uint32_t(bounded + 127) << 23);
}

MLA_SIM_INLINE int32_t frexpExponent(float value) {
  int32_t exponent = int32_t(bitsAs<uint32_t>(value) >> 23 & 0xFF) - 126;
  return value == 0 || !(absOf(value) < __builtin_inff()) ? 0 : exponent;
}
MLA_SIM_INLINE float frexpMantissa(float value) {
  float mantissa =
      bitsAs<float>((bitsAs<uint32_t>(value) & 0x807FFFFFu) | 0x3F000000u);
  return value == 0 || !(absOf(value) < __builtin_inff()) ? value : mantissa;
}

const HandlerTable::SelectorRow rows[] = {
    {"v_add_f16", valu<F16(F16, F16), [](float a, float b) { return a + b; }>},
    {"v_sub_f16", valu<F16(F16, F16), [](float a, float b) { return a - b; }>},
    {"v_subrev_f16",
     valu<F16(F16, F16), [](float a, float b) { return b - a; }>},
    {"v_mul_f16", valu<F16(F16, F16), [](float a, float b) { return a * b; }>},
    {"v_min_f16", valu<F16(F16, F16), extreme<false>>},
    {"v_max_f16", valu<F16(F16, F16), extreme<true>>},
    {"v_ldexp_f16", valu<F16(F16, I16), scaleByPower>},
    {"v_mac_f16", valu<F16(F16, F16, F16), unfusedHalf, kAccumulates>},
    // The constant stands in the text where the formula has it.
    {"v_madmk_f16", valu<F16(F16, F16, F16), unfusedHalf>},
    {"v_madak_f16", valu<F16(F16, F16, F16), unfusedHalf>},
    {"v_mad_f16", valu<F16(F16, F16, F16), unfusedHalf, kKeepsHigh>},
    {"v_mad_legacy_f16", valu<F16(F16, F16, F16), unfusedHalf>},
    {"v_fma_f16", valu<F16(F16, F16, F16), fusedHalf, kKeepsHigh>},
    {"v_fma_legacy_f16", valu<F16(F16, F16, F16), fusedHalf>},
    {"v_min3_f16", valu<F16(F16, F16, F16), extreme3<false>, kKeepsHigh>},
    {"v_max3_f16", valu<F16(F16, F16, F16), extreme3<true>, kKeepsHigh>},
    {"v_med3_f16", valu<F16(F16, F16, F16), median, kKeepsHigh>},
    {"v_floor_f16",
     valu<F16(F16), [](float a) { return __builtin_floorf(a); }>},
    {"v_ceil_f16", valu<F16(F16), [](float a) { return __builtin_ceilf(a); }>},
    {"v_trunc_f16",
     valu<F16(F16), [](float a) { return __builtin_truncf(a); }>},
    {"v_rndne_f16",
     valu<F16(F16), [](float a) { return __builtin_roundevenf(a); }>},
    {"v_fract_f16",
     valu<F16(F16), [](float a) { return a - __builtin_floorf(a); }>},
    {"v_frexp_mant_f16", valu<F16(F16), frexpMantissa>},
    {"v_frexp_exp_i16_f16", valu<I16(F16), frexpExponent>},
};

} // namespace

void registerValuHalf(HandlerTable &table) {
  table.add(rows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
