//===- Random.h - Normally distributed test data ----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_NUMERICS_RANDOM_H
#define MLA_NUMERICS_RANDOM_H

#include <cstddef>
#include <cstdint>

namespace mla::numerics {

/// A sequence of random numbers that depends on (seed, stream) alone, so that
/// data made in parallel, one stream a row, is the same for any number of
/// threads. Not for cryptography.
class RandomStream {
public:
  RandomStream(uint64_t seed, uint64_t stream);

  uint64_t next();
  /// Uniform in [0, bound), bound > 0.
  uint64_t below(uint64_t bound);
  /// Uniform in [0, 1).
  double uniform();
  /// Normally distributed with mean 0 and variance 1, by the ziggurat method of
  /// Marsaglia and Tsang ("The Ziggurat Method for Generating Random
  /// Variables", 2000).
  double normal();
  /// normal(), `count` times.
  void fillNormal(float *values, size_t count);

private:
  uint64_t step();
  double drawNormal();
  double finishNormal(int layer, double x);

  uint64_t state;
};

} // namespace mla::numerics

#endif // MLA_NUMERICS_RANDOM_H
