//===- AttendKernel.cpp - The split-KV attention kernel -------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A workgroup runs through its work items. Its waves take the tiles of an item
// in turn, each with a softmax state and accumulators of its own, and do not
// meet until the item's end, where their results are merged through LDS. What
// becomes of a part of a split block is written by the one who is done last, if
// attention combines, or left to the combine kernel.
//
//===----------------------------------------------------------------------===//

#include "TileStream.h"

#include <cmath>

using namespace mlir;
using namespace mla;

namespace {

/// The merge takes eight matrices of each wave at a time, four floats a lane.
constexpr int64_t kMergeMatrices = 8;

/// The query of a block as terms, and what turns a score into an exponent of 2.
struct Query {
  SmallVector<Value> terms;
  Value scoreScale;
};

class AttendKernel {
public:
  AttendKernel(AttendOp op, gpu::GPUModuleOp module, int64_t bias);
  void build();

private:
  FragmentType fragment(int64_t rows, int64_t columns, Type element,
                        Layout layout) {
    return FragmentType::get(b.getContext(), rows, columns, element, layout);
  }
  Type outputType(Layout layout) {
    return fragment(kFragmentColumns, kBlockHeads, b.getF32Type(), layout);
  }
  Value view(Value memory, ArrayRef<int64_t> shape, Type element);
  static int64_t bytesOf(ArrayRef<int64_t> shape) {
    return ShapedType::getNumElements(shape) * 4;
  }

  Query loadQuery(WorkItemOp item);
  AttendState attendTiles(WorkItemOp item, const Query &query);
  AttendState attendTile(WorkItemOp item, const Query &query,
                         const ArrivedTile &arrived, const AttendState &state);
  AttendState merge(AttendState state);
  void writeOutput(WorkItemOp item, AttendState merged);
  void writePartial(WorkItemOp item, AttendState merged);
  void combineIfLast(WorkItemOp item);
  void storeBoth(AttendState merged, Value factor, Value destination, Value row,
                 Value headBegin);
  void ifStatisticsThread(Value headBegin, int64_t heads,
                          function_ref<void(Value)> write);

  static SmallVector<KernelBuffer> buffers(AttendOp op);
  /// Q as the caller gave it, or what a kernel before left.
  static StringRef queryBuffer(AttendOp op) {
    Type element = cast<ShapedType>(op.getQ().getType()).getElementType();
    return element.isBF16() ? "q" : "q_quantized";
  }

  AttendOp op;
  Type element;
  TileAttr tile;
  int64_t heads;
  int64_t bias;
  KernelBuilder b;
  std::unique_ptr<TileStream> stream;

  Value wave;
  Value scoreScale; ///< From a score to an exponent of 2, but for Q's scale.
  Value qScale;     ///< Null unless given for the whole tensor.
  Value kvScale;    ///< Null for a bf16 cache.
  Value mergeMemory, statisticsMemory, flagMemory;
};

} // namespace

SmallVector<KernelBuffer> AttendKernel::buffers(AttendOp op) {
  Builder builder(op.getContext());
  Type f32 = builder.getF32Type(), i32 = builder.getI32Type();
  Type element = op.getCache().getType().getElementType();
  auto outType = cast<ShapedType>(op.getOut().getType());
  int64_t heads = outType.getDimSize(1);
  Type queryElement = cast<ShapedType>(op.getQ().getType()).getElementType();
  MemRefType scalar = globalBuffer(f32);
  Access partials = op.getCombines() ? Access::ReadWrite : Access::Write;

  SmallVector<KernelBuffer> result{
      {queryBuffer(op), Access::Read, globalBuffer(queryElement, {kRow})},
      {"cache", Access::Read, globalBuffer(element, {kRow})},
      {"kv_indices", Access::Read, globalBuffer(i32)}};
  if (op.getQScale())
    result.push_back({"q_scale", Access::Read, scalar});
  if (op.getKvScale())
    result.push_back({"kv_scale", Access::Read, scalar});
  result.append(
      {{"work_indptr", Access::Read, globalBuffer(i32)},
       {"work_items", Access::Read, globalBuffer(i32, {8})},
       {"out", Access::Write,
        globalBuffer(outType.getElementType(), {heads, kLatent})},
       {"lse", Access::Write, globalBuffer(f32, {heads})},
       {"partial_o", partials, globalBuffer(f32, {kBlockHeads, kLatent})},
       {"partial_ml", partials, globalBuffer(f32, {2, kBlockHeads})}});
  if (op.getCombines())
    result.append({{"combine_items", Access::Read, globalBuffer(i32, {4})},
                   {"tickets", Access::ReadWrite, globalBuffer(i32)}});
  return result;
}

