//===- BundleReader.h - A bundle in memory, checked -------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_RUNTIME_BUNDLEREADER_H
#define MLA_RUNTIME_BUNDLEREADER_H

#include "Manifest.h"
#include "mla/Schedule/Schedule.h"

#include <string>
#include <vector>

namespace mla::runtime {

/// What a bundle says and holds, apart from the code objects, which stay in
/// the bytes it was read from.
struct BundleContents {
  Manifest manifest;
  std::vector<schedule::StoredTables> tables;
};

/// Checks the whole bundle, checksums included. Never reads outside of the
/// bytes given.
Status readBundle(const uint8_t *bytes, size_t size, BundleContents &contents);

/// Reads a file as a whole.
Status readFile(const char *path, std::vector<uint8_t> &bytes);

} // namespace mla::runtime

#endif // MLA_RUNTIME_BUNDLEREADER_H
