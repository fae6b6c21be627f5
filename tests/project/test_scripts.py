"""The scripts: the environment they share, and how benchmarks measure and judge."""

import doctest
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from places import ROOT
from scipy import special, stats
from scipy.integrate import solve_ivp

import control
import demo
import gpu_bench
import gpu_programs
import iterative_nuts
import kernels
import measuring
import recursive_nuts
import works
from measuring import Figure
from tolerant import in_turn, prepared

SCRIPTS = [
    ROOT / name
    for name in (
        "scripts/environment",
        "scripts/test",
        "scripts/demo",
        "scripts/bench",
        "scripts/gpu_bench",
        "scripts/gpu_check",
        ".ci/run",
    )
]

CONTENDER = """
import sys
sys.path.insert(0, {peers!r})
from serving import serve
rates = iter({rates!r})
print("noise of a library")
def run():
    print("more noise")
    return {{"count": next(rates), "seconds": 2.0}}
serve(run)
"""


def contender(*rates: float) -> list[str]:
    return [sys.executable, "-c", CONTENDER.format(peers=str(measuring.PEERS), rates=rates)]


def test_contenders_are_measured_in_turn_and_compared_round_by_round(
    capfd: pytest.CaptureFixture[str],
) -> None:
    commands = {"ours": contender(20.0, 60.0, 40.0), "peer": contender(2.0, 2.0, 8.0)}
    with measuring.contenders(commands) as processes:
        rates = measuring.interleaved(processes, 3)
    assert rates == {"ours": [10.0, 30.0, 20.0], "peer": [1.0, 1.0, 4.0]}
    figure = measuring.comparison("work", "things/s", rates, "peer", at_least=11.0)
    assert (figure.ours, figure.theirs, figure.ratio, figure.spread) == (20.0, 1.0, 10.0, (5.0, 30.0))
    assert (figure.limit, figure.met) == (">= 11x", False)


def test_a_contender_that_fails_ends_the_measurement() -> None:
    with pytest.raises(SystemExit, match="ours ended with status 3"):
        measuring.Contender("ours", [sys.executable, "-c", "raise SystemExit(3)"]).prepared()


@pytest.mark.turns(4)
def test_each_of_many_contenders_may_fail_alone() -> None:
    """One is good, one ends while it prepares, one at its measurement, one says nothing."""
    fails = (
        "import sys; print('{}', flush=True); input(); print('first', file=sys.stderr); sys.exit('no memory')"
    )
    commands = {
        "good": contender(20.0, 60.0),
        "unprepared": [sys.executable, "-c", "raise ValueError('no driver')"],
        "failing": [sys.executable, "-c", fails],
        "unknown": ["/no/such/python"],
        "silent": [sys.executable, "-c", "import time; print('{}', flush=True); time.sleep(600)"],
    }
    with prepared(commands, at_once=4, limit=60.0) as contenders:
        answers = in_turn(list(contenders.values()), rounds=2, limit=2.0)
    assert [[answer["count"] for answer in given] for given in answers] == [[20.0, 60.0], [], [], [], []]
    assert [contender.missing for contender in contenders.values()] == [
        None,
        "ended: ValueError: no driver",
        "ended: no memory",
        "did not start: [Errno 2] No such file or directory: '/no/such/python'",
        "gave no answer within 2 s",
    ]
    assert all(
        contender.process is None or contender.process.poll() is not None for contender in contenders.values()
    )


def test_contenders_that_are_not_ready_in_time_are_missing() -> None:
    sleeps = [sys.executable, "-c", "import time; time.sleep(600)"]
    with prepared({1: sleeps, 2: sleeps}, at_once=1, limit=0.5) as contenders:
        assert contenders[1].missing is not None and contenders[1].missing.startswith("gave no answer")
        assert contenders[2].missing == "was not started: no time was left"


def race_figures(*numbers: float) -> list[Figure]:
    race = gpu_bench.Race("x", "work", "things/s", {}, floors={"peer": 2.0}, tolerance=1e-6)
    also = {"primal": {"count": 12.0, "seconds": 1.0}}
    mine = {"count": 6.0, "seconds": 1.0, "fingerprint": [1.0, 2.0], "also": also}
    peer = {"count": 2.0, "seconds": 1.0, "fingerprint": list(numbers)}
    return list(gpu_bench.figures(race, {"ours": [mine], "peer": [peer], "gone": []}, {}))


def test_figures_of_a_gpu_name_what_differs_and_compare_gradients_with_primals() -> None:
    same, over_primal = race_figures(1.0, 2.0)
    assert (same.name, same.ratio, same.met) == ("work", 3.0, True)
    assert (over_primal.name, over_primal.ours, over_primal.met) == ("work, over its primal", 2.0, True)
    assert race_figures(1.0, 2.1)[0].name == "work (results DIFFER)"


