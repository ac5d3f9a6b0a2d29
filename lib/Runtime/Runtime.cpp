//===- Runtime.cpp - The C interface --------------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks for null, keeps exceptions in, and remembers the sentence of the last
// failure; the work is done by the functions of Objects.h.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <exception>
#include <new>

using namespace mla::runtime;

static thread_local std::string lastError;

static mla_status report(const Status &status) {
  if (!status.failed())
    return MLA_OK;
  lastError = status.sentence;
  return status.code;
}

/// Runs `body`, which returns a Status. The standard library's exceptions (only
/// memory can run out) must not reach C.
template <typename Body> static mla_status guarded(Body body) noexcept {
  try {
    return report(body());
  } catch (const std::bad_alloc &) {
    lastError = "the host has too little memory";
    return MLA_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    lastError = error.what();
    return MLA_ERROR_INVALID_ARGUMENT;
  }
}

static Status isNull(const char *what) {
  return failure(MLA_ERROR_INVALID_ARGUMENT,
                 std::string(what) + " must not be null");
}

int mla_runtime_version(void) { return MLA_RUNTIME_VERSION; }

const char *mla_last_error(void) { return lastError.c_str(); }

mla_status mla_device_open(const char *hipLibrary, int ordinal,
                           mla_device **device) {
  return guarded([&] {
    if (!device)
      return isNull("device");
    std::unique_ptr<mla_device> opened;
    MLA_RETURN_IF_FAILED(openDevice(hipLibrary, ordinal, opened));
    *device = opened.release();
    return ok();
  });
}

void mla_device_close(mla_device *device) { delete device; }

const char *mla_device_chip(const mla_device *device) {
  return device->chip.c_str();
}

int32_t mla_device_compute_units(const mla_device *device) {
  return device->computeUnits;
}

const char *mla_device_library(const mla_device *device) {
  return device->hip.name().c_str();
}

/// Runs `body` with the device current.
template <typename Body>
static mla_status onDevice(mla_device *device, Body body) noexcept {
  return guarded([&]() -> Status {
    if (!device)
      return isNull("device");
    CurrentDevice current(*device);
    MLA_RETURN_IF_FAILED(current.status());
    return body(device->hip);
  });
}

mla_status mla_device_allocate(mla_device *device, size_t bytes,
                               void **memory) {
  return onDevice(device, [&](const HipLibrary &hip) {
    if (!memory)
      return isNull("memory");
    std::string task =
        "cannot allocate " + std::to_string(bytes) + " bytes of device memory";
    void *allocated = nullptr;
    MLA_RETURN_IF_FAILED(
        hip.check(hip.malloc(&allocated, bytes), task.c_str()));
    *memory = allocated;
    return ok();
  });
}

mla_status mla_device_free(mla_device *device, void *memory) {
  return onDevice(device, [&](const HipLibrary &hip) {
    return hip.check(hip.free(memory), "cannot free device memory");
  });
}

static mla_status copy(mla_device *device, void *destination,
                       const void *source, size_t bytes, hipMemcpyKind kind,
                       const char *task) {
  return onDevice(device, [&](const HipLibrary &hip) {
    if (!bytes)
      return ok();
    if (!destination || !source)
      return isNull("a copy's destination and source");
    return hip.check(hip.memcpy(destination, source, bytes, kind), task);
  });
}

mla_status mla_device_write(mla_device *device, void *destination,
                            const void *hostSource, size_t bytes) {
  return copy(device, destination, hostSource, bytes, hipMemcpyHostToDevice,
              "cannot copy to the device");
}

mla_status mla_device_read(mla_device *device, void *hostDestination,
                           const void *source, size_t bytes) {
  return copy(device, hostDestination, source, bytes, hipMemcpyDeviceToHost,
              "cannot copy from the device");
}

mla_status mla_device_synchronize(mla_device *device) {
  return onDevice(device, [](const HipLibrary &hip) {
    return hip.check(hip.deviceSynchronize(),
                     "what was launched on the device has failed");
  });
}

