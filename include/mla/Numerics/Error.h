//===- Error.h - How far a result is from its reference ---------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_NUMERICS_ERROR_H
#define MLA_NUMERICS_ERROR_H

#include <cstdint>

namespace mla::numerics {

/// Sums over pairs (result, reference), fed one by one or by merging.
class ErrorMeasure {
public:
  /// A reference of ±infinity is met only by that same infinity. Every other
  /// result that is not finite is counted and left out of the sums.
  void add(double result, double reference);
  void merge(const ErrorMeasure &other);

  /// ‖result − reference‖₂ / ‖reference‖₂ over the finite pairs; the norm of
  /// the difference itself where the reference is all zeros. Infinity when a
  /// pair failed, so that no comparison with a bound can pass.
  double relativeL2() const;
  /// Largest |result − reference|; infinity when a pair failed.
  double maxAbs() const;
  /// Pairs that failed by not being finite, or by an infinity not met.
  int64_t failures() const { return failed; }
  int64_t count() const { return pairs; }

private:
  double squaredDifference = 0;
  double squaredReference = 0;
  double largestDifference = 0;
  int64_t failed = 0;
  int64_t pairs = 0;
};

} // namespace mla::numerics

#endif // MLA_NUMERICS_ERROR_H
