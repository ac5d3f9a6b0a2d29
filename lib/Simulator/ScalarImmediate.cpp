//===- ScalarImmediate.cpp - SOPK arithmetic and hardware registers -------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 and CDNA4 ISA manuals, "SOPK Instructions"; numbers of the
// hardware registers: the table with S_GETREG_B32.
//
//===----------------------------------------------------------------------===//

#include "ScalarHelpers.h"
#include "Workgroup.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

enum HardwareRegister : uint32_t {
  kHwMode = 1,
  kHwStatus = 2,
  kHwTrapStatus = 3,
  kHwId = 4,
  kHwGprAlloc = 5,
  kHwLdsAlloc = 6,
  kHwIbStatus = 7,
  kHwShMemBases = 15,
  kHwXccId = 20,
};

/// Workgroups go round robin over the eight XCDs of an MI300X or MI355X.
constexpr uint32_t kXccs = 8;

/// hwreg(id, offset, size) as its 16-bit field.
struct Field {
  uint32_t id, offset, mask;
  explicit Field(uint16_t imm)
      : id(imm & 0x3F), offset(imm >> 6 & 0x1F),
        mask(uint32_t((uint64_t(1) << ((imm >> 11) + 1)) - 1)) {}
};

bool readHardware(Wave &wave, const Instruction &inst, uint32_t id,
                  uint32_t &value) {
  switch (id) {
  case kHwMode:
    value = wave.mode;
    return true;
  case kHwStatus:
    value = uint32_t(wave.scc) | uint32_t(wave.exec() == 0) << 9 |
            uint32_t(wave.vcc() == 0) << 10;
    return true;
  case kHwTrapStatus:
  case kHwIbStatus:
    value = 0;
    return true;
  case kHwId:
    value = wave.id & 0xF;
    return true;
  case kHwXccId:
    value = uint32_t(wave.group->linearId % kXccs);
    return true;
  default:
    wave.fault(inst, -1, "the simulator has no hardware register %u", id);
    return false;
  }
}

void getRegister(Wave &wave, const Instruction &inst) {
  Field field(inst.imm16);
  uint32_t value;
  if (readHardware(wave, inst, field.id, value))
    wave.writeSgpr(inst.ops[0].index, value >> field.offset & field.mask);
}

void setRegister(Wave &wave, const Instruction &inst, uint32_t source) {
  Field field(inst.imm16);
  if (field.id != kHwMode) {
    wave.fault(inst, -1,
               "only the hardware register MODE can be written, not %u",
               field.id);
    return;
  }
  uint32_t mask = field.mask << field.offset;
  wave.mode = (wave.mode & ~mask) | (source << field.offset & mask);
}

void setRegisterScalar(Wave &wave, const Instruction &inst) {
  setRegister(wave, inst, wave.scalar32(inst.ops[1]));
}

int32_t immediate(const Instruction &inst) { return int16_t(inst.imm16); }

void moveImmediate(Wave &wave, const Instruction &inst) {
  wave.writeSgpr(inst.ops[0].index, uint32_t(immediate(inst)));
}

void conditionalMoveImmediate(Wave &wave, const Instruction &inst) {
  if (wave.scc)
    moveImmediate(wave, inst);
}

void addImmediate(Wave &wave, const Instruction &inst) {
  uint32_t a = wave.sgpr[inst.ops[0].index];
  uint32_t b = uint32_t(immediate(inst));
  wave.scc = (~(a ^ b) & (a ^ (a + b))) >> 31;
  wave.writeSgpr(inst.ops[0].index, a + b);
}

void multiplyImmediate(Wave &wave, const Instruction &inst) {
  uint32_t a = wave.sgpr[inst.ops[0].index];
  wave.writeSgpr(inst.ops[0].index, a * uint32_t(immediate(inst)));
}

} // namespace

void registerScalarImmediate(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      {"s_movk_i32", moveImmediate},
      {"s_cmovk_i32", conditionalMoveImmediate},
      {"s_addk_i32", addImmediate},
      {"s_mulk_i32", multiplyImmediate},
      {"s_getreg_b32", getRegister},
      {"s_setreg_b32", setRegisterScalar},
      {"s_setreg_imm32_b32", setRegisterScalar},
  };
  table.add(rows, InstructionClass::Salu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
