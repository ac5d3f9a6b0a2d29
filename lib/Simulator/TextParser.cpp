//===- TextParser.cpp - From printed to internal instructions -------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TextParser.h"

#include "Apertures.h"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <vector>

namespace mla::sim {
namespace {

using View = std::string_view;

View trim(View text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t'))
    text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t'))
    text.remove_suffix(1);
  return text;
}

bool consumeFront(View &text, View prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

bool consumeBack(View &text, View suffix) {
  if (!text.ends_with(suffix))
    return false;
  text.remove_suffix(suffix.size());
  return true;
}

/// Splits at `separator`s that stand outside brackets and quotes.
std::vector<View> split(View text, char separator) {
  std::vector<View> parts;
  int depth = 0;
  bool quoted = false;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : separator;
    if (c == '"')
      quoted = !quoted;
    else if (c == '[' || c == '(')
      ++depth;
    else if (c == ']' || c == ')')
      --depth;
    if (i < text.size() && (c != separator || depth || quoted))
      continue;
    if (View part = trim(text.substr(begin, i - begin)); !part.empty())
      parts.push_back(part);
    begin = i + 1;
  }
  return parts;
}

std::optional<int64_t> parseInteger(View text) {
  bool negative = consumeFront(text, "-");
  int base = consumeFront(text, "0x") ? 16 : 10;
  uint64_t value = 0;
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return negative ? -int64_t(value) : int64_t(value);
}

struct NamedRegister {
  View name;
  uint16_t index;
  uint8_t dwords;
};
constexpr NamedRegister kNamedRegisters[] = {
    {"vcc", kVccLo, 2},
    {"vcc_lo", kVccLo, 1},
    {"vcc_hi", kVccHi, 1},
    {"exec", kExecLo, 2},
    {"exec_lo", kExecLo, 1},
    {"exec_hi", kExecHi, 1},
    {"m0", kM0, 1},
    {"flat_scratch", kFlatScratchLo, 2},
    {"flat_scratch_lo", kFlatScratchLo, 1},
    {"flat_scratch_hi", kFlatScratchLo + 1, 1},
    {"xnack_mask", kXnackMaskLo, 2},
    {"xnack_mask_lo", kXnackMaskLo, 1},
    {"xnack_mask_hi", kXnackMaskLo + 1, 1},
};

struct NamedOperand {
  View name;
  OperandKind kind;
};
constexpr NamedOperand kNamedOperands[] = {
    {"off", OperandKind::Off},         {"null", OperandKind::Off},
    {"src_scc", OperandKind::Scc},     {"scc", OperandKind::Scc},
    {"src_vccz", OperandKind::Vccz},   {"vccz", OperandKind::Vccz},
    {"src_execz", OperandKind::Execz}, {"execz", OperandKind::Execz},
};

struct NamedAperture {
  View name;
  uint64_t value;
};
constexpr NamedAperture kNamedApertures[] = {
    {"src_shared_base", kSharedBase},
    {"src_shared_limit", kSharedBase | 0xFFFFFFFF},
    {"src_private_base", kPrivateBase},
    {"src_private_limit", kPrivateBase | 0xFFFFFFFF},
    {"src_pops_exiting_wave_id", 0},
};

struct RegisterFile {
  View prefix;
  OperandKind kind;
  uint16_t first;
  uint16_t count;
};
/// Longest prefixes first: "ttmp3" begins with no other.
constexpr RegisterFile kRegisterFiles[] = {
    {"ttmp", OperandKind::Sgpr, kTtmp0, 16},
    {"v", OperandKind::Vgpr, 0, 256},
    {"a", OperandKind::Vgpr, kFirstAgpr, 256},
    {"s", OperandKind::Sgpr, 0, 102},
};

/// v7, v[4:7], a0, s[2:3], ttmp[0:1].
bool parseNumberedRegister(View text, Operand &op) {
  for (const RegisterFile &file : kRegisterFiles) {
    View rest = text;
    if (!consumeFront(rest, file.prefix) || rest.empty())
      continue;
    std::optional<int64_t> first, last;
    if (rest.front() == '[' && rest.back() == ']') {
      rest = rest.substr(1, rest.size() - 2);
      size_t colon = rest.find(':');
      first = parseInteger(rest.substr(0, colon));
      last = colon == View::npos ? first : parseInteger(rest.substr(colon + 1));
    } else {
      first = last = parseInteger(rest);
    }
    if (!first || !last || *first < 0 || *last < *first ||
        *last >= file.count || *last - *first >= 32)
      continue;
    op.kind = file.kind;
    op.index = uint16_t(file.first + *first);
    op.dwords = uint8_t(*last - *first + 1);
    return true;
  }
  return false;
}

uint16_t halfBits(double value) {
  _Float16 half = _Float16(value);
  uint16_t bits;
  memcpy(&bits, &half, 2);
  return bits;
}

/// 1.0, -0.5, 0.15915494: the value that the inline constant has at each
/// width. 1/(2π) is rounded to every width by itself (CDNA3 ISA, table of
/// scalar operands: 0x3118, 0x3E22F983, 0x3FC45F306DC9C882).
bool parseFloatConstant(View text, const TextOwner &owner, Operand &op) {
  std::string copy(text);
  char *end = nullptr;
  double value = strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || text.find('.') == View::npos)
    return false;
  op.kind = OperandKind::Constant;
  op.isFloat = true;
  if (copy.starts_with("0.15915494")) {
    op.bits16 = 0x3118;
    op.bits32 = 0x3E22F983;
    op.bitsF64 = 0x3FC45F306DC9C882;
  } else {
    float single = float(value);
    op.bits16 = halfBits(value);
    memcpy(&op.bits32, &single, 4);
    memcpy(&op.bitsF64, &value, 8);
  }
  op.bits64 = op.bitsF64;
  op.splat = owner.splat(op.bits32);
  return true;
}

bool parseIntegerConstant(View text, const TextOwner &owner, Operand &op) {
  bool literal = false;
  if ((consumeFront(text, "lit(") || consumeFront(text, "lit64(")) &&
      consumeBack(text, ")"))
    literal = true;
  std::optional<int64_t> value = parseInteger(text);
  if (!value)
    return false;
  op.kind = OperandKind::Constant;
  op.isLiteral = literal || text.starts_with("0x");
  op.bits16 = uint16_t(*value);
  op.bits32 = uint32_t(*value);
  op.bits64 = uint64_t(*value);
  op.bitsF64 = op.isLiteral ? uint64_t(*value) << 32 : uint64_t(*value);
  op.splat = owner.splat(op.bits32);
  return true;
}

/// Immediate fields with names; their value is in the encoding's imm16.
constexpr View kFields[] = {"hwreg(",  "sendmsg(", "gpr_idx(",    "vmcnt(",
                            "expcnt(", "lgkmcnt(", "sendmsg_rtn("};

bool parseOperand(View text, const TextOwner &owner, Operand &op) {
  if (parseNumberedRegister(text, op))
    return true;
  for (const NamedRegister &reg : kNamedRegisters)
    if (text == reg.name) {
      op.kind = OperandKind::Sgpr;
      op.index = reg.index;
      op.dwords = reg.dwords;
      return true;
    }
  for (const NamedOperand &named : kNamedOperands)
    if (text == named.name) {
      op.kind = named.kind;
      return true;
    }
  for (const NamedAperture &aperture : kNamedApertures)
    if (text == aperture.name) {
      op.kind = OperandKind::Constant;
      // A 32-bit read gives the high half, the one that differs
      // (AMDGPUUsage, "Address spaces": the aperture is the high 32 bits).
      op.bits32 = uint32_t(aperture.value >> 32);
      op.bits64 = op.bitsF64 = aperture.value;
      op.splat = owner.splat(op.bits32);
      return true;
    }
  if (parseIntegerConstant(text, owner, op) ||
      parseFloatConstant(text, owner, op))
    return true;
  for (View field : kFields)
    if (text.starts_with(field)) {
      op.kind = OperandKind::Field;
      return true;
    }

  // Source modifiers.
  View rest = text;
  if (consumeFront(rest, "-") ||
      (consumeFront(rest, "neg(") && consumeBack(rest, ")"))) {
    op.neg = true;
    return parseOperand(rest, owner, op);
  }
  if (consumeFront(rest, "|") && consumeBack(rest, "|")) {
    op.abs = true;
    return parseOperand(rest, owner, op);
  }
  if (consumeFront(rest, "abs(") && consumeBack(rest, ")")) {
    op.abs = true;
    return parseOperand(rest, owner, op);
  }
  if (consumeFront(rest, "sext(") && consumeBack(rest, ")")) {
    op.sext = true;
    return parseOperand(rest, owner, op);
  }
  return false;
}

/// [1,0,1] to a mask with the first entry in bit 0.
std::optional<uint8_t> parseBitList(View text) {
  if (!consumeFront(text, "[") || !consumeBack(text, "]"))
    return std::nullopt;
  uint8_t mask = 0;
  std::vector<View> entries = split(text, ',');
  for (size_t i = 0; i < entries.size(); ++i) {
    if (entries[i] == "1")
      mask |= uint8_t(1 << i);
    else if (entries[i] != "0")
      return std::nullopt;
  }
  return mask;
}

std::optional<SdwaSelect> parseSelect(View text) {
  constexpr View names[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3",
                            "WORD_0", "WORD_1", "DWORD"};
  for (size_t i = 0; i < std::size(names); ++i)
    if (text == names[i])
      return SdwaSelect(i);
  return std::nullopt;
}

struct Flag {
  View name;
  bool Modifiers::*member;
};
constexpr Flag kFlags[] = {
    {"clamp", &Modifiers::clamp}, {"lds", &Modifiers::lds},
    {"offen", &Modifiers::offen}, {"idxen", &Modifiers::idxen},
    {"sc0", &Modifiers::sc0},     {"glc", &Modifiers::sc0},
    {"sc1", &Modifiers::sc1},     {"nt", &Modifiers::nt},
    {"slc", &Modifiers::nt},      {"gds", &Modifiers::gds},
};

struct BitList {
  View name;
  uint8_t Modifiers::*member;
};
constexpr BitList kBitLists[] = {
    {"op_sel", &Modifiers::opSel}, {"op_sel_hi", &Modifiers::opSelHi},
    {"neg_lo", &Modifiers::negLo}, {"neg_hi", &Modifiers::negHi},
    {"neg", &Modifiers::negMfma},
};

struct SmallNumber {
  View name;
  uint8_t Modifiers::*member;
};
constexpr SmallNumber kSmallNumbers[] = {
    {"cbsz", &Modifiers::cbsz},
    {"abid", &Modifiers::abid},
    {"blgp", &Modifiers::blgp},
    {"bitop3", &Modifiers::bitop3},
};

struct DppName {
  View name;
  DppKind kind;
};
constexpr DppName kDppNames[] = {
    {"row_shl", DppKind::RowShl},   {"row_shr", DppKind::RowShr},
    {"row_ror", DppKind::RowRor},   {"wave_shl", DppKind::WaveShl},
    {"wave_rol", DppKind::WaveRol}, {"wave_shr", DppKind::WaveShr},
    {"wave_ror", DppKind::WaveRor}, {"row_newbcast", DppKind::RowNewbcast},
};

class ModifierParser {
public:
  ModifierParser(Instruction &inst) : inst(inst) {}

