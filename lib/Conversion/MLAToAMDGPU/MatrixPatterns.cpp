//===- MatrixPatterns.cpp - Scores and accumulation on matrix cores -------===//
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

/// accumulator += first · second, operands as the instruction's bytes in i32.
Value multiply(LaneBuilder &b, targets::MatrixInstruction instruction,
               Type element, Value first, Value second, Value accumulator) {
  auto operand = VectorType::get(
      {instruction.operandBytes / elementBytes(element)}, element);
  auto typed = [&](Value words) -> Value {
    return vector::BitCastOp::create(b, operand, words);
  };
  return amdgpu::MFMAOp::create(
      b, accumulator.getType(), b.getI32IntegerAttr(instruction.rows),
      b.getI32IntegerAttr(instruction.columns),
      b.getI32IntegerAttr(instruction.depth), b.getI32IntegerAttr(1),
      typed(first), typed(second), accumulator);
}

Value zeroAccumulator(LaneBuilder &b) {
  return arith::ConstantOp::create(b, b.getZeroAttr(b.floats(4)));
}

/// The row in operands of `bytes` bytes: halves of its 16-byte pieces, pieces,
/// or two pieces together, the last filled up with zeros.
SmallVector<Value> operandsOf(LaneBuilder &b, ValueRange pieces,
                              int64_t bytes) {
  if (bytes == kPieceBytes)
    return llvm::to_vector(pieces);
  SmallVector<Value> operands;
  if (bytes < kPieceBytes) {
    for (Value piece : pieces)
      for (int64_t half : {0, 2})
        operands.push_back(vector::ShuffleOp::create(
            b, piece, piece, ArrayRef<int64_t>{half, half + 1}));
    return operands;
  }
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(b.words(4)));
  for (size_t i = 0; i < pieces.size(); i += 2)
    operands.push_back(vector::ShuffleOp::create(
        b, pieces[i], i + 1 < pieces.size() ? pieces[i + 1] : zeros,
        ArrayRef<int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  return operands;
}

struct LowerZero : FragmentPattern<ZeroOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(ZeroOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> zeros(kMatrices, zeroAccumulator(b));
    rewriter.replaceOpWithMultiple(op, {zeros});
    return success();
  }
};

/// Each instruction takes some bytes of a row from each group of lanes. Which
/// bytes is free as long as keys and query agree, so the 16-byte pieces serve
/// as they were loaded.
struct LowerScore : FragmentPattern<ScoreOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(ScoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Type element = op.getKeys().getType().getElementType();
    targets::MatrixInstruction instruction =
        lowering.target.rowInstruction(element);
    auto operands = [&](ValueRange pieces) {
      return operandsOf(b, pieces, instruction.operandBytes);
    };
    SmallVector<SmallVector<Value>> terms;
    for (ValueRange query : adaptor.getQuery())
      terms.push_back(operands(query));
    ValueRange keys = adaptor.getKeys();
    size_t pieces = adaptor.getQuery().front().size();
    SmallVector<Value> scores;
    for (size_t first = 0; first < keys.size(); first += pieces) {
      Value sum = zeroAccumulator(b);
      for (auto [i, key] : llvm::enumerate(operands(keys.slice(first, pieces))))
        for (ArrayRef<Value> query : terms)
          sum = multiply(b, instruction, element, key, query[i], sum);
      scores.push_back(sum);
    }
    rewriter.replaceOpWithMultiple(op, {scores});
    return success();
  }
};

struct LowerAccumulate : FragmentPattern<AccumulateOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(AccumulateOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Type element = op.getValues().getType().getElementType();
    ValueRange values = adaptor.getValues();
    targets::MatrixInstruction instruction =
        lowering.target.matrixInstruction(element);
    ArrayRef<ValueRange> terms = adaptor.getProbabilities();
    size_t depths = terms.front().size();
    SmallVector<Value> results;
    for (auto [matrix, accumulator] :
         llvm::enumerate(adaptor.getAccumulator())) {
      Value sum = accumulator;
      for (size_t i = 0; i < depths; ++i)
        for (ValueRange probabilities : terms)
          sum = multiply(b, instruction, element, values[matrix * depths + i],
                         probabilities[i], sum);
      results.push_back(sum);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// Once a few tiles have been seen a head's maximum seldom rises, so the
/// multiplications stand behind a branch that the whole wave takes together.
struct LowerRescale : FragmentPattern<RescaleOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(RescaleOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    ValueRange fragment = adaptor.getFragment();
    Value factor = adaptor.getFactor().front();
    Value differs =
        arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, factor, b.f32(1));
    Value lanes = ROCDL::BallotOp::create(b, b.getI64Type(), differs);
    Value none = arith::ConstantOp::create(b, b.getI64IntegerAttr(0));
    Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, lanes, none);

    auto branch = scf::IfOp::create(b, TypeRange(fragment), any,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    Value factors = vector::BroadcastOp::create(b, b.floats(4), factor);
    SmallVector<Value> scaled;
    for (Value part : fragment)
      scaled.push_back(arith::MulFOp::create(b, part, factors));
    scf::YieldOp::create(b, scaled);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, fragment);
    rewriter.replaceOpWithMultiple(op, {branch.getResults()});
    return success();
  }
};

} // namespace

void mla::populateMatrixPatterns(PatternSink &sink) {
  sink.add<LowerZero, LowerScore, LowerAccumulate, LowerRescale>();
}
