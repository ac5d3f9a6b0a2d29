//===- ReferenceTest.cpp - MLA decode in float64 --------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Numerics/Reference.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <vector>

using namespace mla::numerics;

namespace {
/// Two query rows, mixed lengths, pages of four in mixed order, 20 heads (a
/// full and a short group). Written out in the plainest way there is.
class ReferenceTest : public ::testing::Test {
protected:
  static constexpr int heads = 20, latent = 24, rope = 8, width = 32;
  std::vector<int32_t> qoIndptr = {0, 2, 3, 4, 5};
  std::vector<int32_t> kvIndptr = {0, 3, 3, 4, 25};
  std::vector<int32_t> kvLastPageLen = {2, 0, 4, 1};
  std::vector<int32_t> kvIndices;
  std::vector<double> q, cache;

  void SetUp() override {
    std::mt19937 random(7);
    std::normal_distribution<double> normal;
    for (int page = 0; page < 25; ++page)
      kvIndices.push_back((page * 7 + 3) % 25);
    q.resize(5 * heads * width);
    cache.resize(25 * 4 * width);
    for (double &value : q)
      value = normal(random);
    for (double &value : cache)
      value = normal(random);
  }

  AttentionInputs inputs() const {
    return {.heads = heads,
            .latent = latent,
            .rope = rope,
            .pageSize = 4,
            .smScale = 0.3,
            .batch = 4,
            .qoIndptr = qoIndptr.data(),
            .kvIndptr = kvIndptr.data(),
            .kvLastPageLen = kvLastPageLen.data(),
            .kvIndices = kvIndices.data(),
            .q = {q.data(), Element::F64},
            .cache = {cache.data(), Element::F64}};
  }

  /// The rows of a sequence's cache, in order.
  std::vector<const double *> rowsOf(int sequence) const {
    std::vector<const double *> rows;
    for (int i = kvIndptr[sequence]; i < kvIndptr[sequence + 1]; ++i) {
      bool last = i + 1 == kvIndptr[sequence + 1];
      for (int r = 0; r < (last ? kvLastPageLen[sequence] : 4); ++r)
        rows.push_back(&cache[(kvIndices[i] * 4 + r) * width]);
    }
    return rows;
  }
};
} // namespace

TEST_F(ReferenceTest, IsSoftmaxAttention) {
  std::vector<double> out(5 * heads * latent, NAN), lse(5 * heads, NAN);
  attend(inputs(), {}, 2, out.data(), lse.data());
  for (int sequence = 0; sequence < 4; ++sequence) {
    std::vector<const double *> rows = rowsOf(sequence);
    for (int row = qoIndptr[sequence]; row < qoIndptr[sequence + 1]; ++row)
      for (int h = 0; h < heads; ++h) {
        std::vector<double> expected(latent, 0);
        double sum = 0;
        for (const double *k : rows) {
          double score = 0;
          for (int d = 0; d < width; ++d)
            score += q[(row * heads + h) * width + d] * k[d];
          double weight = std::exp(0.3 * score);
          sum += weight;
          for (int c = 0; c < latent; ++c)
            expected[c] += weight * k[c];
        }
        if (rows.empty()) {
          EXPECT_EQ(lse[row * heads + h], -INFINITY);
        } else {
          EXPECT_NEAR(lse[row * heads + h], std::log(sum), 1e-12);
        }
        for (int c = 0; c < latent; ++c)
          ASSERT_NEAR(out[(row * heads + h) * latent + c],
                      rows.empty() ? 0 : expected[c] / sum, 1e-12);
      }
  }
}

TEST_F(ReferenceTest, DoesNotOverflowWithLargeScores) {
  for (double &value : q)
    value *= 1000;
  std::vector<double> out(5 * heads * latent), lse(5 * heads);
  attend(inputs(), {}, 1, out.data(), lse.data());
  for (double value : out)
    ASSERT_TRUE(std::isfinite(value));
}

TEST_F(ReferenceTest, TouchesOnlyTheSequencesAskedFor) {
  std::vector<double> all(5 * heads * latent), out(5 * heads * latent, -1);
  std::vector<double> lse(5 * heads, -1);
  attend(inputs(), {}, 1, all.data(), lse.data());
  std::vector<int32_t> some = {2};
  attend(inputs(), some, 1, out.data(), lse.data());
  for (int row = 0; row < 5; ++row)
    for (int i = 0; i < heads * latent; ++i)
      ASSERT_EQ(out[row * heads * latent + i],
                row == qoIndptr[2] ? all[row * heads * latent + i] : -1);
}

TEST_F(ReferenceTest, ReadsCodesAndScales) {
  std::vector<uint8_t> codes(cache.size());
  std::vector<uint16_t> halves(q.size());
  std::vector<double> decodedCache(cache.size()), decodedQ(q.size());
  for (size_t i = 0; i < cache.size(); ++i) {
    codes[i] = encode(Format::E4M3FNUZ, cache[i], Overflow::Saturate);
    decodedCache[i] = decode(Format::E4M3FNUZ, codes[i]) * 0.25;
  }
  for (size_t i = 0; i < q.size(); ++i) {
    halves[i] = encodeBf16(q[i]);
    decodedQ[i] = decodeBf16(halves[i]);
  }
  AttentionInputs coded = inputs(), plain = inputs();
  coded.q = {halves.data(), Element::BF16};
  coded.cache = {codes.data(), Element::Code, Format::E4M3FNUZ, 0.25};
  plain.q.data = decodedQ.data();
  plain.cache.data = decodedCache.data();
  std::vector<double> a(5 * heads * latent), b(5 * heads * latent),
      lse(5 * heads);
  attend(coded, {}, 1, a.data(), lse.data());
  attend(plain, {}, 1, b.data(), lse.data());
  EXPECT_EQ(a, b);
}
