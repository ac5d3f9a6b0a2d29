//===- Report.cpp - The table and the JSON file ---------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "mla/Runtime/BundleFormat.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <fstream>

using namespace mla::run;

static constexpr size_t kLongestKv = 28;

static std::string format(const char *pattern, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, pattern);
  std::vsnprintf(text, sizeof(text), pattern, arguments);
  va_end(arguments);
  return text;
}

static std::string describeDigest(uint64_t digest) {
  return format("%016llx", static_cast<unsigned long long>(digest));
}

static bool allEqual(const std::vector<int32_t> &values) {
  return std::all_of(values.begin(), values.end(),
                     [&](int32_t value) { return value == values.front(); });
}

std::string mla::run::describeKv(const Case &lengths) {
  const std::vector<int32_t> &kv = lengths.kv;
  if (allEqual(kv))
    return std::to_string(kv.front());
  std::string all;
  for (int32_t length : kv)
    all += (all.empty() ? "" : ",") + std::to_string(length);
  if (all.size() <= kLongestKv)
    return all;
  auto [least, most] = std::minmax_element(kv.begin(), kv.end());
  return std::to_string(*least) + ".." + std::to_string(*most);
}

std::string mla::run::describeFormats(const Formats &formats) {
  std::string text =
      formats.kv == formats.q ? formats.kv : formats.kv + ", q " + formats.q;
  // Only what the user asked for: per_head goes without saying.
  if (formats.qMode != bundle::qmode::none &&
      formats.qMode != bundle::qmode::perHead)
    text += ", q " + formats.qMode;
  return text;
}

/// The formats, and how foreign kernels are called.
static std::string describeRun(const Result &result) {
  if (result.abi.empty())
    return describeFormats(result.formats);
  Formats formats = result.formats;
  formats.qMode = mla::bundle::qmode::none; // There is but one.
  return describeFormats(formats) + ", " + result.abi;
}

static std::string describeBytes(int64_t bytes) {
  if (bytes < 1000 * 1000)
    return format("%.1f kB", bytes / 1e3);
  return bytes < 1000 * 1000 * 1000 ? format("%.1f MB", bytes / 1e6)
                                    : format("%.2f GB", bytes / 1e9);
}

Table::Table(const Options &options)
    : withBf16Q(options.againstBf16Q), withChecked(options.sample > 0),
      withDigest(options.digest) {
  size_t widest = 4;
  for (const Case &entry : options.cases)
    widest = std::max(widest, describeKv(entry).size());
  kvWidth = static_cast<int>(widest);
}

void Table::print(const std::vector<std::string> &cells) const {
  std::vector<int> widths = {-6, 5, kvWidth, -14, 8, 8, 8, 8};
  if (withBf16Q)
    widths.push_back(8);
  if (withChecked)
    widths.push_back(8);
  if (withDigest)
    widths.push_back(16);
  widths.insert(widths.end(), {9, 9, -4});
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i)
    line += format(i ? "  %*s" : "%*s", widths[i], cells[i].c_str());
  line.erase(line.find_last_not_of(' ') + 1);
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

void Table::add(const Result &result) {
  if (first) {
    std::vector<std::string> header = {"chip",    "batch",    "kv",
                                       "formats", "launches", "rel L2",
                                       "max abs", "lse err"};
    if (withBf16Q)
      header.push_back("bf16 q");
    if (withChecked)
      header.push_back("checked");
    if (withDigest)
      header.push_back("digest");
    header.insert(header.end(), {"KV bytes", "host time", "ok"});
    print(header);
    first = false;
  }
  std::vector<std::string> cells = {
      result.chip,
      std::to_string(result.lengths.batch()),
      describeKv(result.lengths),
      describeRun(result),
      std::to_string(result.plan.launches),
      format("%.2e", result.relativeL2),
      format("%.2e", result.maxAbs),
      result.lseChecked ? format("%.2e", result.lseMaxAbs) : "-"};
  if (withBf16Q)
    cells.push_back(format("%.2e", result.relativeL2Bf16Q));
  if (withChecked)
    cells.push_back(std::to_string(result.checked) + "/" +
                    std::to_string(result.lengths.batch()));
  if (withDigest)
    cells.push_back(describeDigest(result.digest));
  cells.push_back(describeBytes(result.kvBytes));
  cells.push_back(format("%.2f s", result.runSeconds));
  cells.push_back(result.ok() ? "ok" : "FAIL");
  print(cells);
}

