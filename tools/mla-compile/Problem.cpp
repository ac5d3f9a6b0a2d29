//===- Problem.cpp - A problem given by options ---------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include "mla/IR/MLADialect.h"
#include "mla/Runtime/BundleFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>
#include <numeric>

using namespace llvm;
using namespace mla;
using namespace mla::compile;

namespace format = mla::bundle::format;
namespace qmode = mla::bundle::qmode;

namespace {

/// Formats and modes that go together; the first that fits a request wins.
struct Combination {
  std::string_view kvFormat, qFormat, qMode;
};
constexpr Combination kCombinations[] = {
    {format::fp8, format::fp8, qmode::perHead},
    {format::fp8, format::fp8, qmode::fixed},
    {format::fp8, format::fp8, qmode::dynamic},
    {format::bf16, format::bf16, qmode::none},
};

std::string combinationNames() {
  std::string text;
  for (const Combination &known : kCombinations)
    text += formatv("{0}--kv-format {1} --q-format {2} --q-mode {3}",
                    text.empty() ? "" : ", ", known.kvFormat, known.qFormat,
                    known.qMode);
  return text;
}

Error checkPositive(StringRef option, int64_t value) {
  if (value > 0 && value <= std::numeric_limits<int32_t>::max())
    return Error::success();
  return createStringError(formatv("{0} must be from 1 to {1}, got {2}", option,
                                   std::numeric_limits<int32_t>::max(), value));
}

} // namespace

Error mla::compile::complete(Problem &problem) {
  if (Error error = checkPositive("--heads", problem.heads))
    return error;
  if (Error error = checkPositive("--page-size", problem.pageSize))
    return error;
  if (!problem.smScale)
    problem.smScale = 1 / std::sqrt(static_cast<double>(kRow));
  if (!std::isfinite(*problem.smScale) || *problem.smScale <= 0)
    return createStringError(formatv(
        "--sm-scale must be finite and positive, got {0}", *problem.smScale));

  auto fits = [](StringRef given, StringRef known) {
    return given.empty() || given == known;
  };
  const Combination *found = find_if(kCombinations, [&](const Combination &it) {
    return fits(problem.kvFormat, it.kvFormat) &&
           fits(problem.qFormat, it.qFormat) && fits(problem.qMode, it.qMode);
  });
  if (found == std::end(kCombinations)) {
    std::string given = "--kv-format " + problem.kvFormat;
    if (!problem.qFormat.empty())
      given += " --q-format " + problem.qFormat;
    if (!problem.qMode.empty())
      given += " --q-mode " + problem.qMode;
    return createStringError("there are no kernels for " + given +
                             "; there are for " + combinationNames());
  }
  problem.qFormat = found->qFormat;
  problem.qMode = found->qMode;
  return Error::success();
}

Expected<Shape> mla::compile::makeShape(int64_t batch, ArrayRef<int64_t> rows,
                                        int64_t queryLength) {
  if (rows.empty())
    return createStringError(
        "--batch needs --kv: the cache rows of each sequence");
  if (batch == 0)
    batch = rows.size();
  if (Error error = checkPositive("--batch", batch))
    return error;
  if (Error error = checkPositive("--q-len", queryLength))
    return error;
  if (rows.size() != 1 && static_cast<int64_t>(rows.size()) != batch)
    return createStringError(
        formatv("--kv takes one length for all sequences or one for each: got "
                "{0} lengths for {1} sequences",
                rows.size(), batch));
  for (int64_t length : rows)
    if (length < 0 || length > std::numeric_limits<int32_t>::max())
      return createStringError(
          formatv("the lengths of --kv must be from 0 to {0}, got {1}",
                  std::numeric_limits<int32_t>::max(), length));
  Shape shape;
  shape.queryLength = queryLength;
  shape.rows.assign(rows.begin(), rows.end());
  if (rows.size() == 1)
    shape.rows.assign(batch, rows.front());
  return shape;
}

Expected<Shape> mla::compile::parseShape(StringRef text, int64_t queryLength) {
  auto [batchText, rowsText] = text.split('x');
  int64_t batch, rows;
  if (batchText.getAsInteger(10, batch) || rowsText.getAsInteger(10, rows) ||
      batch == 0)
    return createStringError("--shape must be BATCHxROWS, for instance "
                             "32x1024; got '" +
                             text + "'");
  return makeShape(batch, rows, queryLength);
}

