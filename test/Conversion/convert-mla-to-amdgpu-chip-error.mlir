// RUN: mla-opt %s --convert-mla-to-amdgpu=chip=gfx908 -verify-diagnostics

// expected-error @below {{unknown chip 'gfx908'; known are gfx942, gfx950}}
gpu.module @kernels attributes {mla.tile = #mla.tile<rows = 32, heads = 16, waves = 4, stages = 0>} {
}
