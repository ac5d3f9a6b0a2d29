//===- Status.h - How failures travel to the C interface --------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_RUNTIME_STATUS_H
#define MLA_RUNTIME_STATUS_H

#include "mla/Runtime/mla_runtime.h"

#include <string>

namespace mla::runtime {

/// A status and, when it is not MLA_OK, the sentence that explains it.
struct [[nodiscard]] Status {
  mla_status code = MLA_OK;
  std::string sentence;

  bool failed() const { return code != MLA_OK; }
};

inline Status ok() { return {}; }

inline Status failure(mla_status code, std::string sentence) {
  return {code, std::move(sentence)};
}

} // namespace mla::runtime

/// Returns from the enclosing function, which returns a Status too, when the
/// expression failed.
#define MLA_RETURN_IF_FAILED(expression)                                       \
  do {                                                                         \
    if (::mla::runtime::Status mlaStatus = (expression); mlaStatus.failed())   \
      return mlaStatus;                                                        \
  } while (false)

#endif // MLA_RUNTIME_STATUS_H
