//===- LaunchProfile.cpp - What a launch asks of the chip's parts ---------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchProfile.h"

#include "Apertures.h"
#include "mla/Targets/ChipRates.h"

#include <algorithm>
#include <bit>

using namespace mla;
using namespace mla::sim;

void ProfileTotals::add(const ProfileTotals &other) {
  loadBytes += other.loadBytes;
  loadSegments += other.loadSegments;
  storeBytes += other.storeBytes;
  storeSegments += other.storeSegments;
  atomicBytes += other.atomicBytes;
  atomicSegments += other.atomicSegments;
  scalarBytes += other.scalarBytes;
  valuCycles += other.valuCycles;
  matrixCycles += other.matrixCycles;
  ldsCycles += other.ldsCycles;
  ldsConflictCycles += other.ldsConflictCycles;
}

std::atomic<uint64_t> *SegmentSet::bitsOf(uint64_t address,
                                          MemoryWindow &window) {
  if (!memory.find(address, window))
    return nullptr;
  std::lock_guard lock(mutex);
  Bits &bits = allocations[window.begin];
  if (!bits.words) {
    uint64_t segments =
        (window.end - window.begin) / targets::kSegmentBytes + 2;
    bits.count = segments / 64 + 1;
    bits.words = std::make_unique<std::atomic<uint64_t>[]>(bits.count);
  }
  return bits.words.get();
}

uint64_t SegmentSet::count() const {
  uint64_t sum = 0;
  for (const auto &[begin, bits] : allocations)
    for (uint64_t i = 0; i < bits.count; ++i)
      sum += uint64_t(std::popcount(bits.words[i].load()));
  return sum;
}

LaunchProfile::LaunchProfile(const Program &program, const DeviceMemory &memory,
                             const targets::Chip &chip, uint64_t workgroups)
    : program(program), chip(chip), segments(memory), workgroups(workgroups),
      ldsOfInstruction(program.instructions().size()) {
  costs.reserve(program.instructions().size());
  for (const Instruction &inst : program.instructions())
    costs.push_back(instructionCost(inst, program.classes()[inst.index], chip));
}

void Profiler::Queue::push(uint64_t done, uint32_t moreBytes) {
  // Results come back in the order of the requests.
  if (size())
    done = std::max(done, operations.back().done);
  operations.push_back({done, moreBytes});
  bytes += moreBytes;
}

Profiler::Operation Profiler::Queue::pop() {
  Operation operation = operations[first++];
  bytes -= operation.bytes;
  if (first == operations.size()) {
    operations.clear();
    first = 0;
  }
  return operation;
}

void Profiler::Queue::clear() {
  operations.clear();
  first = 0;
  bytes = 0;
}

Profiler::Profiler(LaunchProfile &profile)
    : profile(profile), rates(targets::chipRates(profile.chip)),
      memoryLatency(
          uint64_t(profile.chip.memoryLatencySeconds * profile.chip.clockHz)),
      ldsOfInstruction(profile.program.instructions().size()) {}

void Profiler::begin(const Workgroup &group) {
  waves.resize(group.numWaves);
  for (WaveState &state : waves) {
    state.clock = state.matrixFree = state.matrixReady = 0;
    state.mostInFlight = 0;
    state.vector.clear();
    state.other.clear();
    std::fill(std::begin(state.ready), std::end(state.ready), 0);
  }
  current = {};
}

void Profiler::observe(const Wave &wave, const Instruction &inst) {
  const InstructionCost &cost = profile.costs[inst.index];
  WaveState &state = waves[wave.id];
  if (state.clock < state.matrixReady)
    waitForMatrix(state, inst, cost.matrixCycles != 0);
  current.valuCycles += cost.valuCycles;
  if (cost.matrixCycles)
    issueMatrix(state, inst, cost.matrixCycles);
  state.clock += cost.issueCycles;
  switch (cost.use) {
  case MemoryUse::None:
    if (profile.program.classes()[inst.index] == InstructionClass::Wait &&
        std::string_view(inst.mnemonic) == "s_waitcnt")
      wait(state, inst.imm16);
    return;
  case MemoryUse::GlobalLoad:
  case MemoryUse::GlobalStore:
  case MemoryUse::GlobalAtomic:
    return globalAccess(state, wave, inst, cost);
  case MemoryUse::CacheControl:
    return state.vector.push(state.clock + memoryLatency, 0);
  case MemoryUse::LdsRead:
  case MemoryUse::LdsWrite:
  case MemoryUse::LdsExchange:
    return ldsAccess(state, wave, inst, cost);
  case MemoryUse::ScalarLoad:
    current.scalarBytes += cost.bytes;
    return state.other.push(state.clock + targets::kScalarLatencyCycles, 0);
  }
}

