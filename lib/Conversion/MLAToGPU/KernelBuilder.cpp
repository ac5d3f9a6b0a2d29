//===- KernelBuilder.cpp - Starts a gpu.func with named buffers -----------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace mlir;
using namespace mla;

MemRefType mla::globalBuffer(Type element, ArrayRef<int64_t> innerShape) {
  SmallVector<int64_t> shape{std::numeric_limits<int32_t>::max()};
  shape.append(innerShape.begin(), innerShape.end());
  auto space = gpu::AddressSpaceAttr::get(element.getContext(),
                                          gpu::AddressSpace::Global);
  return MemRefType::get(shape, element, MemRefLayoutAttrInterface(), space);
}

KernelBuilder::KernelBuilder(Location loc, gpu::GPUModuleOp module,
                             KernelLaunch launch,
                             ArrayRef<KernelBuffer> buffers)
    : ImplicitLocOpBuilder(loc, module.getContext()) {
  setInsertionPointToEnd(module.getBody());
  SmallVector<Type> types;
  SmallVector<BufferAttr> names;
  for (const KernelBuffer &buffer : buffers) {
    types.push_back(buffer.type);
    names.push_back(BufferAttr::get(getContext(), buffer.name, buffer.access));
  }
  function = gpu::GPUFuncOp::create(*this, ("mla_" + launch.role).str(),
                                    FunctionType::get(getContext(), types, {}));
  function->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), getUnitAttr());
  function->setAttr(kKernelAttrName,
                    KernelAttr::get(getContext(), launch.role, launch.grid,
                                    launch.factor, launch.block, names));
  function.setKnownBlockSizeAttr(
      getDenseI32ArrayAttr({static_cast<int32_t>(launch.block), 1, 1}));

  // Buffers never overlap (the runtime's contract), so loads may pass stores.
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                        getUnitAttr());
    if (buffer.access == Access::Read)
      function.setArgAttr(i, LLVM::LLVMDialect::getReadonlyAttrName(),
                          getUnitAttr());
    arguments[buffer.name] = function.getArgument(i);
  }

  Block &body = function.getBody().front();
  setInsertionPointToEnd(&body);
  gpu::ReturnOp::create(*this);
  setInsertionPointToStart(&body);
}

Value KernelBuilder::buffer(StringRef name) const {
  Value value = arguments.lookup(name);
  assert(value && "the kernel has no such buffer");
  return value;
}

Value KernelBuilder::workgroupMemory(int64_t bytes) {
  auto space =
      gpu::AddressSpaceAttr::get(getContext(), gpu::AddressSpace::Workgroup);
  auto type =
      MemRefType::get({bytes}, getI8Type(), MemRefLayoutAttrInterface(), space);
  unsigned position = function.getNumWorkgroupAttributions();
  Value memory = function.addWorkgroupAttribution(type, getLoc());
  function.setWorkgroupAttributionAttr(
      position, LLVM::LLVMDialect::getAlignAttrName(), getI64IntegerAttr(16));
  return memory;
}

Value KernelBuilder::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value KernelBuilder::f32(double value) {
  return arith::ConstantOp::create(*this,
                                   getF32FloatAttr(static_cast<float>(value)));
}

Value KernelBuilder::uniform(Value value) {
  return gpu::SubgroupBroadcastOp::create(
      *this, value.getType(), value, /*lane=*/Value(),
      gpu::BroadcastType::first_active_lane);
}

Value KernelBuilder::uniformIndex(Value memref, ValueRange indices) {
  Value loaded = memref::LoadOp::create(*this, memref, indices);
  return arith::IndexCastOp::create(*this, getIndexType(), uniform(loaded));
}

Value KernelBuilder::threadId() {
  return gpu::ThreadIdOp::create(*this, gpu::Dimension::x);
}
