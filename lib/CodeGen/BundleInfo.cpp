//===- BundleInfo.cpp - What a bundle says about its kernels --------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/CodeGen/Bundle.h"
#include "mla/IR/MLADialect.h"
#include "mla/Runtime/BundleFormat.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace llvm;
using namespace mla;
using namespace mla::codegen;

namespace {

template <typename AttrT>
Expected<AttrT> attribute(mlir::Operation *op, StringRef name) {
  if (auto attr = op->getAttrOfType<AttrT>(name))
    return attr;
  return createStringError(
      Twine("the kernel module lacks ") + name +
      "; a bundle is made of what the pipeline mla-to-amdgpu leaves");
}

Expected<std::string> format(mlir::Type type, std::optional<std::string> &fp8) {
  if (type.isBF16())
    return bundle::format::bf16.data();
  if (mlir::isa<mlir::Float8E4M3FNType>(type))
    fp8 = targets::fp8Name(targets::Fp8Flavour::E4M3FN);
  else if (mlir::isa<mlir::Float8E4M3FNUZType>(type))
    fp8 = targets::fp8Name(targets::Fp8Flavour::E4M3FNUZ);
  else
    return createStringError(
        "mla.problem names an element type other than bf16, f8E4M3FN and "
        "f8E4M3FNUZ");
  return bundle::format::fp8.data();
}

Error readProblem(mlir::gpu::GPUModuleOp module, BundleInfo &info) {
  auto problem = attribute<ProblemAttr>(module, kProblemAttrName);
  if (!problem)
    return problem.takeError();
  info.heads = problem->getHeads();
  info.pageSize = problem->getPageSize();
  info.qMode = stringifyQMode(problem->getQMode()).str();
  info.smScale = problem->getSmScale().getValueAsDouble();
  auto precision = attribute<PrecisionsAttr>(module, kPrecisionAttrName);
  if (!precision)
    return precision.takeError();
  info.qTerms = precision->getQ() == Precision::Fp8x2 ? 2 : 1;
  std::pair<mlir::Type, std::string *> formats[] = {
      {problem->getKv(), &info.kvFormat},
      {problem->getQ(), &info.qFormat},
      {problem->getOut(), &info.outType}};
  for (auto [type, name] : formats) {
    Expected<std::string> result = format(type, info.fp8);
    if (!result)
      return result.takeError();
    *name = *result;
  }
  return Error::success();
}

Error readSchedule(mlir::gpu::GPUModuleOp module, BundleInfo &info) {
  auto split = attribute<SplitAttr>(module, kSplitAttrName);
  if (!split)
    return split.takeError();
  auto tile = attribute<TileAttr>(module, kTileAttrName);
  if (!tile)
    return tile.takeError();
  info.workgroups = split->getWorkgroups();
  info.workgroupsPerCu = split->getPerComputeUnit();
  info.tileRows = split->getRows();
  info.headsPerBlock = tile->getHeads();
  info.tileBytes = tile->getRows() * tile->getWaves() * info.rowBytes();
  return Error::success();
}

Error readWorkspace(mlir::gpu::GPUModuleOp module, BundleInfo &info) {
  auto workspace = attribute<mlir::ArrayAttr>(module, kWorkspaceAttrName);
  if (!workspace)
    return workspace.takeError();
  for (auto buffer : workspace->getAsRange<WorkspaceAttr>()) {
    if (!bundle::findBuffer(buffer.getName().str()))
      return createStringError("mla.workspace names a buffer '" +
                               buffer.getName() +
                               "', which bundles do not know");
    info.workspace.push_back({buffer.getName().str(),
                              stringifyExtent(buffer.getExtent()).str(),
                              buffer.getBytes()});
  }
  return Error::success();
}

Error readKernel(mlir::LLVM::LLVMFuncOp function, KernelAttr kernel,
                 BundleInfo &info) {
  KernelInfo result;
  result.name = function.getName().str();
  result.role = kernel.getRole().str();
  result.gridSymbol = stringifyExtent(kernel.getGrid()).str();
  result.gridFactor = kernel.getFactor();
  result.block = kernel.getBlock();
  for (BufferAttr buffer : kernel.getArgs()) {
    if (!bundle::findBuffer(buffer.getName().str()))
      return createStringError("kernel " + function.getName() +
                               " takes a buffer '" + buffer.getName() +
                               "', which bundles do not know");
    result.arguments.push_back(
        {buffer.getName().str(), stringifyAccess(buffer.getAccess()).str()});
  }
  info.kernels.push_back(std::move(result));
  return Error::success();
}

/// The runtime passes pointers and nothing else (BundleFormat.h).
Error checkArguments(const KernelInfo &kernel) {
  ArrayRef<KernelResources::Argument> arguments = kernel.resources.arguments;
  if (arguments.size() != kernel.arguments.size())
    return createStringError("kernel " + kernel.name + " takes " +
                             Twine(arguments.size()) +
                             " arguments, but its mla.kernel names " +
                             Twine(kernel.arguments.size()));
  for (auto [index, argument] : enumerate(arguments))
    if (!argument.globalPointer || argument.bytes != 8 ||
        argument.offset != static_cast<int64_t>(8 * index))
      return createStringError("argument " + Twine(index) + " of kernel " +
                               kernel.name +
                               " is not a pointer to global memory");
  return Error::success();
}

Error spillError(const KernelResources &kernel) {
  return createStringError(
      "kernel " + kernel.kernel + " does not fit its registers: " +
      Twine(kernel.vgprSpills) + " vector and " + Twine(kernel.sgprSpills) +
      " scalar registers are spilled, and " + Twine(kernel.scratchBytes) +
      " bytes of scratch a lane are used" +
      (kernel.dynamicStack ? " besides a dynamic stack" : "") +
      "; allow it with --allow-spills");
}

} // namespace

