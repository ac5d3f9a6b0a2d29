//===- VectorAddTest.cpp - A kernel from another compiler, end to end -----===//
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

constexpr std::string_view kSource = R"(
__constant int table[4] = {1, 2, 3, 4};
__kernel void vadd(__global const float *a, __global const float *b,
                   __global float *c, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() * 256 +
          __builtin_amdgcn_workitem_id_x();
  float spare[8];
  if (i < n) {
    spare[i & 7] = table[i & 3];
    c[i] = a[i] + b[i] + spare[i & 7];
  }
}
)";

class VectorAdd
    : public testing::TestWithParam<std::tuple<const char *, const char *>> {};

TEST_P(VectorAdd, compiledByClang) {
  auto [chip, flags] = GetParam();
  KernelRunner runner(chip, compileOpenCl(kSource, chip, flags));
  ASSERT_EQ(runner.loadError(), "");
  constexpr int n = 1000;
  std::vector<float> a(n), b(n), c(n, -1);
  for (int i = 0; i < n; ++i) {
    a[i] = float(i);
    b[i] = float(2 * i) + 0.5f;
  }
  float *da = runner.upload(a), *db = runner.upload(b), *dc = runner.upload(c);
  LaunchConfig config;
  config.grid[0] = 4;
  config.block[0] = 256;
  EXPECT_EQ(runner.launch("vadd", config,
                          {uint64_t(da), uint64_t(db), uint64_t(dc), n}),
            "");
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(dc[i], a[i] + b[i] + float(1 + (i & 3))) << "at " << i;
}

INSTANTIATE_TEST_SUITE_P(Compiled, VectorAdd,
                         testing::Combine(testing::Values("gfx942", "gfx950"),
                                          testing::Values("-O0", "-O1", "-O2",
                                                          "-O3")));

} // namespace
