//===- StoreTest.cpp - Schedule tables as bytes ---------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Schedule/Schedule.h"

#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace mla::schedule;

static StoredTables example() {
  StoredTables stored;
  stored.lengths = {{0, 1, 2, 4}, {0, 10, 10, 13}, {3, 0, 4}, 4};
  stored.config = {.heads = 20, .workgroups = 5, .tileRows = 16};
  std::string error;
  stored.tables = *makeTables(stored.lengths, stored.config, error);
  return stored;
}

TEST(StoredTables, ComeBackAsTheyWere) {
  StoredTables stored = example();
  std::vector<uint8_t> bytes = serialise(stored);
  std::string error;
  std::optional<StoredTables> again =
      deserialise(bytes.data(), bytes.size(), error);
  ASSERT_TRUE(again) << error;
  EXPECT_EQ(again->lengths, stored.lengths);
  EXPECT_EQ(again->config, stored.config);
  EXPECT_EQ(again->tables, stored.tables);
}

TEST(StoredTables, AreRefusedWhenCutOff) {
  std::vector<uint8_t> bytes = serialise(example());
  for (size_t size = 0; size < bytes.size(); ++size) {
    // A copy of its own, so that a checker sees reads past the end.
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + size);
    std::string error;
    EXPECT_FALSE(deserialise(cut.data(), size, error));
    EXPECT_FALSE(error.empty());
  }
  bytes.push_back(0);
  std::string error;
  EXPECT_FALSE(deserialise(bytes.data(), bytes.size(), error));
}

TEST(StoredTables, NeverLeadAKernelAstrayWhenDamaged) {
  const std::vector<uint8_t> bytes = serialise(example());
  std::mt19937 random(3);
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    std::vector<uint8_t> damaged = bytes;
    damaged[random() % damaged.size()] ^= 1u << random() % 8;
    std::string error;
    std::optional<StoredTables> again =
        deserialise(damaged.data(), damaged.size(), error);
    if (!again) {
      ASSERT_FALSE(error.empty());
      ++refused;
      continue;
    }
    for (const WorkItem &item : again->tables.workItems) {
      ASSERT_LT(item.queryRow, again->lengths.totalQ());
      ASSERT_LT(item.partial, again->tables.partials);
    }
  }
  EXPECT_GT(refused, 10000);
}

TEST(StoredTables, SayWhichEntryIsWrong) {
  auto errorOf = [](void (*spoil)(StoredTables &)) {
    StoredTables stored = example();
    spoil(stored);
    std::vector<uint8_t> bytes = serialise(stored);
    std::string error;
    EXPECT_FALSE(deserialise(bytes.data(), bytes.size(), error));
    return error;
  };
  EXPECT_EQ(errorOf([](StoredTables &s) { s.tables.workItems[2].rowEnd = 40; }),
            "stored schedule: entry 2 of work_items is outside of its "
            "sequence");
  EXPECT_EQ(
      errorOf([](StoredTables &s) { s.tables.workItems[0].queryRow = 4; }),
      "stored schedule: entry 0 of work_items names no block");
  EXPECT_EQ(errorOf([](StoredTables &s) {
              s.tables.workItems[1].partial = s.tables.partials;
            }),
            "stored schedule: entry 1 of work_items names no partial slot");
  EXPECT_EQ(errorOf([](StoredTables &s) {
              s.tables.combineItems.push_back({0, 0, 0, 99});
            }),
            "stored schedule: entry 2 of combine_items names no partial slots");
  EXPECT_EQ(
      errorOf([](StoredTables &s) { s.tables.workItems[1].combineItem = 7; }),
      "stored schedule: entry 1 of work_items names no block to combine");
  EXPECT_EQ(
      errorOf([](StoredTables &s) { s.tables.combineItems[0].headBegin = 16; }),
      "stored schedule: entry 0 of work_items names another block to combine");
  EXPECT_EQ(errorOf([](StoredTables &s) { s.tables.workIndptr[1] = -1; }),
            "stored schedule: work_indptr does not rise from 0 to the number "
            "of work items");
  EXPECT_EQ(errorOf([](StoredTables &s) { s.lengths.kvLastPageLen[0] = 5; }),
            "stored schedule: kv_last_page_len[0] is 5; with page size 4 it "
            "must be 1 to 4");
}
