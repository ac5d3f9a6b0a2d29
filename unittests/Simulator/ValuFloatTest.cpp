//===- ValuFloatTest.cpp - Floating-point vector instructions -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include <cfenv>

using namespace mla::sim;
using namespace mla::sim::test;
using llvm::APFloat;

namespace {

constexpr uint32_t kPlainMode = 0x3F0;

bool isDenormal(uint32_t bits) {
  return !(bits & 0x7F800000) && (bits & 0x7FFFFF);
}
uint32_t flush(uint32_t bits) {
  return isDenormal(bits) ? bits & 0x80000000 : bits;
}

/// Fills v0, v1, v2 with combinations of special and random singles.
void fillSingles(Snippet &snippet, Sequence &random) {
  const std::vector<uint32_t> &special = specialSingles();
  for (int lane = 0; lane < 64; ++lane)
    for (unsigned r : {0u, 1u, 2u})
      snippet.vgpr(r)[lane] =
          random.next() % 2   ? special[random.next() % special.size()]
          : random.next() % 2 ? random.next()
                              // Near 1, so that sums cancel.
                              : 0x3F800000 + random.next() % 4096 - 2048;
}

/// The same single, or NaN both.
void expectSingle(float expected, uint32_t got, const std::string &what) {
  if (std::isnan(expected))
    EXPECT_TRUE(std::isnan(floatOfBits(got))) << what;
  else
    EXPECT_EQ(bitsOfFloat(expected), got) << what;
}

std::string hex(uint32_t a, uint32_t b = 0, uint32_t c = 0) {
  char text[64];
  snprintf(text, sizeof text, "%08x %08x %08x", a, b, c);
  return text;
}

} // namespace

