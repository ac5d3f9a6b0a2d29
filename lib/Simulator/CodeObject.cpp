//===- CodeObject.cpp - Loads an AMDHSA code object into memory -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"

#include "mla/Targets/Chips.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFTypes.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstring>

namespace mla::sim {

using namespace llvm;
using Elf = object::ELFFile<object::ELF64LE>;

namespace {

/// Places of fields in a kernel descriptor (AMDGPUUsage, "Code Object V3
/// Kernel Descriptor").
constexpr uint64_t kDescriptorBytes = 64;

struct MachineName {
  unsigned mach;
  std::string_view chip;
};
constexpr MachineName kMachines[] = {
    {ELF::EF_AMDGPU_MACH_AMDGCN_GFX942, "gfx942"},
    {ELF::EF_AMDGPU_MACH_AMDGCN_GFX950, "gfx950"},
};

template <typename T> T readAt(const uint8_t *bytes) {
  T value;
  memcpy(&value, bytes, sizeof value);
  return value;
}

uint64_t metadataNumber(msgpack::MapDocNode &map, const char *key,
                        uint64_t otherwise) {
  auto it = map.find(key);
  if (it == map.end())
    return otherwise;
  if (it->second.getKind() == msgpack::Type::UInt)
    return it->second.getUInt();
  if (it->second.getKind() == msgpack::Type::Int)
    return uint64_t(it->second.getInt());
  return otherwise;
}

std::string metadataText(msgpack::MapDocNode &map, const char *key) {
  auto it = map.find(key);
  if (it == map.end() || it->second.getKind() != msgpack::Type::String)
    return {};
  return it->second.getString().str();
}

} // namespace

class CodeObjectLoader {
public:
  CodeObjectLoader(CodeObject &object, Elf elf, std::string_view chip,
                   std::string &error)
      : object(object), elf(std::move(elf)), chip(chip), error(error) {}

  bool run() {
    return checkHeader() && mapSegments() && relocate() && readSymbols() &&
           decodeCode() && readNotes();
  }

private:
  bool fail(std::string sentence) {
    error = std::move(sentence);
    return false;
  }
  bool fail(Error err) { return fail(toString(std::move(err))); }

  bool checkHeader() {
    if (elf.getHeader().e_machine != ELF::EM_AMDGPU)
      return fail("the code object is not for an AMD GPU");
    std::string_view made = CodeObject::imageChip(elf.base());
    if (made.empty())
      return fail("the code object is for a chip that the simulator does not "
                  "know; it knows " +
                  std::string(targets::kChipNames));
    if (made != chip)
      return fail("the code object is for " + std::string(made) +
                  ", the simulated chip is " + std::string(chip));
    return true;
  }

  bool mapSegments() {
    auto headers = elf.program_headers();
    if (!headers)
      return fail(headers.takeError());
    uint64_t lowest = UINT64_MAX, highest = 0;
    for (const auto &segment : *headers) {
      if (segment.p_type != ELF::PT_LOAD)
        continue;
      if (segment.p_offset > elf.getBufSize() ||
          segment.p_filesz > elf.getBufSize() - segment.p_offset ||
          segment.p_filesz > segment.p_memsz)
        return fail("the code object is truncated");
      if (segment.p_vaddr >> 40 || segment.p_memsz >> 40)
        return fail("a segment of the code object has an address or size of "
                    "1 TiB or more");
      lowest = std::min<uint64_t>(lowest, segment.p_vaddr);
      highest = std::max<uint64_t>(highest, segment.p_vaddr + segment.p_memsz);
    }
    if (lowest >= highest || highest - lowest > (uint64_t(1) << 32))
      return fail("the code object has nothing to load");
    span = highest - lowest;
    auto *block =
        static_cast<uint8_t *>(object.memory.allocate(span, "code object"));
    if (!block)
      return fail("no memory for the code object");
    object.blocks.push_back(block);
    loadBias = reinterpret_cast<uint64_t>(block) - lowest;
    for (const auto &segment : *headers)
      if (segment.p_type == ELF::PT_LOAD)
        memcpy(reinterpret_cast<void *>(loadBias + segment.p_vaddr),
               elf.base() + segment.p_offset, segment.p_filesz);
    return true;
  }

