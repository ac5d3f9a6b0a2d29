# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""numpy arrays to a device and back, through its HIP library: for the simulator, and for tests on a GPU."""

import numpy
from numpy.typing import ArrayLike, DTypeLike, NDArray

from mla.runtime import Device


class Memory:
    """Device memory of an array; freed with the object."""

    def __init__(self, device: Device, shape: tuple[int, ...], dtype: DTypeLike) -> None:
        self.shape = shape
        self.dtype = numpy.dtype(dtype)
        self.nbytes = int(numpy.prod(shape, dtype=numpy.int64)) * self.dtype.itemsize
        self._device = device._native
        # Arrays of no elements have an address too.
        self._address = self._device.allocate(max(self.nbytes, 1))

    def data_ptr(self) -> int:
        """The address on the device."""
        return self._address

    def __del__(self) -> None:
        # Missing when the constructor failed.
        if address := getattr(self, "_address", 0):
            self._device.free(address)


def to_device(device: Device, array: ArrayLike) -> Memory:
    """A copy of the array on the device."""
    array = numpy.ascontiguousarray(array)
    memory = Memory(device, array.shape, array.dtype)
    if array.size:
        device._native.write(memory.data_ptr(), array.reshape(-1).view(numpy.uint8))
    return memory


def from_device(memory: Memory) -> NDArray:
    """A copy of the memory in an array of its shape and type."""
    array = numpy.empty(memory.shape, memory.dtype)
    if array.size:
        memory._device.read(array.reshape(-1).view(numpy.uint8), memory.data_ptr())
    return array


def bf16(array: ArrayLike) -> NDArray[numpy.uint16]:
    """The nearest bf16 numbers (ties to even) as their bits; numpy has no type for them."""
    array = numpy.asarray(array, numpy.float32)
    bits = array.view(numpy.uint32)
    rounded = (bits + (0x7FFF + (bits >> 16 & 1))) >> 16
    # Rounding could carry a NaN's bits over into a zero's.
    return numpy.where(numpy.isnan(array), 0x7FC0, rounded).astype(numpy.uint16)


def from_bf16(bits: ArrayLike) -> NDArray[numpy.float32]:
    """The numbers that bf16 bits stand for."""
    return (numpy.asarray(bits, numpy.uint16).astype(numpy.uint32) << 16).view(numpy.float32)
