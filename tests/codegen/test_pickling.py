"""What goes to other processes: functions, results and errors, by every pool; and functions that stand nowhere."""

import copy
import functools
import linecache
import pickle
import subprocess
import sys
from dataclasses import dataclass
from functools import partial

import numpy as np
import pytest
from numba import njit

import autobatch
import autodiff
import codegen
from autobatch import LaneError, batch
from autobatch.mcmc import SamplingWarning, real, sample
from autodiff import grad, jacrev, jvp, value_and_grad, vjp
from codegen import SourceError, jit

SCRIPT = """
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from autobatch import LaneError, batch
from autodiff import grad
from codegen import SourceError, jit


class Far(ValueError):
    def __init__(self, x, limit):
        super().__init__(f"{x} is beyond {limit}")
        self.x = x


def helper(x):
    return x * x


@jit(target="numpy")
def named(x):
    return helper(x) + 1.0


def plain(x):
    if x < 0.0:
        raise Far(x, 0.0)
    return helper(x)


def refused(x):
    global kept
    kept = x
    return x


slope = grad(plain, target="numpy")
lanes = batch(plain, target="numpy")
bad = jit(refused, target="numpy")


def checked(call):
    assert call(named, 3.0) == 10.0, call(named, 3.0)
    assert call(slope, 3.0) == 6.0
    assert list(call(lanes, np.array([1.0, 2.0]))) == [1.0, 4.0]
    try:
        call(lanes, np.array([1.0, -2.0]))
    except LaneError as error:
        assert error.lanes == (1,) and error.results[0] == 1.0
        assert type(error.failures[0].error).__name__ == "Far" and error.failures[0].error.x == -2.0
    else:
        raise AssertionError
    try:
        call(bad, 1.0)
    except SourceError as error:
        assert error.msg.startswith("`global` is not supported") and error.lineno and error.problems
    else:
        raise AssertionError


if __name__ == "__main__":
    for method in ("fork", "spawn", "forkserver"):
        with multiprocessing.get_context(method).Pool(1) as pool:
            checked(lambda f, x: pool.map(f, [x])[0])
            assert method != "fork" or pool.map(jit(helper), [3.0]) == [9.0]
            print(method)
    with ProcessPoolExecutor(1) as executor:
        checked(lambda f, x: executor.submit(f, x).result())
        print("executor")

    import joblib

    checked(lambda f, x: joblib.Parallel(n_jobs=2)(joblib.delayed(g)(x) for g in (f, f))[0])
    print("joblib")
    joblib.externals.loky.get_reusable_executor().shutdown()

    from distributed import Client, LocalCluster

    where = dict(n_workers=1, threads_per_worker=1, dashboard_address=None, host="127.0.0.1")
    with LocalCluster(**where) as cluster, Client(cluster) as client:
        checked(lambda f, x: client.submit(f, x).result(timeout=60))
        print("dask")
"""


