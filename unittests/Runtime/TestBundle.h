//===- TestBundle.h - Bundles for the runtime's tests -----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_UNITTESTS_RUNTIME_TESTBUNDLE_H
#define MLA_UNITTESTS_RUNTIME_TESTBUNDLE_H

#include "mla/Runtime/BundleFormat.h"
#include "mla/Schedule/Schedule.h"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

/// A bundle of the three-kernel form, whose manifest can be spoilt before it is
/// written out.
struct TestBundle {
  nlohmann::json manifest;
  std::vector<std::vector<uint8_t>> codeObjects = {{1, 2, 3, 4, 5}};
  std::vector<mla::schedule::StoredTables> tables;
  bool withManifestChecksum = true;

  explicit TestBundle(const std::string &qMode = "static") {
    using nlohmann::json;
    bool dynamic = qMode == "dynamic", none = qMode == "none";
    auto args = [](std::initializer_list<const char *> reads,
                   std::initializer_list<const char *> writes) {
      json list = json::array();
      for (const char *name : reads)
        list.push_back({{"name", name}, {"access", "read"}});
      for (const char *name : writes)
        list.push_back({{"name", name}, {"access", "write"}});
      return list;
    };
    auto kernel = [](const char *name, const char *role, int block,
                     const char *symbol, int factor, json arguments) {
      return json{{"name", name},
                  {"role", role},
                  {"code_object", 0},
                  {"block", block},
                  {"grid", {{"symbol", symbol}, {"factor", factor}}},
                  {"args", arguments},
                  {"resources",
                   {{"vgprs", 128},
                    {"agprs", 4},
                    {"sgprs", 40},
                    {"lds_bytes", 65536},
                    {"scratch_bytes", 0},
                    {"vgpr_spills", 0},
                    {"sgpr_spills", 0},
                    {"waves_per_simd", 2}}}};
    };
    json kernels = json::array(), workspace = json::array();
    auto buffer = [&](const char *name, const char *symbol, int bytes) {
      workspace.push_back(
          {{"name", name}, {"symbol", symbol}, {"bytes", bytes}});
    };
    if (!none)
      buffer("q_quantized", "total_q", 20 * 576);
    if (dynamic) {
      buffer("q_amax", "total_q", 4);
      buffer("q_scale", "one", 4);
      kernels.push_back(
          kernel("amax", "amax", 256, "total_q", 1, args({"q"}, {"q_amax"})));
      kernels.push_back(
          kernel("quantize", "quantize", 256, "total_q", 1,
                 args({"q", "q_amax", "counts"}, {"q_scale", "q_quantized"})));
    } else if (!none) {
      kernels.push_back(kernel("quantize", "quantize", 256, "total_q", 1,
                               args({"q", "q_scale"}, {"q_quantized"})));
    }
    buffer("partial_o", "partials", 16 * 512 * 4);
    buffer("partial_ml", "partials", 2 * 16 * 4);
    if (none)
      kernels.push_back(
          kernel("attend", "attend", 512, "workgroups", 1,
                 args({"q", "cache", "kv_indices", "work_indptr", "work_items"},
                      {"out", "lse", "partial_o", "partial_ml"})));
    else
      kernels.push_back(
          kernel("attend", "attend", 512, "workgroups", 1,
                 args({"q_quantized", "cache", "kv_indices", "q_scale",
                       "kv_scale", "work_indptr", "work_items"},
                      {"out", "lse", "partial_o", "partial_ml"})));
    kernels.push_back(kernel(
        "combine", "combine", 64, "combine_items", 4,
        args({"combine_items", "partial_o", "partial_ml"}, {"out", "lse"})));
    manifest = {{"format_version", 1},
                {"producer", "a test"},
                {"chip", "gfx950"},
                {"file_bytes", 0},
                {"problem",
                 {{"heads", 20},
                  {"latent", 512},
                  {"rope", 64},
                  {"page_size", 4},
                  {"kv_format", none ? "bf16" : "fp8"},
                  {"q_format", none ? "bf16" : "fp8"},
                  {"q_mode", qMode},
                  {"fp8", none ? json() : json("e4m3fn")},
                  {"sm_scale", 0.0416667},
                  {"out_type", "bf16"}}},
                {"schedule",
                 {{"workgroups", 0},
                  {"workgroups_per_cu", 2},
                  {"tile_rows", 32},
                  {"heads_per_block", 16}}},
                {"workspace", workspace},
                {"kernels", kernels}};
  }

  /// The bytes of the file.
  std::vector<uint8_t> write() {
    using namespace mla::bundle;
    struct Entry {
      nlohmann::json *json;
      std::vector<uint8_t> bytes;
    };
    auto &objects = manifest["code_objects"] = nlohmann::json::array();
    auto &stored = manifest["tables"] = nlohmann::json::array();
    for (size_t i = 0; i < codeObjects.size(); ++i)
      objects.push_back({{"offset", 0}});
    for (const auto &table : tables)
      stored.push_back({{"offset", 0},
                        {"batch", table.lengths.batch()},
                        {"kv_rows", 0},
                        {"workgroups", table.config.workgroups}});
    std::vector<Entry> entries;
    entries.reserve(codeObjects.size() + tables.size());
    for (size_t i = 0; i < codeObjects.size(); ++i)
      entries.push_back({&objects[i], codeObjects[i]});
    for (size_t i = 0; i < tables.size(); ++i)
      entries.push_back({&stored[i], mla::schedule::serialise(tables[i])});

    // Leaves room for the manifest, whose size depends on the offsets in it.
    const uint64_t first = 16384;
    uint64_t offset = first;
    for (Entry &entry : entries) {
      (*entry.json)["offset"] = offset;
      (*entry.json)["bytes"] = entry.bytes.size();
      (*entry.json)["crc32"] = crc32(entry.bytes.data(), entry.bytes.size());
      offset = alignBlob(offset + entry.bytes.size());
    }
    uint64_t end = entries.empty()
                       ? first
                       : (*entries.back().json)["offset"].get<uint64_t>() +
                             entries.back().bytes.size();
    if (manifest["file_bytes"] == 0)
      manifest["file_bytes"] = end;
    return assemble(manifest.dump(), end, entries);
  }

private:
  template <typename Entries>
  std::vector<uint8_t> assemble(const std::string &text, uint64_t end,
                                const Entries &entries) {
    std::vector<uint8_t> bytes(end);
    if (sizeof(mla::bundle::BundleHeader) + text.size() > 16384)
      std::abort();
    mla::bundle::BundleHeader header;
    header.manifestBytes = text.size();
    if (withManifestChecksum)
      header.manifestCrc32 = mla::bundle::crc32(text.data(), text.size());
    std::memcpy(bytes.data(), &header, sizeof(header));
    std::memcpy(bytes.data() + sizeof(header), text.data(), text.size());
    for (const auto &entry : entries)
      std::memcpy(bytes.data() + (*entry.json)["offset"].template get<size_t>(),
                  entry.bytes.data(), entry.bytes.size());
    return bytes;
  }
};

#endif // MLA_UNITTESTS_RUNTIME_TESTBUNDLE_H
