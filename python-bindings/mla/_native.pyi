# The C++ under the package; src/ has what it does.

from typing import Any

import numpy
from numpy.typing import NDArray

_Int32 = NDArray[numpy.int32]

class Device:
    def __init__(self, library: str | None, ordinal: int) -> None: ...
    @property
    def chip(self) -> str: ...
    @property
    def compute_units(self) -> int: ...
    @property
    def library(self) -> str: ...
    def allocate(self, bytes: int) -> int: ...
    def free(self, memory: int) -> None: ...
    def write(self, destination: int, source: NDArray[Any]) -> None: ...
    def read(self, destination: NDArray[Any], source: int) -> None: ...
    def synchronize(self) -> None: ...

class Bundle:
    def __init__(self, device: Device | None, path: str) -> None: ...
    def problem(self) -> dict[str, Any]: ...
    def kernels(self) -> list[dict[str, Any]]: ...
    def table_count(self) -> int: ...

class Plan:
    def __init__(
        self,
        bundle: Bundle,
        qo_indptr: _Int32,
        kv_indptr: _Int32,
        kv_last_page_len: _Int32,
        kv_indices: _Int32 | None,
        num_pages: int,
    ) -> None: ...
    def info(self) -> dict[str, Any]: ...
    def run(
        self,
        q: int,
        cache: int,
        kv_indices: int,
        q_scale: int,
        kv_scale: int,
        out: int,
        lse: int,
        stream: int,
    ) -> None: ...
    def reset(self) -> None: ...

def tables(
    qo_indptr: _Int32,
    kv_indptr: _Int32,
    kv_last_page_len: _Int32,
    page_size: int,
    heads: int,
    heads_per_block: int,
    workgroups: int,
    tile_rows: int,
    partial_rows: int,
    latency_rows: int,
    saturating_workgroups: int,
) -> tuple[_Int32, _Int32, _Int32, int]: ...
