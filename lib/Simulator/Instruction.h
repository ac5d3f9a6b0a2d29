//===- Instruction.h - A decoded AMDGPU instruction -------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The internal form into which each static instruction is decoded once. The
// operands stand in the order in which LLVM prints them, destination first.
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_INSTRUCTION_H
#define MLA_LIB_SIMULATOR_INSTRUCTION_H

#include <cstdint>

namespace mla::sim {

struct Wave;
struct Instruction;

/// Executes one instruction for all lanes of a wave.
using Handler = void (*)(Wave &, const Instruction &);

/// Numbers of scalar registers as the hardware encodes them: the scalar file
/// of a wave is one array of 128 and the named registers are places in it.
enum ScalarRegister : uint16_t {
  kFlatScratchLo = 102,
  kXnackMaskLo = 104,
  kVccLo = 106,
  kVccHi = 107,
  kTtmp0 = 108,
  kM0 = 124,
  kExecLo = 126,
  kExecHi = 127,
};

/// Accumulation registers follow the 256 architectural vector registers.
inline constexpr uint16_t kFirstAgpr = 256;

enum class OperandKind : uint8_t {
  None,
  Vgpr,     ///< index: 0..255 for v, 256..511 for a.
  Sgpr,     ///< index: place in Wave::sgpr, named registers included.
  Constant, ///< Inline constant or literal; also the aperture registers.
  Scc,
  Vccz,
  Execz,
  Off,   ///< `off` (or `null`) where an address register might stand.
  Field, ///< hwreg(…), sendmsg(…), vmcnt(…) …: see Instruction::imm16.
};

enum class SdwaSelect : uint8_t {
  Byte0,
  Byte1,
  Byte2,
  Byte3,
  Word0,
  Word1,
  Dword,
};

enum class SdwaUnused : uint8_t { Pad, Sext, Preserve };

struct Operand {
  OperandKind kind = OperandKind::None;
  /// Consecutive 32-bit registers named by the text; 1 for constants.
  uint8_t dwords = 1;
  uint16_t index = 0;
  /// VOP3 / SDWA / DPP source modifiers; abs is applied before neg.
  bool neg = false;
  bool abs = false;
  bool sext = false;
  SdwaSelect select = SdwaSelect::Dword;
  /// A constant written with a decimal point (1.0, 0.15915494…): its bits
  /// depend on the width at which the instruction reads it.
  bool isFloat = false;
  /// A 32-bit literal that follows the instruction.
  bool isLiteral = false;

  /// Views of a constant: as a 16-bit operand (half precision when isFloat),
  /// a 32-bit operand, a 64-bit integer (sign extended when inline, zero
  /// extended when literal), and a double (a literal is its high half).
  uint16_t bits16 = 0;
  uint32_t bits32 = 0;
  uint64_t bits64 = 0;
  uint64_t bitsF64 = 0;
  /// 64 copies of bits32, owned by the program; null unless Constant.
  const uint32_t *splat = nullptr;

  bool isVgpr() const { return kind == OperandKind::Vgpr; }
  bool isSgpr() const { return kind == OperandKind::Sgpr; }
  bool isConstant() const { return kind == OperandKind::Constant; }
  bool hasModifier() const {
    return neg | abs | sext | (select != SdwaSelect::Dword);
  }
};

enum class DppKind : uint8_t {
  None,
  QuadPerm, ///< amount: four 2-bit selectors, lane 0's lowest.
  RowShl,   ///< amount 1..15
  RowShr,   ///< amount 1..15
  RowRor,   ///< amount 1..15
  WaveShl,  ///< by one lane
  WaveRol,  ///< by one lane
  WaveShr,  ///< by one lane
  WaveRor,  ///< by one lane
  RowMirror,
  RowHalfMirror,
  RowBcast15,
  RowBcast31,
  RowNewbcast, ///< amount: lane of the row, 0..15
};

struct Dpp {
  DppKind kind = DppKind::None;
  uint8_t amount = 0;
  uint8_t rowMask = 0xF;
  uint8_t bankMask = 0xF;
  /// Out-of-range sources read 0 (`bound_ctrl:0` or `:1` in the text; both
  /// print the one hardware bit BOUND_CTRL = 1).
  bool boundCtrl = false;
  /// `fi`: of v_permlane16_swap and v_permlane32_swap, lanes that EXEC turns
  /// off are read too.
  bool fetchInactive = false;
};

enum class Encoding : uint8_t { Plain, E32, E64, Dpp, Sdwa };

struct Modifiers {
  bool clamp = false;
  /// Output modifier: 0 none, 1 multiply by 2, 2 multiply by 4, 3 divide by 2.
  uint8_t omod = 0;
  /// Bit n: n-th entry of the printed list. op_sel_hi that is not printed has
  /// its default: all ones for packed instructions (v_pk_*, v_dot*) and the
  /// scaled MFMA, zero for the others.
  uint8_t opSel = 0;
  uint8_t opSelHi = 0;
  uint8_t negLo = 0;
  uint8_t negHi = 0;
  /// Matrix instructions; in f8f6f4 forms cbsz and blgp are the formats of A
  /// and B.
  uint8_t cbsz = 0;
  uint8_t abid = 0;
  uint8_t blgp = 0;
  uint8_t negMfma = 0; ///< `neg:[a,b,c]` of the f64 matrix instructions.
  /// v_bitop3's truth table.
  uint8_t bitop3 = 0;

  SdwaSelect dstSelect = SdwaSelect::Dword;
  SdwaUnused dstUnused = SdwaUnused::Pad;

  /// Memory.
  int32_t offset = 0; ///< Bytes; DS pairs: offset0 in units of the element.
  int32_t offset1 = 0;
  bool sc0 = false; ///< Also glc; on atomics: returns the old value.
  bool sc1 = false;
  bool nt = false; ///< Also slc.
  bool lds = false;
  bool offen = false;
  bool idxen = false;
  bool gds = false;
};

struct Instruction {
  static constexpr unsigned kMaxOperands = 8;

  Handler handler = nullptr;
  /// Operands in printed order.
  Operand ops[kMaxOperands];
  Dpp dpp;
  Modifiers mods;
  Encoding encoding = Encoding::Plain;
  uint8_t numOps = 0;
  uint8_t bytes = 0; ///< Size of the encoding.
  /// A small number that a handler's selector may leave for the handler.
  uint8_t form = 0;
  /// Low 16 bits of the encoding's first dword: the immediate field of SOPK
  /// and SOPP and the offset field of DS.
  uint16_t imm16 = 0;
  /// The chip's 8-bit floats are the OCP kinds (gfx950), else the FNUZ ones.
  bool ocpFp8 = false;
  uint32_t index = 0;   ///< Place in the program's instruction array.
  uint64_t address = 0; ///< Device address of the instruction.
  /// Where a relative branch goes; null for others, and where it would leave
  /// the program.
  const Instruction *target = nullptr;
  /// Mnemonic without encoding suffix, and the full printed text; owned by
  /// the program.
  const char *mnemonic = "";
  const char *text = "";

  bool isDpp() const { return encoding == Encoding::Dpp; }
  bool isSdwa() const { return encoding == Encoding::Sdwa; }
};

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_INSTRUCTION_H
