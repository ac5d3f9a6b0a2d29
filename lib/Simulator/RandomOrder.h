//===- RandomOrder.h - Orders that a launch may run in ----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_RANDOMORDER_H
#define MLA_LIB_SIMULATOR_RANDOMORDER_H

#include <cstdint>

namespace mla::sim {

/// A stream of random choices, the same on every machine and for any number of
/// threads. With seed 0 it always chooses the first.
class RandomOrder {
public:
  /// `stream` tells the streams of one seed apart.
  RandomOrder(uint64_t seed, uint64_t stream);

  /// A number below `count`, which is not 0.
  uint32_t below(uint32_t count);

  /// Instructions of a turn: short and long ones alike.
  uint64_t turnLength();

  /// Where `index` goes when 0 … count - 1 are put in an order that depends on
  /// the seed alone.
  uint64_t placeOf(uint64_t index, uint64_t count) const;

private:
  uint64_t next();

  uint64_t state;
  bool isRandom;
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_RANDOMORDER_H
