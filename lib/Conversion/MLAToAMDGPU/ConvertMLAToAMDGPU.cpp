//===- ConvertMLAToAMDGPU.cpp - Fragments to what each lane does ----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FragmentLowering.h"

#include "mlir/Dialect/SCF/Transforms/Patterns.h"

namespace mla {
#define GEN_PASS_DEF_CONVERTMLATOAMDGPU
#include "mla/Conversion/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

struct ConvertMLAToAMDGPUPass
    : mla::impl::ConvertMLAToAMDGPUBase<ConvertMLAToAMDGPUPass> {
  using ConvertMLAToAMDGPUBase::ConvertMLAToAMDGPUBase;

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    FailureOr<targets::Target> target =
        targets::Target::get(chip, [&] { return module.emitError(); });
    if (failed(target))
      return signalPassFailure();
    auto tile = module->getAttrOfType<TileAttr>(kTileAttrName);
    if (!tile) {
      module.emitError() << "carries no " << kTileAttrName
                         << "; it is not a module of mla kernels";
      return signalPassFailure();
    }
    if (failed(checkElements(*target)))
      return signalPassFailure();

    LoweringContext lowering{*target, tile};
    FragmentTypeConverter converter(lowering);
    RewritePatternSet patterns(&getContext());
    PatternSink sink{patterns, converter, lowering};
    populateAddressPatterns(sink);
    populateMatrixPatterns(sink);
    populateSoftmaxPatterns(sink);
    populateStagePatterns(sink);
    populateTransposePatterns(sink);
    populateMergePatterns(sink);

    ConversionTarget legal(getContext());
    legal.addIllegalDialect<MLADialect>();
    legal.addIllegalOp<math::Exp2Op, math::Log2Op>();
    legal.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                         legal);
    if (failed(applyPartialConversion(module, legal, std::move(patterns))))
      signalPassFailure();
  }

  /// Matrix instructions exist for the chip's own fp8 alone, and take a fixed
  /// number of tokens.
  LogicalResult checkElements(targets::Target target) {
    WalkResult result = getOperation().walk([&](Operation *op) {
      for (Type type : op->getResultTypes())
        if (auto fragment = dyn_cast<FragmentType>(type))
          if (failed(checkFragment(op, fragment, target)))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  LogicalResult checkFragment(Operation *op, FragmentType fragment,
                              targets::Target target) {
    Type element = fragment.getElementType();
    Layout layout = fragment.getLayout();
    bool isOperand = layout == Layout::Operand ||
                     layout == Layout::Probability || layout == Layout::Value;
    if (!isOperand)
      return success();
    if (!target.supportsElement(element))
      return op->emitOpError()
             << "holds " << element << ", but " << chip << " takes bf16 and "
             << target.fp8Type(&getContext());
    int64_t depth = target.matrixInstruction(element).depth;
    int64_t tokens =
        layout == Layout::Value ? fragment.getColumns() : fragment.getRows();
    if (layout != Layout::Operand && tokens % depth != 0)
      return op->emitOpError()
             << "has " << tokens << " tokens of " << element << ", but " << chip
             << " multiplies " << depth << " at a time";
    return success();
  }
};

} // namespace
