//===- FoldLdsLoadOffsets.cpp - Constant offsets into loads to LDS --------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Conversion/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

namespace mla {
#define GEN_PASS_DEF_MLAFOLDLDSLOADOFFSETS
#include "mla/Conversion/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

/// Largest offset of a global instruction (12 bits and a sign; CDNA3 ISA, "FLAT
/// format").
constexpr int64_t kMostOffset = 4095;

/// Takes constants out of a sum. Returns what is left of `index`, with new
/// additions where it must, and adds the constants to `constant`.
Value splitConstants(PatternRewriter &rewriter, Value index,
                     int64_t &constant) {
  auto add = index.getDefiningOp<LLVM::AddOp>();
  if (!add)
    return index;
  for (auto [term, other] : {std::pair(add.getLhs(), add.getRhs()),
                             std::pair(add.getRhs(), add.getLhs())}) {
    APInt value;
    if (!matchPattern(term, m_ConstantInt(&value)))
      continue;
    constant += value.getSExtValue();
    return splitConstants(rewriter, other, constant);
  }
  int64_t before = constant;
  Value lhs = splitConstants(rewriter, add.getLhs(), constant);
  Value rhs = splitConstants(rewriter, add.getRhs(), constant);
  if (constant == before)
    return index;
  return LLVM::AddOp::create(rewriter, add.getLoc(), lhs, rhs);
}

struct FoldOffset : OpRewritePattern<ROCDL::LoadToLDSOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ROCDL::LoadToLDSOp load,
                                PatternRewriter &rewriter) const override {
    auto address = load.getGlobalPtr().getDefiningOp<LLVM::GEPOp>();
    if (load.getOffset() != 0 || !address ||
        address.getDynamicIndices().size() != 1 ||
        !address.getElemType().isIntOrFloat())
      return rewriter.notifyMatchFailure(load, "no plain sum as its address");
    int64_t elements = 0;
    Value rest =
        splitConstants(rewriter, address.getDynamicIndices().front(), elements);
    int64_t bytes =
        elements * address.getElemType().getIntOrFloatBitWidth() / 8;
    if (bytes <= 0 || bytes > kMostOffset)
      return rewriter.notifyMatchFailure(load, "no constant that fits");

    Location loc = load.getLoc();
    Value global =
        LLVM::GEPOp::create(rewriter, loc, address.getType(),
                            address.getElemType(), address.getBase(), rest);
    Value lds = LLVM::GEPOp::create(
        rewriter, loc, load.getLdsPtr().getType(), rewriter.getI8Type(),
        load.getLdsPtr(), ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(-bytes)});
    rewriter.modifyOpInPlace(load, [&] {
      load.getGlobalPtrMutable().assign(global);
      load.getLdsPtrMutable().assign(lds);
      load.setOffset(bytes);
    });
    return success();
  }
};

struct FoldLdsLoadOffsetsPass
    : mla::impl::MLAFoldLdsLoadOffsetsBase<FoldLdsLoadOffsetsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldOffset>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
