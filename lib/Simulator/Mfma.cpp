//===- Mfma.cpp - Dense matrix instructions -------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_MFMA_* except those with f8f6f4 operands. Layouts and rounding: see
// MatrixTile.h. Operands: D, A, B, C.
//
//===----------------------------------------------------------------------===//

#include "MatrixDecode.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

/// Sizes that follow from a shape of `Blocks` products of MxK by KxM.
template <int M, int K, int Blocks> struct Shape {
  /// Lanes that share a row, and elements of each.
  static constexpr int kGroups = 64 / (M * Blocks);
  static constexpr int kElements = K / kGroups;
  static constexpr int kRegisters = M * M * Blocks / 64;
};

/// Where the rows of A and B of one block begin, in the order of k.
template <int M, int K, int Blocks, class T> struct Rows {
  using S = Shape<M, K, Blocks>;
  const T *a[K];
  const T *b[K];
  MLA_SIM_INLINE Rows(const Instruction &inst, int block,
                      const Plane<T> *planesA, const Plane<T> *planesB) {
    const int blockA = Blocks > 1 ? broadcastBlock(inst, block) : 0;
    for (int g = 0; g < S::kGroups; ++g)
      for (int e = 0; e < S::kElements; ++e) {
        const int k = g * S::kElements + e;
        a[k] = planesA[e].lane + (blockA * S::kGroups + g) * M;
        b[k] = planesB[e].lane + (block * S::kGroups + g) * M;
      }
  }
};

MLA_SIM_INLINE void writeResult(Wave &wave, const Instruction &inst,
                                const LaneArray *out, int count) {
  for (int r = 0; r < count; ++r)
    memcpy(wave.vgpr[inst.ops[0].index + r], out[r].lane, sizeof(LaneArray));
}

/// Formats whose products are exact in double precision; of i8 the sums too.
template <class InA, class InB, int M, int K, int Blocks>
void mfma(Wave &wave, const Instruction &inst) {
  using S = Shape<M, K, Blocks>;
  using Place = ResultPlace<M, M>;
  Plane<double> a[S::kElements], b[S::kElements];
  InA::decode(wave, inst, inst.ops[1], a, S::kElements);
  InB::decode(wave, inst, inst.ops[2], b, S::kElements);
  applyPattern(b, S::kElements, inst.mods.blgp);
  LaneArray out[S::kRegisters];
  for (int block = 0; block < Blocks; ++block) {
    const Rows<M, K, Blocks, double> rows(inst, block, a, b);
    alignas(64) double sum[M][M];
    dotRows<M, M>(rows.a, rows.b, K, sum);
    for (int i = 0; i < M; ++i) {
      const int reg = Place::reg(block, i), lane = Place::lane(block, i);
      const uint32_t *c = accumulator(wave, inst.ops[3], reg) + lane;
      for (int j = 0; j < M; ++j)
        out[reg].lane[lane + j] = InA::addTo(c[j], sum[i][j]);
    }
  }
  writeResult(wave, inst, out, S::kRegisters);
}

/// f32: a chain of fused multiply-adds from C on.
template <int M, int K, int Blocks>
void mfmaChain(Wave &wave, const Instruction &inst) {
  using S = Shape<M, K, Blocks>;
  using Place = ResultPlace<M, M>;
  Plane<float> a[S::kElements], b[S::kElements];
  SingleInput::decode(wave, inst, inst.ops[1], a, S::kElements);
  SingleInput::decode(wave, inst, inst.ops[2], b, S::kElements);
  applyPattern(b, S::kElements, inst.mods.blgp);
  LaneArray out[S::kRegisters];
  for (int block = 0; block < Blocks; ++block) {
    const Rows<M, K, Blocks, float> rows(inst, block, a, b);
    for (int i = 0; i < M; ++i) {
      const int reg = Place::reg(block, i), lane = Place::lane(block, i);
      const uint32_t *c = accumulator(wave, inst.ops[3], reg) + lane;
      float sum[M];
      for (int j = 0; j < M; ++j)
        sum[j] = bitsAs<float>(c[j]);
      for (int k = 0; k < K; ++k) {
        const float scalar = rows.a[k][i];
        const float *row = rows.b[k];
        for (int j = 0; j < M; ++j)
          sum[j] = __builtin_fmaf(scalar, row[j], sum[j]);
      }
      for (int j = 0; j < M; ++j)
        out[reg].lane[lane + j] = bitsAs<uint32_t>(sum[j]);
    }
  }
  writeResult(wave, inst, out, S::kRegisters);
}

