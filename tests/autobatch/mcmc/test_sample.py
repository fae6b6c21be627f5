"""Whole runs with the plain loop over lanes: starts, warm-up of both kinds, chunks, resuming, results."""

import importlib
import re

import arviz
import numpy as np
import pytest
from mcmc_plain import numeric_gradient, plain_batch

from autobatch.mcmc import HMC, NUTS, RWM, SamplingWarning, chains, positive, real, resume, simplex
from autobatch.mcmc.chains import over_chains
from autobatch.mcmc.density import build
from autobatch.mcmc.diagnostics import runaways
from autobatch.mcmc.report import extra
from autobatch.mcmc.samplers import programs

# The package's name `sample` is the function.
driver = importlib.import_module("autobatch.mcmc.sample")

Y = np.array([1.0, 2.0, 0.5])
PARAMS = {"mu": real(), "tau": positive()}


def logp(mu, tau, y):
    return -0.5 * mu**2 - tau - len(y) * np.log(tau) - 0.5 * np.sum(((y - mu) / tau) ** 2)


def gradient(u, data):
    """Of `logp` on the unconstrained scale, by hand."""
    (y,) = data
    mu, tau = u[0], np.exp(u[1])
    scaled = (y - mu) / tau
    lp = -0.5 * mu**2 - tau - len(y) * u[1] - 0.5 * np.sum(scaled**2) + u[1]
    return lp, np.array([-mu + np.sum(scaled) / tau, -tau - len(y) + np.sum(scaled**2) + 1.0])


def run(sampler=NUTS(), batch=plain_batch, model=None, data=(Y,), grad=gradient, **changes):
    settings = {
        "chains": 2, "draws": 20, "warmup": 30, "seed": 1, "init": None, "progress": False, "resume": None,
        "density": "logp",
    }  # fmt: skip
    model = model or build(logp, PARAMS, ["y"])
    over = over_chains(programs(sampler, grad, model.constrained), sampler, batch)
    return driver.run_chains(model, over, sampler, data, **(settings | changes))


def assert_same(a, b):
    for name, x, y in zip(a.record._fields, a.record, b.record):
        np.testing.assert_array_equal(x, y, err_msg=name)
    np.testing.assert_array_equal(a.words, b.words)
    np.testing.assert_array_equal(a.state.position, b.state.position)


SAMPLERS = [
    NUTS(),
    NUTS(metric="dense"),
    NUTS(metric="dense", adapt="pooled"),
    NUTS(metric="unit", step_size=0.5),
    HMC(n_leapfrog=5, adapt="pooled"),
    RWM(metric="dense"),
    RWM(scale=1.5, adapt="pooled"),
]


@pytest.mark.parametrize("sampler", SAMPLERS, ids=repr)
def test_a_run_continues_bit_for_bit(sampler, tmp_path):
    whole = run(sampler, draws=25)
    assert whole.record.draws.shape == (2, 25, 2)
    path = tmp_path / "run.npz"
    run(sampler, draws=10, resume=path)
    assert_same(run(sampler, draws=25, resume=path), whole)
    # It may be asked for fewer draws than it holds, and holds them still.
    assert run(sampler, draws=3, resume=path).record.lp.shape == (2, 3)
    assert_same(run(sampler, draws=25, resume=path, seed=None), whole)


def test_an_interrupted_run_continues_bit_for_bit(tmp_path, monkeypatch):
    monkeypatch.setattr(chains, "CHUNK_SECONDS", 0.0)  # chunks of one length, however fast they are

    def failing(program, in_axes, schedule=None):
        call, calls = plain_batch(program, in_axes), []

        def batched(*args):
            calls.append(1)
            result = call(*args)
            if program.__name__ == "run" and len(calls) == 3:
                raise KeyboardInterrupt
            return result

        return batched

    path = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        run(RWM(), draws=350, resume=path, batch=failing)
    assert np.load(path)["record.lp"].shape == (2, 200)
    assert_same(run(RWM(), draws=350, resume=path), run(RWM(), draws=350))


