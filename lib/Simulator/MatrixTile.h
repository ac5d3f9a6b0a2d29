//===- MatrixTile.h - The arithmetic of a matrix instruction ----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts (CDNA3 ISA, chapter "Matrix arithmetic instructions"; for gfx950 the
// same rules hold). A wave holds A, B in planes: element e of all 64 lanes. A
// lane is block * M * G + g * M + i, where G lanes share one row i and lane
// group g holds k = g * E + e of its E elements. So the 16 or 32 lanes of one
// (e, g) are a row of the transposed A or of B, contiguous in the plane.
//
// Rounding. The manuals leave open how a dot product is summed inside the
// matrix core. Here products of formats with at most 11 bits are exact, their
// sum is taken in double precision, C is added last and the result is rounded
// once to single precision, to nearest even; for fp8 with K <= 32 that is the
// correctly rounded exact result. f32 and f64 forms are chains of fused
// multiply-adds in the order of k, starting from C. MODE is not looked at and
// no denormal is flushed: flushing was a trait of MI200 only (AMD's "MI200 MFMA
// behavior specifics"). EXEC is ignored.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_MATRIXTILE_H
#define MLA_LIB_SIMULATOR_MATRIXTILE_H

#include "Lanes.h"

namespace mla::sim::MLA_SIM_VARIANT {

/// One element of all lanes.
template <class T> struct alignas(64) Plane {
  T lane[kLanes];
};

typedef double Double4 __attribute__((vector_size(32)));
typedef float Float8 __attribute__((vector_size(32)));

template <class V> MLA_SIM_INLINE V loadVector(const void *from) {
  V value;
  __builtin_memcpy(&value, from, sizeof(V));
  return value;
}

template <class V> MLA_SIM_INLINE V multiplyAdd(V a, V b, V c) {
#if defined(__FMA__) || defined(__aarch64__)
  return __builtin_elementwise_fma(a, b, c);
#else
  // Only for exact products, where fusing changes nothing.
  return a * b + c;
#endif
}

/// sum[i][j] = sum over k of rowsOfA[k][i] * rowsOfB[k][j], for N a multiple
/// of 4 and two rows at a time, which keeps the sums in registers.
template <int M, int N>
MLA_SIM_INLINE void dotRows(const double *const *rowsOfA,
                            const double *const *rowsOfB, int count,
                            double (&sum)[M][N]) {
  constexpr int kVectors = N / 4;
  constexpr int kTogether = kVectors < 4 ? kVectors : 4;
  for (int i = 0; i < M; i += 2)
    for (int first = 0; first < kVectors; first += kTogether) {
      Double4 top[kTogether] = {}, bottom[kTogether] = {};
      for (int k = 0; k < count; ++k) {
        const double a0 = rowsOfA[k][i], a1 = rowsOfA[k][i + 1];
        const Double4 x = {a0, a0, a0, a0}, y = {a1, a1, a1, a1};
        const double *row = rowsOfB[k] + 4 * first;
        for (int v = 0; v < kTogether; ++v) {
          Double4 b = loadVector<Double4>(row + 4 * v);
          top[v] = multiplyAdd(x, b, top[v]);
          bottom[v] = multiplyAdd(y, b, bottom[v]);
        }
      }
      __builtin_memcpy(&sum[i][4 * first], top, sizeof(top));
      __builtin_memcpy(&sum[i + 1][4 * first], bottom, sizeof(bottom));
    }
}

/// Where row i, column j of block b of a 32-bit result lies: rows go round the
/// G = 64 / N lane groups in runs of four registers, so that 32x32 has
/// i = 8 * (r / 4) + 4 * (lane / 32) + r % 4. The blocks of 4x4 lie side by
/// side in the lanes, others one after the other in the registers.
template <int M, int N> struct ResultPlace {
  static constexpr int kGroups = 64 / N;
  static MLA_SIM_INLINE int reg(int block, int i) {
    if constexpr (N == 4)
      return i;
    else
      return block * (M * N / 64) + i / (4 * kGroups) * 4 + i % 4;
  }
  static MLA_SIM_INLINE int lane(int block, int i) {
    if constexpr (N == 4)
      return block * 4;
    else
      return i / 4 % kGroups * N;
  }
};

/// B's lane group pattern (CDNA3 ISA, field BLGP): the lane whose data a lane
/// uses.
MLA_SIM_INLINE int patternLane(int pattern, int lane) {
  switch (pattern) {
  case 1: // Lanes 0 to 31 for both halves.
    return lane & 31;
  case 2: // Lanes 32 to 63 for both halves.
    return lane | 32;
  case 3: // Rotated by 16 lanes.
    return (lane + 16) & 63;
  case 4: // One group of 16 lanes for all.
  case 5:
  case 6:
  case 7:
    return (pattern - 4) * 16 | (lane & 15);
  default:
    return lane;
  }
}

template <class T>
MLA_SIM_INLINE void applyPattern(Plane<T> *planes, int count, int pattern) {
  if (pattern == 0)
    return;
  for (int e = 0; e < count; ++e) {
    Plane<T> before = planes[e];
    for (int lane = 0; lane < kLanes; ++lane)
      planes[e].lane[lane] = before.lane[patternLane(pattern, lane)];
  }
}

/// The block of A that block `block` uses under CBSZ and ABID: the blocks go in
/// groups of 2^cbsz, each using number abid of its group.
MLA_SIM_INLINE int broadcastBlock(const Instruction &inst, int block) {
  const int group = 1 << inst.mods.cbsz;
  return (block & ~(group - 1)) | (inst.mods.abid & (group - 1));
}

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_MATRIXTILE_H
