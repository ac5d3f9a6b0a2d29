//===- ResourcesTest.cpp - Waves a SIMD holds, and broken code objects ----===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/CodeGen/Resources.h"

#include "llvm/BinaryFormat/ELF.h"
#include "gtest/gtest.h"
#include <cstring>

using namespace mla;
using namespace mla::codegen;

namespace {

int64_t waves(std::string_view chip, int64_t vgprs, int64_t sgprs, int64_t lds,
              int64_t threads) {
  KernelResources resources;
  resources.allocatedVgprs = vgprs;
  resources.sgprs = sgprs;
  resources.ldsBytes = lds;
  return wavesPerSimd(resources, *targets::findChip(chip), threads);
}

TEST(WavesPerSimd, VectorRegistersLimit) {
  EXPECT_EQ(waves("gfx942", 8, 16, 0, 256), 8);
  EXPECT_EQ(waves("gfx942", 64, 16, 0, 256), 8);
  EXPECT_EQ(waves("gfx942", 72, 16, 0, 256), 7);
  EXPECT_EQ(waves("gfx942", 256, 16, 0, 256), 2);
  EXPECT_EQ(waves("gfx942", 264, 16, 0, 256), 1);
  EXPECT_EQ(waves("gfx942", 512, 16, 0, 256), 1);
}

TEST(WavesPerSimd, ScalarRegistersLimit) {
  EXPECT_EQ(waves("gfx942", 8, 100, 0, 256), 8);
  EXPECT_EQ(waves("gfx942", 8, 101, 0, 256), 7);
}

TEST(WavesPerSimd, LdsLimits) {
  // 64 KiB against 160 KiB, workgroups of four waves, one for each SIMD.
  EXPECT_EQ(waves("gfx942", 8, 16, 32 * 1024, 256), 2);
  EXPECT_EQ(waves("gfx950", 8, 16, 32 * 1024, 256), 5);
  EXPECT_EQ(waves("gfx942", 8, 16, 33 * 1024, 256), 1);
  // Eight waves take two places on each SIMD; one wave takes one somewhere.
  EXPECT_EQ(waves("gfx942", 8, 16, 33 * 1024, 512), 2);
  EXPECT_EQ(waves("gfx942", 8, 16, 33 * 1024, 64), 1);
}

std::string readError(llvm::ArrayRef<char> bytes) {
  llvm::Expected<std::vector<KernelResources>> result = readResources(bytes);
  return result ? "" : llvm::toString(result.takeError());
}

TEST(ReadResources, RefusesWhatIsNoElf) {
  EXPECT_FALSE(readError({}).empty());
  EXPECT_FALSE(readError(std::vector<char>(256, 'x')).empty());
}

TEST(ReadResources, RefusesOtherMachinesAndMissingMetadata) {
  llvm::ELF::Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, "\177ELF", 4);
  header.e_ident[llvm::ELF::EI_CLASS] = llvm::ELF::ELFCLASS64;
  header.e_ident[llvm::ELF::EI_DATA] = llvm::ELF::ELFDATA2LSB;
  header.e_ident[llvm::ELF::EI_VERSION] = llvm::ELF::EV_CURRENT;
  header.e_type = llvm::ELF::ET_DYN;
  header.e_machine = llvm::ELF::EM_X86_64;
  header.e_ehsize = sizeof(header);
  std::vector<char> bytes(sizeof(header));
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(readError(bytes), "the code object is not for AMD GPUs");

  header.e_machine = llvm::ELF::EM_AMDGPU;
  std::memcpy(bytes.data(), &header, sizeof(header));
  EXPECT_EQ(readError(bytes), "the code object has no AMDGPU metadata note");
}

} // namespace