AttendKernel::AttendKernel(AttendOp op, gpu::GPUModuleOp module, int64_t bias)
    : op(op), element(op.getCache().getType().getElementType()),
      tile(op.getTileAttr()),
      heads(cast<ShapedType>(op.getOut().getType()).getDimSize(1)), bias(bias),
      b(op.getLoc(), module,
        {"attend", Extent::Workgroups, 1, tile.getWaves() * 64}, buffers(op)) {}

Value AttendKernel::view(Value memory, ArrayRef<int64_t> shape,
                         Type viewElement) {
  auto space = cast<MemRefType>(memory.getType()).getMemorySpace();
  auto type =
      MemRefType::get(shape, viewElement, MemRefLayoutAttrInterface(), space);
  return memref::ViewOp::create(b, type, memory, b.index(0), ValueRange{});
}

void AttendKernel::build() {
  Type f32 = b.getF32Type();
  int64_t waves = tile.getWaves();
  SmallVector<int64_t> mergeShape{waves, kMergeMatrices, 64, 4};
  SmallVector<int64_t> statisticsShape{waves, 2, kBlockHeads};
  stream = TileStream::create(b, op, bytesOf(mergeShape));
  mergeMemory = view(stream->scratch(), mergeShape, f32);
  statisticsMemory =
      view(b.workgroupMemory(bytesOf(statisticsShape)), statisticsShape, f32);
  if (op.getCombines())
    flagMemory = view(b.workgroupMemory(4), {1}, b.getI32Type());

  wave = WaveIdOp::create(b, b.getIndexType());
  Value zero = b.index(0);
  scoreScale = b.f32(op.getSmScale().convertToFloat() * M_LOG2E);
  if (op.getQScale())
    qScale = memref::LoadOp::create(b, b.buffer("q_scale"), zero);
  if (op.getKvScale()) {
    kvScale = memref::LoadOp::create(b, b.buffer("kv_scale"), zero);
    scoreScale = arith::MulFOp::create(b, scoreScale, kvScale);
  }

  Value workgroup = gpu::BlockIdOp::create(b, gpu::Dimension::x);
  Value next = arith::AddIOp::create(b, workgroup, b.index(1));
  Value firstItem = b.uniformIndex(b.buffer("work_indptr"), workgroup);
  Value lastItem = b.uniformIndex(b.buffer("work_indptr"), next);

  auto items = scf::ForOp::create(b, firstItem, lastItem, b.index(1));
  b.setInsertionPointToStart(items.getBody());
  Type index = b.getIndexType();
  auto item =
      WorkItemOp::create(b, index, index, index, index, index, index, index,
                         b.buffer("work_items"), items.getInductionVar());
  Query query = loadQuery(item);

  AttendState merged = merge(attendTiles(item, query));
  Value direct = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                       item.getPartial(), zero);
  auto branch = scf::IfOp::create(b, direct, /*withElseRegion=*/true);
  b.setInsertionPointToStart(branch.thenBlock());
  writeOutput(item, merged);
  b.setInsertionPointToStart(branch.elseBlock());
  writePartial(item, merged);
  if (op.getCombines())
    combineIfLast(item);
}

