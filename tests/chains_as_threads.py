"""The library's sampler on eight schools as kernels: runs by either target, and its two programs' machines."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from autobatch import streams
from autobatch.execute.gpu_machine import GpuMachine
from autobatch.mcmc import NUTS, positive, real
from autobatch.mcmc.chains import Chains, Setting, unstarted

# The package's name `sample` is the function.
driver = importlib.import_module("autobatch.mcmc.sample")

Y = np.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
SIGMA = np.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
PARAMS = {"mu": real(), "tau": positive(), "z": real(8)}
CHAINS = 70  # more than a block of threads


def eight_schools(mu, tau, z):
    theta = mu + tau * z
    prior = -0.5 * (mu / 5.0) ** 2 - np.log1p((tau / 5.0) ** 2) - 0.5 * np.sum(z**2)
    return prior - 0.5 * np.sum(((Y - theta) / SIGMA) ** 2)


def run(target: str, sampler: Any = NUTS(), **changes: Any) -> Chains:
    model, found, over = driver.prepare_programs(eight_schools, PARAMS, {}, sampler, target)
    settings = {
        "chains": CHAINS, "draws": 150, "warmup": 60, "seed": 1, "init": None, "progress": False, "resume": None,
    }  # fmt: skip
    return driver.run_chains(model, over, sampler, (), density=found.digest, **(settings | changes))


def agree(one: Chains, other: Chains, rtol: float = 1e-10) -> None:
    """The same streams and leapfrogs, and numbers but for rounding."""
    np.testing.assert_array_equal(one.words, other.words)
    for name in ("n_steps", "tree_depth", "diverging"):
        np.testing.assert_array_equal(getattr(one.record, name), getattr(other.record, name))
    for name, x, y in zip(one.record._fields, one.record, other.record):
        np.testing.assert_allclose(x, y, rtol=rtol, atol=rtol, err_msg=name)
    np.testing.assert_allclose(one.state.position, other.state.position, rtol=rtol)


def program(name: str, rows: int = 100) -> tuple[Any, tuple[Any, ...]]:
    """The program that warms chains up, "advance", or that draws, "run", and arguments of a call."""
    model, _, over = driver.prepare_programs(eight_schools, PARAMS, {}, NUTS(), "cuda")
    setting = Setting(model, NUTS(), over, (), np.ones((1, 10), bool), streams(1, 1))
    state, tuning = unstarted(setting, np.zeros((1, 10)))
    if name == "run":
        room = np.empty((rows, 10))
        return over.run, (setting.lanes, state, tuning.step_size, tuning.metric, rows, room, ())
    plan = np.zeros(1024, np.int64)
    return over.advance, (setting.lanes, state, tuning, setting.free, plan, 1, 0.8, True, True, ())


def chain_machine(name: str) -> GpuMachine:
    many, given = program(name)
    machine = many.call(given, {}).machine
    assert isinstance(machine, GpuMachine)
    return machine
