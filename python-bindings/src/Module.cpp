//===- Module.cpp - The module mla._native --------------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

NB_MODULE(_native, module) {
  module.doc() = "The C++ under the package mla, which is what to use.";
  mla::python::registerFailures();
  mla::python::bindRuntime(module);
  mla::python::bindSchedule(module);
}
