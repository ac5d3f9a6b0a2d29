//===- DeviceLibraries.h - ROCm's device bitcode ----------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_CODEGEN_DEVICELIBRARIES_H
#define MLA_LIB_CODEGEN_DEVICELIBRARIES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mla::codegen {

/// Links only the functions that `module` calls from `ocml.bc` and `ockl.bc`,
/// and only if it calls any. They are looked for in `folder`, or, when that is
/// empty, in $ROCM_PATH/amdgcn/bitcode, /opt/rocm/amdgcn/bitcode and Debian's
/// folder, in this order.
llvm::Error linkDeviceLibraries(llvm::Module &module, llvm::StringRef chip,
                                llvm::StringRef folder);

} // namespace mla::codegen

#endif // MLA_LIB_CODEGEN_DEVICELIBRARIES_H
