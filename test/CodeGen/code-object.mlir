// A code object of one small kernel: its descriptor, its metadata, its code.

// RUN: mla-compile %s --chip gfx950 --emit=obj -o %t.co
// RUN: llvm-readelf --file-header --notes --dyn-symbols %t.co | FileCheck %s
// RUN: llvm-objdump --disassemble-symbols=copy %t.co | FileCheck %s --check-prefix=CODE
// RUN: mla-compile %s --chip gfx942 --emit=obj -o - | llvm-readelf --file-header - | FileCheck %s --check-prefix=GFX942
// RUN: mla-compile %s --chip gfx950 --emit=asm | FileCheck %s --check-prefix=ASM
// RUN: mla-compile %s --chip gfx950 --emit=llvm | FileCheck %s --check-prefix=LLVM

// ABI version 4 is code object version 6.
// CHECK:      OS/ABI: AMDGPU - HSA
// CHECK-NEXT: ABI Version: 4
// CHECK:      Type: DYN
// CHECK:      Flags: {{.*}}gfx950
// CHECK-DAG:  FUNC GLOBAL PROTECTED {{.*}} copy
// CHECK-DAG:  OBJECT GLOBAL PROTECTED {{.*}} copy.kd
// CHECK:      .agpr_count: 0
// CHECK-NEXT: .args:
// CHECK:        .offset: 0
// CHECK-NEXT:   .size: 8
// CHECK-NEXT:   .value_kind: global_buffer
// CHECK:        .offset: 8
// CHECK-NEXT:   .size: 8
// CHECK-NEXT:   .value_kind: global_buffer
// CHECK-NOT:    hidden
// CHECK:      .group_segment_fixed_size: 512
// CHECK:      .kernarg_segment_size: 16
// CHECK:      .max_flat_workgroup_size: 128
// CHECK:      .private_segment_fixed_size: 0
// CHECK:      .reqd_workgroup_size:
// CHECK-NEXT:   - 128
// CHECK:      .wavefront_size: 64
// CHECK:      amdhsa.version:
// CHECK-NEXT:   - 1
// CHECK-NEXT:   - 2

// CODE:     <copy>:
// CODE:     global_load_dword
// CODE:     ds_write_b32
// CODE:     s_barrier
// CODE:     global_store_dword
// CODE:     s_endpgm

// GFX942: Flags: {{.*}}gfx942

// ASM: .amdgcn_target "amdgcn-amd-amdhsa--gfx950"
// ASM: .amdhsa_code_object_version 6
// ASM: .amdhsa_kernel copy

// LLVM: target triple = "amdgcn-amd-amdhsa"
// LLVM: define protected amdgpu_kernel void @copy({{.*}}) {{.*}} !reqd_work_group_size
// LLVM: "amdgpu-flat-work-group-size"="128,128"
// LLVM-SAME: "target-cpu"="gfx950"
// LLVM: !"amdhsa_code_object_version", i32 600

gpu.module @kernels attributes {
    mla.problem = #mla.problem<heads = 16, page_size = 1, kv = bf16, q = bf16, out = bf16, q_mode = none, sm_scale = 1.0 : f32>,
    mla.split = #mla.split<rows = 16, workgroups = 0, per_compute_unit = 1>,
    mla.tile = #mla.tile<rows = 16, heads = 16, waves = 4, stages = 0>,
    mla.precision = #mla.precision<q = bf16, p = bf16>,
    mla.workspace = []} {
  llvm.mlir.global internal @lds() {addr_space = 3 : i32, alignment = 16 : i64} : !llvm.array<128 x i32>
  llvm.func @copy(%from: !llvm.ptr<1>, %to: !llvm.ptr<1>) attributes {
      gpu.kernel, rocdl.kernel,
      mla.kernel = #mla.kernel<role = "copy", grid = one, factor = 1, block = 128, args = [<"q", read>, <"out", write>]>} {
    %lane = rocdl.workitem.id.x : i32
    %last = llvm.mlir.constant(127 : i32) : i32
    %mirror = llvm.sub %last, %lane : i32
    %source = llvm.getelementptr %from[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %value = llvm.load %source : !llvm.ptr<1> -> i32
    %lds = llvm.mlir.addressof @lds : !llvm.ptr<3>
    %in = llvm.getelementptr %lds[0, %lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<128 x i32>
    llvm.store %value, %in : i32, !llvm.ptr<3>
    rocdl.barrier
    %out = llvm.getelementptr %lds[0, %mirror] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, !llvm.array<128 x i32>
    %mirrored = llvm.load %out : !llvm.ptr<3> -> i32
    %target = llvm.getelementptr %to[%lane] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %mirrored, %target : i32, !llvm.ptr<1>
    llvm.return
  }
}
