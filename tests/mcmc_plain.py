"""What the samplers' tests run chains with: a plain loop over lanes, and gradients by finite differences.

`plain_batch` means what `autobatch.batch` means; each lane's program is called as the Python that it is.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from autobatch.streams import Streams
from codegen.runtime import state_of


def generator(seed: int, lane: int = 0) -> np.random.Generator:
    """The stream of one lane."""
    return np.random.Generator(np.random.Philox(key=np.array([seed, lane], np.uint64)))


def plain_batch(program: Callable[..., Any], in_axes: Any = 0, schedule: Any = None) -> Callable[..., Any]:
    """program of one lane -> program of many, lane by lane."""

    def batched(*args: Any) -> Any:
        axes = in_axes if isinstance(in_axes, tuple) else (in_axes,) * len(args)
        lanes = next(count(arg) for arg, axis in zip(args, axes) if axis == 0)
        results = []
        with np.errstate(all="ignore"):
            for i in range(lanes):
                own = [lane(arg, i) if axis == 0 else arg for arg, axis in zip(args, axes)]
                results.append(program(*own))
                for arg, value in zip(args, own):
                    if isinstance(arg, Streams):
                        arg.state[i] = state_of(value)
        return stack(results)

    return batched


def count(tree: Any) -> int:
    return count(tree[0]) if isinstance(tree, tuple) else len(tree)


def lane(tree: Any, i: int) -> Any:
    if isinstance(tree, tuple):
        return rebuilt(tree, [lane(leaf, i) for leaf in tree])
    value = tree[i]
    return value.copy() if isinstance(value, np.ndarray) else value


def stack(trees: list[Any]) -> Any:
    if isinstance(trees[0], tuple):
        return rebuilt(trees[0], [stack(list(leaves)) for leaves in zip(*trees)])
    return np.array(trees)


def rebuilt(tree: Any, leaves: list[Any]) -> Any:
    return type(tree)(*leaves) if hasattr(tree, "_fields") else tuple(leaves)


def numeric_gradient(
    density: Callable[..., float], step: float = 6e-6
) -> Callable[..., tuple[float, np.ndarray]]:
    """value_and_grad by central differences: relative error about 1e-9."""

    def value_and_gradient(u: np.ndarray, *data: Any) -> tuple[float, np.ndarray]:
        gradient = np.zeros(len(u))
        for k in range(len(u)):
            h = np.zeros(len(u))
            h[k] = step * max(1.0, abs(u[k]))
            gradient[k] = (density(u + h, *data) - density(u - h, *data)) / (2.0 * h[k])
        return density(u, *data), gradient

    return value_and_gradient