// In each rounding mode, with denormals kept or flushed at either end.
TEST(ValuFloat, ArithmeticUnderEveryMode) {
  Snippet snippet("gfx942", "v_add_f32 v10, v0, v1\n"
                            "v_sub_f32 v11, v0, v1\n"
                            "v_mul_f32 v12, v0, v1\n"
                            "v_fma_f32 v13, v0, -v1, |v2|\n"
                            "v_mov_b32 v14, v2\n"
                            "v_fmac_f32 v14, v0, v1\n"
                            "v_fmamk_f32 v15, v0, 0x40490fdb, v1\n"
                            "v_fmaak_f32 v16, v0, v1, 0x40490fdb");
  const int rounding[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  Sequence random(1);
  for (uint32_t mode = 0; mode < 16; ++mode) {
    snippet.wave().mode =
        (kPlainMode & ~0x3Fu) | (mode & 3) | (mode >> 2) << kModeDenormSingle;
    const bool keepIn = mode >> 2 & 1, keepOut = mode >> 3 & 1;
    for (int round = 0; round < 40; ++round) {
      fillSingles(snippet, random);
      snippet.run();
      for (int lane = 0; lane < 64; ++lane) {
        uint32_t bits[3];
        volatile float in[3];
        for (unsigned r = 0; r < 3; ++r) {
          bits[r] = snippet.vgpr(r)[lane];
          in[r] = floatOfBits(keepIn ? bits[r] : flush(bits[r]));
        }
        const float a = in[0], b = in[1], c = in[2],
                    k = floatOfBits(0x40490FDB);
        fesetround(rounding[mode & 3]);
        volatile float results[7] = {a + b, a - b, a * b, 0, 0, 0, 0};
        results[3] = std::fma(a, -b, std::fabs(c));
        results[4] = std::fma(a, b, c);
        results[5] = std::fma(a, k, b);
        results[6] = std::fma(a, b, k);
        fesetround(FE_TONEAREST);
        const unsigned regs[] = {10, 11, 12, 13, 14, 15, 16};
        for (int i = 0; i < 7; ++i) {
          float expected = results[i];
          if (!keepOut)
            expected = floatOfBits(flush(bitsOfFloat(expected)));
          expectSingle(expected, snippet.vgpr(regs[i])[lane],
                       "result " + std::to_string(i) + " mode " +
                           std::to_string(mode) + " of " +
                           hex(bits[0], bits[1], bits[2]));
        }
      }
      if (HasFailure())
        return;
    }
  }
}

TEST(ValuFloat, MinimumAndMaximumOfNansAndZeros) {
  Snippet snippet("gfx950", "v_min_f32 v10, v0, v1\n"
                            "v_max_f32 v11, v0, v1\n"
                            "v_minimum3_f32 v12, v0, v1, v1\n"
                            "v_maximum3_f32 v13, v0, v1, v0\n"
                            "v_med3_f32 v14, v0, v1, v2");
  Sequence random(2);
  for (bool ieee : {false, true}) {
    snippet.wave().mode = (kPlainMode & ~(1u << kModeIeee)) | uint32_t(ieee)
                                                                  << kModeIeee;
    for (int round = 0; round < 100; ++round) {
      fillSingles(snippet, random);
      snippet.run();
      for (int lane = 0; lane < 64; ++lane) {
        const uint32_t x = snippet.vgpr(0)[lane], y = snippet.vgpr(1)[lane];
        const float a = floatOfBits(x), b = floatOfBits(y),
                    c = floatOfBits(snippet.vgpr(2)[lane]);
        auto signalling = [](uint32_t bits) {
          return (bits & 0x7FFFFFFF) > 0x7F800000 && !(bits & 0x400000);
        };
        // The order of the branches of the manual's V_MIN_F32.
        auto extreme = [&](bool max) {
          if (ieee && signalling(x))
            return x | 0x400000;
          if (ieee && signalling(y))
            return y | 0x400000;
          if (std::isnan(a))
            return y;
          if (std::isnan(b))
            return x;
          if (a == 0 && b == 0)
            return max ? x & y : x | y;
          return (max ? a > b : a < b) ? x : y;
        };
        EXPECT_EQ(extreme(false), snippet.vgpr(10)[lane]) << hex(x, y);
        EXPECT_EQ(extreme(true), snippet.vgpr(11)[lane]) << hex(x, y);
        if (std::isnan(a) || std::isnan(b)) {
          EXPECT_TRUE(std::isnan(floatOfBits(snippet.vgpr(12)[lane])));
          EXPECT_TRUE(std::isnan(floatOfBits(snippet.vgpr(13)[lane])));
        } else {
          EXPECT_EQ(extreme(false), snippet.vgpr(12)[lane]);
          EXPECT_EQ(extreme(true), snippet.vgpr(13)[lane]);
        }
        if (!std::isnan(a) && !std::isnan(b) && !std::isnan(c))
          EXPECT_EQ(std::max(std::min(a, b), std::min(std::max(a, b), c)),
                    floatOfBits(snippet.vgpr(14)[lane]));
      }
    }
  }
}

TEST(ValuFloat, ClampAndOutputModifiers) {
  Snippet snippet("gfx942", "v_add_f32_e64 v10, v0, v1 clamp\n"
                            "v_add_f32_e64 v11, v0, v1 mul:2\n"
                            "v_mul_f32_e64 v12, v0, v1 div:2");
  struct {
    uint32_t mode;
    float a, b, clamped, doubled, halved;
  } const cases[] = {
      // IEEE mode or kept denormals switch the output modifier off.
      {0x3F0, 0.5f, 0.25f, 0.75f, 0.75f, 0.125f},
      {0x1C0, 0.5f, 0.25f, 0.75f, 1.5f, 0.0625f},
      {0x3C0, 0.5f, 0.25f, 0.75f, 0.75f, 0.125f},
      {0x1C0, 3.0f, 1.0f, 1.0f, 8.0f, 1.5f},
      {0x1C0, -3.0f, 1.0f, 0.0f, -4.0f, -1.5f},
  };
  for (const auto &c : cases) {
    snippet.wave().mode = c.mode;
    for (int lane = 0; lane < 64; ++lane) {
      snippet.vgpr(0)[lane] = bitsOfFloat(c.a);
      snippet.vgpr(1)[lane] = bitsOfFloat(c.b);
    }
    snippet.run();
    EXPECT_EQ(bitsOfFloat(c.clamped), snippet.vgpr(10)[3]);
    EXPECT_EQ(bitsOfFloat(c.doubled), snippet.vgpr(11)[3]);
    EXPECT_EQ(bitsOfFloat(c.halved), snippet.vgpr(12)[3]);
  }
  // DX10_CLAMP decides what a clamped NaN is.
  for (bool dx10 : {false, true}) {
    snippet.wave().mode = 0x2F0 | uint32_t(dx10) << kModeDx10Clamp;
    snippet.vgpr(0)[0] = 0x7FC00000;
    snippet.run();
    EXPECT_EQ(dx10 ? 0u : 0x7FC00000u, snippet.vgpr(10)[0]);
  }
}

TEST(ValuFloat, RoundingToIntegersAndExponents) {
  Snippet snippet("gfx942", "v_floor_f32 v10, v0\nv_ceil_f32 v11, v0\n"
                            "v_trunc_f32 v12, v0\nv_rndne_f32 v13, v0\n"
                            "v_fract_f32 v14, v0\n"
                            "v_frexp_mant_f32 v15, v0\n"
                            "v_frexp_exp_i32_f32 v16, v0\n"
                            "v_and_b32 v3, 0x1ff, v1\n"
                            "v_add_u32 v3, 0xffffff00, v3\n"
                            "v_ldexp_f32 v17, v0, v3\n"
                            "v_ldexp_f32 v18, v15, v16");
  Sequence random(3);
  for (int round = 0; round < 100; ++round) {
    fillSingles(snippet, random);
    for (int lane = 0; lane < 64; lane += 2)
      snippet.vgpr(0)[lane] =
          bitsOfFloat(float(int(random.next() % 4000) - 2000) * 0.25f);
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t bits = snippet.vgpr(0)[lane];
      const float a = floatOfBits(bits);
      expectSingle(std::floor(a), snippet.vgpr(10)[lane], hex(bits));
      expectSingle(std::ceil(a), snippet.vgpr(11)[lane], hex(bits));
      expectSingle(std::trunc(a), snippet.vgpr(12)[lane], hex(bits));
      expectSingle(std::nearbyint(a), snippet.vgpr(13)[lane], hex(bits));
      expectSingle(a - std::floor(a), snippet.vgpr(14)[lane], hex(bits));
      const int32_t amount = int32_t(snippet.vgpr(3)[lane]);
      expectSingle(std::ldexp(a, amount), snippet.vgpr(17)[lane], hex(bits));
      if (!std::isfinite(a))
        continue;
      int exponent;
      const float mantissa = std::frexp(a, &exponent);
      expectSingle(mantissa, snippet.vgpr(15)[lane], hex(bits));
      EXPECT_EQ(uint32_t(exponent), snippet.vgpr(16)[lane]) << hex(bits);
      EXPECT_EQ(bits, snippet.vgpr(18)[lane]);
    }
  }
}

