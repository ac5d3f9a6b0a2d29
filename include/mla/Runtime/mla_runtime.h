/*===- mla_runtime.h - The runtime's C interface ------------------*- C -*-===*\
|*
|* Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
|* See LICENSE for details.
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
|*
|*===----------------------------------------------------------------------===*|
|*
|* Loads bundles that mla-compile made and runs MLA decode with them:
|*
|*   mla_device_open  → mla_bundle_load_file → mla_plan_create → mla_plan_run …
|*
|* The HIP library is opened when a device is, never linked. A plan belongs to
|* one set of lengths; making it allocates and copies all that it needs, running
|* it only launches kernels.
|*
|* Errors. Functions that can fail return a status. The sentence that belongs to
|* it says what was given and what is allowed; mla_last_error() returns it on
|* the thread that made the failing call. A failed function leaves its output
|* parameter as it was.
|*
|* Ownership. What a create, load or open function returns is the caller's, to
|* be given to the matching destroy, unload or close function, in reverse order:
|* plans before their bundle, bundles before their device. Strings that are
|* returned live as long as the object they were asked of. Arrays that are
|* passed in are read during the call only.
|*
|* Threads. Different objects may be used from different threads at once. Calls
|* for one object must not overlap, with one exception: see mla_plan_run.
|*
\*===----------------------------------------------------------------------===*/

#ifndef MLA_RUNTIME_MLA_RUNTIME_H
#define MLA_RUNTIME_MLA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define MLA_API
#else
#define MLA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Names are C's here. NOLINTBEGIN(readability-identifier-naming) */

/* Changes whenever a declaration below changes its meaning. */
#define MLA_RUNTIME_VERSION 1
MLA_API int mla_runtime_version(void);

typedef enum mla_status {
  MLA_OK = 0,
  /* An argument is null, misaligned or out of its range. */
  MLA_ERROR_INVALID_ARGUMENT = 1,
  /* The HIP library cannot be opened, or lacks a function. */
  MLA_ERROR_HIP_LIBRARY = 2,
  /* The HIP library finds no such device. */
  MLA_ERROR_NO_DEVICE = 3,
  /* The bundle cannot be read, is damaged, or of another version. */
  MLA_ERROR_BUNDLE = 4,
  /* The bundle was built for another chip than the device's. */
  MLA_ERROR_CHIP = 5,
  /* The lengths or page ids contradict each other or the bundle. */
  MLA_ERROR_SHAPE = 6,
  /* The device or the host has too little memory. */
  MLA_ERROR_OUT_OF_MEMORY = 7,
  /* A HIP function failed. */
  MLA_ERROR_HIP = 8
} mla_status;

/* The sentence of the last failure on this thread; "" before the first. Valid
 * until the next call into the runtime on this thread. */
MLA_API const char *mla_last_error(void);

/*===-- Devices -----------------------------------------------------------===*/

/* A HIP library and one of its devices. */
typedef struct mla_device mla_device;

/* Opens a device by its ordinal. `hip_library` names the HIP library, as
 * dlopen takes it; null means the environment's MLA_HIP_LIBRARY and, without
 * that, libamdhip64 in the versions known. The library stays open until the
 * process ends. */
MLA_API mla_status mla_device_open(const char *hip_library, int ordinal,
                                   mla_device **device);
MLA_API void mla_device_close(mla_device *device);

/* The chip, for instance "gfx950", without feature flags. */
MLA_API const char *mla_device_chip(const mla_device *device);
MLA_API int32_t mla_device_compute_units(const mla_device *device);
/* The name that the HIP library was opened by. */
MLA_API const char *mla_device_library(const mla_device *device);

/* Memory of the device, for tools and tests: programs with allocations of their
 * own have no need of these. Copies are complete when the function returns. */
MLA_API mla_status mla_device_allocate(mla_device *device, size_t bytes,
                                       void **memory);
MLA_API mla_status mla_device_free(mla_device *device, void *memory);
MLA_API mla_status mla_device_write(mla_device *device, void *destination,
                                    const void *host_source, size_t bytes);
MLA_API mla_status mla_device_read(mla_device *device, void *host_destination,
                                   const void *source, size_t bytes);
/* Waits for everything launched on the device, and reports its failures. */
MLA_API mla_status mla_device_synchronize(mla_device *device);

/*===-- Bundles -----------------------------------------------------------===*/

/* Kernels for one problem on one chip, with schedule tables for some shapes. */
typedef struct mla_bundle mla_bundle;

/* Reads and checks a bundle and loads its code. With a null device it is only
 * read and checked: it can be asked questions, but no plan can be made. */
MLA_API mla_status mla_bundle_load_file(mla_device *device, const char *path,
                                        mla_bundle **bundle);
/* The same from memory, which is copied where it must outlive the call. */
MLA_API mla_status mla_bundle_load_memory(mla_device *device, const void *bytes,
                                          size_t size, mla_bundle **bundle);
MLA_API void mla_bundle_unload(mla_bundle *bundle);