def test_a_run_that_does_not_fit_the_file_is_refused(tmp_path):
    path = tmp_path / "run.npz"
    run(draws=2, resume=path)
    with pytest.raises(ValueError) as caught:
        run(NUTS(max_depth=5), draws=2, resume=path, seed=2)
    assert str(caught.value) == (
        f"{path} holds another run:\n"
        "    seed: 1 there, 2 here\n"
        f"    sampler: {repr(NUTS())!r} there, {repr(NUTS(max_depth=5))!r} here\n"
        "resume with what it was started with, or name a file that does not exist"
    )
    with pytest.raises(ValueError, match=r"holds another run:\n    data: 'y \w+' there, 'y \w+' here\n"):
        run(draws=2, resume=path, data=(Y + 1.0,))


def test_a_file_is_replaced_only_by_a_whole_one(tmp_path):
    path = tmp_path / "run.npz"
    run(draws=2, resume=path)
    before = path.read_bytes()
    with pytest.raises(TypeError):
        resume.save_chains(path, {"seed": object()}, run(draws=2))
    assert path.read_bytes() == before
    assert resume.read_identity(path)["seed"] == 1


def test_a_chain_does_not_depend_on_the_others():
    few, many = run(chains=2), run(chains=4)
    for x, y in zip(few.record, many.record):
        np.testing.assert_array_equal(x, y[:2])


@pytest.mark.parametrize("draws", [99, 100, 101, 230])
def test_exactly_so_many_draws_whatever_the_chunks(draws):
    assert_same(run(RWM(), draws=draws), run_in_chunks_of(7, draws))


def run_in_chunks_of(n, draws):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(chains, "CHUNK", n)
        patch.setattr(chains, "LONG_CHUNK", n)
        return run(RWM(), draws=draws)


def test_progress_changes_nothing_and_shows_all_chains(capsys):
    assert_same(run(warmup=200, progress=True), run(warmup=200))
    shown = capsys.readouterr().err.split("\r")[-1]
    assert "440/440" in shown
    assert re.search(r"\d+ divergences, step size [\d.]+, [\d.e+]+ leapfrogs/s", shown)


@pytest.mark.turns(4)
def test_chain_and_pooled_warmup_find_the_posterior():
    both = [run(NUTS(adapt=adapt), chains=4, draws=400, warmup=200) for adapt in ("chain", "pooled")]
    step_sizes = [held.record.step_size for held in both]
    assert len(np.unique(step_sizes[0])) == 4 and len(np.unique(step_sizes[1])) == 1
    assert both[1].metric.variance.shape == (2,)
    for held in both:
        assert 0.7 < held.record.acceptance_rate.mean() < 0.97
        for k, expected in enumerate(expected_means()):
            draws = held.record.draws[:, :, k]
            assert abs(draws.mean() - expected) < 4.0 * draws.std() / np.sqrt(arviz.ess(draws))


def expected_means():
    """Of mu and tau, by summing over a fine grid of (mu, log tau)."""
    grid = np.stack(np.meshgrid(np.linspace(-5, 6, 400), np.linspace(-5, 4, 400), indexing="ij"), axis=-1)
    lp = np.array([gradient(u, (Y,))[0] for u in grid.reshape(-1, 2)])
    weight = np.exp(lp - lp.max())
    weight /= weight.sum()
    return weight @ grid.reshape(-1, 2)[:, 0], weight @ np.exp(grid.reshape(-1, 2)[:, 1])


def test_pooled_warmup_makes_one_update_an_iteration(monkeypatch):
    from autobatch.mcmc.kernels import adaptation

    seen, rates = [], []
    plain_update = adaptation.updated

    def counted(dual, rate, target):
        seen.append(rate)
        return plain_update(dual, rate, target)

    def recording(program, in_axes, schedule=None):
        call = plain_batch(program, in_axes)

        def batched(*args):
            result = call(*args)
            if program.__name__ == "advance" and args[4][0] == adaptation.FAST:
                rates.append(np.mean(result[3].acceptance_rate))
            return result

        return batched

    monkeypatch.setattr(adaptation, "updated", counted)
    run(NUTS(adapt="pooled"), chains=3, warmup=30, batch=recording)
    assert seen == rates and len(seen) == 30


