// Functions of the ROCm device libraries are linked in when a lowering leaves a call to them.

// REQUIRES: device-libs
// RUN: mla-compile %s --chip gfx942 --rocm-device-libs %device_libs --emit=llvm | FileCheck %s
// RUN: mla-compile %s --chip gfx950 --rocm-device-libs %device_libs --emit=obj -o %t.co
// RUN: llvm-objdump -d %t.co | FileCheck %s --check-prefix=CODE

// Linked, inlined and gone; so are the switches that it reads.
// CHECK-NOT: @__oc
// CHECK: define protected amdgpu_kernel void @power
// CHECK-NOT: @__oc
// CHECK: "target-cpu"="gfx942"

// CODE: <power>:
// CODE-NOT: s_swappc
// CODE: s_endpgm

gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
  llvm.func @__ocml_exp2_f32(f32) -> f32
  llvm.func @power(%to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "copy", grid = one, factor = 1, block = 64, args = [<"out", read_write>]>} {
    %x = llvm.load %to : !llvm.ptr<1> -> f32
    %y = llvm.call @__ocml_exp2_f32(%x) : (f32) -> f32
    llvm.store %y, %to : f32, !llvm.ptr<1>
    llvm.return
  }
}
