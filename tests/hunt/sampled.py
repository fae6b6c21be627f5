"""Samplers of a density held against the same programs run chain after chain, gradients being differences.

A chain is a long way of numbers. Where differences by other steps come to other draws, it says nothing; nor where
chains one after the other come to these with derivatives for differences, which far out, where densities are rounded to
steps, are others: derivatives have forms of their own (slopes.py).
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import numpy as np
from mcmc_plain import numeric_gradient, plain_batch

from autodiff import value_and_grad
from hunt.case import Outcome, names_of, outcome
from hunt.verdicts import SAME, UNLIKE, Verdict, refused

driver = importlib.import_module("autobatch.mcmc.sample")  # the package's name is the function

SETTINGS = {"chains": 3, "draws": 4, "warmup": 5, "seed": 1, "progress": False}
FAR, TRUSTED = 1e-4, 1e-6  # relative: draws that are others, and how near those by other differences must be


def by_sampling(text: str, *, target: str) -> Verdict:
    """`f`, `params`, `data` and `sampler` of the text."""
    with plainly(numeric_gradient):
        want = sampled(text, "numpy")
    found = sampled(text, target)
    if found.error is not None and (reason := refused(found.error)):
        return Verdict("refused", reason)
    if (found.error is None) != (want.error is None):
        return Verdict(
            "mismatch", f"{type(found.error or want.error).__name__} of one", 0, found.said, want.said
        )
    if want.error is not None:
        alike = type(found.error) is type(want.error)
        return SAME if alike else Verdict("mismatch", "errors", 0, found.said, want.said)
    if (name := far(found.value, want.value, FAR)) is None:
        return SAME
    with plainly(partial(numeric_gradient, step=2e-5)):
        again = sampled(text, "numpy")
    if again.error is not None or far(again.value, want.value, TRUSTED):
        return UNLIKE
    with plainly(partial(value_and_grad, target="numpy")):
        own = sampled(text, "numpy")
    if own.error is None and far(found.value, own.value, FAR) is None:
        return UNLIKE
    return Verdict("mismatch", f"{name} of draws", 0, repr(found.value[name]), repr(want.value[name]))


def plainly(gradient: Callable[..., Any]) -> Any:
    """Chains one after the other, with such gradients."""
    driver.cached_programs.cache_clear()
    return mock.patch.multiple(
        driver,
        batch=lambda f, in_axes, schedule=None, target=None: plain_batch(f, in_axes),
        value_and_grad=gradient,
    )


def sampled(text: str, target: str) -> Outcome:
    """All arrays of a run, by name."""
    names = names_of(text)

    def run() -> tuple[Any, Any]:
        found = driver.sample(
            names["f"],
            names["params"],
            data=names["data"],
            sampler=names["sampler"],
            target=target,
            **SETTINGS,
        )
        groups = (found.posterior, found.sample_stats)
        return {name: np.asarray(group[name]) for group in groups for name in group}, None

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = outcome(run)
    driver.cached_programs.cache_clear()
    return made


def far(found: dict[str, np.ndarray], want: dict[str, np.ndarray], tolerance: float) -> str | None:
    """The name of an array that is another one."""
    for name, wanted in want.items():
        got = found.get(name)
        if got is None or got.shape != wanted.shape or got.dtype != wanted.dtype:
            return name
        if not np.allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
            return name
    return None
