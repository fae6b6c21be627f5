"""The command line: functions of a file transformed, and added to its text.

    autobatch transform model.py:logp --transform grad --types "x: f8[:], X: f8[:,:]" -o model_grad.py

The file is read and never run. What comes out is its own text with `logp_grad` added, which needs NumPy
(and Numba) and nothing else.

    autobatch cache             where compiled code is kept, and how much of it there is; --clear removes it
"""

from __future__ import annotations

import argparse
import codecs
import difflib
import shlex
import sys
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autobatch.command.emit import append_functions
from autobatch.command.make import DerivativeStep, FileFunction, Options, transform_function, typed_function
from autobatch.command.names import FileNames
from autobatch.command.types import TypesError, parse_axes, parse_parameters, parse_types, parse_values
from autobatch.command.wrapper import Made
from autobatch.schedule import Schedule
from autodiff.api import grad, hessian, jacfwd, jacrev, value_and_grad
from autodiff.derivatives import Jvp
from codegen import __version__
from codegen.backend.cache_size import LIMIT, MEGABYTE, USUAL, cleared, files, limit
from codegen.backend.disk_cache import cache_directory
from codegen.pipeline import PASSES
from codegen.read.module import ModuleText, read_module
from codegen.source import SourceError

DERIVATIVES = {
    "grad": DerivativeStep("gradient of {}", grad),
    "value_and_grad": DerivativeStep("value and gradient of {}", value_and_grad),
    "jacobian": DerivativeStep("Jacobian of {}", jacrev),
    "jacrev": DerivativeStep("Jacobian of {}, by rows", jacrev),
    "jacfwd": DerivativeStep("Jacobian of {}, by columns", jacfwd),
    "hessian": DerivativeStep("second derivatives of {}", hessian),
    "jvp": DerivativeStep(
        "value of {} and its derivative along the tangents", lambda f, _, **told: Jvp(f, 0, **told)
    ),
}
TRANSFORMS = (*DERIVATIVES, "batch")
EXPLAINING = (
    "autodiff.api",
    "autodiff.derivatives",
    "autobatch.command.make",
    "autobatch.lanes.local_static",
    "autobatch.arguments",
    "autobatch.argument_writes",
)
"""Modules whose TypeErrors and ValueErrors tell a user what does not fit."""
ARGUMENTS: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
    (("functions",), {
        "nargs": "+", "metavar": "FILE.py:FUNC", "help": "a function of a file; several must be of one file",
    }),
    (("--transform",), {
        "action": "append", "choices": TRANSFORMS, "default": [],
        "help": "given several times: one after the other; not given: FUNC is compiled as it is",
    }),
    (("--target",), {
        "choices": tuple(PASSES), "default": "numba", "help": "what runs the result (default: %(default)s)",
    }),
    (("--types",), {
        "default": "", "metavar": "'x: f8[:], n: i8'",
        "help": "the types of one lane's arguments: f8, f4, i8, b1, ... with sizes in brackets (`:` for "
        "any), rng for a random generator, tuples of these; an argument that is not named has the type of "
        "its annotation, or its default for a constant",
    }),
    (("--static",), {
        "default": "", "metavar": "'axis=0'", "help": "arguments that become constants of the program",
    }),
    (("--in-axes",), {
        "default": "", "metavar": "'x: 0, X: None'",
        "help": "for batch: 0 for an argument with a leading lane axis (the default), None for a shared one",
    }),
    (("--schedule",), {
        "default": "", "metavar": "'group=16'",
        "help": "for batch: how lanes are run, a form (lanewise, program_counter, local_static) or fields of "
        "Schedule: form, group, threads, stack_limit, layout, tile, round_limit, block, registers",
    }),
    (("--argnums",), {
        "default": "0", "metavar": "0,1",
        "help": "the arguments that derivatives are with respect to, by number (default: %(default)s)",
    }),
    (("--save",), {
        "default": "none", "choices": ("none", "all"),
        "help": "what the forward sweep keeps for the return sweep (default: %(default)s)",
    }),
    (("-o", "--output"), {
        "default": "-", "metavar": "OUT.py", "help": "where the text goes; - is standard output (default)",
    }),
    (("--diff",), {"action": "store_true", "help": "show what would change, and write nothing"}),
    (("--check",), {
        "action": "store_true", "help": "exit with status 1 unless OUT.py is up to date, and write nothing",
    }),
)  # fmt: skip


class UsageError(Exception):
    """Arguments of the command line that do not fit the file or each other."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit status.

    1 for a function that cannot be transformed or a file that is not up to date, 2 for arguments that make
    no sense.
    """
    parser = command()
    given = parser.parse_args(arguments)
    status: int = given.run(given)
    return status


