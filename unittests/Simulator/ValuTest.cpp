//===- ValuTest.cpp - Integer, lane mask and cross-lane instructions ------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Snippet.h"

#include <functional>

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

/// Numbers at which integer arithmetic tends to go wrong.
uint32_t awkward(Sequence &random) {
  static const uint32_t values[] = {
      0,          1,          2,      31,       32,       0x7F,
      0x80,       0xFF,       0x7FFF, 0x8000,   0xFFFF,   0x10000,
      0x7FFFFFFF, 0x80000000, ~0u,    0x800000, 0xFFFFFF, ~1u};
  return random.next() % 3 ? random.next() : values[random.next() % 18];
}

using Reference = std::function<uint32_t(uint32_t, uint32_t, uint32_t)>;

/// v1 = mnemonic v2, v3(, v4), over awkward and random numbers, with all lanes
/// and with some, with register and scalar operands.
void checkAll(const char *chip, const std::string &mnemonic, int arity,
              const Reference &reference, const std::string &suffix = "") {
  const std::string vectors[] = {"v2", "v2, v3", "v2, v3, v4"};
  Snippet snippet(chip, mnemonic + " v1, " + vectors[arity - 1] + suffix);
  Sequence random(mnemonic.size() * 77 + mnemonic.back());
  for (int round = 0; round < 40; ++round) {
    for (int lane = 0; lane < 64; ++lane) {
      for (unsigned r : {2u, 3u, 4u})
        snippet.vgpr(r)[lane] = awkward(random);
      snippet.vgpr(1)[lane] = 0xDEADBEEF;
    }
    const uint64_t exec = round % 2 ? random.next64() : ~uint64_t(0);
    snippet.wave().setExec(exec);
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t a = snippet.vgpr(2)[lane], b = snippet.vgpr(3)[lane],
                     c = snippet.vgpr(4)[lane];
      ASSERT_EQ(exec >> lane & 1 ? reference(a, b, c) : 0xDEADBEEF,
                snippet.vgpr(1)[lane])
          << mnemonic << suffix << std::hex << " " << a << " " << b << " " << c;
    }
  }
}

int32_t s24(uint32_t x) { return int32_t(x << 8) >> 8; }
uint32_t u24(uint32_t x) { return x & 0xFFFFFF; }

template <class T> T limited(int64_t value) {
  return T(
      std::min<int64_t>(std::max<int64_t>(value, std::numeric_limits<T>::min()),
                        std::numeric_limits<T>::max()));
}

} // namespace

TEST(Valu, OneSource) {
  const char *chip = "gfx950";
  checkAll(chip, "v_mov_b32", 1, [](auto a, auto, auto) { return a; });
  checkAll(chip, "v_not_b32", 1, [](auto a, auto, auto) { return ~a; });
  checkAll(chip, "v_bfrev_b32", 1, [](auto a, auto, auto) {
    uint32_t r = 0;
    for (int i = 0; i < 32; ++i)
      r |= (a >> i & 1) << (31 - i);
    return r;
  });
  checkAll(chip, "v_ffbh_u32", 1, [](auto a, auto, auto) {
    return a ? uint32_t(__builtin_clz(a)) : ~0u;
  });
  checkAll(chip, "v_ffbl_b32", 1, [](auto a, auto, auto) {
    return a ? uint32_t(__builtin_ctz(a)) : ~0u;
  });
  checkAll(chip, "v_ffbh_i32", 1, [](auto a, auto, auto) {
    for (int i = 1; i < 32; ++i)
      if ((a >> (31 - i) & 1) != a >> 31)
        return uint32_t(i);
    return ~0u;
  });
  checkAll(chip, "v_prng_b32", 1, [](auto a, auto, auto) {
    return (a << 1) ^ (a >> 31 ? 0xC5u : 0u);
  });
}

