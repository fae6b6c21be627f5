"""batch(f, target="cuda"): what it shows without a GPU, what it says where there is none, and how it launches."""

from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np
import pytest
from corpus.calls import fibonacci
from over_lanes import directory  # noqa: F401
from warp import gpu, python_module, with_gpu

from autobatch import LaneError, Schedule, batch, profile, streams
from autobatch.cli import main
from autobatch.execute import launching
from autodiff import grad
from codegen import SourceError


def root(x):
    if x < 0.0:
        raise ValueError("no real root")
    return np.sqrt(x)


def sums(rng, x, n):
    if n > 0:
        return rng.normal(x, 2.0) + sums(rng, x * 0.5, n - 1)
    t = x
    for k in range(40):
        t = np.sin(t) + np.cos(t * x) / (1.0 + k)
    return t


def energy(q, X):
    return 0.5 * np.sum((X @ q) ** 2)


def test_the_text_is_shown_without_a_gpu() -> None:
    many = batch(root, target="cuda")
    text = many.source(np.ones(3))
    kernel = text[text.index("@cuda.jit") : text.index("\n\n\n", text.index("@cuda.jit"))]
    assert (
        kernel
        == '''\
@cuda.jit
def root_kernel(lanes, failed, x_lanes, out0):
    """One thread a lane."""
    lane = cuda.grid(1)
    if lane >= lanes:
        return
    failed[lane] = -2
    x = x_lanes[lane]
    if x < 0.0:
        failed[lane] = 1
        return
    result = math.sqrt(x)
    out0[lane] = result
    failed[lane] = 0'''
    )
    assert list(many.stages(np.ones(3)))[-3:] == ["meetings", "kernel", "machine"]
    assert many.explain(np.ones(3)).startswith("root: a thread of a GPU for each lane\n")
    assert "vote at" in batch(sums, target="cuda").explain(streams(1, 3), np.ones(3), np.arange(3))
    lanewise = batch(sums, target="cuda", schedule=Schedule("lanewise"))
    assert "ballot" not in lanewise.source(streams(1, 3), np.ones(3), np.arange(3))


def test_what_is_not_there_is_said_in_one_line() -> None:
    many, x = batch(root, target="cuda"), np.ones(3)
    if not launching.importlib.util.find_spec("numba_cuda"):
        with pytest.raises(
            RuntimeError, match=r"^target='cuda' needs numba-cuda: pip install 'lanewise\[cuda\]'"
        ):
            many(x)

    class NoDriver:
        def __len__(self) -> int:
            raise ImportError("Error at driver init")

    for found, message in ((NoDriver(), "a driver of NVIDIA's"), ([], "a GPU of NVIDIA's")):
        with with_gpu(SimpleNamespace(**vars(gpu()) | {"gpus": found})):
            with pytest.raises(RuntimeError, match=f"^target='cuda' needs {message}[^\n]*$"):
                many(x)


def test_what_the_target_does_not_take_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^group= of a schedule is for the CPU"):
        batch(root, target="cuda", schedule=Schedule(group=4))(np.ones(3))
    with pytest.raises(ValueError, match=r"^form='local_static' of a schedule is for the CPU"):
        batch(root, target="cuda", schedule=Schedule("local_static"))(np.ones(3))

    with pytest.raises(ValueError, match="^a profile is of lanes on the CPU"):
        profile(batch(root, target="cuda"), np.ones(3))

    def large(x):
        a = np.zeros(100_000)
        for k in range(100_000):
            a[k] = x * a[k - 1]
        return a[7]

    with pytest.raises(
        SourceError, match="a lane's arrays take 800,000 bytes, of which a thread of a GPU has"
    ):
        batch(large, target="cuda").source(np.ones(3))


@pytest.mark.turns(4)
def test_lanes_are_launched() -> None:
    """As many at once as there is memory for; with larger stacks those that need them; failures as on the CPU."""
    with with_gpu(gpu()):
        np.testing.assert_array_equal(batch(fibonacci, target="cuda")(np.array([3, 9, 1])), [3, 55, 1])
        with pytest.raises(LaneError) as error:
            batch(root, target="cuda")(np.array([1.0, -1.0, 4.0]))
        assert (error.value.lanes, error.value.failures[0].message) == ((1,), "no real root")
        np.testing.assert_array_equal(error.value.results[[0, 2]], [1.0, 2.0])
        q, X = np.arange(12.0).reshape(4, 3), np.arange(15.0).reshape(5, 3)
        slopes = batch(grad(energy), (0, None), target="cuda")(q, X)
        np.testing.assert_allclose(slopes, [X.T @ (X @ each) for each in q])
    n, rngs, expected = np.array([1, 200, 3, 0]), streams(3, 4), streams(3, 4)
    with with_gpu(gpu(bytes_free=40_000)):
        found = batch(sums, target="cuda")(rngs, np.ones(4), n)
    wanted = batch(sums, schedule=Schedule("lanewise"))(expected, np.ones(4), n)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    np.testing.assert_array_equal(rngs.state, expected.state)
    with with_gpu(gpu(bytes_free=100)), pytest.raises(MemoryError, match="the GPU has 100 bytes left"):
        batch(sums, target="cuda")(rngs, np.ones(4), n)


PROGRAM = """\
import numpy as np


def slope(x, n):
    ZIGGURAT = 3.0
    for _ in range(n):
        x = ZIGGURAT * np.sin(x)
    return x


def drawn(rng, x):
    return rng.normal(x, 2.0)
"""


@pytest.mark.parametrize("x", [np.ones(200), np.append(np.ones(200), -1.0)])
def test_codes_come_to_the_host_where_a_lane_fails(x: np.ndarray) -> None:
    """A failure in the last of several parts; where there is none the host has nothing of a lane's."""

    seen: list[np.ndarray] = []
    with with_gpu(gpu(bytes_free=3_000)):
        run = launching.launch
        with mock.patch.object(launching, "launch", lambda *given: (seen.append(run(*given)), seen[-1])[1]):
            if x[-1] > 0.0:
                np.testing.assert_array_equal(batch(root, target="cuda")(x), x)
            else:
                with pytest.raises(LaneError) as error:
                    batch(root, target="cuda")(x)
                assert error.value.lanes == (200,)
    assert [len(codes) for codes in seen] == [0 if x[-1] > 0.0 else 201]


def test_the_command_line_writes_a_module_that_launches_them(tmp_path: Path) -> None:
    (tmp_path / "programs.py").write_text(PROGRAM)
    for name, steps, types in (
        ("slope", ["grad", "batch"], "x: f8, n: i8"),
        ("drawn", ["batch"], "rng: rng, x: f8"),
    ):
        told = [word for step in steps for word in ("--transform", step)]
        told += ["--target", "cuda", "--types", types, "-o", str(tmp_path / f"{name}.py")]
        assert main(["transform", f"{tmp_path / 'programs.py'}:{name}", *told]) == 0
    with with_gpu(gpu()):
        slope = python_module((tmp_path / "slope.py").read_text(), gpu())["slope_grad_batch"]
        drawn = python_module((tmp_path / "drawn.py").read_text(), gpu())["drawn_batch"]
        rngs, expected = streams(1, 5), streams(1, 5)
        np.testing.assert_allclose(slope(np.array([0.5, 1.0]), np.array([1, 0])), [3.0 * np.cos(0.5), 1.0])
        found = drawn(rngs, np.arange(5.0))
    np.testing.assert_array_equal(found, [rng.normal(x, 2.0) for rng, x in zip(expected, range(5))])
