//===- Minifloat.h - Encoding floats of 8, 6 and 4 bits ---------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rounding of a single-precision lane to a small format, without branches so
// that 64 lanes become vector code. Codes are decoded through tables.
//
// Overflow of the 8-bit formats, with MODE.FP16_OVFL clear: what rounds to more
// than the largest value is NaN (e4m3, and both FNUZ kinds) or infinity (OCP
// e5m2); set: the largest value with that sign, for infinities too. Measured on
// gfx942 and gfx950 over all byte pairs in ROCm/rocm-systems issue 9556: 448+16
// gives 448, 448+18 NaN; 240+8 NaN. The 6- and 4-bit formats always saturate.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_MINIFLOAT_H
#define MLA_LIB_SIMULATOR_MINIFLOAT_H

#include "FloatBits.h"

namespace mla::sim::MLA_SIM_VARIANT {

enum class Special : uint8_t {
  None,     ///< All codes are finite (fp6, bf6, fp4).
  NanOnly,  ///< e4m3fn: NaN is all ones.
  Infinity, ///< e5m2 as IEEE 754.
  Fnuz,     ///< Only 0x80 is special: NaN.
};

template <int Exponent, int Mantissa, int Bias, Special Kind> struct Minifloat {
  static constexpr int kMantissa = Mantissa;
  static constexpr int kBias = Bias;
  static constexpr Special kSpecial = Kind;
  static constexpr uint32_t kSign = 1u << (Exponent + Mantissa);
  static constexpr uint32_t kAllOnes = kSign - 1;
  /// The code of the largest finite magnitude.
  static constexpr uint32_t kLargest = Kind == Special::NanOnly ? kAllOnes - 1
                                       : Kind == Special::Infinity
                                           ? kAllOnes - (1u << Mantissa)
                                           : kAllOnes;

  static MLA_SIM_INLINE uint32_t withSpecials(uint32_t magnitude, uint32_t sign,
                                              bool overflow, bool nan,
                                              bool saturate) {
    constexpr uint32_t beyond = Kind == Special::Infinity ? kLargest + 1
                                : Kind == Special::Fnuz   ? kSign
                                                          : kAllOnes;
    uint32_t result = magnitude;
    result = overflow ? (saturate ? kLargest : beyond) : result;
    uint32_t signBit = sign ? kSign : 0;
    if constexpr (Kind == Special::Fnuz) {
      signBit = result == 0 || result == kSign ? 0 : signBit;
      return nan ? kSign : (result | signBit);
    }
    return (nan ? kAllOnes : result) | signBit;
  }

  /// To nearest, ties to even, whatever MODE says (CDNA3 ISA,
  /// V_CVT_PK_FP8_F32). The host rounds to nearest.
  static MLA_SIM_INLINE uint32_t nearest(float value, bool saturate) {
    constexpr int shift = 23 - Mantissa;
    uint32_t bits = bitsAs<uint32_t>(value) & 0x7FFFFFFFu;
    uint32_t normal = (bits - (uint32_t(127 - Bias) << 23) +
                       ((1u << (shift - 1)) - 1) + (bits >> shift & 1)) >>
                      shift;
    // The last place of a denormal is 2^(1 - Bias - Mantissa): adding 2^23 of
    // them lets the host round.
    constexpr uint32_t magic = uint32_t(127 + 1 - Bias - Mantissa + 23) << 23;
    float moved = bitsAs<float>(bits) + bitsAs<float>(magic);
    uint32_t denormal = bitsAs<uint32_t>(moved) - magic;
    bool tiny = bits < (uint32_t(127 + 1 - Bias) << 23);
    uint32_t magnitude = tiny ? denormal : normal;
    bool overflow = !tiny && (magnitude > kLargest || bits >= 0x7F800000u);
    return withSpecials(magnitude, bitsAs<uint32_t>(value) >> 31, overflow,
                        bits > 0x7F800000u, saturate || Kind == Special::None);
  }

  /// Stochastic: the bits that will be cut off plus as many leading bits of
  /// `random`, then truncation. The manual's pseudo-code adds them to the
  /// mantissa of a normal result; a denormal result cuts off more.
  static MLA_SIM_INLINE uint32_t stochastic(float value, uint32_t random,
                                            bool saturate) {
    constexpr int shift = 23 - Mantissa;
    uint32_t bits = bitsAs<uint32_t>(value) & 0x7FFFFFFFu;
    constexpr uint32_t leastNormal = uint32_t(127 + 1 - Bias) << 23;
    uint32_t normal =
        (bits - (uint32_t(127 - Bias) << 23) + (random >> (32 - shift))) >>
        shift;
    bool tiny = bits < leastNormal;
    // One more place is cut for each step of the exponent below the least.
    uint32_t exponent = bits >> 23;
    uint32_t cut = uint32_t(shift) + uint32_t(127 + 1 - Bias) - exponent;
    cut = tiny ? (cut > 32 ? 32 : cut) : uint32_t(shift);
    uint64_t mantissa = (bits & 0x7FFFFFu) | (exponent ? 0x800000u : 0u);
    uint32_t denormal =
        uint32_t((mantissa + (uint64_t(random) >> (32 - cut))) >> cut);
    uint32_t magnitude = tiny ? denormal : normal;
    bool overflow = !tiny && (magnitude > kLargest || bits >= 0x7F800000u);
    return withSpecials(magnitude, bitsAs<uint32_t>(value) >> 31, overflow,
                        bits > 0x7F800000u, saturate || Kind == Special::None);
  }

  /// The value of a finite code, for the formats without a table.
  static MLA_SIM_INLINE float finiteValue(uint32_t code) {
    // The code's fields in place give the value times 2^(Bias - 127), exactly.
    constexpr uint32_t power = uint32_t(127 + 127 - Bias) << 23;
    float scaled = bitsAs<float>((code & kAllOnes) << (23 - Mantissa));
    uint32_t sign = code & kSign ? 0x80000000u : 0u;
    return bitsAs<float>(bitsAs<uint32_t>(scaled * bitsAs<float>(power)) |
                         sign);
  }
};

using E4M3FN = Minifloat<4, 3, 7, Special::NanOnly>;
using E4M3FNUZ = Minifloat<4, 3, 8, Special::Fnuz>;
using E5M2 = Minifloat<5, 2, 15, Special::Infinity>;
using E5M2FNUZ = Minifloat<5, 2, 16, Special::Fnuz>;
using E2M3 = Minifloat<2, 3, 1, Special::None>; ///< fp6
using E3M2 = Minifloat<3, 2, 3, Special::None>; ///< bf6
using E2M1 = Minifloat<2, 1, 1, Special::None>; ///< fp4

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_MINIFLOAT_H
