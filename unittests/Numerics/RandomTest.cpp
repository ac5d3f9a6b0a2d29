//===- RandomTest.cpp - Normally distributed test data --------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Random.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace mla::numerics;

TEST(RandomStream, NormalFollowsTheNormalDistribution) {
  constexpr int count = 1 << 20;
  std::vector<double> values(count);
  RandomStream random(1, 0);
  for (double &value : values)
    value = random.normal();
  double moments[5] = {};
  for (double value : values)
    for (int power = 1; power <= 4; ++power)
      moments[power] += std::pow(value, power) / count;
  // Six standard errors of each moment.
  EXPECT_NEAR(moments[1], 0, 6 * std::sqrt(1.0 / count));
  EXPECT_NEAR(moments[2], 1, 6 * std::sqrt(2.0 / count));
  EXPECT_NEAR(moments[3], 0, 6 * std::sqrt(15.0 / count));
  EXPECT_NEAR(moments[4], 3, 6 * std::sqrt(96.0 / count));
  // The greatest distance from the distribution function, against its 1e-6
  // quantile (Kolmogorov): layers cut wrongly would show here.
  std::sort(values.begin(), values.end());
  double distance = 0;
  for (int i = 0; i < count; ++i) {
    double expected = 0.5 * std::erfc(-values[i] / std::sqrt(2.0));
    distance = std::max(distance, std::abs(expected - (i + 0.5) / count));
  }
  EXPECT_LT(distance, 2.7 / std::sqrt(count));
  EXPECT_GT(values.back(), 4.2);
  EXPECT_LT(values.front(), -4.2);
}

TEST(RandomStream, DependsOnSeedAndStreamAlone) {
  auto first = [](uint64_t seed, uint64_t stream) {
    return RandomStream(seed, stream).next();
  };
  EXPECT_EQ(first(1, 2), first(1, 2));
  EXPECT_NE(first(1, 2), first(1, 3));
  EXPECT_NE(first(1, 2), first(2, 2));
  EXPECT_NE(first(1, 2), first(2, 1));
  std::vector<float> values(3);
  RandomStream(4, 5).fillNormal(values.data(), 3);
  EXPECT_EQ(values[0], static_cast<float>(RandomStream(4, 5).normal()));
}

TEST(RandomStream, BelowReachesEveryValueAndNoOther) {
  RandomStream random(9, 9);
  std::vector<int> counts(10);
  for (int i = 0; i < 10000; ++i)
    ++counts.at(random.below(10));
  for (int count : counts)
    EXPECT_NEAR(count, 1000, 200);
}
