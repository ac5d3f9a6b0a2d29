//===- Schedule.cpp - Which workgroup does which rows ---------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Schedule/Schedule.h"

#include <algorithm>
#include <limits>

using namespace mla::schedule;

static constexpr int64_t kInt32Max = std::numeric_limits<int32_t>::max();

static int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

static bool fail(std::string &error, std::string sentence) {
  error = std::move(sentence);
  return false;
}

static std::string at(const char *array, size_t index) {
  return std::string(array) + "[" + std::to_string(index) + "]";
}

static bool validateIndptr(const char *name, const std::vector<int32_t> &indptr,
                           size_t batch, std::string &error) {
  if (indptr.size() != batch + 1)
    return fail(error, std::string(name) + " has " +
                           std::to_string(indptr.size()) +
                           " entries, but a batch of " + std::to_string(batch) +
                           " (the entries of kv_last_page_len) needs " +
                           std::to_string(batch + 1));
  if (indptr[0] != 0)
    return fail(error, at(name, 0) + " is " + std::to_string(indptr[0]) +
                           "; it must be 0");
  for (size_t i = 0; i < batch; ++i)
    if (indptr[i + 1] < indptr[i])
      return fail(error, std::string(name) + " decreases from " +
                             std::to_string(indptr[i]) + " to " +
                             std::to_string(indptr[i + 1]) + " at entry " +
                             std::to_string(i + 1) + "; it must not decrease");
  return true;
}

bool mla::schedule::validate(const Lengths &lengths, const Config &config,
                             std::string &error) {
  struct {
    const char *name;
    int32_t value;
  } positive[] = {{"heads", config.heads},
                  {"heads per block", config.headsPerBlock},
                  {"workgroups", config.workgroups},
                  {"tile rows", config.tileRows},
                  {"page size", lengths.pageSize}};
  for (auto [name, value] : positive)
    if (value < 1)
      return fail(error, std::string(name) + " is " + std::to_string(value) +
                             "; it must be at least 1");
  const Rates &rates = config.rates;
  if (rates.partialRows < 0 || rates.latencyRows < 0 ||
      rates.saturatingWorkgroups < 0)
    return fail(error, "the rates must not be negative");
  size_t batch = lengths.kvLastPageLen.size();
  if (batch > static_cast<size_t>(kInt32Max) - 1)
    return fail(error, "kv_last_page_len has " + std::to_string(batch) +
                           " entries; at most 2147483646 are allowed");
  if (!validateIndptr("qo_indptr", lengths.qoIndptr, batch, error) ||
      !validateIndptr("kv_indptr", lengths.kvIndptr, batch, error))
    return false;

  int64_t groups = ceilDiv(config.heads, config.headsPerBlock);
  int64_t blocks = lengths.totalQ() * groups;
  if (blocks > kInt32Max)
    return fail(error, std::to_string(lengths.totalQ()) + " query rows with " +
                           std::to_string(groups) + " head groups each make " +
                           std::to_string(blocks) +
                           " blocks; at most 2147483647 are allowed");
  // A block adds at most one item beyond those that the cuts between shares
  // make; the same bound holds for the slots.
  if (blocks + config.workgroups > kInt32Max)
    return fail(error, std::to_string(blocks) + " blocks on " +
                           std::to_string(config.workgroups) +
                           " workgroups may need more than 2147483647 work "
                           "items");

  for (size_t i = 0; i < batch; ++i) {
    int32_t last = lengths.kvLastPageLen[i];
    if (lengths.kvIndptr[i] == lengths.kvIndptr[i + 1]) {
      if (last != 0)
        return fail(error, at("kv_last_page_len", i) + " is " +
                               std::to_string(last) +
                               ", but the sequence has no pages; it must be 0");
    } else if (last < 1 || last > lengths.pageSize) {
      return fail(error,
                  at("kv_last_page_len", i) + " is " + std::to_string(last) +
                      "; with page size " + std::to_string(lengths.pageSize) +
                      " it must be 1 to " + std::to_string(lengths.pageSize));
    }
    // Kernels round the end of the last tile up.
    int64_t rows = lengths.rows(static_cast<int32_t>(i));
    if (rows > kInt32Max - config.tileRows)
      return fail(error, "sequence " + std::to_string(i) + " has " +
                             std::to_string(rows) + " rows; at most " +
                             std::to_string(kInt32Max - config.tileRows) +
                             " are allowed");
  }
  return true;
}

namespace {
/// Walks the blocks in order and deals their tiles out to the shares.
class Dealer {
public:
  Dealer(const Lengths &lengths, const Config &config)
      : lengths(lengths), config(config),
        groups(ceilDiv(config.heads, config.headsPerBlock)) {}

  Tables deal() {
    int64_t tiles = 0;
    for (int32_t i = 0; i < lengths.batch(); ++i) {
      int64_t queries = lengths.qoIndptr[i + 1] - lengths.qoIndptr[i];
      tiles += queries * groups * tilesOf(i);
    }
    total = tiles;
    shares = chooseShares();
    for (int32_t i = 0; i < lengths.batch(); ++i)
      for (int32_t q = lengths.qoIndptr[i]; q < lengths.qoIndptr[i + 1]; ++q)
        for (int64_t g = 0; g < groups; ++g)
          dealBlock(i, q, static_cast<int32_t>(g * config.headsPerBlock));
    if (shares)
      tables.workIndptr.push_back(
          static_cast<int32_t>(tables.workItems.size()));
    return std::move(tables);
  }

private:
  /// A block without rows has its output to write, which is dealt out as one
  /// tile.
  int64_t tilesOf(int32_t sequence) const {
    return std::max<int64_t>(1,
                             ceilDiv(lengths.rows(sequence), config.tileRows));
  }

