//===- Errors.cpp - Failures as Python exceptions -------------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

namespace nb = nanobind;
using namespace mla::python;

void mla::python::check(mla_status status) {
  if (status != MLA_OK)
    throw Failure{status, mla_last_error()};
}

void mla::python::registerFailures() {
  nb::register_exception_translator(
      [](const std::exception_ptr &thrown, void *) {
        try {
          std::rethrow_exception(thrown);
        } catch (const Failure &failure) {
          nb::object error =
              nb::module_::import_("mla.errors")
                  .attr("of_status")(static_cast<int>(failure.status),
                                     failure.sentence.c_str());
          PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())),
                          error.ptr());
        }
      });
}
