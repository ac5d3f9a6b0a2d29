"""The simulator's HIP library through ctypes, with launches written as Triton's are: `device.run(kernel, grid, …)`."""

import ctypes
import hashlib
import os
from math import prod
from pathlib import Path

import numpy as np
from compiler import TYPE_NAMES, Argument, compile_kernel

HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2


class HipError(RuntimeError):
    pass


class Buffer:
    """Device memory with the shape and type of a numpy array. Belongs to its Device."""

    def __init__(self, device, shape, dtype):
        self.device = device
        self.shape = tuple(shape)
        self.dtype = np.dtype(dtype)
        self.bytes = max(prod(self.shape) * self.dtype.itemsize, 1)
        self.address = ctypes.c_void_p()
        device.call("hipMalloc", ctypes.byref(self.address), ctypes.c_size_t(self.bytes))

    def write(self, array):
        array = np.ascontiguousarray(array)
        assert array.shape == self.shape and array.dtype == self.dtype
        self.device.call(
            "hipMemcpy", self.address, ctypes.c_void_p(array.ctypes.data), ctypes.c_size_t(array.nbytes), HOST_TO_DEVICE
        )

    def read(self):
        array = np.empty(self.shape, self.dtype)
        self.device.call(
            "hipMemcpy", ctypes.c_void_p(array.ctypes.data), self.address, ctypes.c_size_t(array.nbytes), DEVICE_TO_HOST
        )
        return array

    def free(self):
        if self.address:
            self.device.call("hipFree", self.address)
            self.address = ctypes.c_void_p()


class Device:
    """The one simulated GPU of this process; MLA_SIM_CHIP says which chip it is. Code objects are left in `keep`."""

    def __init__(self, library, keep=None):
        self.chip = os.environ["MLA_SIM_CHIP"]
        self.hip = ctypes.CDLL(os.fspath(library))
        self.hip.mla_sim_last_error.restype = ctypes.c_char_p
        self.hip.hipGetErrorString.restype = ctypes.c_char_p
        self.buffers = []
        self.keep = Path(keep) if keep else None
        if self.keep:
            self.keep.mkdir(parents=True, exist_ok=True)

    def call(self, function, *arguments):
        status = getattr(self.hip, function)(*arguments)
        if status != 0:
            sentence = self.hip.mla_sim_last_error() or self.hip.hipGetErrorString(status)
            raise HipError(f"{function}: {sentence.decode()}")

    def upload(self, array):
        buffer = Buffer(self, array.shape, array.dtype)
        self.buffers.append(buffer)
        buffer.write(array)
        return buffer

    def filled(self, shape, dtype, byte):
        """Memory whose every byte is `byte`: 0xFF is a NaN in all the float types, so a result not written is seen."""
        return self.upload(np.full(prod(shape) * np.dtype(dtype).itemsize, byte, np.uint8).view(dtype).reshape(shape))

    def result(self, shape, dtype):
        return self.filled(shape, dtype, 0xFF)

    def free_all(self):
        for buffer in self.buffers:
            buffer.free()
        self.buffers.clear()

    def run(self, function, grid, *values, **named):
        """Compiles and launches a kernel. Keyword arguments are constexpr parameters or options of the backend."""
        constants = {name: value for name, value in named.items() if name in function.arg_names}
        options = {name: value for name, value in named.items() if name not in function.arg_names}
        names = [name for name in function.arg_names if name not in constants]
        if len(names) != len(values):
            raise TypeError(f"{function.__name__} takes {names}, {len(values)} arguments are given")
        arguments = {name: describe(value) for name, value in zip(names, values, strict=True)}
        kernel = compile_kernel(function, arguments, constants, self.chip, **options)
        if self.keep:
            digest = hashlib.sha256(kernel.code_object).hexdigest()[:12]
            (self.keep / f"{kernel.name}-{digest}.hsaco").write_bytes(kernel.code_object)
        self.launch(kernel, grid, [parameter(value) for value in values])
        return kernel

    def launch(self, kernel, grid, parameters):
        grid = (*grid, 1, 1)[:3]
        scratch = Buffer(self, (kernel.scratch_bytes * prod(grid),), np.uint8) if kernel.scratch_bytes else None
        # Two hidden pointers end the list: scratch memory of the kernel and of the profiler.
        parameters = [*parameters, scratch.address if scratch else ctypes.c_void_p(), ctypes.c_void_p()]
        addresses = (ctypes.c_void_p * len(parameters))(*(ctypes.addressof(value) for value in parameters))
        module, entry = ctypes.c_void_p(), ctypes.c_void_p()
        self.call("hipModuleLoadData", ctypes.byref(module), ctypes.c_char_p(kernel.code_object))
        try:
            self.call("hipModuleGetFunction", ctypes.byref(entry), module, ctypes.c_char_p(kernel.name.encode()))
            dimensions = [ctypes.c_uint(value) for value in (*grid, kernel.threads, 1, 1, kernel.lds_bytes)]
            self.call("hipModuleLaunchKernel", entry, *dimensions, None, addresses, None)
            self.call("hipDeviceSynchronize")
        finally:
            self.call("hipModuleUnload", module)
            if scratch:
                scratch.free()


def describe(value):
    if isinstance(value, Buffer):
        return Argument("*" + TYPE_NAMES[value.dtype], aligned=value.address.value % 16 == 0)
    if isinstance(value, float):
        return Argument("fp32")
    return Argument("i32", aligned=value % 16 == 0)


def parameter(value):
    if isinstance(value, Buffer):
        return value.address
    return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int32(value)
