//===- HipDevice.cpp - HIP functions about the device and errors ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HipContext.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>

namespace mla::sim::hip {
namespace {

thread_local std::string lastSentence;
thread_local hipError_t lastError = hipSuccess;

/// Facts that only the HIP functions report. Sources: AMD's data sheets of
/// the Instinct MI300X and MI355X.
struct Product {
  std::string_view chip;
  const char *name;
  const char *architecture;
  uint64_t memoryBytes;
  int minor;
  int clockKhz;
  int memoryClockKhz;
  int memoryBusBits;
  int l2Bytes;
};
constexpr Product kProducts[] = {
    {"gfx942", "AMD Instinct MI300X", "gfx942:sramecc+:xnack-",
     uint64_t(192) << 30, 4, 2100000, 2600000, 8192, 4 << 20},
    {"gfx950", "AMD Instinct MI355X", "gfx950:sramecc+:xnack-",
     uint64_t(288) << 30, 5, 2400000, 4000000, 8192, 4 << 20},
};

const Product &product(const Context &ctx) {
  for (const Product &candidate : kProducts)
    if (candidate.chip == ctx.chip->name)
      return candidate;
  return kProducts[0];
}

constexpr int kWorkItemsPerCu = 2048;

struct ErrorName {
  hipError_t error;
  const char *name;
  const char *text;
};
constexpr ErrorName kErrors[] = {
    {hipSuccess, "hipSuccess", "no error"},
    {hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    {hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    {hipErrorNotInitialized, "hipErrorNotInitialized", "not initialized"},
    {hipErrorNoDevice, "hipErrorNoDevice", "no simulated device"},
    {hipErrorInvalidConfiguration, "hipErrorInvalidConfiguration",
     "invalid configuration of a launch"},
    {hipErrorInvalidDevice, "hipErrorInvalidDevice", "invalid device ordinal"},
    {hipErrorInvalidImage, "hipErrorInvalidImage",
     "device kernel image is invalid"},
    {hipErrorNoBinaryForGpu, "hipErrorNoBinaryForGpu",
     "no kernel image for this device"},
    {hipErrorFileNotFound, "hipErrorFileNotFound", "file not found"},
    {hipErrorInvalidHandle, "hipErrorInvalidHandle", "invalid handle"},
    {hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    {hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    {hipErrorIllegalAddress, "hipErrorIllegalAddress",
     "an illegal memory access was encountered"},
    {hipErrorLaunchFailure, "hipErrorLaunchFailure",
     "a fault in the simulated kernel; mla_sim_last_error() tells which"},
    {hipErrorNotSupported, "hipErrorNotSupported",
     "not supported by the simulator"},
    {hipErrorUnknown, "hipErrorUnknown", "unknown error"},
};

const ErrorName &describe(hipError_t error) {
  for (const ErrorName &entry : kErrors)
    if (entry.error == error)
      return entry;
  return kErrors[std::size(kErrors) - 1];
}

/// A number from the environment, or `otherwise` if unset. Sets `problem` if
/// it is not a number in the range.
uint64_t environmentNumber(const char *name, uint64_t low, uint64_t high,
                           uint64_t otherwise, std::string &problem) {
  const char *text = getenv(name);
  if (!text || !*text)
    return otherwise;
  char *end = nullptr;
  unsigned long long value = strtoull(text, &end, 10);
  if (*end || value < low || value > high) {
    problem = std::string(name) + " is '" + text + "'; allowed is a number " +
              "from " + std::to_string(low) + " to " + std::to_string(high);
    return otherwise;
  }
  return value;
}

} // namespace

Context::Context() {
  const char *name = getenv("MLA_SIM_CHIP");
  std::string_view chosen = name && *name ? name : "gfx942";
  chip = targets::findChip(chosen);
  if (!chip) {
    problem = "MLA_SIM_CHIP is '" + std::string(chosen) + "'; allowed are " +
              std::string(targets::kChipNames);
    return;
  }
  computeUnits = int(environmentNumber("MLA_SIM_CUS", 1, chip->computeUnits,
                                       chip->computeUnits, problem));
  threads = uint32_t(environmentNumber("MLA_SIM_THREADS", 1, 1024, 0, problem));
  waveBudget = environmentNumber("MLA_SIM_BUDGET", 1, uint64_t(1) << 48,
                                 LaunchConfig().waveBudget, problem);
  quantum = environmentNumber("MLA_SIM_QUANTUM", 1, uint64_t(1) << 32,
                              LaunchConfig().quantum, problem);
  lateDelivery = environmentNumber("MLA_SIM_LATE", 0, 1, 0, problem);
  orderSeed =
      environmentNumber("MLA_SIM_ORDER_SEED", 0, uint64_t(1) << 62, 0, problem);
}

Context &context() {
  // Never destroyed: handles may be used by other libraries' destructors.
  static Context *ctx = new Context;
  return *ctx;
}

hipError_t fail(hipError_t error, std::string sentence) {
  lastError = error;
  lastSentence = std::move(sentence);
  return error;
}

hipError_t succeed() {
  lastSentence.clear();
  return hipSuccess;
}

double secondsNow() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

namespace {

hipError_t checkDevice(int device) {
  if (device == 0)
    return hipSuccess;
  return fail(hipErrorInvalidDevice,
              "there is only device 0, not " + std::to_string(device));
}

bool attributeValue(const Context &ctx, hipDeviceAttribute_t attribute,
                    int &value) {
  const Product &facts = product(ctx);
  switch (attribute) {
  case hipDeviceAttributeMultiprocessorCount:
  case hipDeviceAttributePhysicalMultiProcessorCount:
    value = ctx.computeUnits;
    return true;
  case hipDeviceAttributeWarpSize:
    value = targets::kWaveLanes;
    return true;
  case hipDeviceAttributeMaxThreadsPerBlock:
  case hipDeviceAttributeMaxBlockDimX:
  case hipDeviceAttributeMaxBlockDimY:
  case hipDeviceAttributeMaxBlockDimZ:
    value = 1024;
    return true;
  case hipDeviceAttributeMaxGridDimX:
    value = 0x7FFFFFFF;
    return true;
  case hipDeviceAttributeMaxGridDimY:
  case hipDeviceAttributeMaxGridDimZ:
    value = 0xFFFF;
    return true;
  case hipDeviceAttributeMaxSharedMemoryPerBlock:
  case hipDeviceAttributeMaxSharedMemoryPerMultiprocessor:
  case hipDeviceAttributeSharedMemPerBlockOptin:
  case hipDeviceAttributeSharedMemPerMultiprocessor:
    value = ctx.chip->ldsBytes;
    return true;
  case hipDeviceAttributeMaxThreadsPerMultiProcessor:
    value = kWorkItemsPerCu;
    return true;
  case hipDeviceAttributeMaxRegistersPerBlock:
  case hipDeviceAttributeMaxRegistersPerMultiprocessor:
    value = ctx.chip->vectorRegisters * targets::kWaveLanes *
            ctx.chip->simdsPerComputeUnit;
    return true;
  case hipDeviceAttributeComputeCapabilityMajor:
    value = 9;
    return true;
  case hipDeviceAttributeComputeCapabilityMinor:
    value = facts.minor;
    return true;
  case hipDeviceAttributeClockRate:
    value = facts.clockKhz;
    return true;
  case hipDeviceAttributeMemoryClockRate:
    value = facts.memoryClockKhz;
    return true;
  case hipDeviceAttributeMemoryBusWidth:
    value = facts.memoryBusBits;
    return true;
  case hipDeviceAttributeL2CacheSize:
    value = facts.l2Bytes;
    return true;
  case hipDeviceAttributeConcurrentKernels:
  case hipDeviceAttributeUnifiedAddressing:
  case hipDeviceAttributeCanMapHostMemory:
  case hipDeviceAttributeEccEnabled:
    value = 1;
    return true;
  case hipDeviceAttributeIntegrated:
  case hipDeviceAttributePciBusId:
  case hipDeviceAttributePciDeviceId:
  case hipDeviceAttributePciDomainID:
  case hipDeviceAttributeCooperativeLaunch:
  case hipDeviceAttributeMemoryPoolsSupported:
  case hipDeviceAttributeManagedMemory:
  case hipDeviceAttributePageableMemoryAccess:
    value = 0;
    return true;
  default:
    return false;
  }
}

} // namespace
} // namespace mla::sim::hip

using namespace mla::sim::hip;

extern "C" {

const char *mla_sim_last_error(void) { return lastSentence.c_str(); }

void mla_sim_get_statistics(mla_sim_statistics *statistics, int reset) {
  Call call;
  if (statistics)
    *statistics = call->statistics;
  if (reset)
    call->statistics = {};
}

void mla_sim_set_profiling(int on) {
  Call call;
  call->profiling = on != 0;
}

uint32_t mla_sim_take_profiles(mla_sim_profile *profiles, uint32_t capacity) {
  Call call;
  auto count = static_cast<uint32_t>(call->profiles.size());
  if (profiles)
    std::copy_n(call->profiles.begin(), std::min(capacity, count), profiles);
  call->profiles.clear();
  return count;
}

void mla_sim_set_threads(uint32_t threads) {
  Call call;
  call->threads = threads;
}

hipError_t hipInit(unsigned int) {
  MLA_HIP_CALL(call);
  return succeed();
}

hipError_t hipGetDeviceCount(int *count) {
  Call call;
  if (!count)
    return fail(hipErrorInvalidValue, "hipGetDeviceCount: null pointer");
  *count = call.noDevice() ? 0 : 1;
  return call.noDevice() ? call.reportNoDevice() : succeed();
}

hipError_t hipSetDevice(int device) {
  MLA_HIP_CALL(call);
  return checkDevice(device) ? hipErrorInvalidDevice : succeed();
}

hipError_t hipGetDevice(int *device) {
  MLA_HIP_CALL(call);
  if (!device)
    return fail(hipErrorInvalidValue, "hipGetDevice: null pointer");
  *device = 0;
  return succeed();
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
  MLA_HIP_CALL(call);
  if (!device || checkDevice(ordinal))
    return fail(hipErrorInvalidDevice, "hipDeviceGet: there is only device 0");
  *device = 0;
  return succeed();
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t *properties, int device) {
  MLA_HIP_CALL(call);
  if (!properties)
    return fail(hipErrorInvalidValue, "hipGetDeviceProperties: null pointer");
  if (hipError_t error = checkDevice(device))
    return error;
  const Context &ctx = call.get();
  const Product &facts = product(ctx);
  *properties = {};
  hipDeviceProp_t &p = *properties;
  strncpy(p.name, facts.name, sizeof p.name - 1);
  strncpy(p.gcnArchName, facts.architecture, sizeof p.gcnArchName - 1);
  p.totalGlobalMem = facts.memoryBytes;
  p.sharedMemPerBlock = size_t(ctx.chip->ldsBytes);
  p.maxSharedMemoryPerMultiProcessor = size_t(ctx.chip->ldsBytes);
  p.regsPerBlock = ctx.chip->vectorRegisters * mla::targets::kWaveLanes *
                   ctx.chip->simdsPerComputeUnit;
  p.warpSize = mla::targets::kWaveLanes;
  p.maxThreadsPerBlock = 1024;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = p.maxThreadsDim[2] = 1024;
  p.maxGridSize[0] = 0x7FFFFFFF;
  p.maxGridSize[1] = p.maxGridSize[2] = 0xFFFF;
  p.clockRate = facts.clockKhz;
  p.memoryClockRate = facts.memoryClockKhz;
  p.memoryBusWidth = facts.memoryBusBits;
  p.totalConstMem = 0x7FFFFFFF;
  p.major = 9;
  p.minor = facts.minor;
  p.multiProcessorCount = ctx.computeUnits;
  p.l2CacheSize = facts.l2Bytes;
  p.maxThreadsPerMultiProcessor = kWorkItemsPerCu;
  p.clockInstructionRate = 100000;
  p.concurrentKernels = 1;
  p.canMapHostMemory = 1;
  p.gcnArch = 900 + facts.minor * 10;
  p.ECCEnabled = 1;
  return succeed();
}

hipError_t hipDeviceGetName(char *name, int length, hipDevice_t device) {
  MLA_HIP_CALL(call);
  if (!name || length <= 0)
    return fail(hipErrorInvalidValue, "hipDeviceGetName: no room for a name");
  if (hipError_t error = checkDevice(device))
    return error;
  strncpy(name, product(call.get()).name, size_t(length));
  name[length - 1] = 0;
  return succeed();
}

hipError_t hipDeviceGetAttribute(int *value, hipDeviceAttribute_t attribute,
                                 int device) {
  MLA_HIP_CALL(call);
  if (!value)
    return fail(hipErrorInvalidValue, "hipDeviceGetAttribute: null pointer");
  if (hipError_t error = checkDevice(device))
    return error;
  if (!attributeValue(call.get(), attribute, *value))
    return fail(
        hipErrorInvalidValue,
        "hipDeviceGetAttribute: the simulator does not know attribute " +
            std::to_string(int(attribute)));
  return succeed();
}

hipError_t hipDeviceComputeCapability(int *major, int *minor,
                                      hipDevice_t device) {
  MLA_HIP_CALL(call);
  if (!major || !minor)
    return fail(hipErrorInvalidValue,
                "hipDeviceComputeCapability: null pointer");
  if (hipError_t error = checkDevice(device))
    return error;
  *major = 9;
  *minor = product(call.get()).minor;
  return succeed();
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
  MLA_HIP_CALL(call);
  if (!bytes)
    return fail(hipErrorInvalidValue, "hipDeviceTotalMem: null pointer");
  if (hipError_t error = checkDevice(device))
    return error;
  *bytes = product(call.get()).memoryBytes;
  return succeed();
}

hipError_t hipMemGetInfo(size_t *freeBytes, size_t *total) {
  MLA_HIP_CALL(call);
  if (!freeBytes || !total)
    return fail(hipErrorInvalidValue, "hipMemGetInfo: null pointer");
  *total = product(call.get()).memoryBytes;
  uint64_t used = call->memory.bytesInUse();
  *freeBytes = used < *total ? *total - used : 0;
  return succeed();
}

hipError_t hipRuntimeGetVersion(int *version) {
  if (!version)
    return fail(hipErrorInvalidValue, "hipRuntimeGetVersion: null pointer");
  *version = HIP_VERSION;
  return succeed();
}

hipError_t hipDriverGetVersion(int *version) {
  if (!version)
    return fail(hipErrorInvalidValue, "hipDriverGetVersion: null pointer");
  *version = HIP_VERSION;
  return succeed();
}

hipError_t hipDeviceSynchronize(void) {
  MLA_HIP_CALL(call);
  return succeed();
}

hipError_t hipDeviceReset(void) {
  MLA_HIP_CALL(call);
  return succeed();
}

const char *hipGetErrorString(hipError_t error) { return describe(error).text; }

const char *hipGetErrorName(hipError_t error) { return describe(error).name; }

hipError_t hipGetLastError(void) {
  hipError_t error = lastError;
  lastError = hipSuccess;
  return error;
}

hipError_t hipPeekAtLastError(void) { return lastError; }

} // extern "C"
