//===- ConvertScaledTest.cpp - Conversions with a scale -------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

using namespace mla::sim;
using namespace mla::sim::test;
using llvm::APFloat;

namespace {

struct Format {
  const char *name;
  int bits;
  const Semantics *semantics;
  double largest;
};
const Format kFp8 = {"fp8", 8, &APFloat::Float8E4M3FN(), 448};
const Format kBf8 = {"bf8", 8, &APFloat::Float8E5M2(), 57344};
const Format kFp6 = {"fp6", 6, &APFloat::Float6E2M3FN(), 7.5};
const Format kBf6 = {"bf6", 6, &APFloat::Float6E3M2FN(), 28};
const Format kFp4 = {"fp4", 4, &APFloat::Float4E2M1FN(), 6};

/// The code of a value; formats without NaN saturate.
uint32_t codeOf(const Format &format, double value) {
  if (format.bits < 8)
    value = std::min(std::max(value, -format.largest), format.largest);
  return uint32_t(apfloatEncode(*format.semantics, value));
}

float someValue(Sequence &random) {
  return std::ldexp(float(int(random.next() % 2000) - 1000),
                    -7 - int(random.next() % 4));
}

/// Element `index` of `bits` bits in the registers from `first` on.
uint32_t element(Snippet &snippet, unsigned first, int lane, int index,
                 int bits) {
  uint32_t code = 0;
  for (int bit = 0; bit < bits; ++bit) {
    const int at = index * bits + bit;
    code |= (snippet.vgpr(first + unsigned(at) / 32)[lane] >> at % 32 & 1)
            << bit;
  }
  return code;
}

constexpr int kExponent = 3; // Scales are 2^3, with a mantissa to be ignored.
constexpr uint32_t kScale = (127 + kExponent) << 23 | 0x345678;

} // namespace

TEST(ConvertScaled, PairsOfSinglesDivideByTheScale) {
  for (const Format &format : {kFp8, kBf8, kFp4}) {
    const bool bytes = format.bits == 8;
    Snippet snippet("gfx950", std::string("v_cvt_scalef32_pk_") + format.name +
                                  "_f32 v10, v0, -v1, v2 op_sel:[0,0,0,1]");
    Sequence random(1);
    for (int round = 0; round < 20; ++round) {
      for (int lane = 0; lane < 64; ++lane) {
        snippet.vgpr(0)[lane] = bitsOfFloat(someValue(random));
        snippet.vgpr(1)[lane] = bitsOfFloat(someValue(random));
        snippet.vgpr(2)[lane] = kScale;
        snippet.vgpr(10)[lane] = 0x12345678;
      }
      snippet.run();
      for (int lane = 0; lane < 64; ++lane) {
        const double a = floatOfBits(snippet.vgpr(0)[lane]),
                     b = -floatOfBits(snippet.vgpr(1)[lane]);
        const uint32_t pair = codeOf(format, std::ldexp(a, -kExponent)) |
                              codeOf(format, std::ldexp(b, -kExponent))
                                  << format.bits;
        EXPECT_EQ(bytes ? 0x5678u | pair << 16 : 0x12005678u | pair << 16,
                  snippet.vgpr(10)[lane])
            << format.name << a << " " << b;
      }
    }
  }
}

TEST(ConvertScaled, PairsOfHalvesAndBf16) {
  for (bool isHalf : {false, true})
    for (const Format &format : {kFp8, kBf8, kFp4}) {
      const std::string type = isHalf ? "f16" : "bf16";
      Snippet snippet("gfx950",
                      std::string("v_cvt_scalef32_pk_") + format.name + "_" +
                          type + " v10, v0, v2\n" + "v_cvt_scalef32_pk_" +
                          type + "_" + format.name + " v11, v10, v2\n" +
                          "v_cvt_scalef32_pk_f32_" + format.name +
                          " v[12:13], v10, v2");
      const Semantics &large = isHalf ? APFloat::IEEEhalf() : APFloat::BFloat();
      Sequence random(2);
      for (int lane = 0; lane < 64; ++lane) {
        for (int part = 0; part < 2; ++part)
          snippet.vgpr(0)[lane] |=
              uint32_t(apfloatEncode(large, someValue(random))) << (16 * part);
        snippet.vgpr(2)[lane] = kScale;
      }
      snippet.run();
      for (int lane = 0; lane < 64; ++lane)
        for (int part = 0; part < 2; ++part) {
          const double value = apfloatDecode(
              large, snippet.vgpr(0)[lane] >> (16 * part) & 0xFFFF);
          const uint32_t code = codeOf(format, std::ldexp(value, -kExponent));
          EXPECT_EQ(code, element(snippet, 10, lane, part, format.bits));
          const double back =
              std::ldexp(apfloatDecode(*format.semantics, code), kExponent);
          EXPECT_EQ(back,
                    apfloatDecode(large, snippet.vgpr(11)[lane] >> (16 * part) &
                                             0xFFFF));
          EXPECT_EQ(back, floatOfBits(snippet.vgpr(12 + unsigned(part))[lane]));
        }
    }
}