TEST(Valu, TwoSources) {
  const char *chip = "gfx942";
  checkAll(chip, "v_add_u32", 2, [](auto a, auto b, auto) { return a + b; });
  checkAll(chip, "v_sub_u32", 2, [](auto a, auto b, auto) { return a - b; });
  checkAll(chip, "v_subrev_u32", 2, [](auto a, auto b, auto) { return b - a; });
  checkAll(chip, "v_mul_lo_u32", 2, [](auto a, auto b, auto) { return a * b; });
  checkAll(chip, "v_mul_hi_u32", 2, [](auto a, auto b, auto) {
    return uint32_t(uint64_t(a) * b >> 32);
  });
  checkAll(chip, "v_mul_hi_i32", 2, [](auto a, auto b, auto) {
    return uint32_t(int64_t(int32_t(a)) * int32_t(b) >> 32);
  });
  checkAll(chip, "v_mul_i32_i24", 2, [](auto a, auto b, auto) {
    return uint32_t(int64_t(s24(a)) * s24(b));
  });
  checkAll(chip, "v_mul_hi_i32_i24", 2, [](auto a, auto b, auto) {
    return uint32_t(int64_t(s24(a)) * s24(b) >> 32);
  });
  checkAll(chip, "v_mul_u32_u24", 2,
           [](auto a, auto b, auto) { return u24(a) * u24(b); });
  checkAll(chip, "v_mul_hi_u32_u24", 2, [](auto a, auto b, auto) {
    return uint32_t(uint64_t(u24(a)) * u24(b) >> 32);
  });
  checkAll(chip, "v_min_i32", 2, [](auto a, auto b, auto) {
    return uint32_t(std::min(int32_t(a), int32_t(b)));
  });
  checkAll(chip, "v_max_u32", 2,
           [](auto a, auto b, auto) { return std::max(a, b); });
  checkAll(chip, "v_lshlrev_b32", 2,
           [](auto a, auto b, auto) { return b << (a & 31); });
  checkAll(chip, "v_lshrrev_b32", 2,
           [](auto a, auto b, auto) { return b >> (a & 31); });
  checkAll(chip, "v_ashrrev_i32", 2, [](auto a, auto b, auto) {
    return uint32_t(int32_t(b) >> (a & 31));
  });
  checkAll(chip, "v_xnor_b32", 2,
           [](auto a, auto b, auto) { return ~(a ^ b); });
  checkAll(chip, "v_bcnt_u32_b32", 2, [](auto a, auto b, auto) {
    return b + uint32_t(__builtin_popcount(a));
  });
  checkAll(chip, "v_bfm_b32", 2, [](auto a, auto b, auto) {
    return ((1u << (a & 31)) - 1) << (b & 31);
  });
}

TEST(Valu, SixteenBitResultsClearOrKeepTheHighHalf) {
  const char *chip = "gfx942";
  checkAll(chip, "v_add_u16", 2,
           [](auto a, auto b, auto) { return (a + b) & 0xFFFF; });
  checkAll(chip, "v_mul_lo_u16", 2,
           [](auto a, auto b, auto) { return (a * b) & 0xFFFF; });
  checkAll(chip, "v_ashrrev_i16", 2, [](auto a, auto b, auto) {
    return uint32_t(int16_t(b) >> (a & 15)) & 0xFFFF;
  });
  // Came with GFX9 and keep the other half; op_sel picks halves.
  checkAll(chip, "v_mad_u16", 3, [](auto a, auto b, auto c) {
    return 0xDEAD0000 | ((a * b + c) & 0xFFFF);
  });
  checkAll(
      chip, "v_mad_u16", 3,
      [](auto a, auto b, auto c) {
        return 0xBEEF | ((a >> 16) * b + (c >> 16)) << 16;
      },
      " op_sel:[1,0,1,1]");
  checkAll(chip, "v_mad_u32_u16", 3, [](auto a, auto b, auto c) {
    return (a & 0xFFFF) * (b & 0xFFFF) + c;
  });
  checkAll(
      chip, "v_mad_i32_i16", 3,
      [](auto a, auto b, auto c) {
        return uint32_t(int16_t(a >> 16)) * uint32_t(int16_t(b)) + c;
      },
      " op_sel:[1,0,0,0]");
}

