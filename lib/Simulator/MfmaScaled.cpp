//===- MfmaScaled.cpp - Matrix instructions on 8, 6 and 4-bit floats ------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_MFMA_F32_*_F8F6F4 and V_MFMA_SCALE_F32_*_F8F6F4 of gfx950. CBSZ and BLGP
// name the formats of A and B: 0 fp8, 1 bf8, 2 fp6 (e2m3), 3 bf6 (e3m2), 4 fp4.
// Operands: D, A, B, C and the scales of A and B.
//
// A lane holds 32 elements of one row. In the 8-bit formats the first 16 are
// k = 16 g + e and the other 16 follow half of K later, where g counts the lane
// groups; in the smaller formats k = 32 g + e. The scale of row i for
// k = 32 n … 32 n + 31 is a byte in lane i + M n, so for 8-bit formats it is
// not the scale of the lane that holds the elements. Both as measured on
// hardware in the tests of ROCm/composable_kernel (test/mx_mfma_op, with its
// scale_mapping_16x16x128.txt). op_sel and op_sel_hi give bits 0 and 1 of the
// number of the byte (CDNA4 ISA, "V_MFMA_LD_SCALE_B32").
//
//===----------------------------------------------------------------------===//

#include "MatrixDecode.h"
#include "Minifloat.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

constexpr int kElements = 32;

enum class SmallFormat { Fp8, Bf8, Fp6, Bf6, Fp4 };

/// Elements of less than eight bits, packed without gaps.
template <class Format, int Bits>
void decodeSmall(const Wave &wave, const Operand &op, Plane<double> *planes) {
  for (int e = 0; e < kElements; ++e) {
    const int word = e * Bits / 32, shift = e * Bits % 32;
    const uint32_t *low = wave.vgpr[op.index + word];
    const uint32_t *high =
        shift + Bits > 32 ? wave.vgpr[op.index + word + 1] : low;
    MLA_SIM_LANES(lane) {
      uint64_t both = uint64_t(high[lane]) << 32 | low[lane];
      planes[e].lane[lane] =
          Format::finiteValue(uint32_t(both >> shift) & ((1u << Bits) - 1));
    }
  }
}

/// False if there is no such format.
bool decodeFormat(const Wave &wave, const Instruction &inst, const Operand &op,
                  unsigned format, Plane<double> *planes) {
  switch (SmallFormat(format)) {
  case SmallFormat::Fp8:
    decodeBytes(wave, op, fp8Table(inst), planes, kElements);
    return true;
  case SmallFormat::Bf8:
    decodeBytes(wave, op, bf8Table(inst), planes, kElements);
    return true;
  case SmallFormat::Fp6:
    decodeSmall<E2M3, 6>(wave, op, planes);
    return true;
  case SmallFormat::Bf6:
    decodeSmall<E3M2, 6>(wave, op, planes);
    return true;
  case SmallFormat::Fp4:
    decodeSmall<E2M1, 4>(wave, op, planes);
    return true;
  }
  return false;
}

/// The place in K of element `e` of lane group `g`.
template <int M> MLA_SIM_INLINE int placeInK(bool eightBits, int g, int e) {
  constexpr int kGroups = 64 / M;
  if (!eightBits)
    return 32 * g + e;
  return 16 * g + e % 16 + (e < 16 ? 0 : 16 * kGroups);
}

/// 2^(byte - 127); 255 is NaN.
MLA_SIM_INLINE double scaleOf(uint32_t byte) {
  double power = bitsAs<double>(uint64_t(byte + 1023 - 127) << 52);
  return byte == 255 ? __builtin_nan("") : power;
}

template <int M>
void applyScales(const Wave &wave, const Operand &op, unsigned byte,
                 bool eightBits, Plane<double> *planes) {
  LaneArray scratch;
  const uint32_t *words = source32(wave, op, scratch);
  Plane<double> scales;
  for (int lane = 0; lane < kLanes; ++lane)
    scales.lane[lane] = scaleOf(words[lane] >> (8 * byte) & 0xFFu);
  for (int e = 0; e < kElements; ++e)
    for (int g = 0; g < 64 / M; ++g) {
      const double *scale = scales.lane + placeInK<M>(eightBits, g, e) / 32 * M;
      double *row = planes[e].lane + g * M;
      for (int i = 0; i < M; ++i)
        row[i] *= scale[i];
    }
}

template <int M, bool HasScales>
void mfmaSmall(Wave &wave, const Instruction &inst) {
  constexpr int kGroups = 64 / M, kK = kElements * kGroups;
  constexpr int kRegisters = M * M / 64;
  using Place = ResultPlace<M, M>;
  const Modifiers &mods = inst.mods;
  Plane<double> a[kElements], b[kElements];
  if (!decodeFormat(wave, inst, inst.ops[1], mods.cbsz, a) ||
      !decodeFormat(wave, inst, inst.ops[2], mods.blgp, b)) {
    wave.fault(inst, -1,
               "the matrix formats cbsz:%u and blgp:%u must be 0 to 4",
               mods.cbsz, mods.blgp);
    return;
  }
  const bool bytesA = mods.cbsz < 2, bytesB = mods.blgp < 2;
  if (HasScales) {
    const auto byteOf = [&](int n) {
      return unsigned(mods.opSel >> n & 1) | unsigned(mods.opSelHi >> n & 1)
                                                 << 1;
    };
    applyScales<M>(wave, inst.ops[4], byteOf(0), bytesA, a);
    applyScales<M>(wave, inst.ops[5], byteOf(1), bytesB, b);
  }
  const double *rowsOfA[kK], *rowsOfB[kK];
  for (int g = 0; g < kGroups; ++g)
    for (int e = 0; e < kElements; ++e) {
      rowsOfA[placeInK<M>(bytesA, g, e)] = a[e].lane + g * M;
      rowsOfB[placeInK<M>(bytesB, g, e)] = b[e].lane + g * M;
    }
  alignas(64) double sum[M][M];
  dotRows<M, M>(rowsOfA, rowsOfB, kK, sum);
  LaneArray out[kRegisters];
  for (int i = 0; i < M; ++i) {
    const int reg = Place::reg(0, i), lane = Place::lane(0, i);
    const uint32_t *c = accumulator(wave, inst.ops[3], reg) + lane;
    for (int j = 0; j < M; ++j)
      out[reg].lane[lane + j] =
          bitsAs<uint32_t>(float(sum[i][j] + bitsAs<float>(c[j])));
  }
  for (int r = 0; r < kRegisters; ++r)
    memcpy(wave.vgpr[inst.ops[0].index + r], out[r].lane, sizeof(LaneArray));
}

const HandlerTable::Row rows[] = {
    {"v_mfma_f32_16x16x128_f8f6f4", mfmaSmall<16, false>},
    {"v_mfma_f32_32x32x64_f8f6f4", mfmaSmall<32, false>},
    {"v_mfma_scale_f32_16x16x128_f8f6f4", mfmaSmall<16, true>},
    {"v_mfma_scale_f32_32x32x64_f8f6f4", mfmaSmall<32, true>},
};

} // namespace

void registerMfmaScaled(HandlerTable &table) {
  table.add(rows, InstructionClass::Mfma);
}

} // namespace mla::sim::MLA_SIM_VARIANT
