//===- ErrorTest.cpp - How far a result is from its reference -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Error.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mla::numerics;

TEST(ErrorMeasure, IsRelativeToTheReference) {
  ErrorMeasure error;
  error.add(3, 3);
  error.add(4.5, 4);
  EXPECT_DOUBLE_EQ(error.relativeL2(), 0.5 / 5);
  EXPECT_DOUBLE_EQ(error.maxAbs(), 0.5);
  EXPECT_EQ(error.failures(), 0);
  EXPECT_EQ(error.count(), 2);
}

TEST(ErrorMeasure, OfZerosIsAbsolute) {
  ErrorMeasure error;
  error.add(0, 0);
  EXPECT_EQ(error.relativeL2(), 0);
  error.add(2, 0);
  EXPECT_EQ(error.relativeL2(), 2);
}

TEST(ErrorMeasure, FailsOnNaNAndInfinity) {
  for (double bad : {double{NAN}, double{INFINITY}, -double{INFINITY}}) {
    ErrorMeasure error;
    error.add(1, 1);
    error.add(bad, 1);
    EXPECT_EQ(error.failures(), 1);
    EXPECT_EQ(error.relativeL2(), INFINITY);
    EXPECT_EQ(error.maxAbs(), INFINITY);
  }
}

TEST(ErrorMeasure, TakesAnInfinityOnlyForTheSameInfinity) {
  ErrorMeasure error;
  error.add(-INFINITY, -INFINITY);
  EXPECT_EQ(error.failures(), 0);
  error.add(INFINITY, -INFINITY);
  error.add(0, -INFINITY);
  error.add(NAN, -INFINITY);
  EXPECT_EQ(error.failures(), 3);
}

TEST(ErrorMeasure, MergesAsIfAddedTogether) {
  ErrorMeasure both, first, second;
  for (ErrorMeasure *error : {&both, &first})
    error->add(1, 2);
  for (ErrorMeasure *error : {&both, &second})
    error->add(7, 4);
  first.merge(second);
  EXPECT_DOUBLE_EQ(first.relativeL2(), both.relativeL2());
  EXPECT_EQ(first.maxAbs(), 3);
  EXPECT_EQ(first.count(), 2);
}
