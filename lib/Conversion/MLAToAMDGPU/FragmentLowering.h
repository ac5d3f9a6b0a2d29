//===- FragmentLowering.h - What the lowering patterns share ----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_CONVERSION_MLATOAMDGPU_FRAGMENTLOWERING_H
#define MLA_LIB_CONVERSION_MLATOAMDGPU_FRAGMENTLOWERING_H

#include "mla/Conversion/Passes.h"
#include "mla/Targets/Target.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mla {

/// Rows and columns of every matrix instruction used.
inline constexpr int64_t kMatrix = 16;
/// Matrices in a value or output fragment.
inline constexpr int64_t kMatrices = kFragmentColumns / kMatrix;
/// Bytes of one piece of a row: what one lane loads at once.
inline constexpr int64_t kPieceBytes = 16;
/// Groups of 16 lanes, which hold consecutive pieces of a row.
inline constexpr int64_t kGroups = targets::kWaveLanes / kMatrix;

/// What does not change within one kernel module.
struct LoweringContext {
  targets::Target target;
  TileAttr tile;
};

/// Bytes of one element of `type`.
inline int64_t elementBytes(mlir::Type type) {
  return type.getIntOrFloatBitWidth() / 8;
}

/// Fragments become one value for each register group of a lane, in this order:
///  * operand: for each 16-row subtile, for each piece, vector<4xi32>
///  * score: for each subtile, vector<4xf32>
///  * probability: for each matrix instruction's depth, vector<2xi32>
///  * value: for each matrix, for each depth, vector<2xi32>
///  * output, merged: for each matrix (of this wave), vector<4xf32>
///  * row_index: for each subtile, index
/// Bytes are kept in i32: a vector of i8 that lives across blocks would be
/// legalised to a register a byte.
class FragmentTypeConverter : public mlir::TypeConverter {
public:
  explicit FragmentTypeConverter(LoweringContext context);
};

/// A builder that knows where in its wave a lane stands.
class LaneBuilder : public mlir::ImplicitLocOpBuilder {
public:
  LaneBuilder(mlir::Location loc, mlir::OpBuilder &builder)
      : ImplicitLocOpBuilder(loc, builder) {}

  mlir::Value index(int64_t value);
  mlir::Value i32(int32_t value);
  mlir::Value f32(float value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, int64_t b);

  mlir::Value lane();  ///< 0 … 63, index
  mlir::Value low();   ///< lane mod 16
  mlir::Value group(); ///< lane / 16

  /// Where among its group's 16 places in a stage a token stands, and which
  /// token stands at a place: exchanged by 12 where the group of the piece and
  /// the subtile differ in parity.
  mlir::Value stagedPlace(mlir::Value token, mlir::Value group,
                          mlir::Value subtile);

  /// A uniform index again, as i32, but not known to be the same as elsewhere:
  /// what depends on it stays where it is, neither moved out of a loop nor out
  /// of a branch.
  mlir::Value opaque(mlir::Value uniformIndex);

  /// The larger; for values that are not NaN.
  mlir::Value max(mlir::Value a, mlir::Value b);

  mlir::VectorType words(int64_t count) {
    return mlir::VectorType::get({count}, getI32Type());
  }
  mlir::VectorType floats(int64_t count) {
    return mlir::VectorType::get({count}, getF32Type());
  }

  /// Four floats as `count` terms of vector<4xfp8> whose sum is near them: each
  /// is what the terms before leave out, rounded. The floats must be in range.
  llvm::SmallVector<mlir::Value> fp8Terms(llvm::ArrayRef<mlir::Value> four,
                                          mlir::Type fp8, size_t count);

  /// value op value of the lane `distance` away (distance 16 or 32).
  mlir::Value reduceOverGroups(Reduction kind, mlir::Value value);
};

/// The pattern of one fragment operation.
template <typename Op>
class FragmentPattern : public mlir::OpConversionPattern<Op> {
public:
  FragmentPattern(const mlir::TypeConverter &converter,
                  mlir::MLIRContext *context, LoweringContext lowering)
      : mlir::OpConversionPattern<Op>(converter, context), lowering(lowering) {}

  using Adaptor = typename mlir::OpConversionPattern<Op>::OneToNOpAdaptor;

protected:
  /// Replaces each result with its values.
  static void replace(Op op, mlir::ConversionPatternRewriter &rewriter,
                      llvm::ArrayRef<llvm::SmallVector<mlir::Value>> results) {
    rewriter.replaceOpWithMultiple(op, results);
  }

  LoweringContext lowering;
};

/// Which element of a fragment's rows or stages a lane finds where, for tokens
/// that 16 lanes read together with an LDS read that turns them: lane `low` of
/// a group reads `perRead` columns of one token.
struct TurningRead {
  mlir::Value subtile; ///< The token's subtile, 0 or 1.
  mlir::Value token;   ///< The token in its subtile.
  mlir::Value column;  ///< First of the columns, 0 … 15.
  int64_t perRead;
};
TurningRead turningRead(LaneBuilder &b, int64_t elementBytes);

/// A pass's pattern set, filled by one function for each family of operations.
struct PatternSink {
  mlir::RewritePatternSet &patterns;
  const mlir::TypeConverter &converter;
  LoweringContext lowering;

  template <typename... Patterns> void add() {
    (patterns.add<Patterns>(converter, patterns.getContext(), lowering), ...);
  }
};

void populateAddressPatterns(PatternSink &sink);
void populateMatrixPatterns(PatternSink &sink);
void populateSoftmaxPatterns(PatternSink &sink);
void populateStagePatterns(PatternSink &sink);
void populateTransposePatterns(PatternSink &sink);
void populateMergePatterns(PatternSink &sink);

} // namespace mla

#endif // MLA_LIB_CONVERSION_MLATOAMDGPU_FRAGMENTLOWERING_H
