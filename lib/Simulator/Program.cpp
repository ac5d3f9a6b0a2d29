//===- Program.cpp - Decoded code of a code object ------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "TextParser.h"
#include "Wave.h"
#include "mla/Targets/Chips.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <algorithm>
#include <mutex>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUDisassembler();
}

namespace mla::sim {
namespace {

/// Whether an instruction has a literal where its encoding has no room for one
/// (source number 255 in a VOP3 form, as scalar offset of a buffer, or beside
/// the constant of v_fmamk and v_fmaak and their like). The chips have no such
/// instructions, and LLVM 22's disassembler does not survive being asked.
bool hasImpossibleLiteral(uint32_t first, uint32_t second) {
  constexpr uint32_t literal = 0xFF, sdwa = 0xF9, dpp = 0xFA;
  constexpr uint32_t vop3 = 0x34, mubuf = 0x38, mtbuf = 0x3A;
  uint32_t encoding = first >> 26;
  if (encoding == vop3)
    for (unsigned source = 0; source < 3; ++source)
      if ((second >> (9 * source) & 0x1FF) == literal)
        return true;
  if (encoding == mubuf || encoding == mtbuf)
    return second >> 24 == literal;
  switch (first >> 25) {
  case 0x17: // v_fmamk_f32
  case 0x18: // v_fmaak_f32
  case 0x24: // v_madmk_f16
  case 0x25: // v_madak_f16
    return (first & 0x1FF) == literal || (first & 0x1FF) == sdwa ||
           (first & 0x1FF) == dpp;
  default:
    return false;
  }
}

/// LLVM's view of one chip's encodings.
class Disassembler {
public:
  Disassembler(std::string_view chip, std::string &error) {
    static std::once_flag once;
    std::call_once(once, [] {
      LLVMInitializeAMDGPUTargetInfo();
      LLVMInitializeAMDGPUTargetMC();
      LLVMInitializeAMDGPUDisassembler();
    });
    llvm::Triple triple("amdgcn-amd-amdhsa");
    const llvm::Target *target =
        llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target)
      return;
    llvm::StringRef cpu(chip.data(), chip.size());
    registers.reset(target->createMCRegInfo(triple));
    asmInfo.reset(target->createMCAsmInfo(*registers, triple, options));
    instructions.reset(target->createMCInstrInfo());
    subtarget.reset(target->createMCSubtargetInfo(triple, cpu, ""));
    context = std::make_unique<llvm::MCContext>(
        triple, asmInfo.get(), registers.get(), subtarget.get());
    disassembler.reset(target->createMCDisassembler(*subtarget, *context));
    printer.reset(
        target->createMCInstPrinter(triple, asmInfo->getAssemblerDialect(),
                                    *asmInfo, *instructions, *registers));
    if (!disassembler || !printer)
      error = "LLVM has no disassembler for " + std::string(chip);
  }

  /// The text of the instruction at `code` and its size; 0 if there is none.
  uint64_t print(llvm::ArrayRef<uint8_t> code, uint64_t address,
                 std::string &text) {
    // Two dwords at least, so that an encoding at the end of the code is not
    // read beyond it.
    uint32_t dwords[2] = {0, 0};
    memcpy(dwords, code.data(), std::min(code.size(), sizeof dwords));
    if (hasImpossibleLiteral(dwords[0], dwords[1]))
      return 0;
    size_t available = code.size();
    if (available < sizeof dwords)
      code = llvm::ArrayRef(reinterpret_cast<uint8_t *>(dwords), sizeof dwords);
    llvm::MCInst inst;
    uint64_t size = 0;
    if (disassembler->getInstruction(inst, size, code, address,
                                     llvm::nulls()) !=
            llvm::MCDisassembler::Success ||
        size > available)
      return 0;
    text.clear();
    llvm::raw_string_ostream stream(text);
    printer->printInst(&inst, address, "", *subtarget, stream);
    return size;
  }

private:
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asmInfo;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
};

void executeUndecodable(Wave &wave, const Instruction &inst) {
  wave.fault(inst, -1, "these bytes are not an instruction of this chip");
}

void executeUnknown(Wave &wave, const Instruction &inst) {
  wave.fault(inst, -1, "the simulator does not know the instruction '%s'",
             inst.mnemonic);
}

void executeUnsupportedForm(Wave &wave, const Instruction &inst) {
  wave.fault(inst, -1, "the simulator does not know this form of '%s'",
             inst.mnemonic);
}

void executeUnparsed(Wave &wave, const Instruction &inst) {
  wave.fault(inst, -1, "the decoder does not understand the text");
}

void executeEnd(Wave &wave, const Instruction &inst) {
  wave.fault(inst, -1, "the program counter ran off the end of the code");
}

bool isRelativeBranch(std::string_view mnemonic) {
  return mnemonic.starts_with("s_cbranch_") || mnemonic == "s_branch" ||
         mnemonic == "s_call_b64";
}

} // namespace

