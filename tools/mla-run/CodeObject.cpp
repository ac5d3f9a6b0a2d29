//===- CodeObject.cpp - A code object that is not in a bundle -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"
#include "Options.h"

#include "HipLibrary.h"
#include "mla/Targets/Chips.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <optional>
#include <string_view>

using namespace mla::run;
using mla::runtime::HipLibrary;
using mla::runtime::Status;

// Numbers of the machine in e_flags (LLVM, "User Guide for AMDGPU Backend",
// ELF header flags of code object V3 and later).
static constexpr uint32_t kMachineMask = 0xff;
static constexpr struct {
  uint32_t machine;
  std::string_view chip;
} kMachines[] = {{0x4c, "gfx942"}, {0x4f, "gfx950"}};

/// A kernel is known by the symbol of its descriptor (same guide, "Symbols").
static constexpr std::string_view kDescriptorSuffix = ".kd";

namespace {
/// Reads structures of the file, never beyond its end.
class ElfView {
public:
  explicit ElfView(const std::vector<uint8_t> &bytes) : bytes(bytes) {}

  template <typename T> std::optional<T> at(uint64_t offset) const {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
      return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
  }

  std::string text(uint64_t offset) const {
    if (offset >= bytes.size())
      return {};
    const char *begin = reinterpret_cast<const char *>(bytes.data()) + offset;
    return {begin, strnlen(begin, bytes.size() - offset)};
  }

private:
  const std::vector<uint8_t> &bytes;
};
} // namespace

static std::vector<std::string> findKernels(const ElfView &elf,
                                            const Elf64_Ehdr &header) {
  std::vector<std::string> kernels;
  auto section = [&](uint64_t index) {
    return elf.at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  };
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    auto symbols = section(i);
    if (!symbols || symbols->sh_type != SHT_DYNSYM)
      continue;
    auto names = section(symbols->sh_link);
    if (!names)
      continue;
    for (uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= symbols->sh_size;
         offset += sizeof(Elf64_Sym)) {
      auto symbol = elf.at<Elf64_Sym>(symbols->sh_offset + offset);
      if (!symbol)
        break;
      std::string name = elf.text(names->sh_offset + symbol->st_name);
      if (!name.ends_with(kDescriptorSuffix))
        continue;
      name.resize(name.size() - kDescriptorSuffix.size());
      kernels.push_back(std::move(name));
    }
  }
  return kernels;
}

CodeObject CodeObject::read(const std::string &path) {
  CodeObject object;
  object.path = path;
  std::ifstream file(path, std::ios::binary);
  object.bytes.assign(std::istreambuf_iterator<char>(file), {});
  if (!file || object.bytes.empty())
    throw Failure("cannot read the code object " + path + ": " +
                  std::strerror(errno ? errno : ENODATA));

  ElfView elf(object.bytes);
  auto header = elf.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_AMDGPU)
    throw Failure(path + " is no AMDGPU code object: it does not begin with "
                         "the header of a 64-bit ELF file for AMDGPU");
  uint32_t machine = header->e_flags & kMachineMask;
  for (const auto &known : kMachines)
    if (known.machine == machine)
      object.chip = known.chip;
  if (object.chip.empty())
    throw Failure(path + " is for a chip with the ELF machine number " +
                  std::to_string(machine) + "; known are " +
                  std::string(targets::kChipNames));
  object.kernels = findKernels(elf, *header);
  if (object.kernels.empty())
    throw Failure(path + " holds no kernel: no dynamic symbol ends with .kd");
  return object;
}

const std::string &CodeObject::kernel(const std::string &name) const {
  std::string all;
  for (const std::string &known : kernels)
    all += (all.empty() ? "" : ", ") + known;
  if (name.empty()) {
    if (kernels.size() > 1)
      throw Failure(path + " holds several kernels, " + all +
                    "; choose one with --kernel");
    return kernels.front();
  }
  auto found = std::find(kernels.begin(), kernels.end(), name);
  if (found == kernels.end())
    throw Failure(path + " holds no kernel " + name + "; it holds " + all);
  return *found;
}

struct LoadedKernel::State {
  HipLibrary hip;
  hipModule_t module = nullptr;
  hipFunction_t function = nullptr;
};

static void check(const Status &status) {
  if (status.failed())
    throw Failure(status.sentence);
}

LoadedKernel::LoadedKernel(const mla_device *device, int ordinal,
                           const CodeObject &object, const std::string &kernel)
    : state(std::make_unique<State>()) {
  HipLibrary &hip = state->hip;
  // The library that the device was opened by, once more: the same functions.
  check(HipLibrary::open(mla_device_library(device), hip));
  check(hip.check(hip.setDevice(ordinal), "cannot make the device current"));
  check(hip.check(hip.moduleLoadData(&state->module, object.bytes.data()),
                  ("cannot load " + object.path).c_str()));
  check(hip.check(
      hip.moduleGetFunction(&state->function, state->module, kernel.c_str()),
      ("cannot find the kernel " + kernel).c_str()));
}

LoadedKernel::~LoadedKernel() {
  if (state->module)
    (void)state->hip.moduleUnload(state->module);
}

void LoadedKernel::launch(unsigned grid, unsigned block, void *arguments,
                          size_t bytes) {
  void *extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments,
                   HIP_LAUNCH_PARAM_BUFFER_SIZE, &bytes, HIP_LAUNCH_PARAM_END};
  check(state->hip.check(
      state->hip.moduleLaunchKernel(state->function, grid, 1, 1, block, 1, 1,
                                    /*sharedMemBytes=*/0, /*stream=*/nullptr,
                                    /*kernelParams=*/nullptr, extra),
      "cannot launch the kernel"));
}
