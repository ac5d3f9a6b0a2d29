//===- Workload.cpp - Random data for one run -----------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Workload.h"

#include "mla/Numerics/Parallel.h"
#include "mla/Numerics/Random.h"
#include "mla/Runtime/BundleFormat.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <numeric>
#include <span>

using namespace mla::run;
using namespace mla::numerics;

/// Cache rows of random data have the numbers of their row as streams; these
/// are for the rest.
static constexpr uint64_t kQueryStream = uint64_t{1} << 62;
static constexpr uint64_t kPageStream = uint64_t{1} << 63;
/// Pages of NaN that no sequence refers to.
static constexpr int64_t kSparePages = 5;
/// A static scale covers ±6 standard deviations of q.
static constexpr float kStaticQRange = 6;
/// Rows that a thread takes at a time.
static constexpr int64_t kRowsPerTask = 256;

Workload::Workload(const mla_problem &problem, const Case &lengths,
                   const Options &options)
    : heads(problem.heads), latent(problem.latent),
      width(problem.latent + problem.rope), pageSize(problem.page_size),
      smScale(problem.sm_scale),
      fp8Cache(problem.kv_format == bundle::format::fp8), qMode(problem.q_mode),
      quantisesQ(qMode != bundle::qmode::none && problem.q_terms == 1),
      seed(options.seed), identityPages(options.identityPages),
      threads(options.threads) {
  if (problem.fp8)
    for (int i = 0; i < kFormatCount; ++i)
      if (name(static_cast<Format>(i)) == problem.fp8)
        fp8 = static_cast<Format>(i);
  makeLengths(lengths);
  makePageTable();
  makeQ();
  makeCache();
}

void Workload::makeLengths(const Case &lengths) {
  qoIndptr = kvIndptr = {0};
  int64_t queries = 0, used = 0;
  for (int32_t length : lengths.kv) {
    int64_t count = (int64_t{length} + pageSize - 1) / pageSize;
    queries += lengths.queryLength;
    used += count;
    rows += length;
    constexpr int64_t most = std::numeric_limits<int32_t>::max();
    if (queries > most || used + kSparePages > most)
      throw Failure("the batch has more query tokens or pages than int32 can "
                    "number");
    qoIndptr.push_back(static_cast<int32_t>(queries));
    kvIndptr.push_back(static_cast<int32_t>(used));
    kvLastPageLen.push_back(
        count ? static_cast<int32_t>(length - (count - 1) * pageSize) : 0);
  }
}

void Workload::makePageTable() {
  pages = int64_t{kvIndptr.back()} + kSparePages;
  kvIndices.resize(static_cast<size_t>(pages));
  std::iota(kvIndices.begin(), kvIndices.end(), 0);
  if (!identityPages) {
    RandomStream random(seed, kPageStream);
    for (size_t i = kvIndices.size(); i > 1; --i)
      std::swap(kvIndices[i - 1], kvIndices[random.below(i)]);
  }
  kvIndices.resize(static_cast<size_t>(kvIndptr.back()));
}

void Workload::makeQ() {
  size_t rowCount = static_cast<size_t>(totalQ()) * heads;
  q.resize(rowCount * width);
  parallelFor(static_cast<int64_t>(rowCount), threads, [&](int64_t row) {
    RandomStream random(seed, kQueryStream + static_cast<uint64_t>(row));
    uint16_t *codes = q.data() + row * width;
    for (int d = 0; d < width; ++d)
      codes[d] = encodeBf16(static_cast<float>(random.normal()));
  });
  if (quantisesQ)
    quantiseQ();
}

static float largestMagnitude(std::span<const uint16_t> values) {
  float most = 0;
  for (uint16_t value : values)
    most = std::max(most, std::abs(decodeBf16(value)));
  return most;
}

void Workload::quantiseQ() {
  float range =
      qMode == bundle::qmode::dynamic ? largestMagnitude(q) : kStaticQRange;
  qScale = range > 0 ? range / largest(fp8) : 1;
  quantisedQ.resize(q.size());
  for (size_t begin = 0; begin < q.size(); begin += width) {
    float scale = qScale;
    if (qMode == bundle::qmode::perHead) {
      float most = largestMagnitude(std::span(q).subspan(begin, width));
      scale =
          most > 0 ? std::exp2(std::ceil(std::log2(most / largest(fp8)))) : 1;
    }
    for (size_t i = begin; i < begin + width; ++i) {
      uint8_t code = encode(fp8, decodeBf16(q[i]) / scale, Overflow::Saturate);
      quantisedQ[i] = double{decode(fp8, code)} * scale;
    }
  }
}

void Workload::drawCacheRow(int64_t row, float *values) const {
  RandomStream(seed, static_cast<uint64_t>(row))
      .fillNormal(values, static_cast<size_t>(width));
}

