//===- Bindings.h - What the parts of the module share -------- -*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_PYTHON_BINDINGS_H
#define MLA_PYTHON_BINDINGS_H

#include "mla/Runtime/mla_runtime.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>

namespace mla::python {

/// A host array of numpy's or of whoever speaks DLPack.
using Int32Array = nanobind::ndarray<const int32_t, nanobind::ndim<1>,
                                     nanobind::c_contig, nanobind::device::cpu>;

/// A failure on its way to Python, where it becomes the class of mla.errors
/// that belongs to the status.
struct Failure {
  mla_status status;
  std::string sentence;
};

/// Throws the runtime's last sentence unless the status is MLA_OK.
void check(mla_status status);

void registerFailures();
void bindRuntime(nanobind::module_ &module);
void bindSchedule(nanobind::module_ &module);

} // namespace mla::python

#endif // MLA_PYTHON_BINDINGS_H
