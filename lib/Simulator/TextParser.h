//===- TextParser.h - From printed to internal instructions -----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's disassembler knows every encoding of every chip; what it exports is
// the printed instruction. This turns that text into the internal form.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_TEXTPARSER_H
#define MLA_LIB_SIMULATOR_TEXTPARSER_H

#include "Instruction.h"

#include <functional>
#include <string>
#include <string_view>

namespace mla::sim {

/// What the parser borrows from the program that will own the instruction.
struct TextOwner {
  /// Keeps a string for the life of the program.
  std::function<const char *(std::string_view)> intern;
  /// 64 copies of a value, kept for the life of the program.
  std::function<const uint32_t *(uint32_t)> splat;
};

/// Fills operands, modifiers, mnemonic and text of `inst` from the text as
/// printed by LLVM. `imm16` are the low 16 bits of the encoding's first dword.
/// Returns an empty string, or a sentence about what was not understood.
std::string parseInstructionText(std::string_view text, uint16_t imm16,
                                 const TextOwner &owner, Instruction &inst);

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_TEXTPARSER_H
