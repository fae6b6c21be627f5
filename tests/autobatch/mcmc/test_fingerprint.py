"""What a density means now: equal as long as nothing that it reads has changed, by one name in every process."""

import dataclasses
import functools
import linecache
import os
import subprocess
import sys

import numpy as np
import pytest
from places import ROOT

from autobatch import batched
from autobatch.execute.artifact_cache import digest_of
from autobatch.mcmc import NUTS, RWM, positive, real, sample
from autobatch.mcmc.density import build
from autobatch.mcmc.fingerprint import known_by, meaning
from autodiff import custom_jvp, stop_gradient
from codegen import jit
from codegen.process_cache import clear_cache

SCALE = 2.0
SLOPE = 1.0
WEIGHTS = np.array([1.0, 2.0])


def scaled(x):
    return x / SCALE


def through_a_function(x):
    return -0.5 * scaled(x) ** 2


@jit
def compiled(x):
    return -0.5 * scaled(x) ** 2


@custom_jvp
def square(x):
    return x**2


@square.defjvp
def square_jvp(primals, tangents):
    (x,), (x_dot,) = primals, tangents
    return square(x), 2.0 * SLOPE * x * x_dot


def with_a_rule(x):
    return -square(x)


def half_stopped(x):
    return -(x**2) if SLOPE == 1.0 else -x * stop_gradient(x)


def constant(x):
    return SCALE


def from_a_factory(factor):
    def density(x):
        return -factor * x**2

    return density


def meant(density, sampler=NUTS(), params=None):
    return meaning(build(density, params or {"x": real()}, ()), (), sampler)


@pytest.mark.parametrize("density", [through_a_function, compiled, constant], ids=lambda f: f.__name__)
def test_it_changes_with_a_number_around_the_density(density, monkeypatch):
    before = meant(density)
    assert meant(density) == before and hash(meant(density)) == hash(before)
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert meant(density) != before and meant(density).digest != before.digest


@pytest.mark.parametrize("density", [with_a_rule, half_stopped], ids=lambda f: f.__name__)
def test_it_changes_with_the_derivative_where_there_is_one(density, monkeypatch):
    before, plain = meant(density), meant(density, RWM())
    monkeypatch.setitem(globals(), "SLOPE", 3.0)
    assert meant(density) != before
    assert (meant(density, RWM()) == plain) == (density is with_a_rule)


def test_it_changes_with_an_array_and_its_name_with_the_contents(monkeypatch):
    def density(x):
        return -x * WEIGHTS[1]

    weights = np.array([1.0, 2.0])
    monkeypatch.setitem(globals(), "WEIGHTS", weights)
    before, name = meant(density), meant(density).digest
    monkeypatch.setitem(globals(), "WEIGHTS", weights.copy())
    assert meant(density) != before and meant(density).digest == name
    monkeypatch.setitem(globals(), "WEIGHTS", weights)
    weights[1] = 3.0
    assert meant(density) == before and meant(density).digest != name


def test_it_knows_captured_values():
    assert meant(from_a_factory(2.0)) == meant(from_a_factory(2.0)) != meant(from_a_factory(3.0))
    partial = functools.partial(lambda a, x: -a * x**2, 2.0)
    assert meant(partial) == meant(partial) != meant(functools.partial(partial.func, 3.0))


@pytest.mark.turns(4)
def test_its_name_is_the_same_in_every_process(tmp_path):
    (tmp_path / "model.py").write_text(
        "import numpy as np\n"
        "from autobatch.mcmc import NUTS, positive, real\n"
        "from autobatch.mcmc.density import build\n"
        "from autobatch.mcmc.fingerprint import meaning\n\n"
        "W = np.arange(3.0)\n\n"
        "def logp(mu, tau, y):\n"
        "    total = 0.0\n"
        "    for k in range(3):\n"
        "        total += W[k] * (y[k] - mu) ** 2 / tau\n"
        "    return -0.5 * total - tau\n\n"
        "model = build(logp, {'mu': real(), 'tau': positive()}, ['y'])\n"
        "print(meaning(model, (np.ones(3),), NUTS()).digest)\n"
    )
    names = {
        subprocess.run(
            [sys.executable, "model.py"], cwd=tmp_path, capture_output=True, text=True, check=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert len(names) == 1 and len(names.pop().strip()) == 16


def test_a_density_may_return_any_number():
    for density in (lambda x: 0, lambda x: x > 0.0, lambda x: 0.0, lambda x: np.float32(x)):
        meant(density, params={"x": positive()})


def told(density, sampler=NUTS(), params=None):
    model = build(density, params or {"x": real()}, ())
    return known_by(model, meaning(model, (), sampler), sampler)


def test_programs_of_samplers_are_told_apart_in_every_process(monkeypatch):
    here = "def density(x):\n    return -0.5 * (x / SCALE) ** 2\n"
    digests = [digest_of(told(constant)), digest_of(told(through_a_function, RWM()))]
    for text in (here, "\n" + here):  # on another line, which messages and comments name
        linecache.cache["<density>"] = (len(text), None, text.splitlines(True), "<density>")
        scope = {"SCALE": SCALE}
        exec(compile(text, "<density>", "exec"), scope)
        digests.append(digest_of(told(scope["density"])))
    assert digest_of(told(scope["density"])) == digests[-1]
    digests += [
        digest_of(told(scope["density"], RWM())),
        digest_of(told(scope["density"], params={"x": positive()})),
    ]
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3.0)
    digests += [digest_of(told(constant)), digest_of(told(through_a_function, RWM()))]
    assert len(set(digests)) == len(digests)


def test_programs_that_another_process_cannot_know_are_not_kept():
    transform = dataclasses.replace(positive(), program=from_a_factory(1.0))
    assert told(lambda x: -WEIGHTS[1] * x**2) is None
    assert (
        known_by(
            build(constant, {"x": real()}, ())._replace(params={"x": transform}), meant(constant), NUTS()
        )
        is None
    )


@pytest.mark.turns(4)
def test_a_later_process_traces_no_sampler(monkeypatch, tmp_path):
    def draws():
        clear_cache()
        traced.clear()
        return sample(through_a_function, {"x": real()}, sampler=RWM(), **few).posterior["x"].values

    traced, few = [], dict(chains=2, draws=3, warmup=3, seed=1, progress=False, target="numpy")
    plain = batched.trace
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(
        batched, "trace", lambda *given, **named: traced.append(given) or plain(*given, **named)
    )
    first = draws()
    assert len(traced) == 2
    assert np.array_equal(draws(), first) and not traced
    monkeypatch.setattr(sys.modules[__name__], "SCALE", 3.0)
    assert not np.array_equal(draws(), first) and len(traced) == 2
