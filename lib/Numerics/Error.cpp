//===- Error.cpp - How far a result is from its reference -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Error.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mla::numerics;

void ErrorMeasure::add(double result, double reference) {
  ++pairs;
  if (std::isinf(reference) && result == reference)
    return;
  double difference = result - reference;
  if (!std::isfinite(difference)) {
    ++failed;
    return;
  }
  squaredDifference += difference * difference;
  squaredReference += reference * reference;
  largestDifference = std::max(largestDifference, std::abs(difference));
}

void ErrorMeasure::merge(const ErrorMeasure &other) {
  squaredDifference += other.squaredDifference;
  squaredReference += other.squaredReference;
  largestDifference = std::max(largestDifference, other.largestDifference);
  failed += other.failed;
  pairs += other.pairs;
}

double ErrorMeasure::relativeL2() const {
  if (failed)
    return std::numeric_limits<double>::infinity();
  double difference = std::sqrt(squaredDifference);
  return squaredReference > 0 ? difference / std::sqrt(squaredReference)
                              : difference;
}

double ErrorMeasure::maxAbs() const {
  return failed ? std::numeric_limits<double>::infinity() : largestDifference;
}
