"""Fixtures of the Triton tests, and the table of errors that ends a run."""

import os

import ml_dtypes
import numpy as np
import pytest
from device import Device


def pytest_addoption(parser):
    parser.addoption("--library", required=True, help="libmla_hip_sim.so")
    parser.addoption("--keep", help="folder for the code objects")


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: not part of ./dev check")
    config.errors = []


def pytest_make_parametrize_id(config, val, argname):
    """Names of cases: 64x64x32, num_warps=8, f32 types by their names."""
    if isinstance(val, tuple | list):
        return "x".join(str(element) for element in val)
    if isinstance(val, dict):
        return ",".join(f"{key}={value}" for key, value in val.items()) or "default"
    if isinstance(val, type):
        return val.__name__
    return f"{argname}={val:.2g}" if isinstance(val, float) else None


@pytest.fixture(scope="session")
def session_device(request):
    return Device(request.config.getoption("--library"), request.config.getoption("--keep"))


@pytest.fixture
def device(session_device):
    yield session_device
    session_device.free_all()


@pytest.fixture
def chip():
    return os.environ["MLA_SIM_CHIP"]


@pytest.fixture
def fp8(chip):
    """The 8-bit float of the chip's matrix cores."""
    return np.dtype(ml_dtypes.float8_e4m3fnuz if chip == "gfx942" else ml_dtypes.float8_e4m3fn)


@pytest.fixture
def random():
    return np.random.default_rng(20)


@pytest.fixture
def compare(request):
    """compare(result, expected, tolerance): the largest difference, in units of the largest expected value, is at most
    the tolerance; a value that is not finite must be expected."""

    def check(result, expected, tolerance):
        result = np.asarray(result).astype(np.float64)
        expected = np.asarray(expected).astype(np.float64)
        assert result.shape == expected.shape
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(result[~finite], expected[~finite])
        assert np.isfinite(result[finite]).all(), f"{(~np.isfinite(result[finite])).sum()} values are not finite"
        largest = np.abs(expected[finite]).max(initial=0.0)
        error = np.abs(result[finite] - expected[finite]).max(initial=0.0) / (largest or 1.0)
        request.config.errors.append((request.node.name, error, tolerance))
        assert error <= tolerance, f"error {error:.3g} of the largest value, at most {tolerance:.3g} is allowed"

    return check


def pytest_terminal_summary(terminalreporter, config):
    if not config.errors:
        return
    terminalreporter.section(f"largest errors on a simulated {os.environ['MLA_SIM_CHIP']}, of the largest value")
    for name, error, tolerance in config.errors:
        terminalreporter.write_line(f"{error:9.2e}  (at most {tolerance:7.1e})  {name}")
