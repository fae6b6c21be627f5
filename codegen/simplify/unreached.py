"""What comes after something that raises is not run: leave_out : Scope, Equations, results -> bool.

    check False, ValueError("...")              check False, ValueError("...")
    y = accumulate x t        t: f8[3]    ->    return 0.0
    return sum y

So nothing is left of equations whose sizes contradict each other, which is what the check has found. Results that are
not there are zeros, which nobody sees. Calls raise where a check of what they are given does (`first_raise`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from codegen.ir import Apply, Atom, Call, Equation, Function, If, Lit, Operation, Type, Var
from codegen.ir.exceptions import thrown
from codegen.ir.kinds import Effect
from codegen.ir.literals import fold, literal, size_atom
from codegen.ir.substitution import dim, reads, sizes
from codegen.primitives import ROWS
from codegen.simplify.value_numbering import Scope, number_equation, retyped


def is_last(op: Operation, functions: Mapping[str, Function]) -> bool:
    """Whether nothing comes after an operation: it fails, or checks what is known not to hold; so do `functions`."""
    if isinstance(op, Call):
        return op.function in functions and first_raise(functions[op.function], op.operands) is not None
    if not isinstance(op, Apply):
        return False
    if op.primitive.kind is Effect.CHECK:
        return is_false(op.operands[0])
    return op.primitive.kind is Effect.FAIL


def is_false(test: Atom) -> bool:
    return isinstance(test, Lit) and not test.value


def leave_out(s: Scope, rest: Sequence[Equation], results: Sequence[Atom]) -> bool:
    """Whether `rest`, which is behind something that raises, needs not be: each of `results` is something else."""
    wanted = [r for r in results if is_unmet(s, r)]
    streams = [stream_before(r, rest) for r in wanted if r.type.dtype == "rng"]
    if None in streams or len(set(streams)) < len(streams):
        return False
    before = len(s.equations)
    for out in wanted:
        if out.type.dtype == "rng":
            s.env[out] = s.atom(stream_before(out, rest))  # type: ignore[index,arg-type]
        else:
            put_zero(s, out)  # type: ignore[arg-type]
    s.changed = s.changed or len(rest) > len(s.equations) - before
    return True


def is_unmet(s: Scope, atom: Atom) -> bool:
    """Whether nothing is known of a variable: what binds it has not been met."""
    return isinstance(atom, Var) and atom not in s.bound and atom not in s.env


def put_zero(s: Scope, out: Var) -> None:
    """Zeros for what nobody sees; sizes that it brings are 0."""
    zero = retyped(literal(0), replace(out.type, shape=()))
    if not out.type.rank:
        s.env[out] = zero
        return
    s.env.update((d, literal(0)) for d in sizes(out.type) if is_unmet(s, d))
    shape = (s.atom(size_atom(dim(d, s.env))) for d in out.type.shape)
    number_equation(s, s.bind(out), Apply(ROWS["full"], (zero, *shape), {"dtype": out.type.dtype}))


def stream_before(stream: Atom | None, rest: Sequence[Equation]) -> Atom | None:
    """What a stream is before `rest`, which moves it on."""
    for equation in reversed(rest):
        if stream in equation.outs:
            given = [a for a in reads(equation.op) if a.type.dtype == "rng"]
            stream = given[0] if len(given) == 1 else None
    return stream


def fail_if_empty(s: Scope, out: Var, op: Apply) -> bool:
    """A reduction that has nothing of no elements, along an axis that has none: it raises."""
    if not op.primitive.empty or all(op.operands[0].type.shape[k] != 0 for k in op.params["axis"]):
        return False
    s.push((), Apply(ROWS["fail"], (), {"exception": thrown("ValueError", op.primitive.empty)}))
    put_zero(s, out)
    return True


def put_call(s: Scope, outs: tuple[Var, ...], op: Call) -> None:
    """A call that raises: its results have any sizes."""
    new = tuple(
        Var(o.name, replace(o.type, shape=tuple(Var("n", INDEX) for _ in o.type.shape))) for o in outs
    )
    s.push(tuple(map(s.bind, new)), op)
    for out, there in zip(outs, new):
        if out.type.dtype == "rng":
            s.env[out] = there
        else:
            put_zero(s, out)


INDEX = Type("i8")


def first_raise(function: Function, operands: Sequence[Atom]) -> int | None:
    """Which of a function's equations raises, as a test of numbers and sizes that it is given shows; None: none."""
    known: dict[Atom, Atom] = {}
    for param, given in zip(function.params, operands):
        if isinstance(given, Lit):
            known[param] = retyped(given, param.type)
        for d, n in zip(param.type.shape, given.type.shape):
            if isinstance(d, Var) and isinstance(n, int):
                known.setdefault(d, literal(n))
    return raise_with(known, function.body.equations) if known else None


def raise_with(known: dict[Atom, Atom], equations: Sequence[Equation]) -> int | None:
    """The same, of equations where this is `known`, to which is added what they make of it."""
    for k, equation in enumerate(equations):
        match equation.op:
            case Apply(primitive, operands, params):
                given = tuple(known.get(o, o) for o in operands)
                if is_last(Apply(primitive, given, params), {}):
                    return k
                if primitive.family == "elementwise" and Var not in map(type, given):
                    value = fold(primitive, given, dict(params))
                    known.update({equation.outs[0]: value} if value is not None else {})
            case If(test, then, orelse) if isinstance(found := known.get(test, test), Lit):
                if raise_with(known, (then if found.value else orelse).equations) is not None:
                    return k
    return None