  bool inImage(uint64_t vaddr, uint64_t bytes) const {
    uint64_t begin = reinterpret_cast<uint64_t>(object.blocks[0]);
    uint64_t offset = loadBias + vaddr - begin;
    return offset <= span && bytes <= span - offset;
  }

  bool relocate() {
    auto sections = elf.sections();
    if (!sections)
      return fail(sections.takeError());
    for (const auto &section : *sections) {
      if (section.sh_type != ELF::SHT_RELA ||
          !(section.sh_flags & ELF::SHF_ALLOC))
        continue;
      auto entries = elf.relas(section);
      if (!entries)
        return fail(entries.takeError());
      auto symbolTable = elf.getSection(section.sh_link);
      if (!symbolTable)
        return fail(symbolTable.takeError());
      for (const auto &entry : *entries)
        if (!applyRelocation(entry, **symbolTable))
          return false;
    }
    return true;
  }

  bool applyRelocation(const Elf::Elf_Rela &entry,
                       const Elf::Elf_Shdr &symbolTable) {
    unsigned type = entry.getType(false);
    uint64_t value = 0;
    uint64_t bytes = 8;
    if (type == ELF::R_AMDGPU_RELATIVE64) {
      value = loadBias + entry.r_addend;
    } else {
      auto symbol = elf.getRelocationSymbol(entry, &symbolTable);
      if (!symbol)
        return fail(symbol.takeError());
      if (!*symbol || (*symbol)->st_shndx == ELF::SHN_UNDEF)
        return fail("the code object refers to a symbol that it does not "
                    "define");
      value = loadBias + (*symbol)->st_value + entry.r_addend;
      if (type == ELF::R_AMDGPU_ABS32_LO || type == ELF::R_AMDGPU_ABS32) {
        bytes = 4;
      } else if (type == ELF::R_AMDGPU_ABS32_HI) {
        bytes = 4;
        value >>= 32;
      } else if (type != ELF::R_AMDGPU_ABS64) {
        return fail("the code object has a dynamic relocation of type " +
                    std::to_string(type) +
                    "; ABS64, ABS32, ABS32_LO, ABS32_HI and RELATIVE64 are "
                    "known");
      }
    }
    if (!inImage(entry.r_offset, bytes))
      return fail("a relocation lies outside of the code object");
    memcpy(reinterpret_cast<void *>(loadBias + entry.r_offset), &value, bytes);
    return true;
  }

  bool readSymbols() {
    auto sections = elf.sections();
    if (!sections)
      return fail(sections.takeError());
    for (const auto &section : *sections) {
      if (section.sh_type != ELF::SHT_DYNSYM &&
          section.sh_type != ELF::SHT_SYMTAB)
        continue;
      auto symbols = elf.symbols(&section);
      auto names = elf.getStringTableForSymtab(section);
      if (!symbols)
        return fail(symbols.takeError());
      if (!names)
        return fail(names.takeError());
      for (const auto &symbol : *symbols) {
        auto name = symbol.getName(*names);
        if (!name)
          return fail(name.takeError());
        if (symbol.st_shndx != ELF::SHN_UNDEF &&
            symbol.getType() == ELF::STT_OBJECT &&
            !readObject(*name, symbol.st_value, symbol.st_size))
          return false;
      }
    }
    return true;
  }

