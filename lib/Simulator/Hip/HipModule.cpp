//===- HipModule.cpp - HIP functions about code objects and launches ------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HipContext.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>

using namespace mla::sim;
using namespace mla::sim::hip;

namespace {

/// The container in which clang puts the code objects of several chips
/// (clang documentation, "Clang Offload Bundler", "Bundled Binary File
/// Layout").
constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__";

/// Finds the code object for a chip. Returns null if there is none.
const uint8_t *findInBundle(const uint8_t *bundle, std::string_view chip,
                            uint64_t &bytes) {
  auto number = [&](uint64_t at) {
    uint64_t value;
    memcpy(&value, bundle + at, 8);
    return value;
  };
  uint64_t at = kBundleMagic.size();
  uint64_t entries = number(at);
  at += 8;
  for (uint64_t i = 0; i < entries; ++i) {
    uint64_t offset = number(at), size = number(at + 8),
             length = number(at + 16);
    std::string_view id(reinterpret_cast<const char *>(bundle + at + 24),
                        length);
    at += 24 + length;
    if (id.find("amdgcn") == std::string_view::npos ||
        id.find(chip) == std::string_view::npos)
      continue;
    bytes = size;
    return bundle + offset;
  }
  return nullptr;
}

hipError_t loadModule(hipModule_t *result, const uint8_t *image,
                      const char *function) {
  MLA_HIP_CALL(call);
  if (!result || !image)
    return fail(hipErrorInvalidValue, std::string(function) + ": null pointer");
  uint64_t bytes = 0;
  if (!memcmp(image, kBundleMagic.data(), kBundleMagic.size())) {
    image = findInBundle(image, call->chip->name, bytes);
    if (!image)
      return fail(hipErrorNoBinaryForGpu, std::string(function) +
                                              ": the bundle has no code for " +
                                              std::string(call->chip->name));
  } else {
    bytes = CodeObject::imageBytes(image);
    if (!bytes)
      return fail(hipErrorInvalidImage,
                  std::string(function) +
                      ": the image is neither an ELF file nor a bundle");
  }
  std::string_view other = CodeObject::imageChip(image);
  if (!other.empty() && other != call->chip->name)
    return fail(hipErrorNoBinaryForGpu,
                std::string(function) + ": the code object is for " +
                    std::string(other) + ", the simulated chip is " +
                    std::string(call->chip->name));
  std::string error;
  auto module = std::make_unique<Module>();
  module->object =
      CodeObject::load(image, bytes, call->chip->name, call->memory, error);
  if (!module->object)
    return fail(hipErrorInvalidImage, std::string(function) + ": " + error);
  call->modules.insert(module.get());
  *result = reinterpret_cast<hipModule_t>(module.release());
  return succeed();
}

/// Values of the hidden arguments of code object version 5 (AMDGPUUsage,
/// "Code Object V5 Metadata", `.value_kind`).
bool hiddenValue(const std::string &kind, const LaunchConfig &config,
                 uint64_t &value) {
  constexpr std::string_view axes = "xyz";
  auto axisOf = [&](std::string_view prefix) -> int {
    if (kind.size() != prefix.size() + 1 || !kind.starts_with(prefix))
      return -1;
    size_t axis = axes.find(kind.back());
    return axis == std::string_view::npos ? -1 : int(axis);
  };
  if (int axis = axisOf("hidden_block_count_"); axis >= 0)
    value = config.grid[axis];
  else if (int axis = axisOf("hidden_group_size_"); axis >= 0)
    value = config.block[axis];
  else if (kind == "hidden_grid_dims")
    value = config.grid[2] * config.block[2] > 1   ? 3
            : config.grid[1] * config.block[1] > 1 ? 2
                                                   : 1;
  else if (kind == "hidden_dynamic_lds_size")
    value = config.dynamicLdsBytes;
  else if (kind == "hidden_private_base")
    value = uint64_t(2) << 16;
  else if (kind == "hidden_shared_base")
    value = uint64_t(1) << 16;
  else
    return false;
  return true;
}

/// Writes the kernel argument segment. Returns a problem or an empty string.
std::string fillArguments(const Kernel &kernel, const LaunchConfig &config,
                          void **parameters, void **extra, uint8_t *segment) {
  if (parameters) {
    if (!kernel.hasMetadata)
      return "the code object has no metadata, so the arguments must be given "
             "as one buffer (HIP_LAUNCH_PARAM_BUFFER_POINTER)";
    size_t next = 0;
    for (const KernelArgument &argument : kernel.arguments) {
      if (argument.kind.starts_with("hidden_"))
        continue;
      if (!parameters[next])
        return "argument " + std::to_string(next) + " is a null pointer";
      memcpy(segment + argument.offset, parameters[next++], argument.size);
    }
  } else if (extra) {
    const void *buffer = nullptr;
    size_t bytes = 0;
    for (void **entry = extra; *entry != HIP_LAUNCH_PARAM_END; entry += 2) {
      if (entry[0] == HIP_LAUNCH_PARAM_BUFFER_POINTER)
        buffer = entry[1];
      else if (entry[0] == HIP_LAUNCH_PARAM_BUFFER_SIZE)
        bytes = *static_cast<size_t *>(entry[1]);
      else
        return "the extra launch parameters have an unknown key";
    }
    // As in AMD's runtime (clr, ihipLaunchKernelCommand), a kernel gets what
    // its metadata describes and the buffer has; programs that serve many
    // kernels pass them all the longest buffer.
    if (buffer && !kernel.hasMetadata)
      memcpy(segment, buffer, std::min<size_t>(bytes, kernel.kernargBytes));
    for (const KernelArgument &argument : kernel.arguments)
      if (buffer && size_t{argument.offset} + argument.size <= bytes)
        memcpy(segment + argument.offset,
               static_cast<const uint8_t *>(buffer) + argument.offset,
               argument.size);
  }
  for (const KernelArgument &argument : kernel.arguments) {
    uint64_t value;
    if (hiddenValue(argument.kind, config, value))
      memcpy(segment + argument.offset, &value,
             std::min<size_t>(argument.size, sizeof value));
  }
  return {};
}

/// Adds a launch to the totals that mla_sim_get_statistics reports.
void addStatistics(mla_sim_statistics &total, const LaunchConfig &config,
                   const LaunchStatistics &stats, const Program &program,
                   double seconds) {
  uint64_t *classes[] = {
      &total.salu,           &total.valu,         &total.mfma,
      &total.scalar_loads,   &total.global_loads, &total.global_stores,
      &total.global_atomics, &total.lds,          &total.branches,
      &total.barriers,       &total.waits,        nullptr,
  };
  total.launches += 1;
  total.workgroups +=
      uint64_t(config.grid[0]) * config.grid[1] * config.grid[2];
  total.waves += stats.waves;
  total.instructions += stats.instructions;
  total.seconds += seconds;
  for (size_t i = 0; i < stats.counts.size(); ++i)
    if (uint64_t *count = classes[size_t(program.classes()[i])])
      *count += stats.counts[i];
}

mla_sim_profile profileOf(const std::string &kernel,
                          const LaunchProfile &profile,
                          const mla_sim_statistics &counts) {
  ProfileTotals totals;
  mla_sim_profile result = {};
  for (const WorkgroupProfile &workgroup : profile.workgroups) {
    totals.add(workgroup);
    result.bytes_in_flight =
        std::max(result.bytes_in_flight, workgroup.bytesInFlight);
  }
  kernel.copy(result.kernel, sizeof(result.kernel) - 1);
  result.workgroups = profile.workgroups.size();
  result.valu = counts.valu;
  result.salu = counts.salu;
  result.mfma = counts.mfma;
  result.lds = counts.lds;
  result.global_loads = counts.global_loads;
  result.global_stores = counts.global_stores;
  result.waits = counts.waits;
  result.barriers = counts.barriers;
  result.load_bytes = totals.loadBytes;
  result.load_segments = totals.loadSegments;
  result.distinct_load_segments = profile.segments.count();
  result.store_bytes = totals.storeBytes;
  result.valu_cycles = totals.valuCycles;
  result.matrix_cycles = totals.matrixCycles;
  result.lds_cycles = totals.ldsCycles;
  result.lds_conflict_cycles = totals.ldsConflictCycles;
  return result;
}

hipError_t launch(Call &call, const Function &function, LaunchConfig config,
                  void **parameters, void **extra) {
  const Kernel &kernel = *function.kernel;
  const CodeObject &object = *function.module->object;
  // Kernels may be told of fewer bytes than their last argument needs.
  uint64_t bytes = std::max<uint64_t>(kernel.kernargBytes, 8);
  for (const KernelArgument &argument : kernel.arguments)
    bytes = std::max<uint64_t>(bytes, argument.offset + argument.size);
  auto *segment =
      static_cast<uint8_t *>(call->memory.allocate(bytes, "kernel arguments"));
  if (!segment)
    return fail(hipErrorOutOfMemory,
                "hipModuleLaunchKernel: no room for the arguments");
  std::string problem =
      fillArguments(kernel, config, parameters, extra, segment);
  if (!problem.empty()) {
    call->memory.release(segment);
    return fail(hipErrorInvalidValue, "hipModuleLaunchKernel: kernel '" +
                                          kernel.name + "': " + problem);
  }
  config.kernargAddress = reinterpret_cast<uint64_t>(segment);
  config.threads = call->threads;
  config.waveBudget = call->waveBudget;
  config.quantum = call->quantum;
  config.lateDelivery = call->lateDelivery;
  config.orderSeed = call->orderSeed;
  config.profile = call->profiling;
  Launch run(object, kernel, call->memory, call->chip->name);
  if (std::string why = run.validate(config); !why.empty()) {
    call->memory.release(segment);
    return fail(hipErrorInvalidConfiguration, why);
  }
  double begin = secondsNow();
  std::string fault = run.run(config);
  addStatistics(call->statistics, config, run.statistics(), object.program(),
                secondsNow() - begin);
  if (const LaunchProfile *profile = run.profile()) {
    mla_sim_statistics counts = {};
    addStatistics(counts, config, run.statistics(), object.program(), 0);
    call->profiles.push_back(profileOf(kernel.name, *profile, counts));
  }
  call->memory.release(segment);
  if (!fault.empty())
    return fail(hipErrorLaunchFailure, fault);
  return succeed();
}

} // namespace

