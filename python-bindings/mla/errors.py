# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Failures. Each status of mla_runtime.h has a class; all are Errors and hold the runtime's sentence."""


class Error(RuntimeError):
    """Anything that the compiler or the runtime refuses."""


class InvalidArgument(Error, ValueError):
    """An argument is null, misaligned or out of its range."""


class HipLibraryError(Error):
    """The HIP library cannot be opened, or lacks a function."""


class NoDevice(Error):
    """The HIP library finds no such device."""


class BundleError(Error):
    """The bundle cannot be read, is damaged, or of another version."""


class ChipError(Error):
    """The bundle was built for another chip than the device's."""


class ShapeError(Error, ValueError):
    """The lengths or page ids contradict each other or the bundle."""


class OutOfMemory(Error, MemoryError):
    """The device or the host has too little memory."""


class HipError(Error):
    """A HIP function failed."""


class CompileError(Error):
    """mla-compile failed."""


# By the values of mla_status.
_CLASSES: dict[int, type[Error]] = {
    1: InvalidArgument,
    2: HipLibraryError,
    3: NoDevice,
    4: BundleError,
    5: ChipError,
    6: ShapeError,
    7: OutOfMemory,
    8: HipError,
}


def of_status(status: int, sentence: str) -> Error:
    """The exception for a status; mla._native raises it."""
    return _CLASSES.get(status, Error)(sentence)
