//===- ValuCompare.cpp - Vector comparisons -------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// V_CMP_* give a lane mask, V_CMPX_* write it to EXEC too (GFX9 writes both).
// Bits of inactive lanes are 0. Operands: mask, src0, src1.
//
//===----------------------------------------------------------------------===//

#include "Valu.h"
#include "ValuRegister.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

/// The sixteen float relations: the less, equal, greater and unordered cases
/// that make them true, as bits 0 to 3.
template <unsigned Cases> struct Relation {
  template <class T> static MLA_SIM_INLINE bool holds(T a, T b) {
    if constexpr (Cases == 0)
      return false;
    else if constexpr (Cases == 15)
      return true;
    else
      return ((Cases & 1) && a < b) || ((Cases & 2) && a == b) ||
             ((Cases & 4) && a > b) ||
             ((Cases & 8) && __builtin_isunordered(double(a), double(b)));
  }
};
template <unsigned Cases> struct IntegerRelation {
  template <class T> static MLA_SIM_INLINE bool holds(T a, T b) {
    return ((Cases & 1) && a < b) || ((Cases & 2) && a == b) ||
           ((Cases & 4) && a > b);
  }
};

/// V_CMP_CLASS_*: bit n of the mask asks for class n.
template <class Bits, int Mantissa, int Exponent>
MLA_SIM_INLINE bool inClass(Bits bits, uint32_t mask) {
  constexpr Bits one = 1;
  const Bits fraction = bits & ((one << Mantissa) - 1);
  const Bits exponent = bits >> Mantissa & ((one << Exponent) - 1);
  const bool negative = bits >> (Mantissa + Exponent) & 1;
  const bool top = exponent == (one << Exponent) - 1;
  const bool quietNan = fraction >> (Mantissa - 1) & 1;
  const unsigned nan = quietNan ? 1 : 0;
  const unsigned infinity = negative ? 2 : 9, normal = negative ? 3 : 8;
  const unsigned denormal = negative ? 4 : 7, zero = negative ? 5 : 6;
  const unsigned number = exponent ? normal : fraction ? denormal : zero;
  return mask >> (top ? (fraction ? nan : infinity) : number) & 1;
}

template <class A, class B, class Test> struct Compare {
  using Mask = uint64_t (*)(const Wave &, const Instruction &);

  static __attribute__((noinline)) uint64_t general(const Wave &wave,
                                                    const Instruction &inst) {
    Sources<2> in(wave, inst);
    in.template fetch<A>(wave, inst, 1, 0);
    in.template fetch<B>(wave, inst, 2, 1);
    const FloatMode mode(wave.mode);
    uint64_t mask = 0;
#pragma clang loop unroll(disable)
    for (int lane = 0; lane < kLanes; ++lane) {
      bool holds = Test::holds(A::get(mode, bitsOf<A>(in.source[0], lane)),
                               B::get(mode, bitsOf<B>(in.source[1], lane)));
      bool writes = !in.plan || in.plan->write.lane[lane];
      mask |= uint64_t(holds && writes) << lane;
    }
    return mask;
  }

  static __attribute__((noinline)) uint64_t fast(const Wave &wave,
                                                 const Instruction &inst) {
    if ((A::kIsFloat || B::kIsFloat) && !plainMode(wave.mode))
      return general(wave, inst);
    LaneArray scratch[4], result;
    const Source a = plainSource<A>(wave, inst.ops[1], scratch[0], scratch[1]);
    const Source b = plainSource<B>(wave, inst.ops[2], scratch[2], scratch[3]);
    MLA_SIM_LANES(lane)
    result.lane[lane] = -uint32_t(
        Test::holds(A::get(bitsOf<A>(a, lane)), B::get(bitsOf<B>(b, lane))));
    return maskOfOnes(result.lane);
  }

  template <Mask mask, bool WriteExec>
  static void handle(Wave &wave, const Instruction &inst) {
    const uint64_t result = mask(wave, inst) & wave.exec();
    writeLaneMask(wave, inst.ops[0], result);
    if (WriteExec)
      wave.setExec(result);
  }
};

