//===- PlanTest.cpp - Plans and the hot path ------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <thread>

using nlohmann::json;

namespace {
/// Two sequences of 118 and 4 rows and an empty one, pages of 4, 20 heads.
class PlanTest : public RuntimeTest {
protected:
  std::vector<int32_t> qoIndptr = {0, 1, 2, 3}, kvIndptr = {0, 30, 31, 31},
                       kvLastPageLen = {2, 4, 0}, kvIndices;
  mla_shape shape{};
  mla_args args{};

  void SetUp() override {
    RuntimeTest::SetUp();
    openDevice();
    for (int32_t i = 0; i < 31; ++i)
      kvIndices.push_back(30 - i);
    shape = {.batch = 3,
             .total_q = 3,
             .heads = 20,
             .page_size = 4,
             .qo_indptr = qoIndptr.data(),
             .kv_indptr = kvIndptr.data(),
             .kv_last_page_len = kvLastPageLen.data(),
             .kv_indices = kvIndices.data(),
             .num_indices = 31,
             .num_pages = 31};
    // Kernels do not run here, so any aligned addresses serve.
    auto *base = reinterpret_cast<char *>(0x10000);
    args.q = base + 0x10;
    args.cache = base + 0x20;
    args.kv_indices = reinterpret_cast<int32_t *>(base + 0x34);
    args.q_scale = reinterpret_cast<float *>(base + 0x48);
    args.kv_scale = reinterpret_cast<float *>(base + 0x5c);
    args.out = base + 0x60;
    args.lse = reinterpret_cast<float *>(base + 0x74);
  }

  mla_status create() { return mla_plan_create(bundle, &shape, &plan); }

  void loadAndCreate(TestBundle source) {
    ASSERT_EQ(load(source), MLA_OK) << mla_last_error();
    ASSERT_EQ(create(), MLA_OK) << mla_last_error();
  }

  std::string errorOfCreate() {
    mla_status status = create();
    EXPECT_EQ(status, MLA_ERROR_SHAPE);
    EXPECT_EQ(plan, nullptr);
    return status == MLA_OK ? "" : mla_last_error();
  }

  /// The tables that the runtime should have made.
  mla::schedule::Tables tables(int32_t workgroups = 512) {
    std::string error;
    mla::schedule::Lengths lengths = {qoIndptr, kvIndptr, kvLastPageLen, 4};
    return *mla::schedule::makeTables(
        lengths, {.heads = 20, .workgroups = workgroups, .tileRows = 32},
        error);
  }

  template <typename T> static std::vector<T> deviceArray(void *memory) {
    size_t count = fake().memory.at(memory) / sizeof(T);
    const T *first = static_cast<const T *>(memory);
    return std::vector<T>(first, first + count);
  }
};
} // namespace

TEST_F(PlanTest, LaunchesInOrderWithArgumentsInOrder) {
  loadAndCreate(TestBundle());
  auto *stream = reinterpret_cast<void *>(0x77);
  ASSERT_EQ(mla_plan_run(plan, &args, stream), MLA_OK) << mla_last_error();
  const auto &launches = fake().launches;
  ASSERT_EQ(launches.size(), 3u);

  const FakeHip::Launch &quantize = launches[0], &attend = launches[1],
                        &combine = launches[2];
  EXPECT_EQ(quantize.kernel, "quantize");
  EXPECT_EQ(quantize.grid, 3u);
  EXPECT_EQ(quantize.block, 256u);
  EXPECT_EQ(quantize.stream, stream);
  EXPECT_EQ(quantize.arguments[0], args.q);
  EXPECT_EQ(quantize.arguments[1], args.q_scale);
  void *qQuantized = quantize.arguments[2];
  EXPECT_EQ(fake().memory.at(qQuantized), 3u * 20 * 576);

  mla::schedule::Tables expected = tables();
  EXPECT_EQ(attend.kernel, "attend");
  EXPECT_EQ(attend.grid, static_cast<unsigned>(expected.workgroups()));
  EXPECT_EQ(attend.block, 512u);
  EXPECT_EQ(attend.arguments[0], qQuantized);
  EXPECT_EQ(attend.arguments[1], args.cache);
  EXPECT_EQ(attend.arguments[2], args.kv_indices);
  EXPECT_EQ(attend.arguments[3], args.q_scale);
  EXPECT_EQ(attend.arguments[4], args.kv_scale);
  EXPECT_EQ(deviceArray<int32_t>(attend.arguments[5]), expected.workIndptr);
  EXPECT_EQ(deviceArray<mla::schedule::WorkItem>(attend.arguments[6]),
            expected.workItems);
  EXPECT_EQ(attend.arguments[7], args.out);
  EXPECT_EQ(attend.arguments[8], args.lse);
  EXPECT_EQ(fake().memory.at(attend.arguments[9]),
            static_cast<size_t>(expected.partials) * 16 * 512 * 4);

  EXPECT_EQ(combine.grid, 4 * expected.combineItems.size());
  EXPECT_EQ(deviceArray<mla::schedule::CombineItem>(combine.arguments[0]),
            expected.combineItems);
  EXPECT_EQ(combine.arguments[1], attend.arguments[9]);
  EXPECT_EQ(combine.arguments[4], args.lse);
}

