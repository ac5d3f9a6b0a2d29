//===- LdsBanks.cpp - Cycles that LDS accesses take -----------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LdsBanks.h"

#include <algorithm>
#include <array>

using namespace mla;
using namespace mla::sim;

namespace {

using LaneOrder = std::array<uint8_t, 64>;

/// Quarters of 4 lanes, in the order in which the phases take them; lanes 32 to
/// 63 follow alike.
constexpr LaneOrder orderOf(const std::array<uint8_t, 8> &quarters) {
  LaneOrder order{};
  for (unsigned i = 0; i < 64; ++i)
    order[i] = uint8_t(i / 32 * 32 + quarters[i % 32 / 4] * 4 + i % 4);
  return order;
}

constexpr LaneOrder kInOrder = orderOf({0, 1, 2, 3, 4, 5, 6, 7});
/// Reads of 16 bytes a lane on gfx942, 8 lanes a phase, and of 12 bytes on both
/// chips (triton-lang/triton pull request 11365; HipKittens,
/// analysis/paper_experiments/phases/ds_read_b96, measured).
constexpr LaneOrder kEights = orderOf({0, 5, 1, 4, 2, 7, 3, 6});
/// Reads of 16 bytes a lane on gfx950, 16 lanes a phase (the same sources,
/// ds_read_b128).
constexpr LaneOrder kSixteens = orderOf({0, 3, 5, 6, 1, 2, 4, 7});

} // namespace

LdsTiming sim::ldsTiming(const targets::ChipRates &rates, unsigned bytes,
                         bool write) {
  constexpr unsigned bankBytes = 4, twelve = 12, sixteen = 16;
  const uint8_t others = targets::kLdsOtherBanks;
  // Phases of writes, and of reads of 8 bytes, go through the lanes in order
  // (Composable Kernel documentation, "Understanding AMD GPU LDS and Bank
  // Conflicts", ds_write_b128; HipKittens, ds_read_b64 and ds_write_b64). For
  // narrower accesses and for gfx942's reads of 8 bytes the same is assumed,
  // with 32 lanes of 4 bytes a phase on either chip.
  if (write)
    return {others,
            uint8_t(bytes == twelve
                        ? 8
                        : others * bankBytes / std::max(bytes, bankBytes)),
            kInOrder.data()};
  if (bytes == twelve)
    return {others, 8, kEights.data()};
  auto banks = uint8_t(rates.ldsReadBanks);
  if (bytes == sixteen)
    return {banks, uint8_t(banks / 4),
            banks == others ? kEights.data() : kSixteens.data()};
  if (bytes > bankBytes)
    return {banks, uint8_t(banks / 2), kInOrder.data()};
  return {banks, others, kInOrder.data()};
}

LdsCycles sim::ldsCycles(const LdsTiming &timing, const uint32_t *addresses,
                         uint64_t exec, unsigned bytes) {
  constexpr unsigned mostBanks = 64, mostDwords = 128;
  LdsCycles cycles;
  uint32_t dwords[mostBanks][mostDwords];
  for (unsigned first = 0; first < 64; first += timing.lanesPerPhase) {
    uint8_t used[mostBanks] = {};
    uint32_t needed = 1;
    for (unsigned i = first; i < first + timing.lanesPerPhase; ++i) {
      unsigned lane = timing.order[i];
      if (!(exec >> lane & 1))
        continue;
      uint32_t last = (addresses[lane] + bytes - 1) / 4;
      for (uint32_t dword = addresses[lane] / 4; dword <= last; ++dword) {
        unsigned bank = dword % timing.banks;
        uint32_t *known = dwords[bank], *end = known + used[bank];
        if (std::find(known, end, dword) != end)
          continue;
        *end = dword;
        needed = std::max<uint32_t>(needed, ++used[bank]);
      }
    }
    cycles.all += needed;
    cycles.conflict += needed - 1;
  }
  return cycles;
}
