"""Every program of a chain is written in the language that can be transformed: the reader accepts it."""

import inspect

import pytest

from autobatch.mcmc import (
    HMC,
    NUTS,
    RWM,
    constrain,
    interval,
    ordered,
    positive,
    positive_ordered,
    real,
    simplex,
)
from autobatch.mcmc.density import build
from autobatch.mcmc.kernels import adaptation, chain, hamiltonian, hmc, metric, nuts, rwm, start, state
from autobatch.mcmc.kernels.metric import DIAGONAL
from autobatch.mcmc.samplers import kernel, programs, transition
from codegen.read.function import read_function

# Functions in these modules that run once for all chains, in NumPy.
ORDINARY = {"windows", "start_points", "unconstrained", "no_start", "brief"}

MODULES = (adaptation, chain, constrain, hamiltonian, hmc, metric, nuts, rwm, start, state)

PROGRAMS = [
    value
    for module in MODULES
    for name, value in vars(module).items()
    if inspect.isfunction(value) and value.__module__ == module.__name__ and name not in ORDINARY
]


def gradient(u, data):
    return 0.0, u


def density_programs():
    params = {
        "a": real((2, 2)), "b": interval(0, 1, 2), "c": simplex(3), "d": ordered(2), "e": positive(),
        "f": positive_ordered(2),
    }  # fmt: skip
    model = build(lambda a, b, c, d, e, f, y: 0.0, params, ["y"])
    return [model.density, model.constrained]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_programs_are_read(program):
    assert read_function(program).name == program.__name__


@pytest.mark.parametrize("sampler", [NUTS(), HMC(), RWM()], ids=lambda s: type(s).__name__)
def test_programs_of_a_sampler_are_read(sampler):
    model_programs = density_programs()
    over = programs(sampler, gradient, model_programs[1])
    for one in (*over, transition(sampler, gradient), *kernel(sampler, DIAGONAL)):
        assert read_function(one).name == one.__name__


def test_generated_densities_are_read():
    for one in density_programs():
        assert read_function(one).name == one.__name__
