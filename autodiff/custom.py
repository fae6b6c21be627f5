"""Functions whose derivative the user writes: custom_jvp, custom_vjp; and checkpoint and stop_gradient.

    @custom_jvp
    def log1pexp(x):
        return np.log(1.0 + np.exp(x))

    @log1pexp.defjvp
    def log1pexp_jvp(primals, tangents):
        (x,), (x_dot,) = primals, tangents
        return log1pexp(x), (1.0 - 1.0 / (1.0 + np.exp(x))) * x_dot

The function's results carry a mark with its arguments and the rule (markers.py). jvp calls the rule's own
program there instead of looking at how the results came about; so the rule is a program like any other, is
differentiated in turn, and serves reverse mode by being transposed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, overload

from autodiff.derivatives import Derived, with_types
from autodiff.jvp import Maker, Tangents, fit_tangent, tangent, zeros_of
from autodiff.loops.history_sizes import as_size
from autodiff.markers import BACK, CHECKPOINT, CUSTOM
from autodiff.sizes.results import with_sizes
from autodiff.sizes.scope import fresh_name
from codegen.infer.calls.results import argument_sizes, type_at_call
from codegen.infer.trace import Signature, Traced, trace
from codegen.infer.values import Nest, Static, rebuild
from codegen.ir import Apply, Atom, Block, Call, Function, Lit, Type, Var
from codegen.ir.build import Builder, E
from codegen.ir.check import check
from codegen.ir.literals import name_of, size_atom
from codegen.ir.loop_nests import Place, loop_nest, with_element
from codegen.ir.substitution import keep, rewrite
from codegen.ir.traversal import renamed_functions, with_entry
from codegen.primitives.row import lowers
from codegen.pytree import leaves
from codegen.transformed import P, R

T = TypeVar("T")


class Custom(Derived[P, R]):
    """A function with a derivative of its own."""

    kind = "jvp"

    def __init__(self, function: Any, target: str = "numba"):
        super().__init__(function, target=target)
        self.rules: tuple[Any, ...] = ()

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        if not self.rules:
            raise TypeError(f"{self.label} has no derivative yet: define it by def{self.kind}")
        traced = trace(self.__wrapped__, signature, keywords, known_sizes=known_sizes)
        entry = traced.program.entry
        if any(p.type.dtype == "rng" for p in entry.params):
            raise TypeError(f"{self.label}: a function with a custom derivative cannot draw random numbers")
        rule = Rule(self.kind, self.rules, traced.arguments, traced.out, self.label)
        count = len(entry.params) - len(traced.hidden)
        b = Builder(span=entry.span, checked=False)
        b.equations += entry.body.equations
        marked = [
            b.apply(CUSTOM, r, *entry.params[:count], rule=rule, place=k, lanes=()) if r.type.is_float else r
            for k, r in enumerate(entry.body.results)
        ]
        return with_stage(traced, "custom", body=b.block(tuple(marked)))


def with_stage(traced: Traced, name: str, **changes: Any) -> Traced:
    """A Traced with its main function changed in these fields, as one more stage."""
    program = check(with_entry(traced.program, **changes), after=name)
    return replace(traced, program=program, stages=(*traced.stages, (name, program)))


class CustomJvp(Custom[P, R]):
    def defjvp(self, rule: Callable[..., Any]) -> Callable[..., Any]:
        """`rule(primals, tangents) -> (result, its tangent)`; usable as a decorator."""
        self.rules = (rule,)
        return rule


class CustomVjp(Custom[P, R]):
    kind = "vjp"

    def defvjp(self, forward: Callable[..., Any], backward: Callable[..., Any]) -> None:
        """`forward(*args) -> (result, residuals)`, `backward(residuals, cotangent) -> cotangents`."""
        self.rules = (forward, backward)


@dataclass(frozen=True, eq=False)
class Rule:
    """What a mark says: the user's functions, and the structure of arguments and results."""

    kind: str
    functions: tuple[Any, ...]
    arguments: Signature
    out: Any
    name: str

    def tangent(self, maker: Maker, b: Builder, op: Apply, tangents: Tangents) -> Atom:
        """The tangent of the result at the mark's place."""
        if op.params["lanes"]:
            return self.over_lanes(maker, b, op, tangents)
        primals = op.operands[1:]
        key = (self, primals, b)
        if key not in maker.rules:
            maker.rules[key] = (self.by_jvp if self.kind == "jvp" else self.by_vjp)(
                maker, b, primals, tangents
            )
        return maker.rules[key][op.params["place"]]

    def over_lanes(self, maker: Maker, b: Builder, op: Apply, tangents: Tangents) -> Atom:
        """Lane by lane, where the function was batched: the rule is of one lane."""
        result, *primals = op.operands
        over, *rest = op.params["lanes"]
        one = Var("lane", Type(result.type.dtype, result.type.shape[1:]))
        dots = [tangent(b, p, tangents) if p.type.is_float else None for p in primals]

        def fill(inner: Builder, place: Place, filled: tuple[Atom, ...]) -> tuple[Atom, ...]:
            def lane(atom: Atom, has_lanes: bool) -> Atom:
                return inner.atom(inner.apply("index", atom, *place, spec=("i",))) if has_lanes else atom

            mine = [lane(p, flag) for p, flag in zip(primals, over, strict=True)]
            given = {
                p: lane(dot, flag)
                for p, dot, flag in zip(mine, dots, over, strict=True)
                if isinstance(p, Var) and dot is not None
            }
            mark = Apply(op.primitive, (one, *mine), {**op.params, "lanes": tuple(rest)})
            value = fit_tangent(inner, self.tangent(maker, inner, mark, given), one)
            return (with_element(inner, filled[0], value, place, ("i",)),)

        return loop_nest(b, result.type.shape[:1], (), (zeros_of(b, result.type),), fill)[0]

    def by_jvp(self, maker: Maker, b: Builder, primals: tuple[Atom, ...], tangents: Tangents) -> list[Atom]:
        entries = typed_signature(self.arguments, primals)
        dots = tuple(tangent_types(entry) for entry in entries)
        traced = with_primal_sizes(
            trace(self.functions[0], (Nest(tuple, entries), Nest(tuple, dots))), len(primals)
        )
        given = [tangent(b, p, tangents) for p in primals if p.type.is_float]
        made = spliced_program(maker.functions, maker.reserved(), b, traced, (*primals, *given))
        count = sum(1 for _ in leaves(self.out))
        if len(made) != 2 * count:
            expected = f"its {count} result(s) and as many tangents"
            raise TypeError(f"the jvp of {self.name} must return {expected}, not {len(made)} values")
        return made[count:]

    def by_vjp(self, maker: Maker, b: Builder, primals: tuple[Atom, ...], tangents: Tangents) -> list[Atom]:
        forward = trace(self.functions[0], typed_signature(self.arguments, primals))
        if not (isinstance(forward.out, Nest) and len(forward.out.items) == 2):
            raise TypeError(f"the forward function of {self.name} must return (result, residuals)")
        made = spliced_program(maker.functions, maker.reserved(), b, forward, primals)
        count = sum(1 for _ in leaves(self.out))
        dots = tuple(tangent(b, p, tangents) for p in primals if p.type.is_float)
        residuals = tuple(made[count:])
        kept = forward.out.items[1]
        outs = tuple(r.type for r in made[:count])
        sizes = [size_atom(n) for type_ in outs for n in type_.shape]
        found: list[Atom] = []
        for k, type_ in enumerate(outs):
            back = Back(self, kept, outs, k)
            out = Var(f"{self.name}_dot", type_)
            b.emit((out,), Apply(BACK, (*dots, *residuals, *sizes), {"rule": back, "count": len(dots)}))
            found.append(out)
        return found


