//===- ScheduleTest.cpp - Which workgroup does which rows -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Schedule/Schedule.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <random>

using namespace mla::schedule;

static Lengths lengthsOf(const std::vector<int32_t> &rows, int32_t pageSize = 1,
                         int32_t queryLength = 1) {
  Lengths lengths;
  lengths.pageSize = pageSize;
  lengths.qoIndptr = lengths.kvIndptr = {0};
  for (int32_t count : rows) {
    int32_t pages = (count + pageSize - 1) / pageSize;
    lengths.qoIndptr.push_back(lengths.qoIndptr.back() + queryLength);
    lengths.kvIndptr.push_back(lengths.kvIndptr.back() + pages);
    lengths.kvLastPageLen.push_back(pages ? count - (pages - 1) * pageSize : 0);
  }
  return lengths;
}

static Tables make(const Lengths &lengths, const Config &config) {
  std::string error;
  std::optional<Tables> tables = makeTables(lengths, config, error);
  EXPECT_TRUE(tables) << error;
  return tables.value_or(Tables());
}

/// Checks every promise that Schedule.h makes.
static void expectSound(const Lengths &lengths, const Config &config,
                        const Tables &tables) {
  using Block = std::pair<int32_t, int32_t>;
  auto tilesIn = [&](int64_t rows) {
    return std::max<int64_t>(1, (rows + config.tileRows - 1) / config.tileRows);
  };
  std::map<Block, int64_t> rowsOf, pageOf;
  int64_t totalTiles = 0;
  for (int32_t s = 0; s < lengths.batch(); ++s)
    for (int32_t q = lengths.qoIndptr[s]; q < lengths.qoIndptr[s + 1]; ++q)
      for (int32_t h = 0; h < config.heads; h += config.headsPerBlock) {
        rowsOf[{q, h}] = lengths.rows(s);
        pageOf[{q, h}] = lengths.kvIndptr[s];
        totalTiles += tilesIn(lengths.rows(s));
      }

  int64_t mostShares = std::min<int64_t>(config.workgroups, totalTiles);
  if (config.rates == Rates())
    ASSERT_EQ(tables.workgroups(), mostShares);
  ASSERT_LE(tables.workgroups(), mostShares);
  ASSERT_EQ(tables.workgroups() == 0, mostShares == 0);
  ASSERT_EQ(tables.workIndptr.front(), 0);
  ASSERT_EQ(tables.workIndptr.back(),
            static_cast<int32_t>(tables.workItems.size()));

  // Balance: no share is larger than the mean + 1 tile, or empty.
  for (int32_t w = 0; w < tables.workgroups(); ++w) {
    int64_t tiles = 0;
    for (int32_t i = tables.workIndptr[w]; i < tables.workIndptr[w + 1]; ++i)
      tiles +=
          tilesIn(tables.workItems[i].rowEnd - tables.workItems[i].rowBegin);
    ASSERT_GE(tiles, 1);
    ASSERT_LE(tiles * tables.workgroups(), totalTiles + tables.workgroups());
  }

  // Coverage: the items of a block follow each other from row 0 to its last.
  std::map<Block, int64_t> covered, emptyItems;
  std::map<Block, std::vector<int32_t>> slots;
  for (const WorkItem &item : tables.workItems) {
    Block block = {item.queryRow, item.headBegin};
    ASSERT_TRUE(rowsOf.count(block));
    ASSERT_EQ(item.pageBegin, pageOf[block]);
    ASSERT_EQ(item.rowBegin, covered[block]);
    ASSERT_EQ(item.rowBegin % config.tileRows, 0);
    if (rowsOf[block] == 0) {
      ASSERT_EQ(item.rowEnd, 0);
      ASSERT_EQ(++emptyItems[block], 1);
    } else {
      ASSERT_GT(item.rowEnd, item.rowBegin);
    }
    ASSERT_EQ(item.reserved, 0);
    covered[block] = item.rowEnd;
    bool whole = item.rowBegin == 0 && item.rowEnd == rowsOf[block];
    ASSERT_EQ(item.partial == -1, whole);
    ASSERT_EQ(item.combineItem == -1, whole);
    if (whole)
      continue;
    slots[block].push_back(item.partial);
    const CombineItem &combine = tables.combineItems.at(item.combineItem);
    ASSERT_EQ(Block(combine.queryRow, combine.headBegin), block);
  }
  ASSERT_EQ(covered, rowsOf);

  // Combining: exactly the blocks with slots, in block order; slots are
  // contiguous, in row order, and each is used once.
  auto item = tables.combineItems.begin();
  int32_t nextSlot = 0;
  for (auto [block, rows] : rowsOf) {
    if (!slots.count(block))
      continue;
    ASSERT_NE(item, tables.combineItems.end());
    ASSERT_EQ(Block(item->queryRow, item->headBegin), block);
    ASSERT_EQ(item->partialCount, static_cast<int32_t>(slots[block].size()));
    ASSERT_EQ(item->partialBegin, nextSlot);
    for (int32_t slot : slots[block])
      ASSERT_EQ(slot, nextSlot++);
    ++item;
  }
  ASSERT_EQ(item, tables.combineItems.end());
  ASSERT_EQ(nextSlot, tables.partials);
}

