//===- MemoryRegister.cpp - Registers the memory instructions -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"
#include "Semantics.h"

namespace mla::sim::MLA_SIM_VARIANT {

void registerMemory(HandlerTable &table) {
  registerScalarMemory(table);
  registerScalarMemoryWrites(table);
  registerLoadsAndStores(table);
  registerDirectToLds(table);
  registerMemoryAtomics(table);
  registerLds(table);
  registerLdsAtomics(table);
  registerLdsCrossLane(table);
}

} // namespace mla::sim::MLA_SIM_VARIANT
