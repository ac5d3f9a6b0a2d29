//===- TransposePatterns.cpp - Cache rows into columns of tokens ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane has 16 consecutive bytes of one token; the matrix instruction wants
// the tokens of one column. Through LDS a lane gets 16 columns of the four
// tokens it is to hold, then v_perm_b32 puts the tokens side by side.
//
//===----------------------------------------------------------------------===//

#include "FragmentLowering.h"

using namespace mlir;
using namespace mla;

namespace {

/// Picks four of the eight bytes of `high:low`; byte `i` of the result is byte
/// `selector[i]` of the pair, 0 … 3 in `low` (CDNA3 ISA, V_PERM_B32).
Value permute(LaneBuilder &b, Value high, Value low, uint32_t selector) {
  return LLVM::CallIntrinsicOp::create(
             b, b.getI32Type(), b.getStringAttr("llvm.amdgcn.perm"),
             ValueRange{high, low, b.i32(static_cast<int32_t>(selector))})
      .getResult(0);
}

/// Four tokens' words, each of four bytes (one a column), into four columns'
/// words, each of four bytes (one a token).
SmallVector<Value> transposeBytes(LaneBuilder &b, ArrayRef<Value> tokens) {
  Value low01 = permute(b, tokens[1], tokens[0], 0x05010400);
  Value high01 = permute(b, tokens[1], tokens[0], 0x07030602);
  Value low23 = permute(b, tokens[3], tokens[2], 0x05010400);
  Value high23 = permute(b, tokens[3], tokens[2], 0x07030602);
  return {permute(b, low23, low01, 0x05040100),
          permute(b, low23, low01, 0x07060302),
          permute(b, high23, high01, 0x05040100),
          permute(b, high23, high01, 0x07060302)};
}

struct LowerTranspose : FragmentPattern<TransposeOp> {
  using FragmentPattern::FragmentPattern;

  LogicalResult
  matchAndRewrite(TransposeOp op, Adaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    LaneBuilder b(op.getLoc(), rewriter);
    Type element = op.getRows().getType().getElementType();
    Value lds = adaptor.getLds().front(), wave = adaptor.getWave().front();
    int64_t subtiles = op.getRows().getType().getRows() / kMatrix;
    int64_t bytes = elementBytes(element);

    write(b, adaptor.getRows(), op.getFirstColumn() * bytes, bytes, subtiles,
          lds, wave);

    // tokens[subtile][token]: the 16 columns of this lane, `bytes` pieces.
    SmallVector<SmallVector<SmallVector<Value>>> tokens;
    for (int64_t subtile = 0; subtile < subtiles; ++subtile) {
      tokens.emplace_back();
      for (int64_t token = 0; token < 4; ++token)
        tokens.back().push_back(
            read(b, lds, wave, subtile * kMatrix, token, bytes));
    }

    SmallVector<Value> values = element.isBF16()
                                    ? pairTokens(b, tokens)
                                    : quadTokens(b, tokens);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }

private:
  /// Where piece `p` of a row goes, in pieces: the pieces that one lane reads
  /// together stand 16 apart, so that the 16 lanes of a group read side by
  /// side and meet in no bank.
  static int64_t slot(int64_t piece, int64_t bytes) {
    return piece % bytes * kMatrix + piece / bytes;
  }

  static void write(LaneBuilder &b, ValueRange pieces, int64_t firstByte,
                    int64_t bytes, int64_t subtiles, Value lds, Value wave) {
    int64_t perRow = pieces.size() / subtiles;
    int64_t perLane = kFragmentColumns * bytes / (kPieceBytes * kGroups);
    int64_t first = firstByte / (kPieceBytes * kGroups);
    Value group = b.group(), low = b.low();
    // slot(4 * i + group) = slot(4 * i) + slot(group): 4 is a multiple of
    // `bytes`.
    Value groupSlot = b.add(
        b.mul(arith::RemUIOp::create(b, group, b.index(bytes)), kMatrix),
        arith::DivUIOp::create(b, group, b.index(bytes)));
    Value word = b.mul(groupSlot, kPieceBytes / 4);
    for (int64_t subtile = 0; subtile < subtiles; ++subtile) {
      Value row = b.add(low, b.index(subtile * kMatrix));
      for (int64_t i = 0; i < perLane; ++i) {
        int64_t offset = slot(kGroups * i, bytes) * kPieceBytes / 4;
        vector::StoreOp::create(
            b, pieces[subtile * perRow + first + i], lds,
            ValueRange{wave, row, b.add(word, b.index(offset))},
            /*nontemporal=*/false, llvm::MaybeAlign(kPieceBytes));
      }
    }
  }

  /// The words of this lane's 16 columns of one of its four tokens.
  static SmallVector<Value> read(LaneBuilder &b, Value lds, Value wave,
                                 int64_t firstRow, int64_t token,
                                 int64_t bytes) {
    Value row = b.add(b.mul(b.group(), 4), b.index(firstRow + token));
    Value word = b.mul(b.low(), kPieceBytes / 4);
    SmallVector<Value> words;
    for (int64_t piece = 0; piece < bytes; ++piece) {
      Value loaded = vector::LoadOp::create(
          b, b.words(4), lds,
          ValueRange{wave, row, b.add(word, b.index(piece * kMatrix *
                                                    kPieceBytes / 4))},
          /*nontemporal=*/false, llvm::MaybeAlign(kPieceBytes));
      for (int64_t i = 0; i < 4; ++i)
        words.push_back(vector::ExtractOp::create(b, loaded, i));
    }
    return words;
  }

  /// fp8: four columns a word; a matrix's operand is the four tokens of one
  /// subtile and the four of the next.
  static SmallVector<Value>
  quadTokens(LaneBuilder &b,
             ArrayRef<SmallVector<SmallVector<Value>>> tokens) {
    SmallVector<Value> values;
    for (int64_t word = 0; word < kMatrices / 4; ++word) {
      SmallVector<SmallVector<Value>> columns;
      for (const auto &subtile : tokens)
        columns.push_back(transposeBytes(
            b, {subtile[0][word], subtile[1][word], subtile[2][word],
                subtile[3][word]}));
      for (int64_t column = 0; column < 4; ++column)
        for (size_t i = 0; i < columns.size(); i += 2)
          values.push_back(vector::FromElementsOp::create(
              b, b.words(2),
              ValueRange{columns[i][column], columns[i + 1][column]}));
    }
    return values;
  }

  /// bf16: two columns a word; a matrix's operand is the four tokens of one
  /// subtile.
  static SmallVector<Value>
  pairTokens(LaneBuilder &b,
             ArrayRef<SmallVector<SmallVector<Value>>> tokens) {
    SmallVector<Value> values;
    for (int64_t word = 0; word < kMatrices / 2; ++word)
      for (uint32_t selector : {0x05040100u, 0x07060302u})
        for (const auto &subtile : tokens) {
          Value first =
              permute(b, subtile[1][word], subtile[0][word], selector);
          Value second =
              permute(b, subtile[3][word], subtile[2][word], selector);
          values.push_back(vector::FromElementsOp::create(
              b, b.words(2), ValueRange{first, second}));
        }
    return values;
  }
};

} // namespace

void mla::populateTransposePatterns(PatternSink &sink) {
  sink.add<LowerTranspose>();
}