TEST(ValuFloat, ComparisonsAndClasses) {
  Snippet snippet("gfx942", "v_cmp_lt_f32 s[10:11], v0, v1\n"
                            "v_cmp_nlt_f32 s[12:13], v0, v1\n"
                            "v_cmp_lg_f32 s[14:15], v0, v1\n"
                            "v_cmp_neq_f32 s[16:17], v0, v1\n"
                            "v_cmp_o_f32 s[18:19], v0, v1\n"
                            "v_cmp_u_f32 s[20:21], v0, v1\n"
                            "v_cmp_nge_f32 s[22:23], -v0, |v1|\n"
                            "v_cmp_class_f32 s[24:25], v0, v2\n"
                            "v_cmp_eq_f32 s[26:27], v0, v1");
  Sequence random(4);
  for (bool flushed : {false, true})
    for (int round = 0; round < 60; ++round) {
      snippet.wave().mode = flushed ? kPlainMode & ~0x30u : kPlainMode;
      fillSingles(snippet, random);
      for (int lane = 0; lane < 64; ++lane) {
        snippet.vgpr(2)[lane] = 1u << random.next() % 10;
        if (lane % 4 == 0)
          snippet.vgpr(1)[lane] = snippet.vgpr(0)[lane];
      }
      snippet.run();
      for (int lane = 0; lane < 64; ++lane) {
        const uint32_t x = snippet.vgpr(0)[lane], y = snippet.vgpr(1)[lane];
        const float a = floatOfBits(flushed ? flush(x) : x);
        const float b = floatOfBits(flushed ? flush(y) : y);
        auto got = [&](unsigned sgpr) {
          return bool(snippet.wave().readSgpr64(sgpr) >> lane & 1);
        };
        const bool nan = std::isnan(a) || std::isnan(b);
        EXPECT_EQ(a < b, got(10)) << hex(x, y);
        EXPECT_EQ(!(a < b), got(12)) << hex(x, y);
        EXPECT_EQ(a < b || a > b, got(14)) << hex(x, y);
        EXPECT_EQ(!(a == b), got(16)) << hex(x, y);
        EXPECT_EQ(!nan, got(18)) << hex(x, y);
        EXPECT_EQ(nan, got(20)) << hex(x, y);
        EXPECT_EQ(!(-a >= std::fabs(b)), got(22)) << hex(x, y);
        EXPECT_EQ(a == b, got(26)) << hex(x, y);
        const bool negative = x >> 31;
        const float raw = floatOfBits(x);
        const int nanClass = x & 0x400000 ? 1 : 0;
        const int cls = std::isnan(raw)   ? nanClass
                        : std::isinf(raw) ? (negative ? 2 : 9)
                        : raw == 0        ? (negative ? 5 : 6)
                        : isDenormal(x)   ? (negative ? 4 : 7)
                                          : (negative ? 3 : 8);
        EXPECT_EQ(bool(snippet.vgpr(2)[lane] >> cls & 1), got(24)) << hex(x);
      }
    }
}

