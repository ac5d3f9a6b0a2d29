//===- FuseQuantize.cpp - Quantise Q where attention loads it -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mla {
#define GEN_PASS_DEF_MLAFUSEQUANTIZE
#include "mla/Transforms/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

struct FuseIntoAttend : OpRewritePattern<AttendOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AttendOp attend,
                                PatternRewriter &rewriter) const override {
    auto quantize = attend.getQ().getDefiningOp<QuantizeOp>();
    if (!quantize || !quantize.getScale())
      return rewriter.notifyMatchFailure(
          attend, "Q does not come from a quantise with a scale given");
    if (quantize.getScale() != attend.getQScale())
      return rewriter.notifyMatchFailure(
          attend, "Q was quantised with another scale than attention's");
    rewriter.modifyOpInPlace(
        attend, [&] { attend.getQMutable().assign(quantize.getQ()); });
    if (quantize.use_empty())
      rewriter.eraseOp(quantize);
    return success();
  }
};

struct FuseQuantizePass : mla::impl::MLAFuseQuantizeBase<FuseQuantizePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FuseIntoAttend>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
