//===- Runtime.cpp - The runtime's handles as Python objects --------------===//
//
// Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for details.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each object shares in what it was made from, so that Python may let go of
// them in any order. Python's lock is given back while the runtime works.
//
//===----------------------------------------------------------------------===//

#include "Bindings.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>

namespace nb = nanobind;
using namespace mla::python;

namespace {

using HostBytes = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using WritableHostBytes = nb::ndarray<nb::c_contig, nb::device::cpu>;

template <typename T> T *pointer(uintptr_t address) {
  return reinterpret_cast<T *>(address);
}

struct Device {
  std::shared_ptr<mla_device> handle;

  Device(const std::optional<std::string> &library, int ordinal) {
    nb::gil_scoped_release unlocked;
    mla_device *opened = nullptr;
    check(mla_device_open(library ? library->c_str() : nullptr, ordinal,
                          &opened));
    handle.reset(opened, mla_device_close);
  }

  const char *chip() const { return mla_device_chip(handle.get()); }
  int32_t computeUnits() const {
    return mla_device_compute_units(handle.get());
  }
  const char *library() const { return mla_device_library(handle.get()); }

  uintptr_t allocate(size_t bytes) {
    void *memory = nullptr;
    check(mla_device_allocate(handle.get(), bytes, &memory));
    return reinterpret_cast<uintptr_t>(memory);
  }
  void free(uintptr_t memory) {
    check(mla_device_free(handle.get(), pointer<void>(memory)));
  }
  void write(uintptr_t destination, const HostBytes &source) {
    check(mla_device_write(handle.get(), pointer<void>(destination),
                           source.data(), source.nbytes()));
  }
  void read(const WritableHostBytes &destination, uintptr_t source) {
    check(mla_device_read(handle.get(), destination.data(),
                          pointer<void>(source), destination.nbytes()));
  }
  void synchronize() {
    nb::gil_scoped_release unlocked;
    check(mla_device_synchronize(handle.get()));
  }
};

struct Bundle {
  std::shared_ptr<mla_device> device;
  std::shared_ptr<mla_bundle> handle;

  Bundle(const Device *owner, const std::string &path) {
    if (owner)
      device = owner->handle;
    nb::gil_scoped_release unlocked;
    mla_bundle *loaded = nullptr;
    check(mla_bundle_load_file(device.get(), path.c_str(), &loaded));
    handle.reset(loaded, mla_bundle_unload);
  }

  mla_problem problem() const { return mla_bundle_problem(handle.get()); }

  int32_t tableCount() const { return mla_bundle_table_count(handle.get()); }
};

struct Plan {
  Bundle bundle;
  std::shared_ptr<mla_plan> handle;

  Plan(const Bundle &owner, const Int32Array &qoIndptr,
       const Int32Array &kvIndptr, const Int32Array &kvLastPageLen,
       const std::optional<Int32Array> &kvIndices, int64_t numPages)
      : bundle(owner) {
    // The C interface trusts arrays to be as long as the batch says.
    size_t batch = kvLastPageLen.size();
    checkLength("qo_indptr", qoIndptr, batch);
    checkLength("kv_indptr", kvIndptr, batch);
    mla_problem problem = bundle.problem();
    mla_shape shape = {
        .batch = static_cast<int32_t>(batch),
        .total_q = qoIndptr.data()[batch],
        .heads = problem.heads,
        .page_size = problem.page_size,
        .qo_indptr = qoIndptr.data(),
        .kv_indptr = kvIndptr.data(),
        .kv_last_page_len = kvLastPageLen.data(),
        .kv_indices = nullptr,
        .num_indices = 0,
        .num_pages = numPages,
    };
    static const int32_t none = 0;
    if (kvIndices) {
      // An array of no entries may have no address, which would mean no array.
      shape.kv_indices = kvIndices->size() ? kvIndices->data() : &none;
      shape.num_indices = static_cast<int64_t>(kvIndices->size());
    }
    nb::gil_scoped_release unlocked;
    mla_plan *created = nullptr;
    check(mla_plan_create(bundle.handle.get(), &shape, &created));
    handle.reset(created, mla_plan_destroy);
  }

  mla_plan_info info() const { return mla_plan_get_info(handle.get()); }

  void run(uintptr_t q, uintptr_t cache, uintptr_t kvIndices, uintptr_t qScale,
           uintptr_t kvScale, uintptr_t out, uintptr_t lse,
           uintptr_t stream) const {
    mla_args args = {.q = pointer<void>(q),
                     .cache = pointer<void>(cache),
                     .kv_indices = pointer<int32_t>(kvIndices),
                     .q_scale = pointer<float>(qScale),
                     .kv_scale = pointer<float>(kvScale),
                     .out = pointer<void>(out),
                     .lse = pointer<float>(lse)};
    nb::gil_scoped_release unlocked;
    check(mla_plan_run(handle.get(), &args, pointer<void>(stream)));
  }

