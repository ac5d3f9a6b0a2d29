//===- Target.cpp - What a lowering asks of a chip ------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Targets/Target.h"

using namespace mlir;
using namespace mla::targets;

FailureOr<Target> Target::get(StringRef name,
                              function_ref<InFlightDiagnostic()> emitError) {
  if (const Chip *chip = findChip(std::string_view(name.data(), name.size())))
    return Target(*chip);
  return emitError() << "unknown chip '" << name << "'; known are "
                     << StringRef(kChipNames.data(), kChipNames.size());
}

Type Target::fp8Type(MLIRContext *context) const {
  if (facts->fp8 == Fp8Flavour::E4M3FN)
    return Float8E4M3FNType::get(context);
  return Float8E4M3FNUZType::get(context);
}

bool Target::supportsElement(Type element) const {
  return element.isBF16() || element == fp8Type(element.getContext());
}

MatrixInstruction Target::matrixInstruction(Type element) const {
  assert(supportsElement(element) && "not an element of this chip");
  // v_mfma_f32_16x16x32_{fp8_fp8} and v_mfma_f32_16x16x16_bf16: both take eight
  // bytes of each operand a lane and four passes of four cycles (CDNA3 ISA,
  // "Matrix Arithmetic Instructions").
  if (element.isBF16())
    return {16, 16, 16, 8, 16};
  return {16, 16, 32, 8, 16};
}

MatrixInstruction Target::rowInstruction(Type element) const {
  if (!facts->wideMatrixOperands)
    return matrixInstruction(element);
  if (element.isBF16())
    return {16, 16, 32, 16, 16};
  return {16, 16, 128, 32, 32};
}

Transposition Target::transposition() const {
  return facts->ldsTransposeRead ? Transposition::LdsRead
                                 : Transposition::BytePermute;
}

ColumnOrder Target::columnOrder() const {
  switch (transposition()) {
  case Transposition::BytePermute:
    return {16, 1};
  case Transposition::LdsRead:
    return {1, 16};
  }
  llvm_unreachable("all transpositions are listed");
}

int64_t Target::probabilityBias(Type element) const {
  if (element.isBF16())
    return 0;
  // 2^8 <= 448 (OCP e4m3) and 2^7 <= 240 (e4m3 with unsigned zero).
  return (isa<Float8E4M3FNType>(element) ? 8 : 7) - kMaximumSlack;
}
