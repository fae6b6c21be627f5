"""On a GPU, by scripts/gpu_check: the corpus, NUTS, the sampler, array programs, arrays that are there. A few of them
over stand-ins, where there is none.
"""

from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest
from array_programs import PROGRAMS as ARRAY_PROGRAMS
from array_programs import same, same_outcome, scaled
from chains_as_threads import run
from corpus import CASES, Case
from lanes_as_threads import NUTS
from on_gpu import check_case, check_nuts
from ordered_array_programs import LOSSES
from ordered_array_programs import PROGRAMS as ORDERED
from over_lanes import directory  # noqa: F401
from parted_programs import PARTED
from row_programs import PROGRAMS as ROWS
from seeded_programs import ON_A_GPU, on_a_gpu
from waiting_programs import COLUMNS, X, climbed, y
from warp import gpu, with_gpu

from autobatch import LaneError, Schedule, batch
from autobatch.device_arrays import tree_on_host
from autobatch.mcmc import gpu_chains
from autodiff import grad
from codegen import jit


@pytest.mark.gpu
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_corpus(case: Case) -> None:
    check_case(case)


@pytest.mark.gpu
@pytest.mark.parametrize("name", NUTS)
def test_nuts(name: str) -> None:
    check_nuts(name, 1024, 20)


@pytest.mark.gpu
@pytest.mark.parametrize("f, arguments", ON_A_GPU, ids=lambda x: getattr(x, "__name__", ""))
def test_streams_of_seeds(f: Any, arguments: Any) -> None:
    on_a_gpu(f, arguments)


@pytest.mark.gpu
def test_sampler() -> None:
    """A GPU joins products and sums, its elementary functions are NVIDIA's, and 210 draws with all of the warm-up make
    much of the last bit: on an H200 about a tenth of 1,000 chains part from the CPU's. The others take the same steps,
    to the last word of their streams."""
    found, wanted = tree_on_host(run("cuda", chains=1000)), run("numba", chains=1000)
    names = ("n_steps", "diverging")
    equal = [(getattr(found.record, n) == getattr(wanted.record, n)).all(axis=1) for n in names]
    together = equal[0] & equal[1]
    assert together.mean() > 0.8
    np.testing.assert_array_equal(found.words[together], wanted.words[together])
    np.testing.assert_array_equal(found.record.tree_depth[together], wanted.record.tree_depth[together])
    apart = np.abs(found.state.position - wanted.state.position)[together]
    assert np.median(apart) < 1e-6
    means, deviations = wanted.state.position.mean(axis=0), wanted.state.position.std(axis=0)
    assert (np.abs(found.state.position.mean(axis=0) - means) < 0.1 * deviations).all()


@pytest.mark.gpu
def test_groups_of_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    """They draw what they draw together."""
    whole = tree_on_host(run("cuda", chains=1000))
    monkeypatch.setattr(gpu_chains, "GROUP_CHAINS", 300)
    monkeypatch.setattr(gpu_chains, "GROUPS", 3)
    found = tree_on_host(run("cuda", chains=1000))
    np.testing.assert_array_equal(found.words, whole.words)
    for one, other in zip((*found.record, found.state.position), (*whole.record, whole.state.position)):
        np.testing.assert_array_equal(one, other)


@pytest.mark.gpu
@pytest.mark.parametrize(("f", "given"), ARRAY_PROGRAMS, ids=[f.__name__ for f, _ in ARRAY_PROGRAMS])
def test_array_programs(f: Any, given: Any) -> None:
    same(jit(f, target="cuda")(*given), f(*given), rtol=1e-10)


@pytest.mark.gpu
@pytest.mark.parametrize(("f", "given"), ORDERED, ids=[f.__name__ for f, _ in ORDERED])
def test_array_programs_that_go_in_order(f: Any, given: Any) -> None:
    same_outcome(f, given, nullcontext, rtol=1e-8)


