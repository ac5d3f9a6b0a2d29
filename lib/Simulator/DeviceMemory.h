//===- DeviceMemory.h - Global memory and who owns what --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory is host memory inside one reserved address range, so that a
// device pointer is a host pointer. Allocations begin on granules of 64 KiB
// with at least one free granule between them; a table from granules to
// allocations makes the check of an address two loads. Freed memory loses its
// pages and is handed out again only when the range has been used up, so that
// a stale pointer is an error and never somebody else's data.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_DEVICEMEMORY_H
#define MLA_LIB_SIMULATOR_DEVICEMEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

namespace mla::sim {

/// A stretch of addresses that may be accessed, end exclusive.
struct MemoryWindow {
  uint64_t begin = 1;
  uint64_t end = 0;
  bool writable = false;

  /// Whether `bytes` bytes at `lowest`, at `highest` and at all addresses
  /// between lie in the window.
  __attribute__((always_inline)) bool holds(uint64_t lowest, uint64_t highest,
                                            uint64_t bytes) const {
    return lowest >= begin && highest < end && bytes <= end - highest;
  }
};

class DeviceMemory {
public:
  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Zero-filled memory, or null when the range or the host has no more.
  /// `what` must be a literal; it names the allocation in errors.
  void *allocate(uint64_t bytes, const char *what, bool writable = true);
  /// False if `pointer` is not the begin of a live allocation.
  bool release(void *pointer);

  /// Changes whether kernels may write to an allocation.
  void setWritable(void *pointer, bool writable);

  /// The allocation that holds `address`, as a window. Safe during launches.
  bool find(uint64_t address, MemoryWindow &window) const;

  /// Whether [address, address + bytes) lies in one live allocation.
  bool holds(uint64_t address, uint64_t bytes) const;
  /// Whether the address lies in the reserved range.
  bool inRange(uint64_t address) const { return address - base < rangeBytes; }

  /// A sentence part about where an address lies: "12 bytes past the end of an
  /// allocation of 4096 bytes at 0x…".
  std::string describe(uint64_t address) const;

  uint64_t bytesInUse() const { return inUse.load(); }

private:
  struct Allocation {
    uint64_t begin = 0;
    uint64_t bytes = 0;
    uint64_t granules = 0;
    const char *what = "";
    bool live = false;
    bool writable = true;
  };

  uint64_t takeGranules(uint64_t count);
  const Allocation *at(uint64_t address) const;

  uint64_t base = 0;
  uint64_t rangeBytes = 0;
  /// Per granule: index into allocations plus one, or 0. Written under the
  /// lock; the kernels that run meanwhile hold no pointers to what changes.
  std::atomic<uint32_t> *owners = nullptr;
  std::deque<Allocation> allocations;
  std::deque<uint32_t> freed;
  uint64_t nextGranule = 1;
  std::atomic<uint64_t> inUse{0};
  mutable std::mutex mutex;
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_DEVICEMEMORY_H
