//===- Store.cpp - Schedule tables as bytes -------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Schedule/Schedule.h"

#include <algorithm>
#include <bit>
#include <cstring>

using namespace mla::schedule;

// Device and host share these bytes; every host of an AMD GPU agrees.
static_assert(std::endian::native == std::endian::little);

namespace {
/// "MLAT", little endian.
constexpr int32_t kMagic = 0x54414c4d;
constexpr int32_t kVersion = 2;

struct Header {
  int32_t magic, version;
  int32_t batch, pageSize;
  int32_t heads, headsPerBlock, workgroups, tileRows;
  int32_t partialRows, latencyRows, saturatingWorkgroups;
  int32_t shares, workItems, combineItems, partials;
};

class Writer {
public:
  template <typename T> void array(const T *values, size_t count) {
    const auto *first = reinterpret_cast<const uint8_t *>(values);
    bytes.insert(bytes.end(), first, first + count * sizeof(T));
  }
  std::vector<uint8_t> bytes;
};

/// Sizes have been checked against the blob before this runs.
class Reader {
public:
  explicit Reader(const uint8_t *bytes) : next(bytes) {}
  template <typename T> std::vector<T> array(size_t count) {
    std::vector<T> values(count);
    if (count)
      std::memcpy(values.data(), next, count * sizeof(T));
    next += count * sizeof(T);
    return values;
  }

private:
  const uint8_t *next;
};
} // namespace

std::vector<uint8_t> mla::schedule::serialise(const StoredTables &stored) {
  const auto &[lengths, config, tables] = stored;
  Header header = {kMagic,
                   kVersion,
                   lengths.batch(),
                   lengths.pageSize,
                   config.heads,
                   config.headsPerBlock,
                   config.workgroups,
                   config.tileRows,
                   config.rates.partialRows,
                   config.rates.latencyRows,
                   config.rates.saturatingWorkgroups,
                   tables.workgroups(),
                   static_cast<int32_t>(tables.workItems.size()),
                   static_cast<int32_t>(tables.combineItems.size()),
                   tables.partials};
  Writer writer;
  writer.array(&header, 1);
  writer.array(lengths.qoIndptr.data(), lengths.qoIndptr.size());
  writer.array(lengths.kvIndptr.data(), lengths.kvIndptr.size());
  writer.array(lengths.kvLastPageLen.data(), lengths.kvLastPageLen.size());
  writer.array(tables.workIndptr.data(), tables.workIndptr.size());
  writer.array(tables.workItems.data(), tables.workItems.size());
  writer.array(tables.combineItems.data(), tables.combineItems.size());
  return std::move(writer.bytes);
}

