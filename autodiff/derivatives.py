"""Transformed functions that give derivatives: gradients, Jacobians, derivatives in a direction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from autodiff.conjugates import imaginary, with_conjugates
from autodiff.markers import forward_only
from autodiff.pipeline import forward, jacobian, reverse
from autodiff.policy import Save, policy
from autodiff.sizes.invariant import or_lanes_in_turn
from codegen.arguments.lists import Lent
from codegen.infer.calls.arity import check_call
from codegen.infer.complex_numbers.parts import holds_complex
from codegen.infer.optional import may_be_none
from codegen.infer.trace import Signature, Traced, trace
from codegen.infer.values import Nest, Optional, rebuild
from codegen.ir import Atom, Program, Type
from codegen.ir.kinds import MARKS
from codegen.ir.literals import literal
from codegen.ir.traversal import with_entry, with_results
from codegen.pytree import leaves, types_in
from codegen.simplify.driver import simplify
from codegen.specialisations import Compiled
from codegen.transformed import P, R, Transformed

Argnums = int | tuple[int, ...]


class Derived(Transformed[P, R]):
    """A transformed function whose program may hold marks for derivatives; compiled code has none of them."""

    @property
    def label(self) -> str:
        return getattr(self.__wrapped__, "__name__", "the function")

    def compile(self, traced: Traced) -> Compiled:
        name, program = (traced.stages or (("program", traced.program),))[-1]
        plain = forward_only(simplify(program, drop=MARKS, signed=False))
        return super().compile(replace(traced, stages=(*traced.stages[:-1], (name, plain))))


class Derivative(Derived):
    """What is derived from a function by some of its arguments. Subclasses say what by `derive`."""

    def __init__(self, function: Any, argnums: Argnums, save: Save, target: str):
        super().__init__(function, target=target)
        policy(save)
        self.argnums = (argnums,) if isinstance(argnums, int) else tuple(argnums)
        self.single = isinstance(argnums, int)
        self.save = save

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        def derived() -> Traced:
            traced = trace(self.__wrapped__, signature, keywords, known_sizes=known_sizes)
            return self.derive(traced, self.chosen(traced), known_sizes)

        return or_lanes_in_turn(derived)

    def chosen(self, traced: Traced) -> tuple[int, ...]:
        """The places, among the program's parameters, of the leaves to differentiate by."""
        count = len(traced.arguments)
        places: list[int] = []
        starts = argument_starts(traced)
        for argnum in self.argnums:
            if not -count <= argnum < count:
                raise ValueError(f"argnums names argument {argnum}, but {self.label} has {count}")
            entry = traced.arguments[argnum]
            listed = list(leaves(entry))
            start = starts[argnum % count]
            for k, leaf in enumerate(listed):
                self.check_leaf(leaf, traced.names[start + k] if isinstance(leaf, Type) else f"{argnum}")
            places += range(start, start + len(listed))
        if len(set(places)) != len(places):
            raise ValueError(f"argnums names an argument twice: {self.argnums}")
        return tuple(places)

    def check_leaf(self, leaf: Any, name: str) -> None:
        if not isinstance(leaf, Type):
            found = f"{getattr(leaf, 'value', leaf)!r}, which is part of the program"
        elif leaf.is_float:
            return
        else:
            found = f"of type {leaf}"
        raise TypeError(
            f"{self.kind} of {self.label}: argument {name} is {found}; derivatives are with "
            "respect to floats (pass 1.0 for 1, or choose other arguments by argnums)"
        )

    @property
    def kind(self) -> str:
        return type(self).__name__.lower()

    def derive(self, traced: Traced, chosen: tuple[int, ...], known_sizes: bool) -> Traced:
        raise NotImplementedError

    def check_outs(self, traced: Traced) -> None:
        if may_be_none(traced.out):
            raise TypeError(
                f"{self.kind} of {self.label}: the result may be None: return a float on every way"
            )
        for out in leaves(traced.out):
            if not (isinstance(out, Type) and out.is_float):
                raise TypeError(
                    f"{self.kind} of {self.label}: every result must be of floats, not {described_results(out)}"
                )

    def check_floats(self, traced: Traced) -> None:
        """TypeError unless all that the function gives are floats."""
        self.check_outs(traced)
        if stream_results(traced):
            raise TypeError(f"{self.kind} of {self.label}: it draws random numbers; draw them outside")

    def like_arguments(self, traced: Traced) -> Any:
        """The structure of a gradient: that of the argument, or a tuple of those."""
        entries = tuple(traced.arguments[k] for k in self.argnums)
        return entries[0] if self.single else Nest(tuple, entries)


