//===- RuntimeTest.h - The runtime on a fake HIP library --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_UNITTESTS_RUNTIME_RUNTIMETEST_H
#define MLA_UNITTESTS_RUNTIME_RUNTIMETEST_H

#include "FakeHip.h"
#include "TestBundle.h"
#include "mla/Runtime/mla_runtime.h"

#include "gtest/gtest.h"

#include <dlfcn.h>

/// The state of a fake library, forgotten first. It is the same library that
/// the runtime opens by this name.
inline FakeHip &fakeHipOf(const char *library, bool reset = true) {
  void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    ADD_FAILURE() << dlerror();
    abort();
  }
  return *reinterpret_cast<FakeHipAccess>(dlsym(handle, "fakeHip"))(reset);
}

class RuntimeTest : public ::testing::Test {
protected:
  mla_device *device = nullptr;
  mla_bundle *bundle = nullptr;
  mla_plan *plan = nullptr;

  void SetUp() override { fakeHipOf(FAKE_HIP_LIBRARY); }

  /// Nothing may be left behind on the device.
  void TearDown() override {
    fake().failing.clear();
    mla_plan_destroy(plan);
    mla_bundle_unload(bundle);
    mla_device_close(device);
    EXPECT_TRUE(fake().memory.empty());
    EXPECT_TRUE(fake().modules.empty());
  }

  static FakeHip &fake() { return fakeHipOf(FAKE_HIP_LIBRARY, false); }

  void openDevice() {
    ASSERT_EQ(mla_device_open(FAKE_HIP_LIBRARY, 0, &device), MLA_OK)
        << mla_last_error();
  }

  mla_status load(TestBundle &source) {
    std::vector<uint8_t> bytes = source.write();
    for (const auto &kernel : source.manifest["kernels"])
      fake().argumentCounts[kernel["name"]] =
          static_cast<int>(kernel["args"].size());
    return mla_bundle_load_memory(device, bytes.data(), bytes.size(), &bundle);
  }
};

#endif // MLA_UNITTESTS_RUNTIME_RUNTIMETEST_H