  /// As many shares as there may be, or fewer: parts of a block have to be
  /// fetched and summed one after the other.
  int64_t chooseShares() const {
    int64_t most = std::min<int64_t>(config.workgroups, total);
    if (config.rates == Rates() || most < 2)
      return most;
    int64_t best = most;
    double bestTime = timeOf(most);
    for (int64_t count : candidates(most))
      if (double time = timeOf(count); time < bestTime) {
        best = count;
        bestTime = time;
      }
    return best;
  }

  /// Numbers of shares below `most` worth a look, falling: some at even
  /// distances, and those that give each block a whole number of shares.
  std::vector<int64_t> candidates(int64_t most) const {
    std::vector<int64_t> counts;
    for (int64_t count = most - 1; count >= 1; count -= ceilDiv(count, 16))
      counts.push_back(count);
    int64_t blocks = lengths.totalQ() * groups;
    for (int64_t parts = most / blocks; parts >= 1; --parts)
      counts.push_back(parts * blocks);
    std::sort(counts.rbegin(), counts.rend());
    return counts;
  }

  /// Time of `count` shares in rows: the largest share, slower while memory is
  /// shared by many, then the most parts that one block has.
  double timeOf(int64_t count) const {
    const Rates &rates = config.rates;
    double rows = double(ceilDiv(total, count)) * config.tileRows;
    double crowding =
        std::max(1.0, double(count) / std::max(1, rates.saturatingWorkgroups));
    double time = rates.latencyRows + rows * crowding;
    int64_t parts = mostParts(count);
    if (parts > 1)
      time += rates.latencyRows + double(parts) * rates.partialRows;
    return time;
  }

  int64_t mostParts(int64_t count) const {
    auto shareOf = [&](int64_t tile) {
      return static_cast<int64_t>((static_cast<__int128>(tile) + 1) * count -
                                  1) /
             total;
    };
    int64_t most = 1, tile = 0;
    for (int32_t i = 0; i < lengths.batch(); ++i) {
      int64_t blocks = (lengths.qoIndptr[i + 1] - lengths.qoIndptr[i]) * groups;
      int64_t tiles = tilesOf(i);
      for (int64_t block = 0; block < blocks; ++block, tile += tiles)
        most = std::max(most, shareOf(tile + tiles - 1) - shareOf(tile) + 1);
    }
    return most;
  }

  /// First tile of a share. The product may pass 64 bits.
  int64_t shareBegin(int64_t i) const {
    return static_cast<int64_t>(static_cast<__int128>(i) * total / shares);
  }

  void dealBlock(int32_t sequence, int32_t queryRow, int32_t headBegin) {
    int32_t rows = static_cast<int32_t>(lengths.rows(sequence));
    int64_t blockBegin = position, blockEnd = position + tilesOf(sequence);
    int32_t firstPartial = tables.partials;
    bool whole = blockEnd <= (position == shareEnd ? nextShareEnd() : shareEnd);
    while (position < blockEnd) {
      if (position == shareEnd)
        openShare();
      int64_t end = std::min(blockEnd, shareEnd);
      WorkItem item = {};
      item.queryRow = queryRow;
      item.headBegin = headBegin;
      item.pageBegin = lengths.kvIndptr[sequence];
      item.rowBegin =
          static_cast<int32_t>((position - blockBegin) * config.tileRows);
      item.rowEnd = static_cast<int32_t>(
          std::min<int64_t>(rows, (end - blockBegin) * config.tileRows));
      item.partial = whole ? -1 : tables.partials++;
      item.combineItem =
          whole ? -1 : static_cast<int32_t>(tables.combineItems.size());
      tables.workItems.push_back(item);
      position = end;
    }
    if (!whole)
      tables.combineItems.push_back(
          {queryRow, headBegin, firstPartial, tables.partials - firstPartial});
  }

  int64_t nextShareEnd() const { return shareBegin(opened + 1); }

  void openShare() {
    // workIndptr begins with the 0 of the first share.
    if (opened)
      tables.workIndptr.push_back(
          static_cast<int32_t>(tables.workItems.size()));
    shareEnd = nextShareEnd();
    ++opened;
  }

  const Lengths &lengths;
  const Config &config;
  const int64_t groups;
  int64_t total = 0, shares = 0;
  /// The next tile to deal, and how far the open share reaches.
  int64_t position = 0, shareEnd = 0, opened = 0;
  Tables tables;
};
} // namespace

Rates mla::schedule::ratesOf(const targets::Chip &chip, int64_t rowBytes,
                             int64_t bytesInFlight, int64_t partialBytes) {
  double fromL2 = chip.l2BytesPerCycle * chip.clockHz;
  double stream =
      std::min(fromL2, double(bytesInFlight) / chip.memoryLatencySeconds);
  double rowsPerSecond = stream / double(rowBytes);
  auto rows = [&](double seconds) {
    return static_cast<int32_t>(seconds * rowsPerSecond + 0.5);
  };
  return {.partialRows = rows(double(partialBytes) / fromL2),
          .latencyRows = rows(chip.memoryLatencySeconds),
          .saturatingWorkgroups =
              static_cast<int32_t>(chip.memoryBytesPerSecond / stream + 0.5)};
}

std::optional<Tables> mla::schedule::makeTables(const Lengths &lengths,
                                                const Config &config,
                                                std::string &error) {
  if (!validate(lengths, config, error))
    return std::nullopt;
  return Dealer(lengths, config).deal();
}