TEST_F(PlanTest, RunningOnlyLaunches) {
  loadAndCreate(TestBundle("dynamic"));
  fake().calls.clear();
  for (int i = 0; i < 5; ++i)
    ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK);
  EXPECT_EQ(fake().calls.size(), 5u * 4);
  for (const std::string &call : fake().calls)
    EXPECT_EQ(call, "hipModuleLaunchKernel");
}

TEST_F(PlanTest, InfoCountsWhatWasMade) {
  loadAndCreate(TestBundle());
  mla_plan_info info = mla_plan_get_info(plan);
  mla::schedule::Tables expected = tables();
  EXPECT_EQ(info.launches, 3);
  EXPECT_EQ(info.workgroups, expected.workgroups());
  EXPECT_EQ(info.work_items, static_cast<int>(expected.workItems.size()));
  EXPECT_EQ(info.combine_items, static_cast<int>(expected.combineItems.size()));
  EXPECT_EQ(info.partials, expected.partials);
  EXPECT_EQ(info.stored_tables, 0);
  EXPECT_EQ(info.table_bytes, expected.workIndptr.size() * 4 +
                                  expected.workItems.size() * 32 +
                                  expected.combineItems.size() * 16 + 4);
  EXPECT_EQ(info.workspace_bytes,
            3u * 20 * 576 + 3 * 20 * 4 +
                size_t(expected.partials) * (16 * 512 * 4 + 2 * 16 * 4));
}

TEST_F(PlanTest, SharesFollowTheDevicesComputeUnits) {
  mla_device_close(device);
  fake().computeUnits = 2;
  openDevice();
  loadAndCreate(TestBundle());
  EXPECT_EQ(mla_plan_get_info(plan).workgroups, 4);
}

TEST_F(PlanTest, BundleCanFixTheNumberOfShares) {
  TestBundle source;
  source.manifest["schedule"]["workgroups"] = 3;
  loadAndCreate(source);
  EXPECT_EQ(mla_plan_get_info(plan).workgroups, 3);
}

TEST_F(PlanTest, StoredTablesServeTheirOwnLengthsOnly) {
  TestBundle source;
  mla::schedule::StoredTables stored;
  stored.lengths = {qoIndptr, kvIndptr, kvLastPageLen, 4};
  stored.config = {.heads = 20, .workgroups = 512, .tileRows = 32};
  stored.tables = tables();
  source.tables.push_back(stored);
  loadAndCreate(source);
  EXPECT_EQ(mla_plan_get_info(plan).stored_tables, 1);
  mla_plan_destroy(plan);
  plan = nullptr;
  kvLastPageLen[0] = 1;
  ASSERT_EQ(create(), MLA_OK);
  EXPECT_EQ(mla_plan_get_info(plan).stored_tables, 0);
}

TEST_F(PlanTest, WithoutLseThePlanLendsItsOwn) {
  loadAndCreate(TestBundle());
  args.lse = nullptr;
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  void *own = fake().launches[1].arguments[8];
  EXPECT_EQ(fake().memory.at(own), 3u * 20 * sizeof(float));
  EXPECT_EQ(fake().launches[2].arguments[4], own);
}

