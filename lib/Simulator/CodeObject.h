//===- CodeObject.h - Loads an AMDHSA code object into memory ---*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLA_LIB_SIMULATOR_CODEOBJECT_H
#define MLA_LIB_SIMULATOR_CODEOBJECT_H

#include "DeviceMemory.h"
#include "Program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mla::sim {

/// An explicit or hidden argument of a kernel, from the metadata note.
struct KernelArgument {
  uint32_t offset = 0; ///< In the kernel argument segment.
  uint32_t size = 0;
  std::string kind; ///< `.value_kind`: by_value, global_buffer, hidden_…
};

/// A kernel: its descriptor (AMDGPUUsage, "Kernel Descriptor") and metadata.
struct Kernel {
  std::string name;
  uint64_t descriptorAddress = 0;
  uint64_t entryAddress = 0;
  uint32_t ldsBytes = 0;
  uint32_t privateBytes = 0;
  uint32_t kernargBytes = 0;
  uint32_t rsrc1 = 0;
  uint32_t rsrc2 = 0;
  uint32_t rsrc3 = 0;
  uint16_t properties = 0;
  uint16_t preload = 0;

  bool hasMetadata = false;
  uint32_t maxWorkgroupSize = 1024;
  uint32_t vgprs = 0;
  uint32_t agprs = 0;
  uint32_t sgprs = 0;
  uint32_t vgprSpills = 0;
  uint32_t sgprSpills = 0;
  std::vector<KernelArgument> arguments;

  /// Vector registers a lane has, both kinds, as the descriptor says.
  uint32_t allocatedVectorRegisters() const { return ((rsrc1 & 0x3F) + 1) * 8; }
  /// Number of `v` registers; the `a` registers follow.
  uint32_t accumOffset() const { return ((rsrc3 & 0x3F) + 1) * 4; }
  bool dynamicStack() const { return properties >> 11 & 1; }
};

class CodeObject {
public:
  /// Loads an ELF image for `chip` into `memory`. Returns null and a sentence
  /// on anything that does not fit.
  static std::unique_ptr<CodeObject> load(const uint8_t *image, uint64_t bytes,
                                          std::string_view chip,
                                          DeviceMemory &memory,
                                          std::string &error);
  ~CodeObject();

  const Kernel *findKernel(std::string_view name) const;
  std::vector<std::string> kernelNames() const;
  /// Device address and size of a global variable; false if there is none.
  bool findVariable(std::string_view name, uint64_t &address,
                    uint64_t &bytes) const;
  const Program &program() const { return *code; }

  /// Size of the ELF image that begins at `image`, from its headers; 0 if it
  /// is not a 64-bit little-endian ELF.
  static uint64_t imageBytes(const uint8_t *image);
  /// The chip that an ELF image is for, or empty if the simulator has none
  /// like it.
  static std::string_view imageChip(const uint8_t *image);

private:
  explicit CodeObject(DeviceMemory &memory) : memory(memory) {}

  DeviceMemory &memory;
  std::vector<void *> blocks;
  std::unique_ptr<Program> code;
  std::map<std::string, Kernel, std::less<>> kernels;
  std::map<std::string, std::pair<uint64_t, uint64_t>, std::less<>> variables;

  friend class CodeObjectLoader;
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_CODEOBJECT_H
