//===- ValuTranscendental.cpp - Roots, exponentials, trigonometry ---------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hardware promises 1 ulp in single precision (CDNA3 ISA, "VOP1
// instructions"); here results are computed in double and rounded, so that they
// differ from hardware in the last place. Single-precision forms take denormals
// as zeros and give none, whatever MODE says: LLVM's AMDGPU backend relies on
// nothing else (AMDGPUCodeGenPrepare, "v_rcp_f32 and v_rsq_f32 do not support
// denormals") and scales around it. Double-precision forms are seeds of
// 2^-29 relative accuracy for Newton steps; they are cut to that, so that code
// without the steps shows.
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

MLA_SIM_INLINE float flushed(float value) {
  return bitsAs<float>(flush32(bitsAs<uint32_t>(value), 0x80000000u));
}

MLA_SIM_INLINE double powerOfTwo(int exponent) {
  return bitsAs<double>(uint64_t(int64_t(exponent) + 1023) << 52);
}

/// 2^x for a float, relative error below 1e-14.
MLA_SIM_INLINE double exp2Of(float x) {
  float inside = x > -400.0f ? (x < 400.0f ? x : 400.0f) : -400.0f;
  inside = isNan(x) ? 0.0f : inside;
  // Adding 1.5 * 2^23 leaves the nearest integer in the low mantissa bits.
  float shifted = inside + 12582912.0f;
  int whole = int(bitsAs<uint32_t>(shifted) & 0x7FFFFFu) - 0x400000;
  double t =
      (double(inside) - double(shifted - 12582912.0f)) * 0.69314718055994530942;
  double sum = 1.0 / 39916800;
  constexpr double inverse[] = {1.0 / 3628800, 1.0 / 362880, 1.0 / 40320,
                                1.0 / 5040,    1.0 / 720,    1.0 / 120,
                                1.0 / 24,      1.0 / 6,      0.5,
                                1.0,           1.0};
  for (double c : inverse)
    sum = sum * t + c;
  double result = sum * powerOfTwo(whole);
  result = x > 400.0f ? __builtin_inf() : result;
  result = x < -400.0f ? 0.0 : result;
  return isNan(x) ? double(x) : result;
}

/// log2 of a float, denormals of half precision (normal in single) included.
MLA_SIM_INLINE double log2Of(float x) {
  uint32_t bits = bitsAs<uint32_t>(x);
  int exponent = int(bits >> 23 & 0xFF) - 127;
  uint32_t fraction = bits & 0x7FFFFFu;
  // The mantissa in [sqrt(1/2), sqrt(2)].
  bool upper = fraction > 0x3504F3u;
  double m = bitsAs<float>(fraction | (upper ? 126u << 23 : 127u << 23));
  double e = exponent + int(upper);
  double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 1.0 / 21;
  constexpr double odd[] = {1.0 / 19, 1.0 / 17, 1.0 / 15, 1.0 / 13, 1.0 / 11,
                            1.0 / 9,  1.0 / 7,  1.0 / 5,  1.0 / 3,  1.0};
  for (double c : odd)
    sum = sum * s2 + c;
  double result = e + 2 * 1.44269504088896340736 * s * sum;
  result = x == __builtin_inff() ? __builtin_inf() : result;
  result = x < 0 ? __builtin_nan("") : result;
  result = x == 0 ? -__builtin_inf() : result;
  return isNan(x) ? double(x) : result;
}

/// sin(2 pi r) for r in [-1/2, 1/2].
MLA_SIM_INLINE double sinTurns(double r) {
  r = r > 0.25 ? 0.5 - r : r < -0.25 ? -0.5 - r : r;
  double t = r * 6.28318530717958647693, t2 = t * t;
  double sum = -1.0 / 121645100408832000.0; // 19!
  constexpr double terms[] = {1.0 / 355687428096000.0,
                              -1.0 / 1307674368000.0,
                              1.0 / 6227020800.0,
                              -1.0 / 39916800.0,
                              1.0 / 362880.0,
                              -1.0 / 5040.0,
                              1.0 / 120.0,
                              -1.0 / 6.0,
                              1.0};
  for (double c : terms)
    sum = sum * t2 + c;
  return sum * t;
}
MLA_SIM_INLINE double turnsWithin(float x) {
  // |x| <= 256, so adding 1.5 * 2^23 rounds to an integer.
  float inside = absOf(x) <= 256.0f ? x : 0.0f;
  float whole = (inside + 12582912.0f) - 12582912.0f;
  return double(inside) - double(whole);
}
/// Arguments are in turns; beyond 256 of them the result is that of 0
/// (GCN3 ISA, V_SIN_F32; later manuals keep silent).
MLA_SIM_INLINE double sinOf(float x) {
  double result = sinTurns(turnsWithin(x));
  bool finite = absOf(x) < __builtin_inff();
  return finite ? result : __builtin_nan("");
}
MLA_SIM_INLINE double cosOf(float x) {
  double r = turnsWithin(x) + 0.25;
  double result = sinTurns(r > 0.5 ? r - 1.0 : r);
  bool finite = absOf(x) < __builtin_inff();
  return finite ? result : __builtin_nan("");
}

