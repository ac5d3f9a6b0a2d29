//===- ScalarMemory.cpp - Scalar loads and clocks -------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 ISA manual, "SMEM Instructions": the address is the base
// plus the offsets with its two low bits cleared.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

bool readScalar(Wave &wave, const Instruction &inst, uint64_t address,
                unsigned bytes, void *target) {
  Workgroup &group = *wave.group;
  if (!group.window.holds(address, address, bytes) &&
      !group.locate(address, bytes)) {
    group.faultGlobal(wave, inst, -1, "reads", bytes, address);
    return false;
  }
  memcpy(target, reinterpret_cast<void *>(address), bytes);
  return true;
}

template <unsigned Dwords>
void writeResult(Wave &wave, const Instruction &inst, const uint32_t *words) {
  unsigned index = inst.ops[0].index;
  for (unsigned word = 0; word < Dwords; ++word)
    wave.writeSgpr(index + word, words[word]);
}

/// An offset in a register is unsigned, one in the instruction signed.
uint64_t offsetOf(const Wave &wave, const Instruction &inst) {
  const Operand &op = inst.ops[2];
  int64_t offset = op.isConstant() ? int64_t(int32_t(op.bits32))
                                   : int64_t(wave.scalar32(op));
  return uint64_t(offset + inst.mods.offset);
}

template <unsigned Dwords>
void scalarLoad(Wave &wave, const Instruction &inst) {
  uint64_t address =
      (wave.readSgpr64(inst.ops[1].index) + offsetOf(wave, inst)) & ~3ull;
  uint32_t words[Dwords];
  if (readScalar(wave, inst, address, sizeof words, words))
    writeResult<Dwords>(wave, inst, words);
}

/// Dwords beyond the descriptor's size read 0.
template <unsigned Dwords>
void scalarBufferLoad(Wave &wave, const Instruction &inst) {
  const uint32_t *descriptor = &wave.sgpr[inst.ops[1].index];
  uint64_t base = descriptor[0] | uint64_t(descriptor[1] & 0xFFFF) << 32;
  uint64_t stride = descriptor[1] >> 16 & 0x3FFF;
  uint64_t size = stride ? stride * descriptor[2] : descriptor[2];
  uint64_t offset = offsetOf(wave, inst) & ~3ull;
  uint32_t words[Dwords] = {};
  for (unsigned word = 0; word < Dwords; ++word) {
    uint64_t at = offset + 4 * word;
    if (at + 4 <= size && !readScalar(wave, inst, base + at, 4, &words[word]))
      return;
  }
  writeResult<Dwords>(wave, inst, words);
}

/// A clock that runs with the wave's own reads of it, so that results do not
/// depend on the host.
void readClock(Wave &wave, const Instruction &inst) {
  wave.clock += 64;
  wave.writeSgpr64(inst.ops[0].index, wave.clock);
}

void nothing(Wave &, const Instruction &) {}

} // namespace

void registerScalarMemory(HandlerTable &table) {
  static constexpr HandlerTable::Row loads[] = {
      {"s_load_dword", scalarLoad<1>},
      {"s_load_dwordx2", scalarLoad<2>},
      {"s_load_dwordx4", scalarLoad<4>},
      {"s_load_dwordx8", scalarLoad<8>},
      {"s_load_dwordx16", scalarLoad<16>},
      {"s_buffer_load_dword", scalarBufferLoad<1>},
      {"s_buffer_load_dwordx2", scalarBufferLoad<2>},
      {"s_buffer_load_dwordx4", scalarBufferLoad<4>},
      {"s_buffer_load_dwordx8", scalarBufferLoad<8>},
      {"s_buffer_load_dwordx16", scalarBufferLoad<16>},
      {"s_memtime", readClock},
      {"s_memrealtime", readClock},
  };
  table.add(loads, InstructionClass::ScalarLoad);
  static constexpr HandlerTable::Row caches[] = {
      {"s_dcache_inv", nothing},     {"s_dcache_wb", nothing},
      {"s_dcache_inv_vol", nothing}, {"s_dcache_wb_vol", nothing},
      {"s_atc_probe", nothing},      {"s_atc_probe_buffer", nothing},
      {"s_dcache_discard", nothing}, {"s_dcache_discard_x2", nothing},
      {"buffer_wbl2", nothing},      {"buffer_inv", nothing},
      {"buffer_wbinvl1", nothing},   {"buffer_wbinvl1_vol", nothing},
      {"buffer_invl2", nothing},
  };
  table.add(caches, InstructionClass::Wait);
}

} // namespace mla::sim::MLA_SIM_VARIANT
