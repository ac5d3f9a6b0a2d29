// RUN: mla-opt %s --pass-pipeline='builtin.module(gpu.module(mla-fold-lds-load-offsets))' | FileCheck %s

gpu.module @kernels {

// Constants anywhere in the sum become the offset, which LDS is then moved back
// by.
// CHECK-LABEL: llvm.func @constants_in_a_sum(
// CHECK-SAME: %[[BASE:[a-z0-9]*]]: !llvm.ptr<1>, %[[LDS:[a-z0-9]*]]: !llvm.ptr<3>, %[[ROW:[a-z0-9]*]]: i64, %[[COLUMN:[a-z0-9]*]]: i64
// CHECK: %[[SUM:.*]] = llvm.add %[[ROW]], %[[COLUMN]]
// CHECK: %[[GLOBAL:.*]] = llvm.getelementptr %[[BASE]][%[[SUM]]] : {{.*}}, i8
// CHECK: %[[BACK:.*]] = llvm.getelementptr %[[LDS]][-192] : {{.*}}, i8
// CHECK: rocdl.load.to.lds %[[GLOBAL]], %[[BACK]], 16, 192, 0
llvm.func @constants_in_a_sum(%base: !llvm.ptr<1>, %lds: !llvm.ptr<3>, %row: i64, %column: i64) {
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %c128 = llvm.mlir.constant(128 : i64) : i64
  %0 = llvm.add %row, %c64 : i64
  %1 = llvm.add %c128, %column : i64
  %2 = llvm.add %0, %1 : i64
  %3 = llvm.getelementptr %base[%2] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  rocdl.load.to.lds %3, %lds, 16, 0, 0 : !llvm.ptr<1>
  llvm.return
}

// The offset counts bytes.
// CHECK-LABEL: llvm.func @elements_of_two_bytes(
// CHECK: llvm.getelementptr %{{.*}}[-16] : {{.*}}, i8
// CHECK: rocdl.load.to.lds %{{.*}}, %{{.*}}, 4, 16, 0
llvm.func @elements_of_two_bytes(%base: !llvm.ptr<1>, %lds: !llvm.ptr<3>, %row: i64) {
  %c8 = llvm.mlir.constant(8 : i64) : i64
  %0 = llvm.add %row, %c8 : i64
  %1 = llvm.getelementptr %base[%0] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, bf16
  rocdl.load.to.lds %1, %lds, 4, 0, 0 : !llvm.ptr<1>
  llvm.return
}

// 12 bits and a sign.
// CHECK-LABEL: llvm.func @largest_offset(
// CHECK: rocdl.load.to.lds %{{.*}}, %{{.*}}, 16, 4095, 0
llvm.func @largest_offset(%base: !llvm.ptr<1>, %lds: !llvm.ptr<3>, %row: i64) {
  %c = llvm.mlir.constant(4095 : i64) : i64
  %0 = llvm.add %row, %c : i64
  %1 = llvm.getelementptr %base[%0] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  rocdl.load.to.lds %1, %lds, 16, 0, 0 : !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: llvm.func @too_large_an_offset(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>, %[[LDS:[a-z0-9]*]]: !llvm.ptr<3>
// CHECK: rocdl.load.to.lds %{{.*}}, %[[LDS]], 16, 0, 0
llvm.func @too_large_an_offset(%base: !llvm.ptr<1>, %lds: !llvm.ptr<3>, %row: i64) {
  %c = llvm.mlir.constant(4096 : i64) : i64
  %0 = llvm.add %row, %c : i64
  %1 = llvm.getelementptr %base[%0] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  rocdl.load.to.lds %1, %lds, 16, 0, 0 : !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: llvm.func @negative_constant(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>, %[[LDS:[a-z0-9]*]]: !llvm.ptr<3>
// CHECK: rocdl.load.to.lds %{{.*}}, %[[LDS]], 16, 0, 0
llvm.func @negative_constant(%base: !llvm.ptr<1>, %lds: !llvm.ptr<3>, %row: i64) {
  %c = llvm.mlir.constant(-16 : i64) : i64
  %0 = llvm.add %row, %c : i64
  %1 = llvm.getelementptr %base[%0] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  rocdl.load.to.lds %1, %lds, 16, 0, 0 : !llvm.ptr<1>
  llvm.return
}

// An offset that is there already is left alone.
// CHECK-LABEL: llvm.func @offset_taken(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>, %[[LDS:[a-z0-9]*]]: !llvm.ptr<3>
// CHECK: rocdl.load.to.lds %{{.*}}, %[[LDS]], 16, 32, 0
llvm.func @offset_taken(%base: !llvm.ptr<1>, %lds: !llvm.ptr<3>, %row: i64) {
  %c64 = llvm.mlir.constant(64 : i64) : i64
  %0 = llvm.add %row, %c64 : i64
  %1 = llvm.getelementptr %base[%0] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  rocdl.load.to.lds %1, %lds, 16, 32, 0 : !llvm.ptr<1>
  llvm.return
}

// CHECK-LABEL: llvm.func @no_constant(
// CHECK-SAME: %{{[a-z0-9]*}}: !llvm.ptr<1>, %[[LDS:[a-z0-9]*]]: !llvm.ptr<3>
// CHECK: rocdl.load.to.lds %{{.*}}, %[[LDS]], 16, 0, 0
llvm.func @no_constant(%base: !llvm.ptr<1>, %lds: !llvm.ptr<3>, %row: i64) {
  %0 = llvm.getelementptr %base[%row] : (!llvm.ptr<1>, i64) -> !llvm.ptr<1>, i8
  rocdl.load.to.lds %0, %lds, 16, 0, 0 : !llvm.ptr<1>
  llvm.return
}
}
