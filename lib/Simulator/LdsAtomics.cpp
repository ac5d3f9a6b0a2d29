//===- LdsAtomics.cpp - Atomic instructions on LDS ------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The waves of a workgroup run on one host thread, so nothing is needed to
// make these atomic. Lanes act in ascending order.
//
//===----------------------------------------------------------------------===//

#include "AtomicOps.h"
#include "LdsAccess.h"

namespace mla::sim::MLA_SIM_VARIANT {
namespace {

template <typename T>
MLA_SIM_INLINE T readValue(const Wave &wave, unsigned index, int lane) {
  if constexpr (sizeof(T) == 4)
    return wave.vgpr[index][lane];
  else
    return wave.vgpr[index][lane] | uint64_t(wave.vgpr[index + 1][lane]) << 32;
}

template <typename T>
MLA_SIM_INLINE void writeValue(Wave &wave, unsigned index, int lane, T value) {
  wave.vgpr[index][lane] = uint32_t(value);
  if constexpr (sizeof(T) == 8)
    wave.vgpr[index + 1][lane] = uint32_t(value >> 32);
}

/// Calls change(lane, old) for each active lane; `operands` is the index of
/// the address operand, and what the memory held is returned if it is 1.
template <typename T, typename F>
MLA_SIM_INLINE void eachAtomic(Wave &wave, const Instruction &inst,
                               unsigned operands, F change) {
  LdsAddresses addresses;
  if (!ldsAddresses(wave, inst, inst.ops[operands], uint32_t(inst.mods.offset),
                    sizeof(T), Access::Write, addresses))
    return;
  T results[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    if (!wave.active(lane))
      continue;
    uint32_t address = addresses.lane[lane];
    if (address % sizeof(T)) {
      wave.fault(inst, lane,
                 "an atomic of %zu bytes at LDS address %u, which is not "
                 "aligned",
                 sizeof(T), address);
      return;
    }
    T old;
    memcpy(&old, wave.group->lds + address, sizeof old);
    T value = change(lane, old);
    memcpy(wave.group->lds + address, &value, sizeof value);
    results[lane] = old;
  }
  if (operands == 0)
    return;
  for (int lane = 0; lane < kLanes; ++lane)
    if (wave.active(lane))
      writeValue<T>(wave, inst.ops[0].index, lane, results[lane]);
}

template <typename T, typename Op, bool Returns>
void atomic(Wave &wave, const Instruction &inst) {
  constexpr unsigned address = Returns ? 1 : 0;
  unsigned data = inst.ops[address + 1].index;
  eachAtomic<T>(wave, inst, address, [&](int lane, T old) {
    return Op::apply(old, readValue<T>(wave, data, lane));
  });
}

/// Operations with two data operands: f(old, data, data2).
template <typename T, auto F, bool Returns>
void atomicTwoData(Wave &wave, const Instruction &inst) {
  constexpr unsigned address = Returns ? 1 : 0;
  unsigned first = inst.ops[address + 1].index;
  unsigned second = inst.ops[address + 2].index;
  eachAtomic<T>(wave, inst, address, [&](int lane, T old) {
    return F(old, readValue<T>(wave, first, lane),
             readValue<T>(wave, second, lane));
  });
}

constexpr auto kMaskedOr = [](auto old, auto mask, auto value) {
  return (old & ~mask) | value;
};
constexpr auto kCompareSwap = [](auto old, auto compare, auto value) {
  return old == compare ? value : old;
};
constexpr auto kCompareSwapFloat = [](auto old, auto compare, auto value) {
  return asFloat(old) == asFloat(compare) ? value : old;
};
constexpr auto kWrap = [](auto old, auto limit, auto step) {
  return old >= limit ? old - limit : old + step;
};

/// Exchanges two values a lane.
template <typename T, unsigned Stride>
void exchangePair(Wave &wave, const Instruction &inst) {
  constexpr unsigned unit = sizeof(T) * Stride;
  LdsAddresses addresses[2];
  for (unsigned i = 0; i < 2; ++i)
    if (!ldsAddresses(wave, inst, inst.ops[1],
                      (i ? inst.mods.offset1 : inst.mods.offset) * unit,
                      sizeof(T), Access::Write, addresses[i]))
      return;
  T results[2][kLanes];
  for (int lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < 2; ++i)
      memcpy(&results[i][lane], wave.group->lds + addresses[i].lane[lane],
             sizeof(T));
  for (int lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      T value = readValue<T>(wave, inst.ops[2 + i].index, lane);
      memcpy(wave.group->lds + addresses[i].lane[lane], &value, sizeof(T));
    }
  for (int lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < 2; ++i)
      if (wave.active(lane))
        writeValue<T>(wave, inst.ops[0].index + i * sizeof(T) / 4, lane,
                      results[i][lane]);
}

/// Adds (or subtracts) the number of active lanes at M0 + offset and gives all
/// of them what was there.
template <int Sign> void countLanes(Wave &wave, const Instruction &inst) {
  uint64_t exec = wave.exec();
  if (!exec)
    return;
  uint64_t address = (wave.sgpr[kM0] & wave.group->ldsAddressMask) +
                     uint32_t(inst.mods.offset);
  uint64_t host;
  if (!ldsPointer(wave, inst, -1, address, 4, Access::Write, host))
    return;
  uint32_t old;
  memcpy(&old, reinterpret_cast<void *>(host), 4);
  uint32_t value = old + uint32_t(Sign * std::popcount(exec));
  memcpy(reinterpret_cast<void *>(host), &value, 4);
  LaneArray result;
  writeLanes(wave, inst.ops[0].index, splat(result, old));
}

} // namespace

/// Both forms of an operation on 32 and 64 bits.
#define MLA_SIM_DS(name, type32, type64, op)                                   \
  {"ds_" name "_" type32, atomic<uint32_t, op, false>},                        \
      {"ds_" name "_rtn_" type32, atomic<uint32_t, op, true>},                 \
      {"ds_" name "_" type64, atomic<uint64_t, op, false>}, {                  \
    "ds_" name "_rtn_" type64, atomic<uint64_t, op, true>                      \
  }
#define MLA_SIM_DS_TWO(name, type, bits, f)                                    \
  {"ds_" name "_" type, atomicTwoData<bits, f, false>}, {                      \
    "ds_" name "_rtn_" type, atomicTwoData<bits, f, true>                      \
  }
#define MLA_SIM_DS_PACKED(type, op)                                            \
  {"ds_pk_add_" type, atomic<uint32_t, op, false>}, {                          \
    "ds_pk_add_rtn_" type, atomic<uint32_t, op, true>                          \
  }

void registerLdsAtomics(HandlerTable &table) {
  static constexpr HandlerTable::Row rows[] = {
      MLA_SIM_DS("add", "u32", "u64", AtomicAdd),
      MLA_SIM_DS("sub", "u32", "u64", AtomicSub),
      MLA_SIM_DS("rsub", "u32", "u64", AtomicReverseSub),
      MLA_SIM_DS("inc", "u32", "u64", AtomicIncrement),
      MLA_SIM_DS("dec", "u32", "u64", AtomicDecrement),
      MLA_SIM_DS("min", "i32", "i64", AtomicSignedMin),
      MLA_SIM_DS("max", "i32", "i64", AtomicSignedMax),
      MLA_SIM_DS("min", "u32", "u64", AtomicUnsignedMin),
      MLA_SIM_DS("max", "u32", "u64", AtomicUnsignedMax),
      MLA_SIM_DS("and", "b32", "b64", AtomicAnd),
      MLA_SIM_DS("or", "b32", "b64", AtomicOr),
      MLA_SIM_DS("xor", "b32", "b64", AtomicXor),
      MLA_SIM_DS("add", "f32", "f64", AtomicFloatAdd),
      MLA_SIM_DS("min", "f32", "f64", AtomicFloatMin),
      MLA_SIM_DS("max", "f32", "f64", AtomicFloatMax),
      MLA_SIM_DS_PACKED("f16", AtomicPackedHalfAdd),
      MLA_SIM_DS_PACKED("bf16", AtomicPackedBrainAdd),
      MLA_SIM_DS_TWO("mskor", "b32", uint32_t, kMaskedOr),
      MLA_SIM_DS_TWO("mskor", "b64", uint64_t, kMaskedOr),
      MLA_SIM_DS_TWO("cmpst", "b32", uint32_t, kCompareSwap),
      MLA_SIM_DS_TWO("cmpst", "b64", uint64_t, kCompareSwap),
      MLA_SIM_DS_TWO("cmpst", "f32", uint32_t, kCompareSwapFloat),
      MLA_SIM_DS_TWO("cmpst", "f64", uint64_t, kCompareSwapFloat),
      {"ds_wrxchg_rtn_b32", atomic<uint32_t, AtomicSwap, true>},
      {"ds_wrxchg_rtn_b64", atomic<uint64_t, AtomicSwap, true>},
      {"ds_wrap_rtn_b32", atomicTwoData<uint32_t, kWrap, true>},
      {"ds_wrxchg2_rtn_b32", exchangePair<uint32_t, 1>},
      {"ds_wrxchg2_rtn_b64", exchangePair<uint64_t, 1>},
      {"ds_wrxchg2st64_rtn_b32", exchangePair<uint32_t, 64>},
      {"ds_wrxchg2st64_rtn_b64", exchangePair<uint64_t, 64>},
      {"ds_append", countLanes<1>},
      {"ds_consume", countLanes<-1>},
  };
  table.add(rows, InstructionClass::Lds);
}

} // namespace mla::sim::MLA_SIM_VARIANT
