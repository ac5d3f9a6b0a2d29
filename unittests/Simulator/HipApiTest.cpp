//===- HipApiTest.cpp - The simulator through its HIP functions -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include "mla/Simulator/SimulatorApi.h"

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <gtest/gtest.h>

using namespace mla::sim::test;

namespace {

constexpr std::string_view kSource = R"(
__kernel void scale(__global float *data, float factor, int n) {
  int i = __builtin_amdgcn_workgroup_id_x() *
              __builtin_amdgcn_workgroup_size_x() +
          __builtin_amdgcn_workitem_id_x();
  if (i < n)
    data[i] *= factor;
}
)";

class HipApi : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(hipInit(0), hipSuccess) << mla_sim_last_error();
    std::vector<uint8_t> image = compileOpenCl(kSource, "gfx942");
    ASSERT_EQ(hipModuleLoadData(&module, image.data()), hipSuccess)
        << mla_sim_last_error();
    ASSERT_EQ(hipModuleGetFunction(&function, module, "scale"), hipSuccess);
    ASSERT_EQ(hipMalloc(reinterpret_cast<void **>(&data), n * 4), hipSuccess);
    for (int i = 0; i < n; ++i)
      host[i] = float(i);
    ASSERT_EQ(hipMemcpy(data, host.data(), n * 4, hipMemcpyHostToDevice),
              hipSuccess);
  }
  void TearDown() override {
    EXPECT_EQ(hipFree(data), hipSuccess);
    EXPECT_EQ(hipModuleUnload(module), hipSuccess);
  }
  void expectScaled(float factor) {
    std::vector<float> back(n);
    ASSERT_EQ(hipMemcpy(back.data(), data, n * 4, hipMemcpyDeviceToHost),
              hipSuccess);
    for (int i = 0; i < n; ++i)
      ASSERT_EQ(back[i], host[i] * factor);
  }

  static constexpr int n = 500;
  std::vector<float> host = std::vector<float>(n);
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
  float *data = nullptr;
};

TEST_F(HipApi, deviceFacts) {
  hipDeviceProp_t properties;
  ASSERT_EQ(hipGetDeviceProperties(&properties, 0), hipSuccess);
  EXPECT_STREQ(properties.gcnArchName, "gfx942:sramecc+:xnack-");
  EXPECT_EQ(properties.multiProcessorCount, 304);
  EXPECT_EQ(properties.warpSize, 64);
  int value = 0;
  ASSERT_EQ(hipDeviceGetAttribute(&value,
                                  hipDeviceAttributeMaxSharedMemoryPerBlock, 0),
            hipSuccess);
  EXPECT_EQ(value, 65536);
  EXPECT_EQ(hipSetDevice(1), hipErrorInvalidDevice);
  EXPECT_STREQ(mla_sim_last_error(), "there is only device 0, not 1");
}

TEST_F(HipApi, launchWithParameters) {
  float factor = 3;
  int count = n;
  void *parameters[] = {&data, &factor, &count};
  mla_sim_get_statistics(nullptr, 1);
  ASSERT_EQ(hipModuleLaunchKernel(function, 4, 1, 1, 128, 1, 1, 0, nullptr,
                                  parameters, nullptr),
            hipSuccess)
      << mla_sim_last_error();
  expectScaled(3);
  mla_sim_statistics statistics;
  mla_sim_get_statistics(&statistics, 0);
  EXPECT_EQ(statistics.launches, 1u);
  EXPECT_EQ(statistics.waves, 8u);
  EXPECT_EQ(statistics.global_loads, 8u);
  EXPECT_GT(statistics.valu, 0u);
}

TEST_F(HipApi, launchWithBuffer) {
  struct {
    float *data;
    float factor;
    int count;
  } block = {data, 2, n};
  size_t bytes = sizeof block;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  ASSERT_EQ(hipModuleLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr,
                                  nullptr, extra),
            hipSuccess)
      << mla_sim_last_error();
  expectScaled(2);
}

