//===- MemoryToLds.cpp - Loads that go from global memory to LDS ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LDS address = M0 + instruction offset + lane * size; the size of bytes and
// halves is a dword, and the instruction offset counts for the global address
// as well (CDNA3 ISA, "Memory Buffer Load to LDS" and "Global and Scratch load
// to LDS"; 96 and 128 bits: CDNA4 ISA, the same sections). Lanes that EXEC
// turns off leave their place as it is.
//
//===----------------------------------------------------------------------===//

#include "MemoryLoads.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

/// Loads `Bytes` bytes a lane; bytes and halves are widened to a dword.
template <typename Space, unsigned Bytes, bool Signed>
void loadToLds(Wave &wave, const Instruction &inst) {
  LanePointers pointers;
  if (!Space::resolve(wave, inst, 0, 1, Bytes, Access::Read, pointers))
    return;
  constexpr unsigned size = Bytes < 4 ? 4 : Bytes;
  uint64_t base = (wave.sgpr[kM0] & wave.group->ldsAddressMask) +
                  uint64_t(int64_t(inst.mods.offset));
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!wave.active(lane))
      continue;
    uint64_t host;
    if (!ldsPointer(wave, inst, lane, base + lane * size, size, Access::Write,
                    host))
      return;
    uint8_t bytes[size] = {};
    memcpy(bytes, pointers.at(lane), Bytes);
    if (Signed && bytes[Bytes - 1] & 0x80)
      memset(bytes + Bytes, 0xFF, size - Bytes);
    memcpy(reinterpret_cast<void *>(host), bytes, size);
  }
}

/// A buffer load is spelt the same with `lds` and without.
template <Handler Plain, Handler Lds> Handler choose(Instruction &inst) {
  return inst.mods.lds ? Lds : Plain;
}

template <unsigned Dwords> constexpr Selector dwords() {
  if constexpr (Dwords == 2)
    return choose<loadDwords<BufferSpace, 2>, nullptr>;
  else
    return choose<loadDwords<BufferSpace, Dwords>,
                  loadToLds<BufferSpace, Dwords * 4, false>>;
}

template <typename Raw> constexpr Selector small() {
  return choose<loadSmall<BufferSpace, Raw, Part::Whole>,
                loadToLds<BufferSpace, sizeof(Raw), Raw(-1) < Raw(0)>>;
}

template <typename Raw, Part Place> constexpr Selector half() {
  return choose<loadSmall<BufferSpace, Raw, Place>, nullptr>;
}

} // namespace

void registerDirectToLds(HandlerTable &table) {
#define MLA_SIM_GLOBAL_LDS(suffix, bytes, sign)                                \
  {"global_load_lds_" suffix, loadToLds<GlobalSpace, bytes, sign>}, {          \
    "scratch_load_lds_" suffix, loadToLds<ScratchSpace, bytes, sign>           \
  }
  static constexpr HandlerTable::Row rows[] = {
      MLA_SIM_GLOBAL_LDS("ubyte", 1, false),
      MLA_SIM_GLOBAL_LDS("sbyte", 1, true),
      MLA_SIM_GLOBAL_LDS("ushort", 2, false),
      MLA_SIM_GLOBAL_LDS("sshort", 2, true),
      MLA_SIM_GLOBAL_LDS("dword", 4, false),
      MLA_SIM_GLOBAL_LDS("dwordx3", 12, false),
      MLA_SIM_GLOBAL_LDS("dwordx4", 16, false),
  };
  table.add(rows, InstructionClass::GlobalLoad);
  static constexpr HandlerTable::SelectorRow bufferRows[] = {
      {"buffer_load_dword", dwords<1>()},
      {"buffer_load_dwordx2", dwords<2>()},
      {"buffer_load_dwordx3", dwords<3>()},
      {"buffer_load_dwordx4", dwords<4>()},
      {"buffer_load_ubyte", small<uint8_t>()},
      {"buffer_load_sbyte", small<int8_t>()},
      {"buffer_load_ushort", small<uint16_t>()},
      {"buffer_load_sshort", small<int16_t>()},
      {"buffer_load_ubyte_d16", half<uint8_t, Part::Low>()},
      {"buffer_load_ubyte_d16_hi", half<uint8_t, Part::High>()},
      {"buffer_load_sbyte_d16", half<int8_t, Part::Low>()},
      {"buffer_load_sbyte_d16_hi", half<int8_t, Part::High>()},
      {"buffer_load_short_d16", half<uint16_t, Part::Low>()},
      {"buffer_load_short_d16_hi", half<uint16_t, Part::High>()},
  };
  table.add(bufferRows, InstructionClass::GlobalLoad);
}

} // namespace mla::sim::MLA_SIM_VARIANT
