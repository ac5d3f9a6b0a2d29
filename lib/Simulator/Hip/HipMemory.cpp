//===- HipMemory.cpp - HIP functions about memory -------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HipContext.h"

#include <cstdio>
#include <cstring>

using namespace mla::sim;
using namespace mla::sim::hip;

namespace {

hipError_t allocate(void **pointer, size_t bytes, const char *what,
                    const char *function) {
  MLA_HIP_CALL(call);
  if (!pointer)
    return fail(hipErrorInvalidValue, std::string(function) + ": null pointer");
  *pointer = nullptr;
  if (!bytes)
    return succeed();
  *pointer = call->memory.allocate(bytes, what);
  if (!*pointer)
    return fail(hipErrorOutOfMemory, std::string(function) + ": no room for " +
                                         std::to_string(bytes) + " bytes");
  return succeed();
}

hipError_t release(void *pointer, const char *function) {
  MLA_HIP_CALL(call);
  if (pointer && !call->memory.release(pointer)) {
    char text[120];
    snprintf(text, sizeof text, "%s: %p is not the begin of an allocation",
             function, pointer);
    return fail(hipErrorInvalidValue, text);
  }
  return succeed();
}

/// Whether all bytes may be touched; `mustBeDevice` where a host pointer is
/// not allowed either.
bool checkRange(Context &ctx, const void *pointer, size_t bytes,
                bool mustBeDevice, std::string &problem) {
  auto address = reinterpret_cast<uint64_t>(pointer);
  if (!ctx.memory.inRange(address) && !mustBeDevice) {
    if (!pointer)
      problem = "a null pointer";
    return pointer;
  }
  if (ctx.memory.holds(address, bytes))
    return true;
  char text[64];
  snprintf(text, sizeof text, "%zu bytes at %p, ", bytes, pointer);
  problem = text + (ctx.memory.inRange(address)
                        ? ctx.memory.describe(address)
                        : std::string("which is not device memory"));
  return false;
}

hipError_t copy(void *target, const void *source, size_t bytes,
                bool targetIsDevice, bool sourceIsDevice) {
  MLA_HIP_CALL(call);
  if (!bytes)
    return succeed();
  std::string problem;
  if (!checkRange(call.get(), target, bytes, targetIsDevice, problem))
    return fail(hipErrorInvalidValue, "hipMemcpy writes to " + problem);
  if (!checkRange(call.get(), source, bytes, sourceIsDevice, problem))
    return fail(hipErrorInvalidValue, "hipMemcpy reads from " + problem);
  memmove(target, source, bytes);
  return succeed();
}

hipError_t copyKind(void *target, const void *source, size_t bytes,
                    hipMemcpyKind kind) {
  switch (kind) {
  case hipMemcpyHostToHost:
  case hipMemcpyDefault:
    return copy(target, source, bytes, false, false);
  case hipMemcpyHostToDevice:
    return copy(target, source, bytes, true, false);
  case hipMemcpyDeviceToHost:
    return copy(target, source, bytes, false, true);
  case hipMemcpyDeviceToDevice:
    return copy(target, source, bytes, true, true);
  }
  return fail(hipErrorInvalidValue,
              "hipMemcpy: unknown kind " + std::to_string(int(kind)));
}

template <typename T> hipError_t fill(void *target, T value, size_t count) {
  MLA_HIP_CALL(call);
  std::string problem;
  if (!count)
    return succeed();
  if (!checkRange(call.get(), target, count * sizeof(T), true, problem))
    return fail(hipErrorInvalidValue, "hipMemset writes to " + problem);
  std::fill_n(static_cast<T *>(target), count, value);
  return succeed();
}

} // namespace

extern "C" {

hipError_t hipMalloc(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, "allocation", "hipMalloc");
}
hipError_t hipExtMallocWithFlags(void **pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, "allocation", "hipExtMallocWithFlags");
}
hipError_t hipMallocAsync(void **pointer, size_t bytes, hipStream_t) {
  return allocate(pointer, bytes, "allocation", "hipMallocAsync");
}
hipError_t hipMallocManaged(void **pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, "managed allocation", "hipMallocManaged");
}
hipError_t hipHostMalloc(void **pointer, size_t bytes, unsigned int) {
  return allocate(pointer, bytes, "host allocation", "hipHostMalloc");
}
hipError_t hipMallocHost(void **pointer, size_t bytes) {
  return allocate(pointer, bytes, "host allocation", "hipMallocHost");
}
hipError_t hipFree(void *pointer) { return release(pointer, "hipFree"); }
hipError_t hipFreeAsync(void *pointer, hipStream_t) {
  return release(pointer, "hipFreeAsync");
}
hipError_t hipHostFree(void *pointer) {
  return release(pointer, "hipHostFree");
}
hipError_t hipFreeHost(void *pointer) {
  return release(pointer, "hipFreeHost");
}
hipError_t hipHostGetDevicePointer(void **device, void *host, unsigned int) {
  if (!device)
    return fail(hipErrorInvalidValue, "hipHostGetDevicePointer: null pointer");
  *device = host;
  return succeed();
}

hipError_t hipMemcpy(void *target, const void *source, size_t bytes,
                     hipMemcpyKind kind) {
  return copyKind(target, source, bytes, kind);
}
hipError_t hipMemcpyAsync(void *target, const void *source, size_t bytes,
                          hipMemcpyKind kind, hipStream_t) {
  return copyKind(target, source, bytes, kind);
}
hipError_t hipMemcpyWithStream(void *target, const void *source, size_t bytes,
                               hipMemcpyKind kind, hipStream_t) {
  return copyKind(target, source, bytes, kind);
}
hipError_t hipMemcpyHtoD(hipDeviceptr_t target, void *source, size_t bytes) {
  return copy(target, source, bytes, true, false);
}
hipError_t hipMemcpyDtoH(void *target, hipDeviceptr_t source, size_t bytes) {
  return copy(target, source, bytes, false, true);
}
hipError_t hipMemcpyDtoD(hipDeviceptr_t target, hipDeviceptr_t source,
                         size_t bytes) {
  return copy(target, source, bytes, true, true);
}
hipError_t hipMemcpyHtoDAsync(hipDeviceptr_t target, void *source, size_t bytes,
                              hipStream_t) {
  return copy(target, source, bytes, true, false);
}
hipError_t hipMemcpyDtoHAsync(void *target, hipDeviceptr_t source, size_t bytes,
                              hipStream_t) {
  return copy(target, source, bytes, false, true);
}
hipError_t hipMemcpyDtoDAsync(hipDeviceptr_t target, hipDeviceptr_t source,
                              size_t bytes, hipStream_t) {
  return copy(target, source, bytes, true, true);
}

hipError_t hipMemset(void *target, int value, size_t bytes) {
  return fill<uint8_t>(target, uint8_t(value), bytes);
}
hipError_t hipMemsetAsync(void *target, int value, size_t bytes, hipStream_t) {
  return fill<uint8_t>(target, uint8_t(value), bytes);
}
hipError_t hipMemsetD8(hipDeviceptr_t target, unsigned char value,
                       size_t count) {
  return fill<uint8_t>(target, value, count);
}
hipError_t hipMemsetD8Async(hipDeviceptr_t target, unsigned char value,
                            size_t count, hipStream_t) {
  return fill<uint8_t>(target, value, count);
}
hipError_t hipMemsetD32(hipDeviceptr_t target, int value, size_t count) {
  return fill<int32_t>(target, value, count);
}
hipError_t hipMemsetD32Async(hipDeviceptr_t target, int value, size_t count,
                             hipStream_t) {
  return fill<int32_t>(target, value, count);
}

} // extern "C"