template <class A, class B, class Test, bool WriteExec>
Handler select(Instruction &inst) {
  using C = Compare<A, B, Test>;
  return isPlain(inst) ? C::template handle<C::fast, WriteExec>
                       : C::template handle<C::general, WriteExec>;
}

template <class Bits, int Mantissa, int Exponent> struct ClassTest {
  static MLA_SIM_INLINE bool holds(Bits bits, uint32_t mask) {
    return inClass<Bits, Mantissa, Exponent>(bits, mask);
  }
};

#define FLOAT_ROW(relation, cases, name, type)                                 \
  {"v_cmp_" relation "_" name, select<type, type, Relation<cases>, false>},    \
      {"v_cmpx_" relation "_" name,                                            \
       select<type, type, Relation<cases>, true>},
#define FLOAT_ROWS(name, type)                                                 \
  FLOAT_ROW("f", 0, name, type)                                                \
  FLOAT_ROW("lt", 1, name, type)                                               \
  FLOAT_ROW("eq", 2, name, type)                                               \
  FLOAT_ROW("le", 3, name, type)                                               \
  FLOAT_ROW("gt", 4, name, type)                                               \
  FLOAT_ROW("lg", 5, name, type)                                               \
  FLOAT_ROW("ge", 6, name, type)                                               \
  FLOAT_ROW("o", 7, name, type)                                                \
  FLOAT_ROW("u", 8, name, type)                                                \
  FLOAT_ROW("nge", 9, name, type)                                              \
  FLOAT_ROW("nlg", 10, name, type)                                             \
  FLOAT_ROW("ngt", 11, name, type)                                             \
  FLOAT_ROW("nle", 12, name, type)                                             \
  FLOAT_ROW("neq", 13, name, type)                                             \
  FLOAT_ROW("nlt", 14, name, type)                                             \
  FLOAT_ROW("tru", 15, name, type)

#define INT_ROW(relation, cases, name, type)                                   \
  {"v_cmp_" relation "_" name,                                                 \
   select<type, type, IntegerRelation<cases>, false>},                         \
      {"v_cmpx_" relation "_" name,                                            \
       select<type, type, IntegerRelation<cases>, true>},
#define INT_ROWS(name, type)                                                   \
  INT_ROW("f", 0, name, type)                                                  \
  INT_ROW("lt", 1, name, type)                                                 \
  INT_ROW("eq", 2, name, type)                                                 \
  INT_ROW("le", 3, name, type)                                                 \
  INT_ROW("gt", 4, name, type)                                                 \
  INT_ROW("ne", 5, name, type)                                                 \
  INT_ROW("ge", 6, name, type)                                                 \
  INT_ROW("t", 7, name, type)

#define CLASS_ROW(name, type, bits, mantissa, exponent)                        \
  {"v_cmp_class_" name,                                                        \
   select<type, U32, ClassTest<bits, mantissa, exponent>, false>},             \
      {"v_cmpx_class_" name,                                                   \
       select<type, U32, ClassTest<bits, mantissa, exponent>, true>},

const HandlerTable::SelectorRow floatRows[] = {
    FLOAT_ROWS("f16", F16) FLOAT_ROWS("f32", F32) FLOAT_ROWS("f64", F64)};

const HandlerTable::SelectorRow integerRows[] = {
    INT_ROWS("i16", I16) INT_ROWS("u16", U16) INT_ROWS("i32", I32)
        INT_ROWS("u32", U32) INT_ROWS("i64", I64) INT_ROWS("u64", U64)};

/// The class is that of the bits as they are: MODE does not flush them.
const HandlerTable::SelectorRow classRows[] = {
    CLASS_ROW("f16", U16, uint16_t, 10, 5)
        CLASS_ROW("f32", U32, uint32_t, 23, 8)
            CLASS_ROW("f64", U64, uint64_t, 52, 11)};

#undef FLOAT_ROW
#undef FLOAT_ROWS
#undef INT_ROW
#undef INT_ROWS
#undef CLASS_ROW

} // namespace

void registerValuCompare(HandlerTable &table) {
  table.add(floatRows, InstructionClass::Valu);
  table.add(integerRows, InstructionClass::Valu);
  table.add(classRows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
