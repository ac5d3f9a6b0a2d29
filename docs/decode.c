/* Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
 * See LICENSE for details.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The example of runtime.md; compiled with the tests. */

#include "mla/Runtime/mla_runtime.h"

#include <stdio.h>

#define TRY(call)                                                              \
  if ((call) != MLA_OK) {                                                      \
    fprintf(stderr, "%s\n", mla_last_error());                                 \
    return 1;                                                                  \
  }

/* Two sequences, of 100 and 7 rows, in pages of one row. */
int decode(const mla_args *args, void *stream) {
  const int32_t qo_indptr[] = {0, 1, 2};
  const int32_t kv_indptr[] = {0, 100, 107};
  const int32_t kv_last_page_len[] = {1, 1};
  const mla_shape shape = {.batch = 2,
                           .total_q = 2,
                           .heads = 16,
                           .page_size = 1,
                           .qo_indptr = qo_indptr,
                           .kv_indptr = kv_indptr,
                           .kv_last_page_len = kv_last_page_len};
  mla_device *device;
  mla_bundle *bundle;
  mla_plan *plan;
  TRY(mla_device_open(/*hip_library=*/NULL, /*ordinal=*/0, &device));
  TRY(mla_bundle_load_file(device, "decode.mlab", &bundle));
  TRY(mla_plan_create(bundle, &shape, &plan)); /* Allocates and copies. */
  for (int layer = 0; layer < 61; ++layer)
    TRY(mla_plan_run(plan, &args[layer], stream)); /* Only launches. */
  TRY(mla_device_synchronize(device));
  mla_plan_destroy(plan);
  mla_bundle_unload(bundle);
  mla_device_close(device);
  return 0;
}
