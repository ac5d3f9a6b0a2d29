//===- LaunchTest.cpp - Kernels: registers on entry, barriers, faults -----===//
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

bool contains(const std::string &text, const char *part) {
  return text.find(part) != std::string::npos;
}

TEST(Launch, registersOnEntry) {
  // out[(wz*4 + wy)*3 + wx][item] = packed id of the work-item
  KernelRunner runner("gfx942", assembleKernel(R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    s_mul_i32 s10, s4, 2
    s_add_u32 s10, s10, s3
    s_mul_i32 s10, s10, 3
    s_add_u32 s10, s10, s2
    s_mul_i32 s10, s10, 256
    s_add_u32 s8, s8, s10
    s_addc_u32 s9, s9, 0
    v_bfe_u32 v1, v0, 10, 10
    v_lshlrev_b32 v1, 5, v1
    v_and_b32 v2, 0x3ff, v0
    v_lshl_add_u32 v1, v2, 2, v1
    global_store_dword v1, v0, s[8:9]
    s_endpgm)",
                                               "gfx942"));
  ASSERT_EQ(runner.loadError(), "");
  uint32_t *out = runner.upload(std::vector<uint32_t>(64 * 12, 0));
  LaunchConfig config;
  config.grid[0] = 3;
  config.grid[1] = 2;
  config.grid[2] = 2;
  config.block[0] = 8;
  config.block[1] = 5; // 40 work-items: the wave is not full
  ASSERT_EQ(runner.launch("kernel", config, {uint64_t(out)}), "");
  for (int group = 0; group < 12; ++group)
    for (int item = 0; item < 64; ++item)
      EXPECT_EQ(out[group * 64 + item],
                item < 40 ? uint32_t(item % 8 | item / 8 << 10) : 0u);
  EXPECT_EQ(runner.statistics().waves, 12u);
  EXPECT_EQ(runner.statistics().instructions, 12u * 14);
}

constexpr std::string_view kReverseThroughLds = R"(
  s_load_dwordx2 s[8:9], s[0:1], 0x0
  v_and_b32 v0, 0x3ff, v0
  v_lshlrev_b32 v1, 2, v0
  ds_write_b32 v1, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_sub_u32 v2, 1020, v1
  ds_read_b32 v3, v2
  s_lshl_b32 s10, s2, 10
  s_add_u32 s8, s8, s10
  s_addc_u32 s9, s9, 0
  s_waitcnt lgkmcnt(0)
  global_store_dword v1, v3, s[8:9]
  s_endpgm)";

TEST(Launch, barrierOrdersWavesAndThreadsDoNotMatter) {
  for (uint32_t threads : {1u, 2u, 5u}) {
    KernelRunner runner("gfx950", assembleKernel(kReverseThroughLds, "gfx950",
                                                 {.ldsBytes = 1024}));
    uint32_t *out = runner.upload(std::vector<uint32_t>(256 * 37, 0));
    LaunchConfig config;
    config.grid[0] = 37;
    config.block[0] = 256;
    config.threads = threads;
    ASSERT_EQ(runner.launch("kernel", config, {uint64_t(out)}), "");
    for (int i = 0; i < 256 * 37; ++i)
      ASSERT_EQ(out[i], uint32_t(255 - i % 256));
  }
}

TEST(Launch, atomicsFromManyThreads) {
  KernelRunner runner("gfx942", assembleKernel(R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    global_atomic_add v1, v2, s[8:9]
    s_endpgm)",
                                               "gfx942"));
  uint32_t *out = runner.upload(std::vector<uint32_t>(1, 0));
  LaunchConfig config;
  config.grid[0] = 500;
  config.block[0] = 128;
  config.threads = 4;
  ASSERT_EQ(runner.launch("kernel", config, {uint64_t(out)}), "");
  EXPECT_EQ(*out, 64000u);
}

