//===- Workload.h - Random data for one run ---------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_WORKLOAD_H
#define MLA_TOOLS_MLARUN_WORKLOAD_H

#include "Options.h"

#include "mla/Numerics/Reference.h"
#include "mla/Runtime/mla_runtime.h"

#include <memory>
#include <vector>

namespace mla::run {

/// Inputs of MLA decode on the host, normally distributed. Every row of the
/// cache that no sequence uses, the unused tails of last pages and some spare
/// pages among them, is NaN.
class Workload {
public:
  Workload(const mla_problem &problem, const Case &lengths,
           const Options &options);

  std::vector<int32_t> qoIndptr, kvIndptr, kvLastPageLen, kvIndices;
  int64_t pages = 0; ///< Of the cache, used or not.
  int64_t rows = 0;  ///< Used, of all sequences.

  std::vector<uint16_t> q; ///< bf16 (total_q, heads, width)
  float qScale = 1;
  std::unique_ptr<uint8_t[]> cache;
  size_t cacheBytes = 0;
  int32_t rowBytes = 0; ///< Of a row of the cache.
  float kvScale = 1;

  int32_t totalQ() const { return qoIndptr.back(); }

  /// What a kernel computes with; refers to this object.
  numerics::AttentionInputs quantised() const;
  /// The same with q before it was quantised.
  numerics::AttentionInputs withBf16Q() const;

  mla_shape shape() const;

private:
  void makeLengths(const Case &lengths);
  void makePageTable();
  void makeQ();
  void quantiseQ();
  void makeCache();
  float largestCacheValue() const;
  /// Row `row` of all sequences' rows in order, before any rounding.
  void drawCacheRow(int64_t row, float *values) const;
  void storeRow(const float *values, uint8_t *destination) const;

  const int32_t heads, latent, width, pageSize;
  const double smScale;
  const bool fp8Cache;
  const std::string qMode;
  /// Q is rounded to single fp8 numbers; a sum of two is as exact as bf16.
  const bool quantisesQ;
  numerics::Format fp8 = numerics::Format::E4M3FN;
  const uint64_t seed;
  const bool identityPages;
  const int threads;
  std::vector<double> quantisedQ; ///< q's values after that.
};

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_WORKLOAD_H
