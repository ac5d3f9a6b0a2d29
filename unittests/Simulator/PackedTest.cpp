//===- PackedTest.cpp - Packed, mixed and dot product instructions --------===//
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

double half(uint32_t code) {
  return apfloatDecode(APFloat::IEEEhalf(), code & 0xFFFF);
}
uint32_t toHalf(double value) {
  return uint32_t(apfloatEncode(APFloat::IEEEhalf(), value));
}

/// Halves of moderate size, so that sums stay exact in double.
uint32_t someHalf(Sequence &random) {
  return toHalf((int(random.next() % 4001) - 2000) / 64.0);
}

} // namespace

TEST(Packed, SixteenBitIntegers) {
  Snippet snippet("gfx942", "v_pk_add_u16 v10, v0, v1\n"
                            "v_pk_sub_i16 v11, v0, v1 clamp\n"
                            "v_pk_mul_lo_u16 v12, v0, v1\n"
                            "v_pk_mad_i16 v13, v0, v1, v2\n"
                            "v_pk_ashrrev_i16 v14, v0, v1\n"
                            "v_pk_max_i16 v15, v0, v1\n"
                            "v_pk_min_u16 v16, v0, v1\n"
                            "v_pk_lshlrev_b16 v17, 3, v1 op_sel_hi:[0,1]\n"
                            "v_pk_add_u16 v18, v0, v1 op_sel:[1,0] "
                            "op_sel_hi:[0,1]\n"
                            "v_pk_add_u16 v19, v0, -1");
  Sequence random(1);
  for (int round = 0; round < 50; ++round) {
    for (int lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 3; ++r)
        snippet.vgpr(r)[lane] =
            random.next() % 4 ? random.next() : 0x80007FFF ^ random.next() % 3;
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t a = snippet.vgpr(0)[lane], b = snippet.vgpr(1)[lane],
                     c = snippet.vgpr(2)[lane];
      for (int part = 0; part < 2; ++part) {
        const uint16_t x = uint16_t(a >> (16 * part)),
                       y = uint16_t(b >> (16 * part)),
                       z = uint16_t(c >> (16 * part));
        const int16_t sx = int16_t(x), sy = int16_t(y);
        auto got = [&](unsigned reg) {
          return uint16_t(snippet.vgpr(reg)[lane] >> (16 * part));
        };
        EXPECT_EQ(uint16_t(x + y), got(10));
        EXPECT_EQ(uint16_t(std::min(std::max(sx - sy, -32768), 32767)),
                  got(11));
        EXPECT_EQ(uint16_t(uint32_t(x) * y), got(12));
        EXPECT_EQ(uint16_t(uint32_t(x) * y + z), got(13));
        EXPECT_EQ(uint16_t(sy >> (x & 15)), got(14));
        EXPECT_EQ(uint16_t(std::max(sx, sy)), got(15));
        EXPECT_EQ(std::min(x, y), got(16));
        EXPECT_EQ(uint16_t(y << 3), got(17));
        const uint16_t crossed = uint16_t(a >> (part ? 0 : 16));
        EXPECT_EQ(uint16_t(crossed + y), got(18));
        EXPECT_EQ(uint16_t(x - 1), got(19));
      }
    }
  }
}

