//===- SoftmaxPatterns.cpp - The online softmax of a lane -----------------===//
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

/// v_exp_f32 and v_log_f32 as they are: a denormal result would be lost in the
/// rounding to fp8 or bf16 anyway, and ocml's guards cost four instructions.
Value exp2(LaneBuilder &b, Value value) {
  return ROCDL::ROCDLExp2::create(b, b.getF32Type(), value);
}

struct LowerExp2 : FragmentPattern<math::Exp2Op> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(math::Exp2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::ROCDLExp2>(op, op.getType(),
                                                  adaptor.getOperand());
    return success();
  }
};

struct LowerLog2 : FragmentPattern<math::Log2Op> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(math::Log2Op op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<ROCDL::ROCDLLog>(op, op.getType(),
                                                 adaptor.getOperand());
    return success();
  }
};

struct LowerHeadReduce : FragmentPattern<HeadReduceOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(HeadReduceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op,
                       b.reduceOverGroups(op.getKind(), adaptor.getValue()));
    return success();
  }
};

struct LowerOnlineSoftmax : FragmentPattern<OnlineSoftmaxOp> {
  using FragmentPattern::FragmentPattern;

  LogicalResult
  matchAndRewrite(OnlineSoftmaxOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Type element = cast<FragmentType>(op.getProbabilities().front().getType())
                       .getElementType();
    size_t termCount = op.getProbabilities().size();
    Value scale = adaptor.getScale().front();
    Value oldMax = adaptor.getMax().front();

    SmallVector<Value> scores =
        maskTail(b, adaptor.getScores(), adaptor.getFirst().front(),
                 adaptor.getEnd().front());

    Value largest;
    for (Value score : scores)
      for (int64_t i = 0; i < 4; ++i) {
        Value element = vector::ExtractOp::create(b, score, i);
        largest = largest ? b.max(largest, element) : element;
      }
    largest = b.reduceOverGroups(Reduction::Max, largest);
    largest = arith::MulFOp::create(b, largest, scale);
    // A maximum that is only little too small serves as well: the bias leaves
    // room for probabilities above one, and nothing has to be rescaled.
    Value limit =
        arith::AddFOp::create(b, oldMax, b.f32(targets::kMaximumSlack));
    Value exceeds =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, largest, limit);
    Value newMax = arith::SelectOp::create(b, exceeds, largest, oldMax);
    Value correction = exp2(b, arith::SubFOp::create(b, oldMax, newMax));

    // score * scale − newMax + bias in one multiply-add an element.
    Value bias = arith::ConstantOp::create(b, op.getBiasAttr());
    Value offset = vector::BroadcastOp::create(
        b, b.floats(4), arith::SubFOp::create(b, bias, newMax));
    Value scales = vector::BroadcastOp::create(b, b.floats(4), scale);
    Value tileSum;
    // terms[i]: the words of the i-th term of each subtile.
    SmallVector<SmallVector<Value>> terms(termCount);
    for (Value score : scores) {
      Value exponent = vector::FMAOp::create(b, score, scales, offset);
      SmallVector<Value> parts;
      for (int64_t i = 0; i < 4; ++i)
        parts.push_back(exp2(b, vector::ExtractOp::create(b, exponent, i)));
      for (int64_t i : {0, 2}) {
        Value pair = vector::FromElementsOp::create(
            b, b.floats(2), ValueRange{parts[i], parts[i + 1]});
        tileSum = tileSum ? arith::AddFOp::create(b, tileSum, pair).getResult()
                          : pair;
      }
      for (auto [i, term] :
           llvm::enumerate(roundToTerms(b, parts, element, termCount)))
        terms[i].push_back(term);
    }
    Value even = vector::ExtractOp::create(b, tileSum, 0);
    Value odd = vector::ExtractOp::create(b, tileSum, 1);
    Value sum = math::FmaOp::create(b, adaptor.getSum().front(), correction,
                                    arith::AddFOp::create(b, even, odd));
    SmallVector<SmallVector<Value>> results;
    for (ArrayRef<Value> term : terms)
      results.push_back(packOperands(b, term, element));
    for (Value plain : {newMax, sum, correction})
      results.push_back({plain});
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  /// Tokens beyond the end become −inf. Only an item's last tile has any, so
  /// the comparisons stand behind a branch that the whole wave takes together.
  static SmallVector<Value> maskTail(LaneBuilder &b, ValueRange scores,
                                     Value first, Value end) {
    int64_t rows = scores.size() * kMatrix;
    Value tileEnd = b.add(first, b.index(rows));
    Value reaches =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, tileEnd, end);
    auto branch = scf::IfOp::create(b, TypeRange(scores), reaches,
                                    /*addThenBlock=*/true,
                                    /*addElseBlock=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    // Opaque, or the comparisons would be made in every tile after all.
    Value left = b.opaque(arith::SubIOp::create(b, end, first));
    auto words = b.words(4);
    Value registers = arith::ConstantOp::create(
        b, DenseElementsAttr::get(words, ArrayRef<int32_t>{0, 1, 2, 3}));
    Value minusInfinity = arith::ConstantOp::create(
        b, DenseElementsAttr::get(
               b.floats(4), APFloat::getInf(APFloat::IEEEsingle(), true)));
    Value group = arith::IndexCastOp::create(b, b.getI32Type(), b.group());
    Value inSubtile = arith::MulIOp::create(b, group, b.i32(4));
    SmallVector<Value> masked;
    for (auto [subtile, score] : llvm::enumerate(scores)) {
      Value token = arith::AddIOp::create(
          b, inSubtile, b.i32(static_cast<int32_t>(subtile * kMatrix)));
      Value tokens = arith::AddIOp::create(
          b, vector::BroadcastOp::create(b, words, token), registers);
      Value isUsed =
          arith::CmpIOp::create(b, arith::CmpIPredicate::slt, tokens,
                                vector::BroadcastOp::create(b, words, left));
      masked.push_back(
          arith::SelectOp::create(b, isUsed, score, minusInfinity));
    }
    scf::YieldOp::create(b, masked);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, scores);
    return branch.getResults();
  }

  /// Four probabilities as terms of `element`, each as i32 words.
  static SmallVector<Value> roundToTerms(LaneBuilder &b, ArrayRef<Value> parts,
                                         Type element, size_t count) {
    if (element.isBF16()) {
      Value wide = vector::FromElementsOp::create(b, b.floats(4), parts);
      Value narrow =
          arith::TruncFOp::create(b, VectorType::get({4}, element), wide);
      return {vector::BitCastOp::create(b, b.words(2), narrow)};
    }
    SmallVector<Value> words;
    for (Value term : b.fp8Terms(parts, element, count))
      words.push_back(vector::BitCastOp::create(b, b.words(1), term));
    return words;
  }

  /// The subtiles' words, put together to eight-byte operands.
  static SmallVector<Value>
  packOperands(LaneBuilder &b, ArrayRef<Value> subtiles, Type element) {
    if (element.isBF16())
      return llvm::to_vector(subtiles);
    SmallVector<Value> operands;
    for (size_t i = 0; i < subtiles.size(); i += 2)
      operands.push_back(vector::ShuffleOp::create(
          b, subtiles[i], subtiles[i + 1], ArrayRef<int64_t>{0, 1}));
    return operands;
  }
};

} // namespace

void mla::populateSoftmaxPatterns(PatternSink &sink) {
  sink.add<LowerExp2, LowerLog2, LowerHeadReduce, LowerOnlineSoftmax>();
}
