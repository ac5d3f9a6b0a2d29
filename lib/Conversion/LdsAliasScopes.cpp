//===- LdsAliasScopes.cpp - Tell accesses to LDS memories apart -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mla/Conversion/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace mla {
#define GEN_PASS_DEF_MLALDSALIASSCOPES
#include "mla/Conversion/Passes.h.inc"
} // namespace mla

using namespace mlir;
using namespace mla;

namespace {

/// LDS in LLVM's numbering of AMDGPU address spaces.
constexpr unsigned kLdsAddressSpace = 3;

/// The LDS global that `pointer` is derived from, or null.
StringAttr ldsMemoryOf(Value pointer) {
  auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
  if (!type || type.getAddressSpace() != kLdsAddressSpace)
    return {};
  while (auto step = pointer.getDefiningOp<LLVM::GEPOp>())
    pointer = step.getBase();
  auto address = pointer.getDefiningOp<LLVM::AddressOfOp>();
  return address ? address.getGlobalNameAttr().getAttr() : StringAttr();
}

struct LdsAliasScopesPass
    : mla::impl::MLALdsAliasScopesBase<LdsAliasScopesPass> {
  void runOnOperation() override {
    getOperation().walk([](LLVM::LLVMFuncOp kernel) { mark(kernel); });
  }

  static void mark(LLVM::LLVMFuncOp kernel) {
    llvm::MapVector<StringAttr, SmallVector<LLVM::AliasAnalysisOpInterface>>
        accesses;
    kernel.walk([&](LLVM::AliasAnalysisOpInterface access) {
      for (Value pointer : access.getAccessedOperands())
        if (StringAttr memory = ldsMemoryOf(pointer))
          accesses[memory].push_back(access);
    });
    if (accesses.size() < 2)
      return;

    MLIRContext *context = kernel.getContext();
    auto domain =
        LLVM::AliasScopeDomainAttr::get(context, kernel.getNameAttr());
    SmallVector<Attribute> scopes;
    for (auto &[memory, _] : accesses)
      scopes.push_back(LLVM::AliasScopeAttr::get(domain, memory));
    for (auto [own, entry] : llvm::zip_equal(scopes, accesses)) {
      SmallVector<Attribute> others;
      for (Attribute scope : scopes)
        if (scope != own)
          others.push_back(scope);
      for (LLVM::AliasAnalysisOpInterface access : entry.second) {
        access.setAliasScopes(ArrayAttr::get(context, own));
        access.setNoAliasScopes(ArrayAttr::get(context, others));
      }
    }
  }
};

} // namespace