TEST(Schedule, IsSoundForRandomLengths) {
  std::mt19937 random(1);
  auto upTo = [&](int32_t limit) {
    return static_cast<int32_t>(random() % (limit + 1));
  };
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<int32_t> rows(upTo(12));
    int32_t longest = 1 << upTo(12);
    for (int32_t &count : rows)
      count = upTo(3) ? upTo(longest) : 0;
    Lengths lengths = lengthsOf(rows, 1 << upTo(6), 0);
    for (size_t i = 1; i < lengths.qoIndptr.size(); ++i)
      lengths.qoIndptr[i] = lengths.qoIndptr[i - 1] + upTo(3);
    Config config = {.heads = 1 + upTo(40),
                     .headsPerBlock = 16,
                     .workgroups = 1 + upTo(upTo(1) ? 8 : 320),
                     .tileRows = 16 << upTo(3)};
    SCOPED_TRACE("trial " + std::to_string(trial));
    expectSound(lengths, config, make(lengths, config));
    if (HasFatalFailure())
      return;
  }
}

TEST(Schedule, OneWorkgroupWritesEverythingDirectly) {
  Lengths lengths = lengthsOf({100, 0, 5, 64});
  Config config = {.heads = 16, .workgroups = 1, .tileRows = 32};
  Tables tables = make(lengths, config);
  expectSound(lengths, config, tables);
  EXPECT_EQ(tables.workgroups(), 1);
  EXPECT_EQ(tables.workItems.size(), 4u);
  EXPECT_EQ(tables.partials, 0);
  EXPECT_TRUE(tables.combineItems.empty());
}

TEST(Schedule, ASharePassesFromOneBlockToTheNext) {
  // 3 + 3 tiles on two workgroups: each holds one block. On four, shares of 1,
  // 2, 1, 2 tiles. On three, of 2 tiles: the middle one crosses.
  Lengths lengths = lengthsOf({96, 80});
  Config config = {.heads = 16, .workgroups = 3, .tileRows = 32};
  Tables tables = make(lengths, config);
  EXPECT_EQ(tables.workIndptr, std::vector<int32_t>({0, 1, 3, 4}));
  EXPECT_EQ(tables.workItems,
            std::vector<WorkItem>({{0, 0, 0, 0, 64, 0, 0, 0},
                                   {0, 0, 0, 64, 96, 1, 0, 0},
                                   {1, 0, 96, 0, 32, 2, 1, 0},
                                   {1, 0, 96, 32, 80, 3, 1, 0}}));
  EXPECT_EQ(tables.combineItems,
            std::vector<CombineItem>({{0, 0, 0, 2}, {1, 0, 2, 2}}));
  EXPECT_EQ(tables.partials, 4);

  config.workgroups = 2;
  EXPECT_EQ(make(lengths, config).partials, 0);
  EXPECT_TRUE(make(lengths, config).combineItems.empty());
}

