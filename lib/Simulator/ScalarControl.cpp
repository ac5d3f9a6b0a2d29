//===- ScalarControl.cpp - Branches, barriers, waits, ends ----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 and CDNA4 ISA manuals, "SOPP Instructions" and the program
// counter instructions of SOP1 and SOPK. Memory instructions take effect at
// once here, so that waits and cache control have nothing to do.
//
//===----------------------------------------------------------------------===//

#include "ScalarHelpers.h"
#include "Workgroup.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

void nothing(Wave &, const Instruction &) {}

MLA_SIM_INLINE void jump(Wave &wave, const Instruction &inst) {
  if (!inst.target) {
    wave.fault(inst, -1, "the branch leaves the code");
    return;
  }
  wave.next = inst.target;
}

template <auto Condition> void branch(Wave &wave, const Instruction &inst) {
  if (Condition(wave))
    jump(wave, inst);
}

void jumpTo(Wave &wave, const Instruction &inst, uint64_t address) {
  const Instruction *target = findInstruction(*wave.group, address);
  if (!target) {
    wave.fault(inst, -1, "the jump goes to 0x%llx, where no instruction is",
               static_cast<unsigned long long>(address));
    return;
  }
  wave.next = target;
}

void getPc(Wave &wave, const Instruction &inst) {
  wave.writeSgpr64(inst.ops[0].index, inst.address + inst.bytes);
}

void setPc(Wave &wave, const Instruction &inst) {
  jumpTo(wave, inst, wave.scalar64(inst.ops[0]));
}

void swapPc(Wave &wave, const Instruction &inst) {
  uint64_t target = wave.scalar64(inst.ops[1]);
  wave.writeSgpr64(inst.ops[0].index, inst.address + inst.bytes);
  jumpTo(wave, inst, target);
}

void call(Wave &wave, const Instruction &inst) {
  wave.writeSgpr64(inst.ops[0].index, inst.address + inst.bytes);
  jump(wave, inst);
}

void endProgram(Wave &wave, const Instruction &) {
  wave.state = WaveState::Ended;
}

void barrier(Wave &wave, const Instruction &) {
  wave.state = WaveState::AtBarrier;
}

void yield(Wave &wave, const Instruction &) { wave.state = WaveState::Yielded; }

void trap(Wave &wave, const Instruction &inst) {
  wave.fault(inst, -1, "the kernel trapped with code %u", inst.imm16 & 0xFF);
}

void halt(Wave &wave, const Instruction &inst) {
  if (inst.imm16 & 1)
    wave.fault(inst, -1, "the kernel halts");
}

/// The mode in which M0 is added to vector register numbers: low bits of M0
/// are the amount, bits 15:12 say for which operands.
void indexOn(Wave &wave, const Instruction &inst) {
  wave.sgpr[kM0] = (wave.sgpr[kM0] & 0xFFFF0F00) |
                   (wave.scalar32(inst.ops[0]) & 0xFF) |
                   uint32_t(inst.imm16 >> 8 & 0xF) << 12;
  wave.mode |= 1u << kModeGprIndex;
  runModal(wave);
}

void indexOff(Wave &wave, const Instruction &) {
  wave.mode &= ~(1u << kModeGprIndex);
}

void indexMode(Wave &wave, const Instruction &inst) {
  wave.sgpr[kM0] = (wave.sgpr[kM0] & 0xFFFF0FFF) | uint32_t(inst.imm16 & 0xF)
                                                       << 12;
}

void indexAmount(Wave &wave, const Instruction &inst) {
  wave.sgpr[kM0] =
      (wave.sgpr[kM0] & 0xFFFFFF00) | (wave.scalar32(inst.ops[0]) & 0xFF);
}

void setVectorSkip(Wave &wave, const Instruction &inst) {
  uint32_t bit = wave.scalar32(inst.ops[1]) & 31;
  if (wave.scalar32(inst.ops[0]) >> bit & 1) {
    wave.mode |= 1u << kModeVskip;
    runModal(wave);
  } else {
    wave.mode &= ~(1u << kModeVskip);
  }
}

} // namespace

void registerScalarControl(HandlerTable &table) {
  static constexpr HandlerTable::Row branches[] = {
      {"s_branch", jump},
      {"s_cbranch_scc0", branch<[](const Wave &w) { return !w.scc; }>},
      {"s_cbranch_scc1", branch<[](const Wave &w) { return w.scc; }>},
      {"s_cbranch_vccz", branch<[](const Wave &w) { return w.vcc() == 0; }>},
      {"s_cbranch_vccnz", branch<[](const Wave &w) { return w.vcc() != 0; }>},
      {"s_cbranch_execz", branch<[](const Wave &w) { return w.exec() == 0; }>},
      {"s_cbranch_execnz", branch<[](const Wave &w) { return w.exec() != 0; }>},
      // No debugger ever sets these conditions.
      {"s_cbranch_cdbgsys", nothing},
      {"s_cbranch_cdbguser", nothing},
      {"s_cbranch_cdbgsys_or_user", nothing},
      {"s_cbranch_cdbgsys_and_user", nothing},
      {"s_getpc_b64", getPc},
      {"s_setpc_b64", setPc},
      {"s_swappc_b64", swapPc},
      {"s_call_b64", call},
      {"s_endpgm", endProgram},
      {"s_endpgm_saved", endProgram},
      {"s_trap", trap},
      {"s_sethalt", halt},
  };
  table.add(branches, InstructionClass::Branch);

  static constexpr HandlerTable::Row barriers[] = {{"s_barrier", barrier}};
  table.add(barriers, InstructionClass::Barrier);

  static constexpr HandlerTable::Row waits[] = {
      {"s_waitcnt", nothing},      {"s_nop", nothing},
      {"s_sleep", yield},          {"s_wakeup", nothing},
      {"s_setprio", nothing},      {"s_icache_inv", nothing},
      {"s_sendmsg", nothing},      {"s_incperflevel", nothing},
      {"s_decperflevel", nothing}, {"s_ttracedata", nothing},
  };
  table.add(waits, InstructionClass::Wait);

  static constexpr HandlerTable::Row others[] = {
      {"s_set_gpr_idx_on", indexOn},     {"s_set_gpr_idx_off", indexOff},
      {"s_set_gpr_idx_mode", indexMode}, {"s_set_gpr_idx_idx", indexAmount},
      {"s_setvskip", setVectorSkip},
  };
  table.add(others, InstructionClass::Salu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
