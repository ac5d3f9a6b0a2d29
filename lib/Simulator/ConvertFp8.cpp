//===- ConvertFp8.cpp - Conversions from and to 8-bit floats --------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// fp8 and bf8 mean the FNUZ kinds on gfx942 and the OCP kinds on gfx950 (CDNA3
// and CDNA4 ISA, section "Data formats").
//
//===----------------------------------------------------------------------===//

#include "Minifloat.h"
#include "Valu.h"
#include "ValuRegister.h"
#include "mla/Numerics/Formats.h"

namespace mla::sim::MLA_SIM_VARIANT {

namespace {

template <class Format>
MLA_SIM_INLINE uint32_t packed(const FloatMode &mode, float a, float b) {
  return Format::nearest(a, mode.saturate16) |
         Format::nearest(b, mode.saturate16) << 8;
}

/// V_CVT_PK_*8_F32. Two codes go to the half that op_sel names, the other half
/// is preserved.
template <class Fnuz, class Ocp> Handler selectPacked(Instruction &inst) {
  return inst.ocpFp8 ? valu<U16(F32, F32), packed<Ocp>, kKeepsHigh>(inst)
                     : valu<U16(F32, F32), packed<Fnuz>, kKeepsHigh>(inst);
}

/// V_CVT_SR_*8_F32. op_sel[3:2] names the byte, the others are preserved.
template <class Format>
void stochasticByte(Wave &wave, const Instruction &inst) {
  Sources<2> in(wave, inst);
  in.fetch<F32>(wave, inst, 1, 0);
  in.fetch<U32>(wave, inst, 2, 1);
  const FloatMode mode(wave.mode);
  const unsigned shift = 8 * (inst.mods.opSel >> 2 & 3);
  const uint32_t *old = wave.vgpr[inst.ops[0].index];
  LaneArray out;
  for (int lane = 0; lane < kLanes; ++lane) {
    uint32_t code = Format::stochastic(F32::get(mode, in.source[0].lo[lane]),
                                       in.source[1].lo[lane], mode.saturate16);
    out.lane[lane] = (old[lane] & ~(0xFFu << shift)) | code << shift;
  }
  writeModified<32>(wave, inst, inst.ops[0].index, out.lane, in.plan, false,
                    HighHalf::Zero);
}

template <class Fnuz, class Ocp> Handler selectStochastic(Instruction &inst) {
  return inst.ocpFp8 ? stochasticByte<Ocp> : stochasticByte<Fnuz>;
}

/// V_CVT_F32_*8 and V_CVT_PK_F32_*8: the byte or word is SDWA's selection.
template <numerics::Format Fnuz, numerics::Format Ocp, bool Pair>
void fromByte(Wave &wave, const Instruction &inst) {
  Sources<1> in(wave, inst);
  in.fetch<U16>(wave, inst, 1, 0);
  const float *table = numerics::decodeTable(inst.ocpFp8 ? Ocp : Fnuz);
  LaneArray low, high;
  const uint32_t *codes = in.source[0].lo;
  for (int lane = 0; lane < kLanes; ++lane) {
    low.lane[lane] = bitsAs<uint32_t>(table[codes[lane] & 0xFFu]);
    if (Pair)
      high.lane[lane] = bitsAs<uint32_t>(table[codes[lane] >> 8 & 0xFFu]);
  }
  const unsigned dst = inst.ops[0].index;
  writeModified<32>(wave, inst, dst, low.lane, in.plan, false, HighHalf::Zero);
  if (Pair)
    writeModified<32>(wave, inst, dst + 1, high.lane, in.plan, false,
                      HighHalf::Zero);
}

using numerics::Format;

const HandlerTable::SelectorRow selectorRows[] = {
    {"v_cvt_pk_fp8_f32", selectPacked<E4M3FNUZ, E4M3FN>},
    {"v_cvt_pk_bf8_f32", selectPacked<E5M2FNUZ, E5M2>},
    {"v_cvt_sr_fp8_f32", selectStochastic<E4M3FNUZ, E4M3FN>},
    {"v_cvt_sr_bf8_f32", selectStochastic<E5M2FNUZ, E5M2>},
};

const HandlerTable::Row rows[] = {
    {"v_cvt_f32_fp8", fromByte<Format::E4M3FNUZ, Format::E4M3FN, false>},
    {"v_cvt_f32_bf8", fromByte<Format::E5M2FNUZ, Format::E5M2, false>},
    {"v_cvt_pk_f32_fp8", fromByte<Format::E4M3FNUZ, Format::E4M3FN, true>},
    {"v_cvt_pk_f32_bf8", fromByte<Format::E5M2FNUZ, Format::E5M2, true>},
};

} // namespace

void registerConvertFp8(HandlerTable &table) {
  table.add(selectorRows, InstructionClass::Valu);
  table.add(rows, InstructionClass::Valu);
}

} // namespace mla::sim::MLA_SIM_VARIANT
