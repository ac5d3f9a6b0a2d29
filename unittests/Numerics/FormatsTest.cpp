//===- FormatsTest.cpp - The formats against llvm::APFloat ----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Formats.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

using namespace mla::numerics;
using llvm::APFloat;
using llvm::APInt;

namespace {
struct Case {
  Format format;
  const llvm::fltSemantics *semantics;
};

class FormatsTest : public ::testing::TestWithParam<Case> {};
/// Without E8M0, whose rules RoundsToPowersOfTwo tests.
class RoundingTest : public FormatsTest {};

/// Floats that between them decide every rounding question: all upper halves
/// with the lower halves around a tie, and the neighbours of every midpoint of
/// two codes.
std::vector<float> interestingFloats(Format format) {
  std::vector<float> values;
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu})
      values.push_back(std::bit_cast<float>(upper << 16 | lower));
  std::vector<float> codes;
  for (int code = 0; code < 256; ++code)
    if (float value = decode(format, code); std::isfinite(value))
      codes.push_back(value);
  std::sort(codes.begin(), codes.end());
  for (size_t i = 0; i + 1 < codes.size(); ++i) {
    float middle = static_cast<float>((double{codes[i]} + codes[i + 1]) / 2);
    values.insert(values.end(), {middle, std::nextafter(middle, -INFINITY),
                                 std::nextafter(middle, INFINITY)});
  }
  return values;
}
} // namespace

TEST_P(FormatsTest, DecodesEveryCode) {
  auto [format, semantics] = GetParam();
  unsigned bits = APFloat::semanticsSizeInBits(*semantics);
  for (unsigned code = 0; code < 256; ++code) {
    APFloat expected(*semantics, APInt(bits, code & ((1u << bits) - 1)));
    float value = decode(format, code);
    ASSERT_EQ(expected.isNaN(), std::isnan(value)) << code;
    if (expected.isNaN())
      continue;
    bool losesInfo;
    expected.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
    ASSERT_EQ(expected.bitcastToAPInt().getZExtValue(),
              std::bit_cast<uint32_t>(value))
        << code;
  }
}

TEST_P(FormatsTest, EncodingADecodedCodeGivesItBack) {
  auto [format, semantics] = GetParam();
  unsigned codes = 1u << APFloat::semanticsSizeInBits(*semantics);
  for (unsigned code = 0; code < codes; ++code)
    for (Overflow overflow : {Overflow::Saturate, Overflow::Propagate}) {
      float value = decode(format, code);
      if (std::isinf(value) && overflow == Overflow::Saturate)
        continue;
      uint8_t again = encode(format, value, overflow);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(decode(format, again))) << code;
      else
        EXPECT_EQ(again, code);
    }
}

TEST_P(RoundingTest, RoundsAsAPFloatDoes) {
  auto [format, semantics] = GetParam();
  const float limit = largest(format);
  for (float value : interestingFloats(format)) {
    uint8_t saturated = encode(format, value, Overflow::Saturate);
    uint8_t propagated = encode(format, value, Overflow::Propagate);
    if (std::isnan(value)) {
      if (format == Format::E2M1) {
        EXPECT_EQ(saturated, std::signbit(value) ? 0xf : 0x7);
        EXPECT_EQ(propagated, saturated);
      } else {
        ASSERT_TRUE(std::isnan(decode(format, saturated)));
        ASSERT_TRUE(std::isnan(decode(format, propagated)));
      }
      continue;
    }
    // APFloat has no answer for an infinity in a format without non-finite
    // codes; ours is the largest value.
    uint8_t expected;
    if (std::isinf(value) && format == Format::E2M1) {
      expected = value < 0 ? 0xf : 0x7;
    } else {
      APFloat narrow(value);
      bool losesInfo;
      narrow.convert(*semantics, APFloat::rmNearestTiesToEven, &losesInfo);
      expected = static_cast<uint8_t>(narrow.bitcastToAPInt().getZExtValue());
    }
    if (std::isnan(decode(format, expected))) {
      ASSERT_TRUE(std::isnan(decode(format, propagated))) << value;
    } else {
      ASSERT_EQ(propagated, expected) << value;
    }
    if (std::isfinite(decode(format, expected)))
      ASSERT_EQ(saturated, expected) << value;
    else
      ASSERT_EQ(decode(format, saturated), std::copysign(limit, value));
  }
}

