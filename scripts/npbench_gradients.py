"""The gradient of one of NPBench's programs, beside what differences of plain NumPy say.

The loss is the sum of all floats that a program gives or leaves in its arguments; its gradient is asked for in the
first argument that is an array of floats, and compared along one direction, drawn at random.
"""

from __future__ import annotations

import copy
import inspect
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from npbench_calls import called, first_call, module, timed

STEPS = {"float64": (1e-6, 1e-7, 1e-8), "float32": (1e-2, 3e-3, 1e-3)}  # of the argument's largest number
AGREES = {"float64": 1e-4, "float32": 0.05}  # of the derivative, with one of the differences
FOLDER = tempfile.TemporaryDirectory()  # of the losses' texts, until the process ends
ROUGH = 0.1  # the part by which differences do not agree among themselves, where there is a jump, or chaos


def loss_of(f: Callable[..., Any], arguments: list[Any], given: Any, left: list[Any]) -> Callable[..., Any]:
    """`f` and the sum after it, in a module of its own, since functions are read from their text."""
    names = [f"a{k}" for k in range(len(arguments))]
    changed = [
        n for n, x, y in zip(names, arguments, left, strict=True) if is_floats(y) and not np.array_equal(x, y)
    ]
    parts = [f"made[{k}]" for k, v in enumerate(given)] if isinstance(given, tuple) else ["made"]
    values = given if isinstance(given, tuple) else (given,)
    terms = [f"np.sum({part})" for part, v in zip(parts, values, strict=True) if is_floats(v)]
    terms += [f"np.sum({name})" for name in changed]
    if not terms:
        raise TypeError("nothing that it gives is a float")
    home = inspect.getmodule(f)
    assert home is not None
    text = (
        f"import numpy as np\nfrom {home.__name__} import {f.__name__} as program\n\n\n"
        f"def loss({', '.join(names)}):\n    made = program({', '.join(names)})\n    return {' + '.join(terms)}\n"
    )
    file = Path(FOLDER.name) / "loss_of_a_program.py"
    file.write_text(text)
    found: Callable[..., Any] = module(file).loss
    return found


def is_floats(value: Any) -> bool:
    return isinstance(value, np.ndarray | np.floating | float) and np.asarray(value).dtype.kind == "f"


def gradient(
    told: dict[str, Any], f: Callable[..., Any], arguments: list[Any], target: Any, repeat: int
) -> dict[str, Any]:
    """What becomes of the gradient: as npbench_programs.one tells it."""
    from autodiff import grad
    from codegen import jit

    try:
        loss = loss_of(f, arguments, *called(f, arguments))
        place = next(k for k, v in enumerate(arguments) if isinstance(v, np.ndarray) and is_floats(v))
    except (StopIteration, TypeError):
        return {**told, "state": "refused", "why": "there are no floats to take a gradient of"}
    derived = grad(loss, place, target=target)
    first, made = first_call(derived, arguments)
    if made is None:
        return {**told, **first}
    x = arguments[place]
    along, differences = compared(loss, arguments, place, made[0])
    agree = (abs(d - along) <= AGREES[x.dtype.name] * abs(d) + unseen for d, unseen in differences)
    if not any(agree):
        found_by = [d for d, _ in differences]
        words = ", ".join(f"{d:.6g}" for d in found_by)
        if max(found_by) - min(found_by) > ROUGH * max(map(abs, found_by)):
            state, told_of = "refused", "no derivative to compare"
        else:
            state, told_of = "differs", f"along a direction {along:.6g}"
        return {**told, "state": state, "why": f"{told_of}; by differences of three steps {words}"}
    told["numpy"] = timed(jit(loss, target=target), arguments, repeat)
    told["ours"] = timed(derived, arguments, repeat)
    return {**told, **first, "state": "equal"}


def compared(
    loss: Any, arguments: list[Any], place: int, found: Any
) -> tuple[float, list[tuple[float, float]]]:
    """The derivative along a direction, and by differences, each with what the loss's last bit makes of it."""
    x = arguments[place]
    direction = np.random.default_rng(0).standard_normal(x.shape)
    differences = []
    for step in STEPS[x.dtype.name]:
        size, sides = step * max(float(np.max(np.abs(x))), 1e-3), []
        for sign in (1.0, -1.0):
            moved = copy.deepcopy(arguments)
            moved[place] = (x + sign * size * direction).astype(x.dtype)
            sides.append(float(called(loss, moved)[0]))
        unseen = float(np.finfo(x.dtype).eps) * max(map(abs, sides)) / size
        differences.append(((sides[0] - sides[1]) / (2 * size), unseen))
    return float(np.sum(found * direction)), differences
