//===- MemoryTest.cpp - Global, scratch, flat, buffer and scalar memory ---===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Apertures.h"
#include "SimTestUtils.h"

#include <gtest/gtest.h>

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

class Memory : public testing::Test {
protected:
  /// s[0:1] = `bytes` bytes of device memory with byte i = i % 251.
  uint8_t *fill(uint64_t bytes) {
    auto *data =
        static_cast<uint8_t *>(runner.memory().allocate(bytes, "test array"));
    for (uint64_t i = 0; i < bytes; ++i)
      data[i] = uint8_t(i % 251);
    runner.wave().writeSgpr64(0, uint64_t(data));
    return data;
  }
  void setVgpr(int index, auto value) {
    for (int lane = 0; lane < kLanes; ++lane)
      runner.wave().vgpr[index][lane] = uint32_t(value(lane));
  }
  void buffer(uint32_t records, uint32_t stride = 0) {
    Wave &wave = runner.wave();
    wave.sgpr[8] = wave.sgpr[0];
    wave.sgpr[9] = wave.sgpr[1] | stride << 16;
    wave.sgpr[10] = records;
    wave.sgpr[11] = 0x27000;
  }
  bool failsWith(const char *part) {
    bool found = runner.error().find(part) != std::string::npos;
    if (!found)
      ADD_FAILURE() << "error is '" << runner.error() << "'";
    return found;
  }
  template <typename T> T at(const uint8_t *data, uint64_t offset) {
    T value;
    memcpy(&value, data + offset, sizeof value);
    return value;
  }

  InstructionRunner runner{"gfx950"};
};

TEST_F(Memory, loadsOfEveryWidth) {
  uint8_t *data = fill(4096);
  setVgpr(0, [](int lane) { return lane * 16; });
  runner.run("global_load_dwordx4 v[4:7], v0, s[0:1] offset:4\n"
             "global_load_dwordx3 v[8:10], v0, s[0:1]\n"
             "global_load_dwordx2 a[2:3], v0, s[0:1]\n"
             "global_load_ubyte v12, v0, s[0:1] offset:200\n"
             "global_load_sbyte v13, v0, s[0:1] offset:200\n"
             "global_load_sshort v14, v0, s[0:1] offset:201");
  ASSERT_EQ(runner.error(), "");
  const Wave &wave = runner.wave();
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int word = 0; word < 4; ++word)
      EXPECT_EQ(wave.vgpr[4 + word][lane],
                at<uint32_t>(data, lane * 16 + 4 + 4 * word));
    EXPECT_EQ(wave.vgpr[10][lane], at<uint32_t>(data, lane * 16 + 8));
    EXPECT_EQ(wave.vgpr[256 + 3][lane], at<uint32_t>(data, lane * 16 + 4));
    EXPECT_EQ(wave.vgpr[12][lane], at<uint8_t>(data, lane * 16 + 200));
    EXPECT_EQ(int32_t(wave.vgpr[13][lane]), at<int8_t>(data, lane * 16 + 200));
    EXPECT_EQ(int32_t(wave.vgpr[14][lane]), at<int16_t>(data, lane * 16 + 201));
  }
}

TEST_F(Memory, halvesOfRegisters) {
  uint8_t *data = fill(1024);
  setVgpr(0, [](int lane) { return lane * 4; });
  setVgpr(1, [](int) { return 0xAAAABBBB; });
  setVgpr(2, [](int) { return 0xAAAABBBB; });
  runner.run("global_load_short_d16 v1, v0, s[0:1]\n"
             "global_load_short_d16_hi v2, v0, s[0:1]\n"
             "global_store_short_d16_hi v0, v2, s[0:1] offset:512");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[1][5], 0xAAAA0000u | at<uint16_t>(data, 20));
  EXPECT_EQ(runner.wave().vgpr[2][5],
            uint32_t(at<uint16_t>(data, 20)) << 16 | 0xBBBB);
  EXPECT_EQ(at<uint16_t>(data, 512 + 20), at<uint16_t>(data, 20));
}