MLA_SIM_INLINE float reciprocalRoot(float x) {
  return float(1.0 / __builtin_sqrt(double(x)));
}

/// Cuts a double to the accuracy that the hardware's seed has.
MLA_SIM_INLINE double seed(double value) {
  uint64_t bits = bitsAs<uint64_t>(value);
  bool finite = absOf(value) < __builtin_inf();
  uint64_t cut = (bits + (uint64_t(1) << 23)) & ~((uint64_t(1) << 24) - 1);
  return bitsAs<double>(finite ? cut : bits);
}

constexpr auto kRcp = [](float a) { return flushed(1.0f / flushed(a)); };
constexpr auto kExp = [](float a) {
  return flushed(float(exp2Of(flushed(a))));
};
constexpr auto kLog = [](float a) {
  return flushed(float(log2Of(flushed(a))));
};

const HandlerTable::SelectorRow single[] = {
    {"v_rcp_f32", valu<F32(F32), kRcp>},
    {"v_rcp_iflag_f32", valu<F32(F32), kRcp>},
    {"v_rsq_f32",
     valu<F32(F32),
          [](float a) { return flushed(reciprocalRoot(flushed(a))); }>},
    {"v_sqrt_f32",
     valu<F32(F32), [](float a) { return __builtin_sqrtf(flushed(a)); }>},
    {"v_exp_f32", valu<F32(F32), kExp>},
    {"v_log_f32", valu<F32(F32), kLog>},
    {"v_exp_legacy_f32", valu<F32(F32), kExp>},
    {"v_log_legacy_f32", valu<F32(F32), kLog>},
    {"v_sin_f32",
     valu<F32(F32), [](float a) { return flushed(float(sinOf(flushed(a)))); }>},
    {"v_cos_f32",
     valu<F32(F32), [](float a) { return flushed(float(cosOf(flushed(a)))); }>},
};

const HandlerTable::SelectorRow half[] = {
    {"v_rcp_f16", valu<F16(F16), [](float a) { return 1.0f / a; }>},
    {"v_rsq_f16", valu<F16(F16), reciprocalRoot>},
    {"v_sqrt_f16", valu<F16(F16), [](float a) { return __builtin_sqrtf(a); }>},
    {"v_exp_f16", valu<F16(F16), exp2Of>},
    {"v_log_f16", valu<F16(F16), log2Of>},
    {"v_sin_f16", valu<F16(F16), sinOf>},
    {"v_cos_f16", valu<F16(F16), cosOf>},
};

/// 2/pi, 1216 bits behind the point.
constexpr uint64_t kTwoOverPi[] = {
    0xA2F9836E4E441529ull, 0xFC2757D1F534DDC0ull, 0xDB6295993C439041ull,
    0xFE5163ABDEBBC561ull, 0xB7246E3A424DD2E0ull, 0x06492EEA09D1921Cull,
    0xFE1DEB1CB129A73Eull, 0xE88235F52EBB4484ull, 0xE99C7026B45F7E41ull,
    0x3991D639835339F4ull, 0x9C845F8BBDF9283Bull, 0x1FF897FFDE05980Full,
    0xEF2F118B5A0A6D1Full, 0x6D367ECF27CB09B7ull, 0x4F463F669E5FEA2Dull,
    0x7527BAC7EBE5F17Bull, 0x3D0739F78A5292EAull, 0x6BFB5FB11F8D5D08ull,
    0x56033046FC7B6BABull};

/// V_TRIG_PREOP_F64: segment number `part` of 2/pi, 53 bits, further along for
/// larger arguments.
MLA_SIM_INLINE double trigSegment(double argument, uint32_t part) {
  const int exponent = int(bitsAs<uint64_t>(argument) >> 52 & 0x7FF);
  int shift = int(part & 31) * 53;
  shift += exponent > 1077 ? exponent - 1077 : 0;
  // The manual's number ends after 1201 bits; zeros follow.
  uint64_t segment = 0;
  for (int i = 0; i < 53; ++i) {
    int at = shift + i;
    uint64_t bit = at < 1201 ? kTwoOverPi[at / 64] >> (63 - at % 64) & 1 : 0;
    segment = segment << 1 | bit;
  }
  int scale = -53 - shift + (exponent >= 1968 ? 128 : 0);
  return __builtin_scalbn(double(segment), scale);
}

const HandlerTable::SelectorRow doubles[] = {
    {"v_rcp_f64", valu<F64(F64), [](double a) { return seed(1.0 / a); }>},
    {"v_rsq_f64",
     valu<F64(F64), [](double a) { return seed(1.0 / __builtin_sqrt(a)); }>},
    {"v_sqrt_f64",
     valu<F64(F64), [](double a) { return seed(__builtin_sqrt(a)); }>},
    {"v_trig_preop_f64", valu<F64(F64, U32), trigSegment>},
};

} // namespace

void registerValuTranscendental(HandlerTable &table) {
  table.add(single, InstructionClass::Valu);
  table.add(half, InstructionClass::Valu);
  table.add(doubles, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