TEST(Launch, wavesWaitForEachOtherThroughLds) {
  // Wave 0 spins until wave 1 has written.
  KernelRunner runner("gfx942", assembleKernel(R"(
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    v_readfirstlane_b32 s8, v0
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc1 .Lwriter
  .Lspin:
    ds_read_b32 v3, v1
    s_waitcnt lgkmcnt(0)
    v_readfirstlane_b32 s9, v3
    s_cmp_lg_u32 s9, 1
    s_cbranch_scc1 .Lspin
    s_endpgm
  .Lwriter:
    ds_write_b32 v1, v2
    s_endpgm)",
                                               "gfx942", {.ldsBytes = 64}));
  LaunchConfig config;
  config.block[0] = 128;
  config.waveBudget = 1000000;
  EXPECT_EQ(runner.launch("kernel", config, {}), "");
}

TEST(Launch, quantumDoesNotChangeOrderlyCode) {
  for (uint64_t quantum : {1, 3, 1000}) {
    KernelRunner runner("gfx942", assembleKernel(kReverseThroughLds, "gfx942",
                                                 {.ldsBytes = 1024}));
    uint32_t *out = runner.upload(std::vector<uint32_t>(256, 0));
    LaunchConfig config;
    config.block[0] = 256;
    config.quantum = quantum;
    ASSERT_EQ(runner.launch("kernel", config, {uint64_t(out)}), "");
    for (int i = 0; i < 256; ++i)
      ASSERT_EQ(out[i], uint32_t(255 - i));
  }
}

TEST(Launch, quantumOrdersRacingCode) {
  // Every wave leaves its number behind; without a barrier the last to run
  // first is seen by all, or only by those after it.
  constexpr std::string_view race = R"(
    s_load_dwordx2 s[8:9], s[0:1], 0x0
    v_lshrrev_b32 v1, 6, v0
    v_mov_b32 v2, 0
    ds_write_b32 v2, v1
    s_waitcnt lgkmcnt(0)
    ds_read_b32 v3, v2
    v_lshlrev_b32 v1, 2, v0
    s_waitcnt lgkmcnt(0)
    global_store_dword v1, v3, s[8:9]
    s_endpgm)";
  for (uint64_t quantum : {1, 1000}) {
    KernelRunner runner("gfx942",
                        assembleKernel(race, "gfx942", {.ldsBytes = 64}));
    uint32_t *out = runner.upload(std::vector<uint32_t>(256, 0));
    LaunchConfig config;
    config.block[0] = 256;
    config.quantum = quantum;
    ASSERT_EQ(runner.launch("kernel", config, {uint64_t(out)}), "");
    EXPECT_EQ(out[0], quantum == 1 ? 3u : 0u);
    EXPECT_EQ(out[255], 3u);
  }
}

TEST(Launch, faultTellsKernelInstructionAndPlace) {
  for (uint32_t threads : {1u, 3u}) {
    KernelRunner runner("gfx942", assembleKernel(R"(
      s_load_dwordx2 s[8:9], s[0:1], 0x0
      v_lshlrev_b32 v1, 2, v0
      s_lshl_b32 s10, s2, 8
      v_add_u32 v1, s10, v1
      global_store_dword v1, v0, s[8:9]
      s_endpgm)",
                                                 "gfx942"));
    uint32_t *out = runner.upload(std::vector<uint32_t>(64 * 3 + 5, 0));
    LaunchConfig config;
    config.grid[0] = 40;
    config.block[0] = 64;
    config.threads = threads;
    std::string error = runner.launch("kernel", config, {uint64_t(out)});
    EXPECT_TRUE(contains(error, "kernel 'kernel': writes 4 bytes at 0x"));
    EXPECT_TRUE(contains(error, "0 bytes past the end of the test array"));
    EXPECT_TRUE(
        contains(error, "instruction 'global_store_dword v1, v0, s[8:9]'"));
    EXPECT_TRUE(contains(error, "(kernel + 0x14)")) << error;
    EXPECT_TRUE(contains(error, "workgroup (3, 0, 0), wave 0, lane 5"))
        << error;
  }
}

