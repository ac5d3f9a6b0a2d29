//===- Schedule.h - Which workgroup does which rows -------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attention works on blocks: one query token with one group of heads. A block
// reads all rows of its sequence, in tiles. The tiles of all blocks in a row
// are cut into equal contiguous shares, one a workgroup; a share may begin and
// end inside a block. A block held by one share is written out directly, the
// others leave partial results for a combine step.
//
// Plain C++ without MLIR or LLVM; the compiler, the runtime and Python make
// their tables with this one function. Thread-safe: nothing is shared.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_SCHEDULE_SCHEDULE_H
#define MLA_SCHEDULE_SCHEDULE_H

#include "mla/Targets/Chips.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mla::schedule {

/// The lengths of a batch. `qoIndptr` and `kvIndptr` have batch + 1 entries,
/// begin at 0 and do not decrease; kvIndptr counts pages. `kvLastPageLen` has
/// batch entries: the rows used in the last page, 1 to pageSize, or 0 for a
/// sequence without pages.
struct Lengths {
  std::vector<int32_t> qoIndptr;
  std::vector<int32_t> kvIndptr;
  std::vector<int32_t> kvLastPageLen;
  int32_t pageSize = 1;

  bool operator==(const Lengths &) const = default;

  int32_t batch() const { return static_cast<int32_t>(kvLastPageLen.size()); }
  /// Rows of q and out.
  int32_t totalQ() const { return qoIndptr.empty() ? 0 : qoIndptr.back(); }
  /// Entries of kv_indices that are read.
  int32_t totalPages() const { return kvIndptr.empty() ? 0 : kvIndptr.back(); }
  /// Rows of a sequence; needs consistent lengths.
  int64_t rows(int32_t sequence) const {
    int64_t pages = int64_t{kvIndptr[sequence + 1]} - kvIndptr[sequence];
    return pages ? (pages - 1) * pageSize + kvLastPageLen[sequence] : 0;
  }
};

/// What fewer, larger shares save and cost, counted in cache rows that one
/// workgroup streams in the time. All 0: as many shares as there are
/// workgroups.
struct Rates {
  /// Fetching one partial result while combining.
  int32_t partialRows = 0;
  /// From the first request to its data; paid once more by who combines.
  int32_t latencyRows = 0;
  /// Workgroups that together take all that memory gives.
  int32_t saturatingWorkgroups = 0;

  bool operator==(const Rates &) const = default;
};

/// The rates of a chip for cache rows of so many bytes. `bytesInFlight` is what
/// a workgroup has under way at once, `partialBytes` what one partial takes.
Rates ratesOf(const targets::Chip &chip, int64_t rowBytes,
              int64_t bytesInFlight, int64_t partialBytes);

struct Config {
  int32_t heads = 0;
  int32_t headsPerBlock = 16;
  /// Workgroups that are resident at once; no more shares than this are made.
  int32_t workgroups = 0;
  int32_t tileRows = 0;
  Rates rates = {};

  bool operator==(const Config &) const = default;
};

/// One share's part of one block, read by the kernel as it is.
struct WorkItem {
  int32_t queryRow;  ///< Row of q and out.
  int32_t headBegin; ///< First head of the group.
  int32_t pageBegin; ///< kvIndptr of the sequence.
  /// Rows of the sequence, half open; rowBegin is a multiple of tileRows. Both
  /// are 0 for a block without rows: its output is 0, its lse -infinity.
  int32_t rowBegin, rowEnd;
  /// Slot in the partial results; -1 when this item holds its whole block and
  /// writes out directly.
  int32_t partial;
  /// The entry of combineItems that the slot belongs to, or -1.
  int32_t combineItem;
  int32_t reserved;

  bool operator==(const WorkItem &) const = default;
};
static_assert(sizeof(WorkItem) == 32);

/// A block whose result is put together from partials, in slot order.
struct CombineItem {
  int32_t queryRow;
  int32_t headBegin;
  int32_t partialBegin;
  int32_t partialCount;

  bool operator==(const CombineItem &) const = default;
};
static_assert(sizeof(CombineItem) == 16);

struct Tables {
  /// Share i works on workItems[workIndptr[i] .. workIndptr[i + 1]).
  std::vector<int32_t> workIndptr = {0};
  std::vector<WorkItem> workItems;
  std::vector<CombineItem> combineItems;
  int32_t partials = 0; ///< Slots in use.

  bool operator==(const Tables &) const = default;

  /// Shares made: min(config.workgroups, tiles), where a block without rows
  /// counts as one tile, or fewer if that takes less time by config.rates.
  int32_t workgroups() const {
    return static_cast<int32_t>(workIndptr.size()) - 1;
  }
};

/// Checks everything that the lengths and the configuration must satisfy.
/// Returns false and a sentence in `error` when they do not.
bool validate(const Lengths &lengths, const Config &config, std::string &error);

/// The tables for these lengths, or nothing and a sentence in `error`.
std::optional<Tables> makeTables(const Lengths &lengths, const Config &config,
                                 std::string &error);

/// Tables with what they were made for, as a blob of little-endian int32
/// values that a bundle can hold.
struct StoredTables {
  Lengths lengths;
  Config config;
  Tables tables;
};

std::vector<uint8_t> serialise(const StoredTables &stored);

/// Reads what serialise wrote. Tables that would make a kernel read or write
/// outside of its arrays are refused like damaged ones: nothing is returned,
/// and `error` says why.
std::optional<StoredTables> deserialise(const uint8_t *bytes, size_t size,
                                        std::string &error);

} // namespace mla::schedule

#endif // MLA_SCHEDULE_SCHEDULE_H
