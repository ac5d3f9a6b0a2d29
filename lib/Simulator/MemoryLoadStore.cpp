//===- MemoryLoadStore.cpp - Loads and stores of every address space ------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 and CDNA4 ISA manuals, "FLAT, Scratch and Global
// Instructions" and "MUBUF Instructions".
//
//===----------------------------------------------------------------------===//

#include "MemoryLoads.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

/// Indices of the operands of a store, which are printed in another order for
/// buffers than for the other spaces.
template <typename Space> struct StoreOperands {
  static constexpr unsigned kAddress = Space::kDataFirst ? 1 : 0;
  static constexpr unsigned kData = Space::kDataFirst ? 0 : 1;
  static constexpr unsigned kScalar = 2;
};

template <typename Space, unsigned Dwords>
void storeDwords(Wave &wave, const Instruction &inst) {
  using Ops = StoreOperands<Space>;
  LanePointers pointers;
  if (!Space::resolve(wave, inst, Ops::kAddress, Ops::kScalar, Dwords * 4,
                      Access::Write, pointers))
    return;
  unsigned first = inst.ops[Ops::kData].index;
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t words[Dwords];
    for (unsigned word = 0; word < Dwords; ++word)
      words[word] = wave.vgpr[first + word][lane];
    memcpy(pointers.at(lane), words, sizeof words);
  }
  finishStore(wave, pointers);
}

/// Stores the low bits of a register shifted right by `Shift`.
template <typename Space, typename Raw, unsigned Shift>
void storeSmall(Wave &wave, const Instruction &inst) {
  using Ops = StoreOperands<Space>;
  LanePointers pointers;
  if (!Space::resolve(wave, inst, Ops::kAddress, Ops::kScalar, sizeof(Raw),
                      Access::Write, pointers))
    return;
  const uint32_t *data = wave.vgpr[inst.ops[Ops::kData].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    Raw raw = Raw(data[lane] >> Shift);
    memcpy(pointers.at(lane), &raw, sizeof raw);
  }
}

} // namespace

#define MLA_SIM_LOADS(prefix, space)                                           \
  {prefix "_load_dword", loadDwords<space, 1>},                                \
      {prefix "_load_dwordx2", loadDwords<space, 2>},                          \
      {prefix "_load_dwordx3", loadDwords<space, 3>},                          \
      {prefix "_load_dwordx4", loadDwords<space, 4>},                          \
      {prefix "_load_ubyte", loadSmall<space, uint8_t, Part::Whole>},          \
      {prefix "_load_sbyte", loadSmall<space, int8_t, Part::Whole>},           \
      {prefix "_load_ushort", loadSmall<space, uint16_t, Part::Whole>},        \
      {prefix "_load_sshort", loadSmall<space, int16_t, Part::Whole>},         \
      {prefix "_load_ubyte_d16", loadSmall<space, uint8_t, Part::Low>},        \
      {prefix "_load_ubyte_d16_hi", loadSmall<space, uint8_t, Part::High>},    \
      {prefix "_load_sbyte_d16", loadSmall<space, int8_t, Part::Low>},         \
      {prefix "_load_sbyte_d16_hi", loadSmall<space, int8_t, Part::High>},     \
      {prefix "_load_short_d16", loadSmall<space, uint16_t, Part::Low>}, {     \
    prefix "_load_short_d16_hi", loadSmall<space, uint16_t, Part::High>        \
  }

#define MLA_SIM_STORES(prefix, space)                                          \
  {prefix "_store_dword", storeDwords<space, 1>},                              \
      {prefix "_store_dwordx2", storeDwords<space, 2>},                        \
      {prefix "_store_dwordx3", storeDwords<space, 3>},                        \
      {prefix "_store_dwordx4", storeDwords<space, 4>},                        \
      {prefix "_store_byte", storeSmall<space, uint8_t, 0>},                   \
      {prefix "_store_byte_d16_hi", storeSmall<space, uint8_t, 16>},           \
      {prefix "_store_short", storeSmall<space, uint16_t, 0>}, {               \
    prefix "_store_short_d16_hi", storeSmall<space, uint16_t, 16>              \
  }

void registerLoadsAndStores(HandlerTable &table) {
  static constexpr HandlerTable::Row loads[] = {
      MLA_SIM_LOADS("global", GlobalSpace),
      MLA_SIM_LOADS("flat", FlatSpace),
      MLA_SIM_LOADS("scratch", ScratchSpace),
  };
  table.add(loads, InstructionClass::GlobalLoad);
  static constexpr HandlerTable::Row stores[] = {
      MLA_SIM_STORES("global", GlobalSpace),
      MLA_SIM_STORES("flat", FlatSpace),
      MLA_SIM_STORES("scratch", ScratchSpace),
      MLA_SIM_STORES("buffer", BufferSpace),
  };
  table.add(stores, InstructionClass::GlobalStore);
}

} // namespace mla::sim::MLA_SIM_VARIANT
