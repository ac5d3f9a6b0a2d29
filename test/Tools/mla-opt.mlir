// RUN: mla-opt --show-dialects | FileCheck %s --check-prefix=DIALECTS
// RUN: mla-opt %s --mla-decompose | FileCheck %s
// RUN: not mla-opt %s --mla-nonsense 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// DIALECTS: amdgpu
// DIALECTS-SAME: mla

// CHECK: func.func @empty
func.func @empty() { return }

// UNKNOWN: Unknown command line argument '--mla-nonsense'
