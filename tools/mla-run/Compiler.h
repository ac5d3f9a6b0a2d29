//===- Compiler.h - Calls mla-compile ---------------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_COMPILER_H
#define MLA_TOOLS_MLARUN_COMPILER_H

#include "Options.h"

#include <filesystem>

namespace mla::run {

/// The folder that this program lies in.
std::filesystem::path programFolder();

/// A folder that is removed with this object.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder &) = delete;

  const std::filesystem::path &path() const { return folder; }

private:
  std::filesystem::path folder;
};

/// Compiles a bundle for the options' problem in these formats, with schedule
/// tables for the options' cases.
void compileBundle(const Options &options, const std::string &chip,
                   const Formats &formats, const std::filesystem::path &output);

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_COMPILER_H
