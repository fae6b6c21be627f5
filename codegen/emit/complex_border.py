"""The text of a function of complex numbers: that of their parts, and one around it that takes and gives them whole.

def f_parts(z_re, z_im, x): ...

def f(z, x):
    re, im = f_parts(z.real, z.imag, x)
    return complex_of(re, im)
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from codegen.emit.argument_stores import stored
from codegen.emit.coalescing import claim, function_names
from codegen.emit.module import function_texts, module
from codegen.infer.main import Traced
from codegen.infer.values import Nest
from codegen.ir import Program, Type, program
from codegen.ir.traversal import renamed_functions

JOINED = '''def complex_of(re, im):
    """A complex array or number of its two parts."""
    made = np.empty(np.shape(re), np.result_type(re, np.complex64))
    made.real, made.imag = re, im
    return made[()]
'''


def whole_text(made: Program, traced: Traced, *, target: str, quote: bool) -> str:
    """The module text of `made`, which is over parts, with the function around it."""
    inner, name = of_parts(made), function_names(made)[made.main]
    texts = function_texts(inner, target, quote=quote, homes=traced.homes)
    around = border(inner, traced, name, contiguous=target != "numpy")
    joins = any(len(places) > 1 and not type_.weak for places, type_ in units(traced.out, count()))
    helpers = [JOINED, *texts.helpers] if joins else texts.helpers
    return module([*texts.functions, around], helpers, None, made.entry.span)


def holds_complex(traced: Traced) -> bool:
    """Whether an argument or a result is complex."""
    entries = (*traced.arguments, traced.out)
    return any(len(places) > 1 for entry in entries for places, _ in units(entry, count()))


def units(entry: Any, places: Iterator[int]) -> Iterator[tuple[tuple[int, ...], Type]]:
    """The places of the leaves of an entry, those of two parts together, and the type of each or of its parts."""
    if isinstance(entry, Nest) and entry.cls is complex and isinstance(entry.items[0], Type):
        yield (next(places), next(places)), entry.items[0]
    elif isinstance(entry, Nest):
        for item in entry.items:
            yield from units(item, places)
    elif isinstance(entry, Type):
        yield (next(places),), entry


def of_parts(made: Program) -> Program:
    """The program under the name that its function over parts has."""
    name = claim(f"{made.main}_parts", set(made.functions))
    return program(
        renamed_functions(dict(made.functions), {n: n for n in made.functions} | {made.main: name}), name
    )


def border(made: Program, traced: Traced, name: str, *, contiguous: bool) -> str:
    """The text of the function around `made`, which is over parts; `contiguous`: it takes no other arrays."""
    params = [p.name for p in made.entry.params]
    taken = set(params)
    given: list[str] = []
    operands: list[str] = []
    before: list[str] = []
    after: list[str] = []
    places = iter(range(len(params)))
    for leaves, type_ in (unit for entry in traced.arguments for unit in units(entry, places)):
        if len(leaves) == 1:
            given.append(params[leaves[0]])
            operands.append(params[leaves[0]])
            continue
        whole = claim(params[leaves[0]].removesuffix("_re"), taken)
        given.append(whole)
        for k, part in zip(leaves, ("real", "imag"), strict=True):
            operands.append(params[k])
            text = f"{whole}.{part}"
            before.append(
                f"{params[k]} = {f'np.ascontiguousarray({text})' if contiguous and type_.rank else text}"
            )
            if k in stored(traced.program) and contiguous:
                after.append(f"{whole}.{part}[...] = {params[k]}")
    rest = params[len(operands) :]
    results = [claim(r.name if hasattr(r, "name") else "t", taken) for r in made.entry.body.results]
    call = f"{function_names(made)[made.main]}({', '.join([*operands, *rest])})"
    built = list(returned(traced.out, results))
    lines = [
        f"def {name}({', '.join([*given, *rest])}):",
        *before,
        f"{', '.join(results)} = {call}" if results else call,
        *after,
        *([f"return {', '.join(built)}"] if built else []),
    ]
    return "\n    ".join(lines)


def returned(out: Any, results: list[str]) -> Iterator[str]:
    """The results, parts of complex ones together."""
    places = iter(range(len(results)))
    for leaves, type_ in units(out, places):
        names = ", ".join(results[k] for k in leaves)
        yield names if len(leaves) == 1 else f"complex({names})" if type_.weak else f"complex_of({names})"
    yield from (results[k] for k in places)
