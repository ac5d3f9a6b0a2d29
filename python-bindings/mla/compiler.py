# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mla-compile as a function."""

import atexit
import functools
import itertools
import os
import pathlib
import subprocess
import tempfile
from collections.abc import Iterable

from mla import paths
from mla.errors import CompileError

Option = str | int | float | bool | Iterable[str | int] | None

_numbers = itertools.count()


@functools.cache
def _folder() -> pathlib.Path:
    folder = tempfile.TemporaryDirectory(prefix="mla-")
    atexit.register(folder.cleanup)
    return pathlib.Path(folder.name)


def _word(name: str, value: Option) -> list[str]:
    flag = "--" + name.replace("_", "-")
    if value is None:
        return []
    if isinstance(value, bool):
        return [f"{flag}={'true' if value else 'false'}"]
    if isinstance(value, Iterable) and not isinstance(value, str):
        value = ",".join(str(entry) for entry in value)
    return [f"{flag}={value}"]


def compile(
    problem: str | os.PathLike[str] | None = None,
    *,
    output: str | os.PathLike[str] | None = None,
    **options: Option,
) -> pathlib.Path:
    """Compiles a problem, an .mlir file or described by options, and returns the path of what was written.

    Options are those of `mla-compile --help`, with _ for -: chip="gfx950", kv_format="bf16", batch=4,
    kv=[1, 17, 1000, 4096], fuse=False; None leaves one out. Without `output`, the bundle is gone when Python ends.
    """
    path = pathlib.Path(output) if output is not None else _folder() / f"{next(_numbers)}.mlab"
    command = [str(paths.compiler()), "-o", str(path)]
    for name, value in options.items():
        command += _word(name, value)
    if problem is not None:
        command.append(os.fspath(problem))
    try:
        result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as error:
        raise CompileError(f"cannot run {command[0]}: {error.strerror}; name the compiler by MLA_COMPILE") from error
    if result.returncode != 0:
        raise CompileError(result.stderr.strip() or f"{command[0]} ended with status {result.returncode}")
    return path
