//===- InstructionCost.cpp - What an instruction costs, told once ---------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InstructionCost.h"

#include "MatrixPasses.h"
#include "mla/Targets/ChipRates.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

using namespace mla;
using namespace mla::sim;

namespace {

using CostMap = std::map<std::string, InstructionCost, std::less<>>;

struct Width {
  const char *suffix;
  uint8_t bytes;
};
constexpr Width kDwords[] = {
    {"dword", 4}, {"dwordx2", 8}, {"dwordx3", 12}, {"dwordx4", 16}};
constexpr Width kLoadParts[] = {
    {"ubyte", 1},        {"sbyte", 1},     {"ushort", 2},
    {"sshort", 2},       {"ubyte_d16", 1}, {"ubyte_d16_hi", 1},
    {"sbyte_d16", 1},    {"short_d16", 2}, {"sbyte_d16_hi", 1},
    {"short_d16_hi", 2},
};
constexpr Width kStoreParts[] = {
    {"byte", 1}, {"byte_d16_hi", 1}, {"short", 2}, {"short_d16_hi", 2}};
constexpr Width kAtomics[] = {
    {"swap", 4},    {"add", 4},     {"sub", 4},        {"smin", 4},
    {"smax", 4},    {"umin", 4},    {"umax", 4},       {"and", 4},
    {"or", 4},      {"xor", 4},     {"inc", 4},        {"dec", 4},
    {"cmpswap", 4}, {"add_f32", 4}, {"pk_add_f16", 4}, {"pk_add_bf16", 4},
    {"add_f64", 8}, {"min_f64", 8}, {"max_f64", 8},
};

struct Space {
  const char *prefix;
  MemorySpace space;
};
constexpr Space kSpaces[] = {{"global", MemorySpace::Global},
                             {"flat", MemorySpace::Flat},
                             {"scratch", MemorySpace::Scratch},
                             {"buffer", MemorySpace::Buffer}};

void addGlobal(CostMap &map, const Space &space) {
  std::string prefix = space.prefix;
  InstructionCost load{.use = MemoryUse::GlobalLoad,
                       .space = space.space,
                       .address = 1,
                       .scalar = 2};
  InstructionCost store{.use = MemoryUse::GlobalStore,
                        .space = space.space,
                        .address =
                            uint8_t(space.space == MemorySpace::Buffer ? 1 : 0),
                        .scalar = 2};
  auto add = [&](InstructionCost cost, const char *verb, const Width &width) {
    cost.bytes = width.bytes;
    map.emplace(prefix + verb + width.suffix, cost);
  };
  InstructionCost toLds = load, atomic = store;
  toLds.toLds = true;
  toLds.address = 0;
  toLds.scalar = 1;
  atomic.use = MemoryUse::GlobalAtomic;
  for (const Width &width : kDwords) {
    add(load, "_load_", width);
    add(store, "_store_", width);
    add(toLds, "_load_lds_", width);
  }
  for (const Width &width : kLoadParts) {
    add(load, "_load_", width);
    add(toLds, "_load_lds_", width);
  }
  for (const Width &width : kStoreParts)
    add(store, "_store_", width);
  for (Width width : kAtomics) {
    std::string wide = std::string(width.suffix) + "_x2";
    add(atomic, "_atomic_", width);
    add(atomic, "_atomic_", {wide.c_str(), 8});
  }
}

void addLds(CostMap &map) {
  struct Row {
    const char *mnemonic;
    MemoryUse use;
    uint8_t bytes;
    uint16_t pairUnit;
  };
  using enum MemoryUse;
  constexpr Row rows[] = {
      {"ds_read_b32", LdsRead, 4, 0},
      {"ds_read_b64", LdsRead, 8, 0},
      {"ds_read_b96", LdsRead, 12, 0},
      {"ds_read_b128", LdsRead, 16, 0},
      {"ds_read2_b32", LdsRead, 4, 4},
      {"ds_read2_b64", LdsRead, 8, 8},
      {"ds_read2st64_b32", LdsRead, 4, 256},
      {"ds_read2st64_b64", LdsRead, 8, 512},
      {"ds_read_u8", LdsRead, 1, 0},
      {"ds_read_i8", LdsRead, 1, 0},
      {"ds_read_u16", LdsRead, 2, 0},
      {"ds_read_i16", LdsRead, 2, 0},
      {"ds_read_u8_d16", LdsRead, 1, 0},
      {"ds_read_u8_d16_hi", LdsRead, 1, 0},
      {"ds_read_i8_d16", LdsRead, 1, 0},
      {"ds_read_i8_d16_hi", LdsRead, 1, 0},
      {"ds_read_u16_d16", LdsRead, 2, 0},
      {"ds_read_u16_d16_hi", LdsRead, 2, 0},
      // Transposing reads are assumed to go through the banks as others of
      // their width.
      {"ds_read_b64_tr_b4", LdsRead, 8, 0},
      {"ds_read_b64_tr_b8", LdsRead, 8, 0},
      {"ds_read_b64_tr_b16", LdsRead, 8, 0},
      {"ds_write_b32", LdsWrite, 4, 0},
      {"ds_write_b64", LdsWrite, 8, 0},
      {"ds_write_b96", LdsWrite, 12, 0},
      {"ds_write_b128", LdsWrite, 16, 0},
      {"ds_write2_b32", LdsWrite, 4, 4},
      {"ds_write2_b64", LdsWrite, 8, 8},
      {"ds_write2st64_b32", LdsWrite, 4, 256},
      {"ds_write2st64_b64", LdsWrite, 8, 512},
      {"ds_write_b8", LdsWrite, 1, 0},
      {"ds_write_b16", LdsWrite, 2, 0},
      {"ds_write_b8_d16_hi", LdsWrite, 1, 0},
      {"ds_write_b16_d16_hi", LdsWrite, 2, 0},
  };
  for (const Row &row : rows)
    map.emplace(row.mnemonic,
                InstructionCost{.use = row.use,
                                .bytes = row.bytes,
                                .address = uint8_t(row.use == LdsRead ? 1 : 0),
                                .pairUnit = row.pairUnit});
}

void addScalarLoads(CostMap &map) {
  constexpr Width widths[] = {{"dword", 4},
                              {"dwordx2", 8},
                              {"dwordx4", 16},
                              {"dwordx8", 32},
                              {"dwordx16", 64}};
  for (const char *prefix : {"s_load_", "s_buffer_load_"})
    for (const Width &width : widths)
      map.emplace(
          std::string(prefix) + width.suffix,
          InstructionCost{.use = MemoryUse::ScalarLoad, .bytes = width.bytes});
}

const CostMap &memoryCosts() {
  static const CostMap map = [] {
    CostMap costs;
    for (const Space &space : kSpaces)
      addGlobal(costs, space);
    addLds(costs);
    addScalarLoads(costs);
    for (const char *mnemonic : {"buffer_wbl2", "buffer_inv"})
      costs.emplace(mnemonic, InstructionCost{.use = MemoryUse::CacheControl});
    return costs;
  }();
  return map;
}

/// Vector instructions of the quarter-rate unit; LLVM 22's SISchedule.td and
/// VOP1Instructions.td say which. Sorted.
constexpr std::string_view kQuarterRate[] = {
    "v_cos_f16",        "v_cos_f32",        "v_cvt_f16_f32",
    "v_cvt_f32_bf8",    "v_cvt_f32_f16",    "v_cvt_f32_fp8",
    "v_cvt_f32_i32",    "v_cvt_f32_u32",    "v_cvt_f32_ubyte0",
    "v_cvt_f32_ubyte1", "v_cvt_f32_ubyte2", "v_cvt_f32_ubyte3",
    "v_cvt_i32_f32",    "v_cvt_pk_bf8_f32", "v_cvt_pk_f32_bf8",
    "v_cvt_pk_f32_fp8", "v_cvt_pk_fp8_f32", "v_cvt_sr_bf8_f32",
    "v_cvt_sr_fp8_f32", "v_cvt_u32_f32",    "v_exp_f16",
    "v_exp_f32",        "v_exp_legacy_f32", "v_log_f16",
    "v_log_f32",        "v_log_legacy_f32", "v_rcp_f16",
    "v_rcp_f32",        "v_rcp_f64",        "v_rcp_iflag_f32",
    "v_rsq_f16",        "v_rsq_f32",        "v_rsq_f64",
    "v_sin_f16",        "v_sin_f32",        "v_sqrt_f16",
    "v_sqrt_f32",       "v_sqrt_f64",
};
static_assert(std::is_sorted(std::begin(kQuarterRate), std::end(kQuarterRate)));

} // namespace