extern "C" {

hipError_t hipModuleLoadData(hipModule_t *module, const void *image) {
  return loadModule(module, static_cast<const uint8_t *>(image),
                    "hipModuleLoadData");
}

hipError_t hipModuleLoadDataEx(hipModule_t *module, const void *image,
                               unsigned int, hipJitOption *, void **) {
  return loadModule(module, static_cast<const uint8_t *>(image),
                    "hipModuleLoadDataEx");
}

hipError_t hipModuleLoad(hipModule_t *module, const char *path) {
  std::ifstream file(path ? path : "", std::ios::binary);
  if (!file)
    return fail(hipErrorFileNotFound, std::string("hipModuleLoad: cannot read "
                                                  "'") +
                                          (path ? path : "") + "'");
  std::vector<char> bytes((std::istreambuf_iterator<char>(file)),
                          std::istreambuf_iterator<char>());
  if (bytes.size() < 64)
    return fail(hipErrorInvalidImage, "hipModuleLoad: the file is too short");
  return loadModule(module, reinterpret_cast<const uint8_t *>(bytes.data()),
                    "hipModuleLoad");
}

hipError_t hipModuleUnload(hipModule_t handle) {
  MLA_HIP_CALL(call);
  auto *module = reinterpret_cast<Module *>(handle);
  if (!call->modules.erase(module))
    return fail(hipErrorInvalidHandle, "hipModuleUnload: no such module");
  for (auto &function : module->functions)
    call->functions.erase(function.get());
  delete module;
  return succeed();
}

hipError_t hipModuleGetFunction(hipFunction_t *result, hipModule_t handle,
                                const char *name) {
  MLA_HIP_CALL(call);
  auto *module = reinterpret_cast<Module *>(handle);
  if (!result || !name || !call->modules.count(module))
    return fail(hipErrorInvalidValue,
                "hipModuleGetFunction: null pointer or no such module");
  const Kernel *kernel = module->object->findKernel(name);
  if (!kernel) {
    std::string known;
    for (const std::string &other : module->object->kernelNames())
      known += (known.empty() ? "" : ", ") + other;
    return fail(hipErrorNotFound, "hipModuleGetFunction: there is no kernel '" +
                                      std::string(name) + "'; the module has " +
                                      known);
  }
  module->functions.push_back(
      std::make_unique<Function>(Function{module, kernel}));
  call->functions.insert(module->functions.back().get());
  *result = reinterpret_cast<hipFunction_t>(module->functions.back().get());
  return succeed();
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *pointer, size_t *bytes,
                              hipModule_t handle, const char *name) {
  MLA_HIP_CALL(call);
  auto *module = reinterpret_cast<Module *>(handle);
  uint64_t address = 0, size = 0;
  if (!name || !call->modules.count(module) ||
      !module->object->findVariable(name, address, size))
    return fail(hipErrorNotFound, "hipModuleGetGlobal: there is no variable '" +
                                      std::string(name ? name : "") + "'");
  if (pointer)
    *pointer = reinterpret_cast<void *>(address);
  if (bytes)
    *bytes = size;
  return succeed();
}

hipError_t hipModuleLaunchKernel(hipFunction_t handle, unsigned int gridX,
                                 unsigned int gridY, unsigned int gridZ,
                                 unsigned int blockX, unsigned int blockY,
                                 unsigned int blockZ, unsigned int sharedBytes,
                                 hipStream_t, void **parameters, void **extra) {
  MLA_HIP_CALL(call);
  auto *function = reinterpret_cast<Function *>(handle);
  if (!call->functions.count(function))
    return fail(hipErrorInvalidHandle,
                "hipModuleLaunchKernel: no such function");
  LaunchConfig config;
  config.grid[0] = gridX;
  config.grid[1] = gridY;
  config.grid[2] = gridZ;
  config.block[0] = blockX;
  config.block[1] = blockY;
  config.block[2] = blockZ;
  config.dynamicLdsBytes = sharedBytes;
  return launch(call, *function, config, parameters, extra);
}

hipError_t hipFuncGetAttribute(int *value, hipFunction_attribute attribute,
                               hipFunction_t handle) {
  MLA_HIP_CALL(call);
  auto *function = reinterpret_cast<Function *>(handle);
  if (!value || !call->functions.count(function))
    return fail(hipErrorInvalidValue,
                "hipFuncGetAttribute: null pointer or no such function");
  const Kernel &kernel = *function->kernel;
  switch (attribute) {
  case HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = int(kernel.maxWorkgroupSize);
    return succeed();
  case HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = int(kernel.ldsBytes);
    return succeed();
  case HIP_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = int(kernel.privateBytes);
    return succeed();
  case HIP_FUNC_ATTRIBUTE_NUM_REGS:
    *value =
        int(kernel.vgprs ? kernel.vgprs : kernel.allocatedVectorRegisters());
    return succeed();
  case HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = call->chip->ldsBytes - int(kernel.ldsBytes);
    return succeed();
  case HIP_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case HIP_FUNC_ATTRIBUTE_PTX_VERSION:
  case HIP_FUNC_ATTRIBUTE_BINARY_VERSION:
  case HIP_FUNC_ATTRIBUTE_CACHE_MODE_CA:
    *value = 0;
    return succeed();
  default:
    return fail(hipErrorInvalidValue,
                "hipFuncGetAttribute: unknown attribute " +
                    std::to_string(int(attribute)));
  }
}

hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *blocks, hipFunction_t handle, int blockSize, size_t dynamicLdsBytes) {
  MLA_HIP_CALL(call);
  auto *function = reinterpret_cast<Function *>(handle);
  if (!blocks || blockSize <= 0 || !call->functions.count(function))
    return fail(hipErrorInvalidValue,
                "hipModuleOccupancyMaxActiveBlocksPerMultiprocessor: null "
                "pointer, no such function or empty block");
  const Kernel &kernel = *function->kernel;
  const mla::targets::Chip &chip = *call->chip;
  // Eight waves fit a SIMD (CDNA3 ISA, "Wave state").
  int wavesPerSimd = std::min(8, chip.vectorRegisters /
                                     int(kernel.allocatedVectorRegisters()));
  int waves =
      (blockSize + mla::targets::kWaveLanes - 1) / mla::targets::kWaveLanes;
  int fit = wavesPerSimd * chip.simdsPerComputeUnit / waves;
  uint64_t lds = kernel.ldsBytes + dynamicLdsBytes;
  if (lds)
    fit = std::min(fit, int(uint64_t(chip.ldsBytes) / lds));
  *blocks = fit;
  return succeed();
}

} // extern "C"