@pytest.mark.turns(4)
def test_pools_carry_functions_results_and_errors(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == ["fork", "spawn", "forkserver", "executor", "joblib", "dask"], done.stderr


def cube(x, scale=1.0):
    return scale * x**3


@jit(target="numpy")
def decorated(x):
    return x + 1.0


class Model:
    def __init__(self, scale):
        self.scale = scale
        self.slope = grad(self.value, target="numpy")

    def value(self, x):
        return self.scale * x**2


def test_functions_are_pickled_and_copied(monkeypatch):
    assert pickle.loads(pickle.dumps(decorated)) is decorated
    for make in (jit, grad, value_and_grad, jacrev):
        for f in (cube, partial(cube, scale=2.0), Model(2.0).value):
            made = make(f, target="numpy")
            before = made(3.0)
            assert pickle.loads(pickle.dumps(made))(3.0) == before
            assert copy.deepcopy(made)(3.0) == before
    lanes = batch(cube, in_axes=(0, None), target="numpy")
    assert lanes(np.ones(2), 2.0).tolist() == pickle.loads(pickle.dumps(lanes))(np.ones(2), 2.0).tolist()
    model = Model(1.0)
    other = copy.deepcopy(model)
    other.scale = 5.0
    assert (model.slope(1.0), other.slope(1.0)) == (2.0, 10.0)
    monkeypatch.setattr(cube, "target", "another", raising=False)  # an attribute of a user's own
    assert pickle.loads(pickle.dumps(jit(cube, target="numpy"))).target == "numpy"
    local = jit(lambda x: x, target="numpy")
    with pytest.raises((AttributeError, pickle.PicklingError), match="lambda"):
        pickle.dumps(local)


def test_errors_are_pickled_and_copied(monkeypatch):
    class Local(Exception):
        pass

    def raises(x):
        if x < 0.0:
            raise Local(1, 2)
        return x

    with pytest.raises(LaneError) as caught:
        batch(raises, target="numpy")(np.array([-1.0, 2.0]))
    for made in (pickle.loads(pickle.dumps(caught.value)), copy.deepcopy(caught.value)):
        assert str(made) == str(caught.value)
        assert list(map(str, made.failures)) == list(map(str, caught.value.failures))
        assert made.results[1] == 2.0
    # no other process knows the class, where nothing carries it
    monkeypatch.delitem(sys.modules, "cloudpickle", raising=False)
    assert pickle.loads(pickle.dumps(caught.value)).failures[0].error is None
    assert copy.copy(caught.value.failures[0]).error is caught.value.failures[0].error
    error = SourceError([(None, "one"), (None, "two")])
    for made in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert (str(made), made.problems) == (str(error), error.problems)
    assert str(pickle.loads(pickle.dumps(SamplingWarning("w")))) == "w"


def test_wrong_arguments_are_pythons_errors():
    def said(f, *args, **kwargs):
        with pytest.raises(TypeError) as caught:
            f(*args, **kwargs)
        return str(caught.value)

    for f in (cube, partial(cube, scale=2.0), Model(2.0).value):
        for args, kwargs in (((), {}), ((1.0,) * 4, {}), ((1.0,), {"other": 2.0}), ((1.0,), {"x": 2.0})):
            for make in (jit, grad, batch):
                assert said(make(f, target="numpy"), *args, **kwargs) == said(f, *args, **kwargs)


def doubled(f):
    @functools.wraps(f)
    def wrapper(x):
        return 2.0 * f(x)

    return wrapper


@dataclass
class Line:  # has no hash
    slope: float

    def __call__(self, x):
        return self.slope * x

    @staticmethod
    def plain(x):
        return 3.0 * x

    @classmethod
    def of(cls, x):
        return 3.0 * x


@doubled
def wrapped(x):
    return 1.5 * x


FUNCTIONS = [
    functools.partial(np.multiply, 3.0),
    Line(3.0),
    Line(1.0).plain,
    Line.of,
    wrapped,
    njit(lambda x: 3.0 * x),
    partial(njit(lambda a, x: a * x), 3.0),
    jit(partial(lambda a, x: a * x, 3.0), target="numpy"),
    partial(partial(lambda a, b, x: a * b * x, 1.5), 2.0),
    Line(3.0).__call__,
]


def test_what_is_called_is_taken():
    for f in FUNCTIONS[1:]:
        assert jit(f, target="numpy")(2.0) == 6.0
        assert jvp(f, (2.0,), (1.0,), target="numpy") == (6.0, 3.0)
        assert vjp(f, 2.0, target="numpy")[1](1.0) == (3.0,)
        assert batch(f, target="numpy")(np.array([1.0, 2.0])).tolist() == [3.0, 6.0]
        assert batch(grad(f, target="numpy"), target="numpy")(np.ones(1)).tolist() == [3.0]


REFUSED = {
    3: "expected a Python function, got `3` of type `int`",
    "f": "expected a Python function, got `'f'` of type `str`",
    len: "`len` is built in: it has no Python text to read",
    np.sort_complex: "`sort_complex` is of numpy: give a function that calls it",
    Line: "`Line` is a class: give a function that calls it",
    functools.cache(cube): "`cube` is what functools makes of a function: give that, `cube.__wrapped__`",
}


PUBLIC = [
    jit,
    batch,
    *(getattr(autodiff, n) for n in autodiff.__all__ if n not in ("__version__", "stop_gradient")),
]


@pytest.mark.parametrize("make", PUBLIC)
def test_what_is_no_function_is_refused_at_once(make):
    points = {"jvp": [(1.0,)] * 2, "hvp": [(1.0,)] * 2, "check_grads": [(1.0,)]}
    points |= dict.fromkeys(("vjp", "linearize", "linear_transpose"), [1.0])
    for f, said in REFUSED.items():
        with pytest.raises(TypeError) as caught:
            make(f, *points.get(make.__name__, []))
        assert str(caught.value) == said


def test_what_is_no_density_is_refused_at_once():
    with pytest.raises(TypeError, match="but 3 is not a callable object"):
        sample(3, {"mu": real()})


def test_functions_of_prompts_and_cells_are_read(monkeypatch):
    text = "def f(x):\n    return x + 2.0\n"
    made: dict = {}
    exec(compile(text, "<python-input-7>", "exec"), made)
    entry = (len(text), None, text.splitlines(keepends=True), "<python-input-7>")
    monkeypatch.setitem(linecache.cache, "<python-input-7>", entry)
    assert jit(made["f"], target="numpy")(1.0) == 3.0

    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    shell.run_cell("from codegen import jit", store_history=True)
    for scale in ("2.0", "3.0"):
        shell.run_cell(f"%%time\ndef g(x):\n    return x * {scale}\n", store_history=True)
        shell.run_cell("r = jit(g, target='numpy')(5.0)", store_history=True).raise_error()
        assert shell.user_ns["r"] == 5.0 * float(scale)


def test_versions_are_one():
    assert codegen.__version__ == autodiff.__version__ == autobatch.__version__
