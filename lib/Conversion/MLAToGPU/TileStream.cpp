//===- TileStream.cpp - How a wave's tiles reach it -----------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileStream.h"

using namespace mlir;
using namespace mla;

TileStream::TileStream(KernelBuilder &b, AttendOp op)
    : b(b), op(op), tile(op.getTileAttr()),
      element(op.getCache().getType().getElementType()),
      elementBytes(element.getIntOrFloatBitWidth() / 8) {}

FragmentType TileStream::fragment(int64_t rows, int64_t columns,
                                  Layout layout) {
  Type type = layout == Layout::RowIndex ? b.getIndexType() : element;
  return FragmentType::get(b.getContext(), rows, columns, type, layout);
}

Value TileStream::view(Value bytes, ArrayRef<int64_t> shape) {
  auto space = cast<MemRefType>(bytes.getType()).getMemorySpace();
  auto type =
      MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
  return memref::ViewOp::create(b, type, bytes, b.index(0), ValueRange{});
}

Value TileStream::pageRows(const Item &item, Value first, bool staged) {
  WorkItemOp work = item.op;
  return PageRowsOp::create(b, fragment(tile.getRows(), 1, Layout::RowIndex),
                            b.buffer("kv_indices"), work.getPageBegin(), first,
                            work.getRowEnd(),
                            op.getCache().getType().getPageSize(), staged);
}

Value TileStream::isBefore(Value token, const Item &item) {
  WorkItemOp work = item.op;
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, token,
                               work.getRowEnd());
}

Value TileStream::advance(Value token, int64_t tiles) {
  int64_t step = tile.getRows() * tile.getWaves();
  return arith::AddIOp::create(b, token, b.index(tiles * step));
}

AttendState TileStream::run(WorkItemOp work, Value wave,
                            const AttendState &initial, AttendTile attend) {
  Value offset = arith::MulIOp::create(b, wave, b.index(tile.getRows()));
  Value first = arith::AddIOp::create(b, work.getRowBegin(), offset);
  Item item{work, wave, first};

  // Loads run ahead of the loop, so a wave without a tile must not get there.
  auto branch = scf::IfOp::create(b, ValueRange(initial.values()).getTypes(),
                                  isBefore(first, item),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, initial.values());
  b.setInsertionPointToStart(branch.thenBlock());
  AttendState last = loop(item, initial, attend);
  scf::YieldOp::create(b, last.values());
  return AttendState::of(branch.getResults());
}

//===----------------------------------------------------------------------===//
// Through registers
//===----------------------------------------------------------------------===//

namespace {

/// The next tile is loaded into registers while one is attended; its values are
/// turned through LDS. Two tiles a turn of the loop, each with registers of its
/// own: with one, the next tile's would have to be copied at the end of the
/// turn, and waited for there. Loads beyond the end take the item's last row.
class RegisterStream : public TileStream {
public:
  RegisterStream(KernelBuilder &b, AttendOp op, int64_t scratchBytes)
      : TileStream(b, op) {
    // 32 bytes after each row. LDS serves eight lanes of a 16-byte access at a
    // time, four of one group and the four after them of the next (on CDNA3);
    // with rows 8 banks apart they meet in no bank, neither when each writes a
    // row nor when each group reads every fourth.
    int64_t columns = kFragmentColumns + 32 / elementBytes;
    SmallVector<int64_t> shape{tile.getWaves(), tile.getRows(), columns};
    int64_t bytes = ShapedType::getNumElements(shape) * elementBytes;
    memory = b.workgroupMemory(std::max(bytes, scratchBytes));
    turning = view(memory, shape);
  }

private:
  AttendState loop(const Item &item, const AttendState &initial,
                   AttendTile attend) override {
    Value firstRows = pageRows(item, item.first, /*staged=*/false);
    Value oddRows = pageRows(item, advance(item.first, 1), /*staged=*/false);
    SmallVector<Value> carried = initial.values();
    carried.append({load(firstRows), oddRows});

    WorkItemOp work = item.op;
    int64_t step = tile.getRows() * tile.getWaves();
    auto loop = scf::ForOp::create(b, item.first, work.getRowEnd(),
                                   b.index(2 * step), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    ValueRange now = loop.getRegionIterArgs();
    Value even = loop.getInductionVar(), odd = advance(even, 1);
    Value evenKeys = now[4];

    // Loads are counted in order: rows are looked up before the keys are loaded
    // that need not have arrived when they are used.
    Value evenRows = pageRows(item, advance(even, 2), /*staged=*/false);
    Value oddKeys = load(now[5]);
    AttendState state = attendKeys(item, even, evenKeys,
                                   AttendState::of(now.take_front(4)), attend);

    SmallVector<Value> last = state.values();
    last.append({evenKeys, now[5]});
    auto branch =
        scf::IfOp::create(b, ValueRange(last).getTypes(), isBefore(odd, item),
                          /*addThenBlock=*/true,
                          /*addElseBlock=*/true);
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, last);
    b.setInsertionPointToStart(branch.thenBlock());
    oddRows = pageRows(item, advance(odd, 2), /*staged=*/false);
    Value nextKeys = load(evenRows);
    SmallVector<Value> next =
        attendKeys(item, odd, oddKeys, state, attend).values();
    next.append({nextKeys, oddRows});
    scf::YieldOp::create(b, next);

    b.setInsertionPointAfter(branch);
    scf::YieldOp::create(b, branch.getResults());
    return AttendState::of(loop.getResults().take_front(4));
  }

