//===- ClangSuiteTest.cpp - OpenCL C that clang compiles at every level ---===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of PortableItems.inc are compiled for the device and, as C++,
// for the host; the results must have the same bits. Kernels that use a
// workgroup have their expectation here.
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <random>
#include <sstream>

using namespace mla::sim;
using namespace mla::sim::test;

namespace host {
using uint = unsigned;
using uchar = unsigned char;
using ushort = unsigned short;
using ulong = unsigned long;
#define MLA_GLOBAL
#define MLA_NOINLINE
#include "PortableItems.inc"
} // namespace host

namespace {

constexpr std::string_view kPrologue = R"(
#define MLA_GLOBAL __global
#define MLA_NOINLINE __attribute__((noinline))
#pragma OPENCL FP_CONTRACT OFF
)";

constexpr std::string_view kKernels = R"(
#define ID (__builtin_amdgcn_workgroup_id_x() * 256 + \
            __builtin_amdgcn_workitem_id_x())
#define ITEM(name, type) \
  __kernel void k##name(__global const uint *in, __global type *out) { \
    out[ID] = item##name(in, ID); \
  }
ITEM(Integer, uint) ITEM(Wide, ulong) ITEM(Narrow, uint) ITEM(Float, float)
ITEM(Double, double) ITEM(Divergent, uint) ITEM(Switch, uint)
ITEM(PrivateArray, uint) ITEM(Calls, uint) ITEM(Bits, uint)

__attribute__((overloadable)) void fence() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

__kernel void groupSum(__global const uint *in, __global uint *out) {
  __local uint part[256];
  uint t = __builtin_amdgcn_workitem_id_x();
  part[t] = in[ID];
  fence();
  for (uint s = 128; s; s >>= 1) {
    if (t < s)
      part[t] += part[t + s];
    fence();
  }
  out[ID] = part[0];
}

__kernel void groupScan(__global const uint *in, __global uint *out) {
  __local uint buffer[2][256];
  uint t = __builtin_amdgcn_workitem_id_x(), which = 0;
  buffer[0][t] = in[ID];
  fence();
  for (uint s = 1; s < 256; s <<= 1) {
    buffer[!which][t] = buffer[which][t] + (t >= s ? buffer[which][t - s] : 0);
    which = !which;
    fence();
  }
  out[ID] = buffer[which][t];
}

__kernel void laneRotate(__global const uint *in, __global uint *out) {
  uint lane = __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0));
  uint v = in[ID];
  uint a = __builtin_amdgcn_ds_bpermute(((lane + 5) & 63) * 4, v);
  uint b = __builtin_amdgcn_readlane(v, 17);
  uint c = __builtin_amdgcn_readfirstlane(v);
  uint d = __builtin_amdgcn_mov_dpp(v, 0xB1, 0xf, 0xf, true);
  uint e = __builtin_amdgcn_ds_swizzle(v, 0x401F);
  out[ID] = a + 3 * b + 5 * c + 7 * d + 11 * e;
}

__kernel void histogram(__global const uint *in, __global uint *out) {
  __local uint bins[64];
  uint t = __builtin_amdgcn_workitem_id_x();
  if (t < 64)
    bins[t] = 0;
  fence();
  __scoped_atomic_fetch_add(&bins[in[ID] & 63], 1, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_WRKGRP);
  fence();
  if (t < 64)
    __scoped_atomic_fetch_add(&out[t], bins[t], __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
}

__kernel void transpose(__global const uint *in, __global uint *out) {
  __local uint tile[16][17];
  uint t = __builtin_amdgcn_workitem_id_x();
  tile[t / 16][t % 16] = in[ID];
  fence();
  out[ID] = tile[t % 16][t / 16];
}
)";

std::string deviceSource() {
  std::ifstream file(MLA_TEST_PORTABLE_ITEMS);
  std::stringstream text;
  text << kPrologue << file.rdbuf() << kKernels;
  return text.str();
}

/// The code object for a chip and level, compiled once for all tests.
const std::vector<uint8_t> &compiled(const char *chip, const char *level) {
  static std::map<std::string, std::vector<uint8_t>> cache;
  std::vector<uint8_t> &image = cache[std::string(chip) + level];
  if (image.empty())
    image = compileOpenCl(deviceSource(), chip,
                          std::string(level) +
                              " -ffp-contract=off "
                              "-cl-fp32-correctly-rounded-divide-sqrt");
  return image;
}

