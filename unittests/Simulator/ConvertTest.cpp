//===- ConvertTest.cpp - Conversions against llvm::APFloat ----------------===//
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
using llvm::RoundingMode;

namespace {

/// Runs `visit(lane)` after each run over `inputs` in v0, 64 at a time.
template <class Visit>
void forAll(Snippet &snippet, const std::vector<uint32_t> &inputs,
            Visit visit) {
  for (size_t first = 0; first < inputs.size(); first += 64) {
    for (int lane = 0; lane < 64; ++lane)
      snippet.vgpr(0)[lane] =
          inputs[std::min(first + size_t(lane), inputs.size() - 1)];
    snippet.run();
    for (int lane = 0; lane < 64 && first + size_t(lane) < inputs.size();
         ++lane)
      visit(inputs[first + size_t(lane)], lane);
    if (testing::Test::HasFailure())
      return;
  }
}

std::vector<uint32_t> allHalves() {
  std::vector<uint32_t> values;
  for (uint32_t i = 0; i < 65536; ++i)
    values.push_back(i);
  return values;
}

/// Singles around every value of a format: the value, the middles between it
/// and the next, and their neighbours; then random ones and special ones.
std::vector<uint32_t> singlesAround(const Semantics &semantics, int codeBits) {
  std::vector<float> values;
  for (uint32_t code = 0; code < 1u << (codeBits - 1); ++code) {
    double value = apfloatDecode(semantics, code);
    if (std::isfinite(value))
      values.push_back(float(value));
  }
  std::sort(values.begin(), values.end());
  const float last = values.back();
  values.push_back(last + (last - values[values.size() - 2]));
  std::vector<uint32_t> inputs = specialSingles();
  for (size_t i = 0; i + 1 < values.size(); ++i)
    for (float value :
         {values[i], float((double(values[i]) + values[i + 1]) / 2)})
      for (int step : {-1, 0, 1})
        for (uint32_t sign : {0u, 0x80000000u}) {
          uint32_t bits = bitsOfFloat(value);
          if (bits || step >= 0)
            inputs.push_back((bits + uint32_t(step)) | sign);
        }
  Sequence random(7);
  for (int i = 0; i < 20000; ++i)
    inputs.push_back(random.next());
  // Random values in the format's own range.
  for (int i = 0; i < 20000; ++i)
    inputs.push_back((random.next() & 0x8FFFFFFFu) | 0x38000000u);
  return inputs;
}

struct Fp8Case {
  const char *chip;
  const char *name;
  const Semantics *semantics;
};

std::vector<Fp8Case> fp8Cases() {
  return {{"gfx942", "fp8", &APFloat::Float8E4M3FNUZ()},
          {"gfx942", "bf8", &APFloat::Float8E5M2FNUZ()},
          {"gfx950", "fp8", &APFloat::Float8E4M3FN()},
          {"gfx950", "bf8", &APFloat::Float8E5M2()}};
}

bool isNanCode(const Semantics &semantics, uint64_t code) {
  return std::isnan(apfloatDecode(semantics, code));
}

} // namespace

TEST(Convert, EveryHalfToSingle) {
  Snippet snippet("gfx942", "v_cvt_f32_f16_e32 v1, v0");
  forAll(snippet, allHalves(), [&](uint32_t half, int lane) {
    double expected = apfloatDecode(APFloat::IEEEhalf(), half);
    float got = floatOfBits(snippet.vgpr(1)[lane]);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(got)) << half;
    else
      EXPECT_EQ(bitsOfFloat(float(expected)), bitsOfFloat(got)) << half;
  });
}

