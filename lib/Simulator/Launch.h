//===- Launch.h - Runs a grid of workgroups ---------------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_LIB_SIMULATOR_LAUNCH_H
#define MLA_LIB_SIMULATOR_LAUNCH_H

#include "CodeObject.h"
#include "LaunchProfile.h"
#include "Workgroup.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace mla::sim {

struct LaunchConfig {
  uint32_t grid[3] = {1, 1, 1};  ///< Workgroups.
  uint32_t block[3] = {1, 1, 1}; ///< Work-items of a workgroup.
  uint32_t dynamicLdsBytes = 0;
  uint64_t kernargAddress = 0;
  /// Host threads; 0: one for each core.
  uint32_t threads = 0;
  /// Waves of a workgroup take turns after this many instructions.
  uint64_t quantum = 20000;
  /// Instructions that one wave may execute before the launch is stopped.
  uint64_t waveBudget = uint64_t(1) << 30;
  /// Keep a LaunchProfile.
  bool profile = false;
  /// Loads arrive only when they are waited for; see LateDelivery.h.
  bool lateDelivery = false;
  /// Not 0: workgroups begin in a random order, and the waves of each take
  /// turns of random length in random order. What a kernel computes must not
  /// depend on it.
  uint64_t orderSeed = 0;
};

/// What a launch executed, for statistics.
struct LaunchStatistics {
  uint64_t waves = 0;
  uint64_t instructions = 0;
  /// Executions of each static instruction of the program.
  std::vector<uint64_t> counts;
};

/// One launch: distributes workgroups over host threads and keeps the fault
/// of the first workgroup that had one (first in the order of the grid, so
/// that it does not depend on the number of threads).
class Launch {
public:
  Launch(const CodeObject &object, const Kernel &kernel, DeviceMemory &memory,
         std::string_view chip);

  /// Empty, or a sentence about what in `config` the kernel or the chip does
  /// not allow.
  std::string validate(const LaunchConfig &config) const;

  /// Runs the grid. Empty on success, else a sentence about the fault.
  std::string run(const LaunchConfig &config);

  const LaunchStatistics &statistics() const { return stats; }
  /// Null unless LaunchConfig::profile was set.
  const LaunchProfile *profile() const { return launchProfile.get(); }

  /// Called by a wave that faults.
  void recordFault(const Wave &wave, const Instruction &inst, int lane,
                   const char *sentence);

private:
  class Worker;

  void writeDispatchPacket();

  const CodeObject &object;
  const Kernel &kernel;
  DeviceMemory &memory;
  std::string chip;
  LaunchConfig config;
  uint64_t numWorkgroups = 0;
  std::atomic<uint64_t> nextWorkgroup{0};
  std::atomic<uint64_t> faultedWorkgroup{UINT64_MAX};
  std::string faultText;
  std::mutex mutex;
  LaunchStatistics stats;
  std::unique_ptr<LaunchProfile> launchProfile;
  /// The AQL packet that the dispatch pointer shows to the kernel.
  void *packet = nullptr;

  friend class Worker;
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_LAUNCH_H
