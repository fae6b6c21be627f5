"""The growth of a loop's arrays put where marks stand for it: each array is as large as the loop has made it.

    xs: f8[m] = while with xs = empty m:          xs: f8[m] = while with xs: f8[n] = empty 8:
        room m count 1                    ->          xs2: f8[n2] = if count >= n: ...
        xs3 = update xs x count                       xs3 = update xs2 x count

m is known behind the loop only. Arrays of one size are made larger together.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from codegen.analysis.affine import offset_of
from codegen.analysis.definitions import applied
from codegen.ir import Apply, Atom, Block, Dim, Equation, For, If, Lit, Operation, Type, Var, While
from codegen.ir.buffers import with_rows_for
from codegen.ir.build import SIZE, Builder
from codegen.ir.literals import size_atom
from codegen.ir.substitution import keep, reads, replaced, rewrite_op, sizes
from codegen.ir.traversal import binds, operands, within
from codegen.simplify.counters import at_places
from codegen.while_loops.growth_apart import ROOM, with_test
from codegen.while_loops.joined_blocks import earliest


class Unlike(Exception):
    """The loop does more with such arrays than to write and to read parts of them."""


@dataclass
class Versions:
    """At a place in the loop: what its variables are, and which version of each array is current, by the array as it is
    made at its final size."""

    env: dict[Var, Atom]
    now: dict[Var, Var]

    def copy(self) -> Versions:
        return Versions(dict(self.env), dict(self.now))

    def current(self, array: Var) -> Atom:
        return self.env[self.now[array]]

    def write(self, array: Var, version: Var, made: Var) -> None:
        self.now[array], self.env[version] = version, made


class PutBack:
    """A walk over a loop. `begun`: its arrays, by what they are as they are made at their final sizes, as they begin;
    `of`: the array that each version is one of, by what the loop without growth calls it; `known`: equations that read
    what sizes are at the time."""

    def __init__(self, begun: Mapping[Var, Atom], known: Collection[Equation]):
        self.begun, self.known = begun, known
        self.sizes = {array.type.shape[0] for array in begun}
        self.of: dict[Atom, Var] = {array: array for array in begun}

    def loop(self, equation: Equation) -> Equation | None:
        """The loop whose arrays grow, with the same outs; None where it does more with them."""
        self.made = applied(within(equation))
        state = Versions(dict(self.begun), {array: array for array in self.begun})
        try:
            (made,) = self.inner_loop(equation, state, at_end=True)
        except Unlike:
            return None
        return made

    def block(self, block: Block, state: Versions) -> Block:
        made = tuple(
            each for e in rooms_first(block.equations, self.made) for each in self.equation(e, state)
        )
        return Block(made, replaced(block.results, state.env))

    def equation(self, equation: Equation, state: Versions) -> list[Equation]:
        op = equation.op
        if isinstance(op, Apply) and op.primitive is ROOM:
            return self.larger(equation, op, state)
        if isinstance(op, Apply) and op.primitive.writes and op.operands[0] in self.of:
            return self.written(equation, op, state)
        if isinstance(op, If | For | While) and any(map(self.is_of_arrays, within(equation))):
            return (
                self.branch(equation, op, state) if isinstance(op, If) else self.inner_loop(equation, state)
            )
        if any(n in self.sizes for v in binds(equation) for n in v.type.shape):
            raise Unlike
        outs = tuple(keep(out, state.env) for out in equation.outs)
        return [Equation(outs, self.rewritten(equation, state), equation.span)]

    def is_of_arrays(self, equation: Equation) -> bool:
        return size_asked_for(equation) is not None or any(map(self.is_array, equation.outs))

    def is_array(self, var: Var) -> bool:
        return bool(var.type.rank) and var.type.shape[0] in self.sizes

    def rewritten(self, equation: Equation, state: Versions) -> Operation:
        if self.sizes.isdisjoint(operands(Block((equation,), ()))):
            return rewrite_op(equation.op, state.env, keep)
        if equation not in self.known:
            raise Unlike
        now: dict[Var, Atom] = {}
        for array in state.now:
            now |= dict.fromkeys(sizes(array.type)[:1], size_atom(state.current(array).type.shape[0]))
        return rewrite_op(equation.op, {**state.env, **now}, keep)

    def larger(self, equation: Equation, op: Apply, state: Versions) -> list[Equation]:
        """The branch that makes all arrays of a size larger."""
        size, *told = op.operands
        count, more = replaced(tuple(told), state.env)
        alike = [array for array in state.now if array.type.shape[0] is size]
        b = Builder(span=equation.span, checked=False)
        rows = more.value if isinstance(more, Lit) else b.wrap(more)
        made = with_rows_for(b, [state.current(a) for a in alike], b.wrap(count), rows, known=False)
        state.env.update((state.now[array], atom) for array, atom in zip(alike, made, strict=True))
        return b.equations

    def written(self, equation: Equation, op: Apply, state: Versions) -> list[Equation]:
        (out,), array = equation.outs, self.of[op.operands[0]]
        if state.now[array] is not op.operands[0]:
            raise Unlike
        made = Var(out.name, state.current(array).type)
        rewritten = self.rewritten(equation, state)
        self.enter(array, out, made, state)
        return [Equation((made,), rewritten, equation.span)]

    def enter(self, array: Var, version: Var, made: Var, state: Versions) -> None:
        self.of[version] = array
        state.write(array, version, made)

    def branch(self, equation: Equation, op: If, state: Versions) -> list[Equation]:
        ways, blocks = [state.copy(), state.copy()], []
        for way, block in zip(ways, (op.then, op.orelse)):
            blocks.append(self.block(block, way))
        changed = [a for a in state.now if any(way.current(a) is not state.current(a) for way in ways)]
        ends: dict[Dim, Dim] = {}
        for array in changed:
            found = {way.current(array).type.shape[0] for way in ways}
            ends.setdefault(array.type.shape[0], found.pop() if len(found) == 1 else Var("n", SIZE))
        places = {}
        for k, out in enumerate(equation.outs):
            if self.is_array(out):
                places[self.given_by(ways, (op.then.results[k], op.orelse.results[k]))] = k
        plain = [k for k in range(len(equation.outs)) if k not in places.values()]
        results = [
            tuple(block.results[k] for k in plain) + tuple(way.current(array) for array in changed)
            for way, block in zip(ways, blocks)
        ]
        outs = [keep(equation.outs[k], state.env) for k in plain]
        for array in changed:
            outs.append(
                self.leave(array, ends, equation.outs[places[array]] if array in places else None, state)
            )
        then, orelse = (replace(block, results=given) for block, given in zip(blocks, results))
        return [Equation(tuple(outs), If(replaced((op.test,), state.env)[0], then, orelse), equation.span)]

    def given_by(self, ways: list[Versions], results: tuple[Atom, ...]) -> Var:
        """The array whose current versions these are, on each way."""
        array = self.of.get(results[0]) if isinstance(results[0], Var) else None
        if array is None or any(
            way.now[array] is not result for way, result in zip(ways, results, strict=True)
        ):
            raise Unlike
        return array

    def leave(self, array: Var, ends: Mapping[Dim, Dim], out: Var | None, state: Versions) -> Var:
        """What an array is behind a loop or a branch, which gives it as `out`, or has only made it larger."""
        before = state.current(array)
        size = ends.get(array.type.shape[0], before.type.shape[0])
        name = out.name if out is not None else state.now[array].name
        made = Var(name, Type(before.type.dtype, (size, *before.type.shape[1:])))
        if out is None:
            state.env[state.now[array]] = made
        else:
            self.enter(array, out, made, state)
        return made

    def inner_loop(self, equation: Equation, state: Versions, *, at_end: bool = False) -> list[Equation]:
        """A loop that carries arrays. `at_end`: behind it they have their final sizes."""
        op = equation.op
        assert isinstance(op, For | While)
        grown = dict.fromkeys(
            size for each in within(equation) if isinstance(size := size_asked_for(each), Var)
        )
        arrays: dict[Var, int | None] = {
            self.given_by([state], (op.init[k],)): k for k, p in enumerate(op.carried) if self.is_array(p)
        }
        plain = [k for k in range(len(op.carried)) if k not in arrays.values()]
        arrays |= {a: None for a in state.now if a.type.shape[0] in grown and a not in arrays}
        init = [*replaced(at_places(op.init, plain), state.env), *map(state.current, arrays)]
        inner, begin = state.copy(), dict[Dim, Dim]((size, Var("n", SIZE)) for size in grown)
        carried = [keep(p, inner.env) for p in at_places(op.carried, plain)]
        carried += [
            self.leave(a, begin, None if k is None else op.carried[k], inner) for a, k in arrays.items()
        ]
        test = with_test(op, state.env, lambda test: self.block(test, inner.copy()))
        after = inner.copy()
        body = self.block(op.body, after)
        if any(k is not None and after.now[array] is not op.body.results[k] for array, k in arrays.items()):
            raise Unlike
        body = replace(body, results=(*at_places(body.results, plain), *map(after.current, arrays)))
        made = replace(test, carried=tuple(carried), init=tuple(init), body=body)
        ends = dict[Dim, Dim]((size, size if at_end else Var("n", SIZE)) for size in grown)
        outs = [keep(out, state.env) for out in at_places(equation.outs, plain)]
        for array, k in arrays.items():
            if at_end and k is not None:
                outs.append(equation.outs[k])
            else:
                outs.append(self.leave(array, ends, None if k is None else equation.outs[k], state))
        return [Equation(tuple(outs), made, equation.span)]


def rooms_first(equations: Sequence[Equation], definitions: Mapping[Atom, Apply]) -> list[Equation]:
    """Equations with the marks as early as may be: so before what writes behind the rows in use. Those that ask for
    rows of one size behind one place are one, for the most rows."""
    made = [e for e in equations if size_asked_for(e) is None]
    marks: dict[tuple[Atom, ...], Equation] = {}
    for each in equations:
        if size_asked_for(each) is not None:
            size, count, more = reads(each.op)
            base, ahead = offset_of(definitions.get(count)) or (count, 0)
            if isinstance(more, Lit):
                before = marks.get((size, base))
                rows = max(ahead + more.value, reads(before.op)[2].value if before else 0)  # type: ignore[union-attr]
                marks[size, base] = replace(each, op=Apply(ROOM, (size, base, Lit(rows, SIZE))))
            else:
                marks[size, count, more] = each
    for each in marks.values():
        made.insert(earliest(made, each), each)
    return made


def size_asked_for(equation: Equation) -> Atom | None:
    """The size of the arrays that a mark stands for."""
    op = equation.op
    return op.operands[0] if isinstance(op, Apply) and op.primitive is ROOM else None
