// What makes a kernel module unfit for a bundle.

// RUN: split-file %s %t
// RUN: not mla-compile %t/no-problem.mlir --chip gfx942 -o %t.mlab 2>&1 | FileCheck %s --check-prefix=NO-PROBLEM
// RUN: not mla-compile %t/no-kernel.mlir --chip gfx942 -o %t.mlab 2>&1 | FileCheck %s --check-prefix=NO-KERNEL
// RUN: not mla-compile %t/unknown-buffer.mlir --chip gfx942 -o %t.mlab 2>&1 | FileCheck %s --check-prefix=UNKNOWN-BUFFER
// RUN: not mla-compile %t/argument-count.mlir --chip gfx942 -o %t.mlab 2>&1 | FileCheck %s --check-prefix=ARGUMENT-COUNT
// RUN: not mla-compile %t/argument-kind.mlir --chip gfx942 -o %t.mlab 2>&1 | FileCheck %s --check-prefix=ARGUMENT-KIND
// RUN: not mla-compile %t/lds.mlir --chip gfx942 -o %t.mlab 2>&1 | FileCheck %s --check-prefix=LDS
// RUN: mla-compile %t/lds.mlir --chip gfx950 -o %t.mlab
// RUN: not mla-compile %t/no-module.mlir --chip gfx942 -o %t.mlab 2>&1 | FileCheck %s --check-prefix=NO-MODULE

//--- no-problem.mlir
// NO-PROBLEM: error: the kernel module lacks mla.problem; a bundle is made of what the pipeline mla-to-amdgpu leaves
gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>} {
}

//--- no-kernel.mlir
// NO-KERNEL: error: the module @kernels has no function with mla.kernel
gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
}

//--- unknown-buffer.mlir
// UNKNOWN-BUFFER: error: kernel broken takes a buffer 'weights', which bundles do not know
gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
  llvm.func @broken(%to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "copy", grid = one, factor = 1, block = 64, args = [<"weights", write>]>} {
    llvm.return
  }
}

//--- argument-count.mlir
// ARGUMENT-COUNT: error: kernel broken takes 1 arguments, but its mla.kernel names 2
gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
  llvm.func @broken(%to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "copy", grid = one, factor = 1, block = 64, args = [<"q", read>, <"out", write>]>} {
    llvm.return
  }
}

//--- argument-kind.mlir
// ARGUMENT-KIND: error: argument 1 of kernel broken is not a pointer to global memory
gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
  llvm.func @broken(%to: !llvm.ptr<1>, %size: i64) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "copy", grid = one, factor = 1, block = 64, args = [<"out", write>, <"q", read>]>} {
    llvm.return
  }
}

//--- lds.mlir
// LDS: error: code generation failed: {{.*}}local memory (65792) exceeds limit (65536) in function 'large'
gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
  llvm.mlir.global internal @lds() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<16448 x i32>
  llvm.func @large(%to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "copy", grid = one, factor = 1, block = 256, args = [<"out", write>]>} {
    %lane = rocdl.workitem.id.x : i32
    %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
    %in = llvm.getelementptr %lds[0, %lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<16448 x i32>
    %out = llvm.getelementptr %lds[0, 7] : (!llvm.ptr<3>) -> !llvm.ptr<3>, !llvm.array<16448 x i32>
    llvm.store %lane, %in : i32, !llvm.ptr<3>
    rocdl.barrier
    %value = llvm.load %out : !llvm.ptr<3> -> i32
    llvm.store %value, %to : i32, !llvm.ptr<1>
    llvm.return
  }
}

//--- no-module.mlir
// NO-MODULE: error: the input must hold one mla.decode (or one gpu.module); it has none
func.func @nothing() { return }
