//===- LdsCrossLane.cpp - LDS instructions that move data between lanes ---===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings of permutes and swizzles: CDNA3 ISA manual, "DS Instructions".
//
//===----------------------------------------------------------------------===//

#include "LdsAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

/// Lane `source(lane)` of the data; 0 where EXEC turns that lane off.
template <typename F>
MLA_SIM_INLINE void gather(Wave &wave, unsigned target, const uint32_t *data,
                           F source) {
  LaneArray result;
  for (int lane = 0; lane < kLanes; ++lane) {
    unsigned from = source(lane);
    result.lane[lane] = data[from] & wave.execLanes[from];
  }
  writeLanes(wave, target, result.lane);
}

void backwardPermute(Wave &wave, const Instruction &inst) {
  const uint32_t *address = wave.vgpr[inst.ops[1].index];
  uint32_t offset = uint32_t(inst.mods.offset);
  gather(wave, inst.ops[0].index, wave.vgpr[inst.ops[2].index],
         [&](int lane) { return (address[lane] + offset) / 4 % kLanes; });
}

/// Of several lanes that send to one, the highest wins.
void forwardPermute(Wave &wave, const Instruction &inst) {
  const uint32_t *address = wave.vgpr[inst.ops[1].index];
  const uint32_t *data = wave.vgpr[inst.ops[2].index];
  LaneArray result = {};
  for (int lane = 0; lane < kLanes; ++lane)
    if (wave.active(lane))
      result.lane[(address[lane] + uint32_t(inst.mods.offset)) / 4 % kLanes] =
          data[lane];
  writeLanes(wave, inst.ops[0].index, result.lane);
}

unsigned swizzleSource(unsigned pattern, unsigned lane) {
  unsigned half = lane & 0x20;
  if (pattern >= 0xE000) { // Order of a fast Fourier transform.
    unsigned mask = pattern & 0x1F;
    unsigned from = __builtin_bitreverse8(uint8_t(lane & 0x1F)) >> 3;
    return (from >> std::popcount(mask)) | (lane & mask) | half;
  }
  if (pattern >= 0xC000) { // Rotation within 32 lanes.
    unsigned mask = pattern & 0x1F;
    unsigned amount = pattern >> 5 & 0x1F;
    if (pattern >> 10 & 1)
      amount = 0u - amount;
    return (lane & mask) | ((lane + amount) & ~mask & 0x1F) | half;
  }
  if (pattern >> 15) // Any order within four lanes.
    return (lane & ~3u) | (pattern >> (2 * (lane & 3)) & 3);
  unsigned exclusive = pattern >> 10 & 0x1F;
  unsigned inclusive = pattern >> 5 & 0x1F;
  unsigned keep = pattern & 0x1F;
  return (((lane & 0x1F & keep) | inclusive) ^ exclusive) | half;
}

void swizzle(Wave &wave, const Instruction &inst) {
  gather(wave, inst.ops[0].index, wave.vgpr[inst.ops[1].index],
         [&](int lane) { return swizzleSource(inst.imm16, lane); });
}

/// The transposing reads of gfx950. Sixteen lanes work together: each names
/// the place of 64 bits; in lane order these make a matrix of sixteen columns,
/// so that a row is held by Bits/4 neighbouring lanes. Lane i receives column
/// i, row 0 in its lowest bits. EXEC must be all ones.
///   b16: 4 x 16. Element r of lane i = element i%4 of lane 4r + i/4.
///   b8:  8 x 16. Byte r of lane i = byte i%8 of lane 2r + i/8.
///   b4: 16 x 16. Nibble r of lane i = nibble i of lane r.
///
/// The CDNA4 ISA manual names the instructions without pseudo-code. Sources:
/// Modular's documentation of ds_read_tr16_b64_row ("each 16-lane row loads a
/// 4x16 tile, each lane gets a column") and of ds_read_tr8_b64 (16 x 8 bytes,
/// two interleaved 8 x 8 transposes); HipKittens' fp8 column load for CDNA4
/// and FlyDSL's fp8 kernels, where lane l of a row of 16 points to row l/2 and
/// to columns 8*(l%2) onwards and the result is the operand of an MFMA. AMD's
/// own fp8 decode kernel for gfx950 (ROCm/aiter, 160 of the b8 form) computes
/// attention right with this meaning.
template <unsigned Bits>
void readTransposed(Wave &wave, const Instruction &inst) {
  if (!wave.allLanes()) {
    wave.fault(inst, -1, "a transposing read needs all lanes active");
    return;
  }
  LdsAddresses addresses;
  if (!ldsAddresses(wave, inst, inst.ops[1], uint32_t(inst.mods.offset), 8,
                    Access::Read, addresses))
    return;
  constexpr unsigned perLane = 64 / Bits;
  constexpr unsigned lanesPerRow = 16 / perLane;
  constexpr uint64_t mask = (uint64_t(1) << Bits) - 1;
  const uint8_t *lds = wave.group->lds;
  unsigned target = inst.ops[0].index;
  for (int group = 0; group < kLanes; group += 16) {
    uint64_t blocks[16];
    for (int lane = 0; lane < 16; ++lane)
      memcpy(&blocks[lane], lds + addresses.lane[group + lane], 8);
    for (unsigned lane = 0; lane < 16; ++lane) {
      uint64_t column = 0;
      for (unsigned row = 0; row < perLane; ++row) {
        unsigned from = row * lanesPerRow + lane / perLane;
        uint64_t element = blocks[from] >> (lane % perLane * Bits) & mask;
        column |= element << (row * Bits);
      }
      wave.vgpr[target][group + lane] = uint32_t(column);
      wave.vgpr[target + 1][group + lane] = uint32_t(column >> 32);
    }
  }
}

} // namespace

void registerLdsCrossLane(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      {"ds_bpermute_b32", backwardPermute},
      {"ds_permute_b32", forwardPermute},
      {"ds_swizzle_b32", swizzle},
      {"ds_read_b64_tr_b16", readTransposed<16>},
      {"ds_read_b64_tr_b8", readTransposed<8>},
      {"ds_read_b64_tr_b4", readTransposed<4>},
  };
  table.add(rows, InstructionClass::Lds);
}

} // namespace mla::sim::MLA_SIM_VARIANT