TEST(Convert, SingleToHalfInEveryRounding) {
  const RoundingMode modes[] = {
      RoundingMode::NearestTiesToEven, RoundingMode::TowardPositive,
      RoundingMode::TowardNegative, RoundingMode::TowardZero};
  const std::vector<uint32_t> inputs = singlesAround(APFloat::IEEEhalf(), 16);
  Snippet snippet("gfx950", "v_cvt_f16_f32_e32 v1, v0");
  for (uint32_t mode = 0; mode < 4; ++mode) {
    snippet.wave().mode = 0x3F0 | mode << kModeRoundDouble;
    forAll(snippet, inputs, [&](uint32_t bits, int lane) {
      uint64_t expected =
          apfloatEncode(APFloat::IEEEhalf(), floatOfBits(bits), modes[mode]);
      uint32_t got = snippet.vgpr(1)[lane];
      if (isNanCode(APFloat::IEEEhalf(), expected))
        EXPECT_TRUE(isNanCode(APFloat::IEEEhalf(), got)) << bits;
      else
        EXPECT_EQ(expected, got) << std::hex << bits << " mode " << mode;
    });
  }
}

TEST(Convert, SingleToHalfTowardsZeroPair) {
  Snippet snippet("gfx942", "v_cvt_pkrtz_f16_f32 v1, v0, -v0");
  forAll(
      snippet, singlesAround(APFloat::IEEEhalf(), 16),
      [&](uint32_t bits, int lane) {
        if (std::isnan(floatOfBits(bits)))
          return;
        uint32_t expected = uint32_t(apfloatEncode(
            APFloat::IEEEhalf(), floatOfBits(bits), RoundingMode::TowardZero));
        EXPECT_EQ(expected | (expected ^ 0x8000u) << 16, snippet.vgpr(1)[lane])
            << std::hex << bits;
      });
}

TEST(Convert, SingleToBf16Pair) {
  Snippet snippet("gfx950", "v_cvt_pk_bf16_f32 v1, v0, -v0");
  std::vector<uint32_t> inputs = specialSingles();
  for (uint32_t high = 0; high < 65536; ++high)
    for (uint32_t low : {0x7FFFu, 0x8000u, 0x8001u})
      inputs.push_back(high << 16 | low);
  forAll(snippet, inputs, [&](uint32_t bits, int lane) {
    uint32_t got = snippet.vgpr(1)[lane];
    if (std::isnan(floatOfBits(bits))) {
      EXPECT_TRUE(isNanCode(APFloat::BFloat(), got & 0xFFFF)) << bits;
      return;
    }
    uint32_t expected =
        uint32_t(apfloatEncode(APFloat::BFloat(), floatOfBits(bits)));
    EXPECT_EQ(expected | (expected ^ 0x8000u) << 16, got) << std::hex << bits;
  });
}

TEST(Convert, EveryBf16ToSingle) {
  Snippet snippet("gfx950", "v_cvt_f32_bf16_e32 v1, v0\n"
                            "v_cvt_f32_bf16_sdwa v2, v0 src0_sel:WORD_1");
  forAll(snippet, allHalves(), [&](uint32_t code, int lane) {
    EXPECT_EQ(code << 16, snippet.vgpr(1)[lane]);
    EXPECT_EQ(0u, snippet.vgpr(2)[lane]);
  });
}

TEST(Convert, EveryFp8ToSingle) {
  for (const Fp8Case &c : fp8Cases()) {
    std::string name = c.name;
    Snippet snippet(
        c.chip, "v_cvt_f32_" + name + "_e32 v1, v0\n" + "v_cvt_f32_" + name +
                    "_sdwa v2, v0 src0_sel:BYTE_3\n" + "v_cvt_pk_f32_" + name +
                    "_e32 v[4:5], v0\n" + "v_cvt_pk_f32_" + name +
                    "_sdwa v[6:7], v0 src0_sel:WORD_1");
    std::vector<uint32_t> inputs;
    for (uint32_t i = 0; i < 256; ++i)
      inputs.push_back(i | (i * 7 & 255) << 8 | (i * 31 & 255) << 16 |
                       (255 - i) << 24);
    forAll(snippet, inputs, [&](uint32_t word, int lane) {
      auto check = [&](unsigned reg, int byte) {
        double expected = apfloatDecode(*c.semantics, word >> (8 * byte) & 255);
        float got = floatOfBits(snippet.vgpr(reg)[lane]);
        if (std::isnan(expected))
          EXPECT_TRUE(std::isnan(got)) << c.chip << word;
        else
          EXPECT_EQ(bitsOfFloat(float(expected)), bitsOfFloat(got))
              << c.chip << " " << name << " " << word;
      };
      check(1, 0);
      check(2, 3);
      check(4, 0);
      check(5, 1);
      check(6, 2);
      check(7, 3);
    });
  }
}

