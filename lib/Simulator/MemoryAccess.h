//===- MemoryAccess.h - Where the lanes of a memory instruction point -*- C++
//-*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every address space turns its operands into one host pointer a lane. Lanes
// that EXEC turns off point to something harmless, so that the loops that
// move data need no test; results are written under EXEC.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_MEMORYACCESS_H
#define MLA_LIB_SIMULATOR_MEMORYACCESS_H

#include "Apertures.h"
#include "HandlerTable.h"
#include "Lanes.h"
#include "Workgroup.h"

#include <bit>

namespace mla::sim::MLA_SIM_VARIANT {

enum class Access : uint8_t { Read, Write };

struct LanePointers {
  /// Device addresses, then (the same for global memory) host addresses.
  alignas(64) uint64_t lane[kLanes];
  /// Lanes whose store goes to Workgroup::bounce and of which only the first
  /// validBytes belong to memory, at `real`.
  uint64_t partial;
  uint64_t real[kLanes];
  uint8_t validBytes[kLanes];

  MLA_SIM_INLINE uint8_t *at(int index) const {
    return reinterpret_cast<uint8_t *>(lane[index]);
  }
};

MLA_SIM_INLINE uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

/// Checks device addresses of the active lanes against the allocations, and
/// redirects inactive lanes of a store. False after a fault, and when no lane
/// is active.
MLA_SIM_INLINE bool checkGlobal(Wave &wave, const Instruction &inst,
                                unsigned bytes, Access access,
                                LanePointers &pointers) {
  uint64_t exec = wave.exec();
  if (!exec)
    return false;
  Workgroup &group = *wave.group;
  uint64_t *address = pointers.lane;
  if (exec != ~uint64_t(0)) {
    uint64_t some = address[std::countr_zero(exec)];
    MLA_SIM_LANES(lane)
    address[lane] = wave.execLanes[lane] ? address[lane] : some;
  }
  uint64_t lowest = address[0], highest = address[0];
  for (int lane = 1; lane < kLanes; ++lane) {
    lowest = address[lane] < lowest ? address[lane] : lowest;
    highest = address[lane] > highest ? address[lane] : highest;
  }
  const MemoryWindow &window = group.window;
  bool write = access == Access::Write;
  if (!window.holds(lowest, highest, bytes) || (write && !window.writable))
    for (int lane = 0; lane < kLanes; ++lane) {
      uint64_t first = address[lane];
      if (!window.holds(first, first, bytes) && !group.locate(first, bytes)) {
        group.faultGlobal(wave, inst, lane, write ? "writes" : "reads", bytes,
                          first);
        return false;
      }
      if (write && !window.writable) {
        group.faultGlobal(wave, inst, lane, "writes", bytes, first);
        return false;
      }
    }
  if (write && exec != ~uint64_t(0)) {
    uint64_t sink = addressOf(group.sink);
    MLA_SIM_LANES(lane)
    address[lane] = wave.execLanes[lane] ? address[lane] : sink;
  }
  return true;
}

/// Host address of LDS bytes, or a fault.
MLA_SIM_INLINE bool ldsPointer(Wave &wave, const Instruction &inst, int lane,
                               uint64_t address, unsigned bytes, Access access,
                               uint64_t &host) {
  Workgroup &group = *wave.group;
  if (address > group.ldsBytes || bytes > group.ldsBytes - address) {
    wave.fault(inst, lane,
               "%s %u bytes at LDS address %llu, the workgroup has %u bytes",
               access == Access::Write ? "writes" : "reads", bytes,
               static_cast<unsigned long long>(address), group.ldsBytes);
    return false;
  }
  host = addressOf(group.lds + address);
  return true;
}

MLA_SIM_INLINE bool scratchPointer(Wave &wave, const Instruction &inst,
                                   int lane, int64_t offset, unsigned bytes,
                                   Access access, uint64_t &host) {
  Workgroup &group = *wave.group;
  if (offset < 0 || offset + bytes > group.privateBytes) {
    wave.fault(inst, lane,
               "%s %u bytes at private address %lld, a lane has %u bytes",
               access == Access::Write ? "writes" : "reads", bytes,
               static_cast<long long>(offset), group.privateBytes);
    return false;
  }
  host = addressOf(group.laneScratch(wave, lane) + offset);
  return true;
}

/// Calls f(lane, host&) for active lanes; the others get the sink or zeros.
template <typename F>
MLA_SIM_INLINE bool eachLane(Wave &wave, Access access, LanePointers &pointers,
                             F f) {
  uint64_t exec = wave.exec();
  if (!exec)
    return false;
  uint64_t idle =
      addressOf(access == Access::Write ? wave.group->sink : wave.group->zeros);
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!(exec >> lane & 1))
      pointers.lane[lane] = idle;
    else if (!f(lane, pointers.lane[lane]))
      return false;
  }
  return true;
}

