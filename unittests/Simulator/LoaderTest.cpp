//===- LoaderTest.cpp - Code objects: descriptors, metadata, relocations, bad
// files ===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include <gtest/gtest.h>

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

TEST(Loader, descriptorFields) {
  DeviceMemory memory;
  std::string error;
  std::vector<uint8_t> image = assembleKernel("s_endpgm", "gfx942",
                                              {.name = "probe",
                                               .ldsBytes = 4096,
                                               .privateBytes = 48,
                                               .kernargBytes = 40});
  auto object =
      CodeObject::load(image.data(), image.size(), "gfx942", memory, error);
  ASSERT_TRUE(object) << error;
  const Kernel *kernel = object->findKernel("probe");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(kernel->ldsBytes, 4096u);
  EXPECT_EQ(kernel->privateBytes, 48u);
  EXPECT_EQ(kernel->kernargBytes, 40u);
  EXPECT_EQ(kernel->accumOffset(), 256u);
  EXPECT_EQ(kernel->allocatedVectorRegisters(), 512u);
  EXPECT_EQ(object->findKernel("absent"), nullptr);
  EXPECT_EQ(CodeObject::imageBytes(image.data()), image.size());
}

constexpr std::string_view kSource = R"(
__global int counters[3] = {10, 20, 30};
__global int *__global place = &counters[1];
__kernel void bump(__global int *out, int amount) {
  *place += amount;
  out[__builtin_amdgcn_workitem_id_x()] = counters[1];
}
)";

TEST(Loader, variablesRelocationsAndMetadata) {
  DeviceMemory memory;
  std::string error;
  std::vector<uint8_t> image = compileOpenCl(kSource, "gfx950");
  auto object =
      CodeObject::load(image.data(), image.size(), "gfx950", memory, error);
  ASSERT_TRUE(object) << error;
  const Kernel *kernel = object->findKernel("bump");
  ASSERT_TRUE(kernel && kernel->hasMetadata);
  ASSERT_GE(kernel->arguments.size(), 2u);
  EXPECT_EQ(kernel->arguments[0].kind, "global_buffer");
  EXPECT_EQ(kernel->arguments[1].offset, 8u);
  EXPECT_EQ(kernel->arguments[1].size, 4u);
  uint64_t counters = 0, place = 0, bytes = 0;
  ASSERT_TRUE(object->findVariable("counters", counters, bytes));
  EXPECT_EQ(bytes, 12u);
  ASSERT_TRUE(object->findVariable("place", place, bytes));
  EXPECT_EQ(*reinterpret_cast<uint64_t *>(place), counters + 4);
}

TEST(Loader, kernelsUseVariables) {
  KernelRunner runner("gfx950", compileOpenCl(kSource, "gfx950"));
  ASSERT_EQ(runner.loadError(), "");
  int *out = runner.upload(std::vector<int>(1, 0));
  ASSERT_EQ(runner.launch("bump", {}, {uint64_t(out), 5}), "");
  EXPECT_EQ(*out, 25);
}

TEST(Loader, refusesWhatDoesNotFit) {
  std::vector<uint8_t> image = assembleKernel("s_endpgm", "gfx942");
  KernelRunner other("gfx950", image);
  EXPECT_EQ(other.loadError(),
            "the code object is for gfx942, the simulated chip is gfx950");
  std::vector<uint8_t> half(image.begin(), image.begin() + image.size() / 2);
  KernelRunner truncated("gfx942", half);
  EXPECT_NE(truncated.loadError(), "");
  KernelRunner text("gfx942", std::vector<uint8_t>(100, 'x'));
  EXPECT_NE(text.loadError(), "");
  EXPECT_EQ(CodeObject::imageBytes(std::vector<uint8_t>(100, 'x').data()), 0u);
}

} // namespace
