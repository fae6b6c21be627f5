"""`logistic_value_and_grad` over lanes (each a thread of a GPU).

Made for q: f8[lanes, 16], X: f8[1024, 16], y: f8[1024].
"""

import importlib
import importlib.util
import math
import os
import sys
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from threading import local

import numpy as np
from numba import cuda


Q = 0
LOGITS_BAR = 16
LOGITS = 1072
T2 = 2128
Q_BAR = 2144
T_PARTS = 0


@cuda.jit
def logistic_value_and_grad_kernel(lanes, places, waiting, F, F_parts, failed, q_lanes, X, y, out0, out1):
    """One thread a lane, which waits for products with X, and at long loops."""
    lane = cuda.grid(1)
    if lane >= lanes:
        return
    pc = places[lane]
    if pc == 1:
        return
    if pc == 2 or pc == 4 or pc == 6:
        pc = 7
    result = 0.0
    fault = 0
    if pc == -1:
        failed[lane] = -2
        k = 0
        while k < 16:
            F[Q + k, lane] = q_lanes[lane, k]
            k += 1
        pc = 0
    while pc != 1:
        if pc == 0:  # logistic_value_and_grad
            pc = 2
            break
        elif pc == 7:  # logistic_value_and_grad, the product taken
            t = 0.0
            part = 0
            while part < 32:
                t += F_parts[T_PARTS + part, lane]
                part += 1
            t3 = 0.0
            i = 0
            while i < 16:
                q_i = F[Q + i, lane]
                F[Q_BAR + i, lane] = F[T2 + i, lane] - q_i
                t3 = cuda.fma(q_i, q_i, t3)
                i += 1
            result = t - 0.5 * t3
            pc = 1
    places[lane] = pc
    cuda.atomic.add(waiting, pc // 2, 1)
    if pc == 1:
        out0[lane] = result
        k = 0
        while k < 16:
            out1[lane, k] = F[Q_BAR + k, lane]
            k += 1
        failed[lane] = fault


@cuda.jit
def logistic_value_and_grad_loop_kernel(lanes, places, F, F_parts, y):
    """A thread for each of 32 parts of the 1,024 rounds of a lane."""
    thread = cuda.grid(1)
    lane, part = thread % lanes, thread // lanes & 2047
    pc = places[lane]
    if part >= 32 or (pc != 2 and pc != 4):
        return
    t = 0.0
    i = part
    while i < 1024:
        y_i = y[i]
        logits_i = F[LOGITS + i, lane]
        F[LOGITS_BAR + i, lane] = y_i - (fast_expit(logits_i) + (0.0 if logits_i < np.inf else np.nan))
        t += y_i * logits_i + fast_log_expit(-logits_i)
        i += 32
    F_parts[T_PARTS + part, lane] = t


def logistic_value_and_grad_batch(q, X, y):
    """`logistic_value_and_grad` over lanes (each a thread of a GPU).

    Made for q: f8[lanes, 16], X: f8[1024, 16], y: f8[1024].
    """
    q = _given("q", q, "f8", None, 16)
    X = _given("X", X, "f8", 1024, 16)
    y = _given("y", y, "f8", 1024)
    lanes = _lanes(q)
    result, q_bar, _ = _run_kernel(
        WaitingLanes(
            logistic_value_and_grad_kernel,
            end=1,
            width=1,
            kept=[('float64', 2160), ('float64', 32)],
            products=[
                ((2,), -4, False, 0, 16, 1072, 1024),
                ((2, 4, 6), -4, True, 16, 1024, 2128, 16),
            ],
            loops=[
                ((2, 4), logistic_value_and_grad_loop_kernel, (0, 1, 5), 32),
            ],
        ),
        lanes,
        fails=True,
        zero=False,
        limit=1000000,
        stacks=(),
        tables=(),
        shared=(False, True, True),
        streams=(False, False, False),
        block=64,
        arguments=(q, X, y),
        results=(("f8",), ("f8", 16)),
    )
    return result, q_bar