//===- MfmaSparse.cpp - Matrix instructions with a 4:2 sparse A -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_SMFMAC_*: D += A * B, where of every four elements along K of A two are
// stored (CDNA3 ISA, "Sparse matrix arithmetic"). Operands: D, A, B, indices.
// Four bits of the lane's indices name the places of a pair, the first in bits
// 1:0. When CBSZ is 0, ABID picks the set of indices in the register; a set has
// one bit for each of the lane's elements of B.
//
// How k is spread over lanes does not matter here: a stored element and the
// elements of B that its index picks from are in the same lane group.
//
//===----------------------------------------------------------------------===//

#include "MatrixDecode.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

template <int M, int K> struct SparseShape {
  static constexpr int kGroups = 64 / M;
  static constexpr int kElements = K / kGroups;
};

/// sum[i][j] of the stored elements of A with the rows of B that they pick.
/// What is not picked is not multiplied, be it infinite.
template <class T, class Sum, int M, int K>
MLA_SIM_INLINE void sparseDot(const Wave &wave, const Instruction &inst,
                              const Plane<T> *a, const Plane<T> *b,
                              Sum (&sum)[M][M]) {
  using S = SparseShape<M, K>;
  LaneArray scratch;
  const uint32_t *indices = source32(wave, inst.ops[3], scratch);
  const int set = inst.mods.cbsz == 0 ? inst.mods.abid : 0;
  const int shift = set * S::kElements & 31;
  for (int i = 0; i < M; ++i) {
    Sum row[M] = {};
    for (int g = 0; g < S::kGroups; ++g)
      for (int n = 0; n < S::kElements / 2; ++n) {
        const int lane = g * M + i;
        const uint32_t place = indices[lane] >> shift >> (2 * n) & 3;
        const Sum factor = Sum(a[n].lane[lane]);
        const T *picked = b[n / 2 * 4 + int(place)].lane + g * M;
        for (int j = 0; j < M; ++j)
          row[j] += factor * Sum(picked[j]);
      }
    __builtin_memcpy(sum[i], row, sizeof(row));
  }
}

template <class InA, class InB, int M, int K>
void smfmac(Wave &wave, const Instruction &inst) {
  using S = SparseShape<M, K>;
  using Place = ResultPlace<M, M>;
  Plane<double> a[S::kElements / 2], b[S::kElements];
  InA::decode(wave, inst, inst.ops[1], a, S::kElements / 2);
  InB::decode(wave, inst, inst.ops[2], b, S::kElements);
  double sum[M][M];
  sparseDot<double, double, M, K>(wave, inst, a, b, sum);
  for (int i = 0; i < M; ++i) {
    uint32_t *d =
        wave.vgpr[inst.ops[0].index + Place::reg(0, i)] + Place::lane(0, i);
    for (int j = 0; j < M; ++j)
      d[j] = bitsAs<uint32_t>(float(sum[i][j] + bitsAs<float>(d[j])));
  }
}

template <int M, int K>
void smfmacInteger(Wave &wave, const Instruction &inst) {
  using S = SparseShape<M, K>;
  using Place = ResultPlace<M, M>;
  Plane<int32_t> a[S::kElements / 2], b[S::kElements];
  Int8Input::decode(wave, inst, inst.ops[1], a, S::kElements / 2);
  Int8Input::decode(wave, inst, inst.ops[2], b, S::kElements);
  uint32_t sum[M][M];
  sparseDot<int32_t, uint32_t, M, K>(wave, inst, a, b, sum);
  for (int i = 0; i < M; ++i) {
    uint32_t *d =
        wave.vgpr[inst.ops[0].index + Place::reg(0, i)] + Place::lane(0, i);
    for (int j = 0; j < M; ++j)
      d[j] += sum[i][j];
  }
}

const HandlerTable::Row rows[] = {
    {"v_smfmac_f32_16x16x32_f16", smfmac<HalfInput, HalfInput, 16, 32>},
    {"v_smfmac_f32_32x32x16_f16", smfmac<HalfInput, HalfInput, 32, 16>},
    {"v_smfmac_f32_16x16x32_bf16", smfmac<Bf16Input, Bf16Input, 16, 32>},
    {"v_smfmac_f32_32x32x16_bf16", smfmac<Bf16Input, Bf16Input, 32, 16>},
    {"v_smfmac_f32_16x16x64_f16", smfmac<HalfInput, HalfInput, 16, 64>},
    {"v_smfmac_f32_32x32x32_f16", smfmac<HalfInput, HalfInput, 32, 32>},
    {"v_smfmac_f32_16x16x64_bf16", smfmac<Bf16Input, Bf16Input, 16, 64>},
    {"v_smfmac_f32_32x32x32_bf16", smfmac<Bf16Input, Bf16Input, 32, 32>},

    {"v_smfmac_f32_16x16x64_fp8_fp8", smfmac<Fp8Input, Fp8Input, 16, 64>},
    {"v_smfmac_f32_16x16x64_fp8_bf8", smfmac<Fp8Input, Bf8Input, 16, 64>},
    {"v_smfmac_f32_16x16x64_bf8_fp8", smfmac<Bf8Input, Fp8Input, 16, 64>},
    {"v_smfmac_f32_16x16x64_bf8_bf8", smfmac<Bf8Input, Bf8Input, 16, 64>},
    {"v_smfmac_f32_32x32x32_fp8_fp8", smfmac<Fp8Input, Fp8Input, 32, 32>},
    {"v_smfmac_f32_32x32x32_fp8_bf8", smfmac<Fp8Input, Bf8Input, 32, 32>},
    {"v_smfmac_f32_32x32x32_bf8_fp8", smfmac<Bf8Input, Fp8Input, 32, 32>},
    {"v_smfmac_f32_32x32x32_bf8_bf8", smfmac<Bf8Input, Bf8Input, 32, 32>},
    {"v_smfmac_f32_16x16x128_fp8_fp8", smfmac<Fp8Input, Fp8Input, 16, 128>},
    {"v_smfmac_f32_16x16x128_fp8_bf8", smfmac<Fp8Input, Bf8Input, 16, 128>},
    {"v_smfmac_f32_16x16x128_bf8_fp8", smfmac<Bf8Input, Fp8Input, 16, 128>},
    {"v_smfmac_f32_16x16x128_bf8_bf8", smfmac<Bf8Input, Bf8Input, 16, 128>},
    {"v_smfmac_f32_32x32x64_fp8_fp8", smfmac<Fp8Input, Fp8Input, 32, 64>},
    {"v_smfmac_f32_32x32x64_fp8_bf8", smfmac<Fp8Input, Bf8Input, 32, 64>},
    {"v_smfmac_f32_32x32x64_bf8_fp8", smfmac<Bf8Input, Fp8Input, 32, 64>},
    {"v_smfmac_f32_32x32x64_bf8_bf8", smfmac<Bf8Input, Bf8Input, 32, 64>},

    {"v_smfmac_i32_16x16x64_i8", smfmacInteger<16, 64>},
    {"v_smfmac_i32_32x32x32_i8", smfmacInteger<32, 32>},
    {"v_smfmac_i32_16x16x128_i8", smfmacInteger<16, 128>},
    {"v_smfmac_i32_32x32x64_i8", smfmacInteger<32, 64>},
};

} // namespace

void registerMfmaSparse(HandlerTable &table) {
  table.add(rows, InstructionClass::Mfma);
}

} // namespace mla::sim::MLA_SIM_VARIANT