  AttendState attendKeys(const Item &item, Value first, Value keys,
                         const AttendState &state, AttendTile attend) {
    auto values = [&](int64_t column) -> Value {
      return TransposeOp::create(
          b, fragment(kFragmentColumns, tile.getRows(), Layout::Value), keys,
          turning, item.wave, column);
    };
    return attend({first, keys, values}, state);
  }

  Value load(Value rows) {
    return LoadRowsOp::create(b,
                              fragment(tile.getRows(), kRow, Layout::Operand),
                              b.buffer("cache"), rows);
  }

  Value turning;
};

//===----------------------------------------------------------------------===//
// Through stages in LDS
//===----------------------------------------------------------------------===//

/// Tiles are loaded straight into LDS, as many ahead as there are stages. Each
/// stage is a memory of its own, so that the compiler sees that a read of one
/// need not wait for the loads into another. Stages are filled beyond the
/// item's end too, from its last row over and over, which its caches hold:
/// where a branch could pass the loads by, the compiler would have to count as
/// if it had, and wait for the youngest loads in place of the eldest.
class StagedStream : public TileStream {
public:
  StagedStream(KernelBuilder &b, AttendOp op, int64_t scratchBytes)
      : TileStream(b, op) {
    constexpr int64_t kPieceBytes = 16;
    int64_t rowBytes = kRow * elementBytes;
    SmallVector<int64_t> shape{tile.getWaves(),
                               tile.getRows() * rowBytes / (64 * kPieceBytes),
                               64, kPieceBytes / elementBytes};
    int64_t bytes = ShapedType::getNumElements(shape) * elementBytes;
    for (int64_t i = 0; i < tile.getStages(); ++i) {
      Value stage =
          b.workgroupMemory(i ? bytes : std::max(bytes, scratchBytes));
      if (i == 0)
        memory = stage;
      stages.push_back(view(stage, shape));
    }
  }

private:
  AttendState loop(const Item &item, const AttendState &initial,
                   AttendTile attend) override {
    int64_t ahead = tile.getStages();
    SmallVector<Value> rows;
    for (int64_t i = 0; i <= ahead; ++i)
      rows.push_back(pageRows(item, advance(item.first, i), /*staged=*/true));
    for (auto [stage, ofStage] : llvm::zip(stages, rows))
      fill(item, ofStage, stage);
    SmallVector<Value> carried = initial.values();
    carried.push_back(rows.back());

    WorkItemOp work = item.op;
    int64_t step = tile.getRows() * tile.getWaves();
    auto loop = scf::ForOp::create(b, item.first, work.getRowEnd(),
                                   b.index(ahead * step), carried);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> now =
        llvm::to_vector_of<Value>(loop.getRegionIterArgs());
    now =
        attendStage(item, loop.getInductionVar(), stages.front(), now, attend);
    for (auto [i, stage] : llvm::enumerate(ArrayRef(stages).drop_front())) {
      Value first = advance(loop.getInductionVar(), i + 1);
      auto branch = scf::IfOp::create(
          b, ValueRange(now).getTypes(), isBefore(first, item),
          /*addThenBlock=*/true, /*addElseBlock=*/true);
      OpBuilder::InsertionGuard inner(b);
      b.setInsertionPointToStart(branch.thenBlock());
      scf::YieldOp::create(b, attendStage(item, first, stage, now, attend));
      b.setInsertionPointToStart(branch.elseBlock());
      scf::YieldOp::create(b, now);
      now = llvm::to_vector_of<Value>(branch.getResults());
    }
    scf::YieldOp::create(b, now);

    // Loads beyond the end are still on their way into what others will use.
    b.setInsertionPointAfter(loop);
    for (Value stage : stages)
      AwaitStageOp::create(b, stage, /*younger=*/0);
    return AttendState::of(loop.getResults().take_front(4));
  }

  /// Attends the tile in `stage` and fills the stage again. `carried` is the
  /// state and the rows of the tile to fill it with.
  SmallVector<Value> attendStage(const Item &item, Value first, Value stage,
                                 ArrayRef<Value> carried, AttendTile attend) {
    int64_t ahead = tile.getStages();
    AwaitStageOp::create(b, stage, /*younger=*/ahead - 1);
    Value keys = StagedRowsOp::create(
        b, fragment(tile.getRows(), kRow, Layout::Operand), stage, item.wave);
    auto values = [&](int64_t column) -> Value {
      return StagedValuesOp::create(
          b, fragment(kFragmentColumns, tile.getRows(), Layout::Value), stage,
          item.wave, column);
    };
    AttendState state = AttendState::of(carried.take_front(4));
    state = attend({first, keys, values}, state);
    // Loads are counted in order: looked up before the fill, the next rows can
    // be waited for while the fill is under way.
    Value nextRows = pageRows(item, advance(first, ahead + 1), /*staged=*/true);
    fill(item, carried[4], stage);
    SmallVector<Value> next = state.values();
    next.push_back(nextRows);
    return next;
  }

  void fill(const Item &item, Value rows, Value stage) {
    StageRowsOp::create(b, b.buffer("cache"), rows, stage, item.wave);
  }

  SmallVector<Value> stages;
};

} // namespace

std::unique_ptr<TileStream> TileStream::create(KernelBuilder &b, AttendOp op,
                                               int64_t scratchBytes) {
  if (op.getTileAttr().getStages())
    return std::make_unique<StagedStream>(b, op, scratchBytes);
  return std::make_unique<RegisterStream>(b, op, scratchBytes);
}