  bool readObject(StringRef name, uint64_t vaddr, uint64_t bytes) {
    if (!name.ends_with(".kd")) {
      object.variables[name.str()] = {loadBias + vaddr, bytes};
      return true;
    }
    if (bytes != kDescriptorBytes || !inImage(vaddr, bytes))
      return fail("the kernel descriptor '" + name.str() + "' has " +
                  std::to_string(bytes) + " bytes, not 64");
    const auto *descriptor =
        reinterpret_cast<const uint8_t *>(loadBias + vaddr);
    Kernel kernel;
    kernel.name = name.drop_back(3).str();
    kernel.descriptorAddress = loadBias + vaddr;
    kernel.ldsBytes = readAt<uint32_t>(descriptor);
    kernel.privateBytes = readAt<uint32_t>(descriptor + 4);
    kernel.kernargBytes = readAt<uint32_t>(descriptor + 8);
    kernel.entryAddress =
        kernel.descriptorAddress + readAt<int64_t>(descriptor + 16);
    kernel.rsrc3 = readAt<uint32_t>(descriptor + 44);
    kernel.rsrc1 = readAt<uint32_t>(descriptor + 48);
    kernel.rsrc2 = readAt<uint32_t>(descriptor + 52);
    kernel.properties = readAt<uint16_t>(descriptor + 56);
    kernel.preload = readAt<uint16_t>(descriptor + 58);
    object.kernels[kernel.name] = kernel;
    return true;
  }

  bool decodeCode() {
    auto headers = elf.program_headers();
    if (!headers)
      return fail(headers.takeError());
    uint64_t lowest = UINT64_MAX, highest = 0;
    for (const auto &segment : *headers)
      if (segment.p_type == ELF::PT_LOAD && segment.p_flags & ELF::PF_X) {
        lowest = std::min<uint64_t>(lowest, segment.p_vaddr);
        highest =
            std::max<uint64_t>(highest, segment.p_vaddr + segment.p_filesz);
      }
    if (lowest >= highest)
      return fail("the code object has no code");
    uint64_t address = loadBias + lowest;
    object.code = Program::decode(reinterpret_cast<const uint8_t *>(address),
                                  highest - lowest, address, chip, error);
    if (!object.code)
      return false;
    for (auto &[name, kernel] : object.kernels)
      if (!object.code->at(kernel.entryAddress))
        return fail("the entry of kernel '" + name + "' is not in the code");
    return true;
  }

  bool readNotes() {
    auto headers = elf.program_headers();
    if (!headers)
      return fail(headers.takeError());
    for (const auto &segment : *headers) {
      if (segment.p_type != ELF::PT_NOTE)
        continue;
      Error err = Error::success();
      for (const auto &note : elf.notes(segment, err)) {
        if (note.getName() != "AMDGPU" ||
            note.getType() != ELF::NT_AMDGPU_METADATA)
          continue;
        ArrayRef<uint8_t> desc = note.getDesc(segment.p_align);
        readMetadata(StringRef(reinterpret_cast<const char *>(desc.data()),
                               desc.size()));
      }
      if (err)
        return fail(std::move(err));
    }
    return true;
  }

  void readMetadata(StringRef blob) {
    msgpack::Document document;
    if (!document.readFromBlob(blob, false) || !document.getRoot().isMap())
      return;
    auto &root = document.getRoot().getMap();
    auto kernels = root.find("amdhsa.kernels");
    if (kernels == root.end() || !kernels->second.isArray())
      return;
    for (auto &node : kernels->second.getArray())
      if (node.isMap())
        readKernelMetadata(node.getMap());
  }

