//===- TileStream.h - How a wave's tiles reach it ---------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_CONVERSION_MLATOGPU_TILESTREAM_H
#define MLA_LIB_CONVERSION_MLATOGPU_TILESTREAM_H

#include "KernelBuilder.h"

#include <memory>

namespace mla {

/// What attention carries from tile to tile.
struct AttendState {
  mlir::Value max;  ///< The head's, in units of log₂.
  mlir::Value sum;  ///< The lane's part of the head's.
  mlir::Value low;  ///< Output columns 0…255.
  mlir::Value high; ///< Output columns 256…511.

  llvm::SmallVector<mlir::Value> values() const {
    return {max, sum, low, high};
  }
  static AttendState of(mlir::ValueRange values) {
    return {values[0], values[1], values[2], values[3]};
  }
};

/// One tile that has reached the wave.
struct ArrivedTile {
  mlir::Value first; ///< Its first token.
  mlir::Value keys;  ///< Operand fragment.
  /// The value fragment of the columns from that one on.
  llvm::function_ref<mlir::Value(int64_t)> values;
};

using AttendTile =
    llvm::function_ref<AttendState(const ArrivedTile &, const AttendState &)>;

/// The loop over a wave's tiles of a work item, with the loads that run ahead
/// of it. The waves of a workgroup take the tiles in turn and do not meet.
class TileStream {
public:
  /// Takes its LDS, of which at least `scratchBytes` are in one piece.
  static std::unique_ptr<TileStream> create(KernelBuilder &b, AttendOp op,
                                            int64_t scratchBytes);
  virtual ~TileStream() = default;

  /// LDS (i8) that is free once all waves are through with an item.
  mlir::Value scratch() const { return memory; }

  /// Attends the tiles of `item` that are `wave`'s; `initial` if there are
  /// none.
  AttendState run(WorkItemOp item, mlir::Value wave, const AttendState &initial,
                  AttendTile attend);

protected:
  TileStream(KernelBuilder &b, AttendOp op);

  /// What does not change during an item.
  struct Item {
    WorkItemOp op;
    mlir::Value wave;
    mlir::Value first; ///< The wave's first token; before the item's end.
  };

  /// The loop, for a wave that has a tile.
  virtual AttendState loop(const Item &item, const AttendState &initial,
                           AttendTile attend) = 0;

  /// Cache rows of the tile from `first` on, which may be beyond the end.
  mlir::Value pageRows(const Item &item, mlir::Value first, bool staged);

  mlir::Value isBefore(mlir::Value token, const Item &item);
  mlir::Value advance(mlir::Value token, int64_t tiles);

  FragmentType fragment(int64_t rows, int64_t columns, Layout layout);
  mlir::Value view(mlir::Value bytes, llvm::ArrayRef<int64_t> shape);

  KernelBuilder &b;
  AttendOp op;
  TileAttr tile;
  mlir::Type element;
  int64_t elementBytes;
  mlir::Value memory;
};

} // namespace mla

#endif // MLA_LIB_CONVERSION_MLATOGPU_TILESTREAM_H
