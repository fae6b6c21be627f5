"""One chain: started and warmed up along a plan, then drawn from. These are the programs that are compiled for a model.

    advance : (rng, State, Tuning, free, plan, count, ...) -> (State, Tuning, found, Sums)
    run     : (rng, State, step_size, metric, count, room, ...) -> (State, Record)

Both are whole loops over transitions, so that a chain never waits for another inside them, and they can be left and
entered between any two iterations: what they need to go on goes in and comes out. `plan` says what each iteration does:

    START        find a start (`start.py`), and a first step size
    SEARCH       search for a step size
    others       one transition of the warm-up, and what `adaptation.py` learns from it

Draws have a program of their own, without what learns: as one more kind of iteration they took a quarter longer.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from autobatch.mcmc.kernels.adaptation import WINDOW_END, Tuning, restarted
from autobatch.mcmc.kernels.start import start
from autobatch.mcmc.kernels.state import Info, LogpGrad, State

Step = Callable[[np.random.Generator, State, float, Any, LogpGrad], tuple[State, Info]]
Search = Callable[[np.random.Generator, State, float, Any, LogpGrad], float]
Learn = Callable[[Tuning, int, np.ndarray, float, float, bool], Tuning]

START, SEARCH = 4, 5  # beside the warm-up's


class WarmupSums(NamedTuple):
    """Of the transitions of a warm-up: acceptance rates, leapfrogs, divergences."""

    acceptance_rate: float
    n_steps: int
    n_diverging: int


class Record(NamedTuple):
    """Draws of one chain in constrained parameters, (n, size), and each field of `Info`, (n,)."""

    draws: np.ndarray
    lp: np.ndarray
    acceptance_rate: np.ndarray
    step_size: np.ndarray
    tree_depth: np.ndarray
    n_steps: np.ndarray
    diverging: np.ndarray
    energy: np.ndarray
    max_energy_error: np.ndarray


def advance(
    rng: np.random.Generator,
    state: State,
    tuning: Tuning,
    free: np.ndarray,
    plan: np.ndarray,
    count: int,
    target: float,
    learn_step: bool,
    downhill: bool,
    step: Step,
    search: Search,
    learn: Learn,
    logp_grad: LogpGrad,
) -> tuple[State, Tuning, bool, WarmupSums]:
    """The first `count` iterations of `plan`.

    `free` (d,) and `downhill` are those of `start`, `found` says whether there was one. `step(rng, state, step_size,
    metric, logp_grad)` is one transition, `search` of the same arguments a step size to start from, `learn` what the
    warm-up learns (`adaptation.learned`); `target` is the acceptance rate aimed at. With `learn_step` false the step
    size stays as given.
    """
    sum_accept, sum_steps, sum_diverging = 0.0, 0, 0
    found = True
    for i in range(count):
        phase = plan[i]
        if phase == START:
            state, found = start(rng, state.position, free, downhill, logp_grad)
        elif phase != SEARCH:
            state, info = step(rng, state, tuning.step_size, tuning.metric, logp_grad)
            sum_accept += info.acceptance_rate
            sum_steps += info.n_steps
            if info.diverging:
                sum_diverging += 1
            tuning = learn(tuning, phase, state.position, info.acceptance_rate, target, learn_step)
        if learn_step and (phase in (WINDOW_END, SEARCH) or (phase == START and found)):
            first = search(rng, state, tuning.step_size, tuning.metric, logp_grad)
            tuning = tuning._replace(step_size=first, dual=restarted(first))
    return state, tuning, found, WarmupSums(sum_accept, sum_steps, sum_diverging)


def run(
    rng: np.random.Generator,
    state: State,
    step_size: float,
    metric: Any,
    step: Step,
    constrain: Callable[[np.ndarray], np.ndarray],
    logp_grad: LogpGrad,
    count: int,
    room: np.ndarray,
) -> tuple[State, Record]:
    """`count` transitions with nothing adapted, in the first `count` rows of a record.

    `constrain(position)` gives the row of `Record.draws`, which is of the shape of `room`. Other rows hold anything.
    """
    rows = len(room)
    draws, lp = np.empty(room.shape), np.empty(rows)
    acceptance_rate, step_sizes = np.empty(rows), np.empty(rows)
    tree_depth, n_steps = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
    diverging, energy, max_energy_error = np.empty(rows, dtype=bool), np.empty(rows), np.empty(rows)
    for i in range(count):
        state, info = step(rng, state, step_size, metric, logp_grad)
        draws[i, :] = constrain(state.position)
        lp[i] = info.lp
        acceptance_rate[i] = info.acceptance_rate
        step_sizes[i] = info.step_size
        tree_depth[i] = info.tree_depth
        n_steps[i] = info.n_steps
        diverging[i] = info.diverging
        energy[i] = info.energy
        max_energy_error[i] = info.max_energy_error
    return state, Record(
        draws, lp, acceptance_rate, step_sizes, tree_depth, n_steps, diverging, energy, max_energy_error
    )