Expected<schedule::Lengths> mla::compile::makeLengths(const Shape &shape,
                                                      int64_t pageSize) {
  schedule::Lengths lengths;
  lengths.pageSize = static_cast<int32_t>(pageSize);
  lengths.qoIndptr = {0};
  lengths.kvIndptr = {0};
  int64_t queries = 0, pages = 0;
  for (int64_t rows : shape.rows) {
    int64_t pagesOfSequence = divideCeil(rows, pageSize);
    queries += shape.queryLength;
    pages += pagesOfSequence;
    if (queries > std::numeric_limits<int32_t>::max() ||
        pages > std::numeric_limits<int32_t>::max())
      return createStringError(
          "the shape has more query tokens or pages than int32 offsets count");
    lengths.qoIndptr.push_back(static_cast<int32_t>(queries));
    lengths.kvIndptr.push_back(static_cast<int32_t>(pages));
    lengths.kvLastPageLen.push_back(static_cast<int32_t>(
        pagesOfSequence ? rows - (pagesOfSequence - 1) * pageSize : 0));
  }
  return lengths;
}

std::string mla::compile::problemText(const Problem &problem,
                                      const targets::Chip &chip,
                                      const std::optional<Shape> &shape) {
  bool fp8 = problem.kvFormat == format::fp8;
  bool qScale = problem.qMode == qmode::fixed;
  StringRef element = !fp8                                      ? "bf16"
                      : chip.fp8 == targets::Fp8Flavour::E4M3FN ? "f8E4M3FN"
                                                                : "f8E4M3FNUZ";
  std::string q = formatv("tensor<?x{0}x{1}xbf16>", problem.heads, kRow);
  std::string out = formatv("tensor<?x{0}x{1}xbf16>", problem.heads, kLatent);
  std::string lse = formatv("tensor<?x{0}xf32>", problem.heads);
  std::string cache =
      formatv("!mla.cache<{0}, page_size = {1}>", element, problem.pageSize);

  /// What the function takes, and the clause of mla.decode it belongs to.
  struct Operand {
    StringRef name;
    std::string type;
    bool present;
  };
  const Operand operands[] = {
      {"%q", q, true},
      {"%cache", cache, true},
      {"%qo_indptr", "tensor<?xi32>", true},
      {"%kv_indptr", "tensor<?xi32>", true},
      {"%kv_indices", "tensor<?xi32>", true},
      {"%kv_last_page_len", "tensor<?xi32>", true},
      {"%q_scale", "tensor<1xf32>", qScale},
      {"%kv_scale", "tensor<1xf32>", fp8},
  };
  std::string parameters, types;
  for (const Operand &operand : operands) {
    if (!operand.present)
      continue;
    StringRef comma = types.empty() ? "" : ", ";
    parameters += formatv("{0}{1}: {2}", comma, operand.name, operand.type);
    types += formatv("{0}{1}", comma, operand.type);
  }

  std::string text;
  raw_string_ostream stream(text);
  stream << "func.func @decode(" << parameters << ") -> (" << out << ", " << lse
         << ") {\n"
         << "  %out, %lse = mla.decode %q, %cache queries(%qo_indptr)\n"
         << "      pages(%kv_indptr, %kv_indices, %kv_last_page_len)";
  if (qScale)
    stream << " q_scale(%q_scale)";
  if (fp8)
    stream << " kv_scale(%kv_scale)";
  // Nine digits give back any f32.
  stream << "\n      {sm_scale = "
         << llvm::format("%.8e", static_cast<float>(*problem.smScale))
         << " : f32, q_mode = #mla.q_mode<" << problem.qMode << ">";
  if (shape) {
    int64_t rows =
        std::accumulate(shape->rows.begin(), shape->rows.end(), int64_t{0});
    stream << formatv(
        ", shape = #mla.shape<batch = {0}, kv = {1}, q_len = {2}>",
        shape->rows.size(), divideCeil(rows, shape->rows.size()),
        shape->queryLength);
  }
  stream << "}\n      : " << types << " -> " << out << ", " << lse << "\n"
         << "  return %out, %lse : " << out << ", " << lse << "\n}\n";
  return text;
}