float Workload::largestCacheValue() const {
  float result = 0;
  std::mutex mutex;
  int64_t tasks = (rows + kRowsPerTask - 1) / kRowsPerTask;
  parallelFor(tasks, threads, [&](int64_t task) {
    std::vector<float> values(static_cast<size_t>(width));
    float most = 0;
    int64_t end = std::min(rows, (task + 1) * kRowsPerTask);
    for (int64_t row = task * kRowsPerTask; row < end; ++row) {
      drawCacheRow(row, values.data());
      for (float value : values)
        most = std::max(most, std::abs(value));
    }
    std::lock_guard<std::mutex> lock(mutex);
    result = std::max(result, most);
  });
  return result;
}

void Workload::storeRow(const float *values, uint8_t *destination) const {
  if (fp8Cache) {
    std::vector<float> scaled(values, values + width);
    for (float &value : scaled)
      value /= kvScale;
    encode(fp8, scaled.data(), scaled.size(), Overflow::Saturate, destination);
    return;
  }
  for (int d = 0; d < width; ++d) {
    uint16_t code = encodeBf16(values[d]);
    std::memcpy(destination + 2 * d, &code, 2);
  }
}

void Workload::makeCache() {
  rowBytes = fp8Cache ? width : 2 * width;
  cacheBytes = static_cast<size_t>(pages) * pageSize * rowBytes;
  cache = std::make_unique_for_overwrite<uint8_t[]>(cacheBytes);
  if (fp8Cache) {
    float most = largestCacheValue();
    kvScale = most > 0 ? most / largest(fp8) : 1;
  }

  // In the order of the cache, so that each page is touched once: the place in
  // the page table that refers to it, and the first row that it holds.
  std::vector<int64_t> firstRow(static_cast<size_t>(pages), -1);
  std::vector<int32_t> usedRows(static_cast<size_t>(pages), 0);
  int64_t row = 0;
  for (size_t s = 0; s + 1 < kvIndptr.size(); ++s)
    for (int32_t i = kvIndptr[s]; i < kvIndptr[s + 1]; ++i) {
      size_t page = static_cast<size_t>(kvIndices[i]);
      firstRow[page] = row;
      usedRows[page] = i + 1 == kvIndptr[s + 1] ? kvLastPageLen[s] : pageSize;
      row += usedRows[page];
    }

  // All bits set is a NaN of bf16 and of e4m3fn; e4m3fnuz has but one NaN.
  const int poison = fp8Cache && fp8 == Format::E4M3FNUZ ? 0x80 : 0xff;
  int64_t pagesPerTask = std::max<int64_t>(1, kRowsPerTask / pageSize);
  int64_t tasks = (pages + pagesPerTask - 1) / pagesPerTask;
  parallelFor(tasks, threads, [&](int64_t task) {
    std::vector<float> values(static_cast<size_t>(width));
    int64_t end = std::min(pages, (task + 1) * pagesPerTask);
    for (int64_t page = task * pagesPerTask; page < end; ++page) {
      uint8_t *first = cache.get() + page * pageSize * rowBytes;
      int32_t used = usedRows[static_cast<size_t>(page)];
      for (int32_t r = 0; r < used; ++r) {
        drawCacheRow(firstRow[static_cast<size_t>(page)] + r, values.data());
        storeRow(values.data(), first + int64_t{r} * rowBytes);
      }
      std::memset(first + int64_t{used} * rowBytes, poison,
                  size_t(pageSize - used) * rowBytes);
    }
  });
}

AttentionInputs Workload::quantised() const {
  AttentionInputs inputs = withBf16Q();
  if (quantisesQ)
    inputs.q = {quantisedQ.data(), Element::F64};
  return inputs;
}

AttentionInputs Workload::withBf16Q() const {
  Operand cacheOperand = {cache.get(), Element::BF16};
  if (fp8Cache)
    cacheOperand = {cache.get(), Element::Code, fp8, kvScale};
  return {.heads = heads,
          .latent = latent,
          .rope = width - latent,
          .pageSize = pageSize,
          .smScale = smScale,
          .batch = static_cast<int32_t>(kvLastPageLen.size()),
          .qoIndptr = qoIndptr.data(),
          .kvIndptr = kvIndptr.data(),
          .kvLastPageLen = kvLastPageLen.data(),
          .kvIndices = kvIndices.data(),
          .q = {q.data(), Element::BF16},
          .cache = cacheOperand};
}

mla_shape Workload::shape() const {
  return {.batch = static_cast<int32_t>(kvLastPageLen.size()),
          .total_q = totalQ(),
          .heads = heads,
          .page_size = pageSize,
          .qo_indptr = qoIndptr.data(),
          .kv_indptr = kvIndptr.data(),
          .kv_last_page_len = kvLastPageLen.data(),
          .kv_indices = kvIndices.data(),
          .num_indices = static_cast<int64_t>(kvIndices.size()),
          .num_pages = pages};
}
