//===- ValuTypes.h - Element types of vector instructions -------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tag per element type: how a lane's value is made from register bits and
// put back, plainly (`get`, `put`) and as MODE asks (the forms with a mode).
// `finish` is the output modifier and clamp.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_VALUTYPES_H
#define MLA_LIB_SIMULATOR_VALUTYPES_H

#include "FloatBits.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// A result that integer clamp saturates to the destination's range.
using Exact = int64_t;

template <class T> struct IntegerType {
  using Value = T;
  static constexpr int kWords = sizeof(T) > 4 ? 2 : 1;
  static constexpr int kBits = 8 * sizeof(T);
  static constexpr bool kIsFloat = false;
  static constexpr T kLow = T(-1) < T(0) ? T(T(1) << (kBits - 1)) : T(0);
  static constexpr T kHigh = T(~kLow);

  static MLA_SIM_INLINE T get(uint64_t bits) { return T(bits); }
  static MLA_SIM_INLINE T get(const FloatMode &, uint64_t bits) {
    return T(bits);
  }
  template <class R> static MLA_SIM_INLINE uint64_t put(R value) {
    if constexpr (kBits == 64)
      return uint64_t(value);
    else if constexpr (kBits == 32)
      return uint32_t(value);
    else
      return uint16_t(value);
  }
  template <class R>
  static MLA_SIM_INLINE uint64_t put(const FloatMode &, const Modifiers &mods,
                                     R value) {
    if constexpr (sizeof(R) == 8 && kBits < 64)
      if (mods.clamp)
        value = value < R(kLow) ? R(kLow) : value > R(kHigh) ? R(kHigh) : value;
    return put(value);
  }
  /// As the form with a mode, output modifier and clamp of floats left out.
  template <class R>
  static MLA_SIM_INLINE uint64_t putRounded(const FloatMode &mode,
                                            const Modifiers &mods, R value) {
    return put(mode, mods, value);
  }
};

struct U16 : IntegerType<uint16_t> {};
struct I16 : IntegerType<int16_t> {};
struct U32 : IntegerType<uint32_t> {};
struct I32 : IntegerType<int32_t> {};
struct U64 : IntegerType<uint64_t> {};
struct I64 : IntegerType<int64_t> {};

/// Output modifier and clamp (CDNA3 ISA, section "Output modifiers"): omod is
/// ignored where output denormals are kept or in IEEE mode.
template <class F>
MLA_SIM_INLINE F finishFloat(const FloatMode &mode, const Modifiers &mods,
                             bool keepsDenormals, F value) {
  if (mods.omod && !keepsDenormals && !mode.ieee)
    value *= mods.omod == 1 ? F(2) : mods.omod == 2 ? F(4) : F(0.5);
  if (mods.clamp) {
    F clamped = value > F(0) ? (value < F(1) ? value : F(1)) : F(0);
    value = isNan(value) && !mode.dx10Clamp ? value : clamped;
  }
  return value;
}

struct F32 {
  using Value = float;
  static constexpr int kWords = 1, kBits = 32;
  static constexpr bool kIsFloat = true;
  static MLA_SIM_INLINE float get(uint64_t bits) {
    return bitsAs<float>(uint32_t(bits));
  }
  static MLA_SIM_INLINE float get(const FloatMode &mode, uint64_t bits) {
    return bitsAs<float>(flush32(uint32_t(bits), mode.keepIn32));
  }
  static MLA_SIM_INLINE uint64_t put(float value) {
    return bitsAs<uint32_t>(value);
  }
  static MLA_SIM_INLINE uint64_t put(const FloatMode &mode,
                                     const Modifiers &mods, float value) {
    value = finishFloat(mode, mods, mode.keepOut32 == ~0u, value);
    return flush32(bitsAs<uint32_t>(value), mode.keepOut32);
  }
  static MLA_SIM_INLINE uint64_t putRounded(const FloatMode &mode,
                                            const Modifiers &, float value) {
    return flush32(bitsAs<uint32_t>(value), mode.keepOut32);
  }
  static MLA_SIM_INLINE Rounding rounding(const FloatMode &mode) {
    return mode.round32;
  }
};