// Overflow is not saturated unless MODE.FP16_OVFL is set; 464 is a tie that
// still rounds to 448, 248 one that leaves the FNUZ range.
TEST(Convert, SingleToFp8PairWithAndWithoutSaturation) {
  for (const Fp8Case &c : fp8Cases()) {
    Snippet snippet(c.chip, std::string("v_cvt_pk_") + c.name +
                                "_f32 v1, v0, -v0\n" + "v_cvt_pk_" + c.name +
                                "_f32 v2, v0, -v0 op_sel:[0,0,1]");
    double largest = 0;
    for (uint32_t code = 0; code < 128; ++code)
      if (double value = apfloatDecode(*c.semantics, code);
          std::isfinite(value))
        largest = std::max(largest, value);
    for (bool saturate : {false, true}) {
      snippet.wave().mode = 0x3F0 | uint32_t(saturate) << kModeFp16Overflow;
      forAll(snippet, singlesAround(*c.semantics, 8),
             [&](uint32_t bits, int lane) {
               auto check = [&](float value, uint32_t got) {
                 uint64_t expected = apfloatEncode(*c.semantics, value);
                 double back = apfloatDecode(*c.semantics, expected);
                 if (saturate && !std::isnan(value) && !std::isfinite(back))
                   expected = apfloatEncode(*c.semantics,
                                            std::copysign(largest, value));
                 if (isNanCode(*c.semantics, expected))
                   EXPECT_TRUE(isNanCode(*c.semantics, got))
                       << c.chip << c.name << value << " gave " << got;
                 else
                   EXPECT_EQ(expected, got) << c.chip << " " << c.name << " "
                                            << value << std::hex << " " << bits;
               };
               const float value = floatOfBits(bits);
               check(value, snippet.vgpr(1)[lane] & 255);
               check(-value, snippet.vgpr(1)[lane] >> 8 & 255);
               EXPECT_EQ(snippet.vgpr(1)[lane] & 0xFFFF,
                         snippet.vgpr(2)[lane] >> 16);
             });
    }
  }
}

TEST(Convert, PackedFp8KeepsTheOtherHalf) {
  Snippet snippet("gfx950", "v_cvt_pk_fp8_f32 v1, v0, v0\n"
                            "v_cvt_pk_fp8_f32 v2, v0, v0 op_sel:[0,0,1]");
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = 0x3F800000;
    snippet.vgpr(1)[lane] = snippet.vgpr(2)[lane] = 0x12345678;
  }
  snippet.wave().setExec(~uint64_t(0) << 1);
  snippet.run();
  EXPECT_EQ(0x12343838u, snippet.vgpr(1)[5]);
  EXPECT_EQ(0x38385678u, snippet.vgpr(2)[5]);
  EXPECT_EQ(0x12345678u, snippet.vgpr(1)[0]);
}

TEST(Convert, Fp8OverflowAsMeasured) {
  // ROCm/rocm-systems issue 9556 counts the pairs of finite bytes whose exact
  // sum does not stay finite: 436 on gfx950, 496 on gfx942.
  for (auto [chip, semantics, count] :
       {std::tuple{"gfx950", &APFloat::Float8E4M3FN(), 436},
        std::tuple{"gfx942", &APFloat::Float8E4M3FNUZ(), 496}}) {
    Snippet snippet(chip, "v_cvt_pk_fp8_f32 v1, v0, v0");
    std::vector<uint32_t> inputs;
    for (uint32_t a = 0; a < 256; ++a)
      for (uint32_t b = 0; b < 256; ++b) {
        double x = apfloatDecode(*semantics, a),
               y = apfloatDecode(*semantics, b);
        if (std::isfinite(x) && std::isfinite(y))
          inputs.push_back(bitsOfFloat(float(x + y)));
      }
    int lost = 0;
    forAll(snippet, inputs, [&, s = semantics](uint32_t, int lane) {
      lost += isNanCode(*s, snippet.vgpr(1)[lane] & 255);
    });
    EXPECT_EQ(count, lost) << chip;
  }
}

