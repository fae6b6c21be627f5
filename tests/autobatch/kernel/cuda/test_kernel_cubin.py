"""Kernels compiled for two generations of GPUs, by numba-cuda's compiler: scripts/test --cuda."""

import json

import pytest
from cubins import CAPABILITIES, CEILINGS, SMALL, cubin, cubins, machines, most
from lanes_as_threads import NUTS

pytestmark = pytest.mark.cuda
KNOWN = json.loads(CEILINGS.read_text())
MACHINES = machines()


@pytest.mark.parametrize("arch", CAPABILITIES)
@pytest.mark.parametrize("name", MACHINES)
def test_a_kernel_takes_no_more_than_it_did(name: str, arch: str) -> None:
    """Registers and bytes that are spilled; what has no line is small. `python tests/cubins.py` writes the lines."""
    _, made = cubins(MACHINES[name](), CAPABILITIES[arch])
    ceilings = KNOWN.get(name, {}).get(arch, (SMALL, 0))
    assert all(found <= least for found, least in zip(most(made), ceilings, strict=True))


@pytest.mark.parametrize("name", NUTS)
def test_nuts(name: str) -> None:
    module, made = cubin(MACHINES[f"NUTS {name}"](), (9, 0))
    assert module.met
    assert made.registers <= 255 and made.spilled <= 512
    assert made.seconds <= 10.0