/// Hardware holds back an instruction that needs the result of a matrix
/// instruction, except an accumulation into the same registers.
void Profiler::waitForMatrix(WaveState &state, const Instruction &inst,
                             bool matrix) {
  unsigned first = matrix ? 1 : 0;
  unsigned end = matrix ? std::min<unsigned>(3, inst.numOps) : inst.numOps;
  for (unsigned i = first; i < end; ++i)
    if (const Operand &op = inst.ops[i]; op.isVgpr())
      for (unsigned reg = op.index; reg < unsigned(op.index) + op.dwords; ++reg)
        state.clock = std::max(state.clock, state.ready[reg % kVgprs]);
}

void Profiler::issueMatrix(WaveState &state, const Instruction &inst,
                           unsigned cycles) {
  current.matrixCycles += cycles;
  state.clock = std::max(state.clock, state.matrixFree);
  state.matrixFree = state.matrixReady = state.clock + cycles;
  const Operand &result = inst.ops[0];
  for (unsigned i = 0; i < result.dwords; ++i)
    state.ready[(result.index + i) % kVgprs] = state.matrixReady;
}

/// s_waitcnt: vmcnt in bits 3:0 and 15:14, lgkmcnt in bits 11:8 (CDNA3 ISA,
/// "S_WAITCNT").
void Profiler::wait(WaveState &state, uint16_t counters) {
  size_t vector = (counters & 0xF) | (counters >> 14 & 3) << 4;
  size_t other = counters >> 8 & 0xF;
  auto inFlight = double(state.vector.bytes);
  while (state.vector.size() > vector) {
    Operation operation = state.vector.pop();
    state.clock = std::max(state.clock, operation.done);
    retiredBytes += operation.bytes;
    retiredTimesInFlight += operation.bytes * inFlight;
  }
  while (state.other.size() > other)
    state.clock = std::max(state.clock, state.other.pop().done);
}

/// Device addresses of the lanes that touch memory. False for accesses that
/// are none of global memory.
bool Profiler::laneAddresses(const Wave &wave, const Instruction &inst,
                             const InstructionCost &cost, uint64_t *addresses,
                             uint64_t &lanes) const {
  const Operand &vector = inst.ops[cost.address];
  const Operand &scalar = inst.ops[cost.scalar];
  lanes = wave.exec();
  if (cost.space == MemorySpace::Scratch)
    return false;
  if (cost.space == MemorySpace::Buffer) {
    // CDNA3 ISA, "Buffer Addressing", without swizzling.
    const uint32_t *resource = &wave.sgpr[scalar.index];
    uint64_t base = resource[0] | uint64_t(resource[1] & 0xFFFF) << 32;
    uint64_t common = base + wave.scalar32(inst.ops[cost.scalar + 1]);
    uint64_t stride = resource[1] >> 16 & 0x3FFF;
    for (int lane = 0; lane < kLanes; ++lane) {
      uint64_t index =
          inst.mods.idxen ? wave.vgpr[vector.index][lane] : uint64_t(0);
      uint64_t place = index * stride + uint32_t(inst.mods.offset);
      if (inst.mods.offen)
        place += wave.vgpr[vector.index + (inst.mods.idxen ? 1 : 0)][lane];
      bool inside =
          inst.mods.idxen && stride ? index < resource[2] : place < resource[2];
      if (!inside)
        lanes &= ~(uint64_t(1) << lane);
      addresses[lane] = common + place;
    }
    return true;
  }
  const uint32_t *low = wave.vgpr[vector.index];
  if (cost.space == MemorySpace::Global && scalar.isSgpr()) {
    uint64_t base = wave.readSgpr64(scalar.index) + int64_t(inst.mods.offset);
    for (int lane = 0; lane < kLanes; ++lane)
      addresses[lane] = base + low[lane];
    return true;
  }
  const uint32_t *high = wave.vgpr[vector.index + 1];
  for (int lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = (low[lane] | uint64_t(high[lane]) << 32) +
                      uint64_t(int64_t(inst.mods.offset));
    if (cost.space == MemorySpace::Flat &&
        (high[lane] == uint32_t(kSharedBase >> 32) ||
         high[lane] == uint32_t(kPrivateBase >> 32)))
      lanes &= ~(uint64_t(1) << lane);
  }
  return true;
}

/// The number of segments that the lanes touch; those of loads are remembered.
uint64_t Profiler::touchSegments(const uint64_t *addresses, uint64_t lanes,
                                 unsigned bytes, bool load) {
  uint64_t segments[2 * kLanes];
  unsigned count = 0;
  for (uint64_t left = lanes; left; left &= left - 1) {
    uint64_t address = addresses[std::countr_zero(left)];
    uint64_t first = address / targets::kSegmentBytes;
    uint64_t last = (address + bytes - 1) / targets::kSegmentBytes;
    for (uint64_t segment = first; segment <= last; ++segment)
      if (!count || segments[count - 1] != segment)
        segments[count++] = segment;
  }
  if (!std::is_sorted(segments, segments + count))
    std::sort(segments, segments + count);
  count = unsigned(std::unique(segments, segments + count) - segments);
  for (unsigned i = 0; load && i < count; ++i) {
    uint64_t address = segments[i] * targets::kSegmentBytes;
    // The segment may begin before its allocation.
    address = std::max(address, std::min(addresses[std::countr_zero(lanes)],
                                         address + targets::kSegmentBytes - 1));
    if (!windowBits || !window.holds(address, address, 1))
      windowBits = profile.segments.bitsOf(address, window);
    if (!windowBits)
      continue;
    uint64_t bit = segments[i] - window.begin / targets::kSegmentBytes;
    uint64_t mask = uint64_t(1) << (bit % 64);
    std::atomic<uint64_t> &word = windowBits[bit / 64];
    if (!(word.load(std::memory_order_relaxed) & mask))
      word.fetch_or(mask, std::memory_order_relaxed);
  }
  return count;
}