typedef struct mla_problem {
  const char *producer;
  const char *chip;
  int32_t heads;
  int32_t latent;        /* Columns that are both key and value: 512. */
  int32_t rope;          /* Columns that are key only: 64. */
  int32_t page_size;     /* Rows of a page. */
  const char *kv_format; /* "fp8" or "bf16" */
  const char *q_format;  /* What attention reads q as; q itself is bf16. */
  const char *q_mode;    /* "none", "static", "dynamic" or "per_head" */
  int32_t q_terms; /* fp8 numbers that stand for an element of q: 1 or 2 */
  const char *fp8; /* "e4m3fn", "e4m3fnuz"; null when nothing is fp8. */
  double sm_scale;
} mla_problem;

MLA_API mla_problem mla_bundle_problem(const mla_bundle *bundle);

typedef struct mla_kernel_info {
  const char *name;
  const char *role;
  int32_t threads; /* Of a workgroup. */
  int32_t vgprs, agprs, sgprs;
  int32_t lds_bytes, scratch_bytes;
  int32_t vgpr_spills, sgpr_spills;
  int32_t waves_per_simd;
} mla_kernel_info;

/* Kernels in launch order. An index out of range gives empty names and 0. */
MLA_API int32_t mla_bundle_kernel_count(const mla_bundle *bundle);
MLA_API mla_kernel_info mla_bundle_kernel(const mla_bundle *bundle,
                                          int32_t index);
/* Shapes that the bundle holds tables for. */
MLA_API int32_t mla_bundle_table_count(const mla_bundle *bundle);

/*===-- Plans -------------------------------------------------------------===*/

/* The launches for one set of lengths, with the device memory they need. */
typedef struct mla_plan mla_plan;

/* All arrays are in host memory. */
typedef struct mla_shape {
  int32_t batch;
  int32_t total_q;          /* Rows of q, out and lse: qo_indptr[batch]. */
  int32_t heads;            /* The bundle's. */
  int32_t page_size;        /* The bundle's. */
  const int32_t *qo_indptr; /* batch + 1: first query row of each sequence. */
  const int32_t *kv_indptr; /* batch + 1: its first entry in kv_indices. */
  /* batch: rows used of its last page, 1 … page_size; 0 without pages. */
  const int32_t *kv_last_page_len;
  /* A copy of the page table in host memory, num_indices entries, of which
   * kv_indptr[batch] are used; those must be 0 … num_pages - 1. Null when there
   * is none: then nobody checks page ids, and num_indices and num_pages are not
   * looked at. The page table that kernels read is mla_args.kv_indices. */
  const int32_t *kv_indices;
  int64_t num_indices;
  int64_t num_pages; /* Pages that the cache holds. */
} mla_shape;

/* Checks the shape, takes the bundle's tables for these lengths or makes them,
 * and allocates and fills all device memory that running will need. */
MLA_API mla_status mla_plan_create(mla_bundle *bundle, const mla_shape *shape,
                                   mla_plan **plan);
/* Nothing of the plan may be running any more. */
MLA_API void mla_plan_destroy(mla_plan *plan);

typedef struct mla_plan_info {
  int32_t launches;   /* Kernels that one run launches. */
  int32_t workgroups; /* Shares that the rows are cut into. */
  int32_t work_items;
  int32_t combine_items;    /* Blocks that partial results are combined for. */
  int32_t partials;         /* Partial results. */
  int32_t stored_tables;    /* 1 when the tables came with the bundle. */
  uint64_t table_bytes;     /* Device memory that holds the tables. */
  uint64_t workspace_bytes; /* Device memory for intermediate results. */
} mla_plan_info;

MLA_API mla_plan_info mla_plan_get_info(const mla_plan *plan);

/* Device pointers. q, cache and out are aligned to 16 bytes, the others to 4.
 * Buffers that no launched kernel uses may be null: q_scale unless q_mode is
 * "static", kv_scale for a bf16 cache, everything for a shape of no work. */
typedef struct mla_args {
  const void *q;     /* bf16 (total_q, heads, latent + rope) */
  const void *cache; /* fp8 or bf16; row r of page p is row p·page_size + r of
                        latent + rope elements */
  const int32_t *kv_indices; /* page ids */
  const float *q_scale;      /* one value: q ≈ its fp8 · q_scale */
  const float *kv_scale;     /* one value: cache ≈ its fp8 · kv_scale */
  void *out;                 /* bf16 (total_q, heads, latent), written */
  float *lse; /* (total_q, heads), natural log, written; null: the plan lends
                 memory of its own and the values are lost */
} mla_args;

/* Launches the plan's kernels in order on a HIP stream (hipStream_t; null is
 * the default stream) of the plan's device, which must be the thread's current
 * device. Neither allocates, copies nor waits, so it can be captured in a
 * graph. May be called from several threads at once, but runs of one plan share
 * its workspace: on different streams they must be ordered by events. */
MLA_API mla_status mla_plan_run(const mla_plan *plan, const mla_args *args,
                                void *stream);

/* Brings the plan's workspace back to what it was when the plan was made, and
 * waits for that. After a run that failed, the next one does so by itself, with
 * a memset on its stream. Call this when a kernel failed after mla_plan_run
 * had returned (synchronising reported it), or before a graph is replayed whose
 * launches failed. Nothing of the plan may be running. */
MLA_API mla_status mla_plan_reset(mla_plan *plan);

/* NOLINTEND(readability-identifier-naming) */

#ifdef __cplusplus
}
#endif

#endif /* MLA_RUNTIME_MLA_RUNTIME_H */
