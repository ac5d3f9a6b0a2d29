//===- Device.cpp - Devices, their memory and the code loaded on them -----===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <utility>

using namespace mla::runtime;

CurrentDevice::CurrentDevice(const mla_device &device) : device(device) {
  int current = -1;
  made = device.hip.check(device.hip.getDevice(&current),
                          "cannot ask for the current device");
  if (made.failed() || current == device.ordinal)
    return;
  made = device.hip.check(device.hip.setDevice(device.ordinal),
                          "cannot make the device current");
  if (!made.failed())
    previous = current;
}

CurrentDevice::~CurrentDevice() {
  if (previous >= 0)
    (void)device.hip.setDevice(previous);
}

DeviceMemory::DeviceMemory(DeviceMemory &&other) noexcept
    : device(other.device), memory(std::exchange(other.memory, nullptr)) {}

DeviceMemory &DeviceMemory::operator=(DeviceMemory &&other) noexcept {
  std::swap(device, other.device);
  std::swap(memory, other.memory);
  return *this;
}

DeviceMemory::~DeviceMemory() {
  if (memory)
    (void)device->hip.free(memory);
}

Status DeviceMemory::allocate(const mla_device &device, uint64_t bytes,
                              const std::string &what, DeviceMemory &memory) {
  DeviceMemory allocated;
  allocated.device = &device;
  if (bytes) {
    std::string task = "cannot allocate " + std::to_string(bytes) +
                       " bytes of device memory for " + what;
    MLA_RETURN_IF_FAILED(device.hip.check(
        device.hip.malloc(&allocated.memory, bytes), task.c_str()));
  }
  memory = std::move(allocated);
  return ok();
}

Status DeviceMemory::write(const void *source, uint64_t bytes) {
  if (!bytes)
    return ok();
  return device->hip.check(
      device->hip.memcpy(memory, source, bytes, hipMemcpyHostToDevice),
      "cannot copy to the device");
}

Status DeviceMemory::clear(uint64_t bytes) {
  return bytes ? device->hip.check(device->hip.memset(memory, 0, bytes),
                                   "cannot clear device memory")
               : ok();
}

Status mla::runtime::openDevice(const char *library, int ordinal,
                                std::unique_ptr<mla_device> &device) {
  auto opened = std::make_unique<mla_device>();
  MLA_RETURN_IF_FAILED(HipLibrary::open(library, opened->hip));
  const HipLibrary &hip = opened->hip;
  int count = 0;
  hipError_t error = hip.getDeviceCount(&count);
  if (error == hipErrorNoDevice || (error == hipSuccess && count == 0)) {
    std::string detail = hip.simulatorSentence();
    return failure(MLA_ERROR_NO_DEVICE,
                   detail.empty()
                       ? hip.name() + " finds no AMD GPU on this machine"
                       : hip.name() + ": " + detail);
  }
  MLA_RETURN_IF_FAILED(hip.check(error, "cannot count the devices"));
  if (ordinal < 0 || ordinal >= count)
    return failure(MLA_ERROR_NO_DEVICE, "there is no device " +
                                            std::to_string(ordinal) +
                                            "; this machine has devices 0 to " +
                                            std::to_string(count - 1));
  opened->ordinal = ordinal;
  MLA_RETURN_IF_FAILED(hip.chipOf(ordinal, opened->chip));
  MLA_RETURN_IF_FAILED(hip.check(
      hip.deviceGetAttribute(&opened->computeUnits,
                             hipDeviceAttributeMultiprocessorCount, ordinal),
      "cannot ask for the number of compute units"));
  if (opened->computeUnits < 1)
    return failure(MLA_ERROR_HIP,
                   "device " + std::to_string(ordinal) + " reports " +
                       std::to_string(opened->computeUnits) + " compute units");
  device = std::move(opened);
  return ok();
}

mla_bundle::~mla_bundle() {
  if (modules.empty())
    return;
  CurrentDevice current(*device);
  for (hipModule_t module : modules)
    (void)device->hip.moduleUnload(module);
}

Status mla::runtime::loadBundle(mla_device *device, const uint8_t *bytes,
                                size_t size,
                                std::unique_ptr<mla_bundle> &bundle) {
  auto loaded = std::make_unique<mla_bundle>();
  MLA_RETURN_IF_FAILED(readBundle(bytes, size, loaded->contents));
  if (!device) {
    bundle = std::move(loaded);
    return ok();
  }
  const Manifest &manifest = loaded->contents.manifest;
  if (manifest.chip != device->chip)
    return failure(MLA_ERROR_CHIP, "the bundle was built for " + manifest.chip +
                                       ", but device " +
                                       std::to_string(device->ordinal) +
                                       " is " + device->chip);
  loaded->device = device;
  const HipLibrary &hip = device->hip;
  CurrentDevice current(*device);
  MLA_RETURN_IF_FAILED(current.status());
  for (const Blob &blob : manifest.codeObjects) {
    hipModule_t module = nullptr;
    MLA_RETURN_IF_FAILED(
        hip.check(hip.moduleLoadData(&module, bytes + blob.offset),
                  "cannot load the bundle's code"));
    loaded->modules.push_back(module);
  }
  for (const Kernel &kernel : manifest.kernels) {
    hipFunction_t function = nullptr;
    std::string task = "cannot find the kernel " + kernel.name;
    MLA_RETURN_IF_FAILED(hip.check(
        hip.moduleGetFunction(&function, loaded->modules[kernel.codeObject],
                              kernel.name.c_str()),
        task.c_str()));
    loaded->functions.push_back(function);
  }
  bundle = std::move(loaded);
  return ok();
}
