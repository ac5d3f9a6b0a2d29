//===- ValuFloat.cpp - Single and double precision arithmetic -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Semantics as in the CDNA3 and CDNA4 ISA manuals, sections "VOP1/VOP2/VOP3A
// instructions". Which NaN an invalid operation makes is the host's choice: the
// manuals do not say.
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

MLA_SIM_INLINE float fused(float a, float b, float c) {
  return __builtin_fmaf(a, b, c);
}
MLA_SIM_INLINE double fused(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

template <class F, bool Max>
MLA_SIM_INLINE F extreme(const FloatMode &mode, F a, F b) {
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

/// 2^exponent as a double, |exponent| <= 1022.
MLA_SIM_INLINE double powerOfTwo(int exponent) {
  return bitsAs<double>(uint64_t(exponent + 1023) << 52);
}

/// Exact in double for every exponent that does not already decide the result.
MLA_SIM_INLINE float scaleByPower(float value, int32_t exponent) {
  return float(double(value) * powerOfTwo(clampToInt(exponent, -400, 400)));
}

/// Exponent field of the normalised value, so that denormals work too.
MLA_SIM_INLINE int32_t frexpExponent(float value) {
  double wide = absOf(value);
  int32_t exponent = int32_t(bitsAs<uint64_t>(wide) >> 52) - 1022;
  return wide == 0 || !(wide < __builtin_inf()) ? 0 : exponent;
}
MLA_SIM_INLINE float frexpMantissa(float value) {
  double wide = value;
  uint64_t bits = bitsAs<uint64_t>(wide);
  double mantissa =
      bitsAs<double>((bits & 0x800FFFFFFFFFFFFFull) | 0x3FE0000000000000ull);
  return value == 0 || !(absOf(value) < __builtin_inff()) ? value
                                                          : float(mantissa);
}
MLA_SIM_INLINE double normalised(double value, int32_t &shift) {
  bool denormal = !(bitsAs<uint64_t>(value) & 0x7FF0000000000000ull);
  shift = denormal ? 64 : 0;
  return denormal ? value * 0x1p64 : value;
}
MLA_SIM_INLINE int32_t frexpExponent(double value) {
  int32_t shift;
  double normal = normalised(absOf(value), shift);
  int32_t exponent = int32_t(bitsAs<uint64_t>(normal) >> 52) - 1022 - shift;
  return value == 0 || !(absOf(value) < __builtin_inf()) ? 0 : exponent;
}
MLA_SIM_INLINE double frexpMantissa(double value) {
  int32_t shift;
  uint64_t bits = bitsAs<uint64_t>(normalised(value, shift));
  double mantissa =
      bitsAs<double>((bits & 0x800FFFFFFFFFFFFFull) | 0x3FE0000000000000ull);
  return value == 0 || !(absOf(value) < __builtin_inf()) ? value : mantissa;
}

/// The face of a cube map that V_CUBE*_F32 find: 0 is x, 1 is y, 2 is z.
MLA_SIM_INLINE int cubeAxis(float x, float y, float z) {
  float ax = absOf(x), ay = absOf(y), az = absOf(z);
  return az >= ax && az >= ay ? 2 : ay >= ax ? 1 : 0;
}

const HandlerTable::SelectorRow single[] = {
    {"v_add_f32", valu<F32(F32, F32), [](float a, float b) { return a + b; }>},
    {"v_sub_f32", valu<F32(F32, F32), [](float a, float b) { return a - b; }>},
    {"v_subrev_f32",
     valu<F32(F32, F32), [](float a, float b) { return b - a; }>},
    {"v_mul_f32", valu<F32(F32, F32), [](float a, float b) { return a * b; }>},
    {"v_mul_legacy_f32",
     valu<F32(F32, F32),
          [](float a, float b) { return a == 0 || b == 0 ? 0.0f : a * b; }>},
    {"v_min_f32", valu<F32(F32, F32), extreme<float, false>>},
    {"v_max_f32", valu<F32(F32, F32), extreme<float, true>>},
    {"v_min3_f32", valu<F32(F32, F32, F32), extreme3<false>>},
    {"v_max3_f32", valu<F32(F32, F32, F32), extreme3<true>>},
    {"v_med3_f32", valu<F32(F32, F32, F32), median>},
    {"v_minimum3_f32", valu<F32(F32, F32, F32),
                            [](float a, float b, float c) {
                              return minimumOrMaximum<false>(
                                  minimumOrMaximum<false>(a, b), c);
                            }>},
    {"v_maximum3_f32", valu<F32(F32, F32, F32),
                            [](float a, float b, float c) {
                              return minimumOrMaximum<true>(
                                  minimumOrMaximum<true>(a, b), c);
                            }>},
    {"v_fma_f32",
     valu<F32(F32, F32, F32),
          [](float a, float b, float c) { return fused(a, b, c); }>},
    {"v_fmac_f32",
     valu<F32(F32, F32, F32),
          [](float a, float b, float c) { return fused(a, b, c); },
          kAccumulates>},
    // The constant stands in the text where the formula has it.
    {"v_fmamk_f32",
     valu<F32(F32, F32, F32),
          [](float a, float b, float c) { return fused(a, b, c); }>},
    {"v_fmaak_f32",
     valu<F32(F32, F32, F32),
          [](float a, float b, float c) { return fused(a, b, c); }>},
    {"v_ldexp_f32", valu<F32(F32, I32), scaleByPower>},
    {"v_floor_f32",
     valu<F32(F32), [](float a) { return __builtin_floorf(a); }>},
    {"v_ceil_f32", valu<F32(F32), [](float a) { return __builtin_ceilf(a); }>},
    {"v_trunc_f32",
     valu<F32(F32), [](float a) { return __builtin_truncf(a); }>},
    {"v_rndne_f32",
     valu<F32(F32), [](float a) { return __builtin_roundevenf(a); }>},
    {"v_fract_f32",
     valu<F32(F32), [](float a) { return a - __builtin_floorf(a); }>},
    {"v_frexp_exp_i32_f32",
     valu<I32(F32), [](float a) { return frexpExponent(a); }>},
    {"v_frexp_mant_f32",
     valu<F32(F32), [](float a) { return frexpMantissa(a); }>},
    {"v_cubeid_f32", valu<F32(F32, F32, F32),
                          [](float x, float y, float z) {
                            int axis = cubeAxis(x, y, z);
                            float major = axis == 2 ? z : axis == 1 ? y : x;
                            return float(2 * axis + (major < 0));
                          }>},
    {"v_cubesc_f32", valu<F32(F32, F32, F32),
                          [](float x, float y, float z) {
                            int axis = cubeAxis(x, y, z);
                            return axis == 2   ? (z < 0 ? -x : x)
                                   : axis == 1 ? x
                                               : (x < 0 ? z : -z);
                          }>},
    {"v_cubetc_f32", valu<F32(F32, F32, F32),
                          [](float x, float y, float z) {
                            int axis = cubeAxis(x, y, z);
                            return axis == 1 ? (y < 0 ? -z : z) : -y;
                          }>},
    {"v_cubema_f32", valu<F32(F32, F32, F32),
                          [](float x, float y, float z) {
                            int axis = cubeAxis(x, y, z);
                            return 2 * (axis == 2 ? z : axis == 1 ? y : x);
                          }>},
};

const HandlerTable::SelectorRow doubles[] = {
    {"v_add_f64",
     valu<F64(F64, F64), [](double a, double b) { return a + b; }>},
    {"v_mul_f64",
     valu<F64(F64, F64), [](double a, double b) { return a * b; }>},
    {"v_min_f64", valu<F64(F64, F64), extreme<double, false>>},
    {"v_max_f64", valu<F64(F64, F64), extreme<double, true>>},
    {"v_fma_f64",
     valu<F64(F64, F64, F64),
          [](double a, double b, double c) { return fused(a, b, c); }>},
    {"v_fmac_f64",
     valu<F64(F64, F64, F64),
          [](double a, double b, double c) { return fused(a, b, c); },
          kAccumulates>},
    {"v_ldexp_f64", valu<F64(F64, I32),
                         [](double a, int32_t b) {
                           return __builtin_scalbn(a,
                                                   clampToInt(b, -5000, 5000));
                         }>},
    {"v_floor_f64",
     valu<F64(F64), [](double a) { return __builtin_floor(a); }>},
    {"v_ceil_f64", valu<F64(F64), [](double a) { return __builtin_ceil(a); }>},
    {"v_trunc_f64",
     valu<F64(F64), [](double a) { return __builtin_trunc(a); }>},
    {"v_rndne_f64",
     valu<F64(F64), [](double a) { return __builtin_roundeven(a); }>},
    {"v_fract_f64",
     valu<F64(F64), [](double a) { return a - __builtin_floor(a); }>},
    {"v_frexp_exp_i32_f64",
     valu<I32(F64), [](double a) { return frexpExponent(a); }>},
    {"v_frexp_mant_f64",
     valu<F64(F64), [](double a) { return frexpMantissa(a); }>},
};

} // namespace

void registerValuFloat(HandlerTable &table) {
  table.add(single, InstructionClass::Valu);
  table.add(doubles, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