  void reset() {
    nb::gil_scoped_release unlocked;
    check(mla_plan_reset(handle.get()));
  }

private:
  static void checkLength(const char *name, const Int32Array &array,
                          size_t batch) {
    if (array.size() != batch + 1)
      throw Failure{MLA_ERROR_SHAPE,
                    std::string(name) + " has " + std::to_string(array.size()) +
                        " entries, but a batch of " + std::to_string(batch) +
                        " (the entries of kv_last_page_len) needs " +
                        std::to_string(batch + 1)};
  }
};

} // namespace

static nb::dict problemOf(const Bundle &bundle) {
  mla_problem problem = bundle.problem();
  nb::dict result;
  result["producer"] = problem.producer;
  result["chip"] = problem.chip;
  result["heads"] = problem.heads;
  result["latent"] = problem.latent;
  result["rope"] = problem.rope;
  result["page_size"] = problem.page_size;
  result["kv_format"] = problem.kv_format;
  result["q_format"] = problem.q_format;
  result["q_mode"] = problem.q_mode;
  result["q_terms"] = problem.q_terms;
  result["fp8"] = problem.fp8 ? nb::cast(problem.fp8) : nb::none();
  result["sm_scale"] = problem.sm_scale;
  return result;
}

static nb::list kernelsOf(const Bundle &bundle) {
  nb::list result;
  for (int32_t i = 0; i < mla_bundle_kernel_count(bundle.handle.get()); ++i) {
    mla_kernel_info info = mla_bundle_kernel(bundle.handle.get(), i);
    nb::dict kernel;
    kernel["name"] = info.name;
    kernel["role"] = info.role;
    kernel["threads"] = info.threads;
    kernel["vgprs"] = info.vgprs;
    kernel["agprs"] = info.agprs;
    kernel["sgprs"] = info.sgprs;
    kernel["lds_bytes"] = info.lds_bytes;
    kernel["scratch_bytes"] = info.scratch_bytes;
    kernel["vgpr_spills"] = info.vgpr_spills;
    kernel["sgpr_spills"] = info.sgpr_spills;
    kernel["waves_per_simd"] = info.waves_per_simd;
    result.append(kernel);
  }
  return result;
}

static nb::dict infoOf(const Plan &plan) {
  mla_plan_info info = plan.info();
  nb::dict result;
  result["launches"] = info.launches;
  result["workgroups"] = info.workgroups;
  result["work_items"] = info.work_items;
  result["combine_items"] = info.combine_items;
  result["partials"] = info.partials;
  result["stored_tables"] = info.stored_tables != 0;
  result["table_bytes"] = info.table_bytes;
  result["workspace_bytes"] = info.workspace_bytes;
  return result;
}

void mla::python::bindRuntime(nb::module_ &module) {
  using namespace nb::literals;
  nb::class_<Device>(module, "Device")
      .def(nb::init<std::optional<std::string>, int>(), "library"_a.none(),
           "ordinal"_a)
      .def_prop_ro("chip", &Device::chip)
      .def_prop_ro("compute_units", &Device::computeUnits)
      .def_prop_ro("library", &Device::library)
      .def("allocate", &Device::allocate, "bytes"_a)
      .def("free", &Device::free, "memory"_a)
      .def("write", &Device::write, "destination"_a, "source"_a)
      .def("read", &Device::read, "destination"_a, "source"_a)
      .def("synchronize", &Device::synchronize);
  nb::class_<Bundle>(module, "Bundle")
      .def(nb::init<const Device *, std::string>(), "device"_a.none(), "path"_a)
      .def("problem", problemOf)
      .def("kernels", kernelsOf)
      .def("table_count", &Bundle::tableCount);
  nb::class_<Plan>(module, "Plan")
      .def(nb::init<const Bundle &, const Int32Array &, const Int32Array &,
                    const Int32Array &, const std::optional<Int32Array> &,
                    int64_t>(),
           "bundle"_a, "qo_indptr"_a, "kv_indptr"_a, "kv_last_page_len"_a,
           "kv_indices"_a.none(), "num_pages"_a)
      .def("info", infoOf)
      .def("run", &Plan::run, "q"_a, "cache"_a, "kv_indices"_a, "q_scale"_a,
           "kv_scale"_a, "out"_a, "lse"_a, "stream"_a)
      .def("reset", &Plan::reset);
}
