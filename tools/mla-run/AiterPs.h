//===- AiterPs.h - Calls aiter's persistent MLA kernels ---------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hand-written MLA decode kernels that the public project ROCm/aiter ships
// as code objects, called as its host code does: docs/aiter.md describes the
// interface. The simulator is held against them, as code nobody here wrote.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_AITERPS_H
#define MLA_TOOLS_MLARUN_AITERPS_H

#include "CodeObject.h"
#include "Runner.h"

namespace mla::run {

/// The name of the interface on the command line.
inline constexpr const char *kAiterPs = "aiter-ps";

/// A code object whose kernel and the options fit each other.
class AiterKernel {
public:
  /// Throws a Failure when the options ask for what the kernel cannot do.
  AiterKernel(CodeObject object, const Options &options);

  /// Throws a Failure when the device is not of the object's chip.
  Device openDevice(const Options &options) const;

  /// Runs one case and compares it with float64.
  Result run(mla_device *device, const Case &lengths, const Options &options,
             const Progress &progress) const;

private:
  CodeObject object;
  std::string kernel;
  Formats kernelFormats;
  double smScale;
  bool writesLse; ///< For blocks that it does not split, too.
};

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_AITERPS_H