TEST(Valu, ThreeSources) {
  const char *chip = "gfx942";
  checkAll(chip, "v_mad_i32_i24", 3, [](auto a, auto b, auto c) {
    return uint32_t(int64_t(s24(a)) * s24(b)) + c;
  });
  checkAll(chip, "v_mad_u32_u24", 3,
           [](auto a, auto b, auto c) { return u24(a) * u24(b) + c; });
  checkAll(chip, "v_bfe_u32", 3, [](auto a, auto b, auto c) {
    return (a >> (b & 31)) & ((1u << (c & 31)) - 1);
  });
  checkAll(chip, "v_bfe_i32", 3, [](auto a, auto b, auto c) {
    const uint32_t width = c & 31;
    if (!width)
      return 0u;
    uint32_t field = uint32_t(int32_t(a) >> (b & 31)) & ((1u << width) - 1);
    return field >> (width - 1) & 1 ? field | ~((1u << width) - 1) : field;
  });
  checkAll(chip, "v_bfi_b32", 3,
           [](auto a, auto b, auto c) { return (a & b) | (~a & c); });
  checkAll(chip, "v_alignbit_b32", 3, [](auto a, auto b, auto c) {
    return uint32_t((uint64_t(a) << 32 | b) >> (c & 31));
  });
  checkAll(chip, "v_alignbyte_b32", 3, [](auto a, auto b, auto c) {
    return uint32_t((uint64_t(a) << 32 | b) >> (8 * (c & 3)));
  });
  checkAll(chip, "v_lshl_add_u32", 3,
           [](auto a, auto b, auto c) { return (a << (b & 31)) + c; });
  checkAll(chip, "v_add_lshl_u32", 3,
           [](auto a, auto b, auto c) { return (a + b) << (c & 31); });
  checkAll(chip, "v_lshl_or_b32", 3,
           [](auto a, auto b, auto c) { return a << (b & 31) | c; });
  checkAll(chip, "v_add3_u32", 3,
           [](auto a, auto b, auto c) { return a + b + c; });
  checkAll(chip, "v_and_or_b32", 3,
           [](auto a, auto b, auto c) { return (a & b) | c; });
  checkAll(chip, "v_or3_b32", 3,
           [](auto a, auto b, auto c) { return a | b | c; });
  checkAll(chip, "v_xad_u32", 3,
           [](auto a, auto b, auto c) { return (a ^ b) + c; });
  checkAll(chip, "v_min3_i32", 3, [](auto a, auto b, auto c) {
    return uint32_t(std::min({int32_t(a), int32_t(b), int32_t(c)}));
  });
  checkAll(chip, "v_med3_u32", 3, [](auto a, auto b, auto c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  });
  checkAll(chip, "v_med3_i16", 3, [](auto x, auto y, auto z) {
    int16_t a = int16_t(x), b = int16_t(y), c = int16_t(z);
    return 0xDEAD0000 |
           uint16_t(std::max(std::min(a, b), std::min(std::max(a, b), c)));
  });
  checkAll(chip, "v_sad_u8", 3, [](auto a, auto b, auto c) {
    for (int i = 0; i < 32; i += 8)
      c += uint32_t(std::abs(int(a >> i & 255) - int(b >> i & 255)));
    return c;
  });
  checkAll(chip, "v_lerp_u8", 3, [](auto a, auto b, auto c) {
    uint32_t r = 0;
    for (int i = 0; i < 32; i += 8)
      r |= ((a >> i & 255) + (b >> i & 255) + (c >> i & 1)) >> 1 << i;
    return r;
  });
}

// The manual's statement byte by byte; every selector 0 to 15 and larger.
TEST(Valu, Perm) {
  auto reference = [](uint32_t a, uint32_t b, uint32_t c) {
    const uint64_t data = uint64_t(a) << 32 | b;
    uint32_t result = 0;
    for (int i = 0; i < 4; ++i) {
      const uint32_t select = c >> (8 * i) & 255;
      uint32_t byte = 0xFF;
      if (select < 8)
        byte = data >> (8 * select) & 255;
      else if (select < 12)
        byte = data >> (16 * (select - 8) + 15) & 1 ? 255 : 0;
      else if (select == 12)
        byte = 0;
      result |= byte << (8 * i);
    }
    return result;
  };
  checkAll("gfx942", "v_perm_b32", 3, reference);
  Snippet snippet("gfx942", "v_perm_b32 v1, v2, v3, v4\n"
                            "v_perm_b32 v5, v2, v3, s0");
  Sequence random(5);
  for (uint32_t select = 0; select < 16; ++select)
    for (uint32_t other = 0; other < 16; ++other) {
      const uint32_t selector =
          select | other << 8 | (15 - select) << 16 | (select ^ other) << 24;
      snippet.wave().sgpr[0] = selector;
      for (int lane = 0; lane < 64; ++lane) {
        snippet.vgpr(2)[lane] = random.next();
        snippet.vgpr(3)[lane] = random.next();
        snippet.vgpr(4)[lane] = selector;
      }
      snippet.run();
      for (int lane = 0; lane < 64; ++lane) {
        const uint32_t expected =
            reference(snippet.vgpr(2)[lane], snippet.vgpr(3)[lane], selector);
        ASSERT_EQ(expected, snippet.vgpr(1)[lane]) << std::hex << selector;
        ASSERT_EQ(expected, snippet.vgpr(5)[lane]) << std::hex << selector;
      }
    }
}