TEST_F(PlanTest, DynamicScaleComesFromTheWorkspace) {
  loadAndCreate(TestBundle("dynamic"));
  args.q_scale = nullptr;
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  ASSERT_EQ(fake().launches.size(), 4u);
  EXPECT_EQ(fake().launches[0].grid, 3u);
  void *scale = fake().launches[1].arguments[3];
  EXPECT_EQ(fake().memory.at(scale), 4u);
  EXPECT_EQ(fake().launches[2].arguments[3], scale);
  void *counts = fake().launches[1].arguments[2];
  EXPECT_EQ(deviceArray<int32_t>(counts), std::vector<int32_t>({3}));
}

TEST_F(PlanTest, Bf16NeedsNoScales) {
  loadAndCreate(TestBundle("none"));
  args.q_scale = args.kv_scale = nullptr;
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  EXPECT_EQ(fake().launches.size(), 2u);
}

TEST_F(PlanTest, GridsOfNothingAreNotLaunched) {
  // One tile each: no block is shared, nothing is combined.
  qoIndptr = {0, 1, 2};
  kvIndptr = {0, 1, 2};
  kvLastPageLen = {4, 1};
  shape.batch = shape.total_q = 2;
  shape.qo_indptr = qoIndptr.data();
  shape.kv_indptr = kvIndptr.data();
  shape.kv_last_page_len = kvLastPageLen.data();
  loadAndCreate(TestBundle());
  EXPECT_EQ(mla_plan_get_info(plan).launches, 2);
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK);
  EXPECT_EQ(fake().launches.back().kernel, "attend");
}

TEST_F(PlanTest, OnlyEmptySequencesNeedNoCache) {
  kvIndptr = {0, 0, 0, 0};
  kvLastPageLen = {0, 0, 0};
  loadAndCreate(TestBundle("none"));
  args.cache = nullptr;
  args.kv_indices = nullptr;
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  // Somebody has to write their zeros.
  ASSERT_EQ(fake().launches.size(), 1u);
  EXPECT_EQ(fake().launches[0].kernel, "attend");
  EXPECT_EQ(fake().launches[0].grid, 6u);
}

/// A bundle of one kernel that combines by itself, with tickets.
static TestBundle fusedBundle() {
  TestBundle source("none");
  source.manifest["workspace"].push_back(
      {{"name", "tickets"}, {"symbol", "combine_items"}, {"bytes", 4}});
  json tickets = {{"name", "tickets"}, {"access", "read_write"}};
  source.manifest["kernels"][0]["args"].push_back(tickets);
  source.manifest["kernels"].erase(1);
  return source;
}

TEST_F(PlanTest, TicketsStartAtZero) {
  loadAndCreate(fusedBundle());
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  size_t blocks = tables().combineItems.size();
  ASSERT_GT(blocks, 0u);
  EXPECT_EQ(deviceArray<int32_t>(fake().launches[0].arguments.back()),
            std::vector<int32_t>(blocks, 0));
}

TEST_F(PlanTest, CreatingWaitsForWhatItFills) {
  TestBundle source = fusedBundle();
  ASSERT_EQ(load(source), MLA_OK) << mla_last_error();
  fake().failing = "hipStreamSynchronize";
  fake().error = 719;
  EXPECT_EQ(create(), MLA_ERROR_HIP);
  EXPECT_EQ(fake().calls.back(), "hipFree");
  fake().failing.clear();
  ASSERT_EQ(create(), MLA_OK) << mla_last_error();
  EXPECT_EQ(fake().calls.back(), "hipStreamSynchronize");
}