// With all random bits 0 the value is truncated, with all of them 1 it is
// rounded away unless it is exact.
TEST(Convert, StochasticFp8) {
  for (const Fp8Case &c : fp8Cases()) {
    std::string name = c.name;
    Snippet snippet(c.chip,
                    "v_mov_b32 v2, 0\nv_mov_b32 v3, -1\nv_mov_b32 v1, 0\n"
                    "v_cvt_sr_" +
                        name + "_f32 v1, v0, v2\n" + "v_cvt_sr_" + name +
                        "_f32 v1, v0, v3 op_sel:[0,0,0,1]");
    forAll(snippet, singlesAround(*c.semantics, 8),
           [&](uint32_t bits, int lane) {
             const float value = floatOfBits(bits);
             const uint32_t word = snippet.vgpr(1)[lane];
             const uint64_t down =
                 apfloatEncode(*c.semantics, value, RoundingMode::TowardZero);
             const uint64_t up =
                 apfloatEncode(*c.semantics, value,
                               value < 0 ? RoundingMode::TowardNegative
                                         : RoundingMode::TowardPositive);
             EXPECT_EQ(0u, word & 0xFF00FF00u);
             if (std::isnan(value) ||
                 !std::isfinite(apfloatDecode(*c.semantics, up)))
               return;
             EXPECT_EQ(down, word & 255) << c.chip << name << value;
             EXPECT_EQ(up, word >> 16 & 255)
                 << c.chip << " " << name << " " << value;
           });
  }
}

TEST(Convert, SingleAndDoubleToIntegers) {
  Snippet snippet("gfx942", "v_cvt_i32_f32_e32 v1, v0\n"
                            "v_cvt_u32_f32_e32 v2, v0\n"
                            "v_cvt_f64_f32_e32 v[4:5], v0\n"
                            "v_cvt_i32_f64_e32 v6, v[4:5]\n"
                            "v_cvt_u32_f64_e32 v7, v[4:5]\n"
                            "v_cvt_flr_i32_f32_e32 v8, v0\n"
                            "v_cvt_rpi_i32_f32_e32 v9, v0");
  std::vector<uint32_t> inputs = specialSingles();
  Sequence random(3);
  for (int i = 0; i < 20000; ++i)
    inputs.push_back(random.next());
  auto saturate = [](double value, double low, double high) -> int64_t {
    if (std::isnan(value))
      return 0;
    return int64_t(std::trunc(std::min(std::max(value, low), high)));
  };
  forAll(snippet, inputs, [&](uint32_t bits, int lane) {
    const double value = floatOfBits(bits);
    const uint32_t asSigned =
        uint32_t(saturate(value, -2147483648.0, 2147483647.0));
    const uint32_t asUnsigned = uint32_t(saturate(value, 0, 4294967295.0));
    EXPECT_EQ(asSigned, snippet.vgpr(1)[lane]) << value;
    EXPECT_EQ(asUnsigned, snippet.vgpr(2)[lane]) << value;
    EXPECT_EQ(asSigned, snippet.vgpr(6)[lane]) << value;
    EXPECT_EQ(asUnsigned, snippet.vgpr(7)[lane]) << value;
    EXPECT_EQ(
        uint32_t(saturate(std::floor(value), -2147483648.0, 2147483647.0)),
        snippet.vgpr(8)[lane])
        << value;
    EXPECT_EQ(uint32_t(saturate(std::floor(float(value) + 0.5f), -2147483648.0,
                                2147483647.0)),
              snippet.vgpr(9)[lane])
        << value;
  });
}

