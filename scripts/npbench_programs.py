"""NPBench's programs (github.com/spcl/npbench), unchanged, by NumPy and by `jit`: results, changed arguments, times.

    python scripts/npbench_programs.py PATH [NAME ...] [--preset S] [--target numba] [--timeout 120]

PATH is a checkout of the suite; nothing of it is kept here. `bench_info/NAME.json` says where a program lies and what
it is called with. Each runs in a process of its own, so that one which takes too long can be ended. A line a program:

    equal      results and arguments are NumPy's: integers exactly, floats to 1e-10 of the largest (float32: 1e-4)
    differs    and which
    refused    with the reason
    failed     raises, ends or takes longer than --timeout; or NumPy itself does

with NumPy's time (with --gradients the compiled program's), ours, how many times as fast that is, and the time of the
first call, compiling included. Exit status 0 where no program differs or failed.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from npbench_calls import called, first_call, module, reason, timed
from npbench_gradients import gradient

RELATIVE = {np.dtype(np.float32): 1e-4, np.dtype(np.complex64): 1e-4}
STATES = ("equal", "differs", "refused", "failed")


def main(arguments: Sequence[str]) -> int:
    options = parsed(arguments)
    path = options.path.resolve()
    names = options.names or sorted(file.stem for file in (path / "bench_info").glob("*.json"))
    if not names:
        sys.exit(f"{path} has no bench_info/*.json: it is no checkout of NPBench")
    if options.one:
        print(json.dumps(one(path, names[0], options)))
        return 0
    found = []
    for name in names:
        found.append(run(path, name, options))
        print(line(found[-1], "primal" if options.gradients else "NumPy"), flush=True)
    print(summary(found))
    if options.json:
        Path(options.json).write_text(json.dumps(found, indent=1) + "\n")
    return int(any(each["state"] in ("differs", "failed") for each in found))


def parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/npbench", description="NPBench's programs by NumPy and by jit."
    )
    parser.add_argument("path", type=Path, help="a checkout of NPBench")
    parser.add_argument("names", nargs="*", help="programs (files of bench_info); all without")
    parser.add_argument("--preset", default="S", choices=("S", "M", "L", "paper"))
    parser.add_argument("--target", default="numba", choices=("numba", "numpy", "cuda"))
    parser.add_argument("--parallel", action="store_true", help="threads share the loops of one call")
    parser.add_argument(
        "--gradients", action="store_true", help="their gradients instead, beside the compiled program"
    )
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one program")
    parser.add_argument("--repeat", type=int, default=5, help="calls that are timed; the median counts")
    parser.add_argument("--json", help="the figures in a file too")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_intermixed_args(arguments)


def run(path: Path, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One program in a process of its own."""
    command = [sys.executable, __file__, str(path), name, "--one", "--preset", options.preset]
    command += ["--target", options.target, "--repeat", str(options.repeat)]
    command += ["--parallel"] * options.parallel + ["--gradients"] * options.gradients
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=options.timeout, check=False)
    except subprocess.TimeoutExpired:
        return {"name": name, "state": "failed", "why": f"took longer than {options.timeout:g} s"}
    try:
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, ValueError):
        last = (done.stderr.strip().splitlines() or [""])[-1]
        found = {"name": name, "state": "failed", "why": f"ended with status {done.returncode}: {last}"}
    return found


