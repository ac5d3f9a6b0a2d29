//===- ValuRegister.h - The vector files' tables ----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_VALUREGISTER_H
#define MLA_LIB_SIMULATOR_VALUREGISTER_H

#include "HandlerTable.h"
#include "Variant.h"

namespace mla::sim::MLA_SIM_VARIANT {

void registerValuInteger(HandlerTable &table);
void registerValuCarry(HandlerTable &table);
void registerValuFloat(HandlerTable &table);
void registerValuHalf(HandlerTable &table);
void registerValuTranscendental(HandlerTable &table);
void registerValuDivide(HandlerTable &table);
void registerValuCompare(HandlerTable &table);
void registerValuCrossLane(HandlerTable &table);
void registerConvert(HandlerTable &table);
void registerConvertFp8(HandlerTable &table);
void registerConvertScaled(HandlerTable &table);
void registerPacked(HandlerTable &table);
void registerPackedDot(HandlerTable &table);
void registerMfma(HandlerTable &table);
void registerMfmaScaled(HandlerTable &table);
void registerMfmaSparse(HandlerTable &table);

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_VALUREGISTER_H
