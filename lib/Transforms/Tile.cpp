//===- Tile.cpp - Choose the tile of attention ----------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForEachAttend.h"

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
    auto choose = [&](AttendOp attend, targets::Target target) {
      return tile(attend, target);
    };
    if (failed(forEachAttend(getOperation(), chip, choose)))
      signalPassFailure();
  }

  LogicalResult tile(AttendOp attend, targets::Target target) {
    Type element = attend.getCache().getType().getElementType();
    int64_t tileWaves =
        waves ? static_cast<int64_t>(waves) : target.chip().simdsPerComputeUnit;
    int64_t rows = target.matrixInstruction(element).depth;
    int64_t tileBytes = rows * kRow * element.getIntOrFloatBitWidth() / 8;
    int64_t tileStages = stages;
    if (stages < 0) {
      tileStages = stagesDirectly(target)
                       ? stageRoom(target) / (tileWaves * tileBytes)
                       : 0;
      if (tileStages < 2)
        tileStages = 0;
    }
    auto emitError = [&] { return attend.emitOpError(); };
    auto tile = TileAttr::getChecked(emitError, &getContext(), rows,
                                     kBlockHeads, tileWaves, tileStages);
    if (!tile)
      return failure();
    if (tileStages * tileWaves * tileBytes > stageRoom(target))
      return attend.emitOpError()
             << "needs " << tileStages * tileWaves * tileBytes
             << " bytes of LDS for " << tileStages << " stages, but " << chip
             << " has room for " << stageRoom(target);
    if (tileStages && !stagesDirectly(target))
      return attend.emitOpError()
             << "cannot be staged in LDS: " << chip << " loads "
             << target.chip().ldsDirectLoadBytes
             << " bytes a lane into LDS and does not turn matrices there";
    attend.setTileAttr(tile);
    return success();
  }

  /// Staging pays where loads into LDS are as wide as into registers and LDS
  /// turns the values.
  static bool stagesDirectly(targets::Target target) {
    return target.chip().ldsDirectLoadBytes == 16 &&
           target.transposition() == targets::Transposition::LdsRead;
  }

  /// LDS for stages: all but a page for what the waves tell each other.
  static int64_t stageRoom(targets::Target target) {
    return target.chip().ldsBytes - 4096;
  }
};

} // namespace
