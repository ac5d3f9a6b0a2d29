//===- Lds.cpp - Reads and writes of LDS ----------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 and CDNA4 ISA manuals, "DS Instructions". The pairs take
// offsets in units of the element, the st64 forms in units of 64 elements.
//
//===----------------------------------------------------------------------===//

#include "LdsAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

template <unsigned Dwords>
MLA_SIM_INLINE void readDwords(Wave &wave, unsigned first,
                               const LdsAddresses &addresses) {
  const uint8_t *lds = wave.group->lds;
  if (wave.allLanes()) {
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t words[Dwords];
      memcpy(words, lds + addresses.lane[lane], sizeof words);
      for (unsigned word = 0; word < Dwords; ++word)
        wave.vgpr[first + word][lane] = words[word];
    }
    return;
  }
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!wave.active(lane))
      continue;
    uint32_t words[Dwords];
    memcpy(words, lds + addresses.lane[lane], sizeof words);
    for (unsigned word = 0; word < Dwords; ++word)
      wave.vgpr[first + word][lane] = words[word];
  }
}

template <unsigned Dwords>
MLA_SIM_INLINE void writeDwords(Wave &wave, unsigned first,
                                const LdsAddresses &addresses) {
  uint8_t *lds = wave.group->lds;
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t words[Dwords];
    for (unsigned word = 0; word < Dwords; ++word)
      words[word] = wave.vgpr[first + word][lane];
    memcpy(lds + addresses.lane[lane], words, sizeof words);
  }
}

template <unsigned Dwords> void read(Wave &wave, const Instruction &inst) {
  LdsAddresses addresses;
  if (ldsAddresses(wave, inst, inst.ops[1], uint32_t(inst.mods.offset),
                   Dwords * 4, Access::Read, addresses))
    readDwords<Dwords>(wave, inst.ops[0].index, addresses);
}

template <unsigned Dwords> void write(Wave &wave, const Instruction &inst) {
  LdsAddresses addresses;
  if (ldsAddresses(wave, inst, inst.ops[0], uint32_t(inst.mods.offset),
                   Dwords * 4, Access::Write, addresses))
    writeDwords<Dwords>(wave, inst.ops[1].index, addresses);
}

/// Both addresses are taken before the first result is written: it may lie in
/// the address register.
template <unsigned Dwords, unsigned Stride>
void readPair(Wave &wave, const Instruction &inst) {
  constexpr unsigned unit = Dwords * 4 * Stride;
  LdsAddresses first, second;
  if (!ldsAddresses(wave, inst, inst.ops[1], inst.mods.offset * unit,
                    Dwords * 4, Access::Read, first) ||
      !ldsAddresses(wave, inst, inst.ops[1], inst.mods.offset1 * unit,
                    Dwords * 4, Access::Read, second))
    return;
  readDwords<Dwords>(wave, inst.ops[0].index, first);
  readDwords<Dwords>(wave, inst.ops[0].index + Dwords, second);
}

template <unsigned Dwords, unsigned Stride>
void writePair(Wave &wave, const Instruction &inst) {
  constexpr unsigned unit = Dwords * 4 * Stride;
  LdsAddresses first, second;
  if (!ldsAddresses(wave, inst, inst.ops[0], inst.mods.offset * unit,
                    Dwords * 4, Access::Write, first) ||
      !ldsAddresses(wave, inst, inst.ops[0], inst.mods.offset1 * unit,
                    Dwords * 4, Access::Write, second))
    return;
  writeDwords<Dwords>(wave, inst.ops[1].index, first);
  writeDwords<Dwords>(wave, inst.ops[2].index, second);
}

enum class Half : uint8_t { Whole, Low, High };

template <typename Raw, Half Place>
void readSmall(Wave &wave, const Instruction &inst) {
  LdsAddresses addresses;
  if (!ldsAddresses(wave, inst, inst.ops[1], uint32_t(inst.mods.offset),
                    sizeof(Raw), Access::Read, addresses))
    return;
  const uint8_t *lds = wave.group->lds;
  uint32_t *target = wave.vgpr[inst.ops[0].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!wave.active(lane))
      continue;
    Raw raw;
    memcpy(&raw, lds + addresses.lane[lane], sizeof raw);
    uint32_t wide = uint32_t(int32_t(raw));
    if constexpr (Place == Half::Low)
      wide = (target[lane] & 0xFFFF0000) | (wide & 0xFFFF);
    else if constexpr (Place == Half::High)
      wide = (target[lane] & 0xFFFF) | wide << 16;
    target[lane] = wide;
  }
}

