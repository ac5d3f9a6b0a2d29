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
          b, adaptor.getWorkItems(),
          ValueRange{adaptor.getItem(), b.index(i)});
      fields.push_back(arith::IndexCastOp::create(b, b.getIndexType(),
                                                  uniform(b, loaded)));
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
    Value last = arith::SubIOp::create(b, adaptor.getEnd(), b.index(1));
    Value token = b.add(adaptor.getFirst(), b.low());
    SmallVector<Value> rows;
    for (int64_t i = 0; i < op.getRows().getType().getRows(); i += kMatrix) {
      Value here = b.add(token, b.index(i));
      here = arith::MinUIOp::create(b, here, last);
      Value page = here;
      if (pageSize != 1)
        page = arith::DivUIOp::create(b, here, b.index(pageSize));
      page = b.add(adaptor.getPageBegin(), page);
      Value id = memref::LoadOp::create(b, adaptor.getKvIndices(), page);
      Value row = arith::IndexCastUIOp::create(b, b.getIndexType(), id);
      if (pageSize != 1) {
        Value inPage =
            arith::RemUIOp::create(b, here, b.index(pageSize));
        row = b.add(b.mul(row, pageSize), inPage);
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
            b, piece, source,
            ValueRange{row, b.add(column, b.index(first))},
            /*nontemporal=*/false, llvm::MaybeAlign(kPieceBytes));
        pieces.push_back(vector::BitCastOp::create(b, b.words(4), loaded));
      }
    rewriter.replaceOpWithMultiple(op, {pieces});
    return success();
  }
};

} // namespace

void mla::populateAddressPatterns(PatternSink &sink) {
  sink.add<LowerWaveId, LowerWorkItem, LowerQueryRows, LowerPageRows,
           LowerLoadRows>();
}
