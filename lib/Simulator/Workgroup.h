//===- Workgroup.h - The state that waves of a workgroup share  -*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_LIB_SIMULATOR_WORKGROUP_H
#define MLA_LIB_SIMULATOR_WORKGROUP_H

#include "DeviceMemory.h"
#include "Wave.h"

#include <cstdint>
#include <string>

namespace mla::sim {

class Launch;
class Program;

struct Workgroup {
  const Program *program = nullptr;
  Launch *launch = nullptr;
  /// Takes the sentence of a fault where there is no launch.
  std::string *faultText = nullptr;
  const DeviceMemory *memory = nullptr;

  uint8_t *lds = nullptr;
  uint32_t ldsBytes = 0;
  /// Bits of M0 that count as LDS address: 16 where the LDS has 64 KiB.
  uint32_t ldsAddressMask = 0xFFFF;
  /// LDS memory is this much longer than ldsBytes, rounded up to 16: where
  /// inactive lanes write.
  static constexpr uint32_t kLdsSinkBytes = 64;
  MLA_SIM_INLINE uint32_t ldsSink() const { return (ldsBytes + 15) & ~15u; }
  /// Private memory: of wave w and lane l at (w * 64 + l) * privateBytes.
  uint8_t *scratch = nullptr;
  uint32_t privateBytes = 0;

  Wave *waves = nullptr;
  uint32_t numWaves = 0;
  uint32_t id[3] = {0, 0, 0};
  uint64_t linearId = 0;

  /// The allocation that global memory instructions found last; most
  /// accesses of a loop stay in it.
  MemoryWindow window;

  /// Where loads without a target read zeros and stores without one write.
  alignas(64) uint8_t zeros[64] = {};
  alignas(64) uint8_t sink[64] = {};
  /// Copies for lanes of a buffer access that are in range only in part.
  alignas(64) uint8_t bounce[kLanes][16] = {};

  /// Makes `window` the allocation that holds [address, address + bytes).
  /// False if there is none.
  bool locate(uint64_t address, uint64_t bytes);
  /// Stops the wave: the access of `bytes` bytes at a global address is not
  /// allowed. `doing` is "reads" or "writes".
  void faultGlobal(Wave &wave, const Instruction &inst, int lane,
                   const char *doing, uint64_t bytes, uint64_t address);

  MLA_SIM_INLINE uint8_t *laneScratch(const Wave &wave, int lane) {
    return scratch + (uint64_t(wave.id) * kLanes + lane) * privateBytes;
  }
};

/// The instruction at a device address of the workgroup's program, or null.
const Instruction *findInstruction(const Workgroup &group, uint64_t address);

/// Executes instructions while the wave runs in a special mode.
void runModal(Wave &wave);

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_WORKGROUP_H
