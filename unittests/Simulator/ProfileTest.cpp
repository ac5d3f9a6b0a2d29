//===- ProfileTest.cpp - What a profiled launch reports -------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include "gtest/gtest.h"

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

/// The profile of one wave that runs `body`; s[4:5] hold an array of 4 KiB, v1
/// the work-item id times 16.
ProfileTotals profileOf(const std::string &body,
                        std::string_view chip = "gfx950") {
  std::string assembly = "s_load_dwordx2 s[4:5], s[0:1], 0x0\n"
                         "v_lshlrev_b32_e32 v1, 4, v0\n"
                         "s_waitcnt lgkmcnt(0)\n" +
                         body + "s_endpgm\n";
  KernelRunner runner(chip,
                      assembleKernel(assembly, chip, {.ldsBytes = 16384}));
  EXPECT_EQ(runner.loadError(), "");
  auto *array = runner.upload(std::vector<uint32_t>(1024, 1));
  LaunchConfig config;
  config.block[0] = 64;
  config.profile = true;
  EXPECT_EQ(
      runner.launch("kernel", config, {reinterpret_cast<uint64_t>(array)}), "");
  return runner.profile();
}

TEST(Profile, LoadsCountBytesAndSegments) {
  // 64 lanes of 16 bytes side by side are 16 segments of 64 bytes.
  ProfileTotals wide = profileOf("global_load_dwordx4 v[4:7], v1, s[4:5]\n"
                                 "s_waitcnt vmcnt(0)\n");
  EXPECT_EQ(wide.loadBytes, 1024u);
  EXPECT_EQ(wide.loadSegments, 16u);
  // All lanes at one place are one segment.
  ProfileTotals same = profileOf("v_mov_b32_e32 v2, 0\n"
                                 "global_load_dword v4, v2, s[4:5]\n"
                                 "s_waitcnt vmcnt(0)\n");
  EXPECT_EQ(same.loadBytes, 256u);
  EXPECT_EQ(same.loadSegments, 1u);
  EXPECT_EQ(same.storeBytes, 0u);
}

TEST(Profile, LanesThatMeetInABankTakeCycles) {
  for (std::string_view chip : {"gfx942", "gfx950"}) {
    ProfileTotals apart = profileOf("ds_read_b128 v[4:7], v1\n"
                                    "s_waitcnt lgkmcnt(0)\n",
                                    chip);
    EXPECT_GT(apart.ldsCycles, 0u);
    EXPECT_EQ(apart.ldsConflictCycles, 0u);
    // 256 bytes from lane to lane: all begin in one bank.
    ProfileTotals meeting = profileOf("v_lshlrev_b32_e32 v1, 8, v0\n"
                                      "ds_read_b32 v4, v1\n"
                                      "s_waitcnt lgkmcnt(0)\n",
                                      chip);
    EXPECT_GE(meeting.ldsConflictCycles, 30u);
  }
}

TEST(Profile, MatrixInstructionsTakeTheirPasses) {
  EXPECT_EQ(
      profileOf("v_mfma_f32_16x16x32_fp8_fp8 v[4:7], v[8:9], v[10:11], 0\n"
                "s_nop 15\n")
          .matrixCycles,
      16u);
  EXPECT_EQ(profileOf("v_mfma_f32_16x16x16_bf16 v[4:7], v[8:9], v[10:11], 0\n"
                      "s_nop 15\n",
                      "gfx942")
                .matrixCycles,
            16u);
}

} // namespace
