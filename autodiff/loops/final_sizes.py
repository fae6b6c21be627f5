"""Arrays that a loop makes larger, made at the size that they have in the end: at_final_sizes : Program -> Program.

xs = empty(8); n = 0                    m = the size of xs after the loop, for which it is run
while c(x):                             xs = empty(m); n = 0
    if n == len(xs):                    while c(x):
        xs = xs with more rows    ->        xs[n] = x
    xs[n] = x                               x, n = f(x), n + 1
    x, n = f(x), n + 1

A derivative keeps values of each iteration in arrays, and so must know their sizes before. What the loop only writes
is not written while it is run for the sizes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from autodiff.sizes.scope import refresh
from codegen.analysis.growth import growth
from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Operation, Program, Var, While
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import blocks, clone, keep, replaced, rewrite, rewrite_op
from codegen.ir.traversal import equations, with_functions
from codegen.primitives.index import Cut, Inside
from codegen.simplify.inline import inline

Env = dict[Var, Atom]


def at_final_sizes(program: Program) -> Program:
    """`program` with arrays that loops make larger at their final sizes; itself where none does."""
    if not any(growth(e) for f in program.functions.values() for e in equations(f.body)):
        return program
    return refresh(with_functions(inline(program, when=makes_larger), lambda f: Sizing().function(f)))


def makes_larger(function: Function, calls: int) -> bool:
    """Whether a function may make an array larger that it is given: loops that call it do, too."""
    return any(p.type.rank for p in function.params) and any(map(growth, equations(function.body)))


@dataclass(eq=False)
class Buffer:
    """An array that a loop carries and makes larger: what it is called on the way, and where it grows."""

    place: int
    versions: set[Var]
    grows: set[Equation]


@dataclass(eq=False)
class Sizing:
    """A walk over a function; `dropped`: the growth that is not needed any more."""

    dropped: set[Equation] = field(default_factory=set)

    def function(self, function: Function) -> Function:
        return replace(function, body=rewrite(function.body, {}, keep, self.expand))

    def expand(self, equation: Equation, env: Env) -> list[Equation] | None:
        if equation in self.dropped or not isinstance(equation.op, For | While):
            return self.without(equation, env)
        if not self.buffers(equation.op):
            return None
        op = rewrite_op(equation.op, env, keep, self.without)
        assert isinstance(op, For | While)
        return self.sized(equation, op, self.buffers(op), env)

    def without(self, equation: Equation, env: Env) -> list[Equation] | None:
        """Nothing in the place of growth that is not needed: the arrays are what they were."""
        if equation not in self.dropped:
            return None
        for out, before in growth(equation).items():
            env[out] = replaced((before,), env)[0]
        return []

    def buffers(self, op: For | While) -> list[Buffer]:
        """The arrays that a loop makes larger."""
        if any(p.type.dtype == "rng" for p in op.carried):
            return []
        found = []
        for k, p in enumerate(op.carried):
            if p.type.rank and isinstance(p.type.shape[0], Var):
                each = Buffer(k, {p}, set())
                follow(op.body, each)
                if op.body.results[k] in each.versions and each.grows - self.dropped:
                    found.append(each)
        handled = {v for each in found for v in each.versions}
        grown = {e for each in found for e in each.grows - self.dropped}
        whole = all(set(growth(e).values()) <= handled for e in grown)
        return found if whole else []

    def sized(self, equation: Equation, op: For | While, found: list[Buffer], env: Env) -> list[Equation]:
        """The loop that is run for the sizes, the arrays, and the loop that fills them."""
        counting = run_for_sizes(equation, op, found)
        b = Builder(span=equation.span, checked=False)
        inner, init = dict(env), list(op.init)
        for each in found:
            size = counting.outs[each.place].type.shape[0]
            assert isinstance(size, Var)
            self.dropped |= each.grows
            own = {v.type.shape[0] for v in each.versions} | {equation.outs[each.place].type.shape[0]}
            new: Env = {d: size for d in own if isinstance(d, Var)}
            inner |= new
            env[equation.outs[each.place].type.shape[0]] = size  # type: ignore[index]
            init[each.place] = at_final_size(b, init[each.place], size)
        filling = rewrite_op(replace(op, init=tuple(init)), inner, keep, self.expand)
        outs = tuple(keep(o, env) for o in equation.outs)
        return [counting, *b.equations, Equation(outs, filling, equation.span)]


def follow(block: Block, buffer: Buffer) -> None:
    """Note the versions of a buffer that a block makes, and where it grows."""
    known = buffer.versions
    for equation in block.equations:
        op, grown = equation.op, growth(equation)
        if any(before in known for before in grown.values()):
            known |= {out for out, before in grown.items() if before in known}
            buffer.grows.add(equation)
            continue
        match op:
            case Apply(primitive, (x, *_)) if primitive.writes and x in known:
                known.add(equation.outs[0])
            case If(_, then, orelse):
                follow(then, buffer)
                follow(orelse, buffer)
                pairs = zip(equation.outs, then.results, orelse.results, strict=True)
                known |= {out for out, x, y in pairs if x in known and y in known}
            case For() | While():
                known |= {p for p, x in zip(op.carried, op.init, strict=True) if x in known}
                follow(op.body, buffer)
                pairs = zip(equation.outs, op.init, op.body.results, strict=True)
                known |= {out for out, x, y in pairs if x in known and y in known}


def run_for_sizes(equation: Equation, op: For | While, found: list[Buffer]) -> Equation:
    """The loop, with Vars of its own; what it only writes is left out."""
    read = {*read_in(op)}
    skipped = {v for each in found if read.isdisjoint(each.versions) for v in each.versions}

    def unwritten(inner: Equation, env: Env) -> list[Equation] | None:
        is_write = isinstance(inner.op, Apply) and inner.op.primitive.kind is Access.WRITE
        if not is_write or inner.outs[0] not in skipped:
            return None
        env[inner.outs[0]] = replaced((inner.op.operands[0],), env)[0]  # type: ignore[union-attr]
        return []

    less = rewrite_op(op, {}, keep, unwritten)
    (made,) = clone(Block((Equation(equation.outs, less, equation.span),), ())).equations
    return made


def read_in(op: Operation) -> Iterator[Atom]:
    """What a loop reads, but for what is written into, and what arrays that grow were before."""
    for block in blocks(op):
        for equation in block.equations:
            match equation.op:
                case Apply(primitive, operands):
                    yield from operands[int(primitive.writes) :]
                case Call(_, operands):
                    yield from operands
                case inner if not growth(equation):
                    yield from read_in(inner)


def at_final_size(b: Builder, before: Atom, size: Var) -> Atom:
    """The rows of an array, the first ones of a larger one."""
    rows, rest = (b.size(n) for n in before.type.shape[:1]), map(b.size, before.type.shape[1:])
    larger = b.apply("empty", b.wrap(size), *rest, dtype=before.type.dtype)
    made: Atom = b.apply("update", larger, b.wrap(before), *rows, spec=Inside((Cut(False, True),))).atom
    return made