@pytest.mark.gpu
@pytest.mark.parametrize("shape", [(7, 5), (3, 5000), (3000, 40), (70_000, 5), (1, 1)], ids=str)
@pytest.mark.parametrize("f", ROWS, ids=[f.__name__ for f in ROWS])
def test_rows(f: Any, shape: tuple[int, int]) -> None:
    """Each by a block of threads, by a warp or a part of one, and by a thread."""
    X = np.random.default_rng(5).normal(size=shape)
    same_outcome(f, (X,), nullcontext, rtol=1e-9)


@pytest.mark.gpu
@pytest.mark.parametrize(("f", "given"), LOSSES, ids=[f.__name__ for f, _ in LOSSES])
def test_their_gradients(f: Any, given: Any) -> None:
    argnums = tuple(k for k, value in enumerate(given) if np.asarray(value).dtype.kind == "f")
    same(grad(f, argnums=argnums, target="cuda")(*given), grad(f, argnums=argnums)(*given), rtol=1e-8)


@pytest.mark.gpu
def test_lanes_that_wait_for_products() -> None:
    starts, steps = np.random.default_rng(2).normal(size=(500, COLUMNS)) / 10.0, np.arange(500) % 7
    found, wanted = (
        batch(climbed, (0, None, None, 0), target=target)(starts, X, y, steps) for target in ("cuda", "numba")
    )
    same(found, wanted, rtol=1e-8)


@pytest.mark.gpu
def test_rounds_that_are_begun_ahead() -> None:
    """Lanes come to one place alone, and end in many rounds; some at once, a few after all others."""

    def turned(q, X, n):
        for _ in range(n):
            q = 0.5 * q + X @ q
        return q

    rng = np.random.default_rng(3)
    square, starts = rng.normal(size=(130, 130)) / 30.0, rng.normal(size=(500, 130))
    steps = np.where(np.arange(500) % 50, np.arange(500) % 40, 70)
    found, wanted = (
        batch(turned, (0, None, 0), target=target)(starts, square, steps) for target in ("cuda", "numba")
    )
    same(found, wanted, rtol=1e-8)


@pytest.mark.gpu
@pytest.mark.parametrize("name", PARTED)
def test_loops_that_are_gone_through_in_parts(name: str) -> None:
    f, axes, arguments, _ = PARTED[name]
    many = [np.resize(x, (500, *x.shape[1:])) if axis == 0 else x for x, axis in zip(arguments, axes)]
    found, wanted = (batch(f, axes, target=target)(*many) for target in ("cuda", "numba"))
    same(found, wanted, rtol=1e-8)


@pytest.mark.gpu
def test_arrays_that_are_there() -> None:
    import cupy

    x, y = cupy.linspace(0.0, 1.0, 100_000), cupy.ones(100_000)
    found = batch(scaled, target="cuda")(x, y)
    assert isinstance(found, cupy.ndarray)
    same(cupy.asnumpy(found), scaled(cupy.asnumpy(x), cupy.asnumpy(y)), rtol=1e-12)
    assert isinstance(jit(scaled, target="cuda")(x, y), cupy.ndarray)


@pytest.mark.gpu
def test_lanes_that_do_not_end() -> None:
    def halved(x: float) -> float:
        while x > 1.0:
            x = x / 2.0
        return x

    with pytest.raises(LaneError) as error:
        batch(halved, schedule=Schedule(round_limit=1000), target="cuda")(np.array([8.0, np.inf, 2.0]))
    assert error.value.lanes == (1,)


@pytest.mark.gpu
def test_schedules_are_measured(directory: Any) -> None:  # noqa: F811
    def collatz(n: int) -> int:
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    n = np.arange(1, 100_000)
    many = batch(collatz, schedule=Schedule("measure"), target="cuda")
    np.testing.assert_array_equal(many(n), batch(collatz)(n))
    assert "measured over" in many.explain() and "blocks of 64" in many.explain()


@pytest.mark.sampled(10)
@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case.name)
def test_corpus_over_stand_ins(case: Case) -> None:
    with with_gpu(gpu()):
        check_case(case)


@pytest.mark.turns(4)
def test_nuts_over_stand_ins() -> None:
    with with_gpu(gpu()):
        check_nuts("recursive", 3, 1)
