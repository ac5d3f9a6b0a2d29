//===- HandlerTable.h - From mnemonics to semantics -------------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each file of instruction semantics contributes its rows through one
// function, declared below and called by the registry (Registry.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef MLA_LIB_SIMULATOR_HANDLERTABLE_H
#define MLA_LIB_SIMULATOR_HANDLERTABLE_H

#include "Instruction.h"

#include <cstddef>

namespace mla::sim {

/// Chooses a handler for one static instruction when it is decoded, so that
/// the common form runs without the checks of the rare ones. May set
/// Instruction::form. Null means: this form does not exist.
using Selector = Handler (*)(Instruction &);

/// What kind of work an instruction is; for the statistics.
enum class InstructionClass : uint8_t {
  Salu,
  Valu,
  Mfma,
  ScalarLoad,
  GlobalLoad,
  GlobalStore,
  GlobalAtomic,
  Lds,
  Branch,
  Barrier,
  Wait,
  Other,
};

class HandlerTable {
public:
  /// One row of a semantics file's table.
  struct Row {
    const char *mnemonic; ///< Without _e32, _e64, _dpp, _sdwa.
    Handler handler;
  };
  struct SelectorRow {
    const char *mnemonic;
    Selector selector;
  };

  HandlerTable();
  ~HandlerTable();
  HandlerTable(const HandlerTable &) = delete;
  HandlerTable &operator=(const HandlerTable &) = delete;

  /// A mnemonic may be added once; the second time is a programming error and
  /// ends the program with the name.
  void add(const char *mnemonic, Handler handler, InstructionClass kind);
  void addSelector(const char *mnemonic, Selector selector,
                   InstructionClass kind);

  template <size_t N>
  __attribute__((always_inline)) void add(const Row (&rows)[N],
                                          InstructionClass kind) {
    addRows(rows, N, kind);
  }
  template <size_t N>
  __attribute__((always_inline)) void add(const SelectorRow (&rows)[N],
                                          InstructionClass kind) {
    addSelectorRows(rows, N, kind);
  }

  struct Entry {
    Handler handler = nullptr;
    Selector selector = nullptr;
    InstructionClass kind = InstructionClass::Other;
  };
  /// The entry of that mnemonic, or null.
  const Entry *find(const char *mnemonic) const;

  /// All mnemonics, sorted; for the coverage report. Returns their number and
  /// sets `names` to an array that the table owns.
  size_t mnemonics(const char *const *&names) const;

private:
  void addRows(const Row *rows, size_t count, InstructionClass kind);
  void addSelectorRows(const SelectorRow *rows, size_t count,
                       InstructionClass kind);
  struct Storage;
  Storage *storage;
};

/// The table with everything that the simulator knows, for this host.
const HandlerTable &handlerTable();

} // namespace mla::sim

#endif // MLA_LIB_SIMULATOR_HANDLERTABLE_H
