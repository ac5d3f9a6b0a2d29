//===- ScalarHelpers.h - Shapes of scalar instructions ----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each shape turns a function of values into a handler, so that a table row is
// a mnemonic and its meaning.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_SCALARHELPERS_H
#define MLA_LIB_SIMULATOR_SCALARHELPERS_H

#include "HandlerTable.h"
#include "Wave.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// D = f(wave, S0); f sets SCC where the instruction does.
template <auto F> void unary32(Wave &wave, const Instruction &inst) {
  wave.writeSgpr(inst.ops[0].index, F(wave, wave.scalar32(inst.ops[1])));
}
template <auto F> void unary64(Wave &wave, const Instruction &inst) {
  wave.writeSgpr64(inst.ops[0].index, F(wave, wave.scalar64(inst.ops[1])));
}
/// 64-bit source, 32-bit result.
template <auto F> void unary64to32(Wave &wave, const Instruction &inst) {
  wave.writeSgpr(inst.ops[0].index, F(wave, wave.scalar64(inst.ops[1])));
}
template <auto F> void unary32to64(Wave &wave, const Instruction &inst) {
  wave.writeSgpr64(inst.ops[0].index, F(wave, wave.scalar32(inst.ops[1])));
}
/// D = f(wave, S0, S1).
template <auto F> void binary32(Wave &wave, const Instruction &inst) {
  wave.writeSgpr(inst.ops[0].index, F(wave, wave.scalar32(inst.ops[1]),
                                      wave.scalar32(inst.ops[2])));
}
template <auto F> void binary64(Wave &wave, const Instruction &inst) {
  wave.writeSgpr64(inst.ops[0].index, F(wave, wave.scalar64(inst.ops[1]),
                                        wave.scalar64(inst.ops[2])));
}
/// 64-bit S0, 32-bit S1: shifts and bit fields.
template <auto F> void binary64by32(Wave &wave, const Instruction &inst) {
  wave.writeSgpr64(inst.ops[0].index, F(wave, wave.scalar64(inst.ops[1]),
                                        wave.scalar32(inst.ops[2])));
}
template <auto F> void binary32to64(Wave &wave, const Instruction &inst) {
  wave.writeSgpr64(inst.ops[0].index, F(wave, wave.scalar32(inst.ops[1]),
                                        wave.scalar32(inst.ops[2])));
}
/// SCC = f(S0, S1).
template <auto F> void compare32(Wave &wave, const Instruction &inst) {
  wave.scc = F(wave.scalar32(inst.ops[0]), wave.scalar32(inst.ops[1]));
}
template <auto F> void compare64(Wave &wave, const Instruction &inst) {
  wave.scc = F(wave.scalar64(inst.ops[0]), wave.scalar64(inst.ops[1]));
}
template <auto F> void compare64by32(Wave &wave, const Instruction &inst) {
  wave.scc = F(wave.scalar64(inst.ops[0]), wave.scalar32(inst.ops[1]));
}

/// Passes a result on and sets SCC to whether it is not zero.
template <typename T> MLA_SIM_INLINE T nonZero(Wave &wave, T value) {
  wave.scc = value != 0;
  return value;
}

void registerScalarOneSource(HandlerTable &table);
void registerScalarTwoSources(HandlerTable &table);
void registerScalarCompare(HandlerTable &table);
void registerScalarImmediate(HandlerTable &table);
void registerScalarControl(HandlerTable &table);

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_SCALARHELPERS_H
