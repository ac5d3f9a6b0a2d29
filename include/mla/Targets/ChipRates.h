//===- ChipRates.h - How fast the parts of a chip are -----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the estimate of time is made of (docs/estimate.md), beside the facts of
// Chips.h. Each constant names its source; "assumed" is a source too: nobody
// here has measured it.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TARGETS_CHIPRATES_H
#define MLA_TARGETS_CHIPRATES_H

#include "mla/Targets/Chips.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace mla::targets {

/// Memory moves in pieces of this size (rocprofiler-compute
/// documentation, "L2 cache": requests of 64 bytes).
inline constexpr int32_t kSegmentBytes = 64;

/// A SIMD takes a 32-bit operation of 64 lanes in 4 cycles: it is 16 lanes wide
/// (CDNA3 white paper, "Compute units"; CDNA3 ISA, "Wavefront"). f64 and packed
/// f32 run at the same rate (peak rates of the data sheets).
inline constexpr int32_t kValuCycles = 4;
/// Transcendental operations and conversions of the quarter-rate unit
/// (LLVM 22, SISchedule.td: WriteTrans32, WriteTrans64, WriteFloatCvt, four
/// times the latency of full-rate operations).
inline constexpr int32_t kQuarterRateCycles = 16;
/// A pass of the matrix core (CDNA3 ISA, "Dependency Resolution: Required
/// Independent Instructions": passes are of 4 cycles).
inline constexpr int32_t kPassCycles = 4;
/// A wave issues at most one instruction in 4 cycles: the scheduler of a
/// compute unit turns to each of its four SIMDs in turn (rocprofiler-compute
/// documentation, "Pipeline descriptions": Scheduler).
inline constexpr int32_t kIssueCycles = 4;

/// From an LDS instruction to its data, beside the cycles that it keeps the
/// banks busy (assumed).
inline constexpr int32_t kLdsLatencyCycles = 64;
/// From a scalar load to its data, found in L2 (assumed).
inline constexpr int32_t kScalarLatencyCycles = 200;

/// From the end of one kernel to the first instruction of the next in a queue
/// or graph (assumed; published measurements lie between 2 and 6 µs).
inline constexpr double kLaunchSeconds = 3e-6;

/// Waves that a SIMD holds (CDNA3 ISA, "Wave state").
inline constexpr int32_t kWavesPerSimd = 8;

/// Banks of LDS, 4 bytes each, that one instruction can use in a cycle.
struct ChipRates {
  std::string_view chip;
  /// For reads of 4, 8 and 16 bytes a lane; 32 for all others. gfx942: CDNA3
  /// ISA, "Data Share": 32 banks. gfx950: CDNA4 white paper, "doubles the read
  /// bandwidth to 256 bytes a clock"; measured by HipKittens
  /// (HazyResearch/HipKittens, analysis/paper_experiments/phases): 64 for
  /// ds_read_b64 and ds_read_b128, 32 for ds_read_b96 and ds_write_b64.
  int32_t ldsReadBanks;
};

/// Of reads of 12 bytes a lane and of all writes, on both chips.
inline constexpr int32_t kLdsOtherBanks = 32;

inline constexpr std::array<ChipRates, 2> kChipRates = {{
    {"gfx942", 32},
    {"gfx950", 64},
}};

/// The rates of a chip that findChip knows.
constexpr const ChipRates &chipRates(const Chip &chip) {
  for (const ChipRates &rates : kChipRates)
    if (rates.chip == chip.name)
      return rates;
  return kChipRates.front();
}

} // namespace mla::targets

#endif // MLA_TARGETS_CHIPRATES_H