TEST_F(Memory, inactiveLanesTouchNothing) {
  uint8_t *data = fill(256);
  runner.wave().setExec(0x2);
  setVgpr(0, [](int lane) { return lane == 1 ? 8 : 0x40000000; });
  setVgpr(1, [](int) { return 7; });
  runner.run("global_load_dword v1, v0, s[0:1]\n"
             "global_store_dword v0, v1, s[0:1] offset:4");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[1][0], 7u);
  EXPECT_EQ(runner.wave().vgpr[1][1], at<uint32_t>(data, 8));
  EXPECT_EQ(at<uint32_t>(data, 12), at<uint32_t>(data, 8));
}

TEST_F(Memory, addressesHave64Bits) {
  constexpr uint64_t far = uint64_t(5) << 30;
  auto *data = static_cast<uint8_t *>(
      runner.memory().allocate(far + 4096, "test array"));
  ASSERT_TRUE(data);
  uint32_t mark = 0x600D600D;
  memcpy(data + far, &mark, 4);
  uint64_t address = uint64_t(data) + far;
  setVgpr(2, [&](int) { return address; });
  setVgpr(3, [&](int) { return address >> 32; });
  runner.run("global_load_dword v1, v[2:3], off");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[1][63], mark);
}

TEST_F(Memory, outOfBoundsNamesPlaceAndLane) {
  fill(1000);
  setVgpr(0, [](int lane) { return lane == 17 ? 998 : 0; });
  runner.run("global_load_dword v1, v0, s[0:1]");
  failsWith("reads 4 bytes at 0x");
  failsWith("998 bytes into the test array of 1000 bytes");
  setVgpr(0, [](int lane) { return lane == 3 ? 1000 : 0; });
  runner.run("global_store_dword v0, v1, s[0:1]");
  failsWith("writes 4 bytes at 0x");
  failsWith("0 bytes past the end of the test array");
  runner.wave().writeSgpr64(0, 16);
  runner.run("s_load_dword s2, s[0:1], 0x0");
  failsWith("far from every allocation");
}

TEST_F(Memory, addressesAtTheEndOfEverythingDoNotWrap) {
  uint8_t *data = fill(64);
  uint64_t address = uint64_t(data);
  setVgpr(2, [&](int lane) { return lane ? address : uint64_t(-2); });
  setVgpr(3, [&](int lane) { return (lane ? address : uint64_t(-2)) >> 32; });
  runner.run("s_load_dword s4, s[0:1], 0x0\n"
             "global_load_dword v1, v[2:3], off");
  failsWith("reads 4 bytes at 0xfffffffffffffffe");
  runner.run("flat_store_dword v[2:3], v1");
  failsWith("writes 4 bytes at 0xfffffffffffffffe");
  runner.wave().writeSgpr64(0, uint64_t(-4));
  runner.run("s_load_dwordx2 s[4:5], s[0:1], 0x0");
  failsWith("reads 8 bytes at 0xfffffffffffffffc");
}

TEST_F(Memory, negativeLdsAddressesDoNotWrap) {
  fill(4096);
  setVgpr(0, [](int lane) { return 64 + lane * 16; });
  runner.run("s_mov_b32 m0, 0\n"
             "global_load_lds_dwordx4 v0, s[0:1] offset:-16");
  failsWith("at LDS address");
}

TEST_F(Memory, freedAndReadOnlyMemory) {
  uint8_t *data = fill(64);
  setVgpr(0, [](int) { return 0; });
  runner.memory().setWritable(data, false);
  runner.run("global_load_dword v1, v0, s[0:1]");
  EXPECT_EQ(runner.error(), "");
  runner.run("global_store_dword v0, v1, s[0:1]");
  failsWith("which is read-only");
  runner.memory().release(data);
  runner.group().window = {};
  runner.run("global_load_dword v1, v0, s[0:1]");
  failsWith("freed test array");
}

