# Part of the MLA compiler, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for details.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the programs and libraries of the build are: this package lies in its folder python/."""

import os
import pathlib

_BUILD = pathlib.Path(__file__).parents[2]


def compiler() -> pathlib.Path:
    """mla-compile; MLA_COMPILE names another."""
    return pathlib.Path(os.environ.get("MLA_COMPILE") or _BUILD / "bin" / "mla-compile")


def simulator() -> pathlib.Path:
    """The simulator as a HIP library; MLA_SIM_LIBRARY names another."""
    return pathlib.Path(os.environ.get("MLA_SIM_LIBRARY") or _BUILD / "lib" / "libmla_hip_sim.so")
