//===- TransposePatterns.cpp - Cache rows into columns of tokens ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane has 16 consecutive bytes of one token; the matrix instruction wants
// the tokens of one column. The rows go through LDS; how they are turned on the
// way is the target's choice, one class each.
//
//===----------------------------------------------------------------------===//

#include "FragmentLowering.h"

using namespace mlir;
using namespace mla;

namespace {

/// What both ways of turning know.
struct Transposer {
  LaneBuilder &b;
  Type element;
  int64_t subtiles;
  Value lds;
  Value wave;

  int64_t bytes() const { return elementBytes(element); }
  int64_t perPiece() const { return kPieceBytes / bytes(); }
  VectorType pieceType() const {
    return VectorType::get({perPiece()}, element);
  }

  void store(Value piece, Value row, Value column) const {
    Value typed = vector::BitCastOp::create(b, pieceType(), piece);
    vector::StoreOp::create(b, typed, lds, ValueRange{wave, row, column},
                            /*nontemporal=*/false,
                            llvm::MaybeAlign(kPieceBytes));
  }
};

//===----------------------------------------------------------------------===//
// Bytes permuted in registers
//===----------------------------------------------------------------------===//

/// A lane reads 16 columns of each of the four tokens it is to hold, and
/// v_perm_b32 puts the tokens side by side.
class BytePermuter {
public:
  explicit BytePermuter(const Transposer &t) : t(t), b(t.b) {}

  /// Pieces between two that one lane reads together: the 16 lanes of a group
  /// read side by side in between; one more keeps two groups that write
  /// neighbouring pieces out of each other's banks.
  static constexpr int64_t kStride = kMatrix + 1;

  /// Where piece `p` of a row goes, in pieces.
  int64_t slot(int64_t piece) const {
    return piece % t.bytes() * kStride + piece / t.bytes();
  }

  void write(ArrayRef<SmallVector<Value>> pieces) const {
    Value group = b.group(), low = b.low();
    // slot(4 * i + group) = slot(4 * i) + slot(group), as 4 is a multiple of
    // an element's bytes.
    Value bytes = b.index(t.bytes());
    Value groupSlot =
        b.add(b.mul(arith::RemUIOp::create(b, group, bytes), kStride),
              arith::DivUIOp::create(b, group, bytes));
    Value column = b.mul(groupSlot, t.perPiece());
    for (auto [subtile, ofSubtile] : llvm::enumerate(pieces)) {
      Value row = b.add(low, b.index(subtile * kMatrix));
      for (auto [i, piece] : llvm::enumerate(ofSubtile))
        t.store(piece, row,
                b.add(column, b.index(slot(kGroups * i) * t.perPiece())));
    }
  }

  SmallVector<Value> read() const {
    SmallVector<SmallVector<SmallVector<Value>>> tokens;
    for (int64_t subtile = 0; subtile < t.subtiles; ++subtile) {
      tokens.emplace_back();
      for (int64_t token = 0; token < 4; ++token)
        tokens.back().push_back(readToken(subtile * kMatrix + token));
    }
    return t.bytes() == 1 ? quadTokens(tokens) : pairTokens(tokens);
  }

private:
  /// The words of this lane's 16 columns of one of its four tokens.
  SmallVector<Value> readToken(int64_t token) const {
    Value row = b.add(b.mul(b.group(), 4), b.index(token));
    Value column = b.mul(b.low(), t.perPiece());
    SmallVector<Value> words;
    for (int64_t piece = 0; piece < t.bytes(); ++piece) {
      Value loaded = vector::LoadOp::create(
          b, t.pieceType(), t.lds,
          ValueRange{t.wave, row,
                     b.add(column, b.index(piece * kStride * t.perPiece()))},
          /*nontemporal=*/false, llvm::MaybeAlign(kPieceBytes));
      loaded = vector::BitCastOp::create(b, b.words(4), loaded);
      for (int64_t i = 0; i < 4; ++i)
        words.push_back(vector::ExtractOp::create(b, loaded, i));
    }
    return words;
  }

  /// Picks four of the eight bytes of `high:low`; byte `i` of the result is
  /// byte `selector[i]` of the pair, 0 … 3 in `low` (CDNA3 ISA, V_PERM_B32).
  Value permute(Value high, Value low, uint32_t selector) const {
    return LLVM::CallIntrinsicOp::create(
               b, b.getI32Type(), b.getStringAttr("llvm.amdgcn.perm"),
               ValueRange{high, low, b.i32(static_cast<int32_t>(selector))})
        .getResult(0);
  }

  // Selectors: the low or the high halves of both words, and the low or the
  // high two bytes of both words in turn.
  static constexpr uint32_t kLowHalves = 0x05040100;
  static constexpr uint32_t kHighHalves = 0x07060302;
  static constexpr uint32_t kLowBytes = 0x05010400;
  static constexpr uint32_t kHighBytes = 0x07030602;

  /// Four tokens' words, each of four bytes (one a column), into four columns'
  /// words, each of four bytes (one a token).
  SmallVector<Value> transposeBytes(ArrayRef<Value> tokens) const {
    Value low01 = permute(tokens[1], tokens[0], kLowBytes);
    Value high01 = permute(tokens[1], tokens[0], kHighBytes);
    Value low23 = permute(tokens[3], tokens[2], kLowBytes);
    Value high23 = permute(tokens[3], tokens[2], kHighBytes);
    return {permute(low23, low01, kLowHalves),
            permute(low23, low01, kHighHalves),
            permute(high23, high01, kLowHalves),
            permute(high23, high01, kHighHalves)};
  }