TEST_F(Memory, buffersClampByDword) {
  uint8_t *data = fill(4096);
  buffer(40);
  setVgpr(0, [](int lane) { return lane * 4; });
  runner.run("buffer_load_dwordx4 v[4:7], v0, s[8:11], 0 offen");
  ASSERT_EQ(runner.error(), "");
  const Wave &wave = runner.wave();
  EXPECT_EQ(wave.vgpr[7][6], at<uint32_t>(data, 36));
  EXPECT_EQ(wave.vgpr[6][7], at<uint32_t>(data, 36));
  EXPECT_EQ(wave.vgpr[7][7], 0u);
  EXPECT_EQ(wave.vgpr[4][10], 0u);
  setVgpr(2, [](int) { return 0x11111111; });
  setVgpr(3, [](int) { return 0x22222222; });
  uint32_t behind = at<uint32_t>(data, 40);
  runner.run("buffer_store_dwordx2 v[2:3], v0, s[8:11], 0 offen");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(at<uint32_t>(data, 36), 0x11111111u);
  EXPECT_EQ(at<uint32_t>(data, 40), behind);
}

TEST_F(Memory, buffersCountTheScalarOffset) {
  uint8_t *data = fill(4096);
  buffer(256);
  runner.wave().sgpr[3] = 128;
  setVgpr(0, [](int lane) { return lane * 4; });
  runner.run("buffer_load_dword v1, v0, s[8:11], s3 offen");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[1][31], at<uint32_t>(data, 252));
  EXPECT_EQ(runner.wave().vgpr[1][32], 0u);
}

TEST_F(Memory, structuredBuffersCountRecords) {
  uint8_t *data = fill(4096);
  buffer(8, 16);
  setVgpr(0, [](int lane) { return lane; });
  runner.run("buffer_load_dword v1, v0, s[8:11], 0 idxen offset:4");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[1][7], at<uint32_t>(data, 7 * 16 + 4));
  EXPECT_EQ(runner.wave().vgpr[1][8], 0u);
}

TEST_F(Memory, buffersMayNotPromiseTooMuch) {
  fill(64);
  buffer(0xFFFFFFFF);
  setVgpr(0, [](int lane) { return lane * 4; });
  runner.run("buffer_load_dword v1, v0, s[8:11], 0 offen");
  failsWith("past the end of the test array");
}

TEST_F(Memory, scratchIsPerLane) {
  setVgpr(0, [](int lane) { return lane * 3; });
  runner.run("scratch_store_dword off, v0, off offset:16\n"
             "scratch_load_dword v1, off, off offset:16");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[1][20], 60u);
  runner.run("scratch_load_dword v1, off, off offset:1021");
  failsWith("a lane has 1024 bytes");
}

TEST_F(Memory, flatReachesEverySpace) {
  uint8_t *data = fill(256);
  runner.lds()[12] = 99;
  auto pointer = [&](int lane) {
    return lane == 0   ? uint64_t(data) + 8
           : lane == 1 ? kSharedBase + 12
                       : kPrivateBase + 20;
  };
  setVgpr(2, [&](int lane) { return pointer(lane); });
  setVgpr(3, [&](int lane) { return pointer(lane) >> 32; });
  setVgpr(5, [](int lane) { return lane; });
  runner.run("scratch_store_byte off, v5, off offset:20\n"
             "flat_load_ubyte v1, v[2:3]");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[1][0], data[8]);
  EXPECT_EQ(runner.wave().vgpr[1][1], 99u);
  EXPECT_EQ(runner.wave().vgpr[1][40], 40u);
}

