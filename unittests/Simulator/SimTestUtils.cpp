//===- SimTestUtils.cpp - Assembles and runs small kernels in tests -------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimTestUtils.h"

#include "lld/Common/Driver.h"

#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCObjectFileInfo.h"
#include "llvm/MC/MCObjectWriter.h"
#include "llvm/MC/MCParser/MCAsmParser.h"
#include "llvm/MC/MCParser/MCTargetAsmParser.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/Triple.h"

#include <gtest/gtest.h>

#include <cstdarg>

LLD_HAS_DRIVER(elf)

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
}

namespace mla::sim::test {
namespace {

/// Assembles a whole file to a relocatable object.
std::vector<uint8_t> assembleObject(std::string_view text,
                                    std::string_view chip) {
  static const bool initialised = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    return true;
  }();
  (void)initialised;
  llvm::Triple triple("amdgcn-amd-amdhsa");
  std::string error;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers(
      target->createMCRegInfo(triple));
  std::unique_ptr<llvm::MCAsmInfo> asmInfo(
      target->createMCAsmInfo(*registers, triple, options));
  std::unique_ptr<llvm::MCInstrInfo> instructions(target->createMCInstrInfo());
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget(
      target->createMCSubtargetInfo(
          triple, llvm::StringRef(chip.data(), chip.size()), ""));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(
                                 llvm::StringRef(text.data(), text.size())),
                             llvm::SMLoc());
  llvm::MCContext context(triple, asmInfo.get(), registers.get(),
                          subtarget.get(), &sources, &options);
  std::unique_ptr<llvm::MCObjectFileInfo> fileInfo(
      target->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(fileInfo.get());

  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      target->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer =
      backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(
      target->createMCCodeEmitter(*instructions, context));
  std::unique_ptr<llvm::MCStreamer> streamer(target->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer),
      std::move(emitter), *subtarget));
  std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *asmInfo));
  std::unique_ptr<llvm::MCTargetAsmParser> targetParser(
      target->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*targetParser);
  if (parser->Run(false)) {
    ADD_FAILURE() << "the assembler refused:\n" << text;
    return {};
  }
  return {bytes.begin(), bytes.end()};
}

std::vector<uint8_t> readFile(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    ADD_FAILURE() << "cannot read " << path.str();
    return {};
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  return {text.bytes_begin(), text.bytes_end()};
}

struct TemporaryFile {
  explicit TemporaryFile(llvm::StringRef suffix) {
    llvm::sys::fs::createTemporaryFile("mla-sim-test", suffix, path);
  }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  llvm::SmallString<128> path;
};

} // namespace

std::vector<uint8_t> assembleCode(std::string_view assembly,
                                  std::string_view chip) {
  std::vector<uint8_t> object =
      assembleObject(".text\n" + std::string(assembly) + "\n", chip);
  if (object.empty())
    return {};
  auto file =
      llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(
          llvm::StringRef(reinterpret_cast<const char *>(object.data()),
                          object.size()),
          "test"));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return {};
  }
  for (const llvm::object::SectionRef &section : (*file)->sections())
    if (section.isText()) {
      llvm::StringRef contents = llvm::cantFail(section.getContents());
      return {contents.bytes_begin(), contents.bytes_end()};
    }
  return {};
}

std::vector<uint8_t> assembleKernel(std::string_view assembly,
                                    std::string_view chip,
                                    const KernelOptions &options) {
  std::string text =
      ".amdgcn_target \"amdgcn-amd-amdhsa--" + std::string(chip) +
      "\"\n.text\n.globl " + options.name + "\n.p2align 8\n.type " +
      options.name + ",@function\n" + options.name + ":\n" +
      std::string(assembly) + "\n.Lend:\n.size " + options.name + ", .Lend-" +
      options.name + "\n.rodata\n.p2align 6\n.amdhsa_kernel " + options.name;
  auto directive = [&](const char *name, uint64_t value) {
    text += std::string("\n  .amdhsa_") + name + " " + std::to_string(value);
  };
  directive("group_segment_fixed_size", options.ldsBytes);
  directive("private_segment_fixed_size", options.privateBytes);
  directive("enable_private_segment", options.privateBytes ? 1 : 0);
  directive("kernarg_size", options.kernargBytes);
  directive("user_sgpr_kernarg_segment_ptr", 1);
  directive("system_sgpr_workgroup_id_x", 1);
  directive("system_sgpr_workgroup_id_y", 1);
  directive("system_sgpr_workgroup_id_z", 1);
  directive("system_vgpr_workitem_id", 2);
  directive("next_free_vgpr", 512);
  directive("next_free_sgpr", 100);
  directive("accum_offset", 256);
  text += "\n" + options.directives + "\n.end_amdhsa_kernel\n";

  std::vector<uint8_t> object = assembleObject(text, chip);
  if (object.empty())
    return {};
  TemporaryFile input("o"), output("co");
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(input.path, code);
    stream.write(reinterpret_cast<const char *>(object.data()), object.size());
  }
  std::string log;
  llvm::raw_string_ostream logStream(log);
  std::string inputPath(input.path.str()), outputPath(output.path.str());
  lld::Result result = lld::lldMain(
      {"ld.lld", "-shared", inputPath.c_str(), "-o", outputPath.c_str()},
      logStream, logStream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode) {
    ADD_FAILURE() << "lld: " << log;
    return {};
  }
  return readFile(output.path);
}

