//===- Options.h - The command line of mla-compile --------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLA_COMPILE_OPTIONS_H
#define MLA_TOOLS_MLA_COMPILE_OPTIONS_H

#include "Problem.h"

namespace mla::compile {

/// What to write, in the order in which a compilation comes by.
enum class Emit { MLIR, Lowered, LLVMIR, Assembly, Object, Bundle };

struct Options {
  std::string input; ///< Empty: `problem` says what to compile.
  Problem problem;
  std::vector<Shape> shapes; ///< To store tables of; tuned for the first.
  std::string chip;          ///< A known one.
  Emit emit = Emit::Bundle;
  std::string output; ///< "-" is standard output.
  bool fuse = true;
  std::string qPrecision, pPrecision; ///< Empty: chosen.
  int64_t scheduleRows = 0;
  int64_t workgroups = 0;
  bool allowSpills = false;
  std::string deviceLibraries;
  bool timing = false;
  std::string jsonFile;
};

/// Reads the command line. What it returns is a copy on purpose: lld puts all
/// command line variables of the process back to their defaults when it links.
/// --help and --version end the process here.
llvm::Expected<Options> parseCommandLine(int argc, char **argv);

} // namespace mla::compile

#endif // MLA_TOOLS_MLA_COMPILE_OPTIONS_H