  Value pair(Value first, Value second) const {
    return vector::FromElementsOp::create(b, b.words(2),
                                          ValueRange{first, second});
  }

  /// fp8: four columns a word; a matrix's operand is the four tokens of one
  /// subtile and the four of the next.
  SmallVector<Value>
  quadTokens(ArrayRef<SmallVector<SmallVector<Value>>> tokens) const {
    SmallVector<Value> values;
    for (int64_t word = 0; word < kMatrices / 4; ++word) {
      SmallVector<SmallVector<Value>> columns;
      for (const auto &subtile : tokens)
        columns.push_back(transposeBytes({subtile[0][word], subtile[1][word],
                                          subtile[2][word], subtile[3][word]}));
      for (int64_t column = 0; column < 4; ++column)
        for (size_t i = 0; i < columns.size(); i += 2)
          values.push_back(pair(columns[i][column], columns[i + 1][column]));
    }
    return values;
  }

  /// bf16: two columns a word; a matrix's operand is the four tokens of one
  /// subtile.
  SmallVector<Value>
  pairTokens(ArrayRef<SmallVector<SmallVector<Value>>> tokens) const {
    SmallVector<Value> values;
    for (int64_t word = 0; word < kMatrices / 2; ++word)
      for (uint32_t halves : {kLowHalves, kHighHalves})
        for (const auto &subtile : tokens)
          values.push_back(
              pair(permute(subtile[1][word], subtile[0][word], halves),
                   permute(subtile[3][word], subtile[2][word], halves)));
    return values;
  }

  const Transposer &t;
  LaneBuilder &b;
};

//===----------------------------------------------------------------------===//
// Turned by LDS
//===----------------------------------------------------------------------===//

/// LDS turns the matrix while it is read; see turningRead.
class LdsReader {
public:
  explicit LdsReader(const Transposer &t) : t(t), b(t.b) {}

  void write(ArrayRef<SmallVector<Value>> pieces) const {
    Value column = b.mul(b.group(), t.perPiece()), low = b.low();
    for (auto [subtile, ofSubtile] : llvm::enumerate(pieces)) {
      Value row = b.add(low, b.index(subtile * kMatrix));
      for (auto [i, piece] : llvm::enumerate(ofSubtile))
        t.store(piece, row, b.add(column, b.index(kGroups * i * t.perPiece())));
    }
  }

  SmallVector<Value> read() const {
    TurningRead at = turningRead(b, t.bytes());
    Value row = b.add(b.mul(at.subtile, kMatrix), at.token);
    auto readType = VectorType::get({at.perRead}, t.element);
    SmallVector<Value> values;
    for (int64_t matrix = 0; matrix < kMatrices; ++matrix)
      for (int64_t first = 0; first < t.subtiles * kMatrix;
           first += kMatrix * at.perRead / 4) {
        Value turned = amdgpu::TransposeLoadOp::create(
            b, readType, t.lds,
            ValueRange{t.wave, b.add(row, b.index(first)),
                       b.add(at.column, b.index(matrix * kMatrix))});
        values.push_back(vector::BitCastOp::create(b, b.words(2), turned));
      }
    return values;
  }

private:
  const Transposer &t;
  LaneBuilder &b;
};

struct LowerTranspose : FragmentPattern<TransposeOp> {
  using FragmentPattern::FragmentPattern;

  LogicalResult
  matchAndRewrite(TransposeOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    FragmentType rows = op.getRows().getType();
    Transposer t{b, rows.getElementType(), rows.getRows() / kMatrix,
                 adaptor.getLds().front(), adaptor.getWave().front()};
    SmallVector<SmallVector<Value>> pieces =
        piecesOf(adaptor.getRows(), op.getFirstColumn(), t);
    switch (lowering.target.transposition()) {
    case targets::Transposition::BytePermute:
      rewriter.replaceOpWithMultiple(op, {turn(BytePermuter(t), pieces)});
      return success();
    case targets::Transposition::LdsRead:
      rewriter.replaceOpWithMultiple(op, {turn(LdsReader(t), pieces)});
      return success();
    }
    llvm_unreachable("all transpositions are listed");
  }

private:
  template <typename Way>
  static SmallVector<Value> turn(Way way, ArrayRef<SmallVector<Value>> pieces) {
    way.write(pieces);
    return way.read();
  }

  /// The pieces of each subtile that hold the fragment's columns.
  static SmallVector<SmallVector<Value>>
  piecesOf(ValueRange rows, int64_t firstColumn, const Transposer &t) {
    int64_t columnsPerStep = t.perPiece() * kGroups;
    int64_t perRow = rows.size() / t.subtiles;
    SmallVector<SmallVector<Value>> pieces;
    for (int64_t subtile = 0; subtile < t.subtiles; ++subtile)
      pieces.push_back(llvm::to_vector(
          rows.slice(subtile * perRow + firstColumn / columnsPerStep,
                     kFragmentColumns / columnsPerStep)));
    return pieces;
  }
};

} // namespace

void mla::populateTransposePatterns(PatternSink &sink) {
  sink.add<LowerTranspose>();
}