Query AttendKernel::loadQuery(WorkItemOp item) {
  Type f32 = b.getF32Type();
  Type operand = fragment(kBlockHeads, kRow, element, Layout::Operand);
  Value rows = QueryRowsOp::create(
      b, fragment(kBlockHeads, 1, b.getIndexType(), Layout::RowIndex),
      item.getQueryRow(), item.getHeadBegin(), heads);
  Value source = b.buffer(queryBuffer(op));
  Query query;
  Value usedScale = qScale;
  if (op.quantizesQuery()) {
    size_t terms = op.getPrecisionAttr().getQ() == Precision::Fp8x2 ? 2 : 1;
    auto quantized = QuantizeRowsOp::create(
        b, SmallVector<Type>(terms, operand), f32, source, rows, qScale);
    llvm::append_range(query.terms, quantized.getTerms());
    usedScale = quantized.getUsedScale();
  } else {
    query.terms.push_back(LoadRowsOp::create(b, operand, source, rows));
  }
  query.scoreScale =
      usedScale ? arith::MulFOp::create(b, scoreScale, usedScale).getResult()
                : scoreScale;
  return query;
}

AttendState AttendKernel::attendTiles(WorkItemOp item, const Query &query) {
  // The least finite maximum rather than −inf: an item without rows then merges
  // to a sum of 0, and not to NaN.
  Value least = b.f32(std::numeric_limits<float>::lowest());
  Value zeros = ZeroOp::create(b, outputType(Layout::Output));
  return stream->run(item, wave, {least, b.f32(0), zeros, zeros},
                     [&](const ArrivedTile &arrived, const AttendState &state) {
                       return attendTile(item, query, arrived, state);
                     });
}

AttendState AttendKernel::attendTile(WorkItemOp item, const Query &query,
                                     const ArrivedTile &arrived,
                                     const AttendState &state) {
  int64_t rows = tile.getRows();
  Type f32 = b.getF32Type();
  Value scores =
      ScoreOp::create(b, fragment(rows, kBlockHeads, f32, Layout::Score),
                      arrived.keys, query.terms);
  size_t terms = op.getPrecisionAttr().getP() == Precision::Fp8x2 ? 2 : 1;
  SmallVector<Type> probabilities(
      terms, fragment(rows, kBlockHeads, element, Layout::Probability));
  auto softmax = OnlineSoftmaxOp::create(
      b, probabilities, f32, f32, f32, scores, arrived.first, item.getRowEnd(),
      query.scoreScale, state.max, state.sum,
      b.getF32FloatAttr(static_cast<float>(bias)));

  // Both halves are rescaled before either is added to, so that one branch
  // does.
  Value correction = softmax.getCorrection();
  auto rescale = [&](Value accumulator) -> Value {
    return RescaleOp::create(b, accumulator.getType(), accumulator, correction);
  };
  Value low = rescale(state.low), high = rescale(state.high);
  auto accumulate = [&](Value accumulator, int64_t column) -> Value {
    return AccumulateOp::create(b, accumulator.getType(),
                                arrived.values(column),
                                softmax.getProbabilities(), accumulator);
  };
  low = accumulate(low, 0);
  high = accumulate(high, kFragmentColumns);
  return {softmax.getNewMax(), softmax.getNewSum(), low, high};
}

AttendState AttendKernel::merge(AttendState state) {
  Type f32 = b.getF32Type();
  Value sum = HeadReduceOp::create(b, f32, Reduction::Sum, state.sum);
  auto statistics = MergeStatisticsOp::create(b, f32, f32, f32, state.max, sum,
                                              statisticsMemory, wave);
  auto mergeHalf = [&](Value output) -> Value {
    Value rescaled =
        RescaleOp::create(b, output.getType(), output, statistics.getFactor());
    return MergeOutputOp::create(b, outputType(Layout::Merged), rescaled,
                                 mergeMemory, wave);
  };
  return {statistics.getMergedMax(), statistics.getMergedSum(),
          mergeHalf(state.low), mergeHalf(state.high)};
}

void AttendKernel::storeBoth(AttendState merged, Value factor,
                             Value destination, Value row, Value headBegin) {
  for (auto [output, column] : {std::pair(merged.low, int64_t{0}),
                                std::pair(merged.high, kFragmentColumns)}) {
    Value scaled = RescaleOp::create(b, output.getType(), output, factor);
    StoreOp::create(b, scaled, destination, row, headBegin, wave, column);
  }
}

