//===- DeviceTest.cpp - Opening HIP libraries and devices -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"

#include <cstdlib>
#include <filesystem>
#include <thread>

TEST(Device, MissingLibraryIsNamed) {
  mla_device *device = nullptr;
  EXPECT_EQ(mla_device_open("/nowhere/libhip.so", 0, &device),
            MLA_ERROR_HIP_LIBRARY);
  EXPECT_STREQ(mla_last_error(),
               "cannot open the HIP library: /nowhere/libhip.so: cannot open "
               "shared object file: No such file or directory");
  EXPECT_EQ(device, nullptr);
}

TEST(Device, LibraryThatIsNotHipIsRefused) {
  mla_device *device = nullptr;
  EXPECT_EQ(mla_device_open("libm.so.6", 0, &device), MLA_ERROR_HIP_LIBRARY);
  EXPECT_STREQ(mla_last_error(), "libm.so.6 is no HIP library of use: it has "
                                 "no function hipGetDeviceCount");
}

TEST(Device, EnvironmentNamesTheLibrary) {
  setenv("MLA_HIP_LIBRARY", "libm.so.6", 1);
  mla_device *device = nullptr;
  EXPECT_EQ(mla_device_open(nullptr, 0, &device), MLA_ERROR_HIP_LIBRARY);
  EXPECT_NE(std::string(mla_last_error()).find("libm.so.6"), std::string::npos);
  // An argument goes before it.
  EXPECT_EQ(mla_device_open("libc.so.6", 0, &device), MLA_ERROR_HIP_LIBRARY);
  EXPECT_NE(std::string(mla_last_error()).find("libc.so.6"), std::string::npos);
  unsetenv("MLA_HIP_LIBRARY");
}

TEST(Device, RealLibraryWithoutGpuSaysSo) {
  if (std::filesystem::exists("/dev/kfd"))
    GTEST_SKIP() << "this machine has AMD's kernel driver";
  unsetenv("MLA_HIP_LIBRARY");
  mla_device *device = nullptr;
  ASSERT_EQ(mla_device_open(nullptr, 0, &device), MLA_ERROR_NO_DEVICE)
      << mla_last_error();
  std::string sentence = mla_last_error();
  EXPECT_EQ(sentence.find("libamdhip64.so"), 0u) << sentence;
  EXPECT_NE(sentence.find("finds no AMD GPU on this machine"),
            std::string::npos)
      << sentence;
  EXPECT_EQ(sentence.find('\n'), std::string::npos);
}

TEST_F(RuntimeTest, DeviceTellsChipAndComputeUnits) {
  fake().computeUnits = 17;
  openDevice();
  EXPECT_STREQ(mla_device_chip(device), "gfx950");
  EXPECT_EQ(mla_device_compute_units(device), 17);
  EXPECT_STREQ(mla_device_library(device), FAKE_HIP_LIBRARY);
}

TEST(Device, ChipIsFoundInTheLayoutOfRocm6) {
  FakeHip &fake = fakeHipOf(FAKE_HIP_R0600_LIBRARY);
  fake.chip = "gfx942:sramecc+:xnack-";
  mla_device *device = nullptr;
  ASSERT_EQ(mla_device_open(FAKE_HIP_R0600_LIBRARY, 0, &device), MLA_OK)
      << mla_last_error();
  EXPECT_STREQ(mla_device_chip(device), "gfx942");
  mla_device_close(device);
}

TEST_F(RuntimeTest, ChipNameInAnUnknownLayoutIsRefused) {
  fake().chip = "MI300X";
  EXPECT_EQ(mla_device_open(FAKE_HIP_LIBRARY, 0, &device), MLA_ERROR_HIP);
  EXPECT_NE(std::string(mla_last_error()).find("the chip's name"),
            std::string::npos);
}

TEST_F(RuntimeTest, DeviceThatIsNotThereIsRefused) {
  fake().deviceCount = 2;
  EXPECT_EQ(mla_device_open(FAKE_HIP_LIBRARY, 2, &device), MLA_ERROR_NO_DEVICE);
  EXPECT_STREQ(mla_last_error(),
               "there is no device 2; this machine has devices 0 to 1");
  EXPECT_EQ(mla_device_open(FAKE_HIP_LIBRARY, -1, &device),
            MLA_ERROR_NO_DEVICE);
  fake().deviceCount = 0;
  EXPECT_EQ(mla_device_open(FAKE_HIP_LIBRARY, 0, &device), MLA_ERROR_NO_DEVICE);
}

TEST_F(RuntimeTest, MemoryIsCopiedThereAndBack) {
  openDevice();
  void *memory = nullptr;
  ASSERT_EQ(mla_device_allocate(device, 8, &memory), MLA_OK);
  int64_t in = 42, out = 0;
  EXPECT_EQ(mla_device_write(device, memory, &in, 8), MLA_OK);
  EXPECT_EQ(mla_device_read(device, &out, memory, 8), MLA_OK);
  EXPECT_EQ(out, 42);
  EXPECT_EQ(mla_device_synchronize(device), MLA_OK);
  EXPECT_EQ(mla_device_free(device, memory), MLA_OK);
  EXPECT_EQ(mla_device_write(device, nullptr, &in, 8),
            MLA_ERROR_INVALID_ARGUMENT);
  fake().failing = "hipMalloc";
  fake().error = 2; // hipErrorOutOfMemory
  EXPECT_EQ(mla_device_allocate(device, 8, &memory), MLA_ERROR_OUT_OF_MEMORY);
  EXPECT_STREQ(mla_last_error(), "cannot allocate 8 bytes of device memory: "
                                 "something went wrong (HIP error 2)");
}

TEST_F(RuntimeTest, TheCallersCurrentDeviceIsPutBack) {
  fake().deviceCount = 4;
  ASSERT_EQ(mla_device_open(FAKE_HIP_LIBRARY, 3, &device), MLA_OK);
  fake().device = 1;
  void *memory = nullptr;
  ASSERT_EQ(mla_device_allocate(device, 8, &memory), MLA_OK);
  EXPECT_EQ(fake().device, 1);
  EXPECT_EQ(mla_device_free(device, memory), MLA_OK);
  EXPECT_EQ(fake().device, 1);
}

TEST(Device, LastErrorBelongsToTheThread) {
  mla_device *device = nullptr;
  EXPECT_NE(mla_device_open("libm.so.6", 0, &device), MLA_OK);
  std::string here = mla_last_error(), there = "unset";
  std::thread([&] { there = mla_last_error(); }).join();
  EXPECT_NE(here, "");
  EXPECT_EQ(there, "");
}

TEST(Device, NullIsRefusedWithASentence) {
  EXPECT_EQ(mla_device_open(nullptr, 0, nullptr), MLA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(mla_last_error(), "device must not be null");
  EXPECT_EQ(mla_device_synchronize(nullptr), MLA_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(mla_runtime_version(), MLA_RUNTIME_VERSION);
}