def test_starts_are_uniform_and_given_values_are_kept():
    def lower_half(u, data):
        return (np.nan if u[0] > 0.0 else 0.0), np.zeros(2)

    model = build(lambda a, b: 0.0, {"a": real(), "b": positive()}, {})
    held = run(RWM(scale=1e-9), model=model, data=(), grad=lower_half, chains=200, draws=1, warmup=0)
    a, b = held.record.draws[:, 0, 0], np.log(held.record.draws[:, 0, 1])
    assert -2.0 < a.min() < -1.9 and -0.1 < a.max() < 0.0
    assert -2.0 < b.min() < -1.9 and 1.9 < b.max() < 2.0
    held = run(
        RWM(scale=1e-9), model=model, data=(), grad=lower_half, chains=3, draws=1, warmup=0,
        init={"a": -0.5, "b": [1.0, 2.0, 3.0]},
    )  # fmt: skip
    np.testing.assert_allclose(held.record.draws[:, 0], [[-0.5, 1.0], [-0.5, 2.0], [-0.5, 3.0]], rtol=1e-6)


def test_chains_without_a_start_are_named():
    def nowhere(u, data):
        return -np.inf if u[0] != -0.5 else 0.0, np.array([np.nan, 0.0, 0.0])

    params = {"a": real(), "share": simplex(3)}
    model = build(lambda a, share: 0.0, params, {})
    with pytest.raises(ValueError) as caught:
        run(model=model, data=(), grad=nowhere, init={"a": [1.5, -0.5], "share": np.full(3, 1 / 3)})
    assert str(caught.value) == (
        "2 of 2 chains found no start with a finite density and gradient in 100 tries: 0, 1\n"
        "last try of chain 0: log density -inf, gradient [nan  0.  0.], at\n"
        "    a = 1.5\n"
        "    share = [0.333333 0.333333 0.333333]\n"
        "last try of chain 1: log density 0.0, gradient [nan  0.  0.], at\n"
        "    a = -0.5\n"
        "    share = [0.333333 0.333333 0.333333]\n"
        "give starting values with init={name: value}, or look for a mistake in the density there"
    )


@pytest.mark.parametrize(
    ("init", "message"),
    [
        ({"nu": 1.0}, "init names nu, the parameters are mu, tau"),
        ({"tau": -1.0}, "init of tau: positive() cannot be -1.: every element must be greater than 0"),
        ({"mu": [1.0, 2.0, 3.0]}, "init of mu: real() has shape (), the value given has shape (3,)"),
    ],
)
def test_init_that_does_not_fit(init, message):
    with pytest.raises(ValueError) as caught:
        run(init=init)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: NUTS(step_size=0.0), "NUTS(step_size=0.0): must be None (adapt it) or a positive number"),
        (lambda: RWM(scale="1"), "RWM(scale='1'): must be None (adapt it) or a positive number"),
        (lambda: NUTS(max_depth=0), "NUTS(max_depth=0): must be an int of at least 1"),
        (lambda: HMC(n_leapfrog=2.5), "HMC(n_leapfrog=2.5): must be an int of at least 1"),
        (lambda: NUTS(step_size=True), "NUTS(step_size=True): must be None (adapt it) or a positive number"),
        (lambda: NUTS(target_accept="a"), "NUTS(target_accept='a'): must be between 0 and 1"),
        (lambda: HMC(target_accept=1.0), "HMC(target_accept=1.0): must be between 0 and 1"),
        (lambda: NUTS(metric="full"), "NUTS(metric='full'): must be one of 'diag', 'dense', 'unit'"),
        (lambda: RWM(adapt="all"), "RWM(adapt='all'): must be one of 'chain', 'pooled'"),
    ],
)  # fmt: skip
def test_settings_that_make_no_sense(make, message):
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value) == message


@pytest.fixture
def sample(monkeypatch):
    """`sample` with the plain loop for `batch` and finite differences for the gradient."""
    monkeypatch.setattr(
        driver, "batch", lambda f, in_axes, schedule=None, target=None: plain_batch(f, in_axes)
    )
    monkeypatch.setattr(driver, "value_and_grad", numeric_gradient)
    driver.cached_programs.cache_clear()
    yield driver.sample
    driver.cached_programs.cache_clear()


