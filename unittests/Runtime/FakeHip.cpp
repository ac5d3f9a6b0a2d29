//===- FakeHip.cpp - A HIP library that only takes notes ------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FAKE_HIP_R0600: behave as ROCm 6 and later, whose device properties have
// another layout and a function of their own.
//
//===----------------------------------------------------------------------===//

#include "FakeHip.h"

#include <hip/hip_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

static FakeHip state;
static std::mutex mutex;
/// Functions are handed out as pointers to their names.
static std::set<std::string> kernelNames;

#define NOTE(name)                                                             \
  std::lock_guard<std::mutex> lock(mutex);                                     \
  state.calls.push_back(#name);                                                \
  if (state.failing == #name)                                                  \
  return static_cast<hipError_t>(state.error)

extern "C" {

FakeHip *fakeHip(bool reset) {
  if (reset)
    state = FakeHip();
  return &state;
}

hipError_t hipGetDeviceCount(int *count) {
  NOTE(hipGetDeviceCount);
  *count = state.deviceCount;
  return state.deviceCount ? hipSuccess : hipErrorNoDevice;
}

hipError_t hipGetDevice(int *device) {
  NOTE(hipGetDevice);
  *device = state.device;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  NOTE(hipSetDevice);
  state.device = device;
  return hipSuccess;
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute,
                                 int) {
  NOTE(hipDeviceGetAttribute);
  if (attribute != hipDeviceAttributeMultiprocessorCount)
    return hipErrorInvalidValue;
  *value = state.computeUnits;
  return hipSuccess;
}

#ifdef FAKE_HIP_R0600
hipError_t hipGetDevicePropertiesR0600(void *properties, int) {
  NOTE(hipGetDevicePropertiesR0600);
  char *name = static_cast<char *>(properties) + 1160;
  std::strncpy(name, state.chip.c_str(), 256);
  return hipSuccess;
}
#endif

hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int) {
  NOTE(hipGetDeviceProperties);
  std::strncpy(properties->gcnArchName, state.chip.c_str(),
               sizeof(properties->gcnArchName));
  return hipSuccess;
}

const char *hipGetErrorString(hipError_t error) {
  return error == hipErrorLaunchFailure ? "the kernel went wrong"
                                        : "something went wrong";
}

hipError_t hipMalloc(void **memory, size_t bytes) {
  NOTE(hipMalloc);
  *memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
  std::memset(*memory, 0xee, bytes);
  state.memory[*memory] = bytes;
  return hipSuccess;
}

hipError_t hipFree(void *memory) {
  NOTE(hipFree);
  if (!memory)
    return hipSuccess;
  if (!state.memory.erase(memory))
    return hipErrorInvalidValue;
  std::free(memory);
  return hipSuccess;
}

hipError_t hipMemcpy(void *destination, const void *source, size_t bytes,
                     hipMemcpyKind) {
  NOTE(hipMemcpy);
  std::memcpy(destination, source, bytes);
  return hipSuccess;
}

hipError_t hipMemset(void *memory, int value, size_t bytes) {
  NOTE(hipMemset);
  std::memset(memory, value, bytes);
  return hipSuccess;
}

hipError_t hipMemsetAsync(void *memory, int value, size_t bytes,
                          hipStream_t stream) {
  NOTE(hipMemsetAsync);
  std::memset(memory, value, bytes);
  state.memsetStream = stream;
  return hipSuccess;
}

hipError_t hipStreamSynchronize(hipStream_t) {
  NOTE(hipStreamSynchronize);
  return hipSuccess;
}

hipError_t hipDeviceSynchronize() {
  NOTE(hipDeviceSynchronize);
  return hipSuccess;
}

hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  NOTE(hipModuleLoadData);
  auto *loaded = new std::string(static_cast<const char *>(image), 4);
  state.modules.insert(loaded);
  *module = reinterpret_cast<hipModule_t>(loaded);
  return hipSuccess;
}

hipError_t hipModuleUnload(hipModule_t module) {
  NOTE(hipModuleUnload);
  auto *loaded = reinterpret_cast<std::string *>(module);
  if (!state.modules.erase(loaded))
    return hipErrorInvalidValue;
  delete loaded;
  return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t *function, hipModule_t,
                                const char *name) {
  NOTE(hipModuleGetFunction);
  const std::string &kept = *kernelNames.insert(name).first;
  *function = reinterpret_cast<hipFunction_t>(const_cast<std::string *>(&kept));
  return hipSuccess;
}

hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned gridX,
                                 unsigned gridY, unsigned gridZ,
                                 unsigned blockX, unsigned blockY,
                                 unsigned blockZ, unsigned sharedBytes,
                                 hipStream_t stream, void **arguments,
                                 void **extra) {
  NOTE(hipModuleLaunchKernel);
  if (gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1 || sharedBytes ||
      extra)
    return hipErrorInvalidValue;
  FakeHip::Launch launch;
  launch.kernel = *reinterpret_cast<std::string *>(function);
  launch.grid = gridX;
  launch.block = blockX;
  launch.stream = stream;
  for (int i = 0; i < state.argumentCounts[launch.kernel]; ++i)
    launch.arguments.push_back(*static_cast<void **>(arguments[i]));
  state.launches.push_back(std::move(launch));
  return hipSuccess;
}

} // extern "C"
