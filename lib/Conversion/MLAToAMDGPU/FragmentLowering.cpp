//===- FragmentLowering.cpp - What the lowering patterns share ------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentLowering.h"

using namespace mlir;
using namespace mla;

static LogicalResult convertFragment(FragmentType fragment,
                                     LoweringContext context,
                                     SmallVectorImpl<Type> &types) {
  Builder builder(fragment.getContext());
  auto words = [&](int64_t count) -> Type {
    return VectorType::get({count}, builder.getI32Type());
  };
  Type accumulator = VectorType::get({4}, builder.getF32Type());
  Type element = fragment.getElementType();
  auto depths = [&](int64_t tokens) {
    return tokens / context.target.matrixInstruction(element).depth;
  };
  int64_t subtiles = fragment.getRows() / kMatrix;

  switch (fragment.getLayout()) {
  case Layout::Operand: {
    int64_t pieces = kRow * elementBytes(element) / (kPieceBytes * kGroups);
    types.append(subtiles * pieces, words(4));
    return success();
  }
  case Layout::Score:
    types.append(subtiles, accumulator);
    return success();
  case Layout::Probability:
    types.append(depths(fragment.getRows()), words(2));
    return success();
  case Layout::Value:
    types.append(kMatrices * depths(fragment.getColumns()), words(2));
    return success();
  case Layout::Output:
    types.append(kMatrices, accumulator);
    return success();
  case Layout::Merged:
    types.append(kMatrices / context.tile.getWaves(), accumulator);
    return success();
  case Layout::RowIndex:
    types.append(subtiles, builder.getIndexType());
    return success();
  }
  llvm_unreachable("all layouts are listed");
}

FragmentTypeConverter::FragmentTypeConverter(LoweringContext context) {
  addConversion([](Type type) { return type; });
  addConversion(
      [context](FragmentType fragment,
                SmallVectorImpl<Type> &types) -> std::optional<LogicalResult> {
        return convertFragment(fragment, context, types);
      });
}

Value LaneBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value LaneBuilder::i32(int32_t value) {
  return arith::ConstantOp::create(*this, getI32IntegerAttr(value));
}

Value LaneBuilder::f32(float value) {
  return arith::ConstantOp::create(*this, getF32FloatAttr(value));
}

Value LaneBuilder::add(Value a, Value b) {
  return arith::AddIOp::create(*this, a, b);
}

Value LaneBuilder::mul(Value a, int64_t b) {
  return arith::MulIOp::create(*this, a, index(b));
}

Value LaneBuilder::lane() {
  Value thread = gpu::ThreadIdOp::create(*this, gpu::Dimension::x);
  return arith::RemUIOp::create(*this, thread, index(targets::kWaveLanes));
}

Value LaneBuilder::low() {
  return arith::RemUIOp::create(*this, lane(), index(kMatrix));
}

Value LaneBuilder::group() {
  return arith::DivUIOp::create(*this, lane(), index(kMatrix));
}

Value LaneBuilder::opaque(Value uniformIndex) {
  Value narrow = arith::IndexCastOp::create(*this, getI32Type(), uniformIndex);
  return LLVM::InlineAsmOp::create(
             *this, getI32Type(), ValueRange{narrow}, /*asm_string=*/"",
             /*constraints=*/"=s,0", /*has_side_effects=*/true,
             /*is_align_stack=*/false, LLVM::TailCallKind::None,
             /*asm_dialect=*/nullptr, /*operand_attrs=*/nullptr)
      .getResult(0);
}

Value LaneBuilder::max(Value a, Value b) {
  // Without the flag each operand of v_max_f32 is quieted by another one first.
  return arith::MaxNumFOp::create(*this, a, b, arith::FastMathFlags::nnan);
}

Value LaneBuilder::stagedPlace(Value token, Value group, Value subtile) {
  Value differs = arith::RemUIOp::create(*this, add(group, subtile), index(2));
  return arith::XOrIOp::create(*this, token, mul(differs, 12));
}

SmallVector<Value> LaneBuilder::fp8Terms(ArrayRef<Value> four, Type fp8,
                                         size_t count) {
  auto packedType = VectorType::get({4}, fp8);
  SmallVector<Value> left = llvm::to_vector(four);
  SmallVector<Value> terms;
  while (true) {
    Value packed;
    for (int32_t word : {0, 1})
      packed = amdgpu::PackedTrunc2xFp8Op::create(
          *this, packedType, left[2 * word], left[2 * word + 1],
          getI32IntegerAttr(word), packed);
    terms.push_back(packed);
    if (terms.size() == count)
      return terms;
    // In pairs, as v_pk_add_f32 takes them.
    for (int32_t word : {0, 1}) {
      Value rounded = amdgpu::ExtPackedFp8Op::create(*this, floats(2), packed,
                                                     getI32IntegerAttr(word));
      Value pair = vector::FromElementsOp::create(
          *this, floats(2), ValueRange{left[2 * word], left[2 * word + 1]});
      pair = arith::SubFOp::create(*this, pair, rounded);
      for (int64_t i : {0, 1})
        left[2 * word + i] = vector::ExtractOp::create(*this, pair, i);
    }
  }
}

Value LaneBuilder::reduceOverGroups(Reduction kind, Value value) {
  for (int32_t distance : {16, 32}) {
    Value other =
        gpu::ShuffleOp::create(*this, value, distance, targets::kWaveLanes,
                               gpu::ShuffleMode::XOR)
            .getShuffleResult();
    if (kind == Reduction::Max)
      value = max(value, other);
    else
      value = arith::AddFOp::create(*this, value, other);
  }
  return value;
}

/// ds_read_b64_tr_b8 and _b16: the 16 lanes of a group together read rows of 16
/// columns, eight bytes a lane; lane `low` receives column `low`, one element
/// of each row in the order of the lanes that read it. (Seen in the use that
/// public gfx950 kernels make of them; the CDNA4 manual gives no formula.) The
/// rows are tokens 4 * group … of the first subtile, then those of the second:
/// the order in which probabilities stand in their operand.
TurningRead mla::turningRead(LaneBuilder &b, int64_t elementBytes) {
  constexpr int64_t kReadBytes = 8;
  int64_t perRead = kReadBytes / elementBytes;
  Value lanesPerRow = b.index(kMatrix / perRead);
  Value low = b.low(), four = b.index(4);
  Value position = arith::DivUIOp::create(b, low, lanesPerRow);
  Value inRow = arith::RemUIOp::create(b, low, lanesPerRow);
  return {arith::DivUIOp::create(b, position, four),
          b.add(b.mul(b.group(), 4), arith::RemUIOp::create(b, position, four)),
          b.mul(inRow, perRead), perRead};
}
