// RUN: split-file %s %t
// RUN: not mla-compile %t/ocml.mlir --chip gfx942 --rocm-device-libs %t/nowhere --emit=obj -o %t.co 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: mkdir -p %t/broken && echo nonsense > %t/broken/ocml.bc
// RUN: not mla-compile %t/ocml.mlir --chip gfx942 --rocm-device-libs %t/broken --emit=obj -o %t.co 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not mla-compile %t/unknown.mlir --chip gfx942 --emit=obj -o %t.co 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// MISSING: error: the kernels call __ocml_exp2_f32 from ocml.bc, a ROCm device library that is not in {{.*}}nowhere; install rocm-device-libs, or name its folder with --rocm-device-libs or its parent with ROCM_PATH
// BROKEN: error: the device library {{.*}}broken/ocml.bc cannot be read
// UNKNOWN: error: the kernels call mystery, which nothing defines

//--- ocml.mlir
gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>} {
  llvm.func @__ocml_exp2_f32(f32) -> f32
  llvm.func @power(%to: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
    %x = llvm.load %to : !llvm.ptr<1> -> f32
    %y = llvm.call @__ocml_exp2_f32(%x) : (f32) -> f32
    llvm.store %y, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}

//--- unknown.mlir
gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>} {
  llvm.func @mystery(f32) -> f32
  llvm.func @power(%to: !llvm.ptr<1>) attributes {gpu.kernel, rocdl.kernel} {
    %x = llvm.load %to : !llvm.ptr<1> -> f32
    %y = llvm.call @mystery(%x) : (f32) -> f32
    llvm.store %y, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}
