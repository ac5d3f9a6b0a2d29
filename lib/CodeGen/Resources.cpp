//===- Resources.cpp - What the kernels of a code object use --------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/CodeGen/Resources.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/AMDHSAKernelDescriptor.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstring>

using namespace llvm;
using namespace mla;
using namespace mla::codegen;

namespace {

using ElfFile = object::ELFFile<object::ELF64LE>;

Error malformed(const Twine &what) {
  return createStringError("the code object " + what);
}

/// Contents of the AMDGPU metadata note.
Expected<StringRef> findMetadata(const ElfFile &elf) {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const ElfFile::Elf_Shdr &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    StringRef found;
    for (const ElfFile::Elf_Note &note : elf.notes(section, error))
      if (note.getName() == "AMDGPU" &&
          note.getType() == ELF::NT_AMDGPU_METADATA)
        found = note.getDescAsStringRef(section.sh_addralign);
    if (error)
      return error;
    if (!found.empty())
      return found;
  }
  return malformed("has no AMDGPU metadata note");
}

/// Kernel descriptors by the name of their symbol.
Expected<StringMap<amdhsa::kernel_descriptor_t>>
findDescriptors(const object::ELFObjectFile<object::ELF64LE> &file) {
  StringMap<amdhsa::kernel_descriptor_t> descriptors;
  for (const object::ELFSymbolRef &symbol : file.symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    if (!name->ends_with(".kd"))
      continue;
    Expected<object::section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    Expected<uint64_t> address = symbol.getAddress();
    if (!address)
      return address.takeError();
    if (*section == file.section_end())
      return malformed("does not define " + *name);
    Expected<StringRef> contents = (*section)->getContents();
    if (!contents)
      return contents.takeError();
    uint64_t offset = *address - (*section)->getAddress();
    amdhsa::kernel_descriptor_t descriptor;
    if (offset > contents->size() ||
        contents->size() - offset < sizeof(descriptor))
      return malformed("is cut off in " + *name);
    std::memcpy(&descriptor, contents->data() + offset, sizeof(descriptor));
    descriptors[*name] = descriptor;
  }
  return descriptors;
}

int64_t integer(msgpack::MapDocNode &map, StringRef key) {
  auto entry = map.find(key);
  if (entry == map.end())
    return 0;
  msgpack::DocNode &node = entry->second;
  if (node.getKind() == msgpack::Type::UInt)
    return static_cast<int64_t>(node.getUInt());
  return node.getKind() == msgpack::Type::Int ? node.getInt() : 0;
}

bool boolean(msgpack::MapDocNode &map, StringRef key) {
  auto entry = map.find(key);
  return entry != map.end() &&
         entry->second.getKind() == msgpack::Type::Boolean &&
         entry->second.getBool();
}

StringRef string(msgpack::MapDocNode &map, StringRef key) {
  auto entry = map.find(key);
  return entry != map.end() && entry->second.isString()
             ? entry->second.getString()
             : StringRef();
}

/// The arguments that the caller passes; hidden ones come from the HIP library.
std::vector<KernelResources::Argument>
explicitArguments(msgpack::MapDocNode &kernel) {
  std::vector<KernelResources::Argument> arguments;
  auto list = kernel.find(".args");
  if (list == kernel.end() || !list->second.isArray())
    return arguments;
  for (msgpack::DocNode &node : list->second.getArray()) {
    if (!node.isMap())
      continue;
    msgpack::MapDocNode &argument = node.getMap();
    StringRef kind = string(argument, ".value_kind");
    if (!kind.starts_with("hidden_"))
      arguments.push_back({integer(argument, ".offset"),
                           integer(argument, ".size"),
                           kind == "global_buffer"});
  }
  return arguments;
}

