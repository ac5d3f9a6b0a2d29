//===- LdsAccess.h - Addresses of LDS instructions --------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_LIB_SIMULATOR_LDSACCESS_H
#define MLA_LIB_SIMULATOR_LDSACCESS_H

#include "MemoryAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// Byte addresses in LDS of all lanes. Inactive lanes of a write point behind
/// the workgroup's memory (Workgroup::ldsSink), of a read to its begin.
struct LdsAddresses {
  alignas(64) uint32_t lane[kLanes];
};

/// Adds the offset as hardware does, modulo 2^32, and checks the active lanes.
/// False after a fault, and when no lane is active.
MLA_SIM_INLINE bool ldsAddresses(Wave &wave, const Instruction &inst,
                                 const Operand &base, uint32_t offset,
                                 unsigned bytes, Access access,
                                 LdsAddresses &addresses) {
  if (!wave.exec())
    return false;
  const Workgroup &group = *wave.group;
  const uint32_t *vector = wave.vgpr[base.index];
  uint32_t idle = access == Access::Write ? group.ldsSink() : 0;
  uint32_t highest = 0;
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t address = vector[lane] + offset;
    uint32_t checked = address & wave.execLanes[lane];
    highest = checked > highest ? checked : highest;
    addresses.lane[lane] = wave.execLanes[lane] ? address : idle;
  }
  if (uint64_t(highest) + bytes <= group.ldsBytes)
    return true;
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t host;
    if (wave.active(lane) && !ldsPointer(wave, inst, lane, addresses.lane[lane],
                                         bytes, access, host))
      break;
  }
  return false;
}

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_LDSACCESS_H
