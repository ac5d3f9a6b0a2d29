"""How the tests under test/ are found and run (llvm's lit)."""

import ctypes.util
import os
import shutil

import lit.formats

config.name = "MLA"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.mla_build_dir, "test")

config.environment["PATH"] = os.pathsep.join(
    [config.mla_bin_dir, config.llvm_tools_dir, config.environment.get("PATH", "")]
)
# lit hands on few variables; the tools look at these.
for name in ("HOME", "ROCM_PATH", "MLA_HIP_LIBRARY", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

# A test that pipes into a tool which is not there must never pass by accident.
for tool in ("FileCheck", "not", "split-file", "llvm-objdump", "llvm-readelf", "mla-opt"):
    if not shutil.which(tool, path=config.environment["PATH"]):
        lit_config.fatal(
            f"'{tool}' was not found in {config.mla_bin_dir} nor {config.llvm_tools_dir};"
            " install the packages of cmake/apt-packages.txt and build first"
        )

for tool in ("mla-compile", "mla-run"):
    if shutil.which(tool, path=config.mla_bin_dir):
        config.available_features.add(tool)
if config.device_libs_dir:
    config.available_features.add("device-libs")
# /dev/kfd is AMD's kernel driver.
if ctypes.util.find_library("amdhip64") and not os.path.exists("/dev/kfd"):
    config.available_features.add("hip-without-gpu")

# Foreign code objects are no part of the repository: docs/aiter.md says where they come from.
aiter_dir = os.environ.get("MLA_AITER_DIR", "")
if aiter_dir:
    for chip in ("gfx942", "gfx950"):
        if not os.path.isdir(os.path.join(aiter_dir, chip, "mla")):
            lit_config.fatal(
                f"MLA_AITER_DIR is {aiter_dir}, which has no folder {chip}/mla; docs/aiter.md describes it"
            )
    config.available_features.add("aiter-objects")
    config.substitutions.append(("%aiter", os.path.abspath(aiter_dir)))
else:
    lit_config.note("MLA_AITER_DIR is not set: the tests with aiter's code objects are skipped (docs/aiter.md)")

config.substitutions.append(("%python", config.python))
config.substitutions.append(("%device_libs", config.device_libs_dir))
config.substitutions.append(("%mla_bin_dir", config.mla_bin_dir))
config.substitutions.append(("%mla_lib_dir", config.mla_lib_dir))
config.substitutions.append(("%llvm_bin_dir", config.llvm_tools_dir))
