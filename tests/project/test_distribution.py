"""What is packed for others: the source distribution, what it installs, and what a type checker sees of that.

Nothing is fetched: the build runs with the setuptools that is here.
"""

import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path
from shutil import copytree, ignore_patterns

import pytest
from places import ROOT

import codegen

LEFT = ("__pycache__", "*.egg-info", "*.nb[ic]", ".git", ".venv*", ".*_cache", ".hypothesis", ".coverage")
WRITTEN = ("build", "dist", "demo-output", "out")  # by tools and commands

USER = """
from functools import partial

import numpy as np

from autobatch import batch, profile
from autobatch.mcmc import real, sample
from autodiff import checkpoint, custom_jvp, grad, hessian, jacobian, jvp, stop_gradient, value_and_grad, vjp
from codegen import jit


@jit
def power(x: float, n: int = 2) -> float:
    return x**n


@jit(target="numpy", static_argnames="n")
def told(x: float, n: int) -> float:
    return x**n


class Model:
    @jit
    def value(self, x: float) -> float:
        return x


reveal_type(power)
reveal_type(power(1.0) + told(1.0, n=3) + Model().value(2.0) + stop_gradient(2.0))
reveal_type(jit(partial(power, n=2))(1.0))
reveal_type(Model().value)
reveal_type(grad(power))
reveal_type(grad(argnums=0)(power))
reveal_type(value_and_grad(power)(1.0))
reveal_type(jvp(power, (1.0,), (1.0,))[0] + vjp(power, 1.0)[0])
reveal_type(checkpoint(custom_jvp(told)))
reveal_type(batch(value_and_grad(power)))
jacobian(power)(2.0, n=3), hessian(power)(2.0), power.source(1.0), batch(power, (0, None))(np.ones(3), 2)
profile(batch(power), np.ones(3)), sample(lambda mu: -(mu**2), {"mu": real()}, chains=1)
power("text")
told(1.0, other=2)
value_and_grad(power)()
jit(3)
batch(3)
"""

REVEALED = [
    "codegen.api.Jit[[x: float, n: int =], float]",
    "float",
    "float",
    "def (x: float) -> float",
    "codegen.transformed.Transformed[[x: float, n: int =], Any]",
    "codegen.transformed.Transformed[[x: float, n: int =], Any]",
    "tuple[float, Any]",
    "float",
    "autodiff.custom.Checkpoint[[x: float, n: int], float]",
    "autobatch.batched.Batch",
]

WRONG = ["arg-type", "call-arg", "call-arg", "call-overload", "call-overload"]


def python(folder: Path, *arguments: str, by: Path | str = sys.executable) -> str:
    """What a Python, to which this checkout is unknown, prints."""
    done = subprocess.run([by, *arguments], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout + done.stderr


ENVIRONMENT = {"PATH": "/usr/bin:/bin", "PYTHONWARNINGS": "ignore"}


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source distribution, unpacked."""
    tmp = tmp_path_factory.mktemp("sdist")
    copytree(ROOT, tmp / "checkout", ignore=ignore_patterns(*LEFT, *WRITTEN))
    python(tmp / "checkout", "-c", f"import setuptools.build_meta as b; b.build_sdist({str(tmp)!r})")
    name = f"lanewise-{codegen.__version__}"
    with tarfile.open(tmp / f"{name}.tar.gz") as packed:
        packed.extractall(tmp, filter="data")
    return tmp / name


@pytest.mark.turns(4)
def test_the_source_distribution_is_whole(unpacked: Path) -> None:
    def files(root: Path) -> set[str]:
        listed = (file.relative_to(root) for file in root.rglob("*") if file.is_file())
        return {str(file) for file in listed if not any(part.endswith(".egg-info") for part in file.parts)}

    assert files(unpacked) - {"PKG-INFO"} == files(unpacked.parent / "checkout")


@pytest.mark.slow
def test_its_tests_run(unpacked: Path) -> None:
    files = ["tests/project/test_layers.py", "tests/project/test_scripts.py"]
    some = [*files, "-k", "layers or bash or what_commands_write"]
    said = python(unpacked, "-m", "pytest", "-q", "-p", "no:cacheprovider", *some)
    assert " passed" in said and "failed" not in said and "error" not in said, said


@pytest.mark.slow
def test_types_of_what_is_installed(unpacked: Path, tmp_path: Path) -> None:
    python(tmp_path, "-m", "venv", "--without-pip", "fresh")
    (site,) = tmp_path.glob("fresh/lib/*/site-packages")
    python(unpacked, "-c", "from setuptools import setup; setup()", "-q", "build", "--build-lib", str(site))
    (site / "others.pth").write_text(sysconfig.get_path("purelib"))
    fresh = tmp_path / "fresh" / "bin" / "python"
    assert python(tmp_path, "-m", "autobatch", "--version", by=fresh) == f"autobatch {codegen.__version__}\n"
    (tmp_path / "user.py").write_text(USER)
    checks = ["--strict", "--python-executable", str(fresh), "--cache-dir", "kept", "--no-pretty"]
    lines = python(tmp_path, "-m", "mypy", *checks, "user.py").splitlines()
    assert [line.split('type is "')[1][:-1] for line in lines if "Revealed" in line] == REVEALED
    assert [line.split("[")[-1][:-1] for line in lines if ": error:" in line] == WRONG, lines
