//===- Convert.cpp - Conversions between the larger formats ---------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_CVT_* between integers, half, bfloat16, single and double (CDNA3 and CDNA4
// ISA, sections "VOP1 instructions" and "VOP3A instructions").
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

template <int Byte> MLA_SIM_INLINE float byteToFloat(uint32_t a) {
  return float(int32_t(a >> (8 * Byte) & 0xFFu));
}

/// Unsigned to single in two exact halves: AVX2 converts signed values only.
/// The one rounding is that of the sum.
MLA_SIM_INLINE float unsignedToFloat(uint32_t a) {
  return float(int32_t(a >> 16)) * 65536.0f + float(int32_t(a & 0xFFFFu));
}

/// Rounded to the nearest integer of [Low, High] after scaling [-1 or 0, 1].
template <int Low, int High> MLA_SIM_INLINE uint32_t normalise(float a) {
  constexpr float least = Low < 0 ? -1.0f : 0.0f;
  float clamped = a > least ? (a < 1.0f ? a : 1.0f) : least;
  clamped = isNan(a) ? 0.0f : clamped;
  // Exact in double, so one rounding.
  double scaled = double(clamped) * High;
  return uint32_t(int32_t(__builtin_roundeven(scaled))) & 0xFFFFu;
}

template <int Low, int High>
MLA_SIM_INLINE uint32_t normalisePair(float a, float b) {
  return normalise<Low, High>(a) | normalise<Low, High>(b) << 16;
}

/// Towards zero (V_CVT_PKRTZ_F16_F32).
MLA_SIM_INLINE uint32_t halfTowardsZero(const FloatMode &mode, float a) {
  uint32_t half = floatToHalfNearest(a);
  half -= uint32_t(absOf(halfToFloat(half)) > absOf(a));
  return flush16(half, mode.keepOut16);
}
MLA_SIM_INLINE uint32_t halfNearest(const FloatMode &mode, float a) {
  uint32_t half = floatToHalfNearest(a);
  if (mode.saturate16)
    half -=
        uint32_t((half & 0x7FFFu) == 0x7C00u && absOf(a) < __builtin_inff());
  return flush16(half, mode.keepOut16);
}

/// Adds the random bits below the last place and truncates; NaN and infinity
/// pass.
MLA_SIM_INLINE uint32_t bf16Stochastic(float a, uint32_t random) {
  uint32_t bits = bitsAs<uint32_t>(a);
  uint32_t rounded = (bits + (random >> 16)) >> 16;
  bool special = (bits & 0x7F800000u) == 0x7F800000u;
  uint32_t kept = bits >> 16 | (isNan(a) ? 0x40u : 0u);
  return special ? kept : rounded;
}
MLA_SIM_INLINE uint32_t halfStochastic(float a, uint32_t random) {
  uint32_t bits = bitsAs<uint32_t>(a), rest = bits & 0x7FFFFFFFu;
  uint32_t sign = bits >> 16 & 0x8000u, exponent = rest >> 23;
  uint32_t normal = (rest - (uint32_t(127 - 15) << 23) + (random >> 19)) >> 13;
  bool tiny = rest < 0x38800000u;
  uint32_t cut = 126u - exponent;
  cut = cut > 32 ? 32 : cut;
  uint64_t mantissa = (rest & 0x7FFFFFu) | (exponent ? 0x800000u : 0u);
  uint32_t denormal =
      uint32_t((mantissa + (uint64_t(random) >> (tiny ? 32 - cut : 0))) >>
               (tiny ? cut : 0));
  uint32_t result = tiny ? denormal : normal;
  result = rest >= 0x47800000u || result > 0x7C00u ? 0x7C00u : result;
  result = isNan(a) ? 0x7E00u | (rest >> 13 & 0x3FFu) : result;
  return sign | result;
}

