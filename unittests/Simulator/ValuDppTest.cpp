//===- ValuDppTest.cpp - Data parallel primitives and sub-dwords ----------===//
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

constexpr uint32_t kOld = 0xCAFE0000;
constexpr int kNone = -1;

/// v1 = v_mov_b32_dpp v0 with `controls`. `source` gives each lane's source
/// lane; `disabled` the lanes that row and bank masks leave out.
void checkMove(
    const std::string &controls, const std::function<int(int)> &source,
    bool boundControl,
    const std::function<bool(int)> &enabled = [](int) { return true; },
    uint64_t exec = ~uint64_t(0)) {
  Snippet snippet("gfx942", "v_mov_b32_dpp v1, v0 " + controls +
                                (boundControl ? " bound_ctrl:0" : ""));
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = 100 + uint32_t(lane);
    snippet.vgpr(1)[lane] = kOld;
  }
  snippet.wave().setExec(exec);
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    const int from = source(lane);
    const bool valid = from != kNone && (exec >> from & 1);
    uint32_t expected = valid ? 100 + uint32_t(from) : boundControl ? 0 : kOld;
    if (!enabled(lane) || !(exec >> lane & 1))
      expected = kOld;
    EXPECT_EQ(expected, snippet.vgpr(1)[lane])
        << controls << " lane " << lane << " bound_ctrl " << boundControl;
  }
}

} // namespace

TEST(Dpp, Patterns) {
  const std::string all = " row_mask:0xf bank_mask:0xf";
  for (bool bound : {false, true}) {
    checkMove(
        "quad_perm:[3,1,0,2]" + all,
        [](int lane) {
          const int perm[] = {3, 1, 0, 2};
          return lane / 4 * 4 + perm[lane % 4];
        },
        bound);
    for (int n : {1, 4, 15}) {
      const std::string amount = std::to_string(n);
      checkMove(
          "row_shl:" + amount + all,
          [n](int lane) { return lane % 16 + n < 16 ? lane + n : kNone; },
          bound);
      checkMove(
          "row_shr:" + amount + all,
          [n](int lane) { return lane % 16 >= n ? lane - n : kNone; }, bound);
      checkMove(
          "row_ror:" + amount + all,
          [n](int lane) { return lane / 16 * 16 + (lane % 16 + 16 - n) % 16; },
          bound);
      checkMove(
          "row_newbcast:" + amount + all,
          [n](int lane) { return lane / 16 * 16 + n; }, bound);
    }
    checkMove(
        "wave_shl:1" + all,
        [](int lane) { return lane < 63 ? lane + 1 : kNone; }, bound);
    checkMove(
        "wave_shr:1" + all,
        [](int lane) { return lane > 0 ? lane - 1 : kNone; }, bound);
    checkMove(
        "wave_rol:1" + all, [](int lane) { return (lane + 1) % 64; }, bound);
    checkMove(
        "wave_ror:1" + all, [](int lane) { return (lane + 63) % 64; }, bound);
    checkMove(
        "row_mirror" + all,
        [](int lane) { return lane / 16 * 16 + 15 - lane % 16; }, bound);
    checkMove(
        "row_half_mirror" + all,
        [](int lane) { return lane / 8 * 8 + 7 - lane % 8; }, bound);
    checkMove(
        "row_bcast:15" + all,
        [](int lane) { return lane < 16 ? kNone : lane / 16 * 16 - 1; }, bound);
    checkMove(
        "row_bcast:31" + all, [](int lane) { return lane < 32 ? kNone : 31; },
        bound);
  }
}

TEST(Dpp, MasksAndInactiveSources) {
  auto mirror = [](int lane) { return lane / 16 * 16 + 15 - lane % 16; };
  checkMove("row_mirror row_mask:0xa bank_mask:0xf", mirror, true,
            [](int lane) { return lane / 16 % 2 == 1; });
  checkMove("row_mirror row_mask:0xf bank_mask:0x6", mirror, false,
            [](int lane) { return lane % 16 / 4 == 1 || lane % 16 / 4 == 2; });
  for (bool bound : {false, true})
    checkMove(
        "row_mirror row_mask:0xf bank_mask:0xf", mirror, bound,
        [](int) { return true; }, 0x123456789ABCDEF0);
}

