"""What a batched function must equal: the user's own function, run lane after lane."""

import copy
import dataclasses
import os
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from corpus.case import fresh

from autobatch import batch
from autobatch.streams import Streams
from autodiff import check_grads, grad
from codegen import jit
from codegen.runtime import state_of


def items_of(value: Any) -> tuple[list[Any], Callable[[list[Any]], Any]] | None:
    """The parts of a nest and what puts such parts together again."""
    if isinstance(value, dict):
        return list(value.values()), lambda parts: dict(zip(value, parts))
    if dataclasses.is_dataclass(value) and not isinstance(value, Streams):
        names = [field.name for field in dataclasses.fields(value)]
        return [getattr(value, n) for n in names], lambda parts: type(value)(**dict(zip(names, parts)))
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(value), lambda parts: type(value)(*parts)
    return (list(value), type(value)) if isinstance(value, tuple | list) else None


def stacked(values: Sequence[Any]) -> Any:
    """One value a lane as one value with a lane axis."""
    if isinstance(values[0], np.random.Generator):
        return Streams(np.stack([state_of(rng) for rng in values]))
    if values[0] is None:
        return None
    if (nest := items_of(values[0])) is None:
        return np.stack([np.asarray(v) for v in values])
    parts, together = nest
    return together([stacked([items_of(v)[0][k] for v in values]) for k in range(len(parts))])


def arguments(
    lanes: Sequence[tuple[Any, ...]], shared: Sequence[int] = ()
) -> tuple[list[Any], tuple[Any, ...]]:
    """The arguments of a batched call for these lanes, and its in_axes."""
    given = [
        lanes[0][k] if k in shared else stacked([lane[k] for lane in lanes]) for k in range(len(lanes[0]))
    ]
    return given, tuple(None if k in shared else 0 for k in range(len(given)))


def holds_with_derivatives(f: Callable[[Any], Any], x: np.ndarray) -> None:
    """A smooth function of an array: its value, derivatives of both orders, and lanes of it and of its gradient."""
    assert jit(f, target="numpy")(x) == pytest.approx(f(x), rel=1e-14)
    check_grads(f, (x,), order=2)
    lanes = np.stack([x, -x, 2.0 * x])
    np.testing.assert_allclose(batch(f, target="numpy")(lanes), [f(x) for x in lanes], rtol=1e-13)
    slopes = batch(grad(f), target="numpy")(lanes)
    np.testing.assert_allclose(slopes, [grad(f, target="numpy")(x) for x in lanes], rtol=1e-12)


def run_one(f: Callable[..., Any], lane: Sequence[Any]) -> Any:
    """What the function gives for arguments like these, which stay as they are."""
    return run_on(f, [fresh(argument) for argument in lane])


def run_on(f: Callable[..., Any], lane: Sequence[Any]) -> Any:
    """What the function gives for these arguments, which it may change."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return f(*lane)


def row(value: Any, k: int) -> Any:
    """Lane k of what a batched call returned."""
    if (nest := items_of(value)) is None:
        return value[k]
    parts, together = nest
    return together([row(part, k) for part in parts])


def of_lane(value: Any, k: int, lane: Any) -> Any:
    """What lane k of a batched argument is: NumPy's number or array, a generator and None as they are for one lane."""
    if (nest := items_of(value)) is not None:
        parts, together = nest
        return together([of_lane(part, k, each) for part, each in zip(parts, items_of(lane)[0])])
    return value[k] if isinstance(value, np.ndarray) else fresh(lane)


def same(given: Any, expected: Any, *, widens: bool = False) -> None:
    """Equal in structure, kind of dtype and value."""
    nest = items_of(expected)
    if nest is not None:
        assert type(given) is type(expected)
        if isinstance(expected, dict):
            assert list(given) == list(expected)
        found = items_of(given)[0]
        assert len(found) == len(nest[0])
        for one, other in zip(found, nest[0]):
            same(one, other, widens=widens)
    elif isinstance(expected, bool | int | float | np.generic | np.ndarray):
        wanted = np.asarray(expected)
        assert np.shape(given) == wanted.shape
        assert widens or np.asarray(given).dtype == wanted.dtype
        np.testing.assert_allclose(
            given, wanted, rtol=2e-6 if wanted.dtype in ("f4", "c8") else 1e-12, atol=1e-14
        )
    else:
        assert given is expected or given == expected


def same_as_loop(
    many: Callable[..., Any],
    f: Callable[..., Any],
    lanes: Sequence[tuple[Any, ...]],
    shared: Sequence[int] = (),
    *,
    widens: bool = False,
) -> Any:
    """What `many` returns for all lanes, and leaves in their arguments, held against `f` lane by lane."""
    given, _ = arguments([tuple(fresh(a) for a in lane) for lane in lanes], shared)
    before = copy.deepcopy(given)
    results = many(*given)
    for k, lane in enumerate(lanes):
        own = [fresh(a if j in shared else of_lane(before[j], k, a)) for j, a in enumerate(lane)]
        same(row(results, k), run_on(f, own), widens=widens)
        for j, left in enumerate(own):
            if not isinstance(given[j], Streams | None):
                same(given[j] if j in shared else row(given[j], k), left)
    advance_alike(given, f, lanes)
    return results


def advance_alike(given: list[Any], f: Callable[..., Any], lanes: Sequence[tuple[Any, ...]]) -> None:
    """Each lane's stream is where the function leaves its generator."""
    for k, lane in enumerate(lanes):
        inputs = [fresh(argument) for argument in lane]
        with np.errstate(all="ignore"):
            f(*inputs)
        for value, rngs in zip(inputs, given):
            if isinstance(rngs, Streams):
                np.testing.assert_array_equal(rngs.state[k], state_of(value))


@pytest.fixture(autouse=True)
def directory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """What tests compile is kept for one run of them, of all its processes."""
    folder = tmp_path_factory.getbasetemp()
    folder = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(folder / "cache"))