/// Runs `write` in the threads that hold a head's statistics: the first lanes
/// of the first wave, those whose head exists.
void AttendKernel::ifStatisticsThread(Value headBegin, int64_t headCount,
                                      function_ref<void(Value)> write) {
  Value thread = b.threadId();
  Value head = arith::AddIOp::create(b, headBegin, thread);
  Value holds = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, thread,
                                      b.index(kBlockHeads));
  if (headCount % kBlockHeads != 0) {
    Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, head,
                                         b.index(headCount));
    holds = arith::AndIOp::create(b, holds, exists);
  }
  auto branch = scf::IfOp::create(b, holds);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  write(head);
}

void AttendKernel::writeOutput(WorkItemOp item, AttendState merged) {
  // The bias of the probabilities is in the sum as well and cancels.
  Value numerator = kvScale ? kvScale : b.f32(1);
  Value quotient = arith::DivFOp::create(b, numerator, merged.sum);
  Value isEmpty =
      arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, merged.sum, b.f32(0));
  Value factor = arith::SelectOp::create(b, isEmpty, b.f32(0), quotient);
  storeBoth(merged, factor, b.buffer("out"), item.getQueryRow(),
            item.getHeadBegin());
  ifStatisticsThread(item.getHeadBegin(), heads, [&](Value head) {
    Value log = math::Log2Op::create(b, merged.sum);
    Value exponent = arith::AddFOp::create(b, merged.max, log);
    exponent = arith::SubFOp::create(b, exponent, b.f32(bias));
    Value lse = arith::MulFOp::create(b, exponent, b.f32(M_LN2));
    memref::StoreOp::create(b, lse, b.buffer("lse"),
                            ValueRange{item.getQueryRow(), head});
  });
}

void AttendKernel::writePartial(WorkItemOp item, AttendState merged) {
  // Partials leave without the bias, so that combine need not know of it; a
  // power of two changes no other bit.
  Value unbias = b.f32(std::exp2(-static_cast<double>(bias)));
  Value factor = kvScale ? arith::MulFOp::create(b, kvScale, unbias) : unbias;
  Value zero = b.index(0);
  storeBoth(merged, factor, b.buffer("partial_o"), item.getPartial(), zero);
  ifStatisticsThread(zero, kBlockHeads, [&](Value head) {
    Value sum = arith::MulFOp::create(b, merged.sum, unbias);
    Value statistics = b.buffer("partial_ml");
    memref::StoreOp::create(b, merged.max, statistics,
                            ValueRange{item.getPartial(), zero, head});
    memref::StoreOp::create(b, sum, statistics,
                            ValueRange{item.getPartial(), b.index(1), head});
  });
}

void AttendKernel::combineIfLast(WorkItemOp item) {
  auto field = [&](int64_t position) {
    return b.uniformIndex(b.buffer("combine_items"),
                          ValueRange{item.getCombineItem(), b.index(position)});
  };
  auto outType = cast<ShapedType>(op.getOut().getType());
  BlockCombine block{
      item.getQueryRow(),      item.getHeadBegin(), field(2), field(3), heads,
      outType.getElementType()};
  Value isLast =
      ArriveOp::create(b, b.getI1Type(), b.buffer("tickets"),
                       item.getCombineItem(), block.partialCount, flagMemory);
  auto branch = scf::IfOp::create(b, isLast);
  b.setInsertionPointToStart(branch.thenBlock());

  // Threads side by side share a head; those of the next part take the next.
  int64_t perHead = kLatent / kCombineColumns;
  int64_t headsAtOnce = tile.getWaves() * 64 / perHead;
  Value thread = b.threadId();
  Value head = arith::DivUIOp::create(b, thread, b.index(perHead));
  Value column = arith::MulIOp::create(
      b, arith::RemUIOp::create(b, thread, b.index(perHead)),
      b.index(kCombineColumns));
  combineHeads(b, block, head, headsAtOnce, kBlockHeads / headsAtOnce, column);
}

void mla::buildAttendKernel(AttendOp op, gpu::GPUModuleOp module,
                            int64_t probabilityBias) {
  AttendKernel(op, module, probabilityBias).build();
}
