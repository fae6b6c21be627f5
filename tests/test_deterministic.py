"""Emitted text is the same in every process: nothing hangs on the order of a set, which each has its own of."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
TEXTS = """
import hashlib
from corpus import CASES
from over_lanes import stacked
from autobatch import batch
from autodiff import value_and_grad
from codegen import SourceError, jit

first = next(k for k, case in enumerate(CASES) if case.name == "closures_of_scalars") % 8
for case in CASES[first::8]:  # every eighth, that one among them: it calls what all lanes share
    one, lanes = case.lanes()[0], case.lanes()
    some = [k for k, a in enumerate(one) if isinstance(a, float)]
    axes = tuple(None if k in case.shared else 0 for k in range(len(one)))
    columns = [one[k] if k in case.shared else stacked([lane[k] for lane in lanes]) for k in range(len(one))]
    made = [(jit(case.function, target="numpy"), one)]
    if "differentiable" in case.marks and some:
        slope = value_and_grad(case.function, tuple(some), target="numpy")
        made += [(slope, one), (batch(slope, axes, target="numpy"), columns)]
    if axes:
        made += [(batch(case.function, axes, target=target), columns) for target in ("numpy", "numba")]
    for f, given in made:
        try:
            text = f.source(*given)
        except (SourceError, TypeError, ValueError) as error:
            text = type(error).__name__
        print(case.name, hashlib.sha1(text.encode()).hexdigest())
"""


@pytest.mark.turns(4)
def test_texts_do_not_hang_on_the_order_of_sets() -> None:
    path = os.pathsep.join([str(TESTS.parent), str(TESTS)])
    started = [
        subprocess.Popen(
            [sys.executable, "-c", TEXTS],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": path},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    one, other = (process.communicate()[0].splitlines() for process in started)
    assert all(process.returncode == 0 for process in started) and len(one) > 40
    assert one == other