TEST(Schedule, BlocksOfNoRowsAreItemsOfNoRows) {
  Config config = {.heads = 32, .workgroups = 3, .tileRows = 32};
  Tables tables = make(lengthsOf({0, 0}), config);
  EXPECT_EQ(tables.workIndptr, std::vector<int32_t>({0, 1, 2, 4}));
  EXPECT_EQ(tables.workItems,
            std::vector<WorkItem>({{0, 0, 0, 0, 0, -1, -1, 0},
                                   {0, 16, 0, 0, 0, -1, -1, 0},
                                   {1, 0, 0, 0, 0, -1, -1, 0},
                                   {1, 16, 0, 0, 0, -1, -1, 0}}));
  EXPECT_TRUE(tables.combineItems.empty());
  EXPECT_EQ(make(Lengths{{0}, {0}, {}, 1}, config), Tables());
}

TEST(Schedule, HeadGroupsAndQueryTokensAreBlocksOfTheirOwn) {
  Config config = {.heads = 20, .workgroups = 1, .tileRows = 64};
  Tables tables = make(lengthsOf({64}, 64, 2), config);
  ASSERT_EQ(tables.workItems.size(), 4u);
  EXPECT_EQ(tables.workItems[1].queryRow, 0);
  EXPECT_EQ(tables.workItems[1].headBegin, 16);
  EXPECT_EQ(tables.workItems[3].queryRow, 1);
}

/// What gfx950 and a workgroup of four 32-row fp8 tiles give.
static Rates exampleRates() {
  return ratesOf(*mla::targets::findChip("gfx950"), 576, 4 * 32 * 576,
                 16 * 512 * 4);
}

TEST(Schedule, RatesFollowFromTheChip) {
  // 73,728 bytes in a microsecond are 128 rows; 8 TB/s feed 108 of those; a
  // partial of 32 KiB from L2 takes as long as 27 rows.
  EXPECT_EQ(exampleRates(), (Rates{27, 128, 109}));
}

TEST(Schedule, FewRowsGetFewShares) {
  Config config = {
      .heads = 16, .workgroups = 256, .tileRows = 32, .rates = exampleRates()};
  // 128 shares of one tile would leave 32 parts a sequence to combine one after
  // the other; 16 rows of time more to stream are cheaper.
  Lengths few = lengthsOf(std::vector<int32_t>(4, 1024));
  Tables tables = make(few, config);
  expectSound(few, config, tables);
  EXPECT_GT(tables.workgroups(), 4);
  EXPECT_LE(tables.workgroups(), 64);

  // Enough rows keep all workgroups busy.
  Lengths many = lengthsOf(std::vector<int32_t>(256, 8192));
  EXPECT_EQ(make(many, config).workgroups(), 256);
  EXPECT_EQ(make(many, config).partials, 0);
}

TEST(Schedule, ChoosesSharesSoundlyForRandomLengths) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<int32_t> rows(1 + random() % 20);
    for (int32_t &count : rows)
      count = random() % 4 ? random() % 6000 : 0;
    Lengths lengths = lengthsOf(rows);
    Config config = {.heads = 16 + static_cast<int32_t>(random() % 2) * 16,
                     .workgroups = 1 + static_cast<int32_t>(random() % 300),
                     .tileRows = 32,
                     .rates = exampleRates()};
    SCOPED_TRACE("trial " + std::to_string(trial));
    expectSound(lengths, config, make(lengths, config));
    if (HasFatalFailure())
      return;
  }
}

TEST(Schedule, HoldsTheBaseShapes) {
  for (int32_t batch : {4, 32, 64, 256})
    for (int32_t rows : {1024, 8192})
      for (int32_t workgroups : {256, 304, 512, 608}) {
        Lengths lengths = lengthsOf(std::vector<int32_t>(batch, rows));
        Config config = {.heads = 16, .workgroups = workgroups, .tileRows = 32};
        expectSound(lengths, config, make(lengths, config));
      }
}

TEST(Schedule, CountsVeryLongSequences) {
  // 64 sequences of 2^30 rows: more tiles than 32 bits hold.
  Lengths lengths = lengthsOf(std::vector<int32_t>(64, 1 << 30), 64);
  Config config = {.heads = 128, .workgroups = 304, .tileRows = 1};
  expectSound(lengths, config, make(lengths, config));
}

namespace {
struct BadInput {
  const char *what;
  void (*spoil)(Lengths &, Config &);
  const char *sentence;
};
} // namespace