const char *Program::intern(std::string_view text) {
  return strings.emplace(text).first->c_str();
}

const uint32_t *Program::splatOf(uint32_t value) {
  std::unique_ptr<LaneArray> &array = splats[value];
  if (!array) {
    array = std::make_unique<LaneArray>();
    splat(*array, value);
  }
  return array->lane;
}

std::vector<const Instruction *> Program::unknownInstructions() const {
  std::vector<const Instruction *> unknown;
  for (const Instruction &inst : code)
    if (inst.handler == executeUndecodable || inst.handler == executeUnknown ||
        inst.handler == executeUnsupportedForm ||
        inst.handler == executeUnparsed)
      unknown.push_back(&inst);
  return unknown;
}

const Instruction *Program::at(uint64_t address) const {
  uint64_t word = (address - base) / 4;
  if (address % 4 || word >= indexOfWord.size() || indexOfWord[word] < 0)
    return nullptr;
  return &code[indexOfWord[word]];
}

std::unique_ptr<Program> Program::decode(const uint8_t *bytes, uint64_t size,
                                         uint64_t address,
                                         std::string_view chip,
                                         std::string &error) {
  Disassembler disassembler(chip, error);
  if (!error.empty())
    return nullptr;
  std::unique_ptr<Program> program(new Program);
  program->base = address;
  program->indexOfWord.assign(size / 4 + 1, -1);
  TextOwner owner{[&](std::string_view text) { return program->intern(text); },
                  [&](uint32_t value) { return program->splatOf(value); }};
  const HandlerTable &table = handlerTable();
  const targets::Chip *facts = targets::findChip(chip);
  const bool ocpFp8 = facts && facts->fp8 == targets::Fp8Flavour::E4M3FN;

  std::string text;
  for (uint64_t at = 0; at + 4 <= size;) {
    Instruction inst;
    InstructionClass kind = InstructionClass::Other;
    uint32_t word;
    memcpy(&word, bytes + at, 4);
    uint64_t length =
        disassembler.print({bytes + at, size_t(size - at)}, address + at, text);
    if (!length) {
      char raw[32];
      snprintf(raw, sizeof raw, ".long 0x%08x", word);
      inst.text = inst.mnemonic = program->intern(raw);
      inst.handler = executeUndecodable;
      length = 4;
    } else if (std::string why =
                   parseInstructionText(text, uint16_t(word), owner, inst);
               !why.empty()) {
      inst.text = program->intern(std::string(inst.text) + " [" + why + "]");
      inst.handler = executeUnparsed;
    } else if (const HandlerTable::Entry *entry = table.find(inst.mnemonic)) {
      kind = entry->kind;
      inst.ocpFp8 = ocpFp8;
      inst.handler = entry->selector ? entry->selector(inst) : entry->handler;
      if (!inst.handler)
        inst.handler = executeUnsupportedForm;
    } else {
      inst.handler = executeUnknown;
    }
    inst.address = address + at;
    inst.bytes = uint8_t(length);
    inst.index = uint32_t(program->code.size());
    program->indexOfWord[at / 4] = int32_t(inst.index);
    program->code.push_back(inst);
    program->kinds.push_back(kind);
    at += length;
  }

  Instruction end;
  end.handler = executeEnd;
  end.address = address + size / 4 * 4;
  end.index = uint32_t(program->code.size());
  end.text = end.mnemonic = "(end of code)";
  program->indexOfWord[size / 4] = int32_t(end.index);
  program->code.push_back(end);
  program->kinds.push_back(InstructionClass::Other);

  for (Instruction &inst : program->code)
    if (isRelativeBranch(inst.mnemonic))
      inst.target =
          program->at(inst.address + 4 + int64_t(int16_t(inst.imm16)) * 4);
  return program;
}

} // namespace mla::sim