class ClangSuite
    : public testing::TestWithParam<std::tuple<const char *, const char *>> {
protected:
  void SetUp() override {
    auto [chip, level] = GetParam();
    runner = std::make_unique<KernelRunner>(chip, compiled(chip, level));
    ASSERT_EQ(runner->loadError(), "");
    std::mt19937 random(7);
    for (uint32_t &word : input)
      word = uint32_t(random());
    in = runner->upload(input);
  }

  /// Runs a kernel and gives the first `count` results.
  template <typename T> std::vector<T> run(const char *kernel, T start = T()) {
    T *out = runner->upload(std::vector<T>(MLA_COUNT, start));
    LaunchConfig config;
    config.grid[0] = MLA_COUNT / 256;
    config.block[0] = 256;
    config.waveBudget = 1 << 22;
    EXPECT_EQ(runner->launch(kernel, config, {uint64_t(in), uint64_t(out)}),
              "");
    return {out, out + MLA_COUNT};
  }

  template <typename T, typename F>
  void compareItems(const char *kernel, F item) {
    std::vector<T> results = run<T>(kernel);
    for (uint32_t i = 0; i < MLA_COUNT; ++i) {
      T expected = item(input.data(), i);
      ASSERT_EQ(memcmp(&results[i], &expected, sizeof(T)), 0)
          << kernel << " item " << i << ": " << results[i] << ", host has "
          << expected;
    }
  }

  std::unique_ptr<KernelRunner> runner;
  std::vector<uint32_t> input = std::vector<uint32_t>(MLA_COUNT);
  uint32_t *in = nullptr;
};

TEST_P(ClangSuite, items) {
  compareItems<uint32_t>("kInteger", host::itemInteger);
  compareItems<uint64_t>("kWide", host::itemWide);
  compareItems<uint32_t>("kNarrow", host::itemNarrow);
  compareItems<float>("kFloat", host::itemFloat);
  compareItems<double>("kDouble", host::itemDouble);
  compareItems<uint32_t>("kDivergent", host::itemDivergent);
  compareItems<uint32_t>("kSwitch", host::itemSwitch);
  compareItems<uint32_t>("kPrivateArray", host::itemPrivateArray);
  compareItems<uint32_t>("kCalls", host::itemCalls);
  compareItems<uint32_t>("kBits", host::itemBits);
}

TEST_P(ClangSuite, reductionsAndScans) {
  std::vector<uint32_t> sums = run<uint32_t>("groupSum");
  std::vector<uint32_t> scans = run<uint32_t>("groupScan");
  for (uint32_t group = 0; group < MLA_COUNT; group += 256) {
    uint32_t sum = 0;
    for (uint32_t i = group; i < group + 256; ++i) {
      sum += input[i];
      ASSERT_EQ(scans[i], sum) << i;
    }
    ASSERT_EQ(sums[group + 99], sum);
  }
}

TEST_P(ClangSuite, lanes) {
  std::vector<uint32_t> results = run<uint32_t>("laneRotate");
  for (uint32_t i = 0; i < MLA_COUNT; ++i) {
    uint32_t wave = i & ~63u, lane = i & 63;
    // DPP 0xB1 is the quad order 1, 0, 3, 2; swizzle 0x401F exchanges 16 lanes.
    ASSERT_EQ(results[i], input[wave + ((lane + 5) & 63)] +
                              3 * input[wave + 17] + 5 * input[wave] +
                              7 * input[i ^ 1] + 11 * input[i ^ 16])
        << i;
  }
}

TEST_P(ClangSuite, atomicsAndTransposes) {
  std::vector<uint32_t> bins = run<uint32_t>("histogram");
  std::vector<uint32_t> expected(64, 0);
  for (uint32_t word : input)
    ++expected[word & 63];
  for (int bin = 0; bin < 64; ++bin)
    ASSERT_EQ(bins[bin], expected[bin]);
  std::vector<uint32_t> results = run<uint32_t>("transpose");
  for (uint32_t i = 0; i < MLA_COUNT; ++i)
    ASSERT_EQ(results[i], input[(i & ~255u) + i % 16 * 16 + i / 16 % 16]);
}

INSTANTIATE_TEST_SUITE_P(Compiled, ClangSuite,
                         testing::Combine(testing::Values("gfx942", "gfx950"),
                                          testing::Values("-O0", "-O1", "-O2",
                                                          "-O3")));

} // namespace