mla_status mla_bundle_load_memory(mla_device *device, const void *bytes,
                                  size_t size, mla_bundle **bundle) {
  return guarded([&] {
    if (!bundle)
      return isNull("bundle");
    if (!bytes && size)
      return isNull("bytes");
    std::unique_ptr<mla_bundle> loaded;
    MLA_RETURN_IF_FAILED(
        loadBundle(device, static_cast<const uint8_t *>(bytes), size, loaded));
    *bundle = loaded.release();
    return ok();
  });
}

mla_status mla_bundle_load_file(mla_device *device, const char *path,
                                mla_bundle **bundle) {
  return guarded([&] {
    if (!bundle)
      return isNull("bundle");
    if (!path)
      return isNull("path");
    std::vector<uint8_t> bytes;
    MLA_RETURN_IF_FAILED(readFile(path, bytes));
    std::unique_ptr<mla_bundle> loaded;
    Status status = loadBundle(device, bytes.data(), bytes.size(), loaded);
    if (status.failed())
      return failure(status.code, std::string(path) + ": " + status.sentence);
    *bundle = loaded.release();
    return ok();
  });
}

void mla_bundle_unload(mla_bundle *bundle) { delete bundle; }

mla_problem mla_bundle_problem(const mla_bundle *bundle) {
  const Manifest &manifest = bundle->contents.manifest;
  const Problem &problem = manifest.problem;
  return {manifest.producer.c_str(),
          manifest.chip.c_str(),
          problem.heads,
          problem.latent,
          problem.rope,
          problem.pageSize,
          problem.kvFormat.c_str(),
          problem.qFormat.c_str(),
          problem.qMode.c_str(),
          problem.qTerms,
          problem.fp8.empty() ? nullptr : problem.fp8.c_str(),
          problem.smScale};
}

int32_t mla_bundle_kernel_count(const mla_bundle *bundle) {
  return static_cast<int32_t>(bundle->contents.manifest.kernels.size());
}

mla_kernel_info mla_bundle_kernel(const mla_bundle *bundle, int32_t index) {
  if (index < 0 || index >= mla_bundle_kernel_count(bundle))
    return {"", "", 0, 0, 0, 0, 0, 0, 0, 0, 0};
  const Kernel &kernel = bundle->contents.manifest.kernels[index];
  const Resources &resources = kernel.resources;
  return {kernel.name.c_str(),  kernel.role.c_str(),    kernel.block,
          resources.vgprs,      resources.agprs,        resources.sgprs,
          resources.ldsBytes,   resources.scratchBytes, resources.vgprSpills,
          resources.sgprSpills, resources.wavesPerSimd};
}

int32_t mla_bundle_table_count(const mla_bundle *bundle) {
  return static_cast<int32_t>(bundle->contents.tables.size());
}

mla_status mla_plan_create(mla_bundle *bundle, const mla_shape *shape,
                           mla_plan **plan) {
  return guarded([&] {
    if (!bundle || !shape || !plan)
      return isNull("bundle, shape and plan");
    std::unique_ptr<mla_plan> created;
    MLA_RETURN_IF_FAILED(createPlan(*bundle, *shape, created));
    *plan = created.release();
    return ok();
  });
}

void mla_plan_destroy(mla_plan *plan) { delete plan; }

mla_plan_info mla_plan_get_info(const mla_plan *plan) { return plan->info; }

mla_status mla_plan_run(const mla_plan *plan, const mla_args *args,
                        void *stream) {
  return guarded([&] {
    if (!plan || !args)
      return isNull("plan and args");
    return runPlan(*plan, *args, static_cast<hipStream_t>(stream));
  });
}

mla_status mla_plan_reset(mla_plan *plan) {
  return guarded([&] {
    if (!plan)
      return isNull("plan");
    return resetPlan(*plan);
  });
}