TEST(ValuFloat, HalfArithmeticRoundsOnce) {
  Snippet snippet("gfx950", "v_add_f16 v10, v0, v1\n"
                            "v_mul_f16 v11, v0, v1\n"
                            "v_fma_f16 v12, v0, v1, v2\n"
                            "v_rcp_f16 v13, v0\n"
                            "v_sqrt_f16 v14, v0\n"
                            "v_pk_fma_f16 v15, v0, v1, v2 op_sel_hi:[0,0,0]");
  Sequence random(5);
  for (int round = 0; round < 400; ++round) {
    for (int lane = 0; lane < 64; ++lane)
      for (unsigned r : {0u, 1u, 2u})
        snippet.vgpr(r)[lane] = random.next() & 0xFFFF;
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      APFloat in[3] = {APFloat(APFloat::IEEEhalf()),
                       APFloat(APFloat::IEEEhalf()),
                       APFloat(APFloat::IEEEhalf())};
      for (unsigned r = 0; r < 3; ++r)
        in[r] = APFloat(APFloat::IEEEhalf(),
                        llvm::APInt(16, snippet.vgpr(r)[lane]));
      APFloat sum = in[0], product = in[0], fused = in[0],
              reciprocal(APFloat::IEEEhalf(), 1);
      const auto nearest = llvm::RoundingMode::NearestTiesToEven;
      sum.add(in[1], nearest);
      product.multiply(in[1], nearest);
      fused.fusedMultiplyAdd(in[1], in[2], nearest);
      reciprocal.divide(in[0], nearest);
      auto check = [&](const APFloat &expected, unsigned reg) {
        const uint32_t got = snippet.vgpr(reg)[lane] & 0xFFFF;
        if (expected.isNaN())
          EXPECT_GT(got & 0x7FFF, 0x7C00u);
        else
          EXPECT_EQ(expected.bitcastToAPInt().getZExtValue(), got)
              << "v" << reg << " of "
              << hex(snippet.vgpr(0)[lane], snippet.vgpr(1)[lane],
                     snippet.vgpr(2)[lane]);
      };
      check(sum, 10);
      check(product, 11);
      check(fused, 12);
      check(reciprocal, 13);
      check(fused, 15);
      // Which of several NaNs comes through is open.
      if (!fused.isNaN())
        EXPECT_EQ(snippet.vgpr(15)[lane] & 0xFFFF,
                  snippet.vgpr(15)[lane] >> 16);
      const double root =
          std::sqrt(apfloatDecode(APFloat::IEEEhalf(), snippet.vgpr(0)[lane]));
      if (!std::isnan(root))
        EXPECT_EQ(apfloatEncode(APFloat::IEEEhalf(), root),
                  snippet.vgpr(14)[lane]);
    }
  }
}

