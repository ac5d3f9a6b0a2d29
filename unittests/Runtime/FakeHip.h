//===- FakeHip.h - A HIP library that only takes notes ----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory, kernels do nothing, and every call is written
// down, so that tests see what the runtime asked for and with what.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_UNITTESTS_RUNTIME_FAKEHIP_H
#define MLA_UNITTESTS_RUNTIME_FAKEHIP_H

#include <map>
#include <set>
#include <string>
#include <vector>

struct FakeHip {
  struct Launch {
    std::string kernel;
    unsigned grid, block;
    void *stream;
    std::vector<void *> arguments;
  };

  // What tests set.
  int deviceCount = 1;
  std::string chip = "gfx950:sramecc+:xnack-";
  int computeUnits = 256;
  /// How many arguments launches of a kernel pass.
  std::map<std::string, int> argumentCounts;
  /// The function that fails from now on, and with which error.
  std::string failing;
  int error = 0;

  // What the runtime did.
  std::vector<std::string> calls;
  std::vector<Launch> launches;
  std::map<void *, size_t> memory; ///< Allocations that have not been freed.
  std::set<std::string *> modules; ///< Loaded and not unloaded.
  int device = 0;
  void *memsetStream = nullptr; ///< Of the last hipMemsetAsync.
};

/// Exported by the library; forgets everything when `reset`.
using FakeHipAccess = FakeHip *(*)(bool reset);

#endif // MLA_UNITTESTS_RUNTIME_FAKEHIP_H