  bool parse(View token) {
    for (const Flag &flag : kFlags)
      if (token == flag.name) {
        inst.mods.*flag.member = true;
        return true;
      }
    if (token == "row_mirror" || token == "row_half_mirror") {
      inst.dpp.kind =
          token == "row_mirror" ? DppKind::RowMirror : DppKind::RowHalfMirror;
      return true;
    }
    size_t colon = token.find(':');
    if (colon == View::npos)
      return false;
    return parsePair(token.substr(0, colon), token.substr(colon + 1));
  }

private:
  bool parsePair(View key, View value) {
    for (const BitList &list : kBitLists)
      if (key == list.name) {
        std::optional<uint8_t> mask = parseBitList(value);
        if (mask)
          inst.mods.*list.member = *mask;
        return mask.has_value();
      }
    if (key == "offset" && value.starts_with("swizzle("))
      return true; // ds_swizzle_b32 reads imm16.
    if (key == "quad_perm")
      return parseQuadPerm(value);
    if (key == "dst_unused")
      return parseUnused(value);
    if (key.ends_with("_sel"))
      return parseSdwaSelect(key, value);

    std::optional<int64_t> number = parseInteger(value);
    if (!number)
      return false;
    for (const SmallNumber &small : kSmallNumbers)
      if (key == small.name) {
        inst.mods.*small.member = uint8_t(*number);
        return true;
      }
    for (const DppName &dpp : kDppNames)
      if (key == dpp.name) {
        inst.dpp.kind = dpp.kind;
        inst.dpp.amount = uint8_t(*number);
        return true;
      }
    if (key == "offset" || key == "offset0")
      inst.mods.offset = int32_t(*number);
    else if (key == "offset1")
      inst.mods.offset1 = int32_t(*number);
    else if (key == "row_bcast")
      inst.dpp.kind = *number == 15 ? DppKind::RowBcast15 : DppKind::RowBcast31;
    else if (key == "row_mask")
      inst.dpp.rowMask = uint8_t(*number);
    else if (key == "bank_mask")
      inst.dpp.bankMask = uint8_t(*number);
    else if (key == "bound_ctrl")
      inst.dpp.boundCtrl = true;
    else if (key == "fi")
      inst.dpp.fetchInactive = *number != 0;
    else if (key == "mul")
      inst.mods.omod = *number == 2 ? 1 : 2;
    else if (key == "div")
      inst.mods.omod = 3;
    else
      return false;
    return true;
  }

