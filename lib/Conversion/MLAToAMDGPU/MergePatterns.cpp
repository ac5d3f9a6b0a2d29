//===- MergePatterns.cpp - A workgroup's waves come together --------------===//
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

struct LowerMergeStatistics : FragmentPattern<MergeStatisticsOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(MergeStatisticsOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Value lds = adaptor.getLds(), low = b.low();
    Value zero = b.index(0), one = b.index(1);

    // The four lanes of a head hold the same; one of them writes.
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, b.group(), zero);
    auto branch = scf::IfOp::create(b, isFirst);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value wave = adaptor.getWave();
      memref::StoreOp::create(b, adaptor.getMax(), lds,
                              ValueRange{wave, zero, low});
      memref::StoreOp::create(b, adaptor.getSum(), lds,
                              ValueRange{wave, one, low});
    }
    gpu::BarrierOp::create(b);

    SmallVector<Value> maxima, sums;
    Value merged;
    for (int64_t wave = 0; wave < lowering.tile.getWaves(); ++wave) {
      maxima.push_back(
          memref::LoadOp::create(b, lds, ValueRange{b.index(wave), zero, low}));
      sums.push_back(
          memref::LoadOp::create(b, lds, ValueRange{b.index(wave), one, low}));
      merged =
          merged
              ? arith::MaxNumFOp::create(b, merged, maxima.back()).getResult()
              : maxima.back();
    }
    // A wave that had no tile has −inf as its maximum and weighs nothing; the
    // merged maximum is finite, since an item has at least one row.
    auto weight = [&](Value max) -> Value {
      Value distance = arith::SubFOp::create(b, max, merged);
      return ROCDL::ROCDLExp2::create(b, b.getF32Type(), distance);
    };
    Value sum = b.f32(0);
    for (auto [max, part] : llvm::zip_equal(maxima, sums))
      sum = arith::AddFOp::create(b, sum,
                                  arith::MulFOp::create(b, part, weight(max)));
    rewriter.replaceOp(op, {merged, sum, weight(adaptor.getMax())});
    return success();
  }
};

/// The scratch memory holds as many of each wave's matrices as its second
/// extent says. In each round every wave writes that many, an equal number for
/// each receiving wave, and sums what the waves wrote for it, in their order.
struct LowerMergeOutput : FragmentPattern<MergeOutputOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(MergeOutputOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Value lds = adaptor.getLds().front(), wave = adaptor.getWave().front();
    int64_t waves = lowering.tile.getWaves();
    int64_t perRound = cast<MemRefType>(lds.getType()).getDimSize(1);
    int64_t perWave = kMatrices / waves;
    int64_t perWaveAndRound = perRound / waves;
    if (perWaveAndRound == 0 || perRound % waves != 0 ||
        perWave % perWaveAndRound != 0)
      return op.emitOpError()
             << "needs scratch memory for a part of each wave's " << perWave
             << " matrices that all " << waves << " waves share alike, got "
             << lds.getType();

    Value lane = b.lane(), zero = b.index(0);
    Value mine = b.mul(wave, perWaveAndRound);
    ValueRange output = adaptor.getOutput();
    SmallVector<Value> merged;
    for (int64_t first = 0; first < perWave; first += perWaveAndRound) {
      for (int64_t slot = 0; slot < perRound; ++slot) {
        int64_t receiver = slot / perWaveAndRound;
        int64_t matrix = receiver * perWave + first + slot % perWaveAndRound;
        vector::StoreOp::create(b, output[matrix], lds,
                                ValueRange{wave, b.index(slot), lane, zero},
                                /*nontemporal=*/false, llvm::MaybeAlign(16));
      }
      gpu::BarrierOp::create(b);
      for (int64_t i = 0; i < perWaveAndRound; ++i) {
        Value sum;
        for (int64_t sender = 0; sender < waves; ++sender) {
          Value part = vector::LoadOp::create(
              b, b.floats(4), lds,
              ValueRange{b.index(sender), b.add(mine, b.index(i)), lane, zero},
              /*nontemporal=*/false, llvm::MaybeAlign(16));
          sum = sum ? arith::AddFOp::create(b, sum, part).getResult() : part;
        }
        merged.push_back(sum);
      }
      gpu::BarrierOp::create(b);
    }
    rewriter.replaceOpWithMultiple(op, {merged});
    return success();
  }
};