TEST_F(HipApi, aBufferMayBeLongerThanTheArguments) {
  struct {
    float *data;
    float factor;
    int count;
    uint64_t more[64];
  } block = {data, 2, n, {}};
  size_t bytes = sizeof block;
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &block,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  ASSERT_EQ(hipModuleLaunchKernel(function, 2, 1, 1, 256, 1, 1, 0, nullptr,
                                  nullptr, extra),
            hipSuccess)
      << mla_sim_last_error();
  expectScaled(2);
}

TEST_F(HipApi, faultsReachTheCaller) {
  float factor = 3;
  int count = n + 200;
  void *parameters[] = {&data, &factor, &count};
  EXPECT_EQ(hipModuleLaunchKernel(function, 8, 1, 1, 128, 1, 1, 0, nullptr,
                                  parameters, nullptr),
            hipErrorLaunchFailure);
  std::string error = mla_sim_last_error();
  EXPECT_NE(error.find("kernel 'scale': reads 4 bytes"), std::string::npos);
  EXPECT_EQ(hipGetLastError(), hipErrorLaunchFailure);
  EXPECT_EQ(hipGetLastError(), hipSuccess);
}

TEST_F(HipApi, memoryIsChecked) {
  char byte = 0;
  EXPECT_EQ(hipMemcpy(data + n, &byte, 1, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemcpy(&byte, &byte, 1, hipMemcpyHostToDevice),
            hipErrorInvalidValue);
  EXPECT_EQ(hipMemset(data, 0, n * 4 + 1), hipErrorInvalidValue);
  EXPECT_EQ(hipFree(data + 1), hipErrorInvalidValue);
  void *huge = nullptr;
  EXPECT_EQ(hipMalloc(&huge, size_t(1) << 50), hipErrorOutOfMemory);
}

TEST_F(HipApi, streamsAndEvents) {
  hipStream_t stream;
  hipEvent_t begin, end;
  ASSERT_EQ(hipStreamCreate(&stream), hipSuccess);
  ASSERT_EQ(hipEventCreate(&begin), hipSuccess);
  ASSERT_EQ(hipEventCreate(&end), hipSuccess);
  ASSERT_EQ(hipEventRecord(begin, stream), hipSuccess);
  ASSERT_EQ(hipMemsetAsync(data, 0, n * 4, stream), hipSuccess);
  ASSERT_EQ(hipEventRecord(end, stream), hipSuccess);
  ASSERT_EQ(hipStreamSynchronize(stream), hipSuccess);
  float milliseconds = -1;
  ASSERT_EQ(hipEventElapsedTime(&milliseconds, begin, end), hipSuccess);
  EXPECT_GE(milliseconds, 0);
  EXPECT_EQ(hipEventDestroy(begin), hipSuccess);
  EXPECT_EQ(hipEventDestroy(end), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipSuccess);
  EXPECT_EQ(hipStreamDestroy(stream), hipErrorInvalidHandle);
}

TEST_F(HipApi, badModulesAndNames) {
  hipFunction_t none;
  EXPECT_EQ(hipModuleGetFunction(&none, module, "nothing"), hipErrorNotFound);
  EXPECT_STREQ(mla_sim_last_error(),
               "hipModuleGetFunction: there is no kernel 'nothing'; the module "
               "has scale");
  std::vector<char> garbage(256, 7);
  hipModule_t bad;
  EXPECT_EQ(hipModuleLoadData(&bad, garbage.data()), hipErrorInvalidImage);
  std::vector<uint8_t> other = assembleKernel("s_endpgm", "gfx950");
  EXPECT_EQ(hipModuleLoadData(&bad, other.data()), hipErrorNoBinaryForGpu);
  EXPECT_STREQ(mla_sim_last_error(),
               "hipModuleLoadData: the code object is for gfx950, the "
               "simulated chip is gfx942");
  EXPECT_EQ(hipModuleLaunchKernel(function, 0, 1, 1, 64, 1, 1, 0, nullptr,
                                  nullptr, nullptr),
            hipErrorInvalidConfiguration);
}

} // namespace
