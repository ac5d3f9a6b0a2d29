"""Triton's AMD backend as a plain function: kernel and argument types in, code object out, no GPU asked for."""

import os
from dataclasses import dataclass

# What Triton does by itself when this is not set, but without the warning that it prints then.
os.environ.setdefault("TRITON_DEFAULT_FP_FUSION", "1")

import ml_dtypes
import numpy as np
import triton
from triton.backends.compiler import GPUTarget

WAVE_LANES = 64

TYPE_NAMES = {
    np.dtype(np.float64): "fp64",
    np.dtype(np.float32): "fp32",
    np.dtype(np.float16): "fp16",
    np.dtype(ml_dtypes.bfloat16): "bf16",
    np.dtype(ml_dtypes.float8_e4m3fn): "fp8e4nv",
    np.dtype(ml_dtypes.float8_e4m3fnuz): "fp8e4b8",
    np.dtype(ml_dtypes.float8_e5m2): "fp8e5",
    np.dtype(np.int64): "i64",
    np.dtype(np.int32): "i32",
    np.dtype(np.uint64): "u64",
    np.dtype(np.uint32): "u32",
    np.dtype(np.int16): "i16",
    np.dtype(np.int8): "i8",
    np.dtype(np.uint8): "u8",
}


@dataclass(frozen=True)
class Argument:
    """What the compiler may know of a launch argument: its Triton type, and whether 16 divides it."""

    type: str
    aligned: bool = False


@dataclass(frozen=True)
class CompiledKernel:
    name: str
    code_object: bytes
    assembly: str
    threads: int
    lds_bytes: int
    # Bytes for each workgroup behind the hidden scratch pointer.
    scratch_bytes: int


def attributes_of(argument):
    """The attributes that Triton's own launcher finds from the values: alignment, and 32-bit offsets from pointers."""
    attributes = [["tt.divisibility", 16]] if argument.aligned else []
    if argument.type.startswith("*"):
        attributes.append(["tt.pointer_range", 32])
    return attributes


def compile_kernel(function, arguments, constants, chip, **options):
    """Compiles a @triton.jit function.

    arguments: Argument for each run-time parameter, by name. constants: value of each constexpr parameter, by name.
    options: those of Triton's AMD backend (num_warps, num_stages, matrix_instr_nonkdim, kpack, waves_per_eu).
    """
    signature = {name: arguments[name].type if name in arguments else "constexpr" for name in function.arg_names}
    attributes = {
        (index,): attributes_of(arguments[name])
        for index, name in enumerate(function.arg_names)
        if name in arguments and attributes_of(arguments[name])
    }
    source = triton.compiler.ASTSource(fn=function, signature=signature, constexprs=constants, attrs=attributes)
    compiled = triton.compile(source, target=GPUTarget("hip", chip, WAVE_LANES), options=options)
    metadata = compiled.metadata
    return CompiledKernel(
        name=metadata.name,
        code_object=compiled.asm["hsaco"],
        assembly=compiled.asm["amdgcn"],
        threads=metadata.num_warps * WAVE_LANES,
        lds_bytes=metadata.shared,
        scratch_bytes=metadata.global_scratch_size,
    )