/// The sentence for the first entry that would lead a kernel astray, or empty.
static std::string findFault(const StoredTables &stored) {
  const auto &[lengths, config, tables] = stored;
  auto fault = [](const char *table, size_t entry, const char *what) {
    return "stored schedule: entry " + std::to_string(entry) + " of " + table +
           " " + what;
  };
  const std::vector<int32_t> &indptr = tables.workIndptr;
  if (indptr.front() != 0 ||
      indptr.back() != static_cast<int32_t>(tables.workItems.size()) ||
      !std::is_sorted(indptr.begin(), indptr.end()))
    return "stored schedule: work_indptr does not rise from 0 to the number of "
           "work items";
  auto isBlock = [&](int32_t queryRow, int32_t headBegin) {
    return queryRow >= 0 && queryRow < lengths.totalQ() && headBegin >= 0 &&
           headBegin < config.heads && headBegin % config.headsPerBlock == 0;
  };
  for (size_t i = 0; i < tables.workItems.size(); ++i) {
    const WorkItem &item = tables.workItems[i];
    if (!isBlock(item.queryRow, item.headBegin))
      return fault("work_items", i, "names no block");
    auto next = std::upper_bound(lengths.qoIndptr.begin(),
                                 lengths.qoIndptr.end(), item.queryRow);
    auto sequence = static_cast<int32_t>(next - lengths.qoIndptr.begin()) - 1;
    if (item.pageBegin != lengths.kvIndptr[sequence] || item.rowBegin < 0 ||
        item.rowBegin % config.tileRows != 0 || item.rowBegin > item.rowEnd ||
        item.rowEnd > lengths.rows(sequence))
      return fault("work_items", i, "is outside of its sequence");
    if (item.rowBegin == item.rowEnd && lengths.rows(sequence) != 0)
      return fault("work_items", i, "has no rows of a sequence that has some");
    if (item.partial < -1 || item.partial >= tables.partials)
      return fault("work_items", i, "names no partial slot");
    auto combines = static_cast<int32_t>(tables.combineItems.size());
    if ((item.partial == -1) != (item.combineItem == -1) ||
        item.combineItem < -1 || item.combineItem >= combines)
      return fault("work_items", i, "names no block to combine");
    if (item.partial == -1)
      continue;
    const CombineItem &combine = tables.combineItems[item.combineItem];
    if (combine.queryRow != item.queryRow ||
        combine.headBegin != item.headBegin ||
        item.partial < combine.partialBegin ||
        item.partial - combine.partialBegin >= combine.partialCount)
      return fault("work_items", i, "names another block to combine");
  }
  for (size_t i = 0; i < tables.combineItems.size(); ++i) {
    const CombineItem &item = tables.combineItems[i];
    if (!isBlock(item.queryRow, item.headBegin))
      return fault("combine_items", i, "names no block");
    if (item.partialBegin < 0 || item.partialCount < 1 ||
        int64_t{item.partialBegin} + item.partialCount > tables.partials)
      return fault("combine_items", i, "names no partial slots");
  }
  return {};
}

std::optional<StoredTables> mla::schedule::deserialise(const uint8_t *bytes,
                                                       size_t size,
                                                       std::string &error) {
  Header header;
  if (size < sizeof(header)) {
    error = "stored schedule: " + std::to_string(size) +
            " bytes are too few for its header of " +
            std::to_string(sizeof(header));
    return std::nullopt;
  }
  std::memcpy(&header, bytes, sizeof(header));
  if (header.magic != kMagic || header.version != kVersion) {
    error = "stored schedule: not one of version " + std::to_string(kVersion);
    return std::nullopt;
  }
  if (header.batch < 0 || header.shares < 0 || header.workItems < 0 ||
      header.combineItems < 0 || header.partials < 0 ||
      header.shares > header.workgroups) {
    error = "stored schedule: its header holds impossible counts";
    return std::nullopt;
  }
  uint64_t expected = sizeof(header) +
                      sizeof(int32_t) * (3 * uint64_t(header.batch) + 2) +
                      sizeof(int32_t) * (uint64_t(header.shares) + 1) +
                      sizeof(WorkItem) * uint64_t(header.workItems) +
                      sizeof(CombineItem) * uint64_t(header.combineItems);
  if (size != expected) {
    error = "stored schedule: its header promises " + std::to_string(expected) +
            " bytes, but there are " + std::to_string(size);
    return std::nullopt;
  }

  Reader reader(bytes + sizeof(header));
  StoredTables stored;
  Lengths &lengths = stored.lengths;
  lengths.pageSize = header.pageSize;
  lengths.qoIndptr = reader.array<int32_t>(size_t(header.batch) + 1);
  lengths.kvIndptr = reader.array<int32_t>(size_t(header.batch) + 1);
  lengths.kvLastPageLen = reader.array<int32_t>(header.batch);
  stored.config = {
      header.heads,
      header.headsPerBlock,
      header.workgroups,
      header.tileRows,
      {header.partialRows, header.latencyRows, header.saturatingWorkgroups}};
  Tables &tables = stored.tables;
  tables.workIndptr = reader.array<int32_t>(size_t(header.shares) + 1);
  tables.workItems = reader.array<WorkItem>(header.workItems);
  tables.combineItems = reader.array<CombineItem>(header.combineItems);
  tables.partials = header.partials;

  if (!validate(lengths, stored.config, error)) {
    error = "stored schedule: " + error;
    return std::nullopt;
  }
  if (std::string fault = findFault(stored); !fault.empty()) {
    error = std::move(fault);
    return std::nullopt;
  }
  return stored;
}
