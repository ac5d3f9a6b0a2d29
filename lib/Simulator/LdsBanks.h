//===- LdsBanks.h - Cycles that LDS accesses take ---------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_LDSBANKS_H
#define MLA_LIB_SIMULATOR_LDSBANKS_H

#include "mla/Targets/ChipRates.h"

#include <cstdint>

namespace mla::sim {

/// How the banks serve the lanes of an instruction: in phases, each for some
/// of the lanes, which in one cycle can reach a dword of every bank.
struct LdsTiming {
  uint8_t banks;
  uint8_t lanesPerPhase;
  /// The 64 lanes in the order of the phases.
  const uint8_t *order;
};

/// Of accesses of `bytes` bytes a lane.
LdsTiming ldsTiming(const targets::ChipRates &rates, unsigned bytes,
                    bool write);

struct LdsCycles {
  uint32_t all = 0;
  /// Those that there would not be if no two lanes of a phase wanted different
  /// dwords of one bank.
  uint32_t conflict = 0;
};

/// Cycles that the banks are busy when the lanes of `exec` access `bytes` bytes
/// at their LDS addresses. Lanes that want the same dword share the access.
LdsCycles ldsCycles(const LdsTiming &timing, const uint32_t *addresses,
                    uint64_t exec, unsigned bytes);

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_LDSBANKS_H
