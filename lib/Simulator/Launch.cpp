//===- Launch.cpp - Runs a grid of workgroups -----------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include "LateDelivery.h"
#include "RandomOrder.h"

#include "mla/Targets/Chips.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace mla::sim {
namespace {

/// A pattern for registers and memory that nobody wrote: as a float a NaN, as
/// an index far outside of everything.
constexpr uint32_t kPoison = 0x7FD5AAD5;
/// Private memory of a lane beyond the descriptor's for kernels whose stack
/// has no known bound; what the HIP runtime gives by default.
constexpr uint32_t kDynamicStackBytes = 16384;

/// Bits of Kernel::properties in the order in which their registers come
/// (AMDGPUUsage, "Initial Kernel Execution State").
enum PropertyBit {
  kPrivateSegmentBuffer = 0,
  kDispatchPtr = 1,
  kQueuePtr = 2,
  kKernargSegmentPtr = 3,
  kDispatchId = 4,
  kFlatScratchInit = 5,
  kPrivateSegmentSize = 6,
};

uint32_t privateBytesOf(const Kernel &kernel) {
  uint32_t bytes =
      kernel.privateBytes + (kernel.dynamicStack() ? kDynamicStackBytes : 0);
  return (bytes + 15) & ~15u;
}

template <typename T> struct AlignedFree {
  void operator()(T *pointer) const { free(pointer); }
};
template <typename T> using AlignedArray = std::unique_ptr<T, AlignedFree<T>>;

template <typename T> AlignedArray<T> alignedArray(size_t bytes) {
  bytes = (std::max<size_t>(bytes, 64) + 63) & ~size_t(63);
  return AlignedArray<T>(static_cast<T *>(aligned_alloc(64, bytes)));
}

void poison(void *memory, size_t bytes) {
  auto *words = static_cast<uint32_t *>(memory);
  std::fill(words, words + bytes / 4, kPoison);
  memset(words + bytes / 4, 0xD5, bytes % 4);
}

} // namespace

bool Workgroup::locate(uint64_t address, uint64_t bytes) {
  if (!memory->find(address, window)) {
    window = {};
    return false;
  }
  return bytes <= window.end - address;
}

void Workgroup::faultGlobal(Wave &wave, const Instruction &inst, int lane,
                            const char *doing, uint64_t bytes,
                            uint64_t address) {
  MemoryWindow hit;
  bool protectedHit =
      memory->find(address, hit) && bytes <= hit.end - address && !hit.writable;
  wave.fault(inst, lane, "%s %" PRIu64 " bytes at 0x%" PRIx64 ", %s%s", doing,
             bytes, address, memory->describe(address).c_str(),
             protectedHit ? ", which is read-only" : "");
}