InstructionCost sim::instructionCost(const Instruction &inst,
                                     InstructionClass kind,
                                     const targets::Chip &chip) {
  InstructionCost cost;
  std::string_view mnemonic = inst.mnemonic;
  const CostMap &memory = memoryCosts();
  if (auto found = memory.find(mnemonic); found != memory.end())
    cost = found->second;
  if (cost.space == MemorySpace::Buffer && inst.mods.lds) {
    cost.toLds = true;
    cost.address = 0;
    cost.scalar = 1;
  }
  if (cost.use == MemoryUse::GlobalAtomic &&
      cost.space != MemorySpace::Buffer && inst.mods.sc0) {
    // The old value, which comes first, is returned.
    cost.address = 1;
    cost.scalar = 3;
  }
  if (kind == InstructionClass::Lds && cost.use == MemoryUse::None)
    cost.use = MemoryUse::LdsExchange;
  if (kind == InstructionClass::Valu) {
    cost.valuCycles = std::binary_search(std::begin(kQuarterRate),
                                         std::end(kQuarterRate), mnemonic)
                          ? targets::kQuarterRateCycles
                          : targets::kValuCycles;
    cost.issueCycles = cost.valuCycles;
  } else if (kind == InstructionClass::Mfma) {
    cost.matrixCycles = uint16_t(targets::kPassCycles *
                                 matrixPasses(inst, chip.name == "gfx950"));
  } else if (mnemonic == "s_nop") {
    cost.issueCycles = uint16_t(targets::kIssueCycles * (inst.imm16 % 16 + 1));
  }
  return cost;
}