def transform_file(given: argparse.Namespace) -> int:
    try:
        module, text = transformed(given)
    except (UsageError, TypesError) as error:
        given.parser.error(str(error))
    except SourceError as error:
        print(shown_problems(error), file=sys.stderr, end="")
        return 1
    return deliver(given, module, text)


def command() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="autobatch",
        description="Derivatives and batched forms of Python functions, as Python text.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"autobatch {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    transform = commands.add_parser(
        "transform",
        help="add transformed functions to a file's text",
        description="The file's text with transformed functions added: FUNC_grad, FUNC_batch, "
        "FUNC_grad_batch, or FUNC_jit, which is FUNC compiled. The file is read and never run.",
        allow_abbrev=False,
    )
    transform.set_defaults(parser=transform, run=transform_file)
    add = transform.add_argument
    for flags, options in ARGUMENTS:
        add(*flags, **options)
    cache = commands.add_parser(
        "cache",
        help="what is kept on disk",
        description="Compiled code and emitted text that later processes find: where it lies, and how much it is. "
        f"More than ${LIMIT} megabytes ({USUAL:.0f}) is never kept: the oldest goes first.",
        allow_abbrev=False,
    )
    cache.add_argument("--clear", action="store_true", help="remove all of it")
    cache.set_defaults(parser=cache, run=show_cache)
    return parser


# --- making the text -----------------------------------------------------------------------------------


def transformed(given: argparse.Namespace) -> tuple[ModuleText, str]:
    """The file and its text with the functions added."""
    file, functions = parse_places(given.functions)
    try:
        module = read_module(file)
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}") from None
    names = FileNames(module)
    options = Options(given.target, argnums(given.argnums), given.save, schedule(given.schedule))
    steps = tuple((name, DERIVATIVES.get(name)) for name in given.transform)
    check_steps(given)
    read = [function_named(names, name, given) for name in functions]
    known = {p.name for each in read for p in each.define.parameters}
    check_option_names(given, known)
    note = noted(given)
    made = [made_of(each, steps, options, note) for each in read]
    for each in made:
        if each.name in module.bindings:
            raise UsageError(f"{file} has a {each.name!r} already")
    return module, append_functions(names, made)


def made_of(
    of: FileFunction, steps: Sequence[tuple[str, DerivativeStep | None]], options: Options, note: str
) -> Made:
    """`transform_function`, and what it says of arguments that do not fit, said of the function."""
    try:
        return transform_function(of, steps, options, note)
    except (TypeError, ValueError) as error:
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        if isinstance(error, SourceError) or frames[-1].f_globals["__name__"] not in EXPLAINING:
            raise
        raise SourceError([(of.define.span, str(error))]) from error


def parse_places(texts: Sequence[str]) -> tuple[str, list[str]]:
    """`FILE.py:FUNC` several times: the file and its functions."""
    pairs = [text.rpartition(":") for text in texts]
    for text, (file, _, name) in zip(texts, pairs, strict=True):
        if not file or not name.isidentifier():
            raise UsageError(f"{text!r} is not of the form FILE.py:FUNC")
    files = list(dict.fromkeys(file for file, _, _ in pairs))
    if len(files) > 1:
        raise UsageError(f"the functions are of several files, {', '.join(files)}: run it once for each")
    return files[0], list(dict.fromkeys(name for _, _, name in pairs))


def function_named(names: FileNames, name: str, given: argparse.Namespace) -> FileFunction:
    if name not in names.module.functions:
        known = ", ".join(names.module.functions) or "none"
        raise UsageError(f"{names.module.file} has no function {name!r}; its functions: {known}")
    types = parse_types(given.types, names)
    return typed_function(names, name, types, parse_values(given.static), parse_axes(given.in_axes))


def check_steps(given: argparse.Namespace) -> None:
    if given.target == "cuda" and "batch" not in given.transform:
        raise UsageError("--target cuda is for --transform batch")
    if not given.transform and given.target != "numba":
        raise UsageError("without --transform the target is numba: for numpy there is nothing to do")
    if "batch" in given.transform[:-1]:
        raise UsageError("--transform batch comes last")
    if given.in_axes and "batch" not in given.transform:
        raise UsageError("--in-axes is for --transform batch")
    if given.schedule and "batch" not in given.transform:
        raise UsageError("--schedule is for --transform batch")
    if given.check and given.output == "-":
        raise UsageError("--check needs the file to look at: -o OUT.py")


