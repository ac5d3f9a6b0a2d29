//===- Formats.h - The small number formats ---------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoders and correctly rounded encoders of the formats the kernels and the
// simulator deal in. The tables are made from llvm::APFloat when the project is
// built; the library itself needs no LLVM. Everything here is thread-safe.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_NUMERICS_FORMATS_H
#define MLA_NUMERICS_FORMATS_H

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace mla::numerics {

/// A format of at most eight bits.
enum class Format : uint8_t {
  E4M3FN,   ///< OCP: largest value 448, NaN 0x7f and 0xff, no infinity.
  E4M3FNUZ, ///< Largest value 240, NaN only 0x80, no infinity, no -0.
  E5M2,     ///< Largest value 57344, infinities and NaNs as in IEEE 754.
  E5M2FNUZ, ///< Largest value 57344, NaN only 0x80, no infinity, no -0.
  E2M1,     ///< Four bits, largest value 6, neither NaN nor infinity.
  E8M0,     ///< Powers of two from 2^-127 to 2^127, NaN 0xff; no zero, no sign.
};

inline constexpr int kFormatCount = 6;

/// What an encoder does with a value that rounds to more than the largest
/// finite one, infinities included. A NaN stays a NaN either way.
enum class Overflow : uint8_t {
  /// The largest finite value with that sign.
  Saturate,
  /// Infinity; NaN where the format has no infinity; the largest finite value
  /// where it has no NaN either (E2M1).
  Propagate,
};

/// Lower-case name as in MLIR's types without the leading "f8" and kin, for
/// instance "e4m3fnuz".
std::string_view name(Format format);

/// The largest finite value.
float largest(Format format);

/// 256 values indexed by code. E2M1 looks at the low four bits only.
const float *decodeTable(Format format);

inline float decode(Format format, uint8_t code) {
  return decodeTable(format)[code];
}

/// The nearest code, ties to the code with an even mantissa. A format without
/// -0 takes it to +0. E2M1 has no NaN: NaN becomes the largest magnitude with
/// the NaN's sign. E8M0 has neither zero nor sign nor a mantissa: ties between
/// two powers go up, values below 2^-127 and zeros go to 2^-127, negative
/// values are NaN.
uint8_t encode(Format format, float value, Overflow overflow);

/// encode() of `count` values.
void encode(Format format, const float *values, size_t count, Overflow overflow,
            uint8_t *codes);

inline float decodeBf16(uint16_t code) {
  return std::bit_cast<float>(static_cast<uint32_t>(code) << 16);
}

/// Nearest even. NaN keeps its sign and upper payload and becomes quiet.
inline uint16_t encodeBf16(float value,
                           Overflow overflow = Overflow::Propagate) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return static_cast<uint16_t>((bits >> 16) | 0x40);
  uint32_t rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  if (overflow == Overflow::Saturate && (rounded & 0x7fff) >= 0x7f80)
    rounded = (rounded & 0x8000) | 0x7f7f;
  return static_cast<uint16_t>(rounded);
}

} // namespace mla::numerics

#endif // MLA_NUMERICS_FORMATS_H