class Grad(Derivative):
    """The gradient of a scalar function. `holomorphic`: of a complex one that has a complex derivative.

    `has_aux`: the function gives (scalar, more), of which more is given as it is, after the gradient.
    """

    def __init__(
        self,
        function: Any,
        argnums: Argnums,
        save: Save,
        target: str,
        *,
        holomorphic: bool = False,
        has_aux: bool = False,
    ):
        super().__init__(function, argnums, save, target)
        self.holomorphic = holomorphic
        self.has_aux = has_aux

    def derive(self, traced: Traced, chosen: tuple[int, ...], known_sizes: bool) -> Traced:
        traced = with_literals(traced)
        self.check_scalar(self.scalar(traced.out))
        streams = stream_results(traced)
        keep, seconds = self.kept(traced), dict(traced.seconds)
        made = reverse(
            traced.program,
            mask(traced.program, chosen),
            save=self.save,
            seeds={0: 1.0},
            keep=(*keep, *streams),
            kind=self.kind,
            known_sizes=known_sizes,
            seconds=seconds,
        )
        first = self.first(keep)
        listed = order(first, len(keep) + len(streams), chosen)
        done = finished(traced, made, self.out(traced), listed, seconds)
        turned = imaginary(Nest(tuple, tuple(traced.arguments[k] for k in self.argnums)))
        places = {first + k for k, is_imaginary in enumerate(turned) if is_imaginary}
        return with_program(done, with_conjugates(done.program, places))

    def kept(self, traced: Traced) -> tuple[int, ...]:
        """The function's results that are given."""
        scalar, every = (count_results(out) for out in (self.scalar(traced.out), traced.out))
        return tuple(range(scalar, every))

    def first(self, kept: tuple[int, ...]) -> int:
        """How many results stand before the gradient."""
        return 0

    def out(self, traced: Traced) -> Any:
        gradient = self.like_arguments(traced)
        return Nest(tuple, (gradient, traced.out.items[1])) if self.has_aux else gradient

    def scalar(self, out: Any) -> Any:
        """What is derived, of what the function gives."""
        if not self.has_aux:
            return out
        if isinstance(out, Nest) and out.cls is tuple and len(out.items) == 2:
            return out.items[0]
        raise TypeError(
            f"{self.kind} of {self.label}: with has_aux the result must be a tuple of a float scalar and more, not "
            f"{described_results(out)}"
        )

    def check_scalar(self, out: Any) -> None:
        if self.holomorphic and isinstance(out, Nest) and out.cls is complex:
            out = out.items[0]  # whose gradient is the derivative, by Cauchy and Riemann
        if isinstance(out, Type) and out.is_float and not out.rank:
            return
        one = isinstance(out, Type) and out.is_float and all(n == 1 for n in out.shape)
        raise TypeError(
            f"{self.kind} of {self.label}: the result must be one float scalar, not {described_results(out)} "
            + ("(return its number, y.item())" if one else "(jacobian takes other floats)")
        )


class ValueAndGrad(Grad):
    """The value and the gradient of a scalar function."""

    @property
    def kind(self) -> str:
        return "value_and_grad"

    def kept(self, traced: Traced) -> tuple[int, ...]:
        return tuple(range(count_results(traced.out)))

    def first(self, kept: tuple[int, ...]) -> int:
        return len(kept)

    def out(self, traced: Traced) -> Any:
        return Nest(tuple, (traced.out, self.like_arguments(traced)))


class Jacobian(Derivative):
    """All partial derivatives, by rows (a return sweep per result) or by columns (a push per argument)."""

    def __init__(self, function: Any, argnums: Argnums, save: Save, target: str, *, by_rows: bool):
        super().__init__(function, argnums, save, target)
        self.by_rows = by_rows

    @property
    def kind(self) -> str:
        return "jacrev" if self.by_rows else "jacfwd"

    def derive(self, traced: Traced, chosen: tuple[int, ...], known_sizes: bool) -> Traced:
        traced = with_literals(traced)
        self.check_floats(traced)
        if any(map(holds_complex, traced.arguments)) or holds_complex(traced.out):
            raise TypeError(
                f"{self.kind} of {self.label}: of complex arguments and results there is none; take .real and .imag "
                "of them, or jvp and vjp"
            )
        ranked, seconds = sorted(chosen), dict(traced.seconds)
        active = mask(traced.program, chosen)
        made = jacobian(
            traced.program,
            active,
            by_rows=self.by_rows,
            save=self.save,
            known_sizes=known_sizes,
            seconds=seconds,
        )
        count = sum(1 for _ in leaves(traced.out))
        listed = tuple(k * len(chosen) + ranked.index(c) for k in range(count) for c in chosen)
        columns = self.like_arguments(traced)
        return finished(traced, made, with_types(traced.out, lambda: columns), listed, seconds)