void Wave::fault(const Instruction &inst, int lane, const char *format, ...) {
  char sentence[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  state = WaveState::Faulted;
  if (group && group->launch)
    group->launch->recordFault(*this, inst, lane, sentence);
  else if (group && group->faultText)
    *group->faultText = sentence;
}

/// One host thread's share of a launch: the memory of one workgroup at a time.
class Launch::Worker {
public:
  Worker(Launch &launch)
      : launch(launch), kernel(launch.kernel),
        counts(launch.object.program().instructions().size(), 0) {
    const LaunchConfig &config = launch.config;
    workItems = config.block[0] * config.block[1] * config.block[2];
    group.program = &launch.object.program();
    group.launch = &launch;
    group.memory = &launch.memory;
    group.numWaves = (workItems + kLanes - 1) / kLanes;
    group.ldsBytes = kernel.ldsBytes + config.dynamicLdsBytes;
    group.privateBytes = privateBytesOf(kernel);
    const targets::Chip *chip = targets::findChip(launch.chip);
    if (chip && chip->ldsBytes > 64 * 1024)
      group.ldsAddressMask = 0x3FFFF;
    waves = alignedArray<Wave>(sizeof(Wave) * group.numWaves);
    lds = alignedArray<uint8_t>(group.ldsSink() + Workgroup::kLdsSinkBytes);
    scratchBytes = size_t(group.privateBytes) * kLanes * group.numWaves;
    scratch = alignedArray<uint8_t>(scratchBytes);
    if (!waves || !lds || !scratch)
      return;
    group.waves = waves.get();
    group.lds = lds.get();
    group.scratch = scratch.get();
    if (launch.launchProfile)
      profiler = std::make_unique<Profiler>(*launch.launchProfile);
  }

  bool hasMemory() const { return group.waves; }

  void runUntilDone() {
    for (;;) {
      uint64_t index = launch.nextWorkgroup.fetch_add(1);
      if (index >= launch.numWorkgroups || index > launch.faultedWorkgroup)
        return;
      order = RandomOrder(launch.config.orderSeed, index);
      begin(launch.config.orderSeed
                ? RandomOrder(launch.config.orderSeed, ~uint64_t(0))
                      .placeOf(index, launch.numWorkgroups)
                : index);
      if (profiler)
        profiler->begin(group);
      run();
      if (profiler)
        profiler->end(group);
      executedWaves += group.numWaves;
    }
  }

  void addTo(LaunchStatistics &stats) const {
    stats.waves += executedWaves;
    if (profiler)
      profiler->finish();
    for (size_t i = 0; i < counts.size(); ++i) {
      stats.counts[i] += counts[i];
      stats.instructions += counts[i];
    }
  }

private:
  void begin(uint64_t index) {
    const uint32_t *grid = launch.config.grid;
    group.linearId = index;
    group.id[0] = uint32_t(index % grid[0]);
    group.id[1] = uint32_t(index / grid[0] % grid[1]);
    group.id[2] = uint32_t(index / grid[0] / grid[1]);
    group.window = {};
    late.begin(group);
    poison(group.lds, group.ldsBytes);
    poison(group.scratch, scratchBytes);
    for (uint32_t id = 0; id < group.numWaves; ++id)
      beginWave(group.waves[id], id);
  }

  void beginWave(Wave &wave, uint32_t id) {
    uint32_t vectors = std::min<uint32_t>(
        kVgprs, std::max(kernel.allocatedVectorRegisters(), 8u));
    uint32_t split = std::min(kernel.accumOffset(), vectors);
    poison(wave.vgpr[0], sizeof(wave.vgpr[0]) * split);
    poison(wave.vgpr[kFirstAgpr],
           sizeof(wave.vgpr[0]) * std::min(vectors - split, 256u));
    poison(wave.sgpr, sizeof wave.sgpr);
    wave.scc = false;
    wave.state = WaveState::Running;
    wave.group = &group;
    wave.id = id;
    wave.counts = counts.data();
    wave.budget = launch.config.waveBudget;
    wave.clock = 0;
    wave.next = group.program->at(
        kernel.entryAddress + (kernel.preload & 0x7F ? kPreloadEntrySkip : 0));
    // COMPUTE_PGM_RSRC1: FLOAT_MODE at 12, DX10_CLAMP at 21, IEEE_MODE at 23,
    // FP16_OVFL at 26.
    wave.mode = (kernel.rsrc1 >> 12 & 0xFF) |
                (kernel.rsrc1 >> 21 & 1) << kModeDx10Clamp |
                (kernel.rsrc1 >> 23 & 1) << kModeIeee |
                (kernel.rsrc1 >> 26 & 1) << kModeFp16Overflow;

    uint32_t firstItem = id * kLanes;
    uint32_t items = std::min<uint32_t>(kLanes, workItems - firstItem);
    wave.setExec(items == kLanes ? ~uint64_t(0) : (uint64_t(1) << items) - 1);
    writeWorkItemIds(wave, firstItem);
    writeScalars(wave);
  }

  /// gfx90a and later pack x, y, z into 10 bits each of v0.
  void writeWorkItemIds(Wave &wave, uint32_t firstItem) {
    const uint32_t *block = launch.config.block;
    uint32_t dimensions = kernel.rsrc2 >> 11 & 3;
    for (int lane = 0; lane < kLanes; ++lane) {
      uint32_t item = firstItem + lane;
      uint32_t x = item % block[0];
      uint32_t y = item / block[0] % block[1];
      uint32_t z = item / block[0] / block[1];
      wave.vgpr[0][lane] =
          x | (dimensions >= 1 ? y << 10 : 0) | (dimensions >= 2 ? z << 20 : 0);
    }
  }

  void writeScalars(Wave &wave) {
    unsigned next = 0;
    auto push = [&](uint32_t value) { wave.sgpr[next++] = value; };
    auto push64 = [&](uint64_t value) {
      push(uint32_t(value));
      push(uint32_t(value >> 32));
    };
    auto enabled = [&](PropertyBit bit) {
      return kernel.properties >> bit & 1;
    };
    uint64_t packet = reinterpret_cast<uint64_t>(launch.packet);
    if (enabled(kPrivateSegmentBuffer))
      next += 4;
    if (enabled(kDispatchPtr))
      push64(packet);
    if (enabled(kQueuePtr))
      push64(packet + kQueueOffset);
    if (enabled(kKernargSegmentPtr))
      push64(launch.config.kernargAddress);
    if (enabled(kDispatchId))
      push64(0);
    if (enabled(kFlatScratchInit))
      push64(0);
    if (enabled(kPrivateSegmentSize))
      push(group.privateBytes);
    // Preloaded arguments: 7 bits of length and 9 of offset, in dwords.
    uint32_t length = kernel.preload & 0x7F;
    uint32_t offset = kernel.preload >> 7;
    for (uint32_t i = 0; i < length; ++i) {
      uint32_t value = 0;
      uint64_t address = launch.config.kernargAddress + 4 * (offset + i);
      if (launch.memory.holds(address, 4))
        memcpy(&value, reinterpret_cast<void *>(address), 4);
      push(value);
    }
    // System registers follow the user registers.
    next = std::max(next, kernel.rsrc2 >> 1 & 0x1F);
    for (int axis = 0; axis < 3; ++axis)
      if (kernel.rsrc2 >> (7 + axis) & 1)
        push(group.id[axis]);
    if (kernel.rsrc2 >> 10 & 1)
      push(group.numWaves);
    // Architected flat scratch; private addresses count from this base.
    wave.sgpr[kFlatScratchLo] = 0;
    wave.sgpr[kFlatScratchLo + 1] = 0;
    wave.sgpr[kVccLo] = wave.sgpr[kVccHi] = 0;
    wave.sgpr[kM0] = 0;
  }

  void run() {
    for (;;) {
      uint32_t waiting = 0, ended = 0;
      uint32_t firstWave = order.below(group.numWaves);
      for (uint32_t turn = 0; turn < group.numWaves; ++turn) {
        Wave &wave = group.waves[(firstWave + turn) % group.numWaves];
        if (wave.state == WaveState::Running)
          runWave(wave);
        if (wave.state == WaveState::Faulted)
          return;
        waiting += wave.state == WaveState::AtBarrier;
        ended += wave.state == WaveState::Ended;
      }
      if (ended == group.numWaves)
        return;
      // Waves that have ended no longer count (CDNA3 ISA, S_BARRIER).
      if (profiler && waiting + ended == group.numWaves)
        profiler->releaseBarrier();
      if (waiting + ended == group.numWaves)
        for (uint32_t id = 0; id < group.numWaves; ++id)
          if (group.waves[id].state == WaveState::AtBarrier)
            group.waves[id].state = WaveState::Running;
    }
  }

  /// Watched: the profiler looks on, or loads are delivered late.
  template <bool Watched> void execute(Wave &wave, uint64_t &left) {
    const auto &classes = group.program->classes();
    while (wave.state == WaveState::Running && left) {
      const Instruction &inst = *wave.next;
      wave.next = &inst + 1;
      ++wave.counts[inst.index];
      --left;
      if constexpr (Watched)
        executeWatched(wave, inst, classes[inst.index]);
      else
        inst.handler(wave, inst);
    }
  }

  void executeWatched(Wave &wave, const Instruction &inst,
                      InstructionClass kind) {
    if (profiler)
      profiler->observe(wave, inst);
    if (launch.config.lateDelivery)
      late.execute(wave, inst, kind);
    else
      inst.handler(wave, inst);
  }

  void runWave(Wave &wave) {
    uint64_t quantum = std::min(launch.config.orderSeed ? order.turnLength()
                                                        : launch.config.quantum,
                                wave.budget);
    uint64_t left = quantum;
    if (wave.inSpecialMode())
      runModal(wave);
    if (profiler || launch.config.lateDelivery)
      execute<true>(wave, left);
    else
      execute<false>(wave, left);
    wave.budget -= quantum - left;
    if (!wave.budget && wave.state == WaveState::Running)
      wave.fault(*wave.next, -1,
                 "the wave has executed its budget of %" PRIu64
                 " instructions without ending",
                 launch.config.waveBudget);
    if (wave.state == WaveState::Yielded)
      wave.state = WaveState::Running;
  }

  Launch &launch;
  const Kernel &kernel;
  Workgroup group;
  AlignedArray<Wave> waves;
  AlignedArray<uint8_t> lds;
  AlignedArray<uint8_t> scratch;
  size_t scratchBytes = 0;
  uint32_t workItems = 0;
  uint64_t executedWaves = 0;
  std::vector<uint64_t> counts;
  std::unique_ptr<Profiler> profiler;
  LateDelivery late;
  RandomOrder order{0, 0};

public:
  /// Code for firmware without preloading stands in the first 256 bytes
  /// (AMDGPUUsage, "Preloaded Kernel Arguments").
  static constexpr uint64_t kPreloadEntrySkip = 256;
  static constexpr uint64_t kQueueOffset = 64;
  static constexpr uint64_t kPacketBytes = 320;
};

Launch::Launch(const CodeObject &object, const Kernel &kernel,
               DeviceMemory &memory, std::string_view chip)
    : object(object), kernel(kernel), memory(memory), chip(chip) {}

std::string Launch::validate(const LaunchConfig &config) const {
  std::string prefix = "kernel '" + kernel.name + "': ";
  uint64_t items =
      uint64_t(config.block[0]) * config.block[1] * config.block[2];
  for (int axis = 0; axis < 3; ++axis)
    if (!config.grid[axis] || !config.block[axis])
      return prefix +
             "a grid or workgroup size of the launch is 0; at least 1 is "
             "needed";
  if (items > kernel.maxWorkgroupSize)
    return prefix + "the workgroup has " + std::to_string(items) +
           " work-items, the kernel allows " +
           std::to_string(kernel.maxWorkgroupSize);
  uint64_t lds = uint64_t(kernel.ldsBytes) + config.dynamicLdsBytes;
  const targets::Chip *facts = targets::findChip(chip);
  if (facts && lds > uint64_t(facts->ldsBytes))
    return prefix + "the workgroup needs " + std::to_string(lds) +
           " bytes of LDS, the chip has " + std::to_string(facts->ldsBytes);
  return {};
}

/// hsa_kernel_dispatch_packet_t of the HSA system architecture, 64 bytes, and
/// behind it the part of the queue that kernels look at.
void Launch::writeDispatchPacket() {
  auto *bytes = static_cast<uint8_t *>(packet);
  auto put = [&](size_t offset, auto value) {
    memcpy(bytes + offset, &value, sizeof value);
  };
  put(2, uint16_t(3));
  for (int axis = 0; axis < 3; ++axis) {
    put(4 + 2 * axis, uint16_t(config.block[axis]));
    put(12 + 4 * axis, uint32_t(config.grid[axis] * config.block[axis]));
  }
  put(24, uint32_t(kernel.privateBytes));
  put(28, uint32_t(kernel.ldsBytes + config.dynamicLdsBytes));
  put(32, kernel.descriptorAddress);
  put(40, config.kernargAddress);
}

std::string Launch::run(const LaunchConfig &launchConfig) {
  config = launchConfig;
  std::string prefix = "kernel '" + kernel.name + "': ";
  if (std::string why = validate(config); !why.empty())
    return why;
  packet = memory.allocate(Worker::kPacketBytes, "dispatch packet", false);
  if (!packet)
    return prefix + "no memory for the dispatch packet";
  writeDispatchPacket();

  numWorkgroups = uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  uint64_t threads =
      config.threads ? config.threads : std::thread::hardware_concurrency();
  threads = std::clamp<uint64_t>(threads, 1, numWorkgroups);
  if (const targets::Chip *facts = targets::findChip(chip);
      facts && config.profile)
    launchProfile = std::make_unique<LaunchProfile>(object.program(), memory,
                                                    *facts, numWorkgroups);
  stats.counts.assign(object.program().instructions().size(), 0);

  std::vector<std::unique_ptr<Worker>> workers;
  for (uint64_t i = 0; i < threads; ++i)
    workers.push_back(std::make_unique<Worker>(*this));
  std::string result;
  if (std::any_of(workers.begin(), workers.end(),
                  [](auto &worker) { return !worker->hasMemory(); })) {
    result = prefix + "the host has no memory for the workgroups";
  } else {
    std::vector<std::thread> others;
    for (uint64_t i = 1; i < threads; ++i)
      others.emplace_back([&, i] { workers[i]->runUntilDone(); });
    workers[0]->runUntilDone();
    for (std::thread &thread : others)
      thread.join();
    result = faultText;
  }
  for (auto &worker : workers)
    worker->addTo(stats);
  memory.release(packet);
  packet = nullptr;
  return result;
}

void Launch::recordFault(const Wave &wave, const Instruction &inst, int lane,
                         const char *sentence) {
  const Workgroup &group = *wave.group;
  std::lock_guard lock(mutex);
  if (group.linearId >= faultedWorkgroup)
    return;
  faultedWorkgroup = group.linearId;
  char where[200];
  snprintf(where, sizeof where,
           "at 0x%" PRIx64 " (kernel + 0x%" PRIx64
           "), workgroup (%u, %u, %u), wave %u",
           inst.address, inst.address - kernel.entryAddress, group.id[0],
           group.id[1], group.id[2], wave.id);
  faultText = "kernel '" + kernel.name + "': " + sentence + "; instruction '" +
              inst.text + "' " + where;
  if (lane >= 0)
    faultText += ", lane " + std::to_string(lane);
}

} // namespace mla::sim