MLA_SIM_INLINE void decodeDoubles(const Wave &wave, const Operand &op,
                                  int element, bool negate, double *out) {
  LaneArray lo, hi;
  const uint32_t *low = sourceWord(wave, op, 2u * unsigned(element), lo, true);
  const uint32_t *high =
      sourceWord(wave, op, 2u * unsigned(element) + 1, hi, true);
  // A constant fills two words only, and is the same for every element.
  if (!op.isVgpr()) {
    low = sourceWord(wave, op, 0, lo, true);
    high = sourceWord(wave, op, 1, hi, true);
  }
  const uint64_t flip = uint64_t(negate) << 63;
  for (int lane = 0; lane < kLanes; ++lane)
    out[lane] = bitsAs<double>((uint64_t(high[lane]) << 32 | low[lane]) ^ flip);
}

/// f64. Rows of the result go round the lane groups one by one:
/// i = 4 * r + lane / 16. In 4x4x4 the four blocks lie side by side in 16
/// lanes, and k (of A and B) or i (of D) selects the group of 16.
template <int M, int Blocks>
void mfmaDouble(Wave &wave, const Instruction &inst) {
  constexpr int kRegisters = M * M * Blocks / 64;
  Plane<double> a, b, c[kRegisters], d[kRegisters];
  const unsigned negate = inst.mods.negMfma;
  decodeDoubles(wave, inst.ops[1], 0, negate & 1, a.lane);
  decodeDoubles(wave, inst.ops[2], 0, negate & 2, b.lane);
  for (int r = 0; r < kRegisters; ++r)
    decodeDoubles(wave, inst.ops[3], r, negate & 4, c[r].lane);
  for (int r = 0; r < kRegisters; ++r)
    for (int lane = 0; lane < kLanes; ++lane) {
      const int i = M == 16 ? 4 * r + lane / 16 : lane / 16;
      const int block = M == 16 ? 0 : lane % 16 / 4;
      double sum = c[r].lane[lane];
      for (int k = 0; k < 4; ++k)
        sum = __builtin_fma(a.lane[16 * k + 4 * block + i],
                            b.lane[16 * k + lane % 16], sum);
      d[r].lane[lane] = sum;
    }
  for (int r = 0; r < kRegisters; ++r) {
    uint32_t *low = wave.vgpr[inst.ops[0].index + 2 * r];
    uint32_t *high = wave.vgpr[inst.ops[0].index + 2 * r + 1];
    for (int lane = 0; lane < kLanes; ++lane) {
      uint64_t bits = bitsAs<uint64_t>(d[r].lane[lane]);
      low[lane] = uint32_t(bits);
      high[lane] = uint32_t(bits >> 32);
    }
  }
}

