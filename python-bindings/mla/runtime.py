# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime: devices, bundles and plans. docs/runtime.md says what each step does and costs."""

import dataclasses
import operator
import os
from collections.abc import Sequence
from typing import Protocol, SupportsIndex

import numpy
from numpy.typing import ArrayLike, NDArray

from mla import _native, paths
from mla.errors import InvalidArgument, NoDevice


class HasPointer(Protocol):
    """Memory of a device: torch tensors, and mla.simulator.Memory."""

    def data_ptr(self) -> int: ...


Pointer = SupportsIndex | HasPointer | None


def _address(pointer: Pointer) -> int:
    if pointer is None:
        return 0
    if hasattr(pointer, "data_ptr"):
        return pointer.data_ptr()
    return operator.index(pointer)


def int32_array(name: str, values: ArrayLike | Sequence[int]) -> NDArray[numpy.int32]:
    """The values as the runtime takes them; anything that is not a row of whole numbers of 32 bits is refused."""
    array = numpy.asarray(values)
    if array.size == 0:
        array = array.astype(numpy.int32)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InvalidArgument(
            f"{name} is an array of {array.ndim} dimensions and type {array.dtype}; it must be one of integers, "
            "of one dimension"
        )
    limits = numpy.iinfo(numpy.int32)
    if array.size and (array.min() < limits.min or array.max() > limits.max):
        raise InvalidArgument(f"{name} holds numbers that do not fit 32 bits")
    return numpy.ascontiguousarray(array, numpy.int32)


def int32(name: str, value: SupportsIndex) -> int:
    """The value, if it fits 32 bits."""
    number = operator.index(value)
    if not -(2**31) <= number < 2**31:
        raise InvalidArgument(f"{name} is {number}, which does not fit 32 bits")
    return number


@dataclasses.dataclass(frozen=True)
class Problem:
    """What a bundle was built for."""

    producer: str
    chip: str
    heads: int
    latent: int
    rope: int
    page_size: int
    kv_format: str
    q_format: str
    q_mode: str
    q_terms: int
    fp8: str | None
    sm_scale: float


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of a bundle and the resources it takes."""

    name: str
    role: str
    threads: int
    vgprs: int
    agprs: int
    sgprs: int
    lds_bytes: int
    scratch_bytes: int
    vgpr_spills: int
    sgpr_spills: int
    waves_per_simd: int


@dataclasses.dataclass(frozen=True)
class PlanInfo:
    """Sizes of a plan."""

    launches: int
    workgroups: int
    work_items: int
    combine_items: int
    partials: int
    stored_tables: bool
    table_bytes: int
    workspace_bytes: int


class Device:
    """A device of a HIP library; made by `open`."""

    def __init__(self, native: _native.Device) -> None:
        self._native = native

    @classmethod
    def open(
        cls,
        library: str | os.PathLike[str] | None = None,
        ordinal: int = 0,
        *,
        simulator: str | None = None,
        compute_units: int | None = None,
    ) -> "Device":
        """Opens a device by its ordinal.

        `library` names the HIP library; without it the runtime looks for the system's. `simulator` is a chip: then the
        library is the simulator's, and `compute_units` are as many as it shall have (default: the chip's own number).
        A process has one simulated device: the chip and the compute units of the first call.
        """
        if simulator is None:
            if compute_units is not None:
                raise InvalidArgument("compute_units can be chosen with simulator only")
            return cls(_native.Device(None if library is None else os.fspath(library), ordinal))
        # The library reads the environment once, while its first device is opened.
        wanted = {"MLA_SIM_CHIP": simulator, "MLA_SIM_CUS": None if compute_units is None else str(compute_units)}
        before = {name: os.environ.get(name) for name in wanted}
        _set_environment(wanted)
        try:
            device = cls(_native.Device(os.fspath(library or paths.simulator()), ordinal))
        finally:
            _set_environment(before)
        if device.chip != simulator or compute_units not in (None, device.compute_units):
            raise NoDevice(
                f"this process simulates a {device.chip} of {device.compute_units} compute units already; "
                f"a {simulator} of {compute_units or 'all its'} needs a process of its own"
            )
        return device

    @property
    def chip(self) -> str:
        """For instance gfx950."""
        return self._native.chip

    @property
    def compute_units(self) -> int:
        return self._native.compute_units

    @property
    def library(self) -> str:
        """The name that the HIP library was opened by."""
        return self._native.library

    def synchronize(self) -> None:
        """Waits for everything launched on the device, and reports its failures."""
        self._native.synchronize()

    def __repr__(self) -> str:
        return f"<mla.Device {self.chip}, {self.compute_units} compute units, {self.library}>"


def _set_environment(values: dict[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


class Bundle:
    """A bundle that mla-compile made. Without a device it can be asked questions, but makes no plans."""

    def __init__(self, path: str | os.PathLike[str], device: Device | None = None) -> None:
        self._native = _native.Bundle(device._native if device else None, os.fspath(path))
        self.problem = Problem(**self._native.problem())
        self.kernels = [Kernel(**kernel) for kernel in self._native.kernels()]
        self.table_count: int = self._native.table_count()

    def plan(
        self,
        qo_indptr: ArrayLike,
        kv_indptr: ArrayLike,
        kv_last_page_len: ArrayLike,
        kv_indices: ArrayLike | None = None,
        num_pages: int | None = None,
    ) -> "Plan":
        """A plan for these lengths, which are in host memory.

        With `kv_indices`, a copy of the page table in host memory, page ids are checked against the `num_pages` of
        the cache. Kernels read the page table that `Plan.run` is given.
        """
        if (kv_indices is None) != (num_pages is None):
            raise InvalidArgument("kv_indices and num_pages go together: give both, or none of them")
        return Plan(
            _native.Plan(
                self._native,
                int32_array("qo_indptr", qo_indptr),
                int32_array("kv_indptr", kv_indptr),
                int32_array("kv_last_page_len", kv_last_page_len),
                None if kv_indices is None else int32_array("kv_indices", kv_indices),
                num_pages or 0,
            )
        )

    def __repr__(self) -> str:
        problem = self.problem
        return (
            f"<mla.Bundle {problem.chip}, {problem.heads} heads, {problem.kv_format} cache, "
            f"page size {problem.page_size}>"
        )


class Plan:
    """Launches for one set of lengths, with the device memory they need; made by `Bundle.plan`."""

    def __init__(self, native: _native.Plan) -> None:
        self._native = native
        self.info = PlanInfo(**native.info())

    def run(
        self,
        *,
        q: Pointer,
        cache: Pointer,
        kv_indices: Pointer,
        out: Pointer,
        q_scale: Pointer = None,
        kv_scale: Pointer = None,
        lse: Pointer = None,
        stream: int = 0,
    ) -> None:
        """Launches the kernels on a HIP stream (torch.cuda.current_stream().cuda_stream; 0 is the default stream).

        Device memory is given as an address or as an object with `data_ptr()`, and must stay until the kernels are
        done. Shapes and types: q bf16 (total_q, heads, 576), cache rows of 576 elements, kv_indices int32,
        q_scale and kv_scale one float32, out bf16 (total_q, heads, 512), lse float32 (total_q, heads).
        """
        self._native.run(
            _address(q),
            _address(cache),
            _address(kv_indices),
            _address(q_scale),
            _address(kv_scale),
            _address(out),
            _address(lse),
            stream,
        )

    def reset(self) -> None:
        """Makes the plan usable again after one of its kernels failed on the device; nothing of it may be running."""
        self._native.reset()