@pytest.mark.parametrize("name", ["lorenz", "lotka_volterra"])
def test_differential_equations_end_where_scipy_has_them(name: str) -> None:
    work = gpu_programs.work(name, 2)
    y, parameters, end = work.arguments[0][0], work.arguments[1][0], work.arguments[2]
    field = getattr(gpu_programs, name)
    wanted = solve_ivp(lambda t, y: field(y, parameters), (0.0, end), y, rtol=1e-10, atol=1e-10).y[:, -1]
    np.testing.assert_allclose(work.function(y, parameters, end), wanted, rtol=1e-3, atol=1e-5)


def test_a_ceiling_is_on_the_median() -> None:
    figure = measuring.bounded("first use", "s", [4.0, 9.0, 4.5], at_most=5.0)
    assert (figure.ours, figure.limit, figure.met) == (4.5, "<= 5 s", True)


def answering(*fingerprint: float) -> list[str]:
    answer = json.dumps({"count": 1, "seconds": 1.0, "fingerprint": fingerprint})
    return [
        sys.executable,
        "-c",
        f"print('{{}}', flush=True); input(); print('{answer}', flush=True); input()",
    ]


@pytest.mark.parametrize(
    ("other", "same"), [((2.0, 1.0 + 1e-12), True), ((2.0, 1.001), False), ((2.0,), False)]
)
def test_contenders_must_agree(other: tuple[float, ...], same: bool) -> None:
    with measuring.contenders({"ours": answering(2.0, 1.0), "peer": answering(*other)}) as processes:
        measuring.interleaved(processes, 1)
        if same:
            measuring.agree(processes)
        else:
            with pytest.raises(SystemExit, match="ours and peer differ in their results"):
                measuring.agree(processes)


def test_several_ratios_together() -> None:
    two = [
        Figure("a", "x/s", 1.0, "p", 1.0, 2.0, (1.0, 4.0)),
        Figure("b", "x/s", 1.0, "p", 1.0, 8.0, (4.0, 9.0)),
    ]
    figure = measuring.together("both", two, at_least=4.5)
    assert figure.ratio == pytest.approx(4.0)
    assert figure.spread == pytest.approx((2.0, 6.0))
    assert (figure.limit, figure.met) == (">= 4.5x", False)


def test_figures_and_the_machine_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    line = json.dumps({"name": "work", "unit": "s", "ours": 1.5})
    command = [sys.executable, str(ROOT / "scripts" / "measuring.py"), "--json", str(file)]
    done = subprocess.run(command, input=f"{line}\n", capture_output=True, text=True, check=True)
    assert "| work | 1.5 s |" in done.stdout
    written = json.loads(file.read_text())
    assert written["figures"] == [json.loads(line)]
    assert written["machine"]["packages"]["numpy"] == np.__version__
    assert written["machine"]["cores"] >= 1


def test_programs_of_control_flow_compute_what_they_say() -> None:
    assert control.queens(255, 0, 0, 0) == 92
    assert sum(control.queens(*map(int, lane)) for lane in zip(*openings_of(8), strict=True)) == 92
    assert [control.gcd(a, b) for a, b in ((12, 18), (35, 64), (7, 7))] == [6, 1, 7]
    assert control.fib(20) == 6765
    assert (control.mandelbrot(0.0, 0.0), control.mandelbrot(2.0, 0.0)) == (500, 1)
    assert control.newton(1e8) == pytest.approx(1e4, rel=1e-12)
    exact, coarse, fine = map(control.runge_kutta, (1e-11, 1e-4, 1e-7))
    assert abs(fine - exact) < abs(coarse - exact) < 1e-2


def openings_of(size: int) -> tuple[np.ndarray, ...]:
    place = 1 << np.arange(size)
    return np.full(size, (1 << size) - 1), place, place << 1, place >> 1


@pytest.mark.parametrize("name", ["mandelbrot", "gcd", "fib", "runge_kutta", "newton", "queens"])
def test_lanes_differ(name: str) -> None:
    function, lanes = control.work(name, 64)
    results = [function(*(x.item() for x in lane)) for lane in zip(*lanes, strict=True)]
    assert len(set(results)) > 5