struct F64 {
  using Value = double;
  static constexpr int kWords = 2, kBits = 64;
  static constexpr bool kIsFloat = true;
  static MLA_SIM_INLINE double get(uint64_t bits) {
    return bitsAs<double>(bits);
  }
  static MLA_SIM_INLINE double get(const FloatMode &mode, uint64_t bits) {
    return bitsAs<double>(flush64(bits, mode.keepIn64));
  }
  static MLA_SIM_INLINE uint64_t put(double value) {
    return bitsAs<uint64_t>(value);
  }
  static MLA_SIM_INLINE uint64_t put(const FloatMode &mode,
                                     const Modifiers &mods, double value) {
    value = finishFloat(mode, mods, mode.keepOut64 == ~uint64_t(0), value);
    return flush64(bitsAs<uint64_t>(value), mode.keepOut64);
  }
  static MLA_SIM_INLINE uint64_t putRounded(const FloatMode &mode,
                                            const Modifiers &, double value) {
    return flush64(bitsAs<uint64_t>(value), mode.keepOut64);
  }
  static MLA_SIM_INLINE Rounding rounding(const FloatMode &mode) {
    return mode.round64;
  }
};

/// Half precision is computed in single precision, which is exact enough for
/// one correct rounding of sums, products, quotients and roots (24 >= 2*11+2
/// bits); fused operations return double.
struct F16 {
  using Value = float;
  static constexpr int kWords = 1, kBits = 16;
  static constexpr bool kIsFloat = true;
  static MLA_SIM_INLINE float get(uint64_t bits) {
    return halfToFloat(uint32_t(bits) & 0xFFFFu);
  }
  static MLA_SIM_INLINE float get(const FloatMode &mode, uint64_t bits) {
    return halfToFloat(flush16(uint32_t(bits) & 0xFFFFu, mode.keepIn16));
  }
  static MLA_SIM_INLINE uint64_t put(float value) {
#if defined(__F16C__) || defined(__aarch64__)
    return bitsAs<uint16_t>(_Float16(value));
#else
    return floatToHalfNearest(value);
#endif
  }
  static MLA_SIM_INLINE uint64_t put(double value) {
    return put(doubleToOdd(value));
  }
  static MLA_SIM_INLINE uint64_t put(const FloatMode &mode,
                                     const Modifiers &mods, float value) {
    value = finishFloat(mode, mods, mode.keepOut16 == ~0u, value);
    return floatToHalf(mode, value);
  }
  static MLA_SIM_INLINE uint64_t put(const FloatMode &mode,
                                     const Modifiers &mods, double value) {
    return put(mode, mods, doubleToOdd(value));
  }
  static MLA_SIM_INLINE uint64_t putRounded(const FloatMode &mode,
                                            const Modifiers &, float value) {
    return floatToHalf(mode, value);
  }
  static MLA_SIM_INLINE uint64_t putRounded(const FloatMode &mode,
                                            const Modifiers &mods,
                                            double value) {
    return putRounded(mode, mods, doubleToOdd(value));
  }
  static MLA_SIM_INLINE Rounding rounding(const FloatMode &mode) {
    return mode.round64;
  }
};

/// Output modifier and clamp of a whole result, after its rounding: they are
/// exact, and the modifier is on only where denormals are flushed anyway.
template <class R>
__attribute__((noinline)) void finishLanes(const FloatMode &mode,
                                           const Modifiers &mods, uint32_t *lo,
                                           uint32_t *hi) {
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t bits = lo[lane];
    if constexpr (R::kWords == 2)
      bits |= uint64_t(hi[lane]) << 32;
    bits = R::put(mode, mods, R::get(bits));
    lo[lane] = uint32_t(bits);
    if constexpr (R::kWords == 2)
      hi[lane] = uint32_t(bits >> 32);
  }
}

/// 24-bit integers of V_MUL_*24 and V_MAD_*24: the low 24 bits of a dword.
struct U24 : U32 {
  static MLA_SIM_INLINE uint32_t get(uint64_t bits) {
    return uint32_t(bits) & 0xFFFFFFu;
  }
  static MLA_SIM_INLINE uint32_t get(const FloatMode &, uint64_t bits) {
    return get(bits);
  }
};
struct I24 : I32 {
  static MLA_SIM_INLINE int32_t get(uint64_t bits) {
    return int32_t(uint32_t(bits) << 8) >> 8;
  }
  static MLA_SIM_INLINE int32_t get(const FloatMode &, uint64_t bits) {
    return get(bits);
  }
};

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_VALUTYPES_H
