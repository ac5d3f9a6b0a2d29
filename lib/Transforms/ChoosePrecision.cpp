//===- ChoosePrecision.cpp - How exactly Q and P are multiplied ---------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ForEachAttend.h"

#include "mla/Transforms/Passes.h"

namespace mla {
#define GEN_PASS_DEF_MLACHOOSEPRECISION
#include "mla/Transforms/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

/// Matrix cycles may take this part of the memory time: beyond it, waiting for
/// the matrix cores would begin to show behind the loads.
constexpr double kMatrixShare = 0.5;

/// Cycles that a compute unit's matrix cores need for one cache row when Q and
/// P are sums of so many terms.
double matrixCyclesPerRow(targets::Target target, Type element, int64_t qTerms,
                          int64_t pTerms) {
  targets::MatrixInstruction instruction = target.matrixInstruction(element);
  double perColumnOfRow = static_cast<double>(instruction.cycles) /
                          (instruction.rows * instruction.depth *
                           target.chip().simdsPerComputeUnit);
  return (qTerms * kRow + pTerms * kLatent) * perColumnOfRow;
}

/// Cycles that memory needs to bring one cache row to one compute unit.
double memoryCyclesPerRow(targets::Target target, Type element) {
  const targets::Chip &chip = target.chip();
  double bytes = kRow * element.getIntOrFloatBitWidth() / 8.0;
  return bytes * chip.computeUnits * chip.clockHz / chip.memoryBytesPerSecond;
}

struct ChoosePrecisionPass
    : mla::impl::MLAChoosePrecisionBase<ChoosePrecisionPass> {
  using MLAChoosePrecisionBase::MLAChoosePrecisionBase;

  void runOnOperation() override {
    Operation *root = getOperation();
    for (StringRef name : {StringRef(q), StringRef(p)})
      if (!name.empty() && !symbolizePrecision(name)) {
        root->emitError() << "unknown precision '" << name
                          << "'; known are fp8, fp8x2 and bf16";
        return signalPassFailure();
      }
    auto chooseIfOpen = [&](AttendOp attend, targets::Target target) {
      return attend.getPrecisionAttr() ? success() : choose(attend, target);
    };
    if (failed(forEachAttend(root, chip, chooseIfOpen)))
      signalPassFailure();
  }

  LogicalResult choose(AttendOp attend, targets::Target target) {
    Type element = attend.getCache().getType().getElementType();
    Precision ofQ = Precision::Bf16, ofP = Precision::Bf16;
    if (!element.isBF16()) {
      double limit = kMatrixShare * memoryCyclesPerRow(target, element);
      auto affordable = [&](int64_t qTerms, int64_t pTerms) {
        return matrixCyclesPerRow(target, element, qTerms, pTerms) <= limit;
      };
      // The rounding of P weighs more than that of Q: it comes first.
      ofP = affordable(1, 2) ? Precision::Fp8x2 : Precision::Fp8;
      ofQ = attend.quantizesQuery() &&
                    affordable(2, ofP == Precision::Fp8x2 ? 2 : 1)
                ? Precision::Fp8x2
                : Precision::Fp8;
    }
    ofQ = symbolizePrecision(q).value_or(ofQ);
    ofP = symbolizePrecision(p).value_or(ofP);
    attend.setPrecisionAttr(PrecisionsAttr::get(&getContext(), ofQ, ofP));
    return attend.verify();
  }
};

} // namespace
