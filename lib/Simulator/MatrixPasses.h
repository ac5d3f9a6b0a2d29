//===- MatrixPasses.h - Passes of matrix instructions -----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_MATRIXPASSES_H
#define MLA_LIB_SIMULATOR_MATRIXPASSES_H

#include "Instruction.h"

namespace mla::sim {

/// Passes, of targets::kPassCycles cycles each, for which a matrix instruction
/// keeps the matrix core of its SIMD busy; 0 for an instruction that is not in
/// the table.
unsigned matrixPasses(const Instruction &inst, bool gfx950);

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_MATRIXPASSES_H
