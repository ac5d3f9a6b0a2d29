// RUN: mla-opt %s --pass-pipeline="builtin.module(gpu.module(mla-lds-alias-scopes))" | FileCheck %s

// CHECK-DAG: #[[DOMAIN:[a-z_0-9]*]] = #llvm.alias_scope_domain<{{.*}}description = "two_memories"
// CHECK-DAG: #[[STAGE0:[a-z_0-9]*]] = #llvm.alias_scope<{{.*}}domain = #[[DOMAIN]], description = "stage0"
// CHECK-DAG: #[[STAGE1:[a-z_0-9]*]] = #llvm.alias_scope<{{.*}}domain = #[[DOMAIN]], description = "stage1"

gpu.module @kernels {
  llvm.mlir.global internal @stage0() {addr_space = 3 : i32} : !llvm.array<64 x i8>
  llvm.mlir.global internal @stage1() {addr_space = 3 : i32} : !llvm.array<64 x i8>

  // Accesses of LDS get their memory's scope, through address arithmetic too;
  // those of global memory get none.
  // CHECK-LABEL: llvm.func @two_memories
  // CHECK: llvm.load %{{.*}} {alias_scopes = [#[[STAGE0]]], noalias_scopes = [#[[STAGE1]]]} : !llvm.ptr<3>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alias_scopes = [#[[STAGE1]]], noalias_scopes = [#[[STAGE0]]]} : f32, !llvm.ptr<3>
  // CHECK: llvm.store %{{[a-z0-9]*}}, %{{[a-z0-9]*}} : f32, !llvm.ptr<1>
  llvm.func @two_memories(%global: !llvm.ptr<1>, %i: i64) {
    %stage0 = llvm.mlir.addressof @stage0 : !llvm.ptr<3>
    %0 = llvm.load %stage0 : !llvm.ptr<3> -> f32
    %stage1 = llvm.mlir.addressof @stage1 : !llvm.ptr<3>
    %1 = llvm.getelementptr %stage1[%i] : (!llvm.ptr<3>, i64) -> !llvm.ptr<3>, f32
    llvm.store %0, %1 : f32, !llvm.ptr<3>
    llvm.store %0, %global : f32, !llvm.ptr<1>
    llvm.return
  }

  // CHECK-LABEL: llvm.func @one_memory
  // CHECK-NOT: alias_scopes
  llvm.func @one_memory() {
    %stage0 = llvm.mlir.addressof @stage0 : !llvm.ptr<3>
    %0 = llvm.load %stage0 : !llvm.ptr<3> -> f32
    llvm.return
  }
}
