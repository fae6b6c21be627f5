"""What measured: the processor, its cores, Python and the packages of both environments, the date."""

import importlib.metadata
import importlib.util
import json
import os
import platform
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

OURS = ("autobatch", "numpy", "scipy", "numba", "llvmlite")
PEERS = ("numpy", "scipy", "jax", "jaxlib", "numpyro", "numba", "pymc", "nutpie")
VERSIONS = "import json, sys, machine; print(json.dumps(machine.versions(sys.argv[1:])))"


def describe() -> dict[str, Any]:
    """All of it, for JSON; the peers' packages where PEERS_PYTHON names their Python."""
    peers = os.environ.get("PEERS_PYTHON")
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": versions(OURS),
        "peers": versions_there(peers, PEERS) if peers else {},
    }


def processor() -> str:
    """The model by name, where Linux tells it."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.processor() or platform.machine()


def versions(packages: Sequence[str]) -> dict[str, str]:
    """Of those that are installed."""
    found = {name: installed(name) for name in packages}
    return {name: version for name, version in found.items() if version}


def installed(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def absent(modules: Sequence[str]) -> list[str]:
    """Those that cannot be imported here."""
    return [name for name in modules if importlib.util.find_spec(name) is None]


def versions_there(python: str, packages: Sequence[str]) -> dict[str, str]:
    """The same, seen by another Python."""
    command = [python, "-c", VERSIONS, *packages]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent)}
    return json.loads(subprocess.run(command, env=here, stdout=subprocess.PIPE, text=True, check=True).stdout)


if __name__ == "__main__":  # python machine.py absent MODULE...
    if found := absent(sys.argv[2:]):
        print("missing here: " + ", ".join(found), flush=True)
