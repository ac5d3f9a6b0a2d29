//===- StagePatterns.cpp - Tiles loaded straight into LDS -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentLowering.h"

using namespace mlir;
using namespace mla;

namespace {

/// Row pieces of one subtile.
int64_t stepsPerSubtile(Type element) {
  return kRow * elementBytes(element) / (kPieceBytes * kGroups);
}

struct LowerStageRows : FragmentPattern<StageRowsOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(StageRowsOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    auto type = cast<MemRefType>(op.getLds().getType());
    Type element = type.getElementType();
    int64_t perPiece = kPieceBytes / elementBytes(element);
    Value zero = b.index(0);

    // The reads of what stood here have delivered: the loads below write LDS
    // whenever their data comes, and nothing else would hold them back.
    amdgpu::MemoryCounterWaitOp::create(b, /*load=*/nullptr, /*store=*/nullptr,
                                        /*ds=*/b.getI32IntegerAttr(0),
                                        /*exp=*/nullptr,
                                        /*tensor=*/nullptr);
    // Each load needs another LDS address in M0; computed out of the loop, all
    // of them would want a scalar register, which is more than there are.
    Value wave = arith::IndexCastOp::create(
        b, b.getIndexType(), b.opaque(adaptor.getWave().front()));
    Value column = b.mul(b.group(), perPiece);
    int64_t steps = stepsPerSubtile(element);
    for (auto [subtile, row] : llvm::enumerate(adaptor.getRows()))
      for (int64_t step = 0; step < steps; ++step) {
        Value from = b.add(column, b.index(step * kGroups * perPiece));
        Value slot = b.index(static_cast<int64_t>(subtile) * steps + step);
        amdgpu::GatherToLDSOp::create(
            b, adaptor.getSource().front(), ValueRange{row, from},
            adaptor.getLds().front(), ValueRange{wave, slot, zero, zero},
            TypeAttr::get(VectorType::get({perPiece}, element)));
      }
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerAwaitStage : FragmentPattern<AwaitStageOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(AwaitStageOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    // Each load takes one step of the counter. Loads of other kinds in between
    // make the wait longer, never too short.
    int64_t loads = cast<MemRefType>(op.getLds().getType()).getDimSize(1) *
                    static_cast<int64_t>(op.getYounger());
    rewriter.replaceOpWithNewOp<amdgpu::MemoryCounterWaitOp>(
        op, /*load=*/b.getI32IntegerAttr(loads), /*store=*/nullptr,
        /*ds=*/nullptr, /*exp=*/nullptr, /*tensor=*/nullptr);
    return success();
  }
};

struct LowerStagedRows : FragmentPattern<StagedRowsOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(StagedRowsOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    FragmentType fragment = op.getFragment().getType();
    Type element = fragment.getElementType();
    auto piece =
        VectorType::get({kPieceBytes / elementBytes(element)}, element);
    int64_t steps = stepsPerSubtile(element);
    Value group = b.group(), zero = b.index(0);
    SmallVector<Value> pieces;
    for (int64_t subtile = 0; subtile < fragment.getRows() / kMatrix;
         ++subtile) {
      Value lane = b.add(b.mul(group, kMatrix),
                         b.stagedPlace(b.low(), group, b.index(subtile)));
      for (int64_t step = 0; step < steps; ++step) {
        Value loaded = vector::LoadOp::create(
            b, piece, adaptor.getLds().front(),
            ValueRange{adaptor.getWave().front(),
                       b.index(subtile * steps + step), lane, zero},
            /*nontemporal=*/false, llvm::MaybeAlign(kPieceBytes));
        pieces.push_back(vector::BitCastOp::create(b, b.words(4), loaded));
      }
    }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

struct LowerStagedValues : FragmentPattern<StagedValuesOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(StagedValuesOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (lowering.target.transposition() != targets::Transposition::LdsRead)
      return op.emitOpError()
             << "needs a chip whose LDS turns matrices; "
             << StringRef(lowering.target.chip().name) << " has no such reads";
    LaneBuilder b(op.getLoc(), rewriter);
    FragmentType values = op.getValues().getType();
    Type element = values.getElementType();
    int64_t perPiece = kPieceBytes / elementBytes(element);
    int64_t steps = stepsPerSubtile(element);
    TurningRead at = turningRead(b, elementBytes(element));
    auto readType = VectorType::get({at.perRead}, element);

    SmallVector<Value> results;
    for (int64_t matrix = 0; matrix < kMatrices; ++matrix) {
      // The matrix's columns begin at a piece; a lane's are in that one or, in
      // bf16, in the next.
      int64_t firstPiece = (op.getFirstColumn() + matrix * kMatrix) / perPiece;
      Value pieces = b.index(perPiece);
      Value group = b.add(arith::DivUIOp::create(b, at.column, pieces),
                          b.index(firstPiece % kGroups));
      Value inPiece = arith::RemUIOp::create(b, at.column, pieces);
      Value lane = b.add(b.mul(group, kMatrix),
                         b.stagedPlace(at.token, group, at.subtile));
      Value step =
          b.add(b.mul(at.subtile, steps), b.index(firstPiece / kGroups));
      Value turned = amdgpu::TransposeLoadOp::create(
          b, readType, adaptor.getLds().front(),
          ValueRange{adaptor.getWave().front(), step, lane, inPiece});
      results.push_back(vector::BitCastOp::create(b, b.words(2), turned));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void mla::populateStagePatterns(PatternSink &sink) {
  sink.add<LowerStageRows, LowerAwaitStage, LowerStagedRows,
           LowerStagedValues>();
}