  bool parseQuadPerm(View value) {
    if (!consumeFront(value, "[") || !consumeBack(value, "]"))
      return false;
    std::vector<View> entries = split(value, ',');
    if (entries.size() != 4)
      return false;
    inst.dpp.kind = DppKind::QuadPerm;
    for (int i = 0; i < 4; ++i) {
      std::optional<int64_t> lane = parseInteger(entries[i]);
      if (!lane || *lane < 0 || *lane > 3)
        return false;
      inst.dpp.amount |= uint8_t(*lane << (2 * i));
    }
    return true;
  }

  bool parseUnused(View value) {
    constexpr View names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    for (size_t i = 0; i < std::size(names); ++i)
      if (value == names[i]) {
        inst.mods.dstUnused = SdwaUnused(i);
        return true;
      }
    return false;
  }

  bool parseSdwaSelect(View key, View value) {
    std::optional<SdwaSelect> select = parseSelect(value);
    if (!select)
      return false;
    // The carry instructions have a second destination before the sources.
    unsigned source0 =
        strstr(inst.mnemonic, "_co_u32") || strstr(inst.mnemonic, "_co_ci_u32")
            ? 2
            : 1;
    if (key == "dst_sel")
      inst.mods.dstSelect = *select;
    else if (key == "src0_sel")
      inst.ops[source0].select = *select;
    else if (key == "src1_sel")
      inst.ops[source0 + 1].select = *select;
    else
      return false;
    return true;
  }

