//===- RandomOrder.cpp - Orders that a launch may run in ------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomOrder.h"

#include <numeric>

using namespace mla::sim;

/// The finishing step of SplitMix64.
static uint64_t mix(uint64_t value) {
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9;
  value = (value ^ value >> 27) * 0x94D049BB133111EB;
  return value ^ value >> 31;
}

RandomOrder::RandomOrder(uint64_t seed, uint64_t stream)
    : state(mix(seed) + mix(stream + 1)), isRandom(seed != 0) {}

uint64_t RandomOrder::next() { return mix(state += 0x9E3779B97F4A7C15); }

uint32_t RandomOrder::below(uint32_t count) {
  return isRandom ? uint32_t(next() % count) : 0;
}

uint64_t RandomOrder::turnLength() {
  // Its logarithm is uniform: 1 to 4096.
  return 1 + next() % (uint64_t(1) << next() % 13);
}

uint64_t RandomOrder::placeOf(uint64_t index, uint64_t count) const {
  // index * factor + offset is a permutation when factor and count have no
  // common divisor.
  uint64_t factor = mix(state + 1) % count | 1;
  while (std::gcd(factor, count) != 1)
    factor += 2;
  uint64_t offset = mix(state + 2) % count;
  return uint64_t((static_cast<unsigned __int128>(index) * factor + offset) %
                  count);
}