template <typename Raw, unsigned Shift>
void writeSmall(Wave &wave, const Instruction &inst) {
  LdsAddresses addresses;
  if (!ldsAddresses(wave, inst, inst.ops[0], uint32_t(inst.mods.offset),
                    sizeof(Raw), Access::Write, addresses))
    return;
  uint8_t *lds = wave.group->lds;
  const uint32_t *data = wave.vgpr[inst.ops[1].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    Raw raw = Raw(data[lane] >> Shift);
    memcpy(lds + addresses.lane[lane], &raw, sizeof raw);
  }
}

/// LDS address = offset + M0[15:0] + lane * 4.
template <Access Kind> void addLaneId(Wave &wave, const Instruction &inst) {
  uint64_t base = uint32_t(inst.mods.offset) + (wave.sgpr[kM0] & 0xFFFF);
  uint32_t *data = wave.vgpr[inst.ops[0].index];
  for (int lane = 0; lane < kLanes; ++lane) {
    uint64_t host;
    if (!wave.active(lane))
      continue;
    if (!ldsPointer(wave, inst, lane, base + 4 * lane, 4, Kind, host))
      return;
    if (Kind == Access::Read)
      memcpy(&data[lane], reinterpret_cast<void *>(host), 4);
    else
      memcpy(reinterpret_cast<void *>(host), &data[lane], 4);
  }
}

void nothing(Wave &, const Instruction &) {}

} // namespace

void registerLds(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      {"ds_read_b32", read<1>},
      {"ds_read_b64", read<2>},
      {"ds_read_b96", read<3>},
      {"ds_read_b128", read<4>},
      {"ds_read2_b32", readPair<1, 1>},
      {"ds_read2_b64", readPair<2, 1>},
      {"ds_read2st64_b32", readPair<1, 64>},
      {"ds_read2st64_b64", readPair<2, 64>},
      {"ds_read_u8", readSmall<uint8_t, Half::Whole>},
      {"ds_read_i8", readSmall<int8_t, Half::Whole>},
      {"ds_read_u16", readSmall<uint16_t, Half::Whole>},
      {"ds_read_i16", readSmall<int16_t, Half::Whole>},
      {"ds_read_u8_d16", readSmall<uint8_t, Half::Low>},
      {"ds_read_u8_d16_hi", readSmall<uint8_t, Half::High>},
      {"ds_read_i8_d16", readSmall<int8_t, Half::Low>},
      {"ds_read_i8_d16_hi", readSmall<int8_t, Half::High>},
      {"ds_read_u16_d16", readSmall<uint16_t, Half::Low>},
      {"ds_read_u16_d16_hi", readSmall<uint16_t, Half::High>},
      {"ds_write_b32", write<1>},
      {"ds_write_b64", write<2>},
      {"ds_write_b96", write<3>},
      {"ds_write_b128", write<4>},
      {"ds_write2_b32", writePair<1, 1>},
      {"ds_write2_b64", writePair<2, 1>},
      {"ds_write2st64_b32", writePair<1, 64>},
      {"ds_write2st64_b64", writePair<2, 64>},
      {"ds_write_b8", writeSmall<uint8_t, 0>},
      {"ds_write_b16", writeSmall<uint16_t, 0>},
      {"ds_write_b8_d16_hi", writeSmall<uint8_t, 16>},
      {"ds_write_b16_d16_hi", writeSmall<uint16_t, 16>},
      {"ds_read_addtid_b32", addLaneId<Access::Read>},
      {"ds_write_addtid_b32", addLaneId<Access::Write>},
      {"ds_nop", nothing},
  };
  table.add(rows, InstructionClass::Lds);
}

} // namespace mla::sim::MLA_SIM_VARIANT