KernelResources readKernel(msgpack::MapDocNode &kernel,
                           const amdhsa::kernel_descriptor_t &descriptor) {
  KernelResources resources;
  resources.kernel = string(kernel, ".name").str();
  resources.agprs = integer(kernel, ".agpr_count");
  resources.sgprs = integer(kernel, ".sgpr_count");
  resources.ldsBytes = descriptor.group_segment_fixed_size;
  resources.scratchBytes = descriptor.private_segment_fixed_size;
  resources.vgprSpills = integer(kernel, ".vgpr_spill_count");
  resources.sgprSpills = integer(kernel, ".sgpr_spill_count");
  resources.dynamicStack = boolean(kernel, ".uses_dynamic_stack");
  resources.kernargBytes = descriptor.kernarg_size;
  resources.maxThreads = integer(kernel, ".max_flat_workgroup_size");
  resources.arguments = explicitArguments(kernel);

  // GFX90A and later have one file: vector registers first, accumulation
  // registers from ACCUM_OFFSET on, and the note counts both.
  int64_t total = integer(kernel, ".vgpr_count");
  int64_t accumOffset =
      4 * (AMDHSA_BITS_GET(descriptor.compute_pgm_rsrc3,
                           amdhsa::COMPUTE_PGM_RSRC3_GFX90A_ACCUM_OFFSET) +
           1);
  resources.vgprs = resources.agprs ? accumOffset : total;
  resources.allocatedVgprs =
      8 * (AMDHSA_BITS_GET(
               descriptor.compute_pgm_rsrc1,
               amdhsa::COMPUTE_PGM_RSRC1_GRANULATED_WORKITEM_VGPR_COUNT) +
           1);
  return resources;
}

} // namespace

Expected<std::vector<KernelResources>>
mla::codegen::readResources(ArrayRef<char> codeObject) {
  auto file = object::ELFObjectFile<object::ELF64LE>::create(MemoryBufferRef(
      StringRef(codeObject.data(), codeObject.size()), "code object"));
  if (!file)
    return file.takeError();
  if (file->getELFFile().getHeader().e_machine != ELF::EM_AMDGPU)
    return malformed("is not for AMD GPUs");
  Expected<StringRef> metadata = findMetadata(file->getELFFile());
  if (!metadata)
    return metadata.takeError();
  auto descriptors = findDescriptors(*file);
  if (!descriptors)
    return descriptors.takeError();

  msgpack::Document document;
  if (!document.readFromBlob(*metadata, /*Multi=*/false) ||
      !document.getRoot().isMap())
    return malformed("has unreadable metadata");
  auto kernels = document.getRoot().getMap().find("amdhsa.kernels");
  std::vector<KernelResources> all;
  if (kernels == document.getRoot().getMap().end() ||
      !kernels->second.isArray())
    return all;
  for (msgpack::DocNode &node : kernels->second.getArray()) {
    if (!node.isMap())
      return malformed("has unreadable metadata");
    StringRef symbol = string(node.getMap(), ".symbol");
    auto descriptor = descriptors->find(symbol);
    if (descriptor == descriptors->end())
      return malformed("has no kernel descriptor " + symbol);
    all.push_back(readKernel(node.getMap(), descriptor->second));
  }
  return all;
}

int64_t mla::codegen::wavesPerSimd(const KernelResources &resources,
                                   const targets::Chip &chip, int64_t threads) {
  // GFX90A and later: 8 waves a SIMD, registers in steps of 8; the 800 scalar
  // registers hold 8 waves of up to 96 (with what the trap handler and VCC
  // take), and 7 of more (LLVM, AMDGPUBaseInfo, getMaxNumSGPRs).
  constexpr int64_t kMaxWaves = 8;
  int64_t waves = kMaxWaves;
  if (resources.allocatedVgprs)
    waves = std::min(waves, chip.vectorRegisters / resources.allocatedVgprs);
  if (resources.sgprs > 100)
    waves = std::min<int64_t>(waves, 7);
  if (resources.ldsBytes) {
    int64_t groups = chip.ldsBytes / resources.ldsBytes;
    int64_t wavesOfGroup = divideCeil(threads, targets::kWaveLanes);
    waves = std::min<int64_t>(
        waves, divideCeil(groups * wavesOfGroup, chip.simdsPerComputeUnit));
  }
  return waves;
}