def test_kernels_compute_what_they_say() -> None:
    rng = np.random.default_rng(0)
    x, centres = rng.standard_normal(8), rng.standard_normal((5, 8))
    assert kernels.logsumexp(x) == pytest.approx(special.logsumexp(x))
    assert kernels.cross_entropy(x, 3) == pytest.approx(-special.log_softmax(x)[3])
    assert kernels.kmeans_cost(x, centres) == pytest.approx(min(np.linalg.norm(c - x) ** 2 for c in centres))
    call, put = kernels.black_scholes(100.0, 90.0, 2.0, 0.03, 0.25)
    ends = 100.0 * np.exp(
        (0.03 - 0.25**2 / 2) * 2.0
        + 0.25 * math.sqrt(2.0) * stats.norm.ppf((np.arange(200_000) + 0.5) / 200_000)
    )
    assert call == pytest.approx(math.exp(-0.06) * np.mean(np.maximum(ends - 90.0, 0.0)), rel=1e-4)
    assert put == pytest.approx(math.exp(-0.06) * np.mean(np.maximum(90.0 - ends, 0.0)), rel=1e-4)
    weight, samples = rng.random(6), rng.standard_normal((3, 6))
    whole = np.sum(weight * np.exp(2j * np.pi * (np.array([0.1, 0.2, 0.3]) @ samples)))
    assert kernels.mriq(0.1, 0.2, 0.3, *samples, weight) == pytest.approx((whole.real, whole.imag))


def test_recursion_down_to_twigs_draws_what_the_loop_over_leaves_does() -> None:
    """In plain Python, from the same random numbers."""
    start, data = works.schools_start(1), (works.SCHOOLS_Y, works.SCHOOLS_SIGMA)
    u = np.column_stack([start.mu, start.log_tau, start.theta_trans])[0]
    (u_twigs, made, mean), (u_loop, made_by_loop, mean_by_loop) = (
        f(np.random.default_rng(3), u, 25, 0.3, *data) for f in (recursive_nuts.twigs, iterative_nuts.chain)
    )
    np.testing.assert_allclose(u_twigs, u_loop, rtol=1e-9)
    np.testing.assert_allclose(mean, mean_by_loop, rtol=1e-9)
    assert made == made_by_loop > 150


def test_hotspot_keeps_heat_but_for_what_leaves_upwards() -> None:
    power = np.random.default_rng(1).random((5, 7))
    heat = np.full((5, 7), kernels.AMBIENT)
    once = kernels.hotspot(heat, power, 1)
    assert once == pytest.approx(heat + kernels.STEP * power)
    twice = kernels.hotspot(heat, power, 2)
    lost = kernels.UPWARDS * (once - kernels.AMBIENT)
    assert np.sum(twice - once) == pytest.approx(kernels.STEP * np.sum(power - lost))
    assert twice[0, 0] == pytest.approx(
        once[0, 0]
        + kernels.STEP
        * (power[0, 0] - lost[0, 0] + 0.1 * (once[1, 0] - once[0, 0]) + 0.1 * (once[0, 1] - once[0, 0]))
    )


def test_examples_in_docstrings() -> None:
    assert doctest.testmod(measuring).failed == 0


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_bash_can_read_it(script: Path) -> None:
    subprocess.run(["bash", "-n", script], check=True)
    assert script.name == "environment" or os.access(script, os.X_OK)


def test_the_environment_is_installed_once(tmp_path: Path) -> None:
    """A pretended python and pip, so that nothing is downloaded: the second call must not install again."""
    (tmp_path / "scripts" / "peers").mkdir(parents=True)
    for name in ("setup.cfg", "pyproject.toml", "scripts/peers/requirements.txt"):
        (tmp_path / name).write_text("")
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(
        '#!/usr/bin/env bash\ncase "$*" in *install*) echo "$*" >>installed ;; *) echo 3.11 ;; esac\n'
    )
    python.chmod(0o755)
    once = f"set -euo pipefail; source {ROOT}/scripts/environment; environment .venv numpy; command -v python"

    def installed() -> int:
        done = subprocess.run(["bash", "-c", once], cwd=tmp_path, check=True, capture_output=True, text=True)
        assert done.stdout.strip() == str(python)
        return len((tmp_path / "installed").read_text().splitlines())

    assert installed() == 1
    assert installed() == 1
    (tmp_path / "setup.cfg").write_text("install_requires = scipy")
    assert installed() == 2


WRITTEN = ("demo-output", ".venv", ".venv-peers")  # by commands that are given no folder


def test_what_commands_write_is_neither_kept_nor_checked(tmp_path: Path) -> None:
    default = demo.settings([]).out
    assert str(default) in WRITTEN
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    for folder in WRITTEN:
        assert f"/{folder}/" in ignored
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "text.py").write_text("import os;x = 1\n")
    (tmp_path / "pyproject.toml").write_text((ROOT / "pyproject.toml").read_text())
    for command in (["format", "--check"], ["check"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, "--quiet", "."], cwd=tmp_path, check=True)
