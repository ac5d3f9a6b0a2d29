//===- ForEachAttend.h - The frame of passes that choose --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_TRANSFORMS_FOREACHATTEND_H
#define MLA_LIB_TRANSFORMS_FOREACHATTEND_H

#include "mla/IR/MLADialect.h"
#include "mla/Targets/Target.h"

namespace mla {

/// Calls `choose` for each mla.attend under `root` whose cache the chip takes,
/// until one fails. An unknown chip, and a cache that is not the chip's, are
/// errors.
inline mlir::LogicalResult forEachAttend(
    mlir::Operation *root, llvm::StringRef chip,
    llvm::function_ref<mlir::LogicalResult(AttendOp, targets::Target)> choose) {
  mlir::FailureOr<targets::Target> target =
      targets::Target::get(chip, [&] { return root->emitError(); });
  if (mlir::failed(target))
    return mlir::failure();
  mlir::WalkResult result = root->walk([&](AttendOp attend) {
    mlir::Type element = attend.getCache().getType().getElementType();
    if (!target->supportsElement(element)) {
      attend.emitOpError() << "holds its cache in " << element << ", but "
                           << chip << " takes bf16 and "
                           << target->fp8Type(root->getContext());
      return mlir::WalkResult::interrupt();
    }
    return mlir::failed(choose(attend, *target)) ? mlir::WalkResult::interrupt()
                                                 : mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

} // namespace mla

#endif // MLA_LIB_TRANSFORMS_FOREACHATTEND_H
