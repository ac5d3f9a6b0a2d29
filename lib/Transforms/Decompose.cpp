//===- Decompose.cpp - mla.decode into the three-kernel form --------------===//
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
#define GEN_PASS_DEF_MLADECOMPOSE
#include "mla/Transforms/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

/// What attention gets: Q in the cache's element type and its scale, or Q as it
/// is, to be taken up without a scale.
struct PreparedQuery {
  Value q;
  Value scale;
};

PreparedQuery prepareQuery(DecodeOp decode, PatternRewriter &rewriter) {
  if (decode.getQMode() == QMode::None || decode.getQMode() == QMode::PerHead)
    return {decode.getQ(), Value()};

  Location loc = decode.getLoc();
  auto qType = cast<RankedTensorType>(decode.getQ().getType());
  auto quantizedType = RankedTensorType::get(
      qType.getShape(), decode.getCache().getType().getElementType());
  if (decode.getQMode() == QMode::Static) {
    auto quantize =
        QuantizeOp::create(rewriter, loc, TypeRange{quantizedType},
                           decode.getQ(), decode.getQScale(), /*amax=*/Value());
    return {quantize.getQuantized(), decode.getQScale()};
  }

  Type f32 = rewriter.getF32Type();
  auto amaxType = RankedTensorType::get({qType.getDimSize(0)}, f32);
  Value amax = AmaxOp::create(rewriter, loc, amaxType, decode.getQ());
  auto quantize = QuantizeOp::create(
      rewriter, loc, TypeRange{quantizedType, RankedTensorType::get({1}, f32)},
      decode.getQ(), /*scale=*/Value(), amax);
  return {quantize.getQuantized(), quantize.getFoundScale()};
}

struct DecomposeDecode : OpRewritePattern<DecodeOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(DecodeOp decode,
                                PatternRewriter &rewriter) const override {
    Location loc = decode.getLoc();
    auto qType = cast<RankedTensorType>(decode.getQ().getType());
    Type f32 = rewriter.getF32Type();

    Value schedule = ScheduleOp::create(
        rewriter, loc, ScheduleType::get(getContext()), decode.getQoIndptr(),
        decode.getKvIndptr(), decode.getKvLastPageLen(),
        rewriter.getI64IntegerAttr(qType.getDimSize(1)),
        rewriter.getI64IntegerAttr(decode.getCache().getType().getPageSize()),
        decode.getShapeAttr(), /*split=*/SplitAttr());

    PreparedQuery query = prepareQuery(decode, rewriter);

    auto partialO = RankedTensorType::get(
        {ShapedType::kDynamic, kBlockHeads, kLatent}, f32);
    auto partialMl =
        RankedTensorType::get({ShapedType::kDynamic, 2, kBlockHeads}, f32);
    auto attend = AttendOp::create(
        rewriter, loc,
        TypeRange{decode.getOut().getType(), decode.getLse().getType(),
                  partialO, partialMl},
        query.q, decode.getCache(), decode.getKvIndices(), schedule,
        query.scale, decode.getKvScale(), decode.getSmScaleAttr(),
        decode.getPrecisionAttr(), /*tile=*/TileAttr());

    rewriter.replaceOpWithNewOp<CombineOp>(
        decode, decode.getResultTypes(), attend.getOut(), attend.getLse(),
        attend.getPartialO(), attend.getPartialMl(), schedule);
    return success();
  }
};

struct DecomposePass : mla::impl::MLADecomposeBase<DecomposePass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeDecode>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