TEST_F(PlanTest, TicketsOfAFailedRunAreClearedBeforeTheNext) {
  loadAndCreate(fusedBundle());
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  auto *tickets = static_cast<int32_t *>(fake().launches[0].arguments.back());
  *tickets = 2; // As a kernel that was stopped half way leaves it.
  fake().failing = "hipModuleLaunchKernel";
  fake().error = 719;
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_ERROR_HIP);

  auto *stream = reinterpret_cast<void *>(0x77);
  // Clearing can fail too, and is then still to be done.
  fake().failing = "hipMemsetAsync";
  EXPECT_EQ(mla_plan_run(plan, &args, stream), MLA_ERROR_HIP);
  EXPECT_EQ(fake().launches.size(), 1u);
  fake().failing.clear();
  fake().calls.clear();
  ASSERT_EQ(mla_plan_run(plan, &args, stream), MLA_OK) << mla_last_error();
  ASSERT_EQ(mla_plan_run(plan, &args, stream), MLA_OK) << mla_last_error();
  EXPECT_EQ(fake().calls,
            (std::vector<std::string>{"hipMemsetAsync", "hipModuleLaunchKernel",
                                      "hipModuleLaunchKernel"}));
  EXPECT_EQ(fake().memsetStream, stream);
  EXPECT_EQ(*tickets, 0);
}

TEST_F(PlanTest, ResettingClearsTicketsAtOnce) {
  loadAndCreate(fusedBundle());
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  auto *tickets = static_cast<int32_t *>(fake().launches[0].arguments.back());
  *tickets = 2;
  fake().failing = "hipModuleLaunchKernel";
  fake().error = 719;
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_ERROR_HIP);
  fake().failing.clear();
  ASSERT_EQ(mla_plan_reset(plan), MLA_OK) << mla_last_error();
  EXPECT_EQ(*tickets, 0);
  fake().calls.clear();
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK) << mla_last_error();
  EXPECT_EQ(fake().calls, std::vector<std::string>{"hipModuleLaunchKernel"});
  EXPECT_EQ(mla_plan_reset(nullptr), MLA_ERROR_INVALID_ARGUMENT);
}

TEST_F(PlanTest, WithoutTicketsNothingIsCleared) {
  loadAndCreate(TestBundle());
  fake().failing = "hipModuleLaunchKernel";
  fake().error = 719;
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_ERROR_HIP);
  fake().failing.clear();
  fake().calls.clear();
  ASSERT_EQ(mla_plan_run(plan, &args, nullptr), MLA_OK);
  ASSERT_EQ(mla_plan_reset(plan), MLA_OK);
  EXPECT_EQ(fake().calls, std::vector<std::string>(3, "hipModuleLaunchKernel"));
}

