//===- Formats.cpp - The small number formats -----------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Formats.h"

#include <array>

using namespace mla::numerics;

namespace {
struct Layout {
  std::string_view name;
  int bits;
  /// Significant bits of a normal value, the implied one included.
  int precision;
  /// Exponent of the smallest normal value.
  int minExponent;
  bool hasNegativeZero;
  /// Codes with the sign bit clear.
  uint8_t largest, nan, overflow;
};

#include "mla/Numerics/FormatTables.inc"

constexpr auto kValues = [] {
  std::array<std::array<float, 256>, kFormatCount> values{};
  for (int format = 0; format < kFormatCount; ++format)
    for (int code = 0; code < 256; ++code)
      values[format][code] = std::bit_cast<float>(kValueBits[format][code]);
  return values;
}();

constexpr const Layout &layoutOf(Format format) {
  return kLayouts[static_cast<size_t>(format)];
}
} // namespace

static uint8_t encodeE8M0(float value, Overflow overflow) {
  constexpr Layout layout = layoutOf(Format::E8M0);
  if (value != value || value < 0)
    return layout.nan;
  uint32_t magnitude = std::bit_cast<uint32_t>(value) & 0x7fffffff;
  // A subnormal float has no implied bit: 2^-127 is 0x400000, and the tie with
  // 2^-126 lies at 0x600000.
  if (magnitude < (1u << 23))
    return magnitude >= 0x600000 ? 1 : 0;
  uint32_t code = (magnitude + (1u << 22)) >> 23;
  if (code > layout.largest)
    return overflow == Overflow::Saturate ? layout.largest : layout.overflow;
  return static_cast<uint8_t>(code);
}

template <Format format>
static inline uint8_t encodeSigned(float value, Overflow overflow) {
  constexpr Layout layout = layoutOf(format);
  constexpr int mantissaBits = layout.precision - 1;
  constexpr int shift = 23 - mantissaBits;
  constexpr uint32_t smallestNormal = (layout.minExponent + 127u) << 23;
  constexpr uint32_t rebias = (layout.minExponent + 126u) << mantissaBits;
  // Adding this to a value below the smallest normal one leaves the rounded
  // code in the low bits of the sum: its unit in the last place is the format's
  // smallest subnormal.
  constexpr float aligner = std::bit_cast<float>(
      (layout.minExponent - mantissaBits + 23 + 127u) << 23);

  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t magnitude = bits & 0x7fffffff;
  uint32_t sign = (bits >> 31) << (layout.bits - 1);

  uint32_t normal =
      ((magnitude + (1u << (shift - 1)) - 1 + ((magnitude >> shift) & 1)) >>
       shift) -
      rebias;
  uint32_t subnormal =
      std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + aligner) -
      std::bit_cast<uint32_t>(aligner);
  uint32_t code = magnitude < smallestNormal ? subnormal : normal;
  if (code > layout.largest || magnitude >= 0x7f800000)
    code = overflow == Overflow::Saturate ? layout.largest : layout.overflow;
  if (magnitude > 0x7f800000)
    code = layout.nan;
  if constexpr (layout.hasNegativeZero)
    return static_cast<uint8_t>(code | sign);
  // Zero has no sign here, and neither has the NaN.
  return static_cast<uint8_t>(code == 0 || code == layout.nan ? code
                                                              : code | sign);
}

std::string_view mla::numerics::name(Format format) {
  return layoutOf(format).name;
}

float mla::numerics::largest(Format format) {
  return decode(format, layoutOf(format).largest);
}

const float *mla::numerics::decodeTable(Format format) {
  return kValues[static_cast<size_t>(format)].data();
}

uint8_t mla::numerics::encode(Format format, float value, Overflow overflow) {
  switch (format) {
  case Format::E4M3FN:
    return encodeSigned<Format::E4M3FN>(value, overflow);
  case Format::E4M3FNUZ:
    return encodeSigned<Format::E4M3FNUZ>(value, overflow);
  case Format::E5M2:
    return encodeSigned<Format::E5M2>(value, overflow);
  case Format::E5M2FNUZ:
    return encodeSigned<Format::E5M2FNUZ>(value, overflow);
  case Format::E2M1:
    return encodeSigned<Format::E2M1>(value, overflow);
  case Format::E8M0:
    return encodeE8M0(value, overflow);
  }
  return 0;
}

template <Format format>
static void encodeMany(const float *values, size_t count, Overflow overflow,
                       uint8_t *codes) {
  for (size_t i = 0; i < count; ++i)
    codes[i] = encodeSigned<format>(values[i], overflow);
}

void mla::numerics::encode(Format format, const float *values, size_t count,
                           Overflow overflow, uint8_t *codes) {
  switch (format) {
  case Format::E4M3FN:
    return encodeMany<Format::E4M3FN>(values, count, overflow, codes);
  case Format::E4M3FNUZ:
    return encodeMany<Format::E4M3FNUZ>(values, count, overflow, codes);
  default:
    for (size_t i = 0; i < count; ++i)
      codes[i] = encode(format, values[i], overflow);
  }
}
