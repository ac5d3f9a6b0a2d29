//===- SplitKV.cpp - Choose how cache rows are shared out -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForEachAttend.h"

#include "mla/Transforms/Passes.h"
#include "llvm/Support/MathExtras.h"

namespace mla {
#define GEN_PASS_DEF_MLASPLITKV
#include "mla/Transforms/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

struct SplitKVPass : mla::impl::MLASplitKVBase<SplitKVPass> {
  using MLASplitKVBase::MLASplitKVBase;

  void runOnOperation() override {
    auto choose = [&](AttendOp attend, targets::Target target) {
      return split(attend, target);
    };
    if (failed(forEachAttend(getOperation(), chip, choose)))
      signalPassFailure();
  }

  LogicalResult split(AttendOp attend, targets::Target target) {
    if (!attend.getTileAttr())
      return attend.emitOpError() << "has no tile yet; run mla-tile first";
    auto schedule = attend.getSchedule().getDefiningOp<ScheduleOp>();
    if (!schedule)
      return attend.emitOpError()
             << "takes its schedule from outside; there is no mla.schedule to "
                "write the split into";

    TileAttr tile = attend.getTileAttr();
    int64_t shareRows =
        rows ? static_cast<int64_t>(rows)
             : chooseRows(tile, schedule.getShapeAttr(), schedule.getHeads(),
                          target.chip().computeUnits);
    if (shareRows % tile.getRows() != 0)
      return attend.emitOpError()
             << "shares must be a multiple of the tile's " << tile.getRows()
             << " rows, got " << shareRows;
    auto emitError = [&] { return attend.emitOpError(); };
    auto split = SplitAttr::getChecked(emitError, &getContext(), shareRows,
                                       static_cast<int64_t>(workgroups),
                                       /*per_compute_unit=*/int64_t{1});
    if (!split)
      return failure();
    schedule.setSplitAttr(split);
    return success();
  }

  /// The largest share that still gives every compute unit work, between one
  /// wave's tile and one tile for each wave of a workgroup.
  static int64_t chooseRows(TileAttr tile, ShapeAttr shape, int64_t heads,
                            int64_t computeUnits) {
    int64_t shareRows = tile.getRows() * tile.getWaves();
    if (!shape)
      return shareRows;
    int64_t blocks = shape.getBatch() * shape.getQLen() *
                     llvm::divideCeil(heads, kBlockHeads);
    while (shareRows > tile.getRows() &&
           blocks * static_cast<int64_t>(
                        llvm::divideCeil(shape.getKv(), shareRows)) <
               computeUnits)
      shareRows /= 2;
    return shareRows;
  }
};

} // namespace
