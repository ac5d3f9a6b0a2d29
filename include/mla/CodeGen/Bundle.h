//===- Bundle.h - Kernels, their manifest and their tables ------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a bundle says about its kernels, taken from the attributes that the
// passes leave on the gpu.module, and the bundle file itself, whose format is
// in mla/Runtime/BundleFormat.h.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_CODEGEN_BUNDLE_H
#define MLA_CODEGEN_BUNDLE_H

#include "mla/CodeGen/DeviceModule.h"
#include "mla/CodeGen/Resources.h"
#include "mla/Schedule/Schedule.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include <optional>

namespace mla::codegen {

struct ArgumentInfo {
  std::string name; ///< One of bundle::kBuffers.
  std::string access;
};

struct KernelInfo {
  std::string name;
  std::string role;
  std::string gridSymbol;
  int64_t gridFactor = 1;
  int64_t block = 0; ///< Threads of a workgroup.
  std::vector<ArgumentInfo> arguments;
  KernelResources resources;
  int64_t wavesPerSimd = 0;
};

struct WorkspaceInfo {
  std::string name;
  std::string symbol;
  int64_t bytes = 0; ///< For each unit of the symbol.
};

struct BundleInfo {
  std::string chip;
  int64_t heads = 0;
  int64_t pageSize = 0;
  std::string kvFormat, qFormat, qMode, outType;
  int64_t qTerms = 1; ///< fp8 numbers that stand for an element of Q.
  std::optional<std::string> fp8; ///< Absent when nothing is fp8.
  double smScale = 0;
  int64_t workgroups = 0; ///< 0: compute units × workgroupsPerCu.
  int64_t workgroupsPerCu = 0;
  int64_t tileRows = 0;
  int64_t headsPerBlock = 0;
  int64_t tileBytes = 0; ///< Of the cache, under way to a workgroup at once.
  std::vector<WorkspaceInfo> workspace;
  std::vector<KernelInfo> kernels; ///< In launch order.

  /// What schedule tables for the whole chip are made with.
  schedule::Config scheduleConfig() const;

  /// Bytes of a cache row.
  int64_t rowBytes() const;
};

/// Reads `mla.problem`, `mla.split`, `mla.tile`, `mla.workspace` and the
/// `mla.kernel` of each function. Fails when one is missing or names a buffer
/// that bundles do not know.
llvm::Expected<BundleInfo> readBundleInfo(mlir::gpu::GPUModuleOp module,
                                          llvm::StringRef chip);

/// Reads the resources of all kernels of `info` from their code object, and
/// checks that each takes its arguments as 8-byte pointers, packed. Kernels
/// that spill registers or use scratch are an error unless `allowSpills`.
llvm::Error addResources(BundleInfo &info, llvm::ArrayRef<char> codeObject,
                         bool allowSpills);

/// The bundle file.
std::string writeBundle(const BundleInfo &info, llvm::ArrayRef<char> codeObject,
                        llvm::ArrayRef<schedule::StoredTables> tables);

} // namespace mla::codegen

#endif // MLA_CODEGEN_BUNDLE_H
