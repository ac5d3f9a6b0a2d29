//===- HipContext.h - The state behind the HIP functions --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_LIB_SIMULATOR_HIP_HIPCONTEXT_H
#define MLA_LIB_SIMULATOR_HIP_HIPCONTEXT_H

#include "CodeObject.h"
#include "DeviceMemory.h"
#include "Launch.h"
#include "mla/Simulator/SimulatorApi.h"
#include "mla/Targets/Chips.h"

#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace mla::sim::hip {

struct Module;

/// What a hipFunction_t points to.
struct Function {
  Module *module;
  const Kernel *kernel;
};

/// What a hipModule_t points to.
struct Module {
  std::unique_ptr<CodeObject> object;
  std::vector<std::unique_ptr<Function>> functions;
};

/// What an event handle points to. Work is done when a call returns, so an
/// event is complete as soon as it is recorded.
struct Event {
  bool recorded = false;
  double seconds = 0;
};

/// What a stream handle points to.
struct Stream {
  unsigned flags = 0;
};

/// The one simulated device. Every HIP call holds the lock, so that calls of
/// several host threads take their turns; a launch uses all cores by itself.
struct Context {
  std::recursive_mutex mutex;
  const targets::Chip *chip = nullptr;
  int computeUnits = 0;
  uint32_t threads = 0;
  uint64_t waveBudget = 0;
  uint64_t quantum = 0;
  bool lateDelivery = false;
  uint64_t orderSeed = 0;
  bool profiling = false;
  std::vector<mla_sim_profile> profiles;
  /// Why there is no device, or empty.
  std::string problem;

  DeviceMemory memory;
  std::set<Module *> modules;
  std::set<Event *> events;
  std::set<Stream *> streams;
  std::set<Function *> functions;
  mla_sim_statistics statistics = {};

  Context();
};

Context &context();

/// Remembers an error for hipGetLastError and mla_sim_last_error.
hipError_t fail(hipError_t error, std::string sentence);

/// Clears the sentence; the result of every call that succeeds.
hipError_t succeed();

/// Locks the context; `problem()` is not empty where there is no device.
class Call {
public:
  Call() : ctx(context()), lock(ctx.mutex) {}
  Context *operator->() { return &ctx; }
  Context &get() { return ctx; }
  bool noDevice() const { return !ctx.problem.empty(); }
  hipError_t reportNoDevice() const {
    return fail(hipErrorNoDevice, ctx.problem);
  }

private:
  Context &ctx;
  std::lock_guard<std::recursive_mutex> lock;
};

#define MLA_HIP_CALL(call)                                                     \
  Call call;                                                                   \
  if (call.noDevice())                                                         \
  return call.reportNoDevice()

double secondsNow();

} // namespace mla::sim::hip

#endif // MLA_LIB_SIMULATOR_HIP_HIPCONTEXT_H