TEST(Dpp, ArithmeticTakesModifiersAfterTheMove) {
  Snippet snippet("gfx942",
                  "v_add_f32_dpp v1, -v0, |v2| row_shr:1 row_mask:0xf "
                  "bank_mask:0xf bound_ctrl:0\n"
                  "v_add_co_u32_dpp v3, vcc, v4, v4 row_shl:1 row_mask:0xf "
                  "bank_mask:0xf bound_ctrl:0\n"
                  "v_mov_b64_dpp v[6:7], v[8:9] row_newbcast:3 row_mask:0xf "
                  "bank_mask:0xf\n"
                  "v_cmp_lt_u32_sdwa s[4:5], v10, v11 src0_sel:BYTE_1 "
                  "src1_sel:WORD_1");
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = bitsOfFloat(float(lane));
    snippet.vgpr(2)[lane] = bitsOfFloat(-0.5f);
    snippet.vgpr(4)[lane] = lane % 16 == 15 ? ~0u : 0x80000000u;
    snippet.set64(8, lane, uint64_t(lane) << 32 | 7);
    snippet.vgpr(10)[lane] = uint32_t(lane) << 8;
    snippet.vgpr(11)[lane] = 20u << 16;
  }
  snippet.run();
  for (int lane = 0; lane < 64; ++lane) {
    const float moved = lane % 16 ? float(lane - 1) : 0;
    EXPECT_EQ(bitsOfFloat(0.5f - moved), snippet.vgpr(1)[lane]);
    // The last lane of a row has 0 for its missing neighbour.
    const uint64_t sum = lane % 16 == 15   ? 0xFFFFFFFFull
                         : lane % 16 == 14 ? 0x17FFFFFFFull
                                           : 0x100000000ull;
    EXPECT_EQ(uint32_t(sum), snippet.vgpr(3)[lane]);
    EXPECT_EQ(sum >> 32, snippet.wave().vcc() >> lane & 1);
    EXPECT_EQ(uint64_t(lane / 16 * 16 + 3) << 32 | 7, snippet.get64(6, lane));
    EXPECT_EQ(lane < 20, bool(snippet.wave().readSgpr64(4) >> lane & 1));
  }
}

TEST(Sdwa, SourcesAndDestinations) {
  Snippet snippet(
      "gfx942",
      "v_add_u32_sdwa v1, v0, v0 dst_sel:DWORD src0_sel:BYTE_3 "
      "src1_sel:WORD_0\n"
      "v_mov_b32_sdwa v2, sext(v0) dst_sel:DWORD src0_sel:BYTE_1\n"
      "v_mov_b32_sdwa v3, v0 dst_sel:BYTE_2 dst_unused:UNUSED_PRESERVE "
      "src0_sel:BYTE_0\n"
      "v_mov_b32_sdwa v4, v0 dst_sel:WORD_1 dst_unused:UNUSED_PAD "
      "src0_sel:WORD_0\n"
      "v_mov_b32_sdwa v5, v0 dst_sel:WORD_0 dst_unused:UNUSED_SEXT "
      "src0_sel:WORD_0\n"
      "v_add_f16_sdwa v6, -v0, |v7| dst_sel:WORD_1 "
      "dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 src1_sel:WORD_1");
  for (int lane = 0; lane < 64; ++lane) {
    snippet.vgpr(0)[lane] = 0x3C0085A6; // 1.0 in the high half
    snippet.vgpr(3)[lane] = 0x11223344;
    snippet.vgpr(6)[lane] = 0x11223344;
    snippet.vgpr(7)[lane] = 0xC2000000; // -3.0 in the high half
  }
  snippet.run();
  EXPECT_EQ(0x3Cu + 0x85A6u, snippet.vgpr(1)[9]);
  EXPECT_EQ(0xFFFFFF85u, snippet.vgpr(2)[9]);
  EXPECT_EQ(0x11A63344u, snippet.vgpr(3)[9]);
  EXPECT_EQ(0x85A60000u, snippet.vgpr(4)[9]);
  EXPECT_EQ(0xFFFF85A6u, snippet.vgpr(5)[9]);
  EXPECT_EQ(0x40003344u, snippet.vgpr(6)[9]); // 3 - 1 = 2
}
