"""Ctrl-C while lanes run for years: it is answered, by any machine, and an interrupted call has had no effect."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from threading import Timer
from typing import Any

import numpy as np
import pytest
from processes import answer

from autobatch import Schedule, batch, streams

YEARS = 10**17


def walk(rng: np.random.Generator, n: int) -> float:
    x, k = 0.0, 0
    while k < n:
        x += rng.normal()
        k += 1
    return x


def rounds(n: int) -> int:
    x = 1
    for k in range(n):
        x = (5 * x + k) % 1000003
    return x


def halved(x: float, n: int) -> float:
    while n > 0:
        x = 0.5 * x + 1.0
        n -= 1
    return x


def fib(n: int) -> int:
    return 1 if n < 2 else fib(n - 1) + fib(n - 2)


def product(q: np.ndarray, matrix: np.ndarray, n: int) -> np.ndarray:
    while n > 0:
        q = np.tanh(matrix @ q)
        n -= 1
    return q


def ask() -> None:
    """Ctrl-C, in a moment."""
    Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()


def is_answered(call: Callable[[Any], Any], short: Any, long: Any) -> bool:
    """Whether a call that takes years ends, and the next one is as ever."""
    before = call(short)
    ask()
    try:
        call(long)
    except KeyboardInterrupt:
        return np.array_equal(before, call(short))
    return False


def lanewise(say: Any) -> None:
    one, count = batch(rounds, schedule=Schedule("lanewise", threads=1)), np.full(5, 10)
    calls = batch(fib, schedule=Schedule("program_counter", threads=2))
    steps = batch(halved, target="numpy")
    said = [
        is_answered(one, count[:1], count[:1] * YEARS),
        is_answered(lambda n: calls(np.full(n, 27)), 10, 10**6),
        is_answered(lambda n: steps(np.ones(3), np.full(3, n)), 10, YEARS),
    ]
    say(said)


def groups(say: Any) -> None:
    run = batch(halved, schedule=Schedule(group=16, threads=2))
    x = np.linspace(0.0, 1.0, 100)
    say(is_answered(lambda n: run(x, np.full(100, n)), 10, YEARS))


def products(say: Any) -> None:
    matrix = np.random.default_rng(0).normal(size=(40, 40))
    run = batch(product, (0, None, 0), schedule=Schedule(threads=2))
    q = np.ones((3, 40))
    say(is_answered(lambda n: run(q, matrix, np.full(3, n)), 3, YEARS))


def drawing(say: Any) -> None:
    """Also: a handler that returns lets the lanes go on."""
    heard: list[int] = []
    signal.signal(signal.SIGALRM, lambda number, frame: heard.append(number))
    run, rngs = batch(walk, schedule=Schedule("lanewise", threads=2)), streams(1, 4)
    run(rngs, np.full(4, 3))
    before = rngs.state.copy()
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    ask()
    try:
        run(rngs, np.full(4, YEARS))
    except KeyboardInterrupt:
        say((heard, bool(np.all(rngs.state == before))))


@pytest.mark.turns(4)
def test_lane_after_lane() -> None:
    assert answer(lanewise) == [True, True, True]


@pytest.mark.turns(8)
@pytest.mark.sampled(2)
@pytest.mark.parametrize("program", [groups, products])
def test_lanes_together(program: Callable[[Any], None]) -> None:
    assert answer(program)


def test_streams_are_where_they_were_and_other_signals_are_heard() -> None:
    assert answer(drawing) == ([signal.SIGALRM], True)
