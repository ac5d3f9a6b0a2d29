//===- CombineKernel.cpp - Brings partial results together ----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As a kernel: one workgroup for each head of each block to combine; a thread
// owns four of the 512 columns and runs through the parts in their order. The
// attention kernel uses the same code when it combines itself.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mla;

/// A loop over the parts of a block that carries values; `body` gets the slot.
static SmallVector<Value>
forEachPart(KernelBuilder &b, const BlockCombine &block, ValueRange initial,
            function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, b.index(0), block.partialCount, b.index(1),
                                 initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value slot =
      arith::AddIOp::create(b, block.partialBegin, loop.getInductionVar());
  scf::YieldOp::create(b, body(slot, loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Writes four columns of one head, and its lse.
static void writeHead(KernelBuilder &b, const BlockCombine &block, Value head,
                      Value column, Value output, Value sum, Value max) {
  OpBuilder::InsertionGuard guard(b);
  if (block.heads % kBlockHeads != 0) {
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, head,
                                         b.index(block.heads));
    auto branch = scf::IfOp::create(b, exists);
    b.setInsertionPointToStart(branch.thenBlock());
  }
  Value divisors = vector::BroadcastOp::create(b, output.getType(), sum);
  Value result = arith::DivFOp::create(b, output, divisors);
  Type element = block.outElement;
  if (!element.isF32())
    result = arith::TruncFOp::create(
        b, VectorType::get({kCombineColumns}, element), result);
  int64_t bytes = kCombineColumns * element.getIntOrFloatBitWidth() / 8;
  vector::StoreOp::create(b, result, b.buffer("out"),
                          ValueRange{block.queryRow, head, column},
                          /*nontemporal=*/false, llvm::MaybeAlign(bytes));

  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, column, b.index(0));
  auto branch = scf::IfOp::create(b, isFirst);
  b.setInsertionPointToStart(branch.thenBlock());
  Value exponent = arith::AddFOp::create(b, max, math::Log2Op::create(b, sum));
  Value lse = arith::MulFOp::create(b, exponent, b.f32(M_LN2));
  memref::StoreOp::create(b, lse, b.buffer("lse"),
                          ValueRange{block.queryRow, head});
}

void mla::combineHeads(KernelBuilder &b, const BlockCombine &block, Value first,
                       int64_t step, int64_t count, Value column) {
  SmallVector<Value> heads{first};
  for (int64_t i = 1; i < count; ++i)
    heads.push_back(arith::AddIOp::create(b, first, b.index(i * step)));
  auto statistic = [&](Value slot, int64_t which, Value head) -> Value {
    return memref::LoadOp::create(b, b.buffer("partial_ml"),
                                  ValueRange{slot, b.index(which), head});
  };

  // Every maximum is at least this, so no difference below is NaN.
  Value least = b.f32(std::numeric_limits<float>::lowest());
  SmallVector<Value> maxima =
      forEachPart(b, block, SmallVector<Value>(count, least),
                  [&](Value slot, ValueRange carried) {
                    SmallVector<Value> next;
                    for (auto [head, max] : llvm::zip_equal(heads, carried))
                      next.push_back(arith::MaxNumFOp::create(
                          b, max, statistic(slot, 0, head)));
                    return next;
                  });

  // Carries each head's four columns, then each head's sum.
  auto vectorType = VectorType::get({kCombineColumns}, b.getF32Type());
  SmallVector<Value> initial(
      count, arith::ConstantOp::create(b, b.getZeroAttr(vectorType)));
  initial.append(count, b.f32(0));
  SmallVector<Value> sums =
      forEachPart(b, block, initial, [&](Value slot, ValueRange carried) {
        SmallVector<Value> next(carried);
        for (int64_t i = 0; i < count; ++i) {
          Value distance =
              arith::SubFOp::create(b, statistic(slot, 0, heads[i]), maxima[i]);
          Value weight = math::Exp2Op::create(b, distance);
          Value part = vector::LoadOp::create(
              b, vectorType, b.buffer("partial_o"),
              ValueRange{slot, heads[i], column}, /*nontemporal=*/false,
              llvm::MaybeAlign(16));
          Value weights = vector::BroadcastOp::create(b, vectorType, weight);
          next[i] = vector::FMAOp::create(b, part, weights, carried[i]);
          next[count + i] = math::FmaOp::create(b, statistic(slot, 1, heads[i]),
                                                weight, carried[count + i]);
        }
        return next;
      });

  for (int64_t i = 0; i < count; ++i)
    writeHead(b, block, arith::AddIOp::create(b, block.headBegin, heads[i]),
              column, sums[i], sums[count + i], maxima[i]);
}

void mla::buildCombineKernel(CombineOp op, gpu::GPUModuleOp module) {
  Builder types(op.getContext());
  Type f32 = types.getF32Type();
  auto outType = cast<ShapedType>(op.getOut().getType());
  int64_t heads = outType.getDimSize(1);
  KernelBuilder b(
      op.getLoc(), module,
      {"combine", Extent::CombineItems, kBlockHeads, kLatent / kCombineColumns},
      {{"partial_o", Access::Read, globalBuffer(f32, {kBlockHeads, kLatent})},
       {"partial_ml", Access::Read, globalBuffer(f32, {2, kBlockHeads})},
       {"combine_items", Access::Read, globalBuffer(types.getI32Type(), {4})},
       {"out", Access::Write,
        globalBuffer(outType.getElementType(), {heads, kLatent})},
       {"lse", Access::Write, globalBuffer(f32, {heads})}});

  Value workgroup = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value headsOfBlock = b.index(kBlockHeads);
  Value item = arith::DivUIOp::create(b, workgroup, headsOfBlock);
  Value head = arith::RemUIOp::create(b, workgroup, headsOfBlock);
  auto field = [&](int64_t position) {
    return b.uniformIndex(b.buffer("combine_items"),
                          ValueRange{item, b.index(position)});
  };
  BlockCombine block{field(0), field(1), field(2),
                     field(3), heads,    outType.getElementType()};
  Value column =
      arith::MulIOp::create(b, b.threadId(), b.index(kCombineColumns));
  combineHeads(b, block, head, /*step=*/1, /*count=*/1, column);
}
