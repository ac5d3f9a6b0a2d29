/*===- SharedLibraryTest.c - The shared runtime, used from C
 * ------------------===
 *
 * Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
 * See LICENSE for details.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 *===----------------------------------------------------------------------===*/

#include "mla/Runtime/mla_runtime.h"

#include <stdio.h>
#include <string.h>

#define EXPECT(condition)                                                      \
  do {                                                                         \
    if (!(condition)) {                                                        \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);  \
      return 1;                                                                \
    }                                                                          \
  } while (0)

/* The runtime must run where there is no LLVM. */
static int isLoaded(const char *part) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  while (maps && fgets(line, sizeof(line), maps))
    found |= strstr(line, part) != NULL;
  if (maps)
    fclose(maps);
  return found;
}

int main(void) {
  EXPECT(mla_runtime_version() == MLA_RUNTIME_VERSION);
  EXPECT(strcmp(mla_last_error(), "") == 0);
  mla_device *device = NULL;
  EXPECT(mla_device_open("libm.so.6", 0, &device) == MLA_ERROR_HIP_LIBRARY);
  EXPECT(strstr(mla_last_error(), "libm.so.6") != NULL);
  EXPECT(device == NULL);

  mla_bundle *bundle = NULL;
  EXPECT(mla_bundle_load_memory(NULL, "not a bundle", 12, &bundle) ==
         MLA_ERROR_BUNDLE);
  mla_shape shape = {0};
  mla_plan *plan = NULL;
  EXPECT(mla_plan_create(bundle, &shape, &plan) == MLA_ERROR_INVALID_ARGUMENT);
  mla_args args = {0};
  EXPECT(mla_plan_run(plan, &args, NULL) == MLA_ERROR_INVALID_ARGUMENT);

  EXPECT(isLoaded("libmla_runtime"));
  EXPECT(!isLoaded("libLLVM"));
  EXPECT(!isLoaded("libMLIR"));
  return 0;
}
