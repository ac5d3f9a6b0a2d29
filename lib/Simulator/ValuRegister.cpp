//===- ValuRegister.cpp - Registers the vector instructions ---------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ValuRegister.h"

#include "Semantics.h"

namespace mla::sim::MLA_SIM_VARIANT {

void registerVector(HandlerTable &table) {
  registerValuInteger(table);
  registerValuCarry(table);
  registerValuFloat(table);
  registerValuHalf(table);
  registerValuTranscendental(table);
  registerValuDivide(table);
  registerValuCompare(table);
  registerValuCrossLane(table);
  registerConvert(table);
  registerConvertFp8(table);
  registerConvertScaled(table);
  registerPacked(table);
  registerPackedDot(table);
  registerMfma(table);
  registerMfmaScaled(table);
  registerMfmaSparse(table);
}

} // namespace mla::sim::MLA_SIM_VARIANT
