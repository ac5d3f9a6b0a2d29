//===- ScalarRegister.cpp - Registers the scalar instructions -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarHelpers.h"
#include "Semantics.h"

namespace mla::sim::MLA_SIM_VARIANT {

void registerScalar(HandlerTable &table) {
  registerScalarOneSource(table);
  registerScalarTwoSources(table);
  registerScalarCompare(table);
  registerScalarImmediate(table);
  registerScalarControl(table);
}

} // namespace mla::sim::MLA_SIM_VARIANT
