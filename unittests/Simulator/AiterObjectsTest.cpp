//===- AiterObjectsTest.cpp - All instructions of aiter's MLA objects -----===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Running a kernel shows only the instructions on its path. Here every
// instruction of every MLA code object in the environment's MLA_AITER_DIR
// (docs/aiter.md) has to be one that the simulator executes. Prints the
// mnemonics with the number of static instructions.
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

using namespace mla::sim;
namespace fs = std::filesystem;

namespace {

class AiterObjects : public testing::TestWithParam<const char *> {};

TEST_P(AiterObjects, everyInstructionIsKnown) {
  const char *root = std::getenv("MLA_AITER_DIR");
  if (!root || !*root)
    GTEST_SKIP() << "MLA_AITER_DIR is not set";
  const std::string chip = GetParam();
  std::map<std::string, size_t> counts;
  size_t objects = 0, instructions = 0;
  for (const fs::directory_entry &entry :
       fs::directory_iterator(fs::path(root) / chip / "mla")) {
    if (entry.path().extension() != ".co")
      continue;
    std::ifstream file(entry.path(), std::ios::binary);
    std::vector<uint8_t> image{std::istreambuf_iterator<char>(file), {}};
    DeviceMemory memory;
    std::string error;
    auto object =
        CodeObject::load(image.data(), image.size(), chip, memory, error);
    ASSERT_TRUE(object) << entry.path() << ": " << error;
    ++objects;
    for (const Instruction *inst : object->program().unknownInstructions())
      ADD_FAILURE() << entry.path() << ": '" << inst->text << "'";
    for (const Instruction &inst : object->program().instructions()) {
      if (!inst.bytes) // The sentinel behind the last one.
        continue;
      ++counts[inst.mnemonic];
      ++instructions;
    }
  }
  ASSERT_GT(objects, 0u);
  std::printf("%s: %zu objects, %zu instructions, %zu mnemonics\n",
              chip.c_str(), objects, instructions, counts.size());
  for (const auto &[mnemonic, count] : counts)
    std::printf("  %-32s %zu\n", mnemonic.c_str(), count);
}

INSTANTIATE_TEST_SUITE_P(Chips, AiterObjects,
                         testing::Values("gfx942", "gfx950"));

} // namespace
