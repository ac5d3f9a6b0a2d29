# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles Multi-head Latent Attention for AMD Instinct, and runs it.

compile   calls mla-compile and gives the bundle's path
Device    a GPU, or a simulated one
Bundle    kernels for one problem, loaded
Plan      launches for one set of lengths
schedule  the tables that say which workgroup does which rows
simulator numpy arrays to a device and back
errors    what goes wrong, with sentences that say what was given and what is allowed
"""

from mla import errors, schedule, simulator
from mla.compiler import compile
from mla.errors import (
    BundleError,
    ChipError,
    CompileError,
    Error,
    HipError,
    HipLibraryError,
    InvalidArgument,
    NoDevice,
    OutOfMemory,
    ShapeError,
)
from mla.runtime import Bundle, Device, Kernel, Plan, PlanInfo, Problem

__all__ = [
    "Bundle",
    "BundleError",
    "ChipError",
    "CompileError",
    "Device",
    "Error",
    "HipError",
    "HipLibraryError",
    "InvalidArgument",
    "Kernel",
    "NoDevice",
    "OutOfMemory",
    "Plan",
    "PlanInfo",
    "Problem",
    "ShapeError",
    "compile",
    "errors",
    "schedule",
    "simulator",
]