TEST(Packed, HalvesWithSelectionAndNegation) {
  Snippet snippet("gfx950",
                  "v_pk_add_f16 v10, v0, v1 neg_lo:[1,0] neg_hi:[0,1]\n"
                  "v_pk_mul_f16 v11, v0, v1 op_sel:[1,0] op_sel_hi:[0,1]\n"
                  "v_pk_fma_f16 v12, v0, v1, v2\n"
                  "v_pk_min_f16 v13, v0, v1\n"
                  "v_pk_maximum3_f16 v14, v0, v1, v2\n"
                  "v_pk_add_f16 v15, v0, 1.0 op_sel_hi:[1,0]\n"
                  "v_pk_mul_f16 v16, v0, v1 clamp");
  Sequence random(2);
  for (int round = 0; round < 20; ++round) {
    for (int lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 3; ++r)
        snippet.vgpr(r)[lane] = someHalf(random) | someHalf(random) << 16;
    snippet.run();
    for (int lane = 0; lane < 64; ++lane)
      for (int part = 0; part < 2; ++part) {
        const int shift = 16 * part;
        const uint32_t a = snippet.vgpr(0)[lane];
        const double x = half(a >> shift),
                     y = half(snippet.vgpr(1)[lane] >> shift),
                     z = half(snippet.vgpr(2)[lane] >> shift);
        auto check = [&](double expected, unsigned reg) {
          EXPECT_EQ(half(toHalf(expected)),
                    half(snippet.vgpr(reg)[lane] >> shift))
              << "v" << reg;
        };
        check(part ? x - y : y - x, 10);
        check(half(a >> (16 - shift)) * y, 11);
        check(x * y + z, 12);
        check(std::min(x, y), 13);
        check(std::max({x, y, z}), 14);
        check(x + 1, 15);
        check(std::min(std::max(x * y, 0.0), 1.0), 16);
      }
  }
}

TEST(Packed, Singles) {
  Snippet snippet("gfx942",
                  "v_pk_fma_f32 v[10:11], v[0:1], v[2:3], v[4:5]\n"
                  "v_pk_mul_f32 v[12:13], v[0:1], v[2:3] op_sel:[1,0] "
                  "op_sel_hi:[0,1]\n"
                  "v_pk_add_f32 v[14:15], v[0:1], s[4:5] neg_lo:[0,1] "
                  "neg_hi:[1,0]\n"
                  "v_pk_mov_b32 v[16:17], v[0:1], v[2:3] op_sel:[1,0]\n"
                  "v_pk_mul_f32 v[18:19], v[0:1], 2.0 op_sel_hi:[1,0]\n"
                  "v_pk_fma_f32 v[0:1], v[0:1], v[2:3], v[4:5]");
  Sequence random(3);
  float in[6][64];
  for (int lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < 6; ++r) {
      in[r][lane] = float(int(random.next())) / 65536;
      snippet.vgpr(r)[lane] = bitsOfFloat(in[r][lane]);
    }
  snippet.wave().sgpr[4] = bitsOfFloat(0.5f);
  snippet.wave().sgpr[5] = bitsOfFloat(0.25f);
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    auto got = [&](unsigned reg) {
      return floatOfBits(snippet.vgpr(reg)[lane]);
    };
    for (unsigned part = 0; part < 2; ++part) {
      const float fused =
          std::fma(in[part][lane], in[2 + part][lane], in[4 + part][lane]);
      EXPECT_EQ(fused, got(10 + part));
      EXPECT_EQ(fused, got(part));
      EXPECT_EQ(in[1 - part][lane] * in[2 + part][lane], got(12 + part));
      EXPECT_EQ(in[part][lane] * 2, got(18 + part));
    }
    EXPECT_EQ(in[0][lane] - 0.5f, got(14));
    EXPECT_EQ(-in[1][lane] + 0.25f, got(15));
    EXPECT_EQ(in[1][lane], got(16));
    EXPECT_EQ(in[2][lane], got(17));
  }
}

TEST(Packed, MixedPrecision) {
  Snippet snippet("gfx942",
                  "v_fma_mix_f32 v10, v0, v1, v2 op_sel:[1,0,0] "
                  "op_sel_hi:[1,0,0]\n"
                  "v_fma_mixlo_f16 v11, -v1, |v0|, v2 op_sel_hi:[0,1,0]\n"
                  "v_fma_mixhi_f16 v12, v0, v0, v0 op_sel:[0,1,0] "
                  "op_sel_hi:[1,1,1]");
  Sequence random(4);
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = someHalf(random) | someHalf(random) << 16;
    for (unsigned r : {1u, 2u})
      snippet.vgpr(r)[lane] =
          bitsOfFloat(float(int(random.next() % 2000) - 1000) / 32);
    snippet.vgpr(11)[lane] = snippet.vgpr(12)[lane] = 0xABCDABCD;
  }
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    const double low = half(snippet.vgpr(0)[lane]),
                 high = half(snippet.vgpr(0)[lane] >> 16);
    const double b = floatOfBits(snippet.vgpr(1)[lane]),
                 c = floatOfBits(snippet.vgpr(2)[lane]);
    EXPECT_EQ(float(high * b + c), floatOfBits(snippet.vgpr(10)[lane]));
    EXPECT_EQ(0xABCD0000 | toHalf(-b * std::fabs(low) + c),
              snippet.vgpr(11)[lane]);
    EXPECT_EQ(0xABCDu | toHalf(low * high + low) << 16, snippet.vgpr(12)[lane]);
  }
}

