//===- QuantizeKernel.cpp - The kernels that bring Q to fp8 ---------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One workgroup a query token; each thread takes eight elements at a time.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "mla/Targets/Chips.h"

using namespace mlir;
using namespace mla;

namespace {

constexpr int64_t kThreads = 256;
constexpr int64_t kWaves = kThreads / targets::kWaveLanes;
/// Elements of bf16 in one 16-byte load.
constexpr int64_t kVector = 8;

/// The largest `value` of the workgroup's threads, in all of them. `scratch`
/// is LDS for one f32 a wave; may be called once for each piece of scratch.
Value workgroupMax(KernelBuilder &b, Value value, Value scratch) {
  for (int32_t distance = targets::kWaveLanes / 2; distance > 0;
       distance /= 2) {
    auto other = gpu::ShuffleOp::create(b, value, distance, targets::kWaveLanes,
                                        gpu::ShuffleMode::XOR);
    value = arith::MaxNumFOp::create(b, value, other.getShuffleResult());
  }
  Value thread = b.threadId();
  Value lanes = b.index(targets::kWaveLanes);
  Value lane = arith::RemUIOp::create(b, thread, lanes);
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, lane, b.index(0));
  auto branch = scf::IfOp::create(b, isFirst);
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    Value wave = arith::DivUIOp::create(b, thread, lanes);
    memref::StoreOp::create(b, value, scratch, wave);
  }
  gpu::BarrierOp::create(b);
  Value result = memref::LoadOp::create(b, scratch, b.index(0));
  for (int64_t wave = 1; wave < kWaves; ++wave)
    result = arith::MaxNumFOp::create(
        b, result, memref::LoadOp::create(b, scratch, b.index(wave)));
  return result;
}

Value workgroupMaxScratch(KernelBuilder &b) {
  Value memory = b.workgroupMemory(kWaves * 4);
  auto type =
      MemRefType::get({kWaves}, b.getF32Type(), MemRefLayoutAttrInterface(),
                      cast<MemRefType>(memory.getType()).getMemorySpace());
  return memref::ViewOp::create(b, type, memory, b.index(0), ValueRange{});
}

/// Calls `body` with the eight elements, as f32, from each position of the
/// token's `heads * 576` that is this thread's. Carries `carried` round.
Value forEachVector(
    KernelBuilder &b, Value q, Value token, int64_t elements,
    ValueRange carried,
    function_ref<Value(Value position, Value vector, ValueRange carried)>
        body) {
  Value start = arith::MulIOp::create(b, b.threadId(), b.index(kVector));
  auto loop = scf::ForOp::create(b, start, b.index(elements),
                                 b.index(kThreads * kVector), carried);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  auto narrow = VectorType::get({kVector}, b.getBF16Type());
  auto wide = VectorType::get({kVector}, b.getF32Type());
  Value loaded = vector::LoadOp::create(
      b, narrow, q, ValueRange{token, loop.getInductionVar()},
      /*nontemporal=*/false, llvm::MaybeAlign(16));
  Value next =
      body(loop.getInductionVar(), arith::ExtFOp::create(b, wide, loaded),
           loop.getRegionIterArgs());
  if (carried.empty())
    return Value();
  scf::YieldOp::create(b, next);
  return loop.getResult(0);
}

/// Rounds eight floats within ±`limit` to fp8 and stores them.
void storeFp8(KernelBuilder &b, Value vector, double limit, Type fp8,
              Value destination, Value token, Value position) {
  auto wide = cast<VectorType>(vector.getType());
  auto constant = [&](double value) -> Value {
    return arith::ConstantOp::create(
        b, DenseElementsAttr::get(wide, static_cast<float>(value)));
  };
  Value clamped = arith::MinNumFOp::create(b, vector, constant(limit));
  clamped = arith::MaxNumFOp::create(b, clamped, constant(-limit));
  // Four at a time: a register of fp8, which lowers without leaving slices of
  // fp8 vectors behind.
  constexpr int64_t kFour = 4;
  for (int64_t first = 0; first < kVector; first += kFour) {
    Value four = vector::ShuffleOp::create(
        b, clamped, clamped,
        ArrayRef<int64_t>{first, first + 1, first + 2, first + 3});
    Value rounded =
        arith::TruncFOp::create(b, VectorType::get({kFour}, fp8), four);
    Value at = arith::AddIOp::create(b, position, b.index(first));
    vector::StoreOp::create(b, rounded, destination, ValueRange{token, at},
                            /*nontemporal=*/false, llvm::MaybeAlign(kFour));
  }
}

