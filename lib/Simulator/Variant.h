//===- Variant.h - Instruction semantics built once per host ISA -*- C++
//-*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files with instruction semantics are compiled twice: for every x86-64
// and for machines with AVX2 and FMA. Each build lives in a namespace of its
// own, MLA_SIM_VARIANT, and the registry picks one when the program starts.
//
// The linker merges inline functions of one name, so whatever such a file
// shares with others as inline code must be MLA_SIM_INLINE, lest the AVX2
// build of it is run on a machine without AVX2. A test looks at the symbols.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_VARIANT_H
#define MLA_LIB_SIMULATOR_VARIANT_H

#ifndef MLA_SIM_VARIANT
#define MLA_SIM_VARIANT generic
#endif

#define MLA_SIM_INLINE inline __attribute__((always_inline))

#endif // MLA_LIB_SIMULATOR_VARIANT_H
