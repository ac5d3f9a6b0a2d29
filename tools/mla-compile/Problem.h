//===- Problem.h - A problem given by options -------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mla-compile takes a problem as IR or as options; options become the same IR
// here, so that there is one way from then on.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLA_COMPILE_PROBLEM_H
#define MLA_TOOLS_MLA_COMPILE_PROBLEM_H

#include "mla/Schedule/Schedule.h"
#include "mla/Targets/Chips.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mla::compile {

/// One problem, as the options name it.
struct Problem {
  int64_t heads = 16;
  int64_t pageSize = 1;
  std::string kvFormat = "fp8";
  std::string qFormat;           ///< Empty: as the cache.
  std::string qMode;             ///< Empty: per_head for fp8, none for bf16.
  std::optional<double> smScale; ///< Absent: 1/√576.
};

/// Fills in what was left out and checks the rest.
llvm::Error complete(Problem &problem);

/// The lengths of a batch: rows of each sequence, query tokens of each.
struct Shape {
  std::vector<int64_t> rows;
  int64_t queryLength = 1;
};

/// `rows` holds one length for all sequences, or one for each. A `batch` of 0
/// means as many sequences as there are lengths.
llvm::Expected<Shape> makeShape(int64_t batch, llvm::ArrayRef<int64_t> rows,
                                int64_t queryLength);

/// Reads "BATCHxROWS", for instance 32x1024.
llvm::Expected<Shape> parseShape(llvm::StringRef text, int64_t queryLength);

/// The lengths with which the schedule makes its tables.
llvm::Expected<schedule::Lengths> makeLengths(const Shape &shape,
                                              int64_t pageSize);

/// A module with one function @decode that holds the mla.decode of `problem`,
/// tuned for `shape` if there is one.
std::string problemText(const Problem &problem, const targets::Chip &chip,
                        const std::optional<Shape> &shape);

} // namespace mla::compile

#endif // MLA_TOOLS_MLA_COMPILE_PROBLEM_H