void Profiler::globalAccess(WaveState &state, const Wave &wave,
                            const Instruction &inst,
                            const InstructionCost &cost) {
  uint64_t addresses[kLanes], lanes;
  bool global = laneAddresses(wave, inst, cost, addresses, lanes);
  bool load = cost.use == MemoryUse::GlobalLoad;
  uint64_t bytes = uint64_t(std::popcount(lanes)) * cost.bytes;
  uint64_t segments =
      !lanes   ? 0
      : global ? touchSegments(addresses, lanes, cost.bytes, load)
               : (bytes + targets::kSegmentBytes - 1) / targets::kSegmentBytes;
  if (load) {
    current.loadBytes += bytes;
    current.loadSegments += segments;
  } else if (cost.use == MemoryUse::GlobalStore) {
    current.storeBytes += bytes;
    current.storeSegments += segments;
  } else {
    current.atomicBytes += bytes;
    current.atomicSegments += segments;
  }
  state.vector.push(state.clock + memoryLatency, load ? uint32_t(bytes) : 0);
  state.mostInFlight = std::max(state.mostInFlight, state.vector.bytes);
  if (!cost.toLds || !wave.exec())
    return;
  // The lanes write to consecutive places.
  unsigned size = std::max<unsigned>(cost.bytes, 4);
  uint32_t places[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane)
    places[lane] = lane * size;
  LdsCycles cycles =
      ldsCycles(ldsTiming(rates, size, true), places, wave.exec(), size);
  current.ldsCycles += cycles.all;
  ldsOfInstruction[inst.index].all += cycles.all;
}

void Profiler::ldsAccess(WaveState &state, const Wave &wave,
                         const Instruction &inst, const InstructionCost &cost) {
  LdsCycles cycles;
  if (cost.use == MemoryUse::LdsExchange) {
    cycles.all = kLanes / targets::kLdsOtherBanks;
  } else if (wave.exec()) {
    LdsTiming timing =
        ldsTiming(rates, cost.bytes, cost.use == MemoryUse::LdsWrite);
    const uint32_t *base = wave.vgpr[inst.ops[cost.address].index];
    int32_t offsets[] = {inst.mods.offset, inst.mods.offset1};
    for (unsigned access = 0; access < (cost.pairUnit ? 2u : 1u); ++access) {
      uint32_t offset = uint32_t(offsets[access]) *
                        (cost.pairUnit ? uint32_t(cost.pairUnit) : 1u);
      uint32_t places[kLanes];
      for (int lane = 0; lane < kLanes; ++lane)
        places[lane] = base[lane] + offset;
      LdsCycles part = ldsCycles(timing, places, wave.exec(), cost.bytes);
      cycles.all += part.all;
      cycles.conflict += part.conflict;
    }
  }
  current.ldsCycles += cycles.all;
  current.ldsConflictCycles += cycles.conflict;
  ldsOfInstruction[inst.index].all += cycles.all;
  ldsOfInstruction[inst.index].conflict += cycles.conflict;
  state.other.push(state.clock + targets::kLdsLatencyCycles + cycles.all, 0);
}

void Profiler::releaseBarrier() {
  uint64_t latest = 0;
  for (const WaveState &state : waves)
    latest = std::max(latest, state.clock);
  for (WaveState &state : waves)
    state.clock = latest;
}

void Profiler::end(const Workgroup &group) {
  for (const WaveState &state : waves) {
    uint64_t done = std::max(state.clock, state.matrixReady);
    if (state.vector.size())
      done = std::max(done, state.vector.operations.back().done);
    current.pathCycles = std::max(current.pathCycles, done);
    current.bytesInFlight += state.mostInFlight;
  }
  profile.workgroups[group.linearId] = current;
}

void Profiler::finish() {
  std::lock_guard lock(profile.mutex);
  for (size_t i = 0; i < ldsOfInstruction.size(); ++i) {
    profile.ldsOfInstruction[i].all += ldsOfInstruction[i].all;
    profile.ldsOfInstruction[i].conflict += ldsOfInstruction[i].conflict;
  }
  profile.retiredBytes += retiredBytes;
  profile.retiredTimesInFlight += retiredTimesInFlight;
}
