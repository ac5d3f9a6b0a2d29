//===- FuseCombine.cpp - Combine in the attention kernel ------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mla {
#define GEN_PASS_DEF_MLAFUSECOMBINE
#include "mla/Transforms/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

struct FuseIntoAttend : OpRewritePattern<CombineOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(CombineOp combine,
                                PatternRewriter &rewriter) const override {
    auto attend = combine.getPartialO().getDefiningOp<AttendOp>();
    if (!attend || combine.getOutIn() != attend.getOut() ||
        combine.getLseIn() != attend.getLse() ||
        combine.getPartialO() != attend.getPartialO() ||
        combine.getPartialMl() != attend.getPartialMl() ||
        combine.getSchedule() != attend.getSchedule())
      return rewriter.notifyMatchFailure(
          combine, "does not combine the results of one mla.attend");
    for (Value result : attend.getResults())
      if (!result.hasOneUse())
        return rewriter.notifyMatchFailure(
            combine, "something else reads what attention leaves");
    rewriter.modifyOpInPlace(attend, [&] { attend.setCombines(true); });
    rewriter.replaceOp(combine, {attend.getOut(), attend.getLse()});
    return success();
  }
};

struct FuseCombinePass : mla::impl::MLAFuseCombineBase<FuseCombinePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseIntoAttend>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
