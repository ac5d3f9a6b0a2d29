//===- MutationTest.cpp - Damaged code ends in an error, never in a crash -===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include "llvm/BinaryFormat/ELF.h"

#include <gtest/gtest.h>

#include <random>

using namespace mla::sim;
using namespace mla::sim::test;

namespace {

constexpr std::string_view kSource = R"(
__kernel void busy(__global float *data, __global const int *order, int n) {
  __local float tile[256];
  int t = __builtin_amdgcn_workitem_id_x();
  float spare[4];
  tile[t] = data[t];
  __builtin_amdgcn_s_barrier();
  for (int i = 0; i < n; ++i) {
    spare[i & 3] = tile[(order[i] + t) & 255] * 1.5f;
    data[t] += spare[(i + t) & 3] / (float)(i + 1);
  }
}
)";

/// Offset and size of the executable segment of an ELF image.
std::pair<uint64_t, uint64_t> codeOf(const std::vector<uint8_t> &image) {
  llvm::ELF::Elf64_Ehdr header;
  memcpy(&header, image.data(), sizeof header);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    llvm::ELF::Elf64_Phdr segment;
    memcpy(&segment, image.data() + header.e_phoff + i * sizeof segment,
           sizeof segment);
    if (segment.p_type == llvm::ELF::PT_LOAD &&
        segment.p_flags & llvm::ELF::PF_X)
      return {segment.p_offset, segment.p_filesz};
  }
  return {0, 0};
}

TEST(Mutation, damagedKernelsDoNotCrash) {
  int wrong = 0;
  for (const char *chip : {"gfx942", "gfx950"})
    for (const char *level : {"-O0", "-O3"}) {
      const std::vector<uint8_t> image = compileOpenCl(kSource, chip, level);
      auto [offset, bytes] = codeOf(image);
      ASSERT_NE(bytes, 0u);
      std::mt19937 random(1);
      for (int round = 0; round < 25; ++round) {
        std::vector<uint8_t> damaged = image;
        for (int flip = 0; flip < 1 + round; ++flip)
          damaged[offset + random() % bytes] ^= uint8_t(1 << random() % 8);
        KernelRunner runner(chip, damaged);
        if (!runner.loadError().empty())
          continue;
        float *data = runner.upload(std::vector<float>(256, 1.0f));
        int *order = runner.upload(std::vector<int>(16, 3));
        LaunchConfig config;
        config.block[0] = 256;
        config.waveBudget = 5000;
        wrong +=
            !runner
                 .launch("busy", config, {uint64_t(data), uint64_t(order), 16})
                 .empty();
      }
    }
  // Most damage is noticed; what is left changed a number only.
  EXPECT_GT(wrong, 30);
}

} // namespace
