//===- AtomicOps.h - What atomic instructions compute -----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation gives the new value from the old one and the data. Meanings:
// CDNA3 and CDNA4 ISA manuals, "DS Instructions" and "FLAT, Scratch and Global
// Instructions".
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_ATOMICOPS_H
#define MLA_LIB_SIMULATOR_ATOMICOPS_H

#include "Variant.h"

#include <bit>
#include <cstdint>
#include <type_traits>

namespace mla::sim::MLA_SIM_VARIANT {

/// T is uint32_t or uint64_t; Float and Signed are the types of that size.
template <typename T> struct AtomicTypes;
template <> struct AtomicTypes<uint32_t> {
  using Float = float;
  using Signed = int32_t;
};
template <> struct AtomicTypes<uint64_t> {
  using Float = double;
  using Signed = int64_t;
};

template <typename T> using FloatOf = typename AtomicTypes<T>::Float;
template <typename T> using SignedOf = typename AtomicTypes<T>::Signed;

template <typename T> MLA_SIM_INLINE FloatOf<T> asFloat(T bits) {
  return std::bit_cast<FloatOf<T>>(bits);
}

/// Replaces the value at `place` by op(value); returns what was there.
template <typename T, typename F>
MLA_SIM_INLINE T exchange(uint8_t *place, F op) {
  T *target = reinterpret_cast<T *>(place);
  T old = __atomic_load_n(target, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(target, &old, op(old), true,
                                      __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return old;
}

struct AtomicSwap {
  template <typename T> static MLA_SIM_INLINE T apply(T, T data) {
    return data;
  }
};
struct AtomicAdd {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return old + data;
  }
};
struct AtomicSub {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return old - data;
  }
};
struct AtomicReverseSub {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return data - old;
  }
};
struct AtomicSignedMin {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return SignedOf<T>(data) < SignedOf<T>(old) ? data : old;
  }
};
struct AtomicSignedMax {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return SignedOf<T>(data) >= SignedOf<T>(old) ? data : old;
  }
};
struct AtomicUnsignedMin {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return data < old ? data : old;
  }
};
struct AtomicUnsignedMax {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return data >= old ? data : old;
  }
};
struct AtomicAnd {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return old & data;
  }
};
struct AtomicOr {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return old | data;
  }
};
struct AtomicXor {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return old ^ data;
  }
};
struct AtomicIncrement {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return old >= data ? 0 : old + 1;
  }
};
struct AtomicDecrement {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return old == 0 || old > data ? data : old - 1;
  }
};
struct AtomicFloatAdd {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return std::bit_cast<T>(asFloat(old) + asFloat(data));
  }
};
struct AtomicFloatMin {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return asFloat(data) < asFloat(old) ? data : old;
  }
};
struct AtomicFloatMax {
  template <typename T> static MLA_SIM_INLINE T apply(T old, T data) {
    return asFloat(data) > asFloat(old) ? data : old;
  }
};

/// Two halves, added each by itself.
struct AtomicPackedHalfAdd {
  static MLA_SIM_INLINE uint16_t add(uint16_t a, uint16_t b) {
    return std::bit_cast<uint16_t>(
        _Float16(std::bit_cast<_Float16>(a) + std::bit_cast<_Float16>(b)));
  }
  static MLA_SIM_INLINE uint32_t apply(uint32_t old, uint32_t data) {
    return add(uint16_t(old), uint16_t(data)) |
           uint32_t(add(uint16_t(old >> 16), uint16_t(data >> 16))) << 16;
  }
};
struct AtomicPackedBrainAdd {
  /// Rounds to nearest even; a NaN stays one.
  static MLA_SIM_INLINE uint16_t add(uint16_t a, uint16_t b) {
    float sum = std::bit_cast<float>(uint32_t(a) << 16) +
                std::bit_cast<float>(uint32_t(b) << 16);
    uint32_t bits = std::bit_cast<uint32_t>(sum);
    if (sum != sum)
      return uint16_t(bits >> 16 | 0x40);
    return uint16_t((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  }
  static MLA_SIM_INLINE uint32_t apply(uint32_t old, uint32_t data) {
    return add(uint16_t(old), uint16_t(data)) |
           uint32_t(add(uint16_t(old >> 16), uint16_t(data >> 16))) << 16;
  }
};

} // namespace mla::sim::MLA_SIM_VARIANT

#endif // MLA_LIB_SIMULATOR_ATOMICOPS_H