TEST(Valu, Bitop3) {
  for (uint32_t table : {0x00u, 0x27u, 0x80u, 0x96u, 0xCAu, 0xFEu, 0xFFu})
    checkAll(
        "gfx950", "v_bitop3_b32", 3,
        [=](uint32_t a, uint32_t b, uint32_t c) {
          uint32_t result = 0;
          for (int i = 0; i < 32; ++i)
            result |=
                (table >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) &
                 1)
                << i;
          return result;
        },
        " bitop3:" + std::to_string(table));
}

TEST(Valu, IntegerClampSaturates) {
  const char *chip = "gfx942";
  checkAll(
      chip, "v_add_u32", 2,
      [](auto a, auto b, auto) { return limited<uint32_t>(int64_t(a) + b); },
      " clamp");
  checkAll(
      chip, "v_sub_u32", 2,
      [](auto a, auto b, auto) { return limited<uint32_t>(int64_t(a) - b); },
      " clamp");
  checkAll(
      chip, "v_add_i32", 2,
      [](auto a, auto b, auto) {
        return uint32_t(limited<int32_t>(int64_t(int32_t(a)) + int32_t(b)));
      },
      " clamp");
  checkAll(
      chip, "v_add_u16", 2,
      [](auto a, auto b, auto) {
        return limited<uint16_t>(int64_t(a & 0xFFFF) + (b & 0xFFFF));
      },
      " clamp");
  checkAll(
      chip, "v_mad_u32_u24", 3,
      [](auto a, auto b, auto c) {
        return limited<uint32_t>(int64_t(u24(a)) * u24(b) + c);
      },
      " clamp");
}

TEST(Valu, SixtyFourBits) {
  Snippet snippet("gfx942", "v_lshlrev_b64 v[10:11], v0, v[2:3]\n"
                            "v_lshrrev_b64 v[12:13], v0, v[2:3]\n"
                            "v_ashrrev_i64 v[14:15], v0, v[2:3]\n"
                            "v_lshl_add_u64 v[16:17], v[2:3], v1, v[4:5]\n"
                            "v_mad_u64_u32 v[18:19], s[10:11], v2, v4, v[6:7]\n"
                            "v_mad_i64_i32 v[20:21], s[12:13], v2, v4, v[6:7]\n"
                            "v_mov_b64 v[22:23], v[2:3]\n"
                            "v_lshl_add_u64 v[2:3], v[2:3], 0, -1\n"
                            "v_mov_b64 v[24:25], 1.0");
  Sequence random(13);
  for (int round = 0; round < 40; ++round) {
    uint64_t a[64], b[64], c[64];
    for (int lane = 0; lane < 64; ++lane) {
      for (unsigned r = 0; r < 8; ++r)
        snippet.vgpr(r)[lane] = awkward(random);
      snippet.vgpr(1)[lane] = random.next() % 5;
      a[lane] = snippet.get64(2, lane);
      b[lane] = snippet.get64(4, lane);
      c[lane] = snippet.get64(6, lane);
    }
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t shift = snippet.vgpr(0)[lane] & 63;
      EXPECT_EQ(a[lane] << shift, snippet.get64(10, lane));
      EXPECT_EQ(a[lane] >> shift, snippet.get64(12, lane));
      EXPECT_EQ(uint64_t(int64_t(a[lane]) >> shift), snippet.get64(14, lane));
      EXPECT_EQ((a[lane] << snippet.vgpr(1)[lane]) + b[lane],
                snippet.get64(16, lane));
      const __int128 wide =
          __int128(uint64_t(uint32_t(a[lane])) * uint32_t(b[lane])) + c[lane];
      EXPECT_EQ(uint64_t(wide), snippet.get64(18, lane));
      EXPECT_EQ(uint64_t(wide >> 64) & 1,
                snippet.wave().readSgpr64(10) >> lane & 1);
      const __int128 wideSigned =
          __int128(int64_t(int32_t(a[lane])) * int32_t(b[lane])) +
          int64_t(c[lane]);
      EXPECT_EQ(uint64_t(wideSigned), snippet.get64(20, lane));
      EXPECT_EQ(uint64_t(wideSigned >> 64) & 1,
                snippet.wave().readSgpr64(12) >> lane & 1);
      EXPECT_EQ(a[lane], snippet.get64(22, lane));
      EXPECT_EQ(a[lane] - 1, snippet.get64(2, lane));
      EXPECT_EQ(bitCast<uint64_t>(1.0), snippet.get64(24, lane));
    }
  }
}

