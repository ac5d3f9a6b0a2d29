//===- HipLibrary.h - A HIP library opened at run time ----------*- C++ -*-===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MLA_RUNTIME_HIPLIBRARY_H
#define MLA_RUNTIME_HIPLIBRARY_H

#include "Status.h"

#include <hip/hip_runtime_api.h>

#include <string>

namespace mla::runtime {

/// The functions of a HIP library. Copies refer to the same library, which
/// stays open: HIP libraries own threads and do not survive being closed.
class HipLibrary {
public:
#define HIP_FUNCTION(member, symbol, ...)                                      \
  std::add_pointer_t<__VA_ARGS__> member = nullptr;
#include "HipFunctions.def"

  /// Opens `path`, or what the environment's MLA_HIP_LIBRARY names, or the
  /// first libamdhip64 that is found.
  static Status open(const char *path, HipLibrary &library);

  /// MLA_OK, or a failure with what HIP calls the error. `what` says what was
  /// being done: "cannot …".
  Status check(hipError_t error, const char *what) const;

  /// The chip of a device without feature flags, for instance "gfx942".
  Status chipOf(int ordinal, std::string &chip) const;

  const std::string &name() const { return openedName; }

  /// What the simulator says of its last error; "" for other libraries.
  std::string simulatorSentence() const;

private:
  // The properties are passed through untyped memory: see chipOf.
  using GetProperties = hipError_t(void *, int);
  GetProperties *getPropertiesR0600 = nullptr;
  GetProperties *getProperties = nullptr;
  // The simulator's own addition: the whole sentence of its last error.
  using LastError = const char *();
  LastError *simulatorError = nullptr;
  std::string openedName;
};

} // namespace mla::runtime

#endif // MLA_RUNTIME_HIPLIBRARY_H
