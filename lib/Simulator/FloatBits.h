//===- FloatBits.h - Floats as the vector ALU sees them ---------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the MODE register asks of floating-point arithmetic (CDNA3 ISA, section
// "MODE register"), conversions between half, bfloat16, single and double, and
// the predicates that the manual's pseudo-code uses.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_FLOATBITS_H
#define MLA_LIB_SIMULATOR_FLOATBITS_H

#include "Wave.h"

#include <cfenv>

namespace mla::sim::MLA_SIM_VARIANT {

template <class To, class From> MLA_SIM_INLINE To bitsAs(From value) {
  return __builtin_bit_cast(To, value);
}

enum class Rounding : uint32_t { NearestEven, Up, Down, Zero };

/// The MODE register taken apart once per instruction. The masks keep a
/// denormal (all ones) or leave its sign only.
struct FloatMode {
  uint32_t keepIn32, keepOut32;
  uint64_t keepIn64, keepOut64;
  uint32_t keepIn16, keepOut16;
  Rounding round32, round64; ///< round64 is also that of half precision.
  bool ieee, dx10Clamp, saturate16;

  explicit MLA_SIM_INLINE FloatMode(uint32_t mode) {
    bool in32 = mode >> kModeDenormSingle & 1;
    bool out32 = mode >> (kModeDenormSingle + 1) & 1;
    bool in64 = mode >> kModeDenormDouble & 1;
    bool out64 = mode >> (kModeDenormDouble + 1) & 1;
    keepIn32 = in32 ? ~0u : 0x80000000u;
    keepOut32 = out32 ? ~0u : 0x80000000u;
    keepIn64 = in64 ? ~uint64_t(0) : uint64_t(1) << 63;
    keepOut64 = out64 ? ~uint64_t(0) : uint64_t(1) << 63;
    keepIn16 = in64 ? ~0u : 0x8000u;
    keepOut16 = out64 ? ~0u : 0x8000u;
    round32 = Rounding(mode >> kModeRoundSingle & 3);
    round64 = Rounding(mode >> kModeRoundDouble & 3);
    ieee = mode >> kModeIeee & 1;
    dx10Clamp = mode >> kModeDx10Clamp & 1;
    saturate16 = mode >> kModeFp16Overflow & 1;
  }
};

/// True when plain host arithmetic does what MODE asks: all roundings to
/// nearest even, no denormals flushed, half precision overflows to infinity.
MLA_SIM_INLINE bool plainMode(uint32_t mode) {
  return (mode & (0xFFu | 1u << kModeFp16Overflow)) == 0xF0u;
}

/// Host rounding for the time of one instruction. The lanes are read from and
/// written to memory, so that no arithmetic moves across the calls.
class RoundingScope {
public:
  explicit MLA_SIM_INLINE RoundingScope(Rounding mode)
      : active(mode != Rounding::NearestEven) {
    if (active)
      fesetround(mode == Rounding::Up     ? FE_UPWARD
                 : mode == Rounding::Down ? FE_DOWNWARD
                                          : FE_TOWARDZERO);
  }
  MLA_SIM_INLINE ~RoundingScope() {
    if (active)
      fesetround(FE_TONEAREST);
  }

private:
  bool active;
};

MLA_SIM_INLINE uint32_t flush32(uint32_t bits, uint32_t keep) {
  return (bits & 0x7F800000u) ? bits : bits & keep;
}
MLA_SIM_INLINE uint64_t flush64(uint64_t bits, uint64_t keep) {
  return (bits & 0x7FF0000000000000u) ? bits : bits & keep;
}
MLA_SIM_INLINE uint32_t flush16(uint32_t bits, uint32_t keep) {
  return (bits & 0x7C00u) ? bits : bits & keep;
}

MLA_SIM_INLINE bool isNan(float x) { return x != x; }
MLA_SIM_INLINE bool isNan(double x) { return x != x; }
MLA_SIM_INLINE bool isSignalling(float x) {
  return isNan(x) && !(bitsAs<uint32_t>(x) & 0x400000u);
}
MLA_SIM_INLINE bool isSignalling(double x) {
  return isNan(x) && !(bitsAs<uint64_t>(x) & 0x8000000000000u);
}
MLA_SIM_INLINE float quiet(float x) {
  return bitsAs<float>(bitsAs<uint32_t>(x) | 0x400000u);
}
MLA_SIM_INLINE double quiet(double x) {
  return bitsAs<double>(bitsAs<uint64_t>(x) | 0x8000000000000u);
}
MLA_SIM_INLINE float absOf(float x) {
  return bitsAs<float>(bitsAs<uint32_t>(x) & 0x7FFFFFFFu);
}
MLA_SIM_INLINE double absOf(double x) {
  return bitsAs<double>(bitsAs<uint64_t>(x) & ~(uint64_t(1) << 63));
}

/// Half to single, exact; a signalling NaN becomes quiet.
MLA_SIM_INLINE float halfToFloat(uint32_t half) {
#if defined(__F16C__) || defined(__aarch64__)
  return float(bitsAs<_Float16>(uint16_t(half)));
#else
  uint32_t sign = (half & 0x8000u) << 16, rest = half & 0x7FFFu;
  // 2^112 moves the exponent's bias from 15 to 127, and normalises denormals.
  float scaled = bitsAs<float>(rest << 13) * 0x1p112f;
  uint32_t special =
      0x7F800000u | (rest & 0x3FFu) << 13 | ((rest & 0x3FFu) ? 0x400000u : 0u);
  return bitsAs<float>(sign |
                       (rest >= 0x7C00u ? special : bitsAs<uint32_t>(scaled)));
#endif
}

/// Single to half, to nearest even whatever the host's rounding is.
MLA_SIM_INLINE uint32_t floatToHalfNearest(float value) {
  uint32_t bits = bitsAs<uint32_t>(value), sign = bits >> 16 & 0x8000u;
  uint32_t rest = bits & 0x7FFFFFFFu;
  uint32_t normal =
      (rest - (uint32_t(127 - 15) << 23) + 0xFFFu + (rest >> 13 & 1)) >> 13;
  // Denormal results: the value in units of 2^-24, rounded.
  uint32_t shift = 126u - (rest >> 23);
  shift = shift > 31 ? 31 : shift;
  uint32_t mantissa = (rest & 0x7FFFFFu) | 0x800000u;
  uint32_t kept = mantissa >> shift, lost = mantissa & ((1u << shift) - 1);
  uint32_t half = 1u << (shift - 1);
  uint32_t denormal = kept + (lost > half || (lost == half && (kept & 1)));
  uint32_t result = rest < 0x38800000u ? denormal : normal;
  if (rest >= 0x477FF000u)
    result = 0x7C00u;
  if (rest > 0x7F800000u)
    result = 0x7E00u | (rest >> 13 & 0x3FFu);
  return sign | result;
}

/// Moves a value that was rounded to nearest to what another rounding wants.
MLA_SIM_INLINE uint32_t adjustHalf(uint32_t half, float value, Rounding mode) {
  float rounded = halfToFloat(half);
  bool negative = bitsAs<uint32_t>(value) >> 31;
  bool outward = absOf(rounded) > absOf(value);
  bool inward = absOf(rounded) < absOf(value);
  bool wantsInward = mode == Rounding::Zero ||
                     mode == (negative ? Rounding::Up : Rounding::Down);
  bool wantsOutward = mode == (negative ? Rounding::Down : Rounding::Up);
  return half + uint32_t(wantsOutward && inward) -
         uint32_t(wantsInward && outward);
}

/// Single to half as MODE asks. Inside a RoundingScope of round64.
MLA_SIM_INLINE uint32_t floatToHalf(const FloatMode &mode, float value) {
#if defined(__F16C__) || defined(__aarch64__)
  uint32_t half = bitsAs<uint16_t>(_Float16(value));
#else
  uint32_t half = floatToHalfNearest(value);
  if (mode.round64 != Rounding::NearestEven)
    half = adjustHalf(half, value, mode.round64);
#endif
  // FP16_OVFL clamps what overflowed and leaves what was infinite.
  if (mode.saturate16)
    half -= uint32_t((half & 0x7FFFu) == 0x7C00u &&
                     absOf(value) < __builtin_inff());
  return flush16(half, mode.keepOut16);
}

/// Double to single such that a later rounding to a shorter format is correct:
/// truncated, with the last bit set when anything was lost (round to odd).
MLA_SIM_INLINE float doubleToOdd(double value) {
  float nearest = float(value);
  double back = nearest;
  uint32_t bits = bitsAs<uint32_t>(nearest);
  bits -= uint32_t(absOf(back) > absOf(value));
  bits |= uint32_t(back != value && !isNan(value));
  return bitsAs<float>(bits);
}

MLA_SIM_INLINE float bf16ToFloat(uint32_t bits) {
  return bitsAs<float>(bits << 16);
}

/// To nearest even; a NaN keeps its upper payload and becomes quiet.
MLA_SIM_INLINE uint32_t floatToBf16(float value) {
  uint32_t bits = bitsAs<uint32_t>(value);
  uint32_t rounded = (bits + 0x7FFFu + (bits >> 16 & 1)) >> 16;
  return (bits & 0x7FFFFFFFu) > 0x7F800000u ? (bits >> 16 | 0x40u) : rounded;
}

template <int Bytes> struct UnsignedOfSize;
template <> struct UnsignedOfSize<4> {
  using Type = uint32_t;
};
template <> struct UnsignedOfSize<8> {
  using Type = uint64_t;
};
template <class F> using BitsOf = typename UnsignedOfSize<sizeof(F)>::Type;

/// V_MIN_F* and V_MAX_F* of the manual: a quiet NaN loses against a number, in
/// IEEE mode a signalling NaN wins and is made quiet, -0 is below +0.
template <bool Max, class F>
MLA_SIM_INLINE F minOrMax(const FloatMode &mode, F a, F b) {
  BitsOf<F> x = bitsAs<BitsOf<F>>(a), y = bitsAs<BitsOf<F>>(b);
  F zeros = bitsAs<F>(Max ? BitsOf<F>(x & y) : BitsOf<F>(x | y));
  F result = (Max ? a > b : a < b) ? a : b;
  result = a == b ? zeros : result;
  result = isNan(b) ? a : result;
  result = isNan(a) ? b : result;
  bool ieee = mode.ieee;
  result = (ieee && isSignalling(b)) ? quiet(b) : result;
  return (ieee && isSignalling(a)) ? quiet(a) : result;
}

/// V_MINIMUM3_F* and V_MAXIMUM3_F* of gfx950 (IEEE 754-2019): NaN wins.
template <bool Max, class F> MLA_SIM_INLINE F minimumOrMaximum(F a, F b) {
  BitsOf<F> x = bitsAs<BitsOf<F>>(a), y = bitsAs<BitsOf<F>>(b);
  F zeros = bitsAs<F>(Max ? BitsOf<F>(x & y) : BitsOf<F>(x | y));
  F result = (Max ? a > b : a < b) ? a : b;
  result = a == b ? zeros : result;
  result = isNan(b) ? quiet(b) : result;
  return isNan(a) ? quiet(a) : result;
}

/// Conversions to integers truncate towards zero and saturate; NaN gives 0
/// (V_CVT_I32_F32 and kin, CDNA3 ISA section "VOP1 instructions").
template <class F> MLA_SIM_INLINE int32_t truncToI32(F value) {
  constexpr F limit = F(2147483648.0);
  bool inside = value > -limit && value < limit;
  int32_t result = int32_t(inside ? value : F(0));
  result = value >= limit ? 0x7FFFFFFF : result;
  return value <= -limit ? int32_t(0x80000000u) : result;
}
template <class F> MLA_SIM_INLINE uint32_t truncToU32(F value) {
  constexpr F half = F(2147483648.0), limit = F(4294967296.0);
  bool inside = value > F(0) && value < limit;
  F safe = inside ? value : F(0);
  // Two signed halves: AVX2 has no conversion to unsigned.
  bool upper = safe >= half;
  uint32_t result = uint32_t(int32_t(upper ? safe - half : safe)) ^
                    (upper ? 0x80000000u : 0u);
  return value >= limit ? 0xFFFFFFFFu : result;
}
MLA_SIM_INLINE int32_t clampToInt(int32_t value, int32_t low, int32_t high) {
  value = value < low ? low : value;
  return value > high ? high : value;
}

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_FLOATBITS_H