int64_t BundleInfo::rowBytes() const {
  return kRow * (kvFormat == bundle::format::fp8 ? 1 : 2);
}

schedule::Config BundleInfo::scheduleConfig() const {
  schedule::Config config;
  // A number of shares that was asked for is not argued with.
  if (!workgroups)
    config.rates =
        schedule::ratesOf(*targets::findChip(chip), rowBytes(), tileBytes,
                          /*partialBytes=*/kBlockHeads * kLatent * 4);
  config.heads = heads;
  config.headsPerBlock = headsPerBlock;
  config.tileRows = tileRows;
  config.workgroups =
      workgroups ? workgroups
                 : targets::findChip(chip)->computeUnits * workgroupsPerCu;
  return config;
}

Expected<BundleInfo> mla::codegen::readBundleInfo(mlir::gpu::GPUModuleOp module,
                                                  StringRef chip) {
  BundleInfo info;
  info.chip = chip.str();
  for (auto read : {readProblem, readSchedule, readWorkspace})
    if (Error error = read(module, info))
      return error;
  for (auto function : module.getOps<mlir::LLVM::LLVMFuncOp>())
    if (auto kernel = function->getAttrOfType<KernelAttr>(kKernelAttrName))
      if (Error error = readKernel(function, kernel, info))
        return error;
  if (info.kernels.empty())
    return createStringError("the module @" + module.getName() +
                             " has no function with mla.kernel");
  return info;
}

Error mla::codegen::addResources(BundleInfo &info, ArrayRef<char> codeObject,
                                 bool allowSpills) {
  Expected<std::vector<KernelResources>> all = readResources(codeObject);
  if (!all)
    return all.takeError();
  const targets::Chip &chip = *targets::findChip(info.chip);
  for (KernelInfo &kernel : info.kernels) {
    auto found = find_if(*all, [&](const KernelResources &resources) {
      return resources.kernel == kernel.name;
    });
    if (found == all->end())
      return createStringError("the code object lacks the kernel " +
                               kernel.name);
    kernel.resources = *found;
    kernel.wavesPerSimd = wavesPerSimd(*found, chip, kernel.block);
    if (Error error = checkArguments(kernel))
      return error;
    if (found->ldsBytes > chip.ldsBytes)
      return createStringError("kernel " + kernel.name + " takes " +
                               Twine(found->ldsBytes) + " bytes of LDS; " +
                               info.chip + " has " + Twine(chip.ldsBytes));
    if (found->spills() && !allowSpills)
      return spillError(*found);
  }
  return Error::success();
}