TEST(Schedule, RefusesBadInputWithASentence) {
  const BadInput cases[] = {
      {"heads", [](Lengths &, Config &c) { c.heads = 0; },
       "heads is 0; it must be at least 1"},
      {"block", [](Lengths &, Config &c) { c.headsPerBlock = -1; },
       "heads per block is -1; it must be at least 1"},
      {"workgroups", [](Lengths &, Config &c) { c.workgroups = 0; },
       "workgroups is 0; it must be at least 1"},
      {"tile", [](Lengths &, Config &c) { c.tileRows = 0; },
       "tile rows is 0; it must be at least 1"},
      {"page size", [](Lengths &l, Config &) { l.pageSize = 0; },
       "page size is 0; it must be at least 1"},
      {"qo size", [](Lengths &l, Config &) { l.qoIndptr.pop_back(); },
       "qo_indptr has 3 entries, but a batch of 3 (the entries of "
       "kv_last_page_len) needs 4"},
      {"kv size", [](Lengths &l, Config &) { l.kvIndptr.push_back(9); },
       "kv_indptr has 5 entries, but a batch of 3 (the entries of "
       "kv_last_page_len) needs 4"},
      {"qo start", [](Lengths &l, Config &) { l.qoIndptr[0] = 1; },
       "qo_indptr[0] is 1; it must be 0"},
      {"kv start", [](Lengths &l, Config &) { l.kvIndptr[0] = -4; },
       "kv_indptr[0] is -4; it must be 0"},
      {"qo order", [](Lengths &l, Config &) { l.qoIndptr[2] = 0; },
       "qo_indptr decreases from 1 to 0 at entry 2; it must not decrease"},
      {"kv order", [](Lengths &l, Config &) { l.kvIndptr[3] = 2; },
       "kv_indptr decreases from 3 to 2 at entry 3; it must not decrease"},
      {"last too long", [](Lengths &l, Config &) { l.kvLastPageLen[0] = 17; },
       "kv_last_page_len[0] is 17; with page size 16 it must be 1 to 16"},
      {"last zero", [](Lengths &l, Config &) { l.kvLastPageLen[2] = 0; },
       "kv_last_page_len[2] is 0; with page size 16 it must be 1 to 16"},
      {"last of none", [](Lengths &l, Config &) { l.kvLastPageLen[1] = 1; },
       "kv_last_page_len[1] is 1, but the sequence has no pages; it must be 0"},
      {"rows", [](Lengths &l, Config &) { l.kvIndptr[3] = 1 << 28; },
       "sequence 2 has 4294967244 rows; at most 2147483615 are allowed"},
      {"blocks",
       [](Lengths &l, Config &c) {
         l.qoIndptr[3] = 1 << 30;
         c.heads = 64;
       },
       "1073741824 query rows with 4 head groups each make 4294967296 blocks; "
       "at most 2147483647 are allowed"},
      {"items",
       [](Lengths &l, Config &c) {
         l.qoIndptr[3] = 0x7fffffff;
         c.heads = 16;
       },
       "2147483647 blocks on 8 workgroups may need more than 2147483647 work "
       "items"},
  };
  for (const BadInput &bad : cases) {
    Lengths lengths = lengthsOf({40, 0, 12}, 16);
    lengths.kvIndptr = {0, 3, 3, 4};
    Config config = {.heads = 16, .workgroups = 8, .tileRows = 32};
    std::string error;
    ASSERT_TRUE(makeTables(lengths, config, error)) << error;
    bad.spoil(lengths, config);
    EXPECT_FALSE(makeTables(lengths, config, error)) << bad.what;
    EXPECT_EQ(error, bad.sentence) << bad.what;
  }
}

TEST(Schedule, PrintsItsSpeed) {
  Lengths lengths = lengthsOf(std::vector<int32_t>(256, 8192));
  Config config = {.heads = 16, .workgroups = 256, .tileRows = 32};
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 100; ++i)
    make(lengths, config);
  std::chrono::duration<double, std::micro> time =
      std::chrono::steady_clock::now() - begin;
  std::cout << "tables for 256 x 8192 rows: " << time.count() / 100 << " us\n";
}