@pytest.mark.parametrize("sampler", [NUTS(), HMC(), RWM()], ids=lambda s: type(s).__name__)
def test_sample_returns_inference_data(sample, sampler):
    def mixture(mu, share, y, n):
        return -0.5 * np.sum((mu - y[:2]) ** 2) + n * np.log(share[0])

    data = {"y": [1, 2, 3], "n": 3}
    params = {"mu": real((1, 2)), "share": simplex(3)}
    found = sample(
        mixture, params, data=data, chains=2, draws=10, warmup=10, seed=3, sampler=sampler, progress=False
    )
    assert found.posterior["mu"].shape == (2, 10, 1, 2)
    assert found.posterior["mu"].dims[:2] == ("chain", "draw")
    np.testing.assert_allclose(found.posterior["share"].sum("share_dim_0"), 1.0, rtol=1e-12)
    names = {"lp", "acceptance_rate", "step_size"}
    if not isinstance(sampler, RWM):
        names |= {"n_steps", "diverging", "energy", "max_energy_error"}
    if isinstance(sampler, NUTS):
        names |= {"tree_depth"}
    assert set(found.sample_stats) == names
    np.testing.assert_array_equal(found.observed_data["y"], [1, 2, 3])
    assert found.constant_data["n"] == 3


@pytest.mark.parametrize(
    ("changes", "kind", "message"),
    [
        ({"chains": 0}, ValueError, "chains=0: must be an int of at least 1"),
        ({"draws": 2.0}, ValueError, "draws=2.0: must be an int of at least 1"),
        ({"warmup": -1}, ValueError, "warmup=-1: must be an int of at least 0"),
        ({"params": [real()]}, TypeError, "params must be a dict, as in {'mu': real()}, not of type list"),
        ({"params": None}, TypeError, "params must be a dict, as in {'mu': real()}, not of type NoneType"),
        ({"data": Y}, TypeError, "data must be a dict, as in {'y': y}, not of type ndarray"),
        ({"init": 1.0}, TypeError, "init must be a dict, as in {'mu': 0.0}, not of type float"),
        ({"init": {"tau": "a"}}, TypeError,
         "init of tau: must be a number or an array of them, not 'a'"),
        ({"sampler": NUTS}, TypeError,
         "sampler=<class 'autobatch.mcmc.samplers.NUTS'>: must be a sampler, as in NUTS(), HMC() or RWM()"),
        ({"sampler": "nuts"}, TypeError,
         "sampler='nuts': must be a sampler, as in NUTS(), HMC() or RWM()"),
        ({"chains": True}, ValueError, "chains=True: must be an int of at least 1"),
        ({"draws": np.float64(3)}, ValueError, "draws=np.float64(3.0): must be an int of at least 1"),
        ({"warmup": np.bool_(True)}, ValueError, "warmup=np.True_: must be an int of at least 0"),
        ({"seed": "a"}, TypeError, "seed='a': must be None, an int, a SeedSequence or a Generator"),
        ({"seed": True}, TypeError, "seed=True: must be None, an int, a SeedSequence or a Generator"),
        ({"seed": -1}, ValueError, "seed=-1: must be in 0 .. 2**64 - 1"),
        ({"data": {"y": np.ma.array(Y, mask=[False] * (len(Y) - 1) + [True])}}, TypeError,
         "data['y'] is a MaskedArray, whose rules would be lost: give the values that are not masked, .compressed()"),
        ({"data": {"y": np.array([[1.0]]).view(np.matrix)}}, TypeError,
         "data['y'] is a matrix, whose rules would be lost: give np.asarray of it"),
        ({"data": {"y": np.array([1.0]).view(np.recarray)}}, TypeError,
         "data['y'] is a recarray, whose rules would be lost: give np.asarray of it"),
        ({"data": {"y": np.zeros((0, 3))}}, ValueError,
         "data['y'] is empty: an array of shape (0, 3) says nothing of the parameters"),
        ({"data": {"y": []}}, ValueError,
         "data['y'] is empty: an array of shape (0,) says nothing of the parameters"),
        ({"data": {"y": [[1.0, 2.0], [np.nan, np.nan]]}}, ValueError,
         "data['y'] holds 2 NaN of 4, the first at [1, 0]: leave out what is missing, or make it a parameter"),
        ({"data": {"y": float("nan")}}, ValueError, "data['y'] is not a number"),
        ({"data": {"y": 2**63}}, ValueError, "data['y'] is 9223372036854775808: ints have 64 bits"),
        ({"data": {"y": 1j}}, TypeError, "data['y'] must be a number or an array of numbers, not 1j"),
        ({"init": {"mu": np.nan}}, ValueError, "init of mu: real() cannot be nan: every element must be finite"),
        ({"init": {"mu": np.ma.array([0.0, 1.0])}}, TypeError,
         "init of mu is a MaskedArray, whose rules would be lost: give the values that are not masked, .compressed()"),
        ({"data": {"y": Y, "mu": 1.0}}, ValueError,
         "'mu' is in params and in data: give one of them another name"),
        ({"data": {"y": Y, "x": 1.0}}, TypeError,
         "params and data call logp(mu=, tau=, y=, x=), but got an unexpected keyword argument 'x'"),
        ({"data": {}}, TypeError,
         "params and data call logp(mu=, tau=), but missing a required argument: 'y'"),
        ({"resume": 3}, TypeError, "resume=3: must be the path of a file"),
        ({"data": {"y": "abc"}}, TypeError,
         "data['y'] must be a number or an array of numbers, not 'abc'"),
        ({"data": {"y": [[1.0], [1.0, 2.0]]}}, TypeError,
         "data['y'] must be a number or an array of numbers, not [[1.0], [1.0, 2.0]]"),
        ({"data": {"y": np.ones(3, np.float16)}}, TypeError,
         "data['y'] is of float16: only float64 and float32 are supported"),
        ({"data": {"y": np.ones(3, np.longdouble)}}, TypeError,
         f"data['y'] is of {np.dtype(np.longdouble)}: only float64 and float32 are supported"),
    ],
)  # fmt: skip
def test_arguments_that_make_no_sense(sample, changes, kind, message):
    with pytest.raises(kind) as caught:
        sample(logp, **({"params": PARAMS, "data": {"y": Y}, "progress": False} | changes))
    assert str(caught.value) == message


