//===- MemoryAtomics.cpp - Atomic instructions on global memory -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Workgroups run on several host threads, so these are host atomics, ordered
// sequentially. Lanes act in ascending order.
//
//===----------------------------------------------------------------------===//

#include "AtomicOps.h"
#include "MemoryAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

/// A data operand of a lane.
template <typename T>
MLA_SIM_INLINE T readValue(const Wave &wave, unsigned index, int lane) {
  if constexpr (sizeof(T) == 4)
    return wave.vgpr[index][lane];
  else
    return wave.vgpr[index][lane] | uint64_t(wave.vgpr[index + 1][lane]) << 32;
}

/// Where the operands stand: returning forms print the result first, buffers
/// have one operand for data and result.
template <typename Space> struct Operands {
  unsigned result, address, data, scalar;
  MLA_SIM_INLINE explicit Operands(bool returns)
      : result(0), address(Space::kDataFirst || returns ? 1 : 0),
        data(Space::kDataFirst ? 0
             : returns         ? 2
                               : 1),
        scalar(Space::kDataFirst || !returns ? 2 : 3) {}
};

template <typename Space, typename T, typename F>
MLA_SIM_INLINE void eachAtomic(Wave &wave, const Instruction &inst, F change) {
  bool returns = inst.mods.sc0;
  Operands<Space> ops(returns);
  LanePointers pointers;
  if (!Space::resolve(wave, inst, ops.address, ops.scalar, sizeof(T),
                      Access::Write, pointers))
    return;
  unsigned data = inst.ops[ops.data].index;
  uint64_t sink = addressOf(wave.group->sink);
  T results[kLanes] = {};
  for (int lane = 0; lane < kLanes; ++lane) {
    // A buffer access out of range does nothing and returns 0.
    if (!wave.active(lane) || pointers.lane[lane] == sink)
      continue;
    if (pointers.lane[lane] % sizeof(T)) {
      wave.fault(
          inst, lane, "an atomic of %zu bytes at 0x%llx, which is not aligned",
          sizeof(T), static_cast<unsigned long long>(pointers.lane[lane]));
      return;
    }
    results[lane] = exchange<T>(pointers.at(lane),
                                [&](T old) { return change(old, data, lane); });
  }
  if (!returns)
    return;
  unsigned target = inst.ops[ops.result].index;
  for (unsigned word = 0; word < sizeof(T) / 4; ++word) {
    LaneArray values;
    for (int lane = 0; lane < kLanes; ++lane)
      values.lane[lane] = uint32_t(uint64_t(results[lane]) >> (32 * word));
    writeLanes(wave, target + word, values.lane);
  }
}

template <typename Space, typename T, typename Op>
void atomic(Wave &wave, const Instruction &inst) {
  eachAtomic<Space, T>(wave, inst, [&](T old, unsigned data, int lane) {
    return Op::apply(old, readValue<T>(wave, data, lane));
  });
}

/// The data are the new value, then the one to compare with.
template <typename Space, typename T>
void compareSwap(Wave &wave, const Instruction &inst) {
  eachAtomic<Space, T>(wave, inst, [&](T old, unsigned data, int lane) {
    T value = readValue<T>(wave, data, lane);
    T compare = readValue<T>(wave, data + sizeof(T) / 4, lane);
    return old == compare ? value : old;
  });
}

} // namespace

#define MLA_SIM_ATOMIC(prefix, space, name, op)                                \
  {prefix "_atomic_" name, atomic<space, uint32_t, op>}, {                     \
    prefix "_atomic_" name "_x2", atomic<space, uint64_t, op>                  \
  }
#define MLA_SIM_ATOMICS(prefix, space)                                         \
  MLA_SIM_ATOMIC(prefix, space, "swap", AtomicSwap),                           \
      MLA_SIM_ATOMIC(prefix, space, "add", AtomicAdd),                         \
      MLA_SIM_ATOMIC(prefix, space, "sub", AtomicSub),                         \
      MLA_SIM_ATOMIC(prefix, space, "smin", AtomicSignedMin),                  \
      MLA_SIM_ATOMIC(prefix, space, "smax", AtomicSignedMax),                  \
      MLA_SIM_ATOMIC(prefix, space, "umin", AtomicUnsignedMin),                \
      MLA_SIM_ATOMIC(prefix, space, "umax", AtomicUnsignedMax),                \
      MLA_SIM_ATOMIC(prefix, space, "and", AtomicAnd),                         \
      MLA_SIM_ATOMIC(prefix, space, "or", AtomicOr),                           \
      MLA_SIM_ATOMIC(prefix, space, "xor", AtomicXor),                         \
      MLA_SIM_ATOMIC(prefix, space, "inc", AtomicIncrement),                   \
      MLA_SIM_ATOMIC(prefix, space, "dec", AtomicDecrement),                   \
      {prefix "_atomic_cmpswap", compareSwap<space, uint32_t>},                \
      {prefix "_atomic_cmpswap_x2", compareSwap<space, uint64_t>},             \
      {prefix "_atomic_add_f32", atomic<space, uint32_t, AtomicFloatAdd>},     \
      {prefix "_atomic_add_f64", atomic<space, uint64_t, AtomicFloatAdd>},     \
      {prefix "_atomic_min_f64", atomic<space, uint64_t, AtomicFloatMin>},     \
      {prefix "_atomic_max_f64", atomic<space, uint64_t, AtomicFloatMax>},     \
      {prefix "_atomic_pk_add_f16",                                            \
       atomic<space, uint32_t, AtomicPackedHalfAdd>},                          \
  {                                                                            \
    prefix "_atomic_pk_add_bf16",                                              \
        atomic<space, uint32_t, AtomicPackedBrainAdd>                          \
  }

void registerMemoryAtomics(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      MLA_SIM_ATOMICS("global", GlobalSpace),
      MLA_SIM_ATOMICS("flat", FlatSpace),
      MLA_SIM_ATOMICS("buffer", BufferSpace),
  };
  table.add(rows, InstructionClass::GlobalAtomic);
}

} // namespace mla::sim::MLA_SIM_VARIANT
