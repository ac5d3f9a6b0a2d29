//===- Report.h - What mla-compile tells about its work ---------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLA_COMPILE_REPORT_H
#define MLA_TOOLS_MLA_COMPILE_REPORT_H

#include "mla/CodeGen/Bundle.h"

#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <string>
#include <vector>

namespace mla::compile {

/// Time spent in each stage since the one before.
class Stopwatch {
public:
  struct Stage {
    std::string name;
    double milliseconds;
  };

  void finish(llvm::StringRef stage) {
    auto now = std::chrono::steady_clock::now();
    stages.push_back(
        {stage.str(),
         std::chrono::duration<double, std::milli>(now - last).count()});
    last = now;
  }
  const std::vector<Stage> &all() const { return stages; }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
  std::vector<Stage> stages;
};

struct Report {
  std::string output; ///< File name, "-" for standard output.
  codegen::BundleInfo info;
  size_t codeObjectBytes = 0;
  size_t tables = 0;
  size_t fileBytes = 0;
};

/// Kernels, registers, LDS and bytes, for people.
void printSummary(const Report &report, llvm::raw_ostream &stream);
void printTiming(const Stopwatch &watch, llvm::raw_ostream &stream);

/// The same for programs.
std::string jsonReport(const Report &report, const Stopwatch &watch);

} // namespace mla::compile

#endif // MLA_TOOLS_MLA_COMPILE_REPORT_H