const HandlerTable::SelectorRow rows[] = {
    {"v_cvt_i32_f64", valu<I32(F64), truncToI32<double>>},
    {"v_cvt_u32_f64", valu<U32(F64), truncToU32<double>>},
    {"v_cvt_i32_f32", valu<I32(F32), truncToI32<float>>},
    {"v_cvt_u32_f32", valu<U32(F32), truncToU32<float>>},
    {"v_cvt_f64_i32", valu<F64(I32), [](int32_t a) { return double(a); }>},
    {"v_cvt_f64_u32", valu<F64(U32), [](uint32_t a) { return double(a); }>},
    {"v_cvt_f32_i32", valu<F32(I32), [](int32_t a) { return float(a); }>},
    {"v_cvt_f32_u32", valu<F32(U32), unsignedToFloat>},
    {"v_cvt_f32_f64", valu<F32(F64), [](double a) { return float(a); }>},
    {"v_cvt_f64_f32", valu<F64(F32), [](float a) { return double(a); }>},
    {"v_cvt_f16_f32", valu<F16(F32), [](float a) { return a; }>},
    {"v_cvt_f32_f16", valu<F32(F16), [](float a) { return a; }>},
    {"v_cvt_f32_bf16",
     valu<F32(U16), [](uint16_t a) { return bf16ToFloat(a); }>},
    {"v_cvt_rpi_i32_f32",
     valu<I32(F32),
          [](float a) { return truncToI32(__builtin_floorf(a + 0.5f)); }>},
    {"v_cvt_flr_i32_f32",
     valu<I32(F32), [](float a) { return truncToI32(__builtin_floorf(a)); }>},
    {"v_cvt_off_f32_i4",
     valu<F32(U32),
          [](uint32_t a) { return float(int32_t(a << 28) >> 28) * 0.0625f; }>},
    {"v_cvt_f32_ubyte0", valu<F32(U32), byteToFloat<0>>},
    {"v_cvt_f32_ubyte1", valu<F32(U32), byteToFloat<1>>},
    {"v_cvt_f32_ubyte2", valu<F32(U32), byteToFloat<2>>},
    {"v_cvt_f32_ubyte3", valu<F32(U32), byteToFloat<3>>},
    {"v_cvt_f16_u16", valu<F16(U16), [](uint16_t a) { return float(a); }>},
    {"v_cvt_f16_i16", valu<F16(I16), [](int16_t a) { return float(a); }>},
    {"v_cvt_u16_f16", valu<U16(F16),
                           [](float a) {
                             return uint32_t(
                                 clampToInt(truncToI32(a), 0, 65535));
                           }>},
    {"v_cvt_i16_f16",
     valu<I16(F16),
          [](float a) { return clampToInt(truncToI32(a), -32768, 32767); }>},
    {"v_cvt_norm_i16_f16", valu<U16(F16), normalise<-32767, 32767>>},
    {"v_cvt_norm_u16_f16", valu<U16(F16), normalise<0, 65535>>},
    {"v_cvt_pknorm_i16_f32", valu<U32(F32, F32), normalisePair<-32767, 32767>>},
    {"v_cvt_pknorm_u16_f32", valu<U32(F32, F32), normalisePair<0, 65535>>},
    {"v_cvt_pknorm_i16_f16", valu<U32(F16, F16), normalisePair<-32767, 32767>>},
    {"v_cvt_pknorm_u16_f16", valu<U32(F16, F16), normalisePair<0, 65535>>},
    {"v_cvt_pkrtz_f16_f32", valu<U32(F32, F32),
                                 [](const FloatMode &mode, float a, float b) {
                                   return halfTowardsZero(mode, a) |
                                          halfTowardsZero(mode, b) << 16;
                                 }>},
    {"v_cvt_pk_f16_f32", valu<U32(F32, F32),
                              [](const FloatMode &mode, float a, float b) {
                                return halfNearest(mode, a) |
                                       halfNearest(mode, b) << 16;
                              }>},
    {"v_cvt_pk_bf16_f32", valu<U32(F32, F32),
                               [](float a, float b) {
                                 return floatToBf16(a) | floatToBf16(b) << 16;
                               }>},
    {"v_cvt_sr_bf16_f32", valu<U16(F32, U32), bf16Stochastic, kKeepsHigh>},
    {"v_cvt_sr_f16_f32", valu<U16(F32, U32), halfStochastic, kKeepsHigh>},
    {"v_cvt_pk_u16_u32", valu<U32(U32, U32),
                              [](uint32_t a, uint32_t b) {
                                uint32_t low = a < 65535 ? a : 65535;
                                uint32_t high = b < 65535 ? b : 65535;
                                return low | high << 16;
                              }>},
    {"v_cvt_pk_i16_i32",
     valu<U32(I32, I32),
          [](int32_t a, int32_t b) {
            return (uint32_t(clampToInt(a, -32768, 32767)) & 0xFFFFu) |
                   uint32_t(clampToInt(b, -32768, 32767)) << 16;
          }>},
    {"v_cvt_pk_u8_f32", valu<U32(F32, U32, U32),
                             [](float a, uint32_t b, uint32_t c) {
                               uint32_t shift = 8 * (b & 3);
                               uint32_t byte =
                                   uint32_t(clampToInt(truncToI32(a), 0, 255));
                               return (c & ~(0xFFu << shift)) | byte << shift;
                             }>},
    {"v_cvt_pkaccum_u8_f32",
     valu<U32(F32, U32, U32),
          [](float a, uint32_t b, uint32_t c) {
            uint32_t shift = 8 * (b & 3);
            uint32_t byte = uint32_t(clampToInt(truncToI32(a), 0, 255));
            return (c & ~(0xFFu << shift)) | byte << shift;
          },
          kAccumulates>},
};

} // namespace

void registerConvert(HandlerTable &table) {
  table.add(rows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