TEST_P(FormatsTest, ManyAreEncodedLikeOne) {
  Format format = GetParam().format;
  std::vector<float> values = interestingFloats(format);
  std::vector<uint8_t> codes(values.size());
  for (Overflow overflow : {Overflow::Saturate, Overflow::Propagate}) {
    encode(format, values.data(), values.size(), overflow, codes.data());
    for (size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(codes[i], encode(format, values[i], overflow)) << values[i];
  }
}

static const Case kSigned[] = {{Format::E4M3FN, &APFloat::Float8E4M3FN()},
                               {Format::E4M3FNUZ, &APFloat::Float8E4M3FNUZ()},
                               {Format::E5M2, &APFloat::Float8E5M2()},
                               {Format::E5M2FNUZ, &APFloat::Float8E5M2FNUZ()},
                               {Format::E2M1, &APFloat::Float4E2M1FN()}};
static const Case kPowers[] = {{Format::E8M0, &APFloat::Float8E8M0FNU()}};

static std::string caseName(const ::testing::TestParamInfo<Case> &info) {
  return std::string(name(info.param.format));
}

INSTANTIATE_TEST_SUITE_P(Signed, FormatsTest, ::testing::ValuesIn(kSigned),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Powers, FormatsTest, ::testing::ValuesIn(kPowers),
                         caseName);
INSTANTIATE_TEST_SUITE_P(Signed, RoundingTest, ::testing::ValuesIn(kSigned),
                         caseName);

TEST(Formats, HaveTheLimitsOfTheirSpecifications) {
  EXPECT_EQ(largest(Format::E4M3FN), 448);
  EXPECT_EQ(largest(Format::E4M3FNUZ), 240);
  EXPECT_EQ(largest(Format::E5M2), 57344);
  EXPECT_EQ(largest(Format::E5M2FNUZ), 57344);
  EXPECT_EQ(largest(Format::E2M1), 6);
  EXPECT_EQ(largest(Format::E8M0), 0x1p127f);
}

TEST(Formats, OverflowIsInfinityOrNaNOrSaturates) {
  EXPECT_EQ(encode(Format::E4M3FN, 464, Overflow::Propagate), 0x7e);
  EXPECT_EQ(encode(Format::E4M3FN, 465, Overflow::Propagate), 0x7f);
  EXPECT_EQ(encode(Format::E4M3FN, 465, Overflow::Saturate), 0x7e);
  EXPECT_EQ(encode(Format::E4M3FN, -INFINITY, Overflow::Saturate), 0xfe);
  EXPECT_EQ(encode(Format::E4M3FNUZ, 1e9f, Overflow::Propagate), 0x80);
  EXPECT_EQ(encode(Format::E4M3FNUZ, -1e9f, Overflow::Saturate), 0xff);
  EXPECT_EQ(encode(Format::E4M3FNUZ, -0.0f, Overflow::Saturate), 0x00);
  EXPECT_EQ(encode(Format::E4M3FNUZ, -1e-9f, Overflow::Saturate), 0x00);
  EXPECT_EQ(encode(Format::E5M2, 1e9f, Overflow::Propagate), 0x7c);
  EXPECT_EQ(encode(Format::E5M2, INFINITY, Overflow::Saturate), 0x7b);
}

TEST(Formats, RoundsToPowersOfTwo) {
  auto code = [](float value) {
    return encode(Format::E8M0, value, Overflow::Propagate);
  };
  for (int exponent = -126; exponent < 127; ++exponent) {
    float power = std::ldexp(1.0f, exponent);
    EXPECT_EQ(code(power), exponent + 127);
    EXPECT_EQ(code(std::nextafter(1.5f * power, 0.0f)), exponent + 127);
    EXPECT_EQ(code(1.5f * power), exponent + 128);
    EXPECT_EQ(code(std::nextafter(2 * power, 0.0f)), exponent + 128);
  }
  EXPECT_EQ(code(0x1p-127f), 0);
  EXPECT_EQ(code(std::nextafter(0x1.8p-127f, 0.0f)), 0);
  EXPECT_EQ(code(0x1.8p-127f), 1);
  EXPECT_EQ(code(0.0f), 0);
  EXPECT_EQ(code(-0.0f), 0);
  EXPECT_EQ(code(-1.0f), 0xff);
  EXPECT_EQ(code(NAN), 0xff);
  EXPECT_EQ(code(INFINITY), 0xff);
  EXPECT_EQ(code(0x1.8p127f), 0xff);
  EXPECT_EQ(encode(Format::E8M0, INFINITY, Overflow::Saturate), 0xfe);
}

TEST(Bf16, RoundsAsAPFloatDoes) {
  for (uint32_t upper = 0; upper < 0x10000; ++upper)
    for (uint32_t lower : {0u, 1u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
      float value = std::bit_cast<float>(upper << 16 | lower);
      uint16_t code = encodeBf16(value);
      uint16_t saturated = encodeBf16(value, Overflow::Saturate);
      if (std::isnan(value)) {
        ASSERT_TRUE(std::isnan(decodeBf16(code)));
        ASSERT_TRUE(std::isnan(decodeBf16(saturated)));
        continue;
      }
      APFloat narrow(value);
      bool losesInfo;
      narrow.convert(APFloat::BFloat(), APFloat::rmNearestTiesToEven,
                     &losesInfo);
      ASSERT_EQ(code, narrow.bitcastToAPInt().getZExtValue());
      ASSERT_EQ(saturated,
                std::isinf(decodeBf16(code)) ? (code & 0x8000) | 0x7f7f : code);
    }
}

TEST(Bf16, DecodesEveryCode) {
  for (uint32_t code = 0; code < 0x10000; ++code)
    ASSERT_EQ(std::bit_cast<uint32_t>(decodeBf16(code)), code << 16);
}
