//===- MatrixDecode.h - Register contents as matrix elements ----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One decoder per input format of the matrix instructions: from the registers
// of a fragment to planes of elements.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_MATRIXDECODE_H
#define MLA_LIB_SIMULATOR_MATRIXDECODE_H

#include "FloatBits.h"
#include "MatrixTile.h"
#include "mla/Numerics/Formats.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// The e4m3 (or e5m2) flavour of the instruction's chip.
MLA_SIM_INLINE const float *fp8Table(const Instruction &inst) {
  return numerics::decodeTable(inst.ocpFp8 ? numerics::Format::E4M3FN
                                           : numerics::Format::E4M3FNUZ);
}
MLA_SIM_INLINE const float *bf8Table(const Instruction &inst) {
  return numerics::decodeTable(inst.ocpFp8 ? numerics::Format::E5M2
                                           : numerics::Format::E5M2FNUZ);
}

/// Register `reg` of C; a constant stands for all of them.
MLA_SIM_INLINE const uint32_t *accumulator(const Wave &wave, const Operand &op,
                                           int reg) {
  return op.isVgpr() ? wave.vgpr[op.index + reg] : op.splat;
}

MLA_SIM_INLINE void decodeBytes(const Wave &wave, const Operand &op,
                                const float *table, Plane<double> *planes,
                                int elements) {
  for (int e = 0; e < elements; ++e) {
    const uint32_t *words = wave.vgpr[op.index + e / 4];
    const int shift = 8 * (e % 4);
    for (int lane = 0; lane < kLanes; ++lane)
      planes[e].lane[lane] = table[words[lane] >> shift & 0xFFu];
  }
}

/// How a dot product joins C.
struct SingleResult {
  static MLA_SIM_INLINE uint32_t addTo(uint32_t c, double sum) {
    return bitsAs<uint32_t>(float(sum + bitsAs<float>(c)));
  }
};
struct IntegerResult {
  static MLA_SIM_INLINE uint32_t addTo(uint32_t c, double sum) {
    return c + uint32_t(int32_t(sum));
  }
};

struct Fp8Input : SingleResult {
  static MLA_SIM_INLINE void decode(const Wave &wave, const Instruction &inst,
                                    const Operand &op, Plane<double> *planes,
                                    int elements) {
    decodeBytes(wave, op, fp8Table(inst), planes, elements);
  }
};

struct Bf8Input : SingleResult {
  static MLA_SIM_INLINE void decode(const Wave &wave, const Instruction &inst,
                                    const Operand &op, Plane<double> *planes,
                                    int elements) {
    decodeBytes(wave, op, bf8Table(inst), planes, elements);
  }
};

struct HalfInput : SingleResult {
  static MLA_SIM_INLINE void decode(const Wave &wave, const Instruction &,
                                    const Operand &op, Plane<double> *planes,
                                    int elements) {
    for (int e = 0; e < elements; ++e) {
      const uint32_t *words = wave.vgpr[op.index + e / 2];
      const int shift = 16 * (e % 2);
      MLA_SIM_LANES(lane)
      planes[e].lane[lane] = halfToFloat(words[lane] >> shift & 0xFFFFu);
    }
  }
};

struct Bf16Input : SingleResult {
  static MLA_SIM_INLINE void decode(const Wave &wave, const Instruction &,
                                    const Operand &op, Plane<double> *planes,
                                    int elements) {
    for (int e = 0; e < elements; ++e) {
      const uint32_t *words = wave.vgpr[op.index + e / 2];
      const int shift = 16 * (e % 2);
      MLA_SIM_LANES(lane)
      planes[e].lane[lane] = bf16ToFloat(words[lane] >> shift & 0xFFFFu);
    }
  }
};

/// Single precision cut to the 10 mantissa bits of XF32, rounded to nearest
/// even (CDNA3 only). The manual names the format and not the rounding.
struct Xf32Input : SingleResult {
  static MLA_SIM_INLINE void decode(const Wave &wave, const Instruction &,
                                    const Operand &op, Plane<double> *planes,
                                    int elements) {
    for (int e = 0; e < elements; ++e) {
      const uint32_t *words = wave.vgpr[op.index + e];
      MLA_SIM_LANES(lane) {
        uint32_t bits = words[lane];
        uint32_t rounded = (bits + 0xFFFu + (bits >> 13 & 1)) & ~0x1FFFu;
        bool special = (bits & 0x7F800000u) == 0x7F800000u;
        planes[e].lane[lane] = bitsAs<float>(special ? bits : rounded);
      }
    }
  }
};

struct SingleInput {
  static MLA_SIM_INLINE void decode(const Wave &wave, const Instruction &,
                                    const Operand &op, Plane<float> *planes,
                                    int elements) {
    for (int e = 0; e < elements; ++e)
      __builtin_memcpy(planes[e].lane, wave.vgpr[op.index + e],
                       sizeof(planes[e].lane));
  }
};

struct Int8Input : IntegerResult {
  template <class T>
  static MLA_SIM_INLINE void decode(const Wave &wave, const Instruction &,
                                    const Operand &op, Plane<T> *planes,
                                    int elements) {
    for (int e = 0; e < elements; ++e) {
      const uint32_t *words = wave.vgpr[op.index + e / 4];
      const int shift = 24 - 8 * (e % 4);
      MLA_SIM_LANES(lane)
      planes[e].lane[lane] = int32_t(words[lane] << shift) >> 24;
    }
  }
};

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_MATRIXDECODE_H