TEST(ValuFloat, TranscendentalsWithinOneUlp) {
  Snippet snippet("gfx942", "v_exp_f32 v10, v0\nv_log_f32 v11, v0\n"
                            "v_rcp_f32 v12, v0\nv_rsq_f32 v13, v0\n"
                            "v_sqrt_f32 v14, v0\nv_sin_f32 v15, v0\n"
                            "v_cos_f32 v16, v0");
  Sequence random(6);
  auto check = [&](double exact, uint32_t got, uint32_t input,
                   const char *name) {
    // No denormals come out.
    if (std::fabs(exact) < 0x1p-126)
      exact = std::copysign(0.0, exact);
    if (std::isnan(exact)) {
      EXPECT_TRUE(std::isnan(floatOfBits(got))) << name << hex(input);
      return;
    }
    const float rounded = float(exact), value = floatOfBits(got);
    if (!std::isfinite(rounded) || rounded == 0) {
      EXPECT_EQ(rounded, value) << name << " " << hex(input);
      return;
    }
    const double ulp = std::ldexp(1.0, std::ilogb(rounded) - 23);
    EXPECT_LE(std::fabs(value - exact), ulp) << name << " " << hex(input);
  };
  constexpr double kTwoPi = 6.28318530717958647692;
  for (int round = 0; round < 200; ++round) {
    fillSingles(snippet, random);
    for (int lane = 0; lane < 64; lane += 2) {
      const float wide = float(int(random.next() % 300000) - 150000) / 1000;
      snippet.vgpr(0)[lane] = bitsOfFloat(wide);
    }
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t bits = snippet.vgpr(0)[lane];
      // Denormals count as zeros.
      const double a = floatOfBits(flush(bits));
      check(std::exp2(a), snippet.vgpr(10)[lane], bits, "exp");
      check(std::log2(a), snippet.vgpr(11)[lane], bits, "log");
      check(1 / a, snippet.vgpr(12)[lane], bits, "rcp");
      check(1 / std::sqrt(a), snippet.vgpr(13)[lane], bits, "rsq");
      check(std::sqrt(a), snippet.vgpr(14)[lane], bits, "sqrt");
      if (std::fabs(a) > 256 && std::isfinite(a)) {
        EXPECT_EQ(0u, snippet.vgpr(15)[lane] & 0x7FFFFFFF);
        EXPECT_EQ(bitsOfFloat(1), snippet.vgpr(16)[lane]);
        continue;
      }
      const double turns = a - std::nearbyint(a);
      if (std::fabs(std::sin(turns * kTwoPi)) > 1e-7)
        check(std::sin(turns * kTwoPi), snippet.vgpr(15)[lane], bits, "sin");
      if (std::fabs(std::cos(turns * kTwoPi)) > 1e-7)
        check(std::cos(turns * kTwoPi), snippet.vgpr(16)[lane], bits, "cos");
    }
  }
}

TEST(ValuFloat, DoubleSeedsHaveTheHardwaresAccuracyOnly) {
  Snippet snippet("gfx942", "v_rcp_f64 v[10:11], v[0:1]\n"
                            "v_rsq_f64 v[12:13], v[0:1]");
  Sequence random(8);
  bool inexact = false;
  for (int lane = 0; lane < 64; ++lane)
    snippet.set64(0, lane, bitCast<uint64_t>(1.0 + random.next() * 0x1p-31));
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    const double a = bitCast<double>(snippet.get64(0, lane));
    const double rcp = bitCast<double>(snippet.get64(10, lane));
    EXPECT_LE(std::fabs(rcp * a - 1), 0x1p-28);
    EXPECT_LE(
        std::fabs(bitCast<double>(snippet.get64(12, lane)) * std::sqrt(a) - 1),
        0x1p-28);
    inexact |= rcp != 1 / a;
  }
  EXPECT_TRUE(inexact);
}

TEST(ValuFloat, TrigPreop) {
  // 2/pi in segments of 53 bits.
  Snippet snippet("gfx942", "v_trig_preop_f64 v[10:11], v[0:1], 0\n"
                            "v_trig_preop_f64 v[12:13], v[0:1], 1");
  snippet.set64(0, 0, bitCast<uint64_t>(1.0));
  snippet.run();
  const double high = bitCast<double>(snippet.get64(10, 0));
  const double low = bitCast<double>(snippet.get64(12, 0));
  EXPECT_EQ(0x1.45f306dc9c882p-1, high);
  EXPECT_LT(low, 0x1p-53);
  EXPECT_NEAR(2 / 3.14159265358979323846, high + low, 0x1p-53);
}
