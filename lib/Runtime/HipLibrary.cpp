//===- HipLibrary.cpp - A HIP library opened at run time ------------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HipLibrary.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <type_traits>
#include <vector>

using namespace mla::runtime;

// The headers must agree with the table; unevaluated, so nothing is linked.
#define HIP_FUNCTION(member, symbol, ...)                                      \
  static_assert(sizeof(static_cast<std::add_pointer_t<__VA_ARGS__>>(           \
                    &symbol)) == sizeof(void *));
#include "HipFunctions.def"

/// Debian and ROCm 5 install .so.5, ROCm 6 .so.6, ROCm 7 .so.7; the name
/// without a number belongs to the development packages.
static constexpr const char *kDefaultNames[] = {
    "libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
    "libamdhip64.so"};

// ROCm 6 changed hipDeviceProp_t and gave the new layout's function the name
// hipGetDevicePropertiesR0600, to which its headers map hipGetDeviceProperties;
// the symbol without suffix keeps the old layout. Debian's headers are of ROCm
// 5.2, so both offsets are kept here. (The chip's name is not to be had from
// hipDeviceGetAttribute: ROCm 6 withdrew hipDeviceAttributeGcnArchName.)
static constexpr size_t kChipNameOffsetR0600 = 1160;
static constexpr size_t kChipNameOffsetR0000 = 396;
static constexpr size_t kChipNameBytes = 256;
static_assert(offsetof(hipDeviceProp_t, gcnArchName) ==
              (HIP_VERSION_MAJOR < 6 ? kChipNameOffsetR0000
                                     : kChipNameOffsetR0600));
/// Room for either layout and for what later versions may append.
static constexpr size_t kPropertiesBytes = 8192;

static void *openFirst(const char *path, std::string &openedName,
                       std::string &reason) {
  std::vector<const char *> names;
  if (!path || !*path)
    path = std::getenv("MLA_HIP_LIBRARY");
  if (path && *path)
    names = {path};
  else
    names.assign(std::begin(kDefaultNames), std::end(kDefaultNames));
  for (const char *name : names) {
    if (void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
      openedName = name;
      return handle;
    }
    const char *error = dlerror();
    std::string why = error ? error : "unknown reason";
    // A version that is there but does not load says more than the others'
    // absence.
    if (names.size() == 1 || why.find("No such file") == std::string::npos)
      reason = std::move(why);
  }
  if (reason.empty())
    reason = "none of libamdhip64.so.7, .so.6, .so.5 and .so is on the "
             "loader's path; install ROCm's HIP runtime (Debian: "
             "libamdhip64-5) or set MLA_HIP_LIBRARY";
  return nullptr;
}

Status HipLibrary::open(const char *path, HipLibrary &library) {
  std::string reason;
  HipLibrary opened;
  void *handle = openFirst(path, opened.openedName, reason);
  if (!handle)
    return failure(MLA_ERROR_HIP_LIBRARY,
                   "cannot open the HIP library: " + reason);

  const char *missing = nullptr;
#define HIP_FUNCTION(member, symbol, ...)                                      \
  opened.member =                                                              \
      reinterpret_cast<decltype(opened.member)>(dlsym(handle, #symbol));       \
  if (!opened.member && !missing)                                              \
    missing = #symbol;
#include "HipFunctions.def"
  opened.getPropertiesR0600 = reinterpret_cast<GetProperties *>(
      dlsym(handle, "hipGetDevicePropertiesR0600"));
  opened.getProperties = reinterpret_cast<GetProperties *>(
      dlsym(handle, "hipGetDeviceProperties"));
  if (!opened.getPropertiesR0600 && !opened.getProperties && !missing)
    missing = "hipGetDeviceProperties";
  opened.simulatorError =
      reinterpret_cast<LastError *>(dlsym(handle, "mla_sim_last_error"));
  if (missing) {
    std::string sentence = opened.openedName +
                           " is no HIP library of use: it has no function " +
                           missing;
    dlclose(handle);
    return failure(MLA_ERROR_HIP_LIBRARY, std::move(sentence));
  }
  library = std::move(opened);
  return ok();
}

Status HipLibrary::check(hipError_t error, const char *what) const {
  if (error == hipSuccess)
    return ok();
  std::string sentence = std::string(what) + ": ";
  if (std::string detail = simulatorSentence(); !detail.empty()) {
    sentence += detail;
  } else {
    const char *text = getErrorString(error);
    sentence += text ? text : "HIP error";
  }
  sentence += " (HIP error " + std::to_string(static_cast<int>(error)) + ")";
  return failure(error == hipErrorOutOfMemory ? MLA_ERROR_OUT_OF_MEMORY
                                              : MLA_ERROR_HIP,
                 std::move(sentence));
}

std::string HipLibrary::simulatorSentence() const {
  const char *sentence = simulatorError ? simulatorError() : nullptr;
  return sentence ? sentence : "";
}

Status HipLibrary::chipOf(int ordinal, std::string &chip) const {
  alignas(16) char properties[kPropertiesBytes] = {};
  bool newer = getPropertiesR0600 != nullptr;
  MLA_RETURN_IF_FAILED(
      check((newer ? getPropertiesR0600 : getProperties)(properties, ordinal),
            "cannot read the device's properties"));
  const char *name =
      properties + (newer ? kChipNameOffsetR0600 : kChipNameOffsetR0000);
  std::string full(name, strnlen(name, kChipNameBytes));
  if (full.rfind("gfx", 0) != 0)
    return failure(MLA_ERROR_HIP,
                   "cannot read the device's properties: the chip's name, a "
                   "word such as gfx950, is not where " +
                       openedName + " is expected to put it");
  // Feature flags follow, as in gfx942:sramecc+:xnack-.
  chip = full.substr(0, full.find(':'));
  return ok();
}