int64_t elementsOfToken(Value q) {
  auto type = cast<ShapedType>(q.getType());
  return type.getDimSize(1) * kRow;
}

double fp8Limit(Type fp8) {
  return APFloat::getLargest(cast<FloatType>(fp8).getFloatSemantics())
      .convertToDouble();
}

} // namespace

void mla::buildAmaxKernel(AmaxOp op, gpu::GPUModuleOp module) {
  int64_t elements = elementsOfToken(op.getQ());
  Builder types(op.getContext());
  KernelBuilder b(
      op.getLoc(), module, {"amax", Extent::TotalQ, 1, kThreads},
      {{"q", Access::Read, globalBuffer(types.getBF16Type(), {elements})},
       {"q_amax", Access::Write, globalBuffer(types.getF32Type())}});
  Value scratch = workgroupMaxScratch(b);
  Value token = gpu::BlockIdOp::create(b, gpu::Dimension::x);

  Value zero = b.f32(0);
  Value ofThread = forEachVector(
      b, b.buffer("q"), token, elements, zero,
      [&](Value, Value vector, ValueRange carried) -> Value {
        Value magnitude = math::AbsFOp::create(b, vector);
        return vector::ReductionOp::create(b, vector::CombiningKind::MAXNUMF,
                                           magnitude, carried[0]);
      });
  Value ofToken = workgroupMax(b, ofThread, scratch);
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                        b.threadId(), b.index(0));
  auto branch = scf::IfOp::create(b, isFirst);
  b.setInsertionPointToStart(branch.thenBlock());
  memref::StoreOp::create(b, ofToken, b.buffer("q_amax"), token);
}

/// The scale that the amaxes of all tokens give; the first workgroup leaves it
/// for the kernels that follow.
static Value findScale(KernelBuilder &b, Value token, double limit) {
  Value scratch = workgroupMaxScratch(b);
  Value tokens = b.uniformIndex(b.buffer("counts"), b.index(0));
  auto loop =
      scf::ForOp::create(b, b.threadId(), tokens, b.index(kThreads), b.f32(0));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value amax =
        memref::LoadOp::create(b, b.buffer("q_amax"), loop.getInductionVar());
    scf::YieldOp::create(b, ValueRange{arith::MaxNumFOp::create(
                                b, loop.getRegionIterArg(0), amax)});
  }
  Value amax = workgroupMax(b, loop.getResult(0), scratch);
  Value scale = arith::DivFOp::create(b, amax, b.f32(limit));
  // A Q of zeros has no range; any scale is right for it.
  Value isZero =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, scale, b.f32(0));
  scale = arith::SelectOp::create(b, isZero, b.f32(1), scale);

  Value thread = arith::AddIOp::create(b, token, b.threadId());
  Value isFirst =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread, b.index(0));
  auto branch = scf::IfOp::create(b, isFirst);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  memref::StoreOp::create(b, scale, b.buffer("q_scale"), b.index(0));
  return scale;
}

void mla::buildQuantizeKernel(QuantizeOp op, gpu::GPUModuleOp module) {
  int64_t elements = elementsOfToken(op.getQ());
  Type fp8 = cast<ShapedType>(op.getQuantized().getType()).getElementType();
  Builder types(op.getContext());
  MemRefType scalars = globalBuffer(types.getF32Type());
  bool dynamic = static_cast<bool>(op.getAmax());

  SmallVector<KernelBuffer> buffers{
      {"q", Access::Read, globalBuffer(types.getBF16Type(), {elements})},
      {"q_quantized", Access::Write, globalBuffer(fp8, {elements})},
      {"q_scale", dynamic ? Access::Write : Access::Read, scalars}};
  if (dynamic)
    buffers.append(
        {{"q_amax", Access::Read, scalars},
         {"counts", Access::Read, globalBuffer(types.getI32Type())}});
  KernelBuilder b(op.getLoc(), module,
                  {"quantize", Extent::TotalQ, 1, kThreads}, buffers);

  double limit = fp8Limit(fp8);
  Value token = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value scale = dynamic
                    ? findScale(b, token, limit)
                    : memref::LoadOp::create(b, b.buffer("q_scale"), b.index(0))
                          .getResult();
  forEachVector(b, b.buffer("q"), token, elements, {},
                [&](Value position, Value vector, ValueRange) -> Value {
                  Value scales =
                      vector::BroadcastOp::create(b, vector.getType(), scale);
                  Value scaled = arith::DivFOp::create(b, vector, scales);
                  storeFp8(b, scaled, limit, fp8, b.buffer("q_quantized"),
                           token, position);
                  return Value();
                });
}