TEST(ConvertScaled, BytesAndHalvesAreSelected) {
  Snippet snippet("gfx950",
                  "v_cvt_scalef32_f32_fp8 v10, v0, v2 op_sel:[0,1]\n"
                  "v_cvt_scalef32_pk_f32_bf8 v[12:13], v0, v2 op_sel:[1,0]\n"
                  "v_cvt_scalef32_f16_fp8 v14, v0, v2 op_sel:[1,1,1]\n"
                  "v_cvt_scalef32_pk_f32_fp4 v[16:17], v0, v2 op_sel:[1,0]");
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = 0x38403C42;
    snippet.vgpr(2)[lane] = kScale;
    snippet.vgpr(14)[lane] = 0x12345678;
  }
  snippet.run();
  EXPECT_EQ(8 * apfloatDecode(*kFp8.semantics, 0x40),
            floatOfBits(snippet.vgpr(10)[1]));
  EXPECT_EQ(8 * apfloatDecode(*kBf8.semantics, 0x40),
            floatOfBits(snippet.vgpr(12)[1]));
  EXPECT_EQ(8 * apfloatDecode(*kBf8.semantics, 0x38),
            floatOfBits(snippet.vgpr(13)[1]));
  EXPECT_EQ(0x5678u | apfloatEncode(APFloat::IEEEhalf(), 8) << 16,
            snippet.vgpr(14)[1]);
  EXPECT_EQ(8 * apfloatDecode(*kFp4.semantics, 0xC),
            floatOfBits(snippet.vgpr(16)[1]));
  EXPECT_EQ(8 * apfloatDecode(*kFp4.semantics, 0x3),
            floatOfBits(snippet.vgpr(17)[1]));
}

TEST(ConvertScaled, ThirtyTwoSixBitFloats) {
  for (const Format &format : {kFp6, kBf6}) {
    const std::string name = format.name;
    Snippet snippet("gfx950", "v_cvt_scalef32_2xpk16_" + name +
                                  "_f32 v[100:105], v[0:15], v[16:31], v40\n" +
                                  "v_cvt_scalef32_pk32_f32_" + name +
                                  " v[110:141], v[100:105], v40\n" +
                                  "v_cvt_scalef32_pk32_bf16_" + name +
                                  " v[142:157], v[100:105], v40\n" +
                                  "v_cvt_scalef32_pk32_" + name +
                                  "_bf16 v[160:165], v[142:157], v40");
    Sequence random(3);
    for (int lane = 0; lane < 64; ++lane) {
      for (unsigned r = 0; r < 32; ++r)
        snippet.vgpr(r)[lane] = bitsOfFloat(someValue(random) * 8);
      snippet.vgpr(40)[lane] = kScale;
    }
    snippet.run();
    for (int lane = 0; lane < 64; ++lane)
      for (int i = 0; i < 32; ++i) {
        // The two sources alternate.
        const float value =
            floatOfBits(snippet.vgpr(unsigned(i % 2 * 16 + i / 2))[lane]);
        const uint32_t code = codeOf(format, std::ldexp(value, -kExponent));
        EXPECT_EQ(code, element(snippet, 100, lane, i, 6));
        const double back =
            std::ldexp(apfloatDecode(*format.semantics, code), kExponent);
        EXPECT_EQ(back, floatOfBits(snippet.vgpr(110 + unsigned(i))[lane]));
        EXPECT_EQ(back, apfloatDecode(APFloat::BFloat(),
                                      element(snippet, 142, lane, i, 16)));
        EXPECT_EQ(code, element(snippet, 160, lane, i, 6));
      }
  }
}

// All random bits set: away from zero unless exact; the second element of a
// pair has the next number of the generator.
TEST(ConvertScaled, Stochastic) {
  Snippet snippet("gfx950",
                  "v_cvt_scalef32_sr_fp8_f32 v10, v0, v1, v2 op_sel:[0,0,1,0]\n"
                  "v_cvt_scalef32_sr_pk_fp4_f32 v11, v[4:5], v6, v2");
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = bitsOfFloat(8 * (1 + float(lane) / 512));
    snippet.vgpr(1)[lane] = ~0u;
    snippet.vgpr(2)[lane] = kScale;
    // 1.25 lies half way between 1 and 1.5: it goes up when the leading random
    // bit is set. The generator's next number after 0x40000000 has it set.
    snippet.vgpr(4)[lane] = snippet.vgpr(5)[lane] = bitsOfFloat(8 * 1.25f);
    snippet.vgpr(6)[lane] = 0x40000000;
  }
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    const double up = std::ceil((1 + lane / 512.0) * 8) / 8;
    EXPECT_EQ(apfloatEncode(*kFp8.semantics, up) << 8, snippet.vgpr(10)[lane]);
    EXPECT_EQ(codeOf(kFp4, 1) | codeOf(kFp4, 1.5) << 4, snippet.vgpr(11)[lane]);
  }
}
