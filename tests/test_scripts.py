"""The scripts: the environment they share, and how benchmarks measure and judge."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

import measuring

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = [
    ROOT / name
    for name in ("scripts/environment", "scripts/test", "scripts/demo", "scripts/bench", ".ci/run")
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
        measuring.Contender("ours", [sys.executable, "-c", "raise SystemExit(3)"])


def test_a_ceiling_is_on_the_median() -> None:
    figure = measuring.bounded("first use", "s", [4.0, 9.0, 4.5], at_most=5.0)
    assert (figure.ours, figure.limit, figure.met) == (4.5, "<= 5 s", True)


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
