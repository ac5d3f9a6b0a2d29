//===- AddressPatterns.cpp - Work items, row indices, loads ---------------===//
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

/// The same in all lanes, and in a scalar register: readfirstlane says so to
/// the backend, which cannot see it in a value loaded or made of a thread id.
Value uniform(LaneBuilder &b, Value i32) {
  return ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), i32);
}

struct LowerWaveId : FragmentPattern<WaveIdOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(WaveIdOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    Value wave =
        arith::DivUIOp::create(b, thread, b.index(targets::kWaveLanes));
    Value narrow = arith::IndexCastOp::create(b, b.getI32Type(), wave);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, b.getIndexType(),
                                                    uniform(b, narrow));
    return success();
  }
};

struct LowerWorkItem : FragmentPattern<WorkItemOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(WorkItemOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> fields;
    for (unsigned i = 0; i < op.getNumResults(); ++i) {
      Value loaded = memref::LoadOp::create(
          b, adaptor.getWorkItems(), ValueRange{adaptor.getItem(), b.index(i)});
      fields.push_back(
          arith::IndexCastOp::create(b, b.getIndexType(), uniform(b, loaded)));
    }
    rewriter.replaceOp(op, fields);
    return success();
  }
};

struct LowerQueryRows : FragmentPattern<QueryRowsOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(QueryRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    int64_t heads = op.getHeads();
    Value head = b.add(adaptor.getHeadBegin(), b.low());
    if (heads % kMatrix != 0)
      head = arith::MinUIOp::create(b, head, b.index(heads - 1));
    Value row = b.add(b.mul(adaptor.getQueryRow(), heads), head);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>{row}});
    return success();
  }
};

struct LowerPageRows : FragmentPattern<PageRowsOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(PageRowsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    int64_t pageSize = op.getPageSize();
    // Tokens of a sequence are counted in 32 bits (the schedule's contract);
    // only what they lead to is addressed in 64.
    auto narrow = [&](Value index) -> Value {
      return arith::IndexCastOp::create(b, b.getI32Type(), index);
    };
    Value last = arith::SubIOp::create(b, narrow(adaptor.getEnd()), b.i32(1));
    Value first = narrow(adaptor.getFirst());
    SmallVector<Value> rows;
    for (int64_t i = 0; i < op.getRows().getType().getRows(); i += kMatrix) {
      Value low = b.low();
      if (op.getStaged())
        low = b.stagedPlace(low, b.group(), b.index(i / kMatrix));
      Value inTile = narrow(b.add(low, b.index(i)));
      Value token = arith::AddIOp::create(b, first, inTile);
      token = arith::MinSIOp::create(b, token, last);
      Value page = token;
      if (pageSize != 1)
        page = arith::DivUIOp::create(b, token, b.i32(pageSize));
      Value entry =
          b.add(adaptor.getPageBegin(),
                arith::IndexCastUIOp::create(b, b.getIndexType(), page));
      Value id = memref::LoadOp::create(b, adaptor.getKvIndices(), entry);
      Value row = arith::IndexCastUIOp::create(b, b.getIndexType(), id);
      if (pageSize != 1) {
        Value inPage = arith::RemUIOp::create(b, token, b.i32(pageSize));
        row = b.add(b.mul(row, pageSize),
                    arith::IndexCastUIOp::create(b, b.getIndexType(), inPage));
      }
      rows.push_back(row);
    }
    rewriter.replaceOpWithMultiple(op, {rows});
    return success();
  }
};