@pytest.mark.parametrize("sampler", [NUTS(), RWM()], ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("params", [{"x": real(2)}, {"x": positive(2)}], ids=repr)
@pytest.mark.parametrize(
    ("density", "found"),
    [
        (lambda x: x, "f8[2]"),
        (lambda x: (np.sum(x), 1.0), "a tuple of 2"),
        (lambda x: None, "None"),
    ],
    ids=["array", "pair", "nothing"],
)  # fmt: skip
def test_a_density_that_is_no_number(sample, sampler, params, density, found):
    density.__name__ = "mine"
    with pytest.raises(TypeError) as caught:
        sample(density, params, sampler=sampler, progress=False)
    assert str(caught.value) == f"mine must return one float, the log density, not {found}"


@pytest.mark.slow
def test_data_of_the_other_byte_order_are_ordinary_data():
    def normal(x, y, n):
        return -0.5 * np.sum((x - y) ** 2) * n[1]

    ys = [np.array([1.0, 3.0], order) for order in (">f8", "<f8")]
    ns = [np.array([1, 2], order) for order in (">i4", "<i4")]
    first, second = (
        sample_few(normal, {"x": real()}, data={"y": y, "n": n}).posterior["x"].values for y, n in zip(ys, ns)
    )
    np.testing.assert_array_equal(first, second)


def sample_few(density, params, **changes):
    """By compiled chains."""
    settings = {
        "chains": 2,
        "draws": 20,
        "warmup": 0,
        "seed": 3,
        "sampler": RWM(scale=1.0),
        "progress": False,
    }
    return driver.sample(density, params, **(settings | changes))


def test_a_seed_is_drawn_where_none_is_given(sample):
    settings = {"data": {"y": Y}, "chains": 1, "draws": 2, "warmup": 0, "progress": False, "sampler": RWM()}
    first, second = (sample(logp, PARAMS, **settings).posterior["mu"].values for _ in range(2))
    assert not np.array_equal(first, second)
    # The second run took the programs of the first.
    assert driver.cached_programs.cache_info().hits == 1


def test_numbers_of_numpy_and_every_kind_of_seed(sample):
    def drawn(seed, draws=3):
        settings = {"data": {"y": Y}, "chains": np.int64(2), "draws": draws, "warmup": np.uint8(0)}
        sampler = RWM(scale=np.float32(1.0), target_accept=np.float64(0.3))
        found = sample(logp, PARAMS, seed=seed, sampler=sampler, progress=False, **settings)
        return found.posterior["mu"].values

    rng = np.random.default_rng(5)
    np.testing.assert_array_equal(drawn(7), drawn(np.uint64(7), np.int32(3)))
    bits = np.random.SeedSequence(7).generate_state(1, np.uint64)[0]
    np.testing.assert_array_equal(drawn(np.random.SeedSequence(7)), drawn(int(bits)))
    bits = np.random.default_rng(5).integers(2**64, size=2, dtype=np.uint64)
    for word in bits:
        np.testing.assert_array_equal(drawn(rng), drawn(int(word)))


def test_a_density_that_is_none_is_told(sample):
    """Without data and a prior, mu has no distribution."""

    def no_prior(mu, n):
        return -0.5 * n * mu**2

    def drawn(n, sampler):
        settings = {"chains": 2, "draws": 3, "warmup": 60, "seed": 1, "progress": False, "sampler": sampler}
        return sample(no_prior, {"mu": real()}, data={"n": n}, **settings)

    drawn(1, NUTS(max_depth=2))
    with pytest.warns(SamplingWarning, match=r"chains ran away along mu \(to [\d.]+e\+\d+\)") as caught:
        drawn(0, NUTS(max_depth=2))
    assert len(caught) == 1


def test_parameters_that_chains_run_away_along_are_named():
    model = build(lambda a, b, c, d: 0.0, {"a": real(), "b": real(2), "c": real(), "d": real()}, {})
    position = np.array([[1e14, 3.0, 2e3, 1.0, 0.0], [2.0, 4e16, 5.0, np.inf, 0.0]])
    gradient = np.array([[1.0, 1.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0]])
    assert list(runaways(model, position, gradient)) == [
        "chains ran away along b (to 4e+16), c (to inf), on the unconstrained scale: the density is flat there or does "
        "not fall off, so that it has no distribution; give these parameters priors or bounds, and look at the data"
    ]
    named = ["b (to 2e+03)" in each for each in runaways(model, np.minimum(position, 2e3), gradient)]
    assert named == [True]
    assert list(runaways(model, np.minimum(position, 900.0), gradient)) == []


def test_chains_left_behind_are_named(sample):
    def unequal(x):
        return -0.5 * (np.abs(x) - 5.0) ** 2 / 0.01 - (0.0 if x > 0.0 else 1000.0)

    settings = {
        "chains": 4,
        "draws": 20,
        "warmup": 40,
        "seed": 1,
        "progress": False,
        "sampler": NUTS(max_depth=4),
    }
    sample(unequal, {"x": real()}, init={"x": 5.0}, **settings)
    with pytest.warns(SamplingWarning) as caught:
        found = sample(unequal, {"x": real()}, init={"x": [5.0, -5.0, 5.0, 5.0]}, **settings)
    lp, step_size = found.sample_stats.lp.values.mean(axis=1), found.sample_stats.step_size.values[:, -1]
    assert [str(each.message) for each in caught] == [
        "1 of 4 chains were left behind: of all chains, the median of the mean log density is "
        f"{np.median(lp):.6g}, of the step size {np.median(step_size):.3g}\n"
        f"    chain 1: {lp[1]:.6g}, {step_size[1]:.3g}\n"
        "leave them out, or give starting values with init={name: value} or a longer warmup"
    ]


SCALE = 1.0
CENTRE = np.array([0.0])


def around(x):
    return -0.5 * ((x - CENTRE[0]) / SCALE) ** 2


@pytest.mark.turns(4)
def test_what_a_density_reads_is_seen_as_it_is_now(monkeypatch):
    kept = driver.cached_programs.cache_info().misses

    def lp_at_one():
        trace = sample_few(around, {"x": real()}, init={"x": 1.0}, draws=1, sampler=RWM(scale=1e-9))
        return float(trace.sample_stats["lp"][0, 0])

    assert lp_at_one() == pytest.approx(-0.5)
    monkeypatch.setitem(globals(), "SCALE", 0.5)
    assert lp_at_one() == pytest.approx(-2.0)
    monkeypatch.setitem(globals(), "CENTRE", np.array([2.0]))
    assert lp_at_one() == pytest.approx(-2.0)
    CENTRE[0] = 3.0  # in place: the same programs
    assert lp_at_one() == pytest.approx(-8.0)
    monkeypatch.undo()
    assert lp_at_one() == pytest.approx(-0.5)
    assert driver.cached_programs.cache_info().misses - kept == 3


@pytest.mark.turns(4)
def test_a_file_of_another_density_is_refused(tmp_path, monkeypatch):
    def kept(density, data=None, **changes):
        return sample_few(density, {"x": real()}, data=data, resume=tmp_path / "run.npz", **changes)

    another = r"holds another run:\n    density: '\w+' there, '\w+' here\nresume with"
    kept(around)
    kept(around, draws=30)
    with pytest.raises(ValueError, match=another):
        kept(lambda x: -0.5 * (x - 100.0) ** 2)
    with monkeypatch.context() as patch:
        patch.setitem(globals(), "SCALE", 0.5)
        with pytest.raises(ValueError, match=another):
            kept(around)
    monkeypatch.setitem(globals(), "CENTRE", CENTRE + 1.0)
    with pytest.raises(ValueError, match=another):
        kept(around)


def test_a_file_of_the_same_numbers_by_other_names_is_refused(sample, tmp_path):
    def normal(x, m, s):
        return -0.5 * ((x - m) / s) ** 2

    path = tmp_path / "run.npz"
    sample_few(normal, {"x": real()}, data={"m": 50.0, "s": 1.0}, resume=path)
    with pytest.raises(ValueError, match=r"    data: 'm (\w+), s (\w+)' there, 's \1, m \2' here\n"):
        sample_few(normal, {"x": real()}, data={"s": 50.0, "m": 1.0}, resume=path)


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("content", ["arrays", "array", "text", "nothing", "half"])
def test_a_file_of_no_run_is_refused(content, seed, tmp_path):
    path = tmp_path / "run.npz"
    match content:
        case "arrays":
            np.savez(path, a=1)
        case "array":
            np.save(tmp_path / "a.npy", np.ones(3))
            (tmp_path / "a.npy").rename(path)
        case "text" | "nothing":
            path.write_text("mu,tau\n" if content == "text" else "")
        case "half":
            run(draws=2, resume=path)
            path.write_bytes(path.read_bytes()[:500])
    before = path.read_bytes()
    with pytest.raises(ValueError) as caught:
        sample_few(around, {"x": real()}, resume=path, seed=seed)
    assert str(caught.value) == (
        f"{path} is no file of a run, or is damaged: name one that resume= wrote, or one that does not exist"
    )
    assert path.read_bytes() == before


def test_a_folder_that_is_not_there_is_refused_before_anything_is_done(tmp_path):
    def never(x):
        raise AssertionError("looked at")

    path = tmp_path / "runs" / "run.npz"
    with pytest.raises(FileNotFoundError) as caught:
        sample_few(never, {"x": real()}, resume=path)
    assert str(caught.value) == f"resume={str(path)!r}: there is no folder {tmp_path / 'runs'}"


@pytest.mark.turns(4)
def test_one_program_for_warm_ups_and_one_for_draws():
    """Started, warmed up whole or cut at the ends of its windows, so that progress can be shown, and drawn from."""

    def standard_normal(x):
        return -0.5 * x**2

    sampler, params = RWM(scale=2.0), {"x": real()}
    for count, draws, warmup, progress in ((2, 3, 150, True), (2, 3, 150, False), (3, 700, 2500, False)):
        driver.sample(
            standard_normal,
            params,
            chains=count,
            draws=draws,
            warmup=warmup,
            progress=progress,
            sampler=sampler,
        )
    *_, over = driver.prepare_programs(standard_normal, params, {}, sampler, "numba")
    assert (len(over.advance.machines), len(over.run.machines)) == (1, 1)


def test_a_missing_extra_is_named():
    with pytest.raises(ImportError) as caught:
        extra("no_such_module")
    assert str(caught.value) == "sampling needs the package no_such_module, which is not installed"
