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

/// A stage holds a tile's rows in 16-byte pieces: waves x pieces x 64 lanes x
/// the elements of a piece.
static LogicalResult verifyStage(Operation *op, Type lds, Type element,
                                 int64_t rows) {
  auto stage = cast<MemRefType>(lds);
  int64_t bytes = element.getIntOrFloatBitWidth() / 8;
  int64_t pieces = rows * kRow * bytes / (16 * 64);
  if (stage.getElementType() == element && stage.getDimSize(1) == pieces &&
      stage.getDimSize(2) == 64 && stage.getDimSize(3) == 16 / bytes)
    return success();
  return op->emitOpError() << "a stage of " << rows << " rows is waves x "
                           << pieces << " x 64 x " << 16 / bytes << " of "
                           << element << ", got " << lds;
}

LogicalResult StageRowsOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  if (source.getRank() != 2 || source.getDimSize(1) != kRow)
    return emitOpError() << "the source must be rows x 576, got " << source;
  return verifyStage(*this, getLds().getType(), source.getElementType(),
                     getRows().getType().getRows());
}

LogicalResult StagedRowsOp::verify() {
  FragmentType fragment = getFragment().getType();
  return verifyStage(*this, getLds().getType(), fragment.getElementType(),
                     fragment.getRows());
}

LogicalResult StagedValuesOp::verify() {
  int64_t first = getFirstColumn();
  if (first != 0 && first != kFragmentColumns)
    return emitOpError() << "first_column must be 0 or " << kFragmentColumns
                         << ", got " << first;
  FragmentType values = getValues().getType();
  return verifyStage(*this, getLds().getType(), values.getElementType(),
                     values.getColumns());
}

LogicalResult QuantizeRowsOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  if (source.getRank() != 2 || source.getDimSize(1) != kRow ||
      !source.getElementType().isBF16())
    return emitOpError() << "the source must be rows x 576 of bf16, got "
                         << source;
  if (getTerms().empty() || getTerms().size() > 2)
    return emitOpError() << "gives one or two terms, got " << getTerms().size();
  for (Value term : getTerms()) {
    auto fragment = cast<FragmentType>(term.getType());
    if (fragment != getTerms().front().getType())
      return emitOpError() << "gives terms of one type, got "
                           << getTerms().front().getType() << " and "
                           << fragment;
    if (fragment.getRows() != 16)
      return emitOpError() << "loads 16 rows, since a lane holds the scale of "
                              "one, got "
                           << fragment;
    if (fragment.getElementType().isBF16() ||
        fragment.getRows() != getRows().getType().getRows())
      return emitOpError() << "gives fp8 terms of "
                           << getRows().getType().getRows() << " rows, got "
                           << fragment;
  }
  return success();
}

/// Terms of one sum have one type.
static LogicalResult verifyTerms(Operation *op, StringRef name,
                                 ValueRange terms) {
  if (terms.empty())
    return op->emitOpError() << "needs at least one term of " << name;
  for (Value term : terms)
    if (term.getType() != terms.front().getType())
      return op->emitOpError()
             << "needs " << name << " terms of one type, got "
             << terms.front().getType() << " and " << term.getType();
  return success();
}

LogicalResult ScoreOp::verify() {
  if (failed(verifyTerms(*this, "query", getQuery())))
    return failure();
  FragmentType keys = getKeys().getType();
  auto query = cast<FragmentType>(getQuery().front().getType());
  FragmentType scores = getScores().getType();
  if (keys.getElementType() != query.getElementType())
    return emitOpError() << "keys and query must have one element type, got "
                         << keys.getElementType() << " and "
                         << query.getElementType();
  if (scores.getRows() != keys.getRows() ||
      scores.getColumns() != query.getRows())
    return emitOpError() << "scores must be the keys' rows x the query's rows, "
                         << keys.getRows() << "x" << query.getRows() << ", got "
                         << scores;
  return success();
}

LogicalResult OnlineSoftmaxOp::verify() {
  if (failed(verifyTerms(*this, "probability", getProbabilities())))
    return failure();
  FragmentType scores = getScores().getType();
  auto probabilities = cast<FragmentType>(getProbabilities().front().getType());
  if (scores.getRows() != probabilities.getRows())
    return emitOpError() << "scores and probabilities must have the same "
                            "tokens, got "
                         << scores.getRows() << " and "
                         << probabilities.getRows();
  if (probabilities.getElementType().isBF16() && getProbabilities().size() > 1)
    return emitOpError() << "bf16 probabilities are one term, got "
                         << getProbabilities().size();
  return success();
}

LogicalResult TransposeOp::verify() {
  FragmentType rows = getRows().getType(), values = getValues().getType();
  if (rows.getRows() != values.getColumns() ||
      rows.getElementType() != values.getElementType())
    return emitOpError() << "turns " << rows.getRows() << " rows of "
                         << rows.getElementType() << ", got " << values;
  auto lds = cast<MemRefType>(getLds().getType());
  // Room to keep lanes apart in the banks: 16 bytes.
  int64_t columns =
      kFragmentColumns + 128 / rows.getElementType().getIntOrFloatBitWidth();
  if (lds.getElementType() != rows.getElementType() ||
      lds.getDimSize(1) < rows.getRows() || lds.getDimSize(2) < columns)
    return emitOpError() << "needs waves x " << rows.getRows() << " x "
                         << columns << " (or more) of " << rows.getElementType()
                         << " in LDS, got " << lds;
  int64_t first = getFirstColumn();
  if (first < 0 || first % kFragmentColumns != 0 ||
      first + values.getRows() > kLatent)
    return emitOpError() << "first_column must be 0 or " << kFragmentColumns
                         << ", got " << first;
  return success();
}

LogicalResult AccumulateOp::verify() {
  if (failed(verifyTerms(*this, "probability", getProbabilities())))
    return failure();
  FragmentType values = getValues().getType();
  auto probabilities = cast<FragmentType>(getProbabilities().front().getType());
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