/// 64-bit sums of a vector address (64 bits, or 32 with a scalar base) and
/// the instruction's offset.
MLA_SIM_INLINE void globalAddresses(const Wave &wave, const Operand &vector,
                                    const Operand *scalar, int64_t offset,
                                    LanePointers &pointers) {
  const uint32_t *low = wave.vgpr[vector.index];
  if (scalar && scalar->isSgpr()) {
    uint64_t base = wave.readSgpr64(scalar->index) + offset;
    MLA_SIM_LANES(lane)
    pointers.lane[lane] = base + low[lane];
    return;
  }
  const uint32_t *high = wave.vgpr[vector.index + 1];
  MLA_SIM_LANES(lane)
  pointers.lane[lane] =
      (low[lane] | uint64_t(high[lane]) << 32) + uint64_t(offset);
}

/// The address spaces. `address` is the index of the first address operand,
/// `scalar` that of the scalar base where there is one.
struct GlobalSpace {
  static constexpr bool kDataFirst = false;
  static MLA_SIM_INLINE bool resolve(Wave &wave, const Instruction &inst,
                                     unsigned address, unsigned scalar,
                                     unsigned bytes, Access access,
                                     LanePointers &pointers) {
    pointers.partial = 0;
    globalAddresses(wave, inst.ops[address], &inst.ops[scalar],
                    inst.mods.offset, pointers);
    return checkGlobal(wave, inst, bytes, access, pointers);
  }
};

struct FlatSpace {
  static constexpr bool kDataFirst = false;
  static MLA_SIM_INLINE bool resolve(Wave &wave, const Instruction &inst,
                                     unsigned address, unsigned, unsigned bytes,
                                     Access access, LanePointers &pointers) {
    pointers.partial = 0;
    globalAddresses(wave, inst.ops[address], nullptr, inst.mods.offset,
                    pointers);
    uint64_t special = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t high = uint32_t(pointers.lane[lane] >> 32);
      special |= uint64_t(high == uint32_t(kSharedBase >> 32) ||
                          high == uint32_t(kPrivateBase >> 32))
                 << lane;
    }
    if (!(special & wave.exec()))
      return checkGlobal(wave, inst, bytes, access, pointers);
    return eachLane(wave, access, pointers, [&](int lane, uint64_t &host) {
      uint64_t flat = host;
      uint32_t high = uint32_t(flat >> 32);
      if (high == uint32_t(kSharedBase >> 32))
        return ldsPointer(wave, inst, lane, uint32_t(flat), bytes, access,
                          host);
      if (high == uint32_t(kPrivateBase >> 32))
        return scratchPointer(wave, inst, lane, uint32_t(flat), bytes, access,
                              host);
      Workgroup &group = *wave.group;
      bool write = access == Access::Write;
      if ((!group.window.holds(flat, flat, bytes) &&
           !group.locate(flat, bytes)) ||
          (write && !group.window.writable)) {
        group.faultGlobal(wave, inst, lane, write ? "writes" : "reads", bytes,
                          flat);
        return false;
      }
      return true;
    });
  }
};

/// Private memory: every lane's own bytes, addressed from 0.
struct ScratchSpace {
  static constexpr bool kDataFirst = false;
  static MLA_SIM_INLINE bool resolve(Wave &wave, const Instruction &inst,
                                     unsigned address, unsigned scalar,
                                     unsigned bytes, Access access,
                                     LanePointers &pointers) {
    pointers.partial = 0;
    const Operand &vector = inst.ops[address];
    const Operand &base = inst.ops[scalar];
    int64_t common =
        int64_t(inst.mods.offset) + (base.isSgpr() ? wave.sgpr[base.index] : 0);
    return eachLane(wave, access, pointers, [&](int lane, uint64_t &host) {
      int64_t offset =
          common + (vector.isVgpr() ? wave.vgpr[vector.index][lane] : 0);
      return scratchPointer(wave, inst, lane, offset, bytes, access, host);
    });
  }
};

/// Buffers through a resource descriptor: out-of-range reads give 0 and
/// out-of-range writes are dropped (CDNA3 ISA, "Buffer Addressing" and "Range
/// Checking"). What the descriptor allows must still be allocated.
struct BufferSpace {
  static constexpr bool kDataFirst = true;
  static bool resolve(Wave &wave, const Instruction &inst, unsigned address,
                      unsigned scalar, unsigned bytes, Access access,
                      LanePointers &pointers);
};

/// Completes a store whose lanes were in range in part.
MLA_SIM_INLINE void finishStore(Wave &wave, const LanePointers &pointers) {
  for (uint64_t left = pointers.partial; left; left &= left - 1) {
    int lane = std::countr_zero(left);
    memcpy(reinterpret_cast<void *>(pointers.real[lane]),
           wave.group->bounce[lane], pointers.validBytes[lane]);
  }
}

void registerScalarMemory(HandlerTable &table);
void registerScalarMemoryWrites(HandlerTable &table);
void registerLoadsAndStores(HandlerTable &table);
void registerDirectToLds(HandlerTable &table);
void registerMemoryAtomics(HandlerTable &table);
void registerLds(HandlerTable &table);
void registerLdsAtomics(HandlerTable &table);
void registerLdsCrossLane(HandlerTable &table);

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_MEMORYACCESS_H
