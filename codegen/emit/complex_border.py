"""The text of a function of complex numbers: that of their parts, and one around it that takes and gives them whole.

def f_parts(z_re, z_im, x): ...

def f(z, x):
    re, im = f_parts(z.real, z.imag, x)
    return complex_of(re, im)

Compiled, it takes and gives those arrays whole, as pairs of numbers, that it can (whole_arrays.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import count
from typing import Any

from codegen.emit.argument_stores import stored
from codegen.emit.coalescing import claim, function_names
from codegen.emit.module import function_texts, module
from codegen.emit.spelling import scalar_type
from codegen.emit.whole_arrays import WholeArrays
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


def whole_text(whole: WholeArrays, traced: Traced, *, target: str, quote: bool) -> str:
    """The module text of the program, which is over parts, with the function around it."""
    made = whole.program
    inner, name = of_parts(made), function_names(made)[made.main]
    texts = function_texts(inner, target, quote=quote, homes=whole.homes)
    around = border(inner, whole, traced, name, contiguous=target != "numpy")
    helpers = [JOINED, *texts.helpers] if "complex_of(" in around else texts.helpers
    return module([*texts.functions, around], helpers, None, made.entry.span)


def leaf_places(entries: Iterable[Any]) -> tuple[tuple[int, ...], ...]:
    """The places of leaves, those of the two parts of a complex number together."""
    places = count()
    return tuple(leaves for entry in entries for leaves, _ in units(entry, places))


def holds_complex(traced: Traced) -> bool:
    """Whether an argument or a result is complex."""
    entries = (*traced.arguments, traced.out)
    return any(isinstance(unit, Nest) for entry in entries for _, unit in units(entry, count()))


def units(entry: Any, places: Iterator[int]) -> Iterator[tuple[tuple[int, ...], Type | Nest]]:
    """The types in an entry, and complex numbers, with the places of their leaves: a part that is known has none."""
    if isinstance(entry, Nest) and entry.cls is complex and any(isinstance(x, Type) for x in entry.items):
        yield tuple(next(places) for x in entry.items if isinstance(x, Type)), entry
    elif isinstance(entry, Nest):
        for item in entry.items:
            yield from units(item, places)
    elif isinstance(entry, Type):
        yield (next(places),), entry


def part_type(unit: Type | Nest) -> Type:
    items = unit.items if isinstance(unit, Nest) else (unit,)
    return next(x for x in items if isinstance(x, Type))


def of_parts(made: Program) -> Program:
    """The program under the name that its function over parts has."""
    name = claim(f"{made.main}_parts", set(made.functions))
    return program(
        renamed_functions(dict(made.functions), {n: n for n in made.functions} | {made.main: name}), name
    )


def border(made: Program, whole: WholeArrays, traced: Traced, name: str, *, contiguous: bool) -> str:
    """The text of the function around `made`, which is over parts; `contiguous`: it takes no other arrays."""
    params = [p.name for p in made.entry.params]
    taken, rest = set(params), iter(params)
    given: list[str] = []
    operands: list[str] = []
    before: list[str] = []
    after: list[str] = []
    places = count()
    for leaves, unit in (found for entry in traced.arguments for found in units(entry, places)):
        type_ = part_type(unit)
        operands.append(first := next(rest))
        if len(leaves) == 1 or leaves[0] in whole.params:
            given.append(first)
            if len(leaves) == 2:
                pairs = f"{first}.view({scalar_type(type_.dtype)}).reshape((*{first}.shape, 2))"
                before += [f"{first} = np.ascontiguousarray({first})"]
                operands[-1] = pairs
            continue
        operands.append(next(rest))
        z = claim(first.removesuffix("_re"), taken)
        given.append(z)
        for k, part, of in zip(leaves, operands[-2:], ("real", "imag"), strict=True):
            text = f"{z}.{of}"
            before.append(
                f"{part} = {f'np.ascontiguousarray({text})' if contiguous and type_.rank else text}"
            )
            if k in stored(traced.program) and contiguous:
                after.append(f"{z}.{of}[...] = {part}")
    hidden = list(rest)
    results = [claim(r.name if hasattr(r, "name") else "t", taken) for r in made.entry.body.results]
    call = f"{function_names(made)[made.main]}({', '.join([*operands, *hidden])})"
    built = list(returned(traced.out, results, whole))
    lines = [
        f"def {name}({', '.join([*given, *hidden])}):",
        *before,
        f"{', '.join(results)} = {call}" if results else call,
        *after,
        *([f"return {', '.join(built)}"] if built else []),
    ]
    return "\n    ".join(lines)


def returned(out: Any, results: list[str], whole: WholeArrays) -> Iterator[str]:
    """The results, parts of complex ones together."""
    rest = iter(results)
    for leaves, unit in units(out, count()):
        type_ = part_type(unit)
        if leaves[0] in whole.results:
            dtype = "np.complex64" if type_.dtype == "f4" else "np.complex128"
            yield f"{next(rest)}.view({dtype})[..., 0]"
        elif isinstance(unit, Type):
            yield next(rest)
        else:
            parts = (next(rest) if isinstance(x, Type) else repr(getattr(x, "value", x)) for x in unit.items)
            yield f"{'complex' if type_.weak else 'complex_of'}({', '.join(parts)})"
    yield from rest
