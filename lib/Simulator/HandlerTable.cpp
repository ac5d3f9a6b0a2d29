//===- HandlerTable.cpp - From mnemonics to semantics ---------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandlerTable.h"

#include "Semantics.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>
#include <vector>

namespace mla::sim {

namespace generic {
void registerScalar(HandlerTable &table);
void registerMemory(HandlerTable &table);
void registerVector(HandlerTable &table);
} // namespace generic
namespace avx2 {
void registerScalar(HandlerTable &table);
void registerMemory(HandlerTable &table);
void registerVector(HandlerTable &table);
} // namespace avx2

struct HandlerTable::Storage {
  std::map<std::string_view, Entry> entries;
  std::vector<const char *> names;
};

HandlerTable::HandlerTable() : storage(new Storage) {}
HandlerTable::~HandlerTable() { delete storage; }

void HandlerTable::add(const char *mnemonic, Handler handler,
                       InstructionClass kind) {
  if (!storage->entries.emplace(mnemonic, Entry{handler, nullptr, kind})
           .second) {
    fprintf(stderr, "instruction '%s' is registered twice\n", mnemonic);
    abort();
  }
  storage->names.clear();
}

void HandlerTable::addSelector(const char *mnemonic, Selector selector,
                               InstructionClass kind) {
  add(mnemonic, nullptr, kind);
  storage->entries[mnemonic].selector = selector;
}

void HandlerTable::addRows(const Row *rows, size_t count,
                           InstructionClass kind) {
  for (size_t i = 0; i < count; ++i)
    add(rows[i].mnemonic, rows[i].handler, kind);
}

void HandlerTable::addSelectorRows(const SelectorRow *rows, size_t count,
                                   InstructionClass kind) {
  for (size_t i = 0; i < count; ++i)
    addSelector(rows[i].mnemonic, rows[i].selector, kind);
}

const HandlerTable::Entry *HandlerTable::find(const char *mnemonic) const {
  auto it = storage->entries.find(mnemonic);
  return it == storage->entries.end() ? nullptr : &it->second;
}

size_t HandlerTable::mnemonics(const char *const *&names) const {
  if (storage->names.empty())
    for (const auto &entry : storage->entries)
      storage->names.push_back(entry.first.data());
  names = storage->names.data();
  return storage->names.size();
}

const HandlerTable &handlerTable() {
  static const HandlerTable *table = [] {
    auto *made = new HandlerTable;
    const char *choice = getenv("MLA_SIM_HOST_ISA");
    bool allowed = !choice || std::string_view(choice) != "generic";
    if (allowed && __builtin_cpu_supports("x86-64-v3")) {
      avx2::registerScalar(*made);
      avx2::registerMemory(*made);
      avx2::registerVector(*made);
    } else {
      generic::registerScalar(*made);
      generic::registerMemory(*made);
      generic::registerVector(*made);
    }
    return made;
  }();
  return *table;
}

} // namespace mla::sim
