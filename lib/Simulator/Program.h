//===- Program.h - Decoded code of a code object ---------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_LIB_SIMULATOR_PROGRAM_H
#define MLA_LIB_SIMULATOR_PROGRAM_H

#include "HandlerTable.h"
#include "Instruction.h"
#include "Lanes.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace mla::sim {

/// The decoded form of one stretch of machine code. Instructions stand in the
/// order of their addresses; behind the last one stands a sentinel that
/// reports running off the end.
class Program {
public:
  /// Decodes `bytes` bytes at `code`, which the device sees at `address`.
  /// Words that are no instruction of the chip decode to an instruction that
  /// reports so when it is executed. Returns null and sets `error` if LLVM
  /// has no disassembler for the chip.
  static std::unique_ptr<Program> decode(const uint8_t *code, uint64_t bytes,
                                         uint64_t address,
                                         std::string_view chip,
                                         std::string &error);

  const std::vector<Instruction> &instructions() const { return code; }
  /// Class of each instruction.
  const std::vector<InstructionClass> &classes() const { return kinds; }
  /// Instructions that report an error when executed, as the simulator does
  /// not know them or their form.
  std::vector<const Instruction *> unknownInstructions() const;
  /// The instruction that begins at that address, or null.
  const Instruction *at(uint64_t address) const;

private:
  Program() = default;
  const char *intern(std::string_view text);
  const uint32_t *splatOf(uint32_t value);

  uint64_t base = 0;
  std::vector<Instruction> code;
  std::vector<InstructionClass> kinds;
  std::vector<int32_t> indexOfWord;
  std::unordered_set<std::string> strings;
  std::map<uint32_t, std::unique_ptr<LaneArray>> splats;
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_PROGRAM_H