std::vector<uint8_t> compileOpenCl(std::string_view source,
                                   std::string_view chip,
                                   std::string_view flags) {
  TemporaryFile input("cl"), output("co"), messages("txt");
  {
    std::error_code code;
    llvm::raw_fd_ostream stream(input.path, code);
    stream << llvm::StringRef(source.data(), source.size());
  }
  std::string cpu = "-mcpu=" + std::string(chip), flagText(flags);
  llvm::SmallVector<llvm::StringRef, 16> arguments = {
      MLA_TEST_CLANG,      "-x", "cl",       "-cl-std=CL2.0", "-target",
      "amdgcn-amd-amdhsa", cpu,  "-nogpulib"};
  llvm::SmallVector<llvm::StringRef, 4> parts;
  llvm::StringRef(flagText).split(parts, ' ', -1, false);
  arguments.append(parts.begin(), parts.end());
  arguments.append({input.path, "-o", output.path});
  std::optional<llvm::StringRef> redirects[] = {
      std::nullopt, messages.path.str(), messages.path.str()};
  if (llvm::sys::ExecuteAndWait(MLA_TEST_CLANG, arguments, std::nullopt,
                                redirects)) {
    std::vector<uint8_t> log = readFile(messages.path);
    ADD_FAILURE() << "clang: " << std::string(log.begin(), log.end());
    return {};
  }
  return readFile(output.path);
}

InstructionRunner::InstructionRunner(std::string_view chip)
    : chip(chip), ldsBytes(64 * 1024 + Workgroup::kLdsSinkBytes),
      scratchBytes(kLanes * 1024), state(new Wave()) {
  shared.memory = &device;
  shared.lds = ldsBytes.data();
  shared.ldsBytes = 64 * 1024;
  shared.scratch = scratchBytes.data();
  shared.privateBytes = 1024;
  shared.waves = state.get();
  shared.numWaves = 1;
  shared.faultText = &fault;
  if (chip == "gfx950")
    shared.ldsAddressMask = 0x3FFFF;
  state->group = &shared;
  state->setExec(~uint64_t(0));
  // Round to nearest even, denormals kept, DX10_CLAMP and IEEE on: what
  // compilers ask for.
  state->mode = 0xF0 | 1u << kModeDx10Clamp | 1u << kModeIeee;
}

void InstructionRunner::run(std::string_view assembly) {
  std::vector<uint8_t> code =
      assembleCode(std::string(assembly) + "\ns_endpgm", chip);
  std::string error;
  program = Program::decode(code.data(), code.size(), 0x10000, chip, error);
  ASSERT_TRUE(program) << error;
  counts.assign(program->instructions().size(), 0);
  shared.program = program.get();
  state->counts = counts.data();
  state->budget = 1000000;
  state->state = WaveState::Running;
  state->next = program->instructions().data();
  fault.clear();
  for (int steps = 0; state->state == WaveState::Running; ++steps) {
    ASSERT_LT(steps, 1000000) << "the code does not end";
    const Instruction &inst = *state->next;
    state->next = &inst + 1;
    inst.handler(*state, inst);
    // Other waves are none: a barrier is passed, a yield returns at once.
    if (state->state == WaveState::AtBarrier ||
        state->state == WaveState::Yielded)
      state->state = WaveState::Running;
  }
}

KernelRunner::KernelRunner(std::string_view chip,
                           const std::vector<uint8_t> &image)
    : chip(chip) {
  object = CodeObject::load(image.data(), image.size(), chip, device, error);
}

std::string KernelRunner::launch(std::string_view kernelName,
                                 LaunchConfig config,
                                 const std::vector<uint64_t> &arguments) {
  if (!object)
    return error;
  const Kernel *kernel = object->findKernel(kernelName);
  if (!kernel)
    return "no such kernel";
  void *block = device.allocate(std::max<uint64_t>(8, arguments.size() * 8),
                                "kernel arguments");
  memcpy(block, arguments.data(), arguments.size() * 8);
  config.kernargAddress = reinterpret_cast<uint64_t>(block);
  Launch launch(*object, *kernel, device, chip);
  std::string result = launch.run(config);
  stats = launch.statistics();
  totals = {};
  if (const LaunchProfile *profile = launch.profile())
    for (const WorkgroupProfile &workgroup : profile->workgroups)
      totals.add(workgroup);
  device.release(block);
  return result;
}

} // namespace mla::sim::test
