//===- DeviceLibraries.cpp - ROCm's device bitcode ------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceLibraries.h"

#include "mla/CodeGen/DeviceModule.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/TargetParser/TargetParser.h"

using namespace llvm;
using namespace mla::codegen;

namespace {

struct Library {
  StringRef prefix; ///< Of the functions that it defines.
  StringRef file;
};

constexpr Library kLibraries[] = {
    {"__ocml_", "ocml.bc"},
    {"__ockl_", "ockl.bc"},
};

/// What the libraries read to adapt to their caller (ROCm device libraries,
/// doc/OCML.md, "Controls"). Strict everywhere: a kernel that wants a fast
/// function uses the chip's instruction instead.
SmallVector<std::pair<StringRef, uint64_t>> controls(StringRef chip) {
  AMDGPU::IsaVersion isa = AMDGPU::getIsaVersion(chip);
  return {
      {"__oclc_finite_only_opt", 0},
      {"__oclc_unsafe_math_opt", 0},
      {"__oclc_daz_opt", 0},
      {"__oclc_correctly_rounded_sqrt32", 1},
      {"__oclc_wavefrontsize64", 1},
      {"__oclc_ISA_version", isa.Major * 1000 + isa.Minor * 100 + isa.Stepping},
      {"__oclc_ABI_version", kCodeObjectVersion},
  };
}

SmallVector<std::string> searchFolders(StringRef folder) {
  if (!folder.empty())
    return {folder.str()};
  SmallVector<std::string> folders;
  if (std::optional<std::string> rocm = sys::Process::GetEnv("ROCM_PATH"))
    folders.push_back(*rocm + "/amdgcn/bitcode");
  folders.push_back("/opt/rocm/amdgcn/bitcode");
  folders.push_back("/usr/lib/x86_64-linux-gnu/amdgcn/bitcode");
  return folders;
}

/// The names that the module calls and does not define, of one library.
SmallVector<StringRef> neededFunctions(const Module &module, StringRef prefix) {
  SmallVector<StringRef> names;
  for (const Function &function : module)
    if (function.isDeclaration() && function.getName().starts_with(prefix))
      names.push_back(function.getName());
  return names;
}

Expected<std::string> findLibrary(StringRef file, StringRef folder,
                                  ArrayRef<StringRef> functions) {
  SmallVector<std::string> folders = searchFolders(folder);
  for (const std::string &candidate : folders) {
    SmallString<128> path(candidate);
    sys::path::append(path, file);
    if (sys::fs::exists(path))
      return std::string(path);
  }
  return createStringError(
      "the kernels call " + join(functions, ", ") + " from " + file +
      ", a ROCm device library that is not in " + join(folders, ", ") +
      "; install rocm-device-libs, or name its folder with "
      "--rocm-device-libs or its parent with ROCM_PATH");
}

Error linkLibrary(Module &module, StringRef path) {
  SMDiagnostic diagnostic;
  std::unique_ptr<Module> library =
      parseIRFile(path, diagnostic, module.getContext());
  if (!library)
    return createStringError("the device library " + path +
                             " cannot be read: " + diagnostic.getMessage());
  library->setTargetTriple(module.getTargetTriple());
  library->setDataLayout(module.getDataLayout());
  // The library's flags and version notes speak for its own compilation; its
  // code object version would contradict the kernels'.
  for (NamedMDNode &node : make_early_inc_range(library->named_metadata()))
    library->eraseNamedMetadata(&node);
  for (Function &function : *library) {
    function.removeFnAttr("target-cpu");
    function.removeFnAttr("target-features");
  }
  if (Linker::linkModules(module, std::move(library), Linker::LinkOnlyNeeded))
    return createStringError("the device library " + path +
                             " does not link with the kernels");
  return Error::success();
}

} // namespace

Error mla::codegen::linkDeviceLibraries(Module &module, StringRef chip,
                                        StringRef folder) {
  for (const Library &library : kLibraries) {
    SmallVector<StringRef> functions = neededFunctions(module, library.prefix);
    if (functions.empty())
      continue;
    Expected<std::string> path = findLibrary(library.file, folder, functions);
    if (!path)
      return path.takeError();
    if (Error error = linkLibrary(module, *path))
      return error;
  }
  for (auto [name, value] : controls(chip)) {
    GlobalVariable *variable = module.getGlobalVariable(name);
    if (!variable || !variable->isDeclaration())
      continue;
    variable->setInitializer(ConstantInt::get(variable->getValueType(), value));
    variable->setLinkage(GlobalValue::InternalLinkage);
    variable->setConstant(true);
  }
  return Error::success();
}
