//===- DeviceArray.h - Arrays on the device, and time ----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_TOOLS_MLARUN_DEVICEARRAY_H
#define MLA_TOOLS_MLARUN_DEVICEARRAY_H

#include "Options.h"

#include "mla/Runtime/mla_runtime.h"

#include <chrono>

namespace mla::run {

/// Throws what the runtime says of a failure.
inline void check(mla_status status) {
  if (status != MLA_OK)
    throw Failure(mla_last_error());
}

class Stopwatch {
public:
  double seconds() const {
    std::chrono::duration<double> elapsed = Clock::now() - begin;
    return elapsed.count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
};

/// Device memory that was filled from host memory.
class DeviceArray {
public:
  /// Null for no bytes.
  DeviceArray(mla_device *device, const void *host, size_t bytes)
      : device(device), bytes(bytes) {
    if (!bytes)
      return;
    check(mla_device_allocate(device, bytes, &memory));
    check(mla_device_write(device, memory, host, bytes));
  }
  /// Of a vector.
  template <typename Vector>
  DeviceArray(mla_device *device, const Vector &host)
      : DeviceArray(device, host.data(), host.size() * sizeof(host[0])) {}
  ~DeviceArray() {
    if (memory)
      mla_device_free(device, memory);
  }
  DeviceArray(const DeviceArray &) = delete;

  template <typename T = void> T *get() const {
    return static_cast<T *>(memory);
  }
  void read(void *host) const {
    if (bytes)
      check(mla_device_read(device, host, memory, bytes));
  }

private:
  mla_device *device;
  size_t bytes;
  void *memory = nullptr;
};

} // namespace mla::run

#endif // MLA_TOOLS_MLARUN_DEVICEARRAY_H
