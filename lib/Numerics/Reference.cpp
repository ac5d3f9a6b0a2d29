//===- Reference.cpp - MLA decode in float64 ------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One unit of work is a query row with sixteen heads. Rows are taken in tiles
// that stay in the cache; both products are written as sums over vectors of the
// sixteen heads, which is the form compilers turn into straight vector code.
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Reference.h"
#include "mla/Numerics/Parallel.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

// The loops below are worth two to four times as much with wider vectors, which
// the distributed binary must not assume.
#if defined(__x86_64__) && defined(__ELF__)
#define MLA_FOR_EACH_X86_LEVEL                                                 \
  __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define MLA_FOR_EACH_X86_LEVEL
#endif

using namespace mla::numerics;

namespace {
constexpr int kHeads = 16;
constexpr int kTileRows = 32;

/// One number for each of the sixteen heads.
typedef double HeadVector __attribute__((vector_size(kHeads * sizeof(double))));

struct Unit {
  int32_t sequence;
  int32_t queryRow;
  int32_t headBegin;
};

/// What a thread needs while it works on a unit.
struct Scratch {
  std::vector<HeadVector> q;        // [width], scaled by smScale
  std::vector<double> rows;         // [kTileRows][width]
  std::vector<HeadVector> weights;  // [kTileRows]
  std::vector<HeadVector> weighted; // [latent]

  Scratch(int width, int latent)
      : q(width), rows(size_t{kTileRows} * width), weights(kTileRows),
        weighted(latent) {}
};
} // namespace

static void decodeRow(const Operand &operand, int64_t row, int width,
                      double *values) {
  int64_t first = row * width;
  switch (operand.element) {
  case Element::F64:
    for (int i = 0; i < width; ++i)
      values[i] =
          static_cast<const double *>(operand.data)[first + i] * operand.scale;
    return;
  case Element::F32:
    for (int i = 0; i < width; ++i)
      values[i] =
          static_cast<const float *>(operand.data)[first + i] * operand.scale;
    return;
  case Element::BF16:
    for (int i = 0; i < width; ++i)
      values[i] =
          decodeBf16(static_cast<const uint16_t *>(operand.data)[first + i]) *
          operand.scale;
    return;
  case Element::Code: {
    const float *table = decodeTable(operand.format);
    for (int i = 0; i < width; ++i)
      values[i] = table[static_cast<const uint8_t *>(operand.data)[first + i]] *
                  operand.scale;
    return;
  }
  }
}

/// scores[r] = q · rows[r].
MLA_FOR_EACH_X86_LEVEL
static void scoreTile(const HeadVector *q, const double *rows, int count,
                      int width, HeadVector *scores) {
  for (int r = 0; r < count; ++r) {
    HeadVector sum = {};
    const double *row = rows + int64_t{r} * width;
    for (int d = 0; d < width; ++d)
      sum += q[d] * row[d];
    scores[r] = sum;
  }
}

/// weighted[c] = weighted[c] * rescale + Σr weights[r] · rows[r][c].
MLA_FOR_EACH_X86_LEVEL
static void accumulateTile(const HeadVector *weights, const double *rows,
                           int count, int width, int latent,
                           const HeadVector *rescale, HeadVector *weighted) {
  for (int c = 0; c < latent; ++c) {
    HeadVector sum = weighted[c] * *rescale;
    for (int r = 0; r < count; ++r)
      sum += weights[r] * rows[int64_t{r} * width + c];
    weighted[c] = sum;
  }
}

static void attendUnit(const AttentionInputs &in, const Unit &unit,
                       Scratch &scratch, double *out, double *lse) {
  const int width = in.latent + in.rope;
  const int heads = std::min(kHeads, in.heads - unit.headBegin);
  const int64_t firstHead = int64_t{unit.queryRow} * in.heads + unit.headBegin;

  std::vector<double> &rows = scratch.rows;
  for (int h = 0; h < heads; ++h) {
    decodeRow(in.q, firstHead + h, width, rows.data());
    for (int d = 0; d < width; ++d)
      scratch.q[d][h] = rows[d] * in.smScale;
  }
  for (int h = heads; h < kHeads; ++h)
    for (int d = 0; d < width; ++d)
      scratch.q[d][h] = 0;
  std::fill(scratch.weighted.begin(), scratch.weighted.end(), HeadVector{});

  const int32_t pageBegin = in.kvIndptr[unit.sequence];
  const int64_t pages = in.kvIndptr[unit.sequence + 1] - pageBegin;
  const int64_t length =
      pages ? (pages - 1) * in.pageSize + in.kvLastPageLen[unit.sequence] : 0;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double maximum[kHeads], sum[kHeads] = {};
  std::fill_n(maximum, kHeads, -infinity);

  for (int64_t begin = 0; begin < length; begin += kTileRows) {
    int count = static_cast<int>(std::min<int64_t>(kTileRows, length - begin));
    for (int r = 0; r < count; ++r) {
      int64_t row = begin + r;
      int64_t page = in.kvIndices[pageBegin + row / in.pageSize];
      decodeRow(in.cache, page * in.pageSize + row % in.pageSize, width,
                rows.data() + int64_t{r} * width);
    }
    HeadVector *weights = scratch.weights.data();
    scoreTile(scratch.q.data(), rows.data(), count, width, weights);
    HeadVector rescale = {};
    for (int h = 0; h < heads; ++h) {
      double newMaximum = maximum[h];
      for (int r = 0; r < count; ++r)
        newMaximum = std::max(newMaximum, weights[r][h]);
      rescale[h] = std::exp(maximum[h] - newMaximum);
      maximum[h] = newMaximum;
      sum[h] *= rescale[h];
      for (int r = 0; r < count; ++r) {
        double weight = std::exp(weights[r][h] - newMaximum);
        weights[r][h] = weight;
        sum[h] += weight;
      }
    }
    accumulateTile(weights, rows.data(), count, width, in.latent, &rescale,
                   scratch.weighted.data());
  }

  for (int h = 0; h < heads; ++h) {
    double *row = out + (firstHead + h) * in.latent;
    for (int c = 0; c < in.latent; ++c)
      row[c] = length ? scratch.weighted[c][h] / sum[h] : 0;
    lse[firstHead + h] = length ? maximum[h] + std::log(sum[h]) : -infinity;
  }
}

void mla::numerics::attend(const AttentionInputs &inputs,
                           std::span<const int32_t> sequences, int threads,
                           double *out, double *lse) {
  std::vector<int32_t> all;
  if (sequences.empty()) {
    all.resize(inputs.batch);
    std::iota(all.begin(), all.end(), 0);
    sequences = all;
  }
  std::vector<Unit> units;
  for (int32_t sequence : sequences)
    for (int32_t row = inputs.qoIndptr[sequence];
         row < inputs.qoIndptr[sequence + 1]; ++row)
      for (int32_t head = 0; head < inputs.heads; head += kHeads)
        units.push_back({sequence, row, head});

  parallelFor(static_cast<int64_t>(units.size()), threads, [&](int64_t i) {
    Scratch scratch(inputs.latent + inputs.rope, inputs.latent);
    attendUnit(inputs, units[i], scratch, out, lse);
  });
}
