//===- MemoryLoads.h - Loads into registers, for every address space -*- C++
//-*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_LIB_SIMULATOR_MEMORYLOADS_H
#define MLA_LIB_SIMULATOR_MEMORYLOADS_H

#include "MemoryAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// Indices of the operands of a load.
template <typename Space> struct LoadOperands {
  static constexpr unsigned kData = 0, kAddress = 1, kScalar = 2;
};
/// Loads `Dwords` registers a lane.
template <typename Space, unsigned Dwords>
void loadDwords(Wave &wave, const Instruction &inst) {
  using Ops = LoadOperands<Space>;
  LanePointers pointers;
  if (!Space::resolve(wave, inst, Ops::kAddress, Ops::kScalar, Dwords * 4,
                      Access::Read, pointers))
    return;
  unsigned first = inst.ops[Ops::kData].index;
  if (wave.allLanes()) {
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t words[Dwords];
      memcpy(words, pointers.at(lane), sizeof words);
      for (unsigned word = 0; word < Dwords; ++word)
        wave.vgpr[first + word][lane] = words[word];
    }
    return;
  }
  LaneArray values[Dwords];
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t words[Dwords];
    memcpy(words, pointers.at(lane), sizeof words);
    for (unsigned word = 0; word < Dwords; ++word)
      values[word].lane[lane] = words[word];
  }
  for (unsigned word = 0; word < Dwords; ++word)
    writeLanes(wave, first + word, values[word].lane);
}

/// Where a loaded byte or half goes in the register.
enum class Part : uint8_t { Whole, Low, High };

/// Loads a byte or half (`Raw`) widened as its signedness says.
template <typename Space, typename Raw, Part Place>
void loadSmall(Wave &wave, const Instruction &inst) {
  using Ops = LoadOperands<Space>;
  LanePointers pointers;
  if (!Space::resolve(wave, inst, Ops::kAddress, Ops::kScalar, sizeof(Raw),
                      Access::Read, pointers))
    return;
  unsigned index = inst.ops[Ops::kData].index;
  LaneArray values;
  for (int lane = 0; lane < kLanes; ++lane) {
    Raw raw;
    memcpy(&raw, pointers.at(lane), sizeof raw);
    uint32_t wide = uint32_t(int32_t(raw));
    uint32_t old = wave.vgpr[index][lane];
    if constexpr (Place == Part::Low)
      wide = (old & 0xFFFF0000) | (wide & 0xFFFF);
    else if constexpr (Place == Part::High)
      wide = (old & 0xFFFF) | wide << 16;
    values.lane[lane] = wide;
  }
  writeLanes(wave, index, values.lane);
}

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_MEMORYLOADS_H
