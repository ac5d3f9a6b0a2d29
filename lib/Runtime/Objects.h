//===- Objects.h - What the C interface's handles stand for -----*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_RUNTIME_OBJECTS_H
#define MLA_RUNTIME_OBJECTS_H

#include "BundleReader.h"
#include "HipLibrary.h"

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace mla::runtime {

/// Makes a device the thread's current one, and puts the previous one back.
class CurrentDevice {
public:
  explicit CurrentDevice(const mla_device &device);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice &) = delete;

  /// Whether the device could be made current.
  Status status() const { return made; }

private:
  const mla_device &device;
  int previous = -1;
  Status made;
};

/// Device memory of an allocation of its own: no two buffers share one, so that
/// a checker sees a kernel that strays from one into the next.
class DeviceMemory {
public:
  DeviceMemory() = default;
  DeviceMemory(DeviceMemory &&other) noexcept;
  DeviceMemory &operator=(DeviceMemory &&other) noexcept;
  ~DeviceMemory();

  /// Null for 0 bytes. `what` names the buffer in errors.
  static Status allocate(const mla_device &device, uint64_t bytes,
                         const std::string &what, DeviceMemory &memory);
  Status write(const void *source, uint64_t bytes);
  Status clear(uint64_t bytes);

  void *get() const { return memory; }

private:
  const mla_device *device = nullptr;
  void *memory = nullptr;
};

/// One kernel launch with everything known but the user's pointers.
struct Launch {
  hipFunction_t function;
  const char *kernelName; ///< The bundle's.
  unsigned grid, block;
  uint32_t argumentCount = 0;
  std::array<void *, kMaxKernelArgs> arguments{};
  /// Where users' pointers go.
  struct UserArgument {
    uint32_t index;
    bundle::Buffer buffer;
  };
  std::vector<UserArgument> userArguments;
};

} // namespace mla::runtime

struct mla_device {
  mla::runtime::HipLibrary hip;
  int ordinal = 0;
  std::string chip;
  int32_t computeUnits = 0;
};

struct mla_bundle {
  mla_device *device = nullptr; ///< Null: read and checked only.
  mla::runtime::BundleContents contents;
  std::vector<hipModule_t> modules;
  std::vector<hipFunction_t> functions; ///< One for each kernel.

  ~mla_bundle();
};

struct mla_plan {
  const mla_bundle *bundle = nullptr;
  mla_plan_info info{};
  std::vector<mla::runtime::Launch> launches;
  /// Bit n: the user must give buffer number n.
  uint32_t requiredBuffers = 0;
  std::vector<mla::runtime::DeviceMemory> memory;
  /// Takes lse when the user wants none.
  void *ownLse = nullptr;
  /// The workspace buffer that a run must find zero; null when there is none.
  void *tickets = nullptr;
  uint64_t ticketBytes = 0;
  /// A launch failed, and may have left tickets behind. Runs are const and may
  /// come from several threads.
  mutable std::atomic<bool> ticketsInDoubt = false;
};

namespace mla::runtime {

Status openDevice(const char *library, int ordinal,
                  std::unique_ptr<mla_device> &device);

Status loadBundle(mla_device *device, const uint8_t *bytes, size_t size,
                  std::unique_ptr<mla_bundle> &bundle);

Status createPlan(const mla_bundle &bundle, const mla_shape &shape,
                  std::unique_ptr<mla_plan> &plan);

Status runPlan(const mla_plan &plan, const mla_args &args, hipStream_t stream);

Status resetPlan(const mla_plan &plan);

} // namespace mla::runtime

#endif // MLA_RUNTIME_OBJECTS_H
