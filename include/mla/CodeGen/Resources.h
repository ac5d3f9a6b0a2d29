//===- Resources.h - What the kernels of a code object use ------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Read from the finished code object, so that it is what the hardware will be
// told: the kernel descriptors and the metadata note (LLVM's "User Guide for
// AMDGPU Backend", sections "Kernel Descriptor" and "Code Object V5 Metadata").
//
//===----------------------------------------------------------------------===//

#ifndef MLA_CODEGEN_RESOURCES_H
#define MLA_CODEGEN_RESOURCES_H

#include "mla/Targets/Chips.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace mla::codegen {

struct KernelResources {
  std::string kernel;
  /// Registers of a lane: vector, and accumulation beside them.
  int64_t vgprs = 0;
  int64_t agprs = 0;
  /// Vector registers taken from the file, both kinds with all rounding.
  int64_t allocatedVgprs = 0;
  int64_t sgprs = 0;
  int64_t ldsBytes = 0;     ///< Of a workgroup.
  int64_t scratchBytes = 0; ///< Of a lane.
  int64_t vgprSpills = 0;
  int64_t sgprSpills = 0;
  bool dynamicStack = false;
  int64_t kernargBytes = 0;
  /// Threads that a workgroup may have.
  int64_t maxThreads = 0;
  /// Offsets of the arguments that the caller passes, and their sizes.
  struct Argument {
    int64_t offset;
    int64_t bytes;
    bool globalPointer;
  };
  std::vector<Argument> arguments;

  bool spills() const {
    return scratchBytes || vgprSpills || sgprSpills || dynamicStack;
  }
};

/// The kernels of a linked code object in the order of its metadata.
llvm::Expected<std::vector<KernelResources>>
readResources(llvm::ArrayRef<char> codeObject);

/// Waves of the kernel that a SIMD can hold at once, in workgroups of
/// `threads`: limited by vector registers, by scalar registers and by LDS.
int64_t wavesPerSimd(const KernelResources &resources,
                     const targets::Chip &chip, int64_t threads);

} // namespace mla::codegen

#endif // MLA_CODEGEN_RESOURCES_H
