"""The demonstration on a small run: what it prints and writes, and that what it emits stands alone."""

import doctest
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import arviz
import matplotlib.image
import numpy as np
import pytest

import demo
from autobatch.execute import executor as compiled
from autobatch.mcmc import NUTS
from autobatch.mcmc.chains import LONG_CHUNK
from autobatch.mcmc.kernels.metric import Diagonal
from autobatch.mcmc.kernels.state import State
from autobatch.mcmc.sample import gradient_of, prepare_programs
from autobatch.mcmc.samplers import transition
from autodiff import value_and_grad
from codegen import jit
from codegen.runtime import state_of

SMALL = ["--models", "eight_schools", "--chains", "8", "--draws", "50", "--warmup", "50"]
FILES = ("logp.py", "gradient.py", "step.py", "batched.py")

# Runs in a new interpreter, isolated and with this distribution hidden: the file named first, its function named
# second, on the arrays of an .npz; all arrays as the call leaves them and then its results go into another.
ALONE = """
import importlib.util, sys
for hidden in ("codegen", "autodiff", "autobatch"):
    sys.modules[hidden] = None
import numpy as np

path, name, given, found = sys.argv[1:]
spec = importlib.util.spec_from_file_location("emitted", path)
module = importlib.util.module_from_spec(spec)
sys.modules["emitted"] = module
spec.loader.exec_module(module)
with np.load(given) as arrays:
    args = [a if a.ndim else a.item() for a in (arrays[k] for k in arrays.files)]


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, tuple) else [value]


np.savez(found, *args, *flat(getattr(module, name)(*args)))
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a small run of one model; what it printed is in `printed`."""
    out = tmp_path_factory.mktemp("demo")
    root = Path(demo.__file__).resolve().parent.parent
    command = [sys.executable, str(root / "examples" / "demo.py"), *SMALL, "--out", str(out)]
    environment = {**os.environ, "PYTHONPATH": str(root)}
    done = subprocess.run(command, cwd=out, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (out / "printed").write_text(done.stdout)
    return out


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(demo).failed == 0


@pytest.mark.turns(4)
def test_it_prints_a_summary_and_what_it_took(run: Path) -> None:
    (part,) = (run / "printed").read_text().split("\n== ")[1:]
    assert part.startswith("eight schools: 8 chains, 50 warm-up and 50 draws each\n")
    for word in ("mean", "sd", "ess_bulk", "r_hat", "theta_trans[7]", "divergences", "leapfrogs per second"):
        assert word in part
    assert 0.5 < percentage(part, "lane utilisation") <= 1.0
    assert 0.1 < percentage(part, "the same in lockstep") < 1.0


def percentage(text: str, label: str) -> float:
    line = next(line for line in text.splitlines() if line.startswith(label))
    return float(line.split("%")[0].split()[-1]) / 100.0


@pytest.mark.turns(8)
def test_it_writes_trace_picture_and_programs(run: Path) -> None:
    name = "eight_schools"
    folder = run / name
    assert {path.name for path in folder.iterdir()} == {*FILES, "trace.nc", "trace.png"}
    trace = arviz.from_netcdf(folder / "trace.nc")
    assert set(trace.posterior) == set(demo.EXAMPLES[name]().params)
    assert trace.posterior.sizes["chain"] == 8 and trace.posterior.sizes["draw"] == 50
    assert np.all(np.isfinite(trace.sample_stats["lp"].values))
    picture = matplotlib.image.imread(folder / "trace.png")
    assert picture.shape[0] > 500 and picture.std() > 0.1


@pytest.mark.turns(2)
def test_eight_schools_are_where_they_should_be(run: Path) -> None:
    """Reference means 4.4 and 3.6, deviations 3.3 and 3.2 (posteriordb), by 400 correlated draws."""
    posterior = arviz.from_netcdf(run / "eight_schools" / "trace.nc").posterior
    assert abs(float(posterior["mu"].mean()) - 4.4) < 1.5
    assert abs(float(posterior["tau"].mean()) - 3.6) < 1.5


def alone(path: Path, name: str, args: list[Any], folder: Path, **environment: str) -> list[np.ndarray]:
    """The arguments after the call, then the results, of an emitted function run without this distribution."""
    np.savez(folder / "given.npz", *args)
    files = [str(path), name, str(folder / "given.npz"), str(folder / "found.npz")]
    done = subprocess.run(
        [sys.executable, "-I", "-c", ALONE, *files],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    with np.load(folder / "found.npz") as found:
        return [found[k] for k in found.files]


def assert_same(found: list[np.ndarray], expected: list[Any]) -> None:
    assert len(found) == len(expected)
    for x, y in zip(found, expected):
        np.testing.assert_array_equal(x, y)


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", demo.EXAMPLES)
def test_density_and_gradient_stand_alone(name: str, tmp_path: Path) -> None:
    example = demo.EXAMPLES[name]()
    rng = np.random.default_rng(3)
    values = [rng.normal(size=t.shape) if t.shape else 1.5 for t in example.params.values()]
    args = [*values, *example.data.values()]
    (tmp_path / "logp.py").write_text(jit(example.logp).source(*args))
    value = jit(example.logp)(*args)
    found = alone(tmp_path / "logp.py", example.logp.__name__, args, tmp_path)
    assert_same(found[len(args) :], [value])
    slopes = value_and_grad(example.logp, tuple(range(len(values))))
    (tmp_path / "gradient.py").write_text(slopes.source(*args))
    value, gradient = slopes(*args)
    function = f"{example.logp.__name__}_value_and_grad"
    found = alone(tmp_path / "gradient.py", function, args, tmp_path)
    assert_same(found[len(args) :], [value, *gradient])
    # And those are right: against the function itself, and along a random direction.
    np.testing.assert_allclose(value, example.logp(*args), rtol=1e-12)
    direction = [rng.normal(size=t.shape) if t.shape else rng.normal() for t in example.params.values()]
    ahead, back = (
        example.logp(*(v + h * d for v, d in zip(values, direction)), *example.data.values())
        for h in (1e-5, -1e-5)
    )
    slope = sum(np.sum(g * d) for g, d in zip(gradient, direction))
    np.testing.assert_allclose(slope, (ahead - back) / 2e-5, rtol=1e-6)


@pytest.mark.slow
def test_one_transition_stands_alone(run: Path, tmp_path: Path) -> None:
    """The file's text is `.source()`'s; alone, it takes the step that the other target takes."""
    example = demo.eight_schools()
    data = tuple(example.data.values())
    model, *_ = prepare_programs(example.logp, example.params, example.data, NUTS(), "numpy")
    gradient = gradient_of(model, NUTS())
    kernel = transition(NUTS(), gradient)
    rng = np.random.default_rng(np.random.Philox(key=[5, 0]))
    u = np.full(model.size, 0.1)
    lp, slope = gradient(u, data)
    state, metric = State(u, lp, slope), Diagonal(np.linspace(0.5, 2.0, model.size))
    file = run / "eight_schools" / "step.py"
    assert file.read_text() == jit(kernel).source(rng, state, 0.4, metric, data)
    args = [state_of(rng), u, lp, slope, 0.4, metric.variance, *data]
    after, info = jit(kernel, target="numpy")(rng, state, 0.4, metric, data)
    # Numbers of one step need no optimised code, which is half of the time of compiling it.
    found = alone(file, "step", args, tmp_path, NUMBA_OPT="0")
    told = [*after, *info]
    for got, wanted in zip(found[len(args) :][: len(told)], told, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9)
    # The stream was advanced in place, as far as a Generator that NumPy advances.
    np.testing.assert_array_equal(found[0], state_of(rng))


@pytest.mark.slow
def test_all_transitions_of_all_chains_stand_alone(run: Path, tmp_path: Path, monkeypatch: Any) -> None:
    calls = []
    in_threads = compiled.in_threads

    def recording(machine: Any, module: Any, count: int, limit: int, failed: Any, *arrays: Any) -> None:
        before = [np.copy(a) for a in arrays]
        in_threads(machine, module, count, limit, failed, *arrays)
        calls.append((module, before, arrays))

    monkeypatch.setattr(compiled, "in_threads", recording)
    example = demo.eight_schools()
    demo.sampled(example, chains=8, draws=50, warmup=50, seed=1)
    module, before, after = calls[-1]
    text = (run / "eight_schools" / "batched.py").read_text()
    assert all(section in text for section in (module.written.own, module.written.called))
    stacks = [np.empty(4096, dtype) for _, dtype in module.stacks]
    args = [0, 8, -1, np.zeros(9, np.int64), *stacks, *before]
    found = alone(run / "eight_schools" / "batched.py", module.run, args, tmp_path)
    assert found[-1] == 8
    assert_same([drawn(a) for a in found[4 + len(stacks) : -1]], [drawn(a) for a in after])


def drawn(value: Any) -> np.ndarray:
    """Of an array with room for LONG_CHUNK draws of each chain the 50 that were made; else the value."""
    array = np.asarray(value)
    rows = array.shape[1] // LONG_CHUNK if array.ndim > 1 else 0
    return array[:, : 50 * rows] if rows else array


def test_options_are_checked(capsys: pytest.CaptureFixture[str]) -> None:
    quick = demo.settings(["--quick", "--draws", "7"])
    assert (quick.chains, quick.draws, quick.warmup) == (32, 7, 100)
    with pytest.raises(SystemExit):
        demo.settings(["--chains", "0"])
    assert "--chains must be at least 1" in capsys.readouterr().err


def test_the_data_are_those_described() -> None:
    table = json.loads((demo.DATA / "eight_schools.json").read_text())
    assert list(demo.eight_schools().data["y"]) == table["y"]
    X, y = demo.logistic_regression().data.values()
    assert X.shape == (569, 31) and y.sum() == 357
    np.testing.assert_allclose(X[:, 1:].mean(axis=0), 0.0, atol=1e-12)
    np.testing.assert_allclose(X[:, 1:].std(axis=0), 1.0, atol=1e-12)
