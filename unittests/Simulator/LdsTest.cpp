//===- LdsTest.cpp - LDS and cross-lane instructions ----------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include <gtest/gtest.h>

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

class Lds : public testing::Test {
protected:
  Lds() {
    for (uint32_t i = 0; i < 65536; ++i)
      runner.lds()[i] = uint8_t(i * 7 + i / 256);
  }
  void setVgpr(int index, auto value) {
    for (int lane = 0; lane < kLanes; ++lane)
      runner.wave().vgpr[index][lane] = uint32_t(value(lane));
  }
  template <typename T = uint32_t> T at(uint64_t offset) {
    T value;
    memcpy(&value, runner.lds() + offset, sizeof value);
    return value;
  }
  void run(const char *code) {
    runner.run(code);
    ASSERT_EQ(runner.error(), "") << code;
  }
  uint32_t v(int index, int lane) { return runner.wave().vgpr[index][lane]; }

  InstructionRunner runner{"gfx950"};
};

TEST_F(Lds, readsAndWrites) {
  setVgpr(0, [](int lane) { return lane * 16; });
  run("ds_read_b128 v[4:7], v0 offset:32\n"
      "ds_read_b96 v[8:10], v0\n"
      "ds_read_u8 v11, v0 offset:3\n"
      "ds_read_i8 v12, v0 offset:3\n"
      "ds_read_i16 v13, v0 offset:3\n"
      "ds_write_b64 v0, v[4:5] offset:8192\n"
      "ds_write_b8_d16_hi v0, v4 offset:8200");
  EXPECT_EQ(v(7, 9), at(9 * 16 + 32 + 12));
  EXPECT_EQ(v(10, 63), at(63 * 16 + 8));
  EXPECT_EQ(v(11, 5), at<uint8_t>(83));
  EXPECT_EQ(int32_t(v(12, 5)), at<int8_t>(83));
  EXPECT_EQ(int32_t(v(13, 5)), at<int16_t>(83));
  EXPECT_EQ(at(8192 + 16 * 3 + 4), at(3 * 16 + 32 + 4));
  EXPECT_EQ(at<uint8_t>(8200 + 48), v(4, 3) >> 16 & 0xFF);
}

TEST_F(Lds, pairs) {
  setVgpr(0, [](int lane) { return lane * 8; });
  run("ds_read2_b32 v[4:5], v0 offset0:1 offset1:3\n"
      "ds_read2st64_b64 v[6:9], v0 offset0:1 offset1:2\n"
      "ds_write2st64_b32 v0, v4, v5 offset0:64 offset1:65");
  EXPECT_EQ(v(4, 2), at(20));
  EXPECT_EQ(v(5, 2), at(28));
  EXPECT_EQ(v(7, 2), at(16 + 512 + 4));
  EXPECT_EQ(v(8, 2), at(16 + 1024));
  EXPECT_EQ(at(16 + 64 * 256), v(4, 2));
  EXPECT_EQ(at(16 + 65 * 256), v(5, 2));
  // The result may overwrite the address.
  run("ds_read2_b32 v[0:1], v0 offset1:1");
  EXPECT_EQ(v(0, 5), at(40));
  EXPECT_EQ(v(1, 5), at(44));
}

TEST_F(Lds, maskedLanes) {
  setVgpr(0, [](int lane) { return lane == 4 ? 64 : 0x7FFFFFFF; });
  setVgpr(4, [](int lane) { return lane; });
  runner.wave().setExec(0x10);
  run("ds_write_b32 v0, v4\nds_read_b32 v5, v0");
  EXPECT_EQ(at(64), 4u);
  EXPECT_EQ(v(5, 4), 4u);
  EXPECT_EQ(v(5, 3), 0u);
}

TEST_F(Lds, outOfBounds) {
  setVgpr(0, [](int lane) { return lane == 33 ? 65533 : 0; });
  runner.run("ds_read_b32 v1, v0");
  EXPECT_EQ(runner.error(),
            "reads 4 bytes at LDS address 65533, the workgroup has 65536 "
            "bytes");
  runner.run("ds_write_b8 v0, v1 offset:3");
  EXPECT_EQ(runner.error(),
            "writes 1 bytes at LDS address 65536, the workgroup has 65536 "
            "bytes");
}

TEST_F(Lds, negativeBaseWithOffsetWraps) {
  setVgpr(0, [](int) { return -16; });
  run("ds_read_b32 v1, v0 offset:20");
  EXPECT_EQ(v(1, 0), at(4));
}

TEST_F(Lds, permutes) {
  setVgpr(0, [](int lane) { return (lane ^ 5) * 4; });
  setVgpr(1, [](int lane) { return 100 + lane; });
  run("ds_bpermute_b32 v2, v0, v1\nds_permute_b32 v3, v0, v1");
  EXPECT_EQ(v(2, 8), 100u + 13);
  EXPECT_EQ(v(3, 8), 100u + 13);
  // Several senders: the highest lane wins; nobody sends: 0.
  setVgpr(0, [](int) { return 12; });
  run("ds_permute_b32 v3, v0, v1");
  EXPECT_EQ(v(3, 3), 163u);
  EXPECT_EQ(v(3, 4), 0u);
  // An inactive source gives 0.
  runner.wave().setExec(0xFFFFFFFFFFFFFFF7);
  run("ds_bpermute_b32 v2, v0, v1");
  EXPECT_EQ(v(2, 0), 0u);
}