def with_primal_sizes(traced: Traced, count: int) -> Traced:
    """A rule's program with the tangents, after `count` primals, in the sizes of the primals."""
    entry = traced.program.entry
    primals = [p for p in entry.params[:count] if p.type.is_float]
    env: dict[Var, Atom] = {}
    for primal, dot in zip(primals, entry.params[count:], strict=False):
        pairs = zip(dot.type.shape, primal.type.shape, strict=True)
        env.update((d, size_atom(n)) for d, n in pairs if isinstance(d, Var))
    params = tuple(keep(p, env) for p in entry.params)
    body = rewrite(entry.body, env, keep)
    return replace(traced, program=with_sizes(with_entry(traced.program, params=params, body=body)))


@dataclass(frozen=True, eq=False)
class Back:
    """The backward function of a custom_vjp, for the cotangent of one result. The sizes of all come last."""

    rule: Rule
    residuals: Any
    outs: tuple[Type, ...]
    place: int

    @property
    def name(self) -> str:
        return self.rule.name

    @property
    def out_type(self) -> Type:
        return self.outs[self.place]

    def cotangents(self, turner: Any, b: Builder, op: Apply, ct: Atom) -> list[Atom]:
        """The cotangents of the tangents among the operands of a `custom_back`."""
        axes = sum(type_.rank for type_ in self.outs)
        residuals = op.operands[op.params["count"] : len(op.operands) - axes]
        sizes = iter(op.operands[len(op.operands) - axes :])
        types = [replace(t, shape=tuple(as_size(next(sizes)) for _ in t.shape)) for t in self.outs]
        outs = [ct if k == self.place else zeros_of(b, type_) for k, type_ in enumerate(types)]
        signature = typed_signature((self.residuals, self.rule.out), (*residuals, *outs))
        traced = trace(self.rule.functions[1], signature)
        made = spliced_program(turner.functions, turner.memo.values(), b, traced, (*residuals, *outs))
        wanted = [leaf for entry in self.rule.arguments for leaf in leaves(entry) if is_float_leaf(leaf)]
        if len(made) != len(wanted):
            expected = f"{len(wanted)} cotangent(s)"
            raise TypeError(f"the backward function of {self.name} must return {expected}, not {len(made)}")
        return made