// 96-bit sums and differences by carry chains; inactive lanes leave their
// results alone and clear their carry.
TEST(Valu, CarryChains) {
  Snippet snippet("gfx942", "v_add_co_u32 v10, vcc, v0, v3\n"
                            "v_addc_co_u32 v11, vcc, v1, v4, vcc\n"
                            "v_addc_co_u32 v12, s[6:7], v2, v5, vcc\n"
                            "v_sub_co_u32 v13, vcc, v0, v3\n"
                            "v_subb_co_u32 v14, vcc, v1, v4, vcc\n"
                            "v_subb_co_u32 v15, s[8:9], v2, v5, vcc\n"
                            "v_subrev_co_u32 v16, vcc, v0, v3\n"
                            "v_subbrev_co_u32 v17, vcc, v1, v4, vcc");
  Sequence random(17);
  for (int round = 0; round < 100; ++round) {
    for (int lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 6; ++r)
        snippet.vgpr(r)[lane] = awkward(random);
    const uint64_t exec = round ? random.next64() : ~uint64_t(0);
    snippet.wave().setExec(exec);
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      using Wide = unsigned __int128;
      auto wide = [&](unsigned first) {
        return Wide(snippet.vgpr(first + 2)[lane]) << 64 |
               Wide(snippet.vgpr(first + 1)[lane]) << 32 |
               snippet.vgpr(first)[lane];
      };
      const Wide mask = (Wide(1) << 96) - 1;
      const Wide sum = wide(0) + wide(3), difference = wide(0) - wide(3);
      const uint64_t carry = snippet.wave().readSgpr64(6) >> lane & 1;
      const uint64_t borrow = snippet.wave().readSgpr64(8) >> lane & 1;
      if (!(exec >> lane & 1)) {
        EXPECT_EQ(0u, carry | borrow);
        continue;
      }
      EXPECT_TRUE((sum & mask) == wide(10));
      EXPECT_EQ(uint64_t(sum >> 96), carry);
      EXPECT_TRUE((difference & mask) == wide(13));
      EXPECT_EQ(wide(0) < wide(3), borrow);
      EXPECT_EQ(uint64_t(wide(3) - wide(0)), uint64_t(snippet.vgpr(17)[lane])
                                                     << 32 |
                                                 snippet.vgpr(16)[lane]);
    }
  }
}

TEST(Valu, ConditionalMask) {
  Snippet snippet("gfx942", "v_cndmask_b32 v1, v2, v3, vcc\n"
                            "v_cndmask_b32 v4, -v2, |v3|, s[4:5]");
  Sequence random(19);
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(2)[lane] = random.next();
    snippet.vgpr(3)[lane] = random.next();
  }
  const uint64_t vcc = random.next64(), mask = random.next64();
  snippet.wave().writeSgpr64(kVccLo, vcc);
  snippet.wave().writeSgpr64(4, mask);
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    const uint32_t a = snippet.vgpr(2)[lane], b = snippet.vgpr(3)[lane];
    EXPECT_EQ(vcc >> lane & 1 ? b : a, snippet.vgpr(1)[lane]);
    EXPECT_EQ(mask >> lane & 1 ? b & 0x7FFFFFFF : a ^ 0x80000000,
              snippet.vgpr(4)[lane]);
  }
}

