//===- ScalarMemoryWrites.cpp - Scalar stores and atomics -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Meanings: CDNA3 ISA manual, "SMEM Instructions". One access a wave; atomics
// return the old value if `glc` is given.
//
//===----------------------------------------------------------------------===//

#include "AtomicOps.h"
#include "MemoryAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

/// Host address of the operands base and offset, checked for writing.
uint8_t *writableScalar(Wave &wave, const Instruction &inst, unsigned bytes) {
  const Operand &op = inst.ops[2];
  int64_t offset = op.isConstant() ? int64_t(int32_t(op.bits32))
                                   : int64_t(wave.scalar32(op));
  uint64_t address = (wave.readSgpr64(inst.ops[1].index) +
                      uint64_t(offset + inst.mods.offset)) &
                     ~3ull;
  Workgroup &group = *wave.group;
  if ((!group.window.holds(address, address, bytes) &&
       !group.locate(address, bytes)) ||
      !group.window.writable) {
    group.faultGlobal(wave, inst, -1, "writes", bytes, address);
    return nullptr;
  }
  return reinterpret_cast<uint8_t *>(address);
}

template <unsigned Dwords> void store(Wave &wave, const Instruction &inst) {
  if (uint8_t *place = writableScalar(wave, inst, Dwords * 4))
    memcpy(place, &wave.sgpr[inst.ops[0].index], Dwords * 4);
}

template <typename T>
MLA_SIM_INLINE T scalarValue(const Wave &wave, unsigned index) {
  if constexpr (sizeof(T) == 4)
    return wave.sgpr[index];
  else
    return wave.readSgpr64(index);
}

template <typename T, typename F>
MLA_SIM_INLINE void change(Wave &wave, const Instruction &inst, F op) {
  uint8_t *place = writableScalar(wave, inst, sizeof(T));
  if (!place)
    return;
  T old = exchange<T>(place, op);
  if (!inst.mods.sc0)
    return;
  if constexpr (sizeof(T) == 4)
    wave.writeSgpr(inst.ops[0].index, old);
  else
    wave.writeSgpr64(inst.ops[0].index, old);
}

template <typename T, typename Op>
void atomic(Wave &wave, const Instruction &inst) {
  T data = scalarValue<T>(wave, inst.ops[0].index);
  change<T>(wave, inst, [&](T old) { return Op::apply(old, data); });
}

template <typename T> void compareSwap(Wave &wave, const Instruction &inst) {
  T value = scalarValue<T>(wave, inst.ops[0].index);
  T compare = scalarValue<T>(wave, inst.ops[0].index + sizeof(T) / 4);
  change<T>(wave, inst, [&](T old) { return old == compare ? value : old; });
}

} // namespace

#define MLA_SIM_SCALAR_ATOMIC(name, op)                                        \
  {"s_atomic_" name, atomic<uint32_t, op>}, {                                  \
    "s_atomic_" name "_x2", atomic<uint64_t, op>                               \
  }

void registerScalarMemoryWrites(HandlerTable &table) {
  static constexpr HandlerTable::Row stores[] = {
      {"s_store_dword", store<1>},
      {"s_store_dwordx2", store<2>},
      {"s_store_dwordx4", store<4>},
  };
  table.add(stores, InstructionClass::GlobalStore);
  static constexpr HandlerTable::Row atomics[] = {
      MLA_SIM_SCALAR_ATOMIC("swap", AtomicSwap),
      MLA_SIM_SCALAR_ATOMIC("add", AtomicAdd),
      MLA_SIM_SCALAR_ATOMIC("sub", AtomicSub),
      MLA_SIM_SCALAR_ATOMIC("smin", AtomicSignedMin),
      MLA_SIM_SCALAR_ATOMIC("smax", AtomicSignedMax),
      MLA_SIM_SCALAR_ATOMIC("umin", AtomicUnsignedMin),
      MLA_SIM_SCALAR_ATOMIC("umax", AtomicUnsignedMax),
      MLA_SIM_SCALAR_ATOMIC("and", AtomicAnd),
      MLA_SIM_SCALAR_ATOMIC("or", AtomicOr),
      MLA_SIM_SCALAR_ATOMIC("xor", AtomicXor),
      MLA_SIM_SCALAR_ATOMIC("inc", AtomicIncrement),
      MLA_SIM_SCALAR_ATOMIC("dec", AtomicDecrement),
      {"s_atomic_cmpswap", compareSwap<uint32_t>},
      {"s_atomic_cmpswap_x2", compareSwap<uint64_t>},
  };
  table.add(atomics, InstructionClass::GlobalAtomic);
}

} // namespace mla::sim::MLA_SIM_VARIANT
