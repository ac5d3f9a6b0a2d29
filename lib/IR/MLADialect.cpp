//===- MLADialect.cpp - The mla dialect -----------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/IR/MLADialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mla;

#include "mla/IR/MLADialect.cpp.inc"
#include "mla/IR/MLAEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "mla/IR/MLAAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "mla/IR/MLATypes.cpp.inc"

void MLADialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "mla/IR/MLAAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "mla/IR/MLATypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "mla/IR/MLAOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

LogicalResult ShapeAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t batch, int64_t kv, int64_t qLen) {
  if (batch < 1 || kv < 0 || qLen < 1)
    return emitError() << "a shape has batch >= 1, kv >= 0 and q_len >= 1, got "
                       << batch << ", " << kv << " and " << qLen;
  return success();
}

LogicalResult TileAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t rows, int64_t heads, int64_t waves,
                               int64_t stages) {
  if (rows < 16 || rows % 16 != 0)
    return emitError()
           << "a tile's rows are a positive multiple of 16, the rows of a "
              "matrix instruction, got "
           << rows;
  if (heads != kBlockHeads)
    return emitError() << "a tile has " << kBlockHeads << " heads, got "
                       << heads;
  if (waves != 1 && waves != 2 && waves != 4)
    return emitError() << "a tile has 1, 2 or 4 waves, got " << waves;
  if (stages < 0 || stages == 1)
    return emitError() << "a tile has no stages or at least 2, got " << stages;
  return success();
}

LogicalResult SplitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t rows, int64_t workgroups,
                                int64_t perComputeUnit) {
  if (rows < 1)
    return emitError() << "a split's rows must be positive, got " << rows;
  if (workgroups < 0)
    return emitError() << "a split's workgroups must be 0 (as many as are "
                          "resident) or positive, got "
                       << workgroups;
  if (perComputeUnit < 1)
    return emitError() << "workgroups per compute unit must be positive, got "
                       << perComputeUnit;
  return success();
}
