//===- Report.h - The table and the JSON file -------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_REPORT_H
#define MLA_TOOLS_MLARUN_REPORT_H

#include "Runner.h"

#include <string>
#include <vector>

namespace mla::run {

/// "1024", or "1,17,1000" cut short when long.
std::string describeKv(const Case &lengths);
/// "fp8", "bf16", "fp8, q dynamic", or the two formats where they differ.
std::string describeFormats(const Formats &formats);

/// Prints results as rows of a table, each as soon as it is there.
class Table {
public:
  /// Columns are as wide as these cases need, and some are left out where no
  /// row would say anything.
  explicit Table(const Options &options);

  void add(const Result &result);

private:
  void print(const std::vector<std::string> &cells) const;

  int kvWidth;
  bool withBf16Q, withChecked, withDigest;
  bool first = true;
};

void writeJson(const std::string &path, const Options &options,
               const std::vector<Result> &results);

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_REPORT_H
