//===- InstructionCost.h - What an instruction costs, told once -*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_INSTRUCTIONCOST_H
#define MLA_LIB_SIMULATOR_INSTRUCTIONCOST_H

#include "HandlerTable.h"
#include "mla/Targets/Chips.h"

namespace mla::sim {

/// What a memory instruction does to which memory.
enum class MemoryUse : uint8_t {
  None,
  GlobalLoad,
  GlobalStore,
  GlobalAtomic,
  LdsRead,
  LdsWrite,
  /// Lanes exchange data through the LDS hardware, but not through the banks.
  LdsExchange,
  ScalarLoad,
  CacheControl, ///< Counts as a vector memory operation without bytes.
};

enum class MemorySpace : uint8_t { Global, Flat, Scratch, Buffer };

/// What the statistics need to know of a static instruction.
struct InstructionCost {
  uint16_t valuCycles = 0;   ///< Of its SIMD.
  uint16_t matrixCycles = 0; ///< Of its SIMD's matrix core.
  uint16_t issueCycles = 4;  ///< Until the wave can issue the next one.
  MemoryUse use = MemoryUse::None;
  MemorySpace space = MemorySpace::Global;
  bool toLds = false; ///< A global load that goes to LDS.
  uint8_t bytes = 0;  ///< A lane and access; a scalar load's in all.
  /// Indices of the operands that hold the address and the scalar base.
  uint8_t address = 0, scalar = 0;
  /// LDS pairs: the unit of both offsets in bytes; 0 for single accesses.
  uint16_t pairUnit = 0;
};

InstructionCost instructionCost(const Instruction &inst, InstructionClass kind,
                                const targets::Chip &chip);

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_INSTRUCTIONCOST_H
