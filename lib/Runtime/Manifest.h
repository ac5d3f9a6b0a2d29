//===- Manifest.h - A bundle's manifest, checked ----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_RUNTIME_MANIFEST_H
#define MLA_RUNTIME_MANIFEST_H

#include "Status.h"
#include "mla/Runtime/BundleFormat.h"
#include "mla/Schedule/Schedule.h"

#include <string>
#include <string_view>
#include <vector>

namespace mla::runtime {

/// Arguments of a kernel at most: each buffer once, with room to grow.
inline constexpr size_t kMaxKernelArgs = 16;

enum class Symbol : uint8_t { One, TotalQ, Workgroups, CombineItems, Partials };

struct Problem {
  int32_t heads, latent, rope, pageSize;
  std::string kvFormat, qFormat, qMode;
  int32_t qTerms;
  std::string fp8; ///< Empty when nothing is fp8.
  double smScale;
};

struct ScheduleChoice {
  int32_t workgroups; ///< 0: compute units × workgroupsPerCu.
  int32_t workgroupsPerCu;
  int32_t tileRows;
  int32_t headsPerBlock;
  schedule::Rates rates;
};

struct WorkspaceEntry {
  bundle::Buffer buffer;
  Symbol symbol;
  uint64_t bytes; ///< For each unit of the symbol.
};

struct Resources {
  int32_t vgprs = 0, agprs = 0, sgprs = 0;
  int32_t ldsBytes = 0, scratchBytes = 0;
  int32_t vgprSpills = 0, sgprSpills = 0;
  int32_t wavesPerSimd = 0;
};

struct Kernel {
  std::string name, role;
  int32_t codeObject;
  int32_t block; ///< Threads of a workgroup.
  Symbol gridSymbol;
  int32_t gridFactor;
  std::vector<bundle::Buffer> args;
  Resources resources;
};

/// Where bytes lie in the file.
struct Blob {
  uint64_t offset, bytes;
  uint32_t crc32;
};

struct Manifest {
  std::string producer, chip;
  Problem problem;
  ScheduleChoice schedule;
  std::vector<WorkspaceEntry> workspace;
  std::vector<Kernel> kernels;
  std::vector<Blob> codeObjects;
  std::vector<Blob> tables;
};

/// Reads the manifest of a file of `fileBytes` bytes, and checks everything
/// that can be checked without looking at the blobs.
Status parseManifest(std::string_view json, uint64_t fileBytes,
                     Manifest &manifest);

} // namespace mla::runtime

#endif // MLA_RUNTIME_MANIFEST_H
