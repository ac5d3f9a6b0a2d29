//===- LaunchProfile.h - What a launch asks of the chip's parts -*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_LAUNCHPROFILE_H
#define MLA_LIB_SIMULATOR_LAUNCHPROFILE_H

#include "InstructionCost.h"
#include "LdsBanks.h"
#include "Program.h"
#include "Workgroup.h"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mla::sim {

/// LDS cycles of many accesses.
struct LdsCyclesSum {
  uint64_t all = 0, conflict = 0;
};

/// Sums over a part of a launch.
struct ProfileTotals {
  uint64_t loadBytes = 0, loadSegments = 0;
  uint64_t storeBytes = 0, storeSegments = 0;
  uint64_t atomicBytes = 0, atomicSegments = 0;
  uint64_t scalarBytes = 0;
  uint64_t valuCycles = 0, matrixCycles = 0; ///< Of SIMDs.
  uint64_t ldsCycles = 0, ldsConflictCycles = 0;

  void add(const ProfileTotals &other);
};

/// What one workgroup did.
struct WorkgroupProfile : ProfileTotals {
  /// From its begin to its end when it has the chip to itself.
  uint64_t pathCycles = 0;
  /// Sum over the waves of the largest number of bytes that each had in flight.
  uint64_t bytesInFlight = 0;
};

/// Which 64-byte segments of memory a launch has read. Threads may add at once.
class SegmentSet {
public:
  explicit SegmentSet(const DeviceMemory &memory) : memory(memory) {}

  /// Words of one bit a segment, of the allocation that holds `address`; null
  /// if there is none. Sets `window` to the allocation.
  std::atomic<uint64_t> *bitsOf(uint64_t address, MemoryWindow &window);
  uint64_t count() const;

private:
  struct Bits {
    std::unique_ptr<std::atomic<uint64_t>[]> words;
    uint64_t count = 0;
  };
  const DeviceMemory &memory;
  std::mutex mutex;
  std::map<uint64_t, Bits> allocations;
};

/// What all threads of a launch share while it is profiled, and its result.
struct LaunchProfile {
  LaunchProfile(const Program &program, const DeviceMemory &memory,
                const targets::Chip &chip, uint64_t workgroups);

  const Program &program;
  const targets::Chip &chip;
  std::vector<InstructionCost> costs;
  SegmentSet segments;
  std::vector<WorkgroupProfile> workgroups;

  // Added up by Profiler::finish.
  std::mutex mutex;
  /// LDS cycles and conflict cycles of each static instruction.
  std::vector<LdsCyclesSum> ldsOfInstruction;
  /// Bytes that waits retired, and the same times the bytes that their waves
  /// had in flight when they began to wait.
  double retiredBytes = 0, retiredTimesInFlight = 0;
};

/// Watches the workgroups that one host thread runs.
class Profiler {
public:
  explicit Profiler(LaunchProfile &profile);

  void begin(const Workgroup &group);
  /// Called before each instruction of a wave.
  void observe(const Wave &wave, const Instruction &inst);
  /// All waves that have not ended leave a barrier.
  void releaseBarrier();
  void end(const Workgroup &group);
  /// Adds what belongs to no workgroup to the launch's profile.
  void finish();

private:
  struct Operation {
    uint64_t done;
    uint32_t bytes;
  };
  /// Operations in flight, oldest first.
  struct Queue {
    std::vector<Operation> operations;
    size_t first = 0;
    uint64_t bytes = 0;

    size_t size() const { return operations.size() - first; }
    void push(uint64_t done, uint32_t bytes);
    Operation pop();
    void clear();
  };
  struct WaveState {
    uint64_t clock, matrixFree, matrixReady;
    uint64_t mostInFlight;
    Queue vector, other;
    uint64_t ready[kVgprs];
  };

  void waitForMatrix(WaveState &state, const Instruction &inst, bool matrix);
  void issueMatrix(WaveState &state, const Instruction &inst, unsigned cycles);
  void wait(WaveState &state, uint16_t counters);
  void globalAccess(WaveState &state, const Wave &wave, const Instruction &inst,
                    const InstructionCost &cost);
  void ldsAccess(WaveState &state, const Wave &wave, const Instruction &inst,
                 const InstructionCost &cost);
  bool laneAddresses(const Wave &wave, const Instruction &inst,
                     const InstructionCost &cost, uint64_t *addresses,
                     uint64_t &lanes) const;
  uint64_t touchSegments(const uint64_t *addresses, uint64_t lanes,
                         unsigned bytes, bool load);

  LaunchProfile &profile;
  const targets::ChipRates &rates;
  uint64_t memoryLatency; ///< Cycles.
  std::vector<WaveState> waves;
  WorkgroupProfile current;
  std::vector<LdsCyclesSum> ldsOfInstruction;
  double retiredBytes = 0, retiredTimesInFlight = 0;
  MemoryWindow window;
  std::atomic<uint64_t> *windowBits = nullptr;
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_LAUNCHPROFILE_H