const HandlerTable::Row rows[] = {
    {"v_mfma_f32_32x32x1_2b_f32", mfmaChain<32, 1, 2>},
    {"v_mfma_f32_16x16x1_4b_f32", mfmaChain<16, 1, 4>},
    {"v_mfma_f32_4x4x1_16b_f32", mfmaChain<4, 1, 16>},
    {"v_mfma_f32_32x32x2_f32", mfmaChain<32, 2, 1>},
    {"v_mfma_f32_16x16x4_f32", mfmaChain<16, 4, 1>},
    {"v_mfma_f32_16x16x8_xf32", mfma<Xf32Input, Xf32Input, 16, 8, 1>},
    {"v_mfma_f32_32x32x4_xf32", mfma<Xf32Input, Xf32Input, 32, 4, 1>},

    {"v_mfma_f32_32x32x4_2b_f16", mfma<HalfInput, HalfInput, 32, 4, 2>},
    {"v_mfma_f32_16x16x4_4b_f16", mfma<HalfInput, HalfInput, 16, 4, 4>},
    {"v_mfma_f32_4x4x4_16b_f16", mfma<HalfInput, HalfInput, 4, 4, 16>},
    {"v_mfma_f32_32x32x8_f16", mfma<HalfInput, HalfInput, 32, 8, 1>},
    {"v_mfma_f32_16x16x16_f16", mfma<HalfInput, HalfInput, 16, 16, 1>},
    {"v_mfma_f32_16x16x32_f16", mfma<HalfInput, HalfInput, 16, 32, 1>},
    {"v_mfma_f32_32x32x16_f16", mfma<HalfInput, HalfInput, 32, 16, 1>},

    {"v_mfma_f32_32x32x4_2b_bf16", mfma<Bf16Input, Bf16Input, 32, 4, 2>},
    {"v_mfma_f32_16x16x4_4b_bf16", mfma<Bf16Input, Bf16Input, 16, 4, 4>},
    {"v_mfma_f32_4x4x4_16b_bf16", mfma<Bf16Input, Bf16Input, 4, 4, 16>},
    {"v_mfma_f32_32x32x8_bf16", mfma<Bf16Input, Bf16Input, 32, 8, 1>},
    {"v_mfma_f32_16x16x16_bf16", mfma<Bf16Input, Bf16Input, 16, 16, 1>},
    {"v_mfma_f32_16x16x32_bf16", mfma<Bf16Input, Bf16Input, 16, 32, 1>},
    {"v_mfma_f32_32x32x16_bf16", mfma<Bf16Input, Bf16Input, 32, 16, 1>},

    {"v_mfma_f32_16x16x32_fp8_fp8", mfma<Fp8Input, Fp8Input, 16, 32, 1>},
    {"v_mfma_f32_16x16x32_fp8_bf8", mfma<Fp8Input, Bf8Input, 16, 32, 1>},
    {"v_mfma_f32_16x16x32_bf8_fp8", mfma<Bf8Input, Fp8Input, 16, 32, 1>},
    {"v_mfma_f32_16x16x32_bf8_bf8", mfma<Bf8Input, Bf8Input, 16, 32, 1>},
    {"v_mfma_f32_32x32x16_fp8_fp8", mfma<Fp8Input, Fp8Input, 32, 16, 1>},
    {"v_mfma_f32_32x32x16_fp8_bf8", mfma<Fp8Input, Bf8Input, 32, 16, 1>},
    {"v_mfma_f32_32x32x16_bf8_fp8", mfma<Bf8Input, Fp8Input, 32, 16, 1>},
    {"v_mfma_f32_32x32x16_bf8_bf8", mfma<Bf8Input, Bf8Input, 32, 16, 1>},

    {"v_mfma_i32_32x32x4_2b_i8", mfma<Int8Input, Int8Input, 32, 4, 2>},
    {"v_mfma_i32_16x16x4_4b_i8", mfma<Int8Input, Int8Input, 16, 4, 4>},
    {"v_mfma_i32_4x4x4_16b_i8", mfma<Int8Input, Int8Input, 4, 4, 16>},
    {"v_mfma_i32_32x32x16_i8", mfma<Int8Input, Int8Input, 32, 16, 1>},
    {"v_mfma_i32_16x16x32_i8", mfma<Int8Input, Int8Input, 16, 32, 1>},
    {"v_mfma_i32_16x16x64_i8", mfma<Int8Input, Int8Input, 16, 64, 1>},
    {"v_mfma_i32_32x32x32_i8", mfma<Int8Input, Int8Input, 32, 32, 1>},

    {"v_mfma_f64_16x16x4_f64", mfmaDouble<16, 1>},
    {"v_mfma_f64_4x4x4_4b_f64", mfmaDouble<4, 4>},
};

} // namespace

void registerMfma(HandlerTable &table) {
  table.add(rows, InstructionClass::Mfma);
}

} // namespace mla::sim::MLA_SIM_VARIANT
