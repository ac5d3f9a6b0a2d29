//===- Bundle.cpp - Write a bundle file -----------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/CodeGen/Bundle.h"
#include "mla/IR/MLADialect.h"
#include "mla/Runtime/BundleFormat.h"

#include "llvm/Support/CRC.h"
#include <nlohmann/json.hpp>

using namespace llvm;
using namespace mla;
using namespace mla::codegen;

using Json = nlohmann::ordered_json;
namespace key = mla::bundle::key;

namespace {

ArrayRef<uint8_t> asBytes(StringRef text) {
  return {reinterpret_cast<const uint8_t *>(text.data()), text.size()};
}

Json toJson(const KernelInfo &kernel) {
  Json arguments = Json::array();
  for (const ArgumentInfo &argument : kernel.arguments)
    arguments.push_back(
        {{key::name, argument.name}, {key::access, argument.access}});
  const KernelResources &used = kernel.resources;
  return {
      {key::name, kernel.name},
      {key::role, kernel.role},
      {key::codeObject, 0},
      {key::block, kernel.block},
      {key::grid,
       {{key::symbol, kernel.gridSymbol}, {key::factor, kernel.gridFactor}}},
      {key::args, arguments},
      {key::resources,
       {{key::vgprs, used.vgprs},
        {key::agprs, used.agprs},
        {key::sgprs, used.sgprs},
        {key::ldsBytes, used.ldsBytes},
        {key::scratchBytes, used.scratchBytes},
        {key::vgprSpills, used.vgprSpills},
        {key::sgprSpills, used.sgprSpills},
        {key::wavesPerSimd, kernel.wavesPerSimd}}}};
}

/// The manifest but for what depends on where blobs lie.
Json toJson(const BundleInfo &info) {
  Json workspace = Json::array();
  for (const WorkspaceInfo &buffer : info.workspace)
    workspace.push_back({{key::name, buffer.name},
                         {key::symbol, buffer.symbol},
                         {key::bytes, buffer.bytes}});
  Json kernels = Json::array();
  for (const KernelInfo &kernel : info.kernels)
    kernels.push_back(toJson(kernel));
  const schedule::Rates rates = info.scheduleConfig().rates;
  return {{key::formatVersion, bundle::kFormatVersion},
          {key::producer, "mla-compile " MLA_VERSION},
          {key::chip, info.chip},
          {key::fileBytes, 0},
          {key::problem,
           {{key::heads, info.heads},
            {key::latent, kLatent},
            {key::rope, kRope},
            {key::pageSize, info.pageSize},
            {key::kvFormat, info.kvFormat},
            {key::qFormat, info.qFormat},
            {key::qMode, info.qMode},
            {key::qTerms, info.qTerms},
            {key::fp8, info.fp8 ? Json(*info.fp8) : Json()},
            {key::smScale, info.smScale},
            {key::outType, info.outType}}},
          {key::schedule,
           {{key::workgroups, info.workgroups},
            {key::workgroupsPerCu, info.workgroupsPerCu},
            {key::tileRows, info.tileRows},
            {key::headsPerBlock, info.headsPerBlock},
            {key::partialRows, rates.partialRows},
            {key::latencyRows, rates.latencyRows},
            {key::saturatingWorkgroups, rates.saturatingWorkgroups}}},
          {key::workspace, workspace},
          {key::kernels, kernels},
          {key::codeObjects, Json::array()},
          {key::tables, Json::array()}};
}

/// The rows of all sequences when they are equal, else 0.
int64_t commonRows(const schedule::Lengths &lengths) {
  for (int32_t sequence = 1; sequence < lengths.batch(); ++sequence)
    if (lengths.rows(sequence) != lengths.rows(0))
      return 0;
  return lengths.batch() ? lengths.rows(0) : 0;
}

/// A blob and its entry in one of the manifest's lists.
struct Blob {
  const char *list;
  std::string bytes;
  Json entry;
};

/// Gives all blobs their places behind a manifest of `manifestBytes`; returns
/// the size of the file.
uint64_t place(MutableArrayRef<Blob> blobs, uint64_t manifestBytes) {
  uint64_t end = sizeof(bundle::BundleHeader) + manifestBytes;
  for (Blob &blob : blobs) {
    uint64_t offset = bundle::alignBlob(end);
    blob.entry[key::offset] = offset;
    end = offset + blob.bytes.size();
  }
  return end;
}

} // namespace

std::string mla::codegen::writeBundle(const BundleInfo &info,
                                      ArrayRef<char> codeObject,
                                      ArrayRef<schedule::StoredTables> tables) {
  std::vector<Blob> blobs;
  blobs.push_back({key::codeObjects,
                   std::string(codeObject.begin(), codeObject.end()),
                   Json::object()});
  for (const schedule::StoredTables &stored : tables) {
    std::vector<uint8_t> bytes = schedule::serialise(stored);
    blobs.push_back({key::tables, std::string(bytes.begin(), bytes.end()),
                     Json{{key::batch, stored.lengths.batch()},
                          {key::kvRows, commonRows(stored.lengths)},
                          {key::workgroups, stored.config.workgroups}}});
  }
  for (Blob &blob : blobs) {
    blob.entry[key::offset] = 0;
    blob.entry[key::bytes] = blob.bytes.size();
    blob.entry[key::crc32] = crc32(asBytes(blob.bytes));
  }

  // The manifest's size depends on how many digits the offsets have, and these
  // on its size. Both only grow, so this ends.
  std::string manifest;
  uint64_t fileBytes = 0;
  for (size_t assumed = 0;; assumed = manifest.size()) {
    fileBytes = place(blobs, assumed);
    Json json = toJson(info);
    json[key::fileBytes] = fileBytes;
    for (const Blob &blob : blobs)
      json[blob.list].push_back(blob.entry);
    manifest = json.dump(/*indent=*/1) + "\n";
    if (manifest.size() == assumed)
      break;
  }

  bundle::BundleHeader header;
  header.manifestBytes = manifest.size();
  header.manifestCrc32 = crc32(asBytes(manifest));
  std::string file(reinterpret_cast<const char *>(&header), sizeof(header));
  file += manifest;
  for (const Blob &blob : blobs) {
    file.resize(blob.entry[key::offset].get<uint64_t>());
    file += blob.bytes;
  }
  return file;
}