/// NaN and infinity have no JSON number; they become null.
static nlohmann::json toJson(const Result &result) {
  const std::vector<int32_t> &kv = result.lengths.kv;
  nlohmann::json json = {
      {"chip", result.chip},
      {"batch", result.lengths.batch()},
      {"kv", allEqual(kv) ? nlohmann::json(kv.front()) : nlohmann::json(kv)},
      {"q_len", result.lengths.queryLength},
      {"heads", result.heads},
      {"page_size", result.pageSize},
      {"kv_format", result.formats.kv},
      {"q_format", result.formats.q},
      {"q_mode", result.formats.qMode},
      {"launches", result.plan.launches},
      {"workgroups", result.plan.workgroups},
      {"partials", result.plan.partials},
      {"stored_tables", result.plan.stored_tables != 0},
      {"workspace_bytes", result.plan.workspace_bytes},
      {"rel_l2", result.relativeL2},
      {"max_abs", result.maxAbs},
      {"lse_max_abs", result.lseMaxAbs},
      {"rel_l2_bound", result.boundL2},
      {"lse_bound", result.boundLse},
      {"not_finite", result.unwritten},
      {"digest", describeDigest(result.digest)},
      {"sequences_checked", result.checked},
      {"bytes_kv", result.kvBytes},
      {"data_seconds", result.dataSeconds},
      {"run_seconds", result.runSeconds},
      {"check_seconds", result.checkSeconds},
      {"ok", result.ok()}};
  if (result.relativeL2Bf16Q >= 0)
    json["rel_l2_bf16_q"] = result.relativeL2Bf16Q;
  for (const mla_sim_profile &kernel : result.kernels)
    json["kernels"].push_back(
        {{"kernel", kernel.kernel},
         {"workgroups", kernel.workgroups},
         {"valu", kernel.valu},
         {"salu", kernel.salu},
         {"mfma", kernel.mfma},
         {"lds", kernel.lds},
         {"global_loads", kernel.global_loads},
         {"global_stores", kernel.global_stores},
         {"waits", kernel.waits},
         {"barriers", kernel.barriers},
         {"load_bytes", kernel.load_bytes},
         {"load_segments", kernel.load_segments},
         {"distinct_load_segments", kernel.distinct_load_segments},
         {"store_bytes", kernel.store_bytes},
         {"valu_cycles", kernel.valu_cycles},
         {"matrix_cycles", kernel.matrix_cycles},
         {"lds_cycles", kernel.lds_cycles},
         {"lds_conflict_cycles", kernel.lds_conflict_cycles},
         {"bytes_in_flight", kernel.bytes_in_flight}});
  if (!result.kernels.empty())
    json["attended_rows"] = result.attendedRows();
  if (!result.abi.empty()) {
    json["role"] = result.abi;
    json["kernel"] = result.kernel;
    json["combined_on_host"] = true;
    json["lse_checked"] = result.lseChecked;
  }
  return json;
}

void mla::run::writeJson(const std::string &path, const Options &options,
                         const std::vector<Result> &results) {
  nlohmann::json cases = nlohmann::json::array();
  for (const Result &result : results)
    cases.push_back(toJson(result));
  nlohmann::json root = {{"device", options.device},
                         {"seed", options.seed},
                         {"identity_pages", options.identityPages},
                         {"cases", cases}};
  std::ofstream file(path);
  file << root.dump(1) << "\n";
  file.close();
  if (!file)
    throw Failure("cannot write " + path);
}
