//===- BundleReader.cpp - A bundle in memory, checked ---------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleReader.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

using namespace mla::runtime;
namespace bundle = mla::bundle;
namespace schedule = mla::schedule;

static Status damaged(const std::string &what) {
  return failure(MLA_ERROR_BUNDLE, "the bundle is damaged: " + what);
}

static Status checkBlob(const uint8_t *bytes, const Blob &blob,
                        const std::string &name, uint64_t manifestEnd) {
  if (blob.offset < manifestEnd)
    return damaged(name + " begins inside the manifest");
  uint32_t crc = bundle::crc32(bytes + blob.offset, blob.bytes);
  if (crc != blob.crc32)
    return damaged("the checksum of " + name + " is wrong");
  return ok();
}

static Status readTables(const uint8_t *bytes, BundleContents &contents) {
  const Manifest &manifest = contents.manifest;
  for (size_t i = 0; i < manifest.tables.size(); ++i) {
    const Blob &blob = manifest.tables[i];
    std::string error;
    auto stored = schedule::deserialise(bytes + blob.offset, blob.bytes, error);
    if (!stored)
      return damaged(error);
    const schedule::Config &config = stored->config;
    if (stored->lengths.pageSize != manifest.problem.pageSize ||
        config.heads != manifest.problem.heads ||
        config.headsPerBlock != manifest.schedule.headsPerBlock ||
        config.tileRows != manifest.schedule.tileRows)
      return damaged("tables[" + std::to_string(i) +
                     "] was made for another problem");
    contents.tables.push_back(std::move(*stored));
  }
  return ok();
}

Status mla::runtime::readBundle(const uint8_t *bytes, size_t size,
                                BundleContents &contents) {
  bundle::BundleHeader header;
  if (size < sizeof(header))
    return failure(MLA_ERROR_BUNDLE,
                   "this is no bundle: " + std::to_string(size) +
                       " bytes are too few for a header of " +
                       std::to_string(sizeof(header)));
  std::memcpy(&header, bytes, sizeof(header));
  if (header.magic != bundle::kMagic)
    return failure(MLA_ERROR_BUNDLE,
                   "this is no bundle: it does not begin with MLABNDL");
  if (header.formatVersion != bundle::kFormatVersion)
    return failure(MLA_ERROR_BUNDLE,
                   "the bundle has format version " +
                       std::to_string(header.formatVersion) +
                       "; this runtime reads version " +
                       std::to_string(bundle::kFormatVersion));
  if (header.manifestBytes > size - sizeof(header))
    return failure(MLA_ERROR_BUNDLE,
                   "the bundle is truncated: its manifest of " +
                       std::to_string(header.manifestBytes) +
                       " bytes does not fit into " + std::to_string(size));
  const uint8_t *text = bytes + sizeof(header);
  if (header.manifestCrc32 &&
      header.manifestCrc32 != bundle::crc32(text, header.manifestBytes))
    return damaged("the checksum of its manifest is wrong");

  BundleContents read;
  MLA_RETURN_IF_FAILED(
      parseManifest({reinterpret_cast<const char *>(text),
                     static_cast<size_t>(header.manifestBytes)},
                    size, read.manifest));
  uint64_t manifestEnd = sizeof(header) + header.manifestBytes;
  struct {
    const char *name;
    const std::vector<Blob> &blobs;
  } groups[] = {{"code_objects", read.manifest.codeObjects},
                {"tables", read.manifest.tables}};
  for (auto &[name, blobs] : groups)
    for (size_t i = 0; i < blobs.size(); ++i)
      MLA_RETURN_IF_FAILED(checkBlob(
          bytes, blobs[i], std::string(name) + "[" + std::to_string(i) + "]",
          manifestEnd));
  MLA_RETURN_IF_FAILED(readTables(bytes, read));
  contents = std::move(read);
  return ok();
}

Status mla::runtime::readFile(const char *path, std::vector<uint8_t> &bytes) {
  auto unreadable = [&] {
    return failure(MLA_ERROR_BUNDLE, "cannot read the bundle " +
                                         std::string(path) + ": " +
                                         std::strerror(errno));
  };
  std::unique_ptr<FILE, int (*)(FILE *)> file(std::fopen(path, "rb"),
                                              std::fclose);
  if (!file)
    return unreadable();
  uint8_t chunk[1 << 16];
  while (size_t count = std::fread(chunk, 1, sizeof(chunk), file.get()))
    bytes.insert(bytes.end(), chunk, chunk + count);
  if (std::ferror(file.get()))
    return unreadable();
  return ok();
}
