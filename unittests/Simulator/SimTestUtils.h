//===- SimTestUtils.h - Assembles and runs small kernels in tests -*- C++
//-*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_UNITTESTS_SIMULATOR_SIMTESTUTILS_H
#define MLA_UNITTESTS_SIMULATOR_SIMTESTUTILS_H

#include "CodeObject.h"
#include "DeviceMemory.h"
#include "Launch.h"
#include "Program.h"
#include "Wave.h"
#include "Workgroup.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mla::sim::test {

/// The machine code of `assembly` for `chip`. A syntax error fails the test.
std::vector<uint8_t> assembleCode(std::string_view assembly,
                                  std::string_view chip);

/// What assembleKernel puts into the kernel descriptor.
struct KernelOptions {
  std::string name = "kernel";
  uint32_t ldsBytes = 0;
  uint32_t privateBytes = 0;
  uint32_t kernargBytes = 64;
  /// More directives for .amdhsa_kernel, one a line.
  std::string directives = {};
};

/// A linked code object with one kernel whose body is `assembly`. On entry
/// s[0:1] hold the kernel argument pointer, s2, s3, s4 the workgroup ids and
/// v0 the packed work-item ids.
std::vector<uint8_t> assembleKernel(std::string_view assembly,
                                    std::string_view chip,
                                    const KernelOptions &options = {});

/// A linked code object made of OpenCL C by clang.
std::vector<uint8_t> compileOpenCl(std::string_view source,
                                   std::string_view chip,
                                   std::string_view flags = "-O3");

/// Runs instructions on a wave that the test fills and looks at: no launch,
/// no kernel. Memory is that of `memory()`; LDS has 64 KiB.
class InstructionRunner {
public:
  explicit InstructionRunner(std::string_view chip);

  Wave &wave() { return *state; }
  DeviceMemory &memory() { return device; }
  uint8_t *lds() { return ldsBytes.data(); }
  Workgroup &group() { return shared; }

  /// Assembles and executes, from the first to the last instruction.
  void run(std::string_view assembly);

  /// The fault of the last run, or empty.
  const std::string &error() const { return fault; }

private:
  std::string chip;
  DeviceMemory device;
  std::vector<uint8_t> ldsBytes;
  std::vector<uint8_t> scratchBytes;
  Workgroup shared;
  std::unique_ptr<Wave> state;
  std::unique_ptr<Program> program;
  std::vector<uint64_t> counts;
  std::string fault;
};

/// Loads a code object and launches a kernel of it.
class KernelRunner {
public:
  KernelRunner(std::string_view chip, const std::vector<uint8_t> &image);

  DeviceMemory &memory() { return device; }
  /// Empty, or why the code object was refused.
  const std::string &loadError() const { return error; }

  /// A device array with these contents.
  template <typename T> T *upload(const std::vector<T> &values) {
    auto *pointer = static_cast<T *>(
        device.allocate(values.size() * sizeof(T), "test array"));
    std::copy(values.begin(), values.end(), pointer);
    return pointer;
  }

  /// Launches with `arguments` as the kernel argument segment. Returns the
  /// fault, or an empty string.
  std::string launch(std::string_view kernel, LaunchConfig config,
                     const std::vector<uint64_t> &arguments);

  const LaunchStatistics &statistics() const { return stats; }

  /// Of all workgroups of the last launch, if it was profiled.
  const ProfileTotals &profile() const { return totals; }

private:
  std::string chip;
  DeviceMemory device;
  std::string error;
  std::unique_ptr<CodeObject> object;
  LaunchStatistics stats;
  ProfileTotals totals;
};

} // namespace mla::sim::test

#endif // MLA_UNITTESTS_SIMULATOR_SIMTESTUTILS_H