class Jvp(Derivative):
    """(primals, tangents) -> (results, their tangents)."""

    with_value, tables = True, False

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        primals, tangents = signature
        items = primals.items
        check_call(self.__wrapped__, len(items), tuple(keywords))
        self.argnums = tuple(range(len(items)))
        traced = with_literals(trace(self.__wrapped__, items, keywords, known_sizes=known_sizes))
        chosen = self.chosen(traced)
        self.check_tangents(traced, tangents)
        self.check_outs(traced)
        results = traced.program.entry.body.results
        floats = [k for k, r in enumerate(results) if r.type.is_float]
        outs = range(sum(1 for _ in leaves(traced.out)))
        values = outs if self.with_value else ()
        listed = (*values, *(len(results) + floats.index(k) for k in outs), *stream_results(traced))
        seconds = dict(traced.seconds)
        made = forward(
            traced.program,
            mask(traced.program, chosen),
            listed,
            hidden=len(traced.hidden),
            kind=self.kind,
            seconds=seconds,
        )
        given = Nest(tuple, traced.arguments[: len(items)])
        out = Nest(tuple, (traced.out, traced.out)) if self.with_value else traced.out
        done = finished(traced, made, out, range(len(listed)), seconds)
        return replace(done, arguments=(given, given))

    def check_call(self, count: int, keywords: tuple[str, ...]) -> None:
        """Its two arguments are tuples of the function's, whose number is looked at where they are known."""

    def execute(self, compiled: Compiled, flat: Sequence[Any], lent: Lent | None = None) -> Any:
        """Once sizes are known to agree too: compiled code has one name for both."""
        half = len(flat) // 2
        if any(np.shape(x) != np.shape(dot) for x, dot in zip(flat[:half], flat[half:], strict=True)):
            raise self.misshapen()
        return super().execute(compiled, flat, lent)

    def misshapen(self) -> TypeError:
        return TypeError(f"jvp of {self.label}: tangents must have the shapes of the primals")

    def check_tangents(self, traced: Traced, tangents: Any) -> None:
        """TypeError unless there is a tangent for every argument; defaults are constants and have none."""
        primal = list(types_in(Nest(tuple, traced.arguments)))
        dots = list(leaves(tangents))
        same = len(primal) == len(dots) and all(
            isinstance(d, Type) and d.rank == p.rank for p, d in zip(primal, dots, strict=True)
        )
        if not same:
            raise self.misshapen()


def with_literals(traced: Traced) -> Traced:
    """Floats that a function returns whatever its arguments are, as results: their derivatives are zeros."""
    results = iter(traced.program.entry.body.results)
    listed: list[Atom] = []

    def result(leaf: Any) -> Any:
        if isinstance(leaf, Type):
            listed.append(next(results))
        elif np.ndim(leaf.value) == 0 and isinstance(leaf.value, float | np.floating | np.ndarray):
            listed.append(literal(leaf.value))
        else:
            return leaf
        return listed[-1].type

    out = rebuild(traced.out, result)
    body = replace(traced.program.entry.body, results=(*listed, *results))
    return replace(traced, program=with_entry(traced.program, body=body), out=out)


def argument_starts(traced: Traced) -> list[int]:
    """Where each argument's leaves begin among the program's parameters."""
    counts = map(count_results, traced.arguments)
    return list(accumulate(counts, initial=0))


def mask(program: Program, chosen: Sequence[int]) -> tuple[bool, ...]:
    return tuple(k in chosen for k in range(len(program.entry.params)))


def count_results(out: Any) -> int:
    """How many of a program's results (or parameters) a structure has."""
    return sum(1 for _ in types_in(out))


def stream_results(traced: Traced) -> tuple[int, ...]:
    """The results after the structure's own: streams, as they are after the draws."""
    return tuple(range(count_results(traced.out), len(traced.program.entry.body.results)))


def order(first: int, given: int, chosen: tuple[int, ...]) -> tuple[int, ...]:
    """`first` of the results that are given, gradients in the order the arguments were chosen in, the others given."""
    ranked = sorted(chosen)
    return (*range(first), *(given + ranked.index(c) for c in chosen), *range(first, given))


def finished(
    traced: Traced, made: Mapping[str, Program], out: Any, listed: Iterable[int], seconds: dict[str, float]
) -> Traced:
    """The derivative's Traced: results in their order, the structure with its own types."""
    *_, name = made
    program = with_results(made[name], listed)
    types = iter([r.type for r in program.entry.body.results])
    return replace(
        traced,
        program=program,
        out=with_types(out, lambda: next(types)),
        stages=(*traced.stages, *{**made, name: program}.items()),
        seconds=seconds,
    )


def with_types(entry: Any, make: Callable[[], Any]) -> Any:
    """A structure with what `make` gives in place of each of its types, in order."""
    return rebuild(entry, lambda leaf: make() if isinstance(leaf, Type) else leaf)


def with_program(traced: Traced, program: Program) -> Traced:
    """The same with what its last stage has become."""
    stages = (*traced.stages[:-1], (traced.stages[-1][0], program))
    return replace(traced, program=program, stages=stages)


def described_results(out: Any) -> str:
    if holds_complex(out) and out.cls is complex:
        return "a complex number (take .real or abs(), or holomorphic=True)"
    if isinstance(out, Type):
        return str(out)
    if isinstance(out, Optional):
        return f"None or {described_results(out.value)}"
    if isinstance(out, Nest):
        return f"a {getattr(out.cls, '__name__', 'nest')} of {len(out.items)}"
    return f"{getattr(out, 'value', out)!r}"


class Hvp(Jvp):
    """(primals, vector) -> the Hessian times the vector."""

    with_value = False