TEST(Launch, unknownInstructionIsNamed) {
  KernelRunner runner(
      "gfx942", assembleKernel("ds_gws_barrier v0 gds\ns_endpgm", "gfx942"));
  std::string error = runner.launch("kernel", {}, {});
  EXPECT_TRUE(contains(
      error, "the simulator does not know the instruction 'ds_gws_barrier'"))
      << error;
  EXPECT_TRUE(contains(error, "at 0x"));
}

TEST(Launch, garbageIsNotAnInstruction) {
  KernelRunner runner("gfx942",
                      assembleKernel(".long 0xffffffff\ns_endpgm", "gfx942"));
  std::string error = runner.launch("kernel", {}, {});
  EXPECT_TRUE(contains(error, "not an instruction of this chip")) << error;
}

TEST(Launch, impossibleLiteralsAreNotInstructions) {
  // Source 255 in VOP3, VOP3P, a buffer's scalar offset, beside v_fmaak's
  // constant; and a literal that would lie behind the end of the code.
  for (const char *words :
       {".long 0xd12250a0, 0x22c5d8ff", ".long 0xd3de848d, 0xf71870ff",
        ".long 0xe8c77071, 0xfff0de72", ".long 0x30000af9, 0x0",
        ".long 0x020002ff"}) {
    KernelRunner runner("gfx942", assembleKernel(words, "gfx942"));
    std::string error = runner.launch("kernel", {}, {});
    EXPECT_TRUE(contains(error, "not an instruction of this chip")) << error;
  }
}

TEST(Launch, endlessLoopIsStopped) {
  KernelRunner runner("gfx942", assembleKernel(".Lx:\ns_branch .Lx", "gfx942"));
  LaunchConfig config;
  config.waveBudget = 50000;
  std::string error = runner.launch("kernel", config, {});
  EXPECT_TRUE(contains(error, "budget of 50000 instructions")) << error;
}

TEST(Launch, runningOffTheEndIsAFault) {
  KernelRunner runner("gfx942", assembleKernel("s_nop 0", "gfx942"));
  std::string error = runner.launch("kernel", {}, {});
  EXPECT_TRUE(contains(error, "ran off the end of the code")) << error;
}

TEST(Launch, configurationIsChecked) {
  KernelRunner runner("gfx942",
                      assembleKernel("s_endpgm", "gfx942", {.ldsBytes = 4096}));
  LaunchConfig config;
  config.dynamicLdsBytes = 64 * 1024;
  EXPECT_TRUE(contains(runner.launch("kernel", config, {}),
                       "needs 69632 bytes of LDS, the chip has 65536"));
  config = {};
  config.grid[1] = 0;
  EXPECT_TRUE(contains(runner.launch("kernel", config, {}), "is 0"));
  config = {};
  config.block[0] = 2048;
  EXPECT_TRUE(contains(runner.launch("kernel", config, {}),
                       "2048 work-items, the kernel allows"));
}

TEST(Launch, preloadedArguments) {
  // The first 256 bytes are for firmware that does not preload.
  KernelRunner runner(
      "gfx942",
      assembleKernel(R"(
    s_trap 2
    .fill 63, 4, 0xbf800000
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v2, s4
    global_store_dword v1, v2, s[2:3]
    s_endpgm)",
                     "gfx942",
                     {.directives = ".amdhsa_user_sgpr_kernarg_preload_length "
                                    "3\n.amdhsa_user_sgpr_kernarg_preload_"
                                    "offset 0"}));
  ASSERT_EQ(runner.loadError(), "");
  uint32_t *out = runner.upload(std::vector<uint32_t>(64, 0));
  LaunchConfig config;
  config.block[0] = 64;
  ASSERT_EQ(runner.launch("kernel", config, {uint64_t(out), 1234}), "");
  EXPECT_EQ(out[63], 1234u);
}

} // namespace
