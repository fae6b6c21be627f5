"""The command line: outputs that run by themselves, modules kept to the letter, nothing executed."""

import codecs
import json
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from cli_programs import PROGRAMS
from places import ROOT

from autobatch.cli import main

HIDDEN = """\
import importlib.abc, json, sys, traceback

class Hidden(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("codegen", "autodiff", "autobatch"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hidden())
for name in ("codegen", "autodiff", "autobatch"):
    try:
        __import__(name)
    except ModuleNotFoundError:
        continue
    raise AssertionError(f"{name} is not hidden")
import importlib
import numpy as np

def philox(*key):
    return np.random.Generator(np.random.Philox(key=np.array(key, np.uint64)))

sys.path.insert(0, sys.argv[1])
outcome = {}
for name, check in json.loads(sys.stdin.read()).items():
    try:
        exec(check, {"m": importlib.import_module(name), "np": np, "philox": philox})
        outcome[name] = "ok"
    except Exception:
        outcome[name] = traceback.format_exc()
print(json.dumps(outcome))
"""


def transform(path, functions, options):
    """The status of `autobatch transform` of functions of one file."""
    return main(["transform", *(f"{path}:{name}" for name in functions.split()), *shlex.split(options)])


def run_all(folder, target, names):
    """What the check of each program said, by the names of the programs."""
    checks = {}
    for name in names:
        program = PROGRAMS[name]
        source = folder / "in" / f"{name}.py"
        source.parent.mkdir(exist_ok=True)
        source.write_text(textwrap.dedent(program.text))
        (folder / "out").mkdir(exist_ok=True)
        options = f"{program.options} --target {target} -o {folder / 'out' / source.name}"
        assert transform(source, program.functions, options) == 0
        checks[name] = textwrap.dedent(program.check)
    done = subprocess.run(
        [sys.executable, "-I", "-W", "error", "-c", HIDDEN, str(folder / "out")],
        input=json.dumps(checks),
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# For NumPy there is nothing to do without a transformation.
TRANSFORMED = [name for name, program in PROGRAMS.items() if "--transform" in program.options]
PARTS = [("numpy", TRANSFORMED), *(("numba", list(PROGRAMS)[k::3]) for k in range(3))]


@pytest.mark.turns(8)
@pytest.mark.sampled(6)
@pytest.mark.parametrize(("target", "names"), PARTS)
def test_outputs_run_alone(target, names, tmp_path):
    """All in one process that cannot import this distribution."""
    assert run_all(tmp_path, target, names) == dict.fromkeys(names, "ok")


# --- the user's module -----------------------------------------------------------------------------------

ODD = {
    "plain": b"def f(x: float):\n    return x * x\n",
    "no last newline": b"def f(x: float):  return x * x",
    "windows": b'"""A docstring."""\r\nimport math\r\n\r\ndef f(x: float):\r\n\treturn x*x   # why\r\n',
    "latin-1": b"#!/usr/bin/python\n# coding: latin-1\n\xc4 = '\xfc'\ndef f(x: float): return x * x\n",
    "byte order mark": b"\xef\xbb\xbfdef f(x: float):\n    return x * x\n",
    "main last": b'import numpy as np ; y = 1\n\nf = lambda x: x * x\n\n\n'
    b'# run\nif __name__ == "__main__":\n    print(f(1))\n\n\n\n',
    "star": b"from math import *\ndef f(x: float):\n    y = x * x\n    return y\n\x0c\nclass A: pass\n",
    "future": b"from __future__ import annotations\n\n\n\n"
    b"import numba\n@numba.njit( cache = True )\ndef f(x : float) :\n    return (x\n  * x)\n",
}  # fmt: skip


@pytest.mark.parametrize("target", ["numba", "numpy"])
@pytest.mark.parametrize("name", ODD)
def test_the_module_is_kept_to_the_letter(name, target, tmp_path):
    """All its lines are in the output, byte for byte and in order, and the output is Python."""
    source, out = tmp_path / "m.py", tmp_path / "out.py"
    source.write_bytes(ODD[name])
    assert transform(source, "f", f"--transform grad --types 'x: f8' --target {target} -o {out}") == 0
    start = codecs.BOM_UTF8 if ODD[name].startswith(codecs.BOM_UTF8) else b""
    assert out.read_bytes().startswith(start)
    before = ODD[name].removeprefix(start).splitlines(keepends=True)
    after = iter(out.read_bytes().removeprefix(start).splitlines(keepends=True))
    end = b"\r\n" if name == "windows" else b"\n"
    if not before[-1].endswith(end):
        before[-1] += end
    assert all(line in after for line in before)
    compile(out.read_bytes(), str(out), "exec")
    if name == "windows":
        assert out.read_bytes().count(b"\n") == out.read_bytes().count(b"\r\n")


def test_nothing_is_executed(tmp_path, monkeypatch, capsys):
    """Neither the file, nor its neighbours, nor its decorators and defaults."""
    text = """
    import pathlib, near, numpy as np
    from .beside import thing
    pathlib.Path("ran").touch()
    raise SystemExit("ran")

    def f(x: float, n=pathlib.Path("ran").touch()):
        return np.exp(x)
    """
    (tmp_path / "m.py").write_text(textwrap.dedent(text))
    for neighbour in ("near.py", "beside.py", "__init__.py"):
        (tmp_path / neighbour).write_text("raise SystemExit('ran')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    assert transform("m.py", "f", "") == 0
    assert "def f_jit(x):" in capsys.readouterr().out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["__init__.py", "beside.py", "m.py", "near.py"]


def test_what_was_added_can_be_made_again(tmp_path, capsys):
    """The comment above a function is the command that makes it."""
    (tmp_path / "m.py").write_text("def f(x, y):\n    return x * y\n")
    options = "--transform grad --target numpy --types 'x: f8, y: f8' --argnums 0,1"
    assert transform(tmp_path / "m.py", "f", options) == 0
    first = capsys.readouterr().out
    line = next(line for line in first.splitlines() if line.startswith("# autobatch "))
    _, _, command, *rest = shlex.split(line)
    assert command == "transform"
    assert main([command, *(str(tmp_path / word) if word == "m.py:f" else word for word in rest)]) == 0
    assert capsys.readouterr().out == first


def test_arguments_of_any_number_are_none(tmp_path, capsys):
    text = "def g(*parts, scale=2.0, **more):\n    return scale * sum(parts)\n\n\n"
    (tmp_path / "m.py").write_text(text + "def f(x, *more):\n    return g(x, x, *more, scale=3.0)\n")
    assert transform(tmp_path / "m.py", "f", "--transform grad --target numpy --types 'x: f8'") == 0
    assert "def f_grad(x):" in capsys.readouterr().out


# --- errors ----------------------------------------------------------------------------------------------

ERRORS = {
    "no types": (
        "def f(x, y: int, *, z):\n    return x\n",
        "",
        """\
  File "m.py", line 1
    def f(x, y: int, *, z):
          ^
SourceError: the type of 'x' is not known: say it, as in --types "x: f8"
  File "m.py", line 1
    def f(x, y: int, *, z):
                        ^
SourceError: the type of 'z' is not known: say it, as in --types "z: f8"
""",
    ),
    "any number of arguments": (
        "def f(x, *more):\n    return x + sum(more)\n",
        "--types 'x: f8, more: f8'",
        """\
  File "m.py", line 1
    def f(x, *more):
              ^^^^
SourceError: 'more' takes any number of arguments: name those that it is to have
""",
    ),
    "all problems": (
        "def f(x):\n    global y\n    async with x:\n        return x\n",
        "--types 'x: f8'",
        """\
  File "m.py", line 2
    global y
    ^^^^^^^^
SourceError: `global` is not supported: a lane may change only what it owns; pass the value as an argument and return \
the new one
  File "m.py", line 3
    async with x:
    ^^^^^^^^^^^^^
SourceError: `async with` is not supported: a lane holds no resources; enter and leave the context outside the function
""",
    ),
    "another module": (
        "from near import g as h\nimport os.path\n\ndef f(x: float):\n    return h(x)\n",
        "",
        """\
  File "m.py", line 5
    return h(x)
           ^
SourceError: 'h' is imported from 'near', which is not read: define it in this file, or pass it as an argument
""",
    ),
    "not a constant": (
        "def g(): return 1\nA = g()\nB = A + 1\ndef f(x: float):\n    return x + B\n",
        "",
        """\
  File "m.py", line 5
    return x + B
               ^
SourceError: what 'B' is cannot be told without running the file: write it as a number, a tuple or an array \
of numbers, or pass it as an argument
""",
    ),
    "two values": (
        "A = 1\nB = A\nA = 2\ndef f(x: float):\n    return x + A + B\n",
        "",
        """\
  File "m.py", line 5
    return x + A + B
                   ^
SourceError: what 'B' is cannot be told without running the file: write it as a number, a tuple or an array \
of numbers, or pass it as an argument
""",
    ),
    "a star": (
        "from math import *\ndef f(x: float):\n    return exp(x)\n",
        "",
        """\
  File "m.py", line 3
    return exp(x)
           ^^^
SourceError: 'exp' may come from a `from ... import *`, which is not read: import it by its name
""",
    ),
    "a decorator": (
        "import near\n\n@near.twice\ndef f(x: float):\n    return x\n",
        "",
        """\
  File "m.py", line 4
    def f(x: float):
    ^^^^^^^^^^^^^^^^
SourceError: the decorator `near.twice` of 'f' may change what it computes, and it is not run: transform a \
function without it, and give what it makes of that another name
""",
    ),
    "an integer": (
        "def f(n: int):\n    return n * 2.0\n",
        "--transform grad",
        """\
  File "m.py", line 1
    def f(n: int):
    ^^^^^^^^^^^^^^
SourceError: grad of f: argument n is of type i8; derivatives are with respect to floats (pass 1.0 for 1, \
or choose other arguments by argnums)
""",
    ),
    "no lanes": (
        "def f(x: float):\n    return x\n",
        "--transform batch --in-axes 'x: None'",
        """\
  File "m.py", line 1
    def f(x: float):
    ^^^^^^^^^^^^^^^^
SourceError: batch needs at least one argument with a lane axis (in_axes 0)
""",
    ),
    "another axis": (
        "def f(x: float):\n    return x\n",
        "--transform batch --in-axes 'x: 1'",
        """\
  File "m.py", line 1
    def f(x: float):
    ^^^^^^^^^^^^^^^^
SourceError: in_axes of 'x' is 0 or None, not 1: move the lane axis to the front
""",
    ),
    "a lambda": (
        "def f(x: float):\n    return x, (\n        lambda y: y\n    )\n",
        "",
        """\
  File "m.py", line 3
    lambda y: y
    ^^^^^^^^^^^
SourceError: a function cannot be returned from a function
""",
    ),
    "a class": (
        "def f(x: float):\n    return [x, float]\n",
        "--transform batch",
        """\
  File "m.py", line 1
    def f(x: float):
    ^^^^^^^^^^^^^^^^
SourceError: float is returned, which cannot be written in a file: return numbers, arrays, texts, None, \
or tuples, lists, dicts and named tuples of these
""",
    ),
    "no Python": (
        "def f(x:\n",
        "",
        """\
  File "m.py", line 1
    def f(x:
    ^
SourceError: this is no Python that can be read: parser error: error at 2:0: expected one of +, -, ..., \
AWAIT, False, NAME, NUMBER, None, True, lambda, not, ~
""",
    ),
}


@pytest.mark.parametrize("name", ERRORS)
def test_errors_point_at_the_line(name, tmp_path, monkeypatch, capsys):
    text, options, expected = ERRORS[name]
    (tmp_path / "m.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    assert transform("m.py", "f", options) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == expected


USAGE = {
    "m.py:g": "m.py has no function 'g'; its functions: f",
    "m.py": "'m.py' is not of the form FILE.py:FUNC",
    "m.py:f n.py:f": "the functions are of several files, m.py, n.py: run it once for each",
    "n.py:f": "n.py: No such file or directory",
    "m.py:f --types 'y: f8'": "--types names 'y', which is no parameter: there are x",
    "m.py:f --static y=1": "--static names 'y', which is no parameter: there are x",
    "m.py:f --target cuda --types 'x: f8'": "--target cuda is for --transform batch",
    "m.py:f --in-axes 'x: 0'": "--in-axes is for --transform batch",
    "m.py:f --types 'x: f9'": "`f9` is no type: there are f8, f4, c16, c8, i8, i4, i2, i1, "
    "u8, u4, u2, u1, b1, rng, float, int, complex and bool",
    "m.py:f --types 'x: f8[n]'": "a size is `:` or a number, not `n`",
    "m.py:f --types 'x f8'": "'x f8' is not of the form `x: f8[:], n: i8`: invalid syntax",
    "m.py:f --types 'x: State(f8)'": "`State` is no named tuple of the file",
    "m.py:f --types 'x: rng[3]'": "`rng[3]`: an argument is one random generator, `rng`",
    "m.py:f --types x": "nothing stands after 'x' in 'x': write `x: f8`",
    "m.py:f --static x=y": "`y` is no literal",
    "m.py:f --target numpy": "without --transform the target is numba: for numpy there is nothing to do",
    "m.py:f --transform batch --transform grad": "--transform batch comes last",
    "m.py:f --check": "--check needs the file to look at: -o OUT.py",
    "m.py:f --transform grad --argnums x": "--argnums is a number or several parted by commas, not 'x'",
    "m.py:h": "m.py has a 'h_jit' already",
}  # fmt: skip


@pytest.mark.parametrize("command", USAGE)
def test_usage_errors(command, tmp_path, monkeypatch, capsys):
    text = "def f(x: float):\n    return x\n\nh_jit = 1\n"
    (tmp_path / "m.py").write_text(text + "h = lambda: 1\n" if command == "m.py:h" else text)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as exit:
        main(["transform", *shlex.split(command)])
    assert exit.value.code == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"autobatch transform: error: {USAGE[command]}"


# --- where the text goes ---------------------------------------------------------------------------------


def test_diff_and_check(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    source, out = tmp_path / "m.py", tmp_path / "out.py"
    source.write_text("def f(x: float):\n    return x * x\n")
    options = "--transform grad --target numpy -o out.py"

    assert transform("m.py", "f", f"{options} --diff") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["--- m.py", "+++ out.py"]
    assert all(line[0] in "+ @" for line in lines[2:]) and "+def f_grad(x):" in lines
    assert transform("m.py", "f", f"{options} --check") == 1
    assert capsys.readouterr().err == "out.py is not up to date\n"
    assert not out.exists()

    assert transform("m.py", "f", options) == 0
    assert transform("m.py", "f", f"{options} --check --diff") == 0
    assert capsys.readouterr().out == ""

    source.write_text("def f(x: float):\n    return x * x * x\n")
    before = out.read_text()
    assert transform("m.py", "f", f"{options} --check --diff") == 1
    assert "--- out.py" in capsys.readouterr().out.splitlines()
    assert out.read_text() == before


def test_a_file_that_cannot_be_written(tmp_path, capsys):
    (tmp_path / "m.py").write_text("def f(x: float):\n    return x\n")
    assert transform(tmp_path / "m.py", "f", f"-o {tmp_path / 'none' / 'out.py'}") == 1
    assert capsys.readouterr().err.endswith("out.py cannot be written: No such file or directory\n")


@pytest.mark.parametrize(("option", "verb"), [("", "written"), ("--check", "read"), ("--diff", "read")])
def test_no_file_where_the_text_goes(option, verb, tmp_path, monkeypatch, capsys):
    """A directory, and a link to itself."""
    (tmp_path / "m.py").write_text("def f(x: float):\n    return x\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.py").symlink_to("link.py")
    monkeypatch.chdir(tmp_path)
    assert transform("m.py", "f", f"-o folder {option}") == 1
    assert capsys.readouterr() == ("", f"autobatch: folder cannot be {verb}: Is a directory\n")
    assert transform("m.py", "f", f"-o link.py {option}") == 1
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"autobatch: link.py cannot be {verb}: ")


@pytest.mark.turns(4)
def test_as_a_module(tmp_path):
    (tmp_path / "m.py").write_text("def f(x: float):\n    return x * x\n")
    command = [
        sys.executable,
        "-m",
        "autobatch",
        "transform",
        f"{tmp_path / 'm.py'}:f",
        "--transform",
        "grad",
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "def f_grad(x):" in done.stdout


# --- what it looks like ----------------------------------------------------------------------------------

GOLDEN = {
    "cli_logistic.py": (
        '''
        """Logistic regression."""
        import numpy as np


        def logp( beta,X ,y ):          # as the user wrote it
            eta = X @ beta
            return np.sum(y*eta - np.log1p(np.exp(eta))) - 0.5*np.sum(beta**2)


        if __name__ == "__main__":
            print(logp(np.zeros(2), np.ones((3, 2)), np.ones(3)))
        ''',
        "--transform value_and_grad --types 'beta: f8[:], X: f8[:,:], y: f8[:]'",
        "logp",
    ),
    "cli_leapfrog.py": (
        """
        from typing import NamedTuple

        import numpy as np

        PRECISION = np.array([1.0, 4.0])


        class State(NamedTuple):
            q: np.ndarray
            p: np.ndarray


        def force(q):
            return -PRECISION * q


        def leapfrog(state, step_size, n_steps: int = 3):
            q, p = state.q, state.p + 0.5 * step_size * force(state.q)
            for i in range(n_steps):
                q = q + step_size * p
                p = p + step_size * force(q)
            return State(q, p - 0.5 * step_size * force(q))
        """,
        "--types 'state: State(f8[2], f8[2]), step_size: f8'",
        "leapfrog",
    ),
    "cli_walk.py": (
        '''
        def walk(rng, x: float, limit: float):
            """Steps until |x| is beyond a limit."""
            if limit < 0.0:
                raise ValueError("no limit")
            n = 0
            while abs(x) <= limit:
                x = x + rng.normal()
                n += 1
            return n, x
        ''',
        "--transform batch --types 'rng: rng' --in-axes 'limit: None' --target numpy",
        "walk",
    ),
    "cli_collatz.py": (
        """
        def collatz(n: int):
            steps = 0
            while n != 1:
                n = n // 2 if n % 2 == 0 else 3 * n + 1
                steps += 1
            return steps
        """,
        "--transform batch",
        "collatz",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden(name, tmp_path, capsys, golden):
    text, options, functions = GOLDEN[name]
    source = tmp_path / name.removeprefix("cli_")
    source.write_text(textwrap.dedent(text).lstrip("\n"))
    assert transform(source, functions, options) == 0
    golden(name, capsys.readouterr().out)


DOCUMENT = ROOT / "docs" / "command_line.md"


def test_the_document(tmp_path, monkeypatch):
    """Its commands run on its module."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```(\w+)\n(.*?)^```$", DOCUMENT.read_text(), re.MULTILINE | re.DOTALL)
    Path("logistic.py").write_text(next(text for language, text in blocks if language == "python"))
    commands = [line for language, text in blocks if language == "sh" for line in text.splitlines()]
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "autobatch"
        assert main(arguments) == 0
    assert "def logp_grad(beta, X, y):" in Path("logistic_grad.py").read_text()
    assert "def logp_grad_batch(beta, X, y):" in Path("logistic_lanes.py").read_text()
