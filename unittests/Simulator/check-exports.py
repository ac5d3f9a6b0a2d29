"""Fails if the HIP library exports anything but HIP functions and the simulator's own.

Usage: check-exports.py NM LIBRARY
"""

import subprocess
import sys


def main() -> int:
    nm, library = sys.argv[1:]
    listing = subprocess.run(
        [nm, "--dynamic", "--defined-only", "--format=just-symbols", library],
        check=True,
        capture_output=True,
        text=True,
    ).stdout.split()
    names = [name.split("@")[0] for name in listing]
    wrong = [name for name in names if not name.startswith(("hip", "mla_sim_"))]
    for name in wrong:
        print(f"exported by mistake: {name}")
    if "hipModuleLaunchKernel" not in names:
        print("hipModuleLaunchKernel is not exported")
        return 1
    return 1 if wrong else 0


sys.exit(main())