TEST(Packed, DotProducts) {
  Snippet snippet("gfx950", "v_dot2_f32_f16 v10, v0, v1, v2\n"
                            "v_dot2_f32_bf16 v11, v3, v4, v2\n"
                            "v_dot4_i32_i8 v12, v5, v6, v7\n"
                            "v_dot4_u32_u8 v13, v5, v6, v7\n"
                            "v_dot8_i32_i4 v14, v5, v6, v7\n"
                            "v_dot8_u32_u4 v15, v5, v6, v7\n"
                            "v_dot2_i32_i16 v16, v5, v6, v7\n"
                            "v_dot4_i32_i8 v17, v5, v6, v8 clamp\n"
                            "v_mov_b32 v18, v7\n"
                            "v_dot4c_i32_i8 v18, v5, v6\n"
                            "v_mov_b32 v19, v2\n"
                            "v_dot2c_f32_bf16 v19, v3, v4");
  Sequence random(5);
  for (int lane = 0; lane < 64; ++lane) {
    for (unsigned r : {0u, 1u})
      snippet.vgpr(r)[lane] = someHalf(random) | someHalf(random) << 16;
    for (unsigned r : {3u, 4u}) {
      auto some = [&] {
        return bitsOfFloat(float(int(random.next() % 200) - 100)) >> 16;
      };
      snippet.vgpr(r)[lane] = some() | some() << 16;
    }
    snippet.vgpr(2)[lane] = bitsOfFloat(float(int(random.next() % 999)));
    for (unsigned r : {5u, 6u, 7u})
      snippet.vgpr(r)[lane] = random.next();
    snippet.vgpr(8)[lane] = lane % 2 ? 0x7FFFFFFF : 0x80000000;
  }
  snippet.run();
  auto bf16 = [](uint32_t code) { return double(floatOfBits(code << 16)); };
  for (int lane = 0; lane < 64; ++lane) {
    auto in = [&](unsigned reg) { return snippet.vgpr(reg)[lane]; };
    EXPECT_EQ(half(in(0)) * half(in(1)) +
                  half(in(0) >> 16) * half(in(1) >> 16) + floatOfBits(in(2)),
              floatOfBits(in(10)));
    const double bf = bf16(in(3) & 0xFFFF) * bf16(in(4) & 0xFFFF) +
                      bf16(in(3) >> 16) * bf16(in(4) >> 16) +
                      floatOfBits(in(2));
    EXPECT_EQ(bf, floatOfBits(in(11)));
    EXPECT_EQ(bf, floatOfBits(in(19)));
    auto sum = [&](int bits, bool isSigned) {
      int64_t total = 0;
      for (int i = 0; i < 32; i += bits) {
        auto element = [&](uint32_t word) {
          const uint32_t up = word << (32 - bits - i);
          return isSigned ? int64_t(int32_t(up) >> (32 - bits))
                          : int64_t(up >> (32 - bits));
        };
        total += element(in(5)) * element(in(6));
      }
      return total;
    };
    EXPECT_EQ(uint32_t(sum(8, true)) + in(7), in(12));
    EXPECT_EQ(uint32_t(sum(8, false)) + in(7), in(13));
    EXPECT_EQ(uint32_t(sum(4, true)) + in(7), in(14));
    EXPECT_EQ(uint32_t(sum(4, false)) + in(7), in(15));
    EXPECT_EQ(uint32_t(sum(16, true)) + in(7), in(16));
    EXPECT_EQ(in(12), in(18));
    const int64_t wide = sum(8, true) + int32_t(in(8));
    EXPECT_EQ(uint32_t(std::min<int64_t>(std::max<int64_t>(wide, INT32_MIN),
                                         INT32_MAX)),
              in(17));
  }
}
