//===- ModalExecution.cpp - Modes that change what later instructions do --===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code in these modes is short and rare, so the loop here looks at the mode
// before each instruction, and neither the usual loop nor the handlers know of
// it.
//
// VGPR indexing: M0[7:0] is added to the register numbers of vector ALU
// instructions; M0[15:12] select source 0, 1, 2 and the destination (CDNA3
// ISA, "VGPR Indexing"). A changed copy of the instruction is executed.
//
// VSKIP: vector instructions are passed over (CDNA3 ISA, "Vector skip").
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "Workgroup.h"

#include <cstring>

namespace mla::sim {
namespace {

constexpr unsigned kDestinationBit = 3;

/// False if an index leads out of the register file.
bool addIndex(Instruction &inst, uint32_t m0) {
  uint32_t amount = m0 & 0xFF;
  uint32_t select = m0 >> 12 & 0xF;
  unsigned destinations = strstr(inst.mnemonic, "_co_u32") ? 2 : 1;
  for (unsigned i = 0; i < inst.numOps; ++i) {
    unsigned bit = i < destinations ? kDestinationBit : i - destinations;
    if (!inst.ops[i].isVgpr() || bit > kDestinationBit || !(select >> bit & 1))
      continue;
    uint32_t limit = inst.ops[i].index < kFirstAgpr ? kFirstAgpr : kVgprs;
    uint32_t index = inst.ops[i].index + amount;
    if (index + inst.ops[i].dwords > limit)
      return false;
    inst.ops[i].index = uint16_t(index);
  }
  return true;
}

bool isVector(InstructionClass kind) {
  switch (kind) {
  case InstructionClass::Valu:
  case InstructionClass::Mfma:
  case InstructionClass::GlobalLoad:
  case InstructionClass::GlobalStore:
  case InstructionClass::GlobalAtomic:
  case InstructionClass::Lds:
    return true;
  default:
    return false;
  }
}

} // namespace

const Instruction *findInstruction(const Workgroup &group, uint64_t address) {
  return group.program->at(address);
}

void runModal(Wave &wave) {
  const Program &program = *wave.group->program;
  while (wave.inSpecialMode() && wave.state == WaveState::Running) {
    const Instruction &inst = *wave.next;
    if (!wave.budget) {
      wave.fault(inst, -1, "the wave has executed its budget of instructions");
      return;
    }
    --wave.budget;
    wave.next = &inst + 1;
    InstructionClass kind = program.classes()[inst.index];
    if (wave.mode >> kModeVskip & 1 && isVector(kind))
      continue;
    ++wave.counts[inst.index];
    if (!(wave.mode >> kModeGprIndex & 1) || kind != InstructionClass::Valu) {
      inst.handler(wave, inst);
      continue;
    }
    Instruction changed = inst;
    if (!addIndex(changed, wave.sgpr[kM0])) {
      wave.fault(inst, -1, "the indexed vector register does not exist");
      return;
    }
    changed.handler(wave, changed);
  }
}

} // namespace mla::sim
