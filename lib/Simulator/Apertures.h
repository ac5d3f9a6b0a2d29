//===- Apertures.h - Flat addresses of LDS and private memory ---*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A flat address whose high 32 bits are those of an aperture means LDS or the
// lane's private memory (AMDGPUUsage, "Address Spaces"). The places are the
// driver's choice; these are outside of what a host can map.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_APERTURES_H
#define MLA_LIB_SIMULATOR_APERTURES_H

#include <cstdint>

namespace mla::sim {

inline constexpr uint64_t kSharedBase = uint64_t(1) << 48;
inline constexpr uint64_t kPrivateBase = uint64_t(2) << 48;

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_APERTURES_H