TEST(Convert, IntegersToFloats) {
  Snippet snippet("gfx942", "v_cvt_f32_i32_e32 v1, v0\n"
                            "v_cvt_f32_u32_e32 v2, v0\n"
                            "v_cvt_f64_i32_e32 v[4:5], v0\n"
                            "v_cvt_f64_u32_e32 v[6:7], v0\n"
                            "v_cvt_f32_ubyte2_e32 v8, v0\n"
                            "v_cvt_f16_u16_e32 v9, v0\n"
                            "v_cvt_f16_i16_e32 v10, v0\n"
                            "v_cvt_off_f32_i4_e32 v11, v0");
  std::vector<uint32_t> inputs = specialSingles();
  for (uint32_t i = 0; i < 65536; ++i)
    inputs.push_back(i * 65537u ^ i << 3);
  for (uint32_t i = 0; i < 64; ++i)
    inputs.push_back(0xFFFFFF00u + i * 3);
  forAll(snippet, inputs, [&](uint32_t bits, int lane) {
    EXPECT_EQ(bitsOfFloat(float(int32_t(bits))), snippet.vgpr(1)[lane]);
    EXPECT_EQ(bitsOfFloat(float(bits)), snippet.vgpr(2)[lane]) << bits;
    EXPECT_EQ(bitCast<uint64_t>(double(int32_t(bits))), snippet.get64(4, lane));
    EXPECT_EQ(bitCast<uint64_t>(double(bits)), snippet.get64(6, lane));
    EXPECT_EQ(bitsOfFloat(float(bits >> 16 & 255)), snippet.vgpr(8)[lane]);
    EXPECT_EQ(apfloatEncode(APFloat::IEEEhalf(), double(bits & 0xFFFF)),
              snippet.vgpr(9)[lane]);
    EXPECT_EQ(apfloatEncode(APFloat::IEEEhalf(), double(int16_t(bits))),
              snippet.vgpr(10)[lane]);
    EXPECT_EQ(bitsOfFloat(float(int32_t(bits << 28) >> 28) / 16),
              snippet.vgpr(11)[lane]);
  });
}

TEST(Convert, EveryHalfToIntegers) {
  Snippet snippet("gfx950", "v_cvt_u16_f16_e32 v1, v0\n"
                            "v_cvt_i16_f16_e32 v2, v0\n"
                            "v_cvt_norm_i16_f16_e32 v3, v0\n"
                            "v_cvt_norm_u16_f16_e32 v4, v0");
  auto clamp = [](double value, double low, double high) {
    return std::isnan(value) ? 0.0 : std::min(std::max(value, low), high);
  };
  forAll(snippet, allHalves(), [&](uint32_t code, int lane) {
    const double value = apfloatDecode(APFloat::IEEEhalf(), code);
    EXPECT_EQ(uint32_t(std::trunc(clamp(value, 0, 65535))),
              snippet.vgpr(1)[lane]);
    EXPECT_EQ(uint32_t(int32_t(std::trunc(clamp(value, -32768, 32767)))) &
                  0xFFFF,
              snippet.vgpr(2)[lane]);
    EXPECT_EQ(uint32_t(int32_t(std::nearbyint(clamp(value, -1, 1) * 32767))) &
                  0xFFFF,
              snippet.vgpr(3)[lane]);
    EXPECT_EQ(uint32_t(std::nearbyint(clamp(value, 0, 1) * 65535)),
              snippet.vgpr(4)[lane]);
  });
}

TEST(Convert, DoubleToSingleRoundsOnce) {
  Snippet snippet("gfx942", "v_cvt_f32_f64_e32 v2, v[0:1]");
  Sequence random(11);
  for (int round = 0; round < 200; ++round) {
    for (int lane = 0; lane < 64; ++lane) {
      uint64_t exponent = 1023 + random.next() % 300 - 150;
      snippet.set64(0, lane,
                    (random.next64() & 0x800FFFFFFFFFFFFFull) | exponent << 52);
    }
    snippet.run();
    for (int lane = 0; lane < 64; ++lane)
      EXPECT_EQ(bitsOfFloat(float(bitCast<double>(snippet.get64(0, lane)))),
                snippet.vgpr(2)[lane]);
  }
}
