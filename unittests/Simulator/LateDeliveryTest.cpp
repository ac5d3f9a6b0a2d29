//===- LateDeliveryTest.cpp - Kernels that do not wait for loads ----------===//
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

/// Runs a kernel that copies 64 times four dwords from one array to another in
/// a way of its own, with loads that arrive late. Says whether the copy is one.
bool copies(const std::string &body, std::string_view chip = "gfx950") {
  std::string assembly = "s_load_dwordx4 s[4:7], s[0:1], 0x0\n"
                         "v_lshlrev_b32_e32 v1, 4, v0\n"
                         "s_waitcnt lgkmcnt(0)\n" +
                         body + "s_endpgm\n";
  KernelRunner runner(chip, assembleKernel(assembly, chip, {.ldsBytes = 4096}));
  EXPECT_EQ(runner.loadError(), "");
  std::vector<uint32_t> values(256);
  for (uint32_t i = 0; i < 256; ++i)
    values[i] = i * 0x01010101 + 7;
  uint32_t *source = runner.upload(values);
  uint32_t *target = runner.upload(std::vector<uint32_t>(256, 0));
  LaunchConfig config;
  config.block[0] = 64;
  config.lateDelivery = true;
  EXPECT_EQ(runner.launch("kernel", config,
                          {reinterpret_cast<uint64_t>(source),
                           reinterpret_cast<uint64_t>(target)}),
            "");
  return std::equal(values.begin(), values.end(), target);
}

TEST(LateDelivery, VectorLoadsArriveWithVmcnt) {
  auto kernel = [](std::string wait) {
    return "global_load_dwordx4 v[4:7], v1, s[4:5]\n" + wait +
           "global_store_dwordx4 v1, v[4:7], s[6:7]\n";
  };
  EXPECT_TRUE(copies(kernel("s_waitcnt vmcnt(0)\n")));
  EXPECT_FALSE(copies(kernel("")));
  EXPECT_FALSE(copies(kernel("s_waitcnt lgkmcnt(0)\n")));
  EXPECT_FALSE(copies(kernel("s_waitcnt vmcnt(1)\n")));
}

TEST(LateDelivery, TheOldestOfSeveralLoadsArriveFirst) {
  auto kernel = [](std::string wait) {
    return "global_load_dwordx4 v[4:7], v1, s[4:5]\n"
           "global_load_dwordx4 v[8:11], v1, s[4:5]\n" +
           wait + "global_store_dwordx4 v1, v[4:7], s[6:7]\n";
  };
  EXPECT_TRUE(copies(kernel("s_waitcnt vmcnt(1)\n")));
  EXPECT_FALSE(copies(kernel("s_waitcnt vmcnt(2)\n")));
}

TEST(LateDelivery, LoadsIntoLdsArriveWithVmcnt) {
  auto kernel = [](std::string wait) {
    return "s_mov_b32 m0, 0\n"
           "global_load_lds_dwordx4 v1, s[4:5]\n"
           "s_mov_b32 m0, 0x400\n"
           "global_load_lds_dwordx4 v1, s[4:5]\n" +
           wait +
           "ds_read_b128 v[4:7], v1\n"
           "s_waitcnt lgkmcnt(0)\n"
           "global_store_dwordx4 v1, v[4:7], s[6:7]\n";
  };
  EXPECT_TRUE(copies(kernel("s_waitcnt vmcnt(0)\n")));
  EXPECT_TRUE(copies(kernel("s_waitcnt vmcnt(1)\n")));
  EXPECT_FALSE(copies(kernel("")));
  EXPECT_FALSE(copies(kernel("s_waitcnt vmcnt(2)\n")));
}

TEST(LateDelivery, LdsReadsArriveWithLgkmcnt) {
  auto kernel = [](std::string wait) {
    return "global_load_dwordx4 v[4:7], v1, s[4:5]\n"
           "s_waitcnt vmcnt(0)\n"
           "ds_write_b128 v1, v[4:7]\n"
           "ds_read_b128 v[8:11], v1\n" +
           wait + "global_store_dwordx4 v1, v[8:11], s[6:7]\n";
  };
  EXPECT_TRUE(copies(kernel("s_waitcnt lgkmcnt(0)\n"), "gfx942"));
  EXPECT_FALSE(copies(kernel(""), "gfx942"));
  EXPECT_FALSE(copies(kernel("s_waitcnt vmcnt(0)\n"), "gfx942"));
}

TEST(LateDelivery, ScalarLoadsArriveOnlyWithNoneLeft) {
  auto kernel = [](std::string wait) {
    return "s_load_dwordx2 s[8:9], s[0:1], 0x0\n"
           "s_load_dwordx2 s[10:11], s[0:1], 0x8\n" +
           wait +
           "s_mov_b32 s12, s8\n"
           "s_waitcnt lgkmcnt(0)\n"
           "s_cmp_eq_u32 s12, s4\n"
           "s_cbranch_scc0 skip\n"
           "global_load_dwordx4 v[4:7], v1, s[4:5]\n"
           "s_waitcnt vmcnt(0)\n"
           "global_store_dwordx4 v1, v[4:7], s[6:7]\n"
           "skip:\n";
  };
  EXPECT_TRUE(copies(kernel("s_waitcnt lgkmcnt(0)\n")));
  EXPECT_FALSE(copies(kernel("s_waitcnt lgkmcnt(1)\n")));
  EXPECT_FALSE(copies(kernel("")));
}

} // namespace
