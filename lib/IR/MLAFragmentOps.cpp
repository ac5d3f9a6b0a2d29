//===- MLAFragmentOps.cpp - Verifiers of the fragment operations ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/IR/MLADialect.h"

using namespace mlir;
using namespace mla;

LogicalResult LoadRowsOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  FragmentType fragment = getFragment().getType();
  if (source.getRank() != 2 || source.getDimSize(1) != kRow ||
      source.getElementType() != fragment.getElementType())
    return emitOpError() << "the source must be rows x 576 of the fragment's "
                         << fragment.getElementType() << ", got " << source;
  if (getRows().getType().getRows() != fragment.getRows())
    return emitOpError() << "loads " << fragment.getRows()
                         << " rows but has the indices of "
                         << getRows().getType().getRows();
  return success();
}

LogicalResult ScoreOp::verify() {
  FragmentType keys = getKeys().getType(), query = getQuery().getType();
  FragmentType scores = getScores().getType();
  if (keys.getElementType() != query.getElementType())
    return emitOpError() << "keys and query must have one element type, got "
                         << keys.getElementType() << " and "
                         << query.getElementType();
  if (scores.getRows() != keys.getRows() ||
      scores.getColumns() != query.getRows())
    return emitOpError() << "scores must be the keys' rows x the query's rows, "
                         << keys.getRows() << "x" << query.getRows()
                         << ", got " << scores;
  return success();
}

LogicalResult OnlineSoftmaxOp::verify() {
  FragmentType scores = getScores().getType();
  FragmentType probabilities = getProbabilities().getType();
  if (scores.getRows() != probabilities.getRows())
    return emitOpError() << "scores and probabilities must have the same "
                            "tokens, got "
                         << scores.getRows() << " and "
                         << probabilities.getRows();
  return success();
}

LogicalResult TransposeOp::verify() {
  FragmentType rows = getRows().getType(), values = getValues().getType();
  if (rows.getRows() != values.getColumns() ||
      rows.getElementType() != values.getElementType())
    return emitOpError() << "turns " << rows.getRows() << " rows of "
                         << rows.getElementType() << ", got " << values;
  auto lds = cast<MemRefType>(getLds().getType());
  if (lds.getElementType() != rows.getElementType() ||
      lds.getDimSize(1) < rows.getRows() ||
      lds.getDimSize(2) < kFragmentColumns)
    return emitOpError() << "needs waves x " << rows.getRows() << " x "
                         << kFragmentColumns << " (or more) of "
                         << rows.getElementType() << " in LDS, got " << lds;
  int64_t first = getFirstColumn();
  if (first < 0 || first % kFragmentColumns != 0 ||
      first + values.getRows() > kLatent)
    return emitOpError() << "first_column must be 0 or " << kFragmentColumns
                         << ", got " << first;
  return success();
}

LogicalResult AccumulateOp::verify() {
  FragmentType values = getValues().getType();
  FragmentType probabilities = getProbabilities().getType();
  if (values.getColumns() != probabilities.getRows() ||
      values.getElementType() != probabilities.getElementType())
    return emitOpError() << "values and probabilities must have the same "
                            "tokens and element type, got "
                         << values << " and " << probabilities;
  return success();
}

LogicalResult RescaleOp::verify() {
  Layout layout = getFragment().getType().getLayout();
  if (layout != Layout::Output && layout != Layout::Merged)
    return emitOpError() << "rescales output or merged fragments, not "
                         << stringifyLayout(layout);
  return success();
}

LogicalResult MergeOutputOp::verify() {
  if (getOutput().getType().getRows() != getMerged().getType().getRows())
    return emitOpError() << "keeps the columns of its operand";
  return success();
}

LogicalResult StoreOp::verify() {
  auto destination = cast<MemRefType>(getDestination().getType());
  if (destination.getDimSize(2) != kLatent)
    return emitOpError() << "the destination must be rows x heads x 512, got "
                         << destination;
  int64_t first = getFirstColumn();
  if (first != 0 && first != kFragmentColumns)
    return emitOpError() << "first_column must be 0 or " << kFragmentColumns
                         << ", got " << first;
  return success();
}