def is_float_leaf(leaf: Any) -> bool:
    return isinstance(leaf, Type) and leaf.is_float


def own_sizes(type_: Type) -> Type:
    """A type for a signature: sizes of its own."""
    return replace(type_, shape=tuple(n if isinstance(n, int) else Var(n.name, n.type) for n in type_.shape))


def typed_signature(arguments: Signature, atoms: Iterable[Atom]) -> Signature:
    """The structure of the arguments with the types of these atoms."""
    types = iter([own_sizes(a.type) for a in atoms])
    return tuple(with_types(entry, lambda: next(types)) for entry in arguments)


def tangent_types(entry: Any) -> Any:
    """The structure of tangents: None in place of what has none."""
    return rebuild(entry, lambda leaf: own_sizes(leaf) if is_float_leaf(leaf) else Static(None))


def spliced_program(
    functions: dict[str, Function],
    reserved: Iterable[str],
    b: Builder,
    traced: Traced,
    operands: tuple[Atom, ...],
) -> list[Atom]:
    """Enter a traced program's functions and call its main one: the leaves of its result."""
    if traced.hidden:
        raise TypeError(
            "a derivative rule cannot read arrays of the enclosing scopes: pass them as arguments"
        )
    names: dict[str, str] = {}
    reserved = set(reserved)
    for name in traced.program.functions:
        names[name] = fresh_name(name, {*functions, *reserved, *names.values()})
    functions |= renamed_functions(traced.program.functions, names)
    callee = functions[names[traced.program.main]]
    sizes = argument_sizes(callee.params, list(operands))
    outs = tuple(Var(name_of(r), type_at_call(r.type, sizes)) for r in callee.body.results)
    b.emit(outs, Call(callee.name, operands))
    rest = iter(outs)
    return [next(rest) if isinstance(leaf, Type) else float_literal(leaf) for leaf in leaves(traced.out)]