struct LowerStore : FragmentPattern<StoreOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(StoreOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    auto type = cast<MemRefType>(op.getDestination().getType());
    Value head = b.add(adaptor.getHeadBegin().front(), b.low());

    // Heads are masked only where a block can be short.
    if (type.getDimSize(1) % kMatrix != 0) {
      Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, head,
                                           b.index(type.getDimSize(1)));
      auto branch = scf::IfOp::create(b, exists);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    storeColumns(b, op, adaptor, head);
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Four consecutive columns at a time: either four registers of one matrix
  /// or one register of four, as the target orders columns.
  void storeColumns(LaneBuilder &b, StoreOp op, Adaptor adaptor,
                    Value head) const {
    targets::ColumnOrder order = lowering.target.columnOrder();
    ValueRange matrices = adaptor.getMerged();
    Value firstMatrix =
        b.mul(adaptor.getWave().front(), kMatrices / lowering.tile.getWaves());
    Value base = b.add(b.mul(firstMatrix, order.matrixStride),
                       b.mul(b.group(), 4 * order.lowStride));
    base = b.add(base, b.index(op.getFirstColumn()));

    if (order.lowStride == 1) {
      for (auto [matrix, accumulator] : llvm::enumerate(matrices))
        storeFour(b, op, adaptor, head, base, matrix * order.matrixStride,
                  accumulator);
      return;
    }
    for (size_t matrix = 0; matrix < matrices.size(); matrix += 4)
      for (int64_t reg = 0; reg < 4; ++reg) {
        SmallVector<Value> four;
        for (size_t i = 0; i < 4; ++i)
          four.push_back(
              vector::ExtractOp::create(b, matrices[matrix + i], reg));
        storeFour(b, op, adaptor, head, base,
                  matrix * order.matrixStride + reg * order.lowStride,
                  vector::FromElementsOp::create(b, b.floats(4), four));
      }
  }

  static void storeFour(LaneBuilder &b, StoreOp op, Adaptor adaptor, Value head,
                        Value base, int64_t offset, Value four) {
    Type element =
        cast<MemRefType>(op.getDestination().getType()).getElementType();
    if (!element.isF32())
      four = arith::TruncFOp::create(b, VectorType::get({4}, element), four);
    Value column = b.add(base, b.index(offset));
    vector::StoreOp::create(b, four, adaptor.getDestination().front(),
                            ValueRange{adaptor.getRow().front(), head, column},
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(4 * elementBytes(element)));
  }
};

/// Release and acquire at the scope of the agent (AMDGPU memory model, LLVM's
/// "User Guide for AMDGPU Backend"): the barrier hands the other waves' stores
/// to the first thread, whose fence writes the L2 of its XCD back; the last
/// one's fence drops what its caches held.
struct LowerArrive : FragmentPattern<ArriveOp> {
  using FragmentPattern::FragmentPattern;
  LogicalResult
  matchAndRewrite(ArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Value zero = b.index(0);
    gpu::BarrierOp::create(b);
    Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
    Value isFirst =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, zero);
    auto branch = scf::IfOp::create(b, isFirst);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(branch.thenBlock());
      Value isLast = drawTicket(b, adaptor);
      Value flag = arith::ExtUIOp::create(b, b.getI32Type(), isLast);
      memref::StoreOp::create(b, flag, adaptor.getFlag(), zero);
    }
    gpu::BarrierOp::create(b);
    Value flag = memref::LoadOp::create(b, adaptor.getFlag(), zero);
    Value uniform = ROCDL::ReadfirstlaneOp::create(b, b.getI32Type(), flag);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne,
                                               uniform, b.i32(0));
    return success();
  }

private:
  static constexpr llvm::StringLiteral kScope = "agent";

  static Value drawTicket(LaneBuilder &b, OpAdaptor adaptor) {
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(
        b, b.getIndexType(), adaptor.getTickets());
    Value address = b.add(base, b.mul(adaptor.getTicket(), 4));
    Value integer = arith::IndexCastOp::create(b, b.getI64Type(), address);
    auto pointerType = LLVM::LLVMPointerType::get(b.getContext(), /*global*/ 1);
    Value pointer = LLVM::IntToPtrOp::create(b, pointerType, integer);

    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::release, kScope);
    Value drawn = LLVM::AtomicRMWOp::create(
        b, LLVM::AtomicBinOp::add, pointer, b.i32(1),
        LLVM::AtomicOrdering::monotonic, kScope, /*alignment=*/4);
    Value count =
        arith::IndexCastOp::create(b, b.getI32Type(), adaptor.getCount());
    Value last = arith::SubIOp::create(b, count, b.i32(1));
    Value isLast =
        arith::CmpIOp::create(b, arith::CmpIPredicate::eq, drawn, last);
    auto branch = scf::IfOp::create(b, isLast);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acquire, kScope);
    LLVM::StoreOp::create(b, b.i32(0), pointer, /*alignment=*/4,
                          /*isVolatile=*/false, /*isNonTemporal=*/false,
                          /*isInvariantGroup=*/false,
                          LLVM::AtomicOrdering::monotonic, kScope);
    return isLast;
  }
};

} // namespace

void mla::populateMergePatterns(PatternSink &sink) {
  sink.add<LowerMergeStatistics, LowerMergeOutput, LowerStore, LowerArrive>();
}
