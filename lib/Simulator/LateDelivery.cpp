//===- LateDelivery.cpp - Loads that arrive as late as they may -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LateDelivery.h"

#include <cstring>
#include <string_view>

using namespace mla::sim;

/// A signalling NaN, and an address that nothing is allocated at.
static constexpr uint32_t kNotArrived = 0x7FA5A5A5;

void LateDelivery::begin(const Workgroup &group) {
  waves.assign(group.numWaves, Pending());
}

static bool goesToLds(const Instruction &inst) {
  return inst.mods.lds || std::string_view(inst.mnemonic).find("_load_lds_") !=
                              std::string_view::npos;
}

/// Bytes a lane that a load writes to LDS: smaller ones fill a dword.
static uint32_t ldsBytesALane(const Instruction &inst) {
  std::string_view name = inst.mnemonic;
  if (name.ends_with("dwordx4"))
    return 16;
  return name.ends_with("dwordx3") ? 12 : 4;
}

LateDelivery::Operation
LateDelivery::holdRegisters(Wave &wave, const Operand &destination) {
  Operation operation;
  operation.firstRegister = destination.index;
  if (destination.isSgpr()) {
    operation.isScalar = true;
    uint32_t *values = &wave.sgpr[destination.index];
    operation.registers.assign(values, values + destination.dwords);
    // VCC and EXEC have copies in the wave; they are left as they are.
    if (destination.index < kVccLo)
      std::fill(values, values + destination.dwords, kNotArrived);
    return operation;
  }
  operation.exec = wave.exec();
  for (unsigned i = 0; i < destination.dwords; ++i) {
    uint32_t *lanes = wave.vgpr[destination.index + i];
    operation.registers.insert(operation.registers.end(), lanes,
                               lanes + kLanes);
    for (int lane = 0; lane < kLanes; ++lane)
      if (wave.active(lane))
        lanes[lane] = kNotArrived;
  }
  return operation;
}

void LateDelivery::deliver(Wave &wave, std::deque<Operation> &queue,
                           size_t left) {
  while (queue.size() > left) {
    const Operation &operation = queue.front();
    if (!operation.lds.empty())
      std::memcpy(wave.group->lds + operation.ldsOffset, operation.lds.data(),
                  operation.lds.size());
    if (operation.isScalar) {
      std::copy(operation.registers.begin(), operation.registers.end(),
                &wave.sgpr[operation.firstRegister]);
    } else {
      for (size_t i = 0; i < operation.registers.size(); ++i)
        if (operation.exec >> (i % kLanes) & 1)
          wave.vgpr[operation.firstRegister + i / kLanes][i % kLanes] =
              operation.registers[i];
    }
    queue.pop_front();
  }
}

/// vmcnt in bits 3:0 and 15:14, lgkmcnt in bits 11:8 (CDNA3 ISA, S_WAITCNT).
/// Scalar loads return in any order, so lgkmcnt says something of them only at
/// zero; what else it counts comes in order.
void LateDelivery::wait(Wave &wave, const Instruction &inst) {
  Pending &pending = waves[wave.id];
  deliver(wave, pending.vector,
          (inst.imm16 & 15) | (inst.imm16 >> 14 & 3) << 4);
  size_t left = inst.imm16 >> 8 & 15;
  bool hasScalar = false;
  for (const Operation &operation : pending.other)
    hasScalar |= operation.isScalar;
  if (left == 0 || !hasScalar)
    deliver(wave, pending.other, left);
}

void LateDelivery::execute(Wave &wave, const Instruction &inst,
                           InstructionClass kind) {
  Pending &pending = waves[wave.id];
  bool intoLds = kind == InstructionClass::GlobalLoad && goesToLds(inst);
  Operation operation;
  if (intoLds) {
    uint64_t offset = (wave.sgpr[kM0] & wave.group->ldsAddressMask) +
                      uint64_t(int64_t(inst.mods.offset));
    uint64_t bytes = uint64_t(ldsBytesALane(inst)) * kLanes;
    if (offset + bytes <= wave.group->ldsBytes) {
      operation.ldsOffset = offset;
      operation.lds.assign(wave.group->lds + offset,
                           wave.group->lds + offset + bytes);
    }
  }
  if (kind == InstructionClass::Wait &&
      std::string_view(inst.mnemonic) == "s_waitcnt")
    wait(wave, inst);

  inst.handler(wave, inst);
  if (wave.state == WaveState::Faulted)
    return;

  switch (kind) {
  case InstructionClass::GlobalLoad:
  case InstructionClass::GlobalAtomic:
    if (intoLds) {
      // What came goes into the queue, and what was there comes back.
      std::vector<uint8_t> before = std::move(operation.lds);
      operation.lds.assign(wave.group->lds + operation.ldsOffset,
                           wave.group->lds + operation.ldsOffset +
                               before.size());
      std::memcpy(wave.group->lds + operation.ldsOffset, before.data(),
                  before.size());
    } else if (inst.ops[0].isVgpr() && inst.numOps > 2 &&
               (kind == InstructionClass::GlobalLoad || inst.mods.sc0)) {
      operation = holdRegisters(wave, inst.ops[0]);
    }
    pending.vector.push_back(std::move(operation));
    return;
  case InstructionClass::GlobalStore:
    pending.vector.push_back(std::move(operation));
    return;
  case InstructionClass::Lds:
    if (std::string_view(inst.mnemonic).starts_with("ds_read") ||
        std::string_view(inst.mnemonic).ends_with("permute_b32") ||
        std::string_view(inst.mnemonic) == "ds_swizzle_b32")
      operation = holdRegisters(wave, inst.ops[0]);
    pending.other.push_back(std::move(operation));
    return;
  case InstructionClass::ScalarLoad:
    if (inst.ops[0].isSgpr())
      operation = holdRegisters(wave, inst.ops[0]);
    operation.isScalar = true;
    pending.other.push_back(std::move(operation));
    return;
  case InstructionClass::Wait:
    // Cache write-back and invalidation are counted with vector memory.
    if (std::string_view(inst.mnemonic).starts_with("buffer_"))
      pending.vector.push_back(std::move(operation));
    return;
  default:
    return;
  }
}