TEST_F(PlanTest, ABatchOfNothingRuns) {
  shape.batch = shape.total_q = 0;
  shape.kv_last_page_len = nullptr;
  loadAndCreate(TestBundle("dynamic"));
  mla_args none{};
  EXPECT_EQ(mla_plan_run(plan, &none, nullptr), MLA_OK);
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(PlanTest, ContradictoryShapesAreRefused) {
  TestBundle source;
  ASSERT_EQ(load(source), MLA_OK);
  shape.heads = 16;
  EXPECT_EQ(errorOfCreate(),
            "the shape has 16 heads, but the bundle was built for 20");
  shape.heads = 20;
  shape.page_size = 1;
  EXPECT_EQ(errorOfCreate(), "the shape has pages of 1 rows, but the bundle "
                             "was built for pages of 4");
  shape.page_size = 4;
  shape.total_q = 4;
  EXPECT_EQ(errorOfCreate(), "qo_indptr ends at 3, but q has 4 rows");
  shape.total_q = 3;
  shape.num_indices = 30;
  EXPECT_EQ(errorOfCreate(),
            "kv_indptr ends at 31, but kv_indices has only 30 entries");
  shape.num_indices = 31;
  kvLastPageLen[0] = 5;
  EXPECT_EQ(errorOfCreate(), "kv_last_page_len[0] is 5; with page size 4 it "
                             "must be 1 to 4");
  kvLastPageLen[0] = 4;
  kvIndptr[1] = 32;
  EXPECT_EQ(errorOfCreate(), "kv_indptr decreases from 32 to 31 at entry 2; it "
                             "must not decrease");
  kvIndptr[1] = 30;
  shape.batch = -1;
  EXPECT_EQ(errorOfCreate(), "the batch is -1; it must be at least 0");
}

TEST_F(PlanTest, PageIdsOutOfRangeAreRefused) {
  TestBundle source;
  ASSERT_EQ(load(source), MLA_OK);
  kvIndices[17] = 31;
  EXPECT_EQ(errorOfCreate(),
            "kv_indices[17] is 31, but the cache has pages 0 to 30");
  kvIndices[17] = 0;
  kvIndices[30] = -1;
  EXPECT_EQ(errorOfCreate(),
            "kv_indices[30] is -1, but the cache has pages 0 to 30");
  // Without a host copy nobody looks.
  shape.kv_indices = nullptr;
  EXPECT_EQ(create(), MLA_OK) << mla_last_error();
}

TEST_F(PlanTest, NullsAreRefused) {
  TestBundle source;
  ASSERT_EQ(load(source), MLA_OK);
  shape.kv_indptr = nullptr;
  EXPECT_EQ(create(), MLA_ERROR_INVALID_ARGUMENT);
  shape.kv_indptr = kvIndptr.data();
  EXPECT_EQ(mla_plan_create(bundle, nullptr, &plan),
            MLA_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(create(), MLA_OK);
  EXPECT_EQ(mla_plan_run(plan, nullptr, nullptr), MLA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mla_plan_run(nullptr, &args, nullptr), MLA_ERROR_INVALID_ARGUMENT);
  args.kv_scale = nullptr;
  EXPECT_EQ(mla_plan_run(plan, &args, nullptr), MLA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(mla_last_error(),
               "kv_scale is null, but the plan's kernels use it");
  EXPECT_TRUE(fake().launches.empty());
}

TEST_F(PlanTest, MisalignedPointersAreRefused) {
  loadAndCreate(TestBundle());
  args.q = static_cast<const char *>(args.q) + 2;
  EXPECT_EQ(mla_plan_run(plan, &args, nullptr), MLA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(mla_last_error(), "q must be aligned to 16 bytes");
}

TEST_F(PlanTest, ABundleWithoutDeviceMakesNoPlan) {
  mla_device_close(device);
  device = nullptr;
  TestBundle source;
  ASSERT_EQ(load(source), MLA_OK);
  EXPECT_EQ(create(), MLA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(mla_last_error(),
               "the bundle was loaded without a device; a plan needs one");
}

TEST_F(PlanTest, GridsTooLargeForHipAreRefused) {
  TestBundle source;
  source.manifest["kernels"][0]["grid"]["factor"] = 1 << 24;
  ASSERT_EQ(load(source), MLA_OK);
  EXPECT_EQ(errorOfCreate(),
            "the kernel quantize would need 50331648 workgroups of 256 "
            "threads; a grid holds at most 4294967295 threads");
}

TEST_F(PlanTest, FailedLaunchesAndAllocationsAreReported) {
  TestBundle source;
  ASSERT_EQ(load(source), MLA_OK);
  fake().failing = "hipMalloc";
  fake().error = 2;
  EXPECT_EQ(create(), MLA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(std::string(mla_last_error()).find("cannot allocate"), 0u);
  fake().failing = "hipMemcpy";
  fake().error = 1;
  EXPECT_EQ(create(), MLA_ERROR_HIP);
  fake().failing.clear();
  ASSERT_EQ(create(), MLA_OK);
  fake().failing = "hipModuleLaunchKernel";
  fake().error = 719;
  EXPECT_EQ(mla_plan_run(plan, &args, nullptr), MLA_ERROR_HIP);
  EXPECT_STREQ(mla_last_error(), "cannot launch the kernel quantize: the "
                                 "kernel went wrong (HIP error 719)");
}

TEST_F(PlanTest, ThreadsMayRunOnePlanAtOnce) {
  loadAndCreate(TestBundle());
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      mla_args own = args;
      own.out = static_cast<char *>(args.out) + 16 * (t + 1);
      auto *stream = reinterpret_cast<void *>(uintptr_t(t + 1));
      for (int i = 0; i < 100; ++i)
        mla_plan_run(plan, &own, stream);
    });
  for (std::thread &thread : threads)
    thread.join();
  ASSERT_EQ(fake().launches.size(), 1200u);
  for (const FakeHip::Launch &launch : fake().launches)
    if (launch.kernel == "attend") {
      EXPECT_EQ(launch.arguments[7],
                static_cast<char *>(args.out) +
                    16 * reinterpret_cast<uintptr_t>(launch.stream));
    }
}