TEST(Valu, IntegerComparisons) {
  Snippet snippet("gfx942", "v_cmp_lt_i32 s[10:11], v0, v1\n"
                            "v_cmp_le_u32 s[12:13], v0, v1\n"
                            "v_cmp_ne_i16 s[14:15], v0, v1\n"
                            "v_cmp_gt_u16 s[16:17], v0, v1\n"
                            "v_cmp_ge_i64 s[18:19], v[0:1], v[2:3]\n"
                            "v_cmp_lt_u64 s[20:21], v[0:1], v[2:3]\n"
                            "v_cmp_t_i32 s[22:23], v0, v1\n"
                            "v_cmp_f_u32 s[24:25], v0, v1\n"
                            "v_cmp_eq_u32_e32 vcc, 7, v0\n"
                            "v_cmpx_lt_u32_e64 s[26:27], v0, v1");
  Sequence random(23);
  for (int round = 0; round < 50; ++round) {
    for (int lane = 0; lane < 64; ++lane)
      for (unsigned r = 0; r < 4; ++r)
        snippet.vgpr(r)[lane] =
            random.next() % 2 ? awkward(random) : 5 + random.next() % 3;
    const uint64_t exec = random.next64();
    snippet.wave().setExec(exec);
    snippet.run();
    for (int lane = 0; lane < 64; ++lane) {
      const uint32_t a = snippet.vgpr(0)[lane], b = snippet.vgpr(1)[lane];
      const uint64_t x = snippet.get64(0, lane), y = snippet.get64(2, lane);
      auto got = [&](unsigned sgpr) {
        return bool(snippet.wave().readSgpr64(sgpr) >> lane & 1);
      };
      const bool on = exec >> lane & 1;
      EXPECT_EQ(on && int32_t(a) < int32_t(b), got(10));
      EXPECT_EQ(on && a <= b, got(12));
      EXPECT_EQ(on && uint16_t(a) != uint16_t(b), got(14));
      EXPECT_EQ(on && uint16_t(a) > uint16_t(b), got(16));
      EXPECT_EQ(on && int64_t(x) >= int64_t(y), got(18));
      EXPECT_EQ(on && x < y, got(20));
      EXPECT_EQ(on, got(22));
      EXPECT_FALSE(got(24));
      EXPECT_EQ(on && a == 7, got(kVccLo));
      EXPECT_EQ(on && a < b, got(26));
      EXPECT_EQ(on && a < b, bool(snippet.wave().exec() >> lane & 1));
      EXPECT_EQ(on && a < b, snippet.wave().active(lane));
    }
  }
}

TEST(Valu, LanesAndCounts) {
  Snippet snippet("gfx942", "v_readfirstlane_b32 s10, v0\n"
                            "v_readlane_b32 s11, v0, s4\n"
                            "v_readlane_b32 s12, v0, 63\n"
                            "v_writelane_b32 v1, s4, 17\n"
                            "v_mbcnt_lo_u32_b32 v2, s6, 0\n"
                            "v_mbcnt_hi_u32_b32 v2, s7, v2");
  for (int lane = 0; lane < 64; ++lane)
    snippet.vgpr(0)[lane] = uint32_t(1000 + lane);
  snippet.wave().sgpr[4] = 64 + 9;
  snippet.wave().writeSgpr64(6, 0xF0F0F0F011223344);
  snippet.run();
  EXPECT_EQ(1000u, snippet.wave().sgpr[10]);
  EXPECT_EQ(1009u, snippet.wave().sgpr[11]);
  EXPECT_EQ(1063u, snippet.wave().sgpr[12]);
  for (int lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(lane == 17 ? 73u : 0u, snippet.vgpr(1)[lane]);
    EXPECT_EQ(uint32_t(__builtin_popcountll(0xF0F0F0F011223344 &
                                            ((uint64_t(1) << lane) - 1))),
              snippet.vgpr(2)[lane]);
  }
  snippet.wave().setExec(uint64_t(1) << 40 | uint64_t(1) << 50);
  snippet.run();
  EXPECT_EQ(1040u, snippet.wave().sgpr[10]);
  snippet.wave().setExec(0);
  snippet.run();
  EXPECT_EQ(1000u, snippet.wave().sgpr[10]);
}

TEST(Valu, Swaps) {
  Snippet snippet("gfx950", "v_swap_b32 v0, v1\n"
                            "v_permlane16_swap_b32 v2, v3\n"
                            "v_permlane32_swap_b32 v4, v5");
  for (int lane = 0; lane < 64; ++lane)
    for (unsigned r = 0; r < 6; ++r)
      snippet.vgpr(r)[lane] = r * 100 + uint32_t(lane);
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    const uint32_t n = uint32_t(lane);
    EXPECT_EQ(100 + n, snippet.vgpr(0)[lane]);
    EXPECT_EQ(n, snippet.vgpr(1)[lane]);
    // Odd rows of the first, even rows of the second change places.
    EXPECT_EQ(lane & 16 ? 300 + n - 16 : 200 + n, snippet.vgpr(2)[lane]);
    EXPECT_EQ(lane & 16 ? 300 + n : 200 + n + 16, snippet.vgpr(3)[lane]);
    EXPECT_EQ(lane & 32 ? 500 + n - 32 : 400 + n, snippet.vgpr(4)[lane]);
    EXPECT_EQ(lane & 32 ? 500 + n : 400 + n + 32, snippet.vgpr(5)[lane]);
  }
}