  Instruction &inst;
};

/// Takes the encoding's suffix off a mnemonic.
Encoding stripSuffix(View &mnemonic) {
  struct Suffix {
    View text;
    Encoding encoding;
  };
  constexpr Suffix suffixes[] = {{"_e32", Encoding::E32},
                                 {"_e64", Encoding::E64},
                                 {"_dpp", Encoding::Dpp},
                                 {"_sdwa", Encoding::Sdwa}};
  for (const Suffix &suffix : suffixes)
    if (mnemonic.starts_with("v_") && consumeBack(mnemonic, suffix.text))
      return suffix.encoding;
  return Encoding::Plain;
}

/// LLVM prints op_sel_hi only where it differs from the default, which is all
/// ones for packed instructions and the scaled matrix instructions.
bool opSelHiDefaultsToOnes(View mnemonic) {
  return mnemonic.starts_with("v_pk_") || mnemonic.starts_with("v_dot") ||
         mnemonic.starts_with("v_mfma_scale_");
}

} // namespace

std::string parseInstructionText(View text, uint16_t imm16,
                                 const TextOwner &owner, Instruction &inst) {
  text = trim(text);
  inst.text = owner.intern(text);
  inst.imm16 = imm16;
  size_t space = text.find_first_of(" \t");
  View mnemonic = text.substr(0, space);
  inst.encoding = stripSuffix(mnemonic);
  inst.mnemonic = owner.intern(mnemonic);
  if (opSelHiDefaultsToOnes(mnemonic))
    inst.mods.opSelHi = 0x7;
  if (space == View::npos)
    return {};

  ModifierParser modifiers(inst);
  for (View piece : split(text.substr(space), ',')) {
    bool first = true;
    for (View token : split(piece, ' ')) {
      bool mayBeOperand = first;
      first = false;
      if (modifiers.parse(token))
        continue;
      // s_waitcnt lists its fields with blanks between.
      bool field = token.find('(') != View::npos && token.back() == ')';
      if (!mayBeOperand && !field)
        return "the modifier '" + std::string(token) + "' is not known";
      if (inst.numOps == Instruction::kMaxOperands)
        return "the instruction has more than " +
               std::to_string(Instruction::kMaxOperands) + " operands";
      if (token.front() == '"') {
        inst.ops[inst.numOps++].kind = OperandKind::Field;
        continue;
      }
      if (!parseOperand(token, owner, inst.ops[inst.numOps]))
        return "the operand '" + std::string(token) + "' is not known";
      ++inst.numOps;
    }
  }
  return {};
}

} // namespace mla::sim
