//===- Semantics.h - What the semantics files register ----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_SEMANTICS_H
#define MLA_LIB_SIMULATOR_SEMANTICS_H

#include "HandlerTable.h"
#include "Variant.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// Scalar ALU, program control (ScalarRegister.cpp).
void registerScalar(HandlerTable &table);
/// Scalar loads, global, flat, scratch, buffer and LDS (MemoryRegister.cpp).
void registerMemory(HandlerTable &table);
/// VALU, conversions, packed and matrix instructions (ValuRegister.cpp).
void registerVector(HandlerTable &table);

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_SEMANTICS_H