struct LowerLoadRows : FragmentPattern<LoadRowsOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(LoadRowsOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Type element = op.getFragment().getType().getElementType();
    int64_t perPiece = kPieceBytes / elementBytes(element);
    auto piece = VectorType::get({perPiece}, element);
    Value source = adaptor.getSource().front();
    Value column = b.mul(b.group(), perPiece);

    SmallVector<Value> pieces;
    for (Value row : adaptor.getRows())
      for (int64_t first = 0; first < kRow; first += perPiece * kGroups) {
        Value loaded = vector::LoadOp::create(
            b, piece, source, ValueRange{row, b.add(column, b.index(first))},
            /*nontemporal=*/false, llvm::MaybeAlign(kPieceBytes));
        pieces.push_back(vector::BitCastOp::create(b, b.words(4), loaded));
      }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

/// Loads what LowerLoadRows would, as bf16, so that the terms lie as cache rows
/// do.
struct LowerQuantizeRows : FragmentPattern<QuantizeRowsOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(QuantizeRowsOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    auto fp8 = cast<FloatType>(
        cast<FragmentType>(op.getTerms().front().getType()).getElementType());
    double limit =
        APFloat::getLargest(fp8.getFloatSemantics()).convertToDouble();
    SmallVector<Value> elements =
        load(b, adaptor.getSource().front(), adaptor.getRows().front());

    bool given = static_cast<bool>(op.getScale());
    Value scale =
        given ? adaptor.getScale().front() : findScale(b, elements, limit);
    Value inverse = arith::DivFOp::create(b, b.f32(1), scale);
    Value most = b.f32(limit), least = b.f32(-limit);

    // terms[i]: the pieces of the i-th term.
    SmallVector<SmallVector<Value>> terms(op.getTerms().size());
    for (size_t first = 0; first < elements.size(); first += kPieceBytes) {
      SmallVector<SmallVector<Value>> words(terms.size());
      for (size_t four = first; four < first + kPieceBytes; four += 4) {
        SmallVector<Value> scaled;
        for (size_t i = four; i < four + 4; ++i) {
          Value value = arith::MulFOp::create(b, elements[i], inverse);
          if (given) {
            value = arith::MinNumFOp::create(b, value, most);
            value = arith::MaxNumFOp::create(b, value, least);
          }
          scaled.push_back(value);
        }
        for (auto [i, term] :
             llvm::enumerate(b.fp8Terms(scaled, fp8, terms.size()))) {
          Value word = vector::BitCastOp::create(b, b.words(1), term);
          words[i].push_back(vector::ExtractOp::create(b, word, 0));
        }
      }
      for (auto [pieces, ofPiece] : llvm::zip_equal(terms, words))
        pieces.push_back(
            vector::FromElementsOp::create(b, b.words(4), ofPiece));
    }
    terms.push_back({scale});
    rewriter.replaceOpWithMultiple(op, std::move(terms));
    return success();
  }

private:
  /// The elements of the row that this lane holds: for each piece of fp8, the
  /// sixteen it is made of.
  static SmallVector<Value> load(LaneBuilder &b, Value source, Value row) {
    constexpr int64_t kPerLoad = 8; // 16 bytes of bf16
    auto narrow = VectorType::get({kPerLoad}, b.getBF16Type());
    Value column = b.mul(b.group(), kPieceBytes);
    SmallVector<Value> elements;
    for (int64_t first = 0; first < kRow; first += kPieceBytes * kGroups)
      for (int64_t half = 0; half < kPieceBytes; half += kPerLoad) {
        Value loaded = vector::LoadOp::create(
            b, narrow, source,
            ValueRange{row, b.add(column, b.index(first + half))},
            /*nontemporal=*/false, llvm::MaybeAlign(16));
        Value wide = arith::ExtFOp::create(b, b.floats(kPerLoad), loaded);
        for (int64_t i = 0; i < kPerLoad; ++i)
          elements.push_back(vector::ExtractOp::create(b, wide, i));
      }
    return elements;
  }

  /// The least power of two that keeps the row within `limit`: dividing by it
  /// loses nothing.
  static Value findScale(LaneBuilder &b, ArrayRef<Value> elements,
                         double limit) {
    Value largest = b.f32(0);
    for (Value element : elements)
      largest = arith::MaxNumFOp::create(b, largest,
                                         math::AbsFOp::create(b, element));
    largest = b.reduceOverGroups(Reduction::Max, largest);
    Value ratio = arith::MulFOp::create(b, largest, b.f32(1 / limit));
    // A row of zeros, or of denormals, divides by the smallest normal number.
    ratio = arith::MaxNumFOp::create(b, ratio,
                                     b.f32(std::numeric_limits<float>::min()));
    // Up to the next power of two: any bit of the mantissa carries into the
    // exponent.
    Value bits = arith::BitcastOp::create(b, b.getI32Type(), ratio);
    bits = arith::AddIOp::create(b, bits, b.i32(0x007fffff));
    bits = arith::AndIOp::create(b, bits, b.i32(0x7f800000));
    return arith::BitcastOp::create(b, b.getF32Type(), bits);
  }
};

} // namespace

void mla::populateAddressPatterns(PatternSink &sink) {
  sink.add<LowerWaveId, LowerWorkItem, LowerQueryRows, LowerPageRows,
           LowerLoadRows, LowerQuantizeRows>();
}