def one(path: Path, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """What becomes of one program, in this process."""
    from codegen import jit

    told: dict[str, Any] = {"name": name}
    try:
        f, arguments = program(path, name, options.preset)
        expected, plain = called(f, arguments)
    except Exception as error:
        return {**told, "state": "failed", "why": f"plain NumPy: {reason(error)}"}
    parallel = {"parallel": True} if options.parallel else {}
    if options.gradients:
        return gradient(told, f, arguments, options.target, options.repeat)
    compiled = jit(f, target=options.target, **parallel)
    first, made = first_call(compiled, arguments)
    if made is None:
        return {**told, **first}
    found, ours = made
    places = [*difference(expected, found, "result"), *difference(list(plain), list(ours), "argument")]
    if places:
        return {**told, "state": "differs", "why": "; ".join(places[:3])}
    told["numpy"] = timed(f, arguments, options.repeat)
    told["ours"] = timed(compiled, arguments, options.repeat)
    return {**told, **first, "state": "equal"}


def program(path: Path, name: str, preset: str) -> tuple[Callable[..., Any], list[Any]]:
    """A program's function and what it is called with."""
    told = json.loads((path / "bench_info" / f"{name}.json").read_text())["benchmark"]
    folder = path / "npbench" / "benchmarks" / told["relative_path"]
    data = dict(told["parameters"][preset])
    if begin := told.get("init"):
        made = getattr(module(folder / f"{told['module_name']}.py"), begin["func_name"])(
            *(data[key] for key in begin["input_args"])
        )
        names = begin["output_args"]
        data.update(zip(names, made if len(names) > 1 else [made], strict=True))
    f = getattr(module(folder / f"{told['module_name']}_numpy.py"), told["func_name"])
    return f, [data[key] for key in told["input_args"]]


def difference(expected: Any, found: Any, place: str) -> list[str]:
    """Where two values differ, in words."""
    if isinstance(expected, tuple | list):
        if not isinstance(found, tuple | list) or len(found) != len(expected):
            return [f"{place}: {kind(found)}, not {kind(expected)}"]
        pairs = enumerate(zip(expected, found, strict=True))
        return [words for k, (x, y) in pairs for words in difference(x, y, f"{place} {k}")]
    if expected is None or found is None:
        return [] if expected is found else [f"{place}: {kind(found)}, not {kind(expected)}"]
    x, y = np.asarray(expected), np.asarray(found)
    if x.shape != y.shape or x.dtype != y.dtype:
        return [f"{place}: {y.dtype}{list(y.shape)}, not {x.dtype}{list(x.shape)}"]
    if x.dtype.kind not in "fc":
        return [] if np.array_equal(x, y) else [f"{place}: {np.count_nonzero(x != y)} of {x.size} differ"]
    if not np.array_equal(np.isfinite(x), np.isfinite(y)) or not np.array_equal(np.isnan(x), np.isnan(y)):
        return [f"{place}: other infinities or NaN"]
    there = np.isfinite(x)
    largest = float(np.max(np.abs(x), initial=0.0, where=there))
    away = float(np.max(np.abs(np.where(there, x, 0.0) - np.where(there, y, 0.0)), initial=0.0))
    same = away <= RELATIVE.get(x.dtype, 1e-10) * largest and np.array_equal(
        x[~there], y[~there], equal_nan=True
    )
    return [] if same else [f"{place}: off by {away:.2g}, the largest is {largest:.2g}"]


def kind(value: Any) -> str:
    return (
        f"{type(value).__name__} of {len(value)}" if isinstance(value, tuple | list) else type(value).__name__
    )


def line(found: dict[str, Any], peer: str = "NumPy") -> str:
    head = f"{found['state']:8} {found['name']:26}"
    if found["state"] != "equal":
        return f"{head} {found['why']}"
    times = f"{peer} {duration(found['numpy'])}, ours {duration(found['ours'])}"
    ratio = found["numpy"] / found["ours"] if found["ours"] else math.inf
    return f"{head} {times}, {ratio:7.2f}x, first {duration(found['first'])}"


def duration(seconds: float) -> str:
    return f"{seconds * 1e3:9.3f} ms" if seconds < 1.0 else f"{seconds:9.3f} s "


def summary(found: Sequence[dict[str, Any]]) -> str:
    """How many there are of each, and how fast the equal ones are together."""
    counts = Counter(each["state"] for each in found)
    words = ", ".join(f"{counts[state]} {state}" for state in STATES)
    said = f"{len(found)} programs: {words}"
    ratios = [each["numpy"] / each["ours"] for each in found if each["state"] == "equal" and each["ours"]]
    if not ratios:
        return said
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    first = float(np.median([each["first"] for each in found if each["state"] == "equal"]))
    return f"{said}; the equal ones are {mean:.2f} times as fast (geometric mean), first calls {first:.2f} s (median)"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
