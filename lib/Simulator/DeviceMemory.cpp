//===- DeviceMemory.cpp - Global memory and who owns what -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceMemory.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace mla::sim {
namespace {

constexpr uint64_t kGranuleBits = 16;
constexpr uint64_t kGranule = uint64_t(1) << kGranuleBits;
constexpr uint64_t kLargestRange = uint64_t(1) << 40;
constexpr uint64_t kSmallestRange = uint64_t(1) << 32;
/// Allocations from this size on are given huge pages.
constexpr uint64_t kHuge = uint64_t(4) << 20;

void *reserve(uint64_t bytes, int protection) {
  void *memory = mmap(nullptr, bytes, protection,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

} // namespace

DeviceMemory::DeviceMemory() {
  for (rangeBytes = kLargestRange; rangeBytes >= kSmallestRange;
       rangeBytes /= 2) {
    void *range = reserve(rangeBytes, PROT_NONE);
    if (!range)
      continue;
    // Align to the granule: give up the first, partial one.
    base = (reinterpret_cast<uint64_t>(range) + kGranule - 1) & ~(kGranule - 1);
    rangeBytes -= kGranule;
    break;
  }
  uint64_t tableBytes = (rangeBytes >> kGranuleBits) * sizeof(*owners);
  owners = static_cast<std::atomic<uint32_t> *>(
      reserve(tableBytes, PROT_READ | PROT_WRITE));
  if (!base || !owners) {
    rangeBytes = 0;
    base = 0;
  }
}

DeviceMemory::~DeviceMemory() {
  if (base)
    munmap(reinterpret_cast<void *>(base), rangeBytes);
  if (owners)
    munmap(owners, (rangeBytes >> kGranuleBits) * sizeof(*owners));
}

uint64_t DeviceMemory::takeGranules(uint64_t count) {
  uint64_t total = rangeBytes >> kGranuleBits;
  if (nextGranule + count < total) {
    uint64_t first = nextGranule;
    nextGranule += count;
    return first;
  }
  for (auto it = freed.begin(); it != freed.end(); ++it) {
    const Allocation &old = allocations[*it];
    if (old.granules != count)
      continue;
    freed.erase(it);
    return (old.begin - base) >> kGranuleBits;
  }
  return 0;
}

void *DeviceMemory::allocate(uint64_t bytes, const char *what, bool writable) {
  if (!bytes || bytes > rangeBytes)
    return nullptr;
  std::lock_guard lock(mutex);
  uint64_t used = (bytes + kGranule - 1) >> kGranuleBits;
  uint64_t first = takeGranules(used + 1);
  if (!first)
    return nullptr;
  uint64_t begin = base + (first << kGranuleBits);
  void *pointer = reinterpret_cast<void *>(begin);
  if (mprotect(pointer, used << kGranuleBits, PROT_READ | PROT_WRITE))
    return nullptr;
  if (bytes >= kHuge)
    madvise(pointer, used << kGranuleBits, MADV_HUGEPAGE);
  allocations.push_back({begin, bytes, used + 1, what, true, writable});
  for (uint64_t i = 0; i < used + 1; ++i)
    owners[first + i].store(uint32_t(allocations.size()),
                            std::memory_order_relaxed);
  inUse += bytes;
  return pointer;
}

const DeviceMemory::Allocation *DeviceMemory::at(uint64_t address) const {
  if (!inRange(address))
    return nullptr;
  uint32_t owner =
      owners[(address - base) >> kGranuleBits].load(std::memory_order_relaxed);
  return owner ? &allocations[owner - 1] : nullptr;
}

bool DeviceMemory::release(void *pointer) {
  std::lock_guard lock(mutex);
  uint64_t begin = reinterpret_cast<uint64_t>(pointer);
  auto *allocation = const_cast<Allocation *>(at(begin));
  if (!allocation || allocation->begin != begin || !allocation->live)
    return false;
  allocation->live = false;
  uint64_t used = (allocation->granules - 1) << kGranuleBits;
  madvise(pointer, used, MADV_DONTNEED);
  mprotect(pointer, used, PROT_NONE);
  inUse -= allocation->bytes;
  freed.push_back(owners[(begin - base) >> kGranuleBits] - 1);
  return true;
}

void DeviceMemory::setWritable(void *pointer, bool writable) {
  std::lock_guard lock(mutex);
  if (auto *allocation =
          const_cast<Allocation *>(at(reinterpret_cast<uint64_t>(pointer))))
    allocation->writable = writable;
}

bool DeviceMemory::find(uint64_t address, MemoryWindow &window) const {
  const Allocation *allocation = at(address);
  if (!allocation || !allocation->live ||
      address - allocation->begin >= allocation->bytes)
    return false;
  window = {allocation->begin, allocation->begin + allocation->bytes,
            allocation->writable};
  return true;
}

bool DeviceMemory::holds(uint64_t address, uint64_t bytes) const {
  MemoryWindow window;
  return find(address, window) && bytes <= window.end - address;
}

std::string DeviceMemory::describe(uint64_t address) const {
  char text[200];
  const Allocation *allocation = at(address);
  if (!allocation && address >= base + kGranule)
    allocation = at(address - kGranule);
  if (!allocation)
    return "far from every allocation";
  uint64_t end = allocation->begin + allocation->bytes;
  const char *freedText = allocation->live ? "" : "freed ";
  if (address < end)
    snprintf(text, sizeof text,
             "%" PRIu64 " bytes into the %s%s of %" PRIu64
             " bytes at 0x%" PRIx64,
             address - allocation->begin, freedText, allocation->what,
             allocation->bytes, allocation->begin);
  else
    snprintf(text, sizeof text,
             "%" PRIu64 " bytes past the end of the %s%s of %" PRIu64
             " bytes at 0x%" PRIx64,
             address - end, freedText, allocation->what, allocation->bytes,
             allocation->begin);
  return text;
}

} // namespace mla::sim
