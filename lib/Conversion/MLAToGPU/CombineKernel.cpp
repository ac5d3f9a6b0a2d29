//===- CombineKernel.cpp - Brings partial results together ----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One workgroup for each head of each block to combine; a thread owns four of
// the 512 columns and runs through the parts in their order.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <cmath>

using namespace mlir;
using namespace mla;

namespace {

constexpr int64_t kColumns = 4; // one 16-byte load of f32
constexpr int64_t kThreads = kLatent / kColumns;

/// A loop over the parts of a block that carries values; `body` gets the slot.
ValueRange forEachPart(KernelBuilder &b, Value begin, Value count,
                       ValueRange initial,
                       function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(b, b.index(0), count, b.index(1), initial);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value slot = arith::AddIOp::create(b, begin, loop.getInductionVar());
  scf::YieldOp::create(b, body(slot, loop.getRegionIterArgs()));
  return loop.getResults();
}

} // namespace

void mla::buildCombineKernel(CombineOp op, gpu::GPUModuleOp module) {
  Builder types(op.getContext());
  Type f32 = types.getF32Type();
  auto outType = cast<ShapedType>(op.getOut().getType());
  int64_t heads = outType.getDimSize(1);
  KernelBuilder b(
      op.getLoc(), module,
      {"combine", Extent::CombineItems, kBlockHeads, kThreads},
      {{"partial_o", Access::Read, globalBuffer(f32, {kBlockHeads, kLatent})},
       {"partial_ml", Access::Read, globalBuffer(f32, {2, kBlockHeads})},
       {"combine_items", Access::Read, globalBuffer(types.getI32Type(), {4})},
       {"out", Access::Write,
        globalBuffer(outType.getElementType(), {heads, kLatent})},
       {"lse", Access::Write, globalBuffer(f32, {heads})}});

  Value workgroup = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value headsOfBlock = b.index(kBlockHeads);
  Value item = arith::DivUIOp::create(b, workgroup, headsOfBlock);
  Value slotHead = arith::RemUIOp::create(b, workgroup, headsOfBlock);
  auto field = [&](int64_t position) {
    return b.uniformIndex(b.buffer("combine_items"),
                          ValueRange{item, b.index(position)});
  };
  Value queryRow = field(0), headBegin = field(1);
  Value begin = field(2), count = field(3);
  Value head = arith::AddIOp::create(b, headBegin, slotHead);

  if (heads % kBlockHeads != 0) {
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, head,
                                         b.index(heads));
    auto branch = scf::IfOp::create(b, exists);
    b.setInsertionPointToStart(branch.thenBlock());
  }

  auto vectorType = VectorType::get({kColumns}, f32);
  Value column = arith::MulIOp::create(b, b.threadId(), b.index(kColumns));
  auto statistic = [&](Value slot, int64_t which) -> Value {
    return memref::LoadOp::create(b, b.buffer("partial_ml"),
                                  ValueRange{slot, b.index(which), slotHead});
  };
  Value minusInfinity = arith::ConstantOp::create(
      b, b.getFloatAttr(f32, APFloat::getInf(APFloat::IEEEsingle(), true)));

  Value max = forEachPart(b, begin, count, minusInfinity,
                          [&](Value slot, ValueRange carried) {
                            return SmallVector<Value>{arith::MaxNumFOp::create(
                                b, carried[0], statistic(slot, 0))};
                          })
                  .front();

  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vectorType));
  ValueRange sums = forEachPart(
      b, begin, count, ValueRange{zeros, b.f32(0)},
      [&](Value slot, ValueRange carried) {
        Value distance = arith::SubFOp::create(b, statistic(slot, 0), max);
        Value weight = math::Exp2Op::create(b, distance);
        Value part = vector::LoadOp::create(
            b, vectorType, b.buffer("partial_o"),
            ValueRange{slot, slotHead, column}, /*nontemporal=*/false,
            llvm::MaybeAlign(16));
        Value weights = vector::BroadcastOp::create(b, vectorType, weight);
        return SmallVector<Value>{
            vector::FMAOp::create(b, part, weights, carried[0]),
            math::FmaOp::create(b, statistic(slot, 1), weight, carried[1])};
      });
  Value output = sums[0], sum = sums[1];

  // A block without rows has no parts: its output is 0 and its lse −inf, which
  // log2(0) gives; only the division needs care.
  Value isEmpty = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, count,
                                        b.index(0));
  Value divisor = arith::SelectOp::create(b, isEmpty, b.f32(1), sum);
  Value divisors = vector::BroadcastOp::create(b, vectorType, divisor);
  Value result = arith::DivFOp::create(b, output, divisors);
  if (!outType.getElementType().isF32())
    result = arith::TruncFOp::create(
        b, VectorType::get({kColumns}, outType.getElementType()), result);
  int64_t bytes = kColumns * outType.getElementTypeBitWidth() / 8;
  vector::StoreOp::create(b, result, b.buffer("out"),
                          ValueRange{queryRow, head, column},
                          /*nontemporal=*/false, llvm::MaybeAlign(bytes));

  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        b.threadId(), b.index(0));
  auto branch = scf::IfOp::create(b, isFirst);
  b.setInsertionPointToStart(branch.thenBlock());
  Value exponent =
      arith::AddFOp::create(b, max, math::Log2Op::create(b, sum));
  Value lse = arith::MulFOp::create(b, exponent, b.f32(M_LN2));
  memref::StoreOp::create(b, lse, b.buffer("lse"), ValueRange{queryRow, head});
}
