//===- CodeObject.h - A code object that is not in a bundle -----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_CODEOBJECT_H
#define MLA_TOOLS_MLARUN_CODEOBJECT_H

#include "mla/Runtime/mla_runtime.h"

#include <memory>
#include <string>
#include <vector>

namespace mla::run {

/// An AMDGPU ELF file in memory, and what it says of itself.
struct CodeObject {
  std::string path;
  std::vector<uint8_t> bytes;
  std::string chip; ///< One of targets::kChips.
  std::vector<std::string> kernels;

  /// Throws a Failure for a file that cannot be read, is no code object, is for
  /// a chip that is not known, or holds no kernel.
  static CodeObject read(const std::string &path);

  /// The kernel of that name, or for "" the only one.
  const std::string &kernel(const std::string &name) const;
};

/// A kernel of a code object, loaded by the HIP library of a device.
class LoadedKernel {
public:
  /// `ordinal` is the device's.
  LoadedKernel(const mla_device *device, int ordinal, const CodeObject &object,
               const std::string &kernel);
  ~LoadedKernel();

  /// Launches on the default stream, with the argument segment as one block.
  void launch(unsigned grid, unsigned block, void *arguments, size_t bytes);

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_CODEOBJECT_H