def check_option_names(given: argparse.Namespace, known: set[str]) -> None:
    """Every name in the options is a parameter of some function."""
    for option, texts in (
        ("--types", parse_parameters(given.types)),
        ("--static", parse_values(given.static)),
        ("--in-axes", parse_axes(given.in_axes)),
    ):
        for name in texts:
            if name not in known:
                raise UsageError(
                    f"{option} names {name!r}, which is no parameter: there are {', '.join(sorted(known))}"
                )


def argnums(text: str) -> int | tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--argnums is a number or several parted by commas, not {text!r}") from None
    return numbers if len(numbers) > 1 or "," in text else numbers[0]


def schedule(text: str) -> Schedule:
    """`lanewise`, or `form="lanewise", threads=2`."""
    try:
        if text.strip().isidentifier():
            made = Schedule(text.strip())  # type: ignore[arg-type]
        else:
            made = Schedule(**parse_values(text))
    except (TypeError, ValueError) as error:
        raise UsageError(f"--schedule {text!r}: {error}") from None
    if made.form == "measure":
        raise UsageError("--schedule measure would run the function, which is never run here: say which form")
    return made


def noted(given: argparse.Namespace) -> str:
    """How the text was made, as the comment above each function."""
    said = [f"--transform {name}" for name in given.transform]
    for option in ("target", "types", "static", "in_axes", "schedule", "argnums", "save"):
        if (value := getattr(given, option)) != given.parser.get_default(option):
            said.append(f"--{option.replace('_', '-')} {shlex.quote(value)}")
    places = (text.rpartition(":") for text in given.functions)
    functions = [f"{Path(file).name}:{name}" for file, _, name in places]
    return " ".join(["autobatch transform", *functions, *said])


# --- what is kept ---------------------------------------------------------------------------------------


def show_cache(given: argparse.Namespace) -> int:
    """Where the cache lies, how large it is; without anything in it after --clear."""
    directory = cache_directory()
    there = files(directory)
    if given.clear:
        cleared(directory)
        left = files(directory)
        print(f"{directory}\n{counted(len(there) - len(left), 'file')} removed, {len(left)} left")
        return 1 if left else 0
    size = sum(file.size for file in there)
    print(
        f"{directory}\n{counted(len(there), 'file')}, {size / MEGABYTE:,.1f} of {limit() / MEGABYTE:,.0f} MB"
    )
    if there:
        first, last = (
            time.strftime("%Y-%m-%d %H:%M", time.localtime(file.used)) for file in (there[0], there[-1])
        )
        print(f"last used from {first} to {last}")
    return 0


def counted(count: int, name: str) -> str:
    return f"{count:,} {name}{'s' * (count != 1)}"


# --- what is shown and written -------------------------------------------------------------------------


def shown_problems(error: SourceError) -> str:
    """Every problem as Python prints a SyntaxError."""
    listed = [SourceError([problem]) for problem in error.problems]
    lines = [line for each in listed for line in traceback.format_exception_only(each)]
    return "".join(line.replace("codegen.source.SourceError", "SourceError", 1) for line in lines)


def deliver(given: argparse.Namespace, module: ModuleText, text: str) -> int:
    """Write the text, or show and check it; the exit status."""
    encoding = encoding_of(module)
    if not given.diff and not given.check:
        return write_output(given.output, text, encoding)
    try:
        written = None if given.output == "-" else Path(given.output).read_bytes().decode(encoding, "replace")
    except FileNotFoundError:
        written = None
    except OSError as error:
        return failed(f"{given.output} cannot be read: {error.strerror}")
    if given.diff:
        before, name = (module.module.code, module.file) if written is None else (written, given.output)
        new = name if given.output == "-" else given.output
        lines = difflib.unified_diff(before.splitlines(), text.splitlines(), name, new, lineterm="")
        sys.stdout.writelines(f"{line}\n" for line in lines)
    if given.check and written != text:
        print(f"{given.output} is not up to date", file=sys.stderr)
        return 1
    return 0


def encoding_of(module: ModuleText) -> str:
    """The file's encoding, its byte order mark included."""
    marked = Path(module.file).read_bytes().startswith(codecs.BOM_UTF8)
    return "utf-8-sig" if marked else module.module.encoding


def write_output(output: str, text: str, encoding: str) -> int:
    if output == "-":
        sys.stdout.write(text)
        return 0
    try:
        with Path(output).open("w", encoding=encoding, newline="") as file:
            file.write(text)
    except OSError as error:
        return failed(f"{output} cannot be written: {error.strerror}")
    return 0


def failed(message: str) -> int:
    print(f"autobatch: {message}", file=sys.stderr)
    return 1