def float_literal(leaf: Any) -> Atom:
    if isinstance(leaf, Static) and isinstance(leaf.value, int | float):
        return Lit(float(leaf.value), Type("f8", weak=True))
    raise TypeError(f"a derivative rule returned {getattr(leaf, 'value', leaf)!r} where a float is expected")


@overload
def custom_jvp(f: Callable[P, R], *, target: str = "numba") -> CustomJvp[P, R]: ...
@overload
def custom_jvp(f: None = None, *, target: str = "numba") -> Callable[[Callable[P, R]], CustomJvp[P, R]]: ...
def custom_jvp(f: Any = None, *, target: str = "numba") -> Any:
    """A function with a forward derivative of its own, which reverse mode transposes.

    >>> @custom_jvp
    ... def cube(x):
    ...     return x * x * x
    >>> @cube.defjvp
    ... def cube_jvp(primals, tangents):
    ...     return cube(primals[0]), 3.0 * primals[0] * primals[0] * tangents[0]
    >>> grad(cube, target="numpy")(2.0)
    12.0
    """
    return functools.partial(custom_jvp, target=target) if f is None else CustomJvp(f, target)


@overload
def custom_vjp(f: Callable[P, R], *, target: str = "numba") -> CustomVjp[P, R]: ...
@overload
def custom_vjp(f: None = None, *, target: str = "numba") -> Callable[[Callable[P, R]], CustomVjp[P, R]]: ...
def custom_vjp(f: Any = None, *, target: str = "numba") -> Any:
    """A function with a reverse derivative of its own; forward mode refuses it.

    >>> @custom_vjp
    ... def clipped(x):
    ...     return x
    >>> clipped.defvjp(lambda x: (x, x), lambda x, x_bar: (min(x_bar, 1.0),))
    >>> float(grad(lambda x: 5.0 * clipped(x), target="numpy")(2.0))
    1.0
    """
    return functools.partial(custom_vjp, target=target) if f is None else CustomVjp(f, target)


class Checkpoint(Derived[P, R]):
    """A function that the return sweep runs again whatever else is saved."""

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        traced = trace(self.__wrapped__, signature, keywords, known_sizes=known_sizes)
        entry = traced.program.entry
        b = Builder(span=entry.span, checked=False)
        params = tuple(Var(p.name, p.type) if p.type.is_float else p for p in entry.params)
        for param, old in zip(params, entry.params, strict=True):
            if param is not old:
                b.emit((old,), Apply(CHECKPOINT, (param,)))
        body = Block((*b.equations, *entry.body.equations), entry.body.results)
        return with_stage(traced, "checkpoint", params=params, body=body)


@overload
def checkpoint(f: Callable[P, R], *, target: str = "numba") -> Checkpoint[P, R]: ...
@overload
def checkpoint(f: None = None, *, target: str = "numba") -> Callable[[Callable[P, R]], Checkpoint[P, R]]: ...
def checkpoint(f: Any = None, *, target: str = "numba") -> Any:
    """f, of which the forward sweep keeps only the arguments, also under save="all"."""
    return functools.partial(checkpoint, target=target) if f is None else Checkpoint(f, target=target)


def stop_gradient(x: T) -> T:
    """x, taken for a constant by derivatives.

    >>> grad(lambda x: x * stop_gradient(x), target="numpy")(3.0)
    3.0
    """
    return x


@lowers(stop_gradient)
def gradient_stopped(b: Builder, x: Any) -> Any:
    if isinstance(x, tuple | list):
        return type(x)(gradient_stopped(b, item) for item in x)
    return b.apply("stop_gradient", x) if isinstance(x, E) else x


_transformation: Any
for _transformation in (checkpoint, custom_jvp, custom_vjp):
    _transformation.__transformation__ = True
