"""One text, one meaning: `.source()` of batched functions runs by itself, and is what the command line writes."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from over_lanes import directory  # noqa: F401

from autobatch import LaneError, Schedule, batch, streams
from autobatch.cli import main
from autobatch.command.emit import own_definitions
from autobatch.command.pieces import segments
from autodiff import grad
from codegen.emit.module import CALLED
from codegen.emit.renaming import renamed_tokens

TEXT = """\
import numpy as np

HALF = np.array(0.5)


def root(x, k):
    y = 0.5 * (1.0 + x)
    while abs(y * y - x) > 1e-12 * x:
        y = 0.5 * (y + x / y)
    return {"root": y, "more": (k, 3)}


def power(x, n):
    y = x
    while n > 0:
        y, n = y * np.sin(x), n - 1
    return y


def tree(a, n):
    if n > 3:
        raise ValueError("too deep")
    return a[0] if n == 0 else tree(a * 0.5, n - 1) + tree(a, n - 1) + a[1]


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def first(X, q, out):
    out[0] = HALF * np.sum(X @ q)
    return out[1]
"""
X = np.arange(12.0).reshape(4, 3)
CASES: dict[str, tuple[str, str, str, Any, tuple[Any, ...]]] = {
    "root": ("root", "", "x: f8, k: i8", 0, (np.array([2.0, 9.0, 0.5]), np.arange(3))),
    "power": ("power", "grad", "x: f8, n: i8", 0, (np.array([0.5, 1.5, 2.0]), np.array([3, 0, 2]))),
    "tree": ("tree", "", "a: f8[2], n: i8", 0, (np.arange(6.0).reshape(3, 2), np.array([2, 0, 3]))),
    "fib": ("fib", "", "n: i8", 0, (np.array([3, 10, 1]),)),
    "first": ("first", "", "X: f8[4, 3], q: f8[3], out: f8[2]", (None, 0, 0), (X, X[:2], np.ones((2, 2)))),
}
SCHEDULES = [
    [("root", "auto"), ("tree", "form='program_counter', group=4, threads=1"), ("fib", "auto")],
    [
        ("root", "group=4"), ("root", "local_static"), ("power", "lanewise"), ("tree", "stack_limit=2"),
        ("first", "auto"),
    ],
]  # fmt: skip


def loaded(file: Path) -> Any:
    spec = importlib.util.spec_from_file_location(file.stem, file)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def schedule_of(text: str) -> Schedule:
    return eval(f"Schedule({text})") if "=" in text else Schedule(text)  # type: ignore[arg-type]


RUN = """
import sys, pickle, importlib.abc
class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("codegen", "autodiff", "autobatch"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Hidden())
import importlib
sys.path.insert(0, sys.argv[1])
found = []
for name, function, arguments in pickle.loads(sys.stdin.buffer.read()):
    try:
        result = getattr(importlib.import_module(name), function)(*arguments)
    except RuntimeError as error:
        result = list(error.lanes)
    found.append((result, arguments))
sys.stdout.buffer.write(pickle.dumps(found))
"""


@pytest.mark.turns(4)
@pytest.mark.sampled(3)
@pytest.mark.parametrize("schedules", SCHEDULES, ids=["one of each form", "others"])
def test_the_text_is_the_command_lines_and_runs_alone(
    schedules: list[tuple[str, str]], tmp_path: Path
) -> None:
    """The same pieces, in a user's module under names of their own; the same numbers, bit for bit."""
    import pickle

    (tmp_path / "programs.py").write_text(TEXT)
    user = loaded(tmp_path / "programs.py")
    calls, wanted = [], []
    for k, (case, schedule) in enumerate(schedules):
        name, step, types, axes, arguments = CASES[case]
        function = grad(getattr(user, name)) if step else getattr(user, name)
        many = batch(function, axes, schedule=schedule_of(schedule))
        source = many.source(*arguments)
        (tmp_path / f"alone{k}.py").write_text(source)
        told = ["--transform", step] * bool(step) + ["--transform", "batch", "--types", types]
        told += ["--schedule", schedule, "-o", str(tmp_path / f"added{k}.py")]
        told += ["--in-axes", "X: None"] if axes else []
        assert main(["transform", f"{tmp_path / 'programs.py'}:{name}", *told]) == 0
        added = (tmp_path / f"added{k}.py").read_text()
        source = source.replace(CALLED, "")
        defined = own_definitions(segments(source))
        runs = [n for n in defined if not n.startswith("_") and not n.endswith("_batch")]
        if schedule != "local_static":
            renamed = renamed_tokens(source, {n: f"_{n}" for n in runs})
            pieces = {piece.text for piece in segments(renamed)}
            same = {p for p in pieces if "_batch" not in p and not p.startswith(("_failures", "_HALF"))}
            missing = [p for p in same if p.replace("_again", "2") not in added and p not in added]
            assert not missing, (case, schedule, missing[0])
        given = [a.copy() for a in arguments]
        try:
            result: Any = many(*given)
        except LaneError as error:
            result = list(error.lanes)
        main_name = f"{name}_grad_batch" if step else f"{name}_batch"
        for module in (f"alone{k}", f"added{k}")[: 2 if case in ("fib", "first") else 1]:
            calls.append((module, main_name, [a.copy() for a in arguments]))
            wanted.append((result, given))
    done = subprocess.run(
        [sys.executable, "-I", "-c", RUN, str(tmp_path)], input=pickle.dumps(calls), capture_output=True
    )
    assert done.returncode == 0, done.stderr.decode()
    for call, one, other in zip(calls, pickle.loads(done.stdout), wanted, strict=True):
        np.testing.assert_equal(one, other, err_msg=str(call[:2]))


def draws(rng, n):
    total = 0.0
    for _ in range(n):
        total += rng.normal()
    return total, np.full(2, total)


@pytest.mark.turns(4)
def test_streams_and_axes(tmp_path: Path) -> None:
    many = batch(draws)
    (tmp_path / "draws_alone.py").write_text(many.source(streams(3, 4), np.array([3, 1, 0, 2])))
    module = loaded(tmp_path / "draws_alone.py")
    one, other, n = streams(3, 4), streams(3, 4), np.array([3, 1, 0, 2])
    np.testing.assert_equal(module.draws_batch(one, n), many(other, n))
    np.testing.assert_array_equal(one.state, other.state)


@pytest.mark.parametrize("wrong", ["group=3", "measure", "form=1", "nothing"])
def test_schedules_that_are_none(wrong: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "programs.py").write_text(TEXT)
    with pytest.raises(SystemExit):
        main(
            ["transform", f"{tmp_path}/programs.py:fib", "--transform", "batch", "--types", "n: i8"]
            + ["--schedule", wrong]
        )
    assert "--schedule" in capsys.readouterr().err
