//===- ConvertMLAToGPU.cpp - One kernel of each operation -----------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include "mla/Targets/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mla {
#define GEN_PASS_DEF_CONVERTMLATOGPU
#include "mla/Conversion/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

/// The operations of one decode, found from its attend.
struct Decode {
  AmaxOp amax;         ///< Null unless the scale is dynamic.
  QuantizeOp quantize; ///< Null for a bf16 cache.
  ScheduleOp schedule;
  AttendOp attend;
  CombineOp combine; ///< Null if attention combines.
};

FailureOr<Decode> findDecode(AttendOp attend) {
  Decode decode;
  decode.attend = attend;
  if (!attend.getCombines()) {
    for (Operation *user : attend.getPartialO().getUsers())
      if (auto combine = dyn_cast<CombineOp>(user))
        decode.combine = combine;
    if (!decode.combine)
      return attend.emitOpError()
             << "leaves partials that no mla.combine in sight combines";
    if (decode.combine.getSchedule() != attend.getSchedule())
      return decode.combine.emitOpError()
             << "combines by another schedule than its mla.attend's";
  }
  decode.schedule = attend.getSchedule().getDefiningOp<ScheduleOp>();
  if (!decode.schedule)
    return attend.emitOpError() << "needs its mla.schedule in sight";
  decode.quantize = attend.getQ().getDefiningOp<QuantizeOp>();
  bool fp8Query = !cast<ShapedType>(decode.attend.getQ().getType())
                       .getElementType()
                       .isBF16();
  if (fp8Query && !decode.quantize)
    return decode.attend.emitOpError()
           << "takes a quantised Q that no mla.quantize in sight has made";
  if (decode.quantize && decode.quantize.getAmax()) {
    decode.amax = decode.quantize.getAmax().getDefiningOp<AmaxOp>();
    if (!decode.amax)
      return decode.quantize.emitOpError()
             << "takes maxima that no mla.amax in sight has found";
  }
  if (decode.quantize) {
    Value scale = decode.quantize.getAmax() ? decode.quantize.getFoundScale()
                                            : decode.quantize.getScale();
    if (scale != attend.getQScale())
      return attend.emitOpError()
             << "must take the scale that its Q was quantised with";
  }
  if (!decode.attend.getPrecisionAttr())
    return decode.attend.emitOpError()
           << "has no precision yet; run mla-choose-precision first";
  if (!decode.attend.getTileAttr())
    return decode.attend.emitOpError() << "has no tile yet; run mla-tile first";
  if (!decode.schedule.getSplitAttr())
    return decode.schedule.emitOpError()
           << "has no split yet; run mla-split-kv first";
  return decode;
}

ProblemAttr problemOf(const Decode &decode) {
  AttendOp attend = decode.attend;
  CacheType cache = attend.getCache().getType();
  auto outType = cast<ShapedType>(attend.getOut().getType());
  QMode mode = decode.amax               ? QMode::Dynamic
               : attend.getQScale()      ? QMode::Static
               : attend.quantizesQuery() ? QMode::PerHead
                                         : QMode::None;
  return ProblemAttr::get(attend.getContext(), outType.getDimSize(1),
                          cache.getPageSize(), cache.getElementType(),
                          cache.getElementType(), outType.getElementType(),
                          mode, attend.getSmScaleAttr());
}

ArrayAttr workspaceOf(const Decode &decode) {
  AttendOp attend = decode.attend;
  MLIRContext *context = attend.getContext();
  SmallVector<Attribute> buffers;
  auto add = [&](StringRef name, Extent extent, int64_t bytes) {
    buffers.push_back(WorkspaceAttr::get(context, name, extent, bytes));
  };
  if (QuantizeOp quantize = decode.quantize) {
    auto type = cast<ShapedType>(quantize.getQuantized().getType());
    add("q_quantized", Extent::TotalQ, type.getDimSize(1) * kRow);
  }
  if (decode.amax) {
    add("q_amax", Extent::TotalQ, 4);
    add("q_scale", Extent::One, 4);
  }
  add("partial_o", Extent::Partials, kBlockHeads * kLatent * 4);
  add("partial_ml", Extent::Partials, 2 * kBlockHeads * 4);
  if (attend.getCombines())
    add("tickets", Extent::CombineItems, 4);
  return ArrayAttr::get(context, buffers);
}

struct ConvertMLAToGPUPass
    : mla::impl::ConvertMLAToGPUBase<ConvertMLAToGPUPass> {
  using ConvertMLAToGPUBase::ConvertMLAToGPUBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<targets::Target> target =
        targets::Target::get(chip, [&] { return module.emitError(); });
    if (failed(target))
      return signalPassFailure();

    WalkResult undone = module.walk([](DecodeOp op) {
      op.emitOpError() << "is still whole; run mla-decompose first";
      return WalkResult::interrupt();
    });
    if (undone.wasInterrupted())
      return signalPassFailure();

    SmallVector<AttendOp> attends;
    module.walk([&](AttendOp op) { attends.push_back(op); });
    if (attends.empty())
      return rejectLeftovers(module);
    if (attends.size() > 1) {
      attends[1].emitOpError()
          << "is the second in its module; a bundle holds one problem, so give "
             "each a module of its own";
      return signalPassFailure();
    }
    FailureOr<Decode> decode = findDecode(attends.front());
    if (failed(decode))
      return signalPassFailure();

    auto function = decode->attend->getParentOfType<func::FuncOp>();
    if (!function) {
      decode->attend.emitOpError() << "must stand in a func.func";
      return signalPassFailure();
    }
    buildModule(*decode, *target, function.getLoc());
    function.erase();
  }

  /// Without attention nothing can be done with what belongs to it.
  void rejectLeftovers(ModuleOp module) {
    module.walk([&](Operation *op) {
      if (!isa<AmaxOp, QuantizeOp, ScheduleOp, CombineOp>(op))
        return WalkResult::advance();
      op->emitOpError() << "belongs to an mla.attend, but there is none";
      signalPassFailure();
      return WalkResult::interrupt();
    });
  }

  void buildModule(const Decode &decode, targets::Target target, Location loc) {
    ModuleOp module = getOperation();
    OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
    auto kernels = gpu::GPUModuleOp::create(builder, loc, "mla_kernels");
    kernels->setAttr(kProblemAttrName, problemOf(decode));
    AttendOp attend = decode.attend;
    ScheduleOp schedule = decode.schedule;
    kernels->setAttr(kPrecisionAttrName, attend.getPrecisionAttr());
    kernels->setAttr(kTileAttrName, attend.getTileAttr());
    kernels->setAttr(kSplitAttrName, schedule.getSplitAttr());
    if (ShapeAttr shape = schedule.getShapeAttr())
      kernels->setAttr(kShapeAttrName, shape);
    kernels->setAttr(kWorkspaceAttrName, workspaceOf(decode));

    if (decode.amax)
      buildAmaxKernel(decode.amax, kernels);
    if (decode.quantize)
      buildQuantizeKernel(decode.quantize, kernels);
    buildAttendKernel(
        attend, kernels,
        target.probabilityBias(attend.getCache().getType().getElementType()));
    if (decode.combine)
      buildCombineKernel(decode.combine, kernels);
  }
};

} // namespace
