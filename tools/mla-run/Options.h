//===- Options.h - The command line of mla-run ------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_OPTIONS_H
#define MLA_TOOLS_MLARUN_OPTIONS_H

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace mla::run {

/// Ends the program with exit code 2 and this sentence.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What one set of kernels computes with.
struct Formats {
  std::string kv, q, qMode;
};

/// The lengths of one run.
struct Case {
  int32_t queryLength = 1;
  std::vector<int32_t> kv; ///< Rows of each sequence.

  int32_t batch() const { return static_cast<int32_t>(kv.size()); }
};

struct Options {
  // Where to run.
  std::string device = "sim"; ///< "sim" or "hip".
  std::optional<std::string> chip;
  std::string hipLibrary;
  int32_t ordinal = 0;
  int32_t computeUnits = 0; ///< Of the simulated chip; 0: as it has.
  int32_t threads = 0;      ///< 0: one a core.
  bool late = false;        ///< Loads arrive only when they are waited for.
  uint64_t orderSeed = 0;   ///< Of workgroups' and waves' order; 0: in turn.

  // What to run.
  std::string bundle; ///< Empty: compile one for each of `formats`.
  /// Not empty: run a kernel of this file instead, called as `abi` says.
  std::string codeObject;
  std::string abi, kernel; ///< An empty kernel is the only one of the file.
  std::vector<Formats> formats;
  std::vector<Case> cases;
  // Absent: what the suite or the bundle says, or the base problem's.
  std::optional<int32_t> heads, pageSize;
  std::optional<double> smScale;
  bool fuse = true;
  std::string qPrecision, pPrecision; ///< Empty: the compiler's choice.
  /// Whether the user named formats, which a bundle then has to have.
  bool formatsGiven = false;

  // With what data, and what is reported.
  uint64_t seed = 1;
  int32_t sample = 0; ///< Sequences to check; 0: all.
  bool identityPages = false;
  bool againstBf16Q = false;
  bool digest = false;     ///< Of the outputs, in the table.
  bool statistics = false; ///< Of the simulated kernels.
  bool quiet = false;
  std::string json;
};

/// Reads the command line. Returns nothing, and the exit code, when the program
/// is to end at once: after --help, or with a usage error that was printed.
std::optional<Options> parseOptions(int argc, char **argv, int &exitCode);

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_OPTIONS_H