  void readKernelMetadata(msgpack::MapDocNode &map) {
    StringRef symbol;
    std::string symbolText = metadataText(map, ".symbol");
    symbol = symbolText;
    symbol.consume_back(".kd");
    auto it = object.kernels.find(symbol.str());
    if (it == object.kernels.end())
      return;
    Kernel &kernel = it->second;
    kernel.hasMetadata = true;
    kernel.maxWorkgroupSize =
        uint32_t(metadataNumber(map, ".max_flat_workgroup_size", 1024));
    kernel.vgprs = uint32_t(metadataNumber(map, ".vgpr_count", 0));
    kernel.agprs = uint32_t(metadataNumber(map, ".agpr_count", 0));
    kernel.sgprs = uint32_t(metadataNumber(map, ".sgpr_count", 0));
    kernel.vgprSpills = uint32_t(metadataNumber(map, ".vgpr_spill_count", 0));
    kernel.sgprSpills = uint32_t(metadataNumber(map, ".sgpr_spill_count", 0));
    kernel.kernargBytes =
        std::max(kernel.kernargBytes,
                 uint32_t(metadataNumber(map, ".kernarg_segment_size", 0)));
    auto args = map.find(".args");
    if (args == map.end() || !args->second.isArray())
      return;
    for (auto &node : args->second.getArray()) {
      if (!node.isMap())
        continue;
      KernelArgument argument;
      argument.offset = uint32_t(metadataNumber(node.getMap(), ".offset", 0));
      argument.size = uint32_t(metadataNumber(node.getMap(), ".size", 0));
      argument.kind = metadataText(node.getMap(), ".value_kind");
      kernel.arguments.push_back(std::move(argument));
    }
  }

  CodeObject &object;
  Elf elf;
  std::string_view chip;
  std::string &error;
  uint64_t loadBias = 0;
  uint64_t span = 0;
};

std::unique_ptr<CodeObject>
CodeObject::load(const uint8_t *image, uint64_t bytes, std::string_view chip,
                 DeviceMemory &memory, std::string &error) {
  auto elf = Elf::create(
      StringRef(reinterpret_cast<const char *>(image), size_t(bytes)));
  if (!elf) {
    error = toString(elf.takeError());
    return nullptr;
  }
  std::unique_ptr<CodeObject> object(new CodeObject(memory));
  if (!CodeObjectLoader(*object, *elf, chip, error).run())
    return nullptr;
  return object;
}

CodeObject::~CodeObject() {
  for (void *block : blocks)
    memory.release(block);
}

const Kernel *CodeObject::findKernel(std::string_view name) const {
  auto it = kernels.find(name);
  return it == kernels.end() ? nullptr : &it->second;
}

std::vector<std::string> CodeObject::kernelNames() const {
  std::vector<std::string> names;
  for (const auto &entry : kernels)
    names.push_back(entry.first);
  return names;
}

bool CodeObject::findVariable(std::string_view name, uint64_t &address,
                              uint64_t &bytes) const {
  auto it = variables.find(name);
  if (it == variables.end())
    return false;
  std::tie(address, bytes) = it->second;
  return true;
}

std::string_view CodeObject::imageChip(const uint8_t *image) {
  ELF::Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  if (header.e_machine == ELF::EM_AMDGPU)
    for (const MachineName &machine : kMachines)
      if (machine.mach == (header.e_flags & ELF::EF_AMDGPU_MACH))
        return machine.chip;
  return {};
}

uint64_t CodeObject::imageBytes(const uint8_t *image) {
  ELF::Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  if (memcmp(header.e_ident, ELF::ElfMagic, 4) ||
      header.e_ident[ELF::EI_CLASS] != ELF::ELFCLASS64 ||
      header.e_ident[ELF::EI_DATA] != ELF::ELFDATA2LSB)
    return 0;
  uint64_t end = header.e_shoff + uint64_t(header.e_shnum) * header.e_shentsize;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ELF::Elf64_Phdr segment;
    memcpy(&segment, image + header.e_phoff + i * header.e_phentsize,
           sizeof segment);
    end = std::max<uint64_t>(end, segment.p_offset + segment.p_filesz);
  }
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    ELF::Elf64_Shdr section;
    memcpy(&section, image + header.e_shoff + i * header.e_shentsize,
           sizeof section);
    if (section.sh_type != ELF::SHT_NOBITS)
      end = std::max<uint64_t>(end, section.sh_offset + section.sh_size);
  }
  return end;
}

} // namespace mla::sim