TEST_F(Memory, atomicsReturnTheOldValue) {
  uint8_t *data = fill(64);
  memset(data, 0, 64);
  setVgpr(0, [](int) { return 0; });
  setVgpr(1, [](int) { return 2; });
  runner.run("global_atomic_add v2, v0, v1, s[0:1] sc0\n"
             "global_atomic_add v0, v1, s[0:1] offset:8");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(at<uint32_t>(data, 0), 128u);
  EXPECT_EQ(at<uint32_t>(data, 8), 128u);
  EXPECT_EQ(runner.wave().vgpr[2][10], 20u);
  // inc wraps at the data, cmpswap compares with its second value.
  setVgpr(1, [](int) { return 9; });
  setVgpr(6, [](int) { return 77; });
  setVgpr(7, [](int) { return 4; });
  runner.run("global_atomic_inc v0, v1, s[0:1] offset:16\n"
             "s_mov_b64 exec, 0x20\n"
             "global_atomic_cmpswap v5, v0, v[6:7], s[0:1] offset:16 sc0");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().vgpr[5][5], 4u);
  EXPECT_EQ(at<uint32_t>(data, 16), 77u);
  runner.wave().setExec(~uint64_t(0));
  setVgpr(0, [](int) { return 2; });
  runner.run("global_atomic_add v0, v1, s[0:1]");
  failsWith("not aligned");
}

TEST_F(Memory, packedAtomics) {
  uint8_t *data = fill(64);
  uint32_t start = 0x3C003F80; // f16 1.0 above bf16 1.0 by its bits
  memcpy(data, &start, 4);
  memcpy(data + 4, &start, 4);
  runner.wave().setExec(1);
  setVgpr(0, [](int) { return 0; });
  setVgpr(1, [](int) { return 0x3C000000; });
  setVgpr(2, [](int) { return 0x00003F80; });
  runner.run("global_atomic_pk_add_f16 v0, v1, s[0:1]\n"
             "global_atomic_pk_add_bf16 v0, v2, s[0:1] offset:4");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(at<uint32_t>(data, 0), 0x40003F80u);
  EXPECT_EQ(at<uint32_t>(data, 4), 0x3C004000u);
}

TEST_F(Memory, scalarLoads) {
  uint8_t *data = fill(4096);
  runner.wave().sgpr[20] = 64;
  runner.run("s_load_dwordx8 s[24:31], s[0:1], 0x10\n"
             "s_load_dword s32, s[0:1], s20 offset:0x4");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().sgpr[31], at<uint32_t>(data, 16 + 28));
  EXPECT_EQ(runner.wave().sgpr[32], at<uint32_t>(data, 68));
  buffer(16);
  runner.run("s_buffer_load_dwordx2 s[24:25], s[8:11], 0xc");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(runner.wave().sgpr[24], at<uint32_t>(data, 12));
  EXPECT_EQ(runner.wave().sgpr[25], 0u);
}

TEST_F(Memory, directToLds) {
  uint8_t *data = fill(8192);
  setVgpr(0, [](int lane) { return (63 - lane) * 16; });
  runner.wave().setExec(~uint64_t(2));
  memset(runner.lds(), 0xEE, 4096);
  runner.run("s_mov_b32 m0, 256\n"
             "global_load_lds_dwordx4 v0, s[0:1] offset:16");
  ASSERT_EQ(runner.error(), "");
  // The instruction offset counts on both sides.
  EXPECT_EQ(memcmp(runner.lds() + 256 + 16 + 5 * 16, data + 58 * 16 + 16, 16),
            0);
  EXPECT_EQ(runner.lds()[256 + 16 + 16], 0xEE);
  buffer(8192);
  runner.run("s_mov_b32 m0, 2048\n"
             "buffer_load_ubyte v0, s[8:11], 0 offen lds");
  ASSERT_EQ(runner.error(), "");
  EXPECT_EQ(at<uint32_t>(runner.lds(), 2048 + 4 * 9), data[54 * 16]);
  runner.run("s_mov_b32 m0, 0xfff0\n"
             "global_load_lds_dword v0, s[0:1]");
  failsWith("the workgroup has 65536 bytes");
}

} // namespace
