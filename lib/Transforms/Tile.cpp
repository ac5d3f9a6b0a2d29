//===- Tile.cpp - Choose the tile of attention ----------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Targets/Target.h"
#include "mla/Transforms/Passes.h"

namespace mla {
#define GEN_PASS_DEF_MLATILE
#include "mla/Transforms/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

struct TilePass : mla::impl::MLATileBase<TilePass> {
  using MLATileBase::MLATileBase;

  void runOnOperation() override {
    FailureOr<targets::Target> target = targets::Target::get(
        chip, [&] { return getOperation()->emitError(); });
    if (failed(target))
      return signalPassFailure();
    WalkResult result = getOperation()->walk([&](AttendOp attend) {
      return failed(tile(attend, *target)) ? WalkResult::interrupt()
                                           : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

  LogicalResult tile(AttendOp attend, targets::Target target) {
    Type element = attend.getCache().getType().getElementType();
    if (!target.supportsElement(element))
      return attend.emitOpError()
             << "holds its cache in " << element << ", but " << chip
             << " takes bf16 and " << target.fp8Type(&getContext());
    int64_t tileWaves =
        waves ? static_cast<int64_t>(waves) : target.chip().simdsPerComputeUnit;
    auto emitError = [&] { return attend.emitOpError(); };
    auto tile = TileAttr::getChecked(
        emitError, &getContext(), target.matrixInstruction(element).depth,
        kBlockHeads, tileWaves);
    if (!tile)
      return failure();
    attend.setTileAttr(tile);
    return success();
  }
};

} // namespace