TEST_F(Lds, swizzles) {
  setVgpr(1, [](int lane) { return 100 + lane; });
  run("ds_swizzle_b32 v2, v1 offset:swizzle(SWAP,16)\n"
      "ds_swizzle_b32 v3, v1 offset:swizzle(QUAD_PERM,3,2,1,0)\n"
      "ds_swizzle_b32 v4, v1 offset:swizzle(BROADCAST,8,3)\n"
      "ds_swizzle_b32 v5, v1 offset:swizzle(REVERSE,32)\n"
      "ds_swizzle_b32 v6, v1 offset:swizzle(ROTATE,0,3)\n"
      "ds_swizzle_b32 v7, v1 offset:swizzle(FFT,0)");
  EXPECT_EQ(v(2, 40), 100u + 56);
  EXPECT_EQ(v(3, 41), 100u + 42);
  EXPECT_EQ(v(4, 47), 100u + 43);
  EXPECT_EQ(v(5, 33), 100u + 62);
  EXPECT_EQ(v(6, 31), 100u + 2);
  EXPECT_EQ(v(6, 32), 100u + 35);
  EXPECT_EQ(v(7, 1), 100u + 16);
}

TEST_F(Lds, transposingReadOfBytes) {
  // A tile of 32 tokens by 16 dimensions with 64 bytes from row to row: a lane
  // points to row l/2 of its group and to half of the columns.
  setVgpr(0, [](int lane) {
    int group = lane / 16, inGroup = lane % 16;
    return (group * 8 + inGroup / 2) * 64 + inGroup % 2 * 8;
  });
  run("ds_read_b64_tr_b8 v[2:3], v0 offset:1024");
  for (int lane = 0; lane < kLanes; ++lane)
    for (int token = 0; token < 8; ++token) {
      int row = lane / 16 * 8 + token, column = lane % 16;
      EXPECT_EQ(v(2 + token / 4, lane) >> (8 * (token % 4)) & 0xFF,
                at<uint8_t>(1024 + row * 64 + column));
    }
}

TEST_F(Lds, transposingReadOfHalves) {
  setVgpr(0, [](int lane) {
    int group = lane / 16, inGroup = lane % 16;
    return (group * 4 + inGroup / 4) * 128 + inGroup % 4 * 8;
  });
  run("ds_read_b64_tr_b16 v[2:3], v0");
  for (int lane = 0; lane < kLanes; ++lane)
    for (int token = 0; token < 4; ++token) {
      int row = lane / 16 * 4 + token, column = lane % 16;
      EXPECT_EQ(v(2 + token / 2, lane) >> (16 * (token % 2)) & 0xFFFF,
                at<uint16_t>(row * 128 + column * 2));
    }
  runner.wave().setExec(1);
  runner.run("ds_read_b64_tr_b16 v[2:3], v0");
  EXPECT_EQ(runner.error(), "a transposing read needs all lanes active");
}

TEST_F(Lds, atomics) {
  memset(runner.lds(), 0, 256);
  setVgpr(0, [](int lane) { return lane % 2 * 8; });
  setVgpr(1, [](int lane) { return lane; });
  setVgpr(2, [](int lane) { return lane; });
  setVgpr(3, [](int) { return 0; });
  run("ds_add_rtn_u32 v4, v0, v1\n"
      "ds_max_i32 v0, v1 offset:16\n"
      "ds_add_u64 v0, v[2:3] offset:32");
  EXPECT_EQ(at(0), 31u * 32);
  EXPECT_EQ(v(4, 4), 2u);
  EXPECT_EQ(at(24), 63u);
  EXPECT_EQ(at<uint64_t>(40), 32u * 32);
  float one = 1.5f;
  setVgpr(1, [&](int) { return std::bit_cast<uint32_t>(one); });
  run("ds_add_f32 v0, v1 offset:64");
  EXPECT_EQ(at<float>(64), 48.0f);
  setVgpr(0, [](int) { return 128; });
  setVgpr(1, [](int lane) { return lane == 7 ? 0 : 1; });
  setVgpr(2, [](int lane) { return lane; });
  run("ds_cmpst_rtn_b32 v4, v0, v1, v2");
  EXPECT_EQ(at(128), 7u);
  EXPECT_EQ(v(4, 8), 7u);
  run("s_mov_b32 m0, 192\n"
      "s_mov_b64 exec, 0x7\n"
      "ds_append v5 offset:4\nds_append v6 offset:4");
  EXPECT_EQ(at(196), 6u);
  EXPECT_EQ(v(6, 2), 3u);
}

} // namespace
