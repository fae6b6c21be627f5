"""Sizes that the results of branches, loops and calls bring become results of their own.

    w: f8[m] = if t:                            m: i8, w: f8[m] = if t:
      yield x        (x: f8[n])        ->         yield n, x
    else:                                       else:
      yield y        (y: f8[k])                   yield k, y

A return sweep makes cotangents of a result's size where only the result's tangent is left, which it does not run.
The size is known: it does not depend on a tangent.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from autodiff.sizes.scope import Brings, brings, own_main
from codegen import ir
from codegen.infer.calls.results import argument_sizes
from codegen.ir import Atom, Block, Call, Dim, Equation, For, Function, If, Program, Type, Var, While
from codegen.ir.literals import size_atom
from codegen.ir.substitution import keep, replaced, rewrite, sizes
from codegen.ir.traversal import equations, with_functions, with_inner

Place = tuple[int, int]  # a result and its axis


def with_sizes(program: Program, *, changing: bool = False) -> Program:
    """`program`, in which branches and calls of functions give the sizes that their results bring.

    `changing`: so do loops the sizes that they change.
    """
    program = sized_by_arguments(own_main(program))
    given = {name: list(size_places(f)) for name, f in program.functions.items() if name != program.main}
    return ir.program(
        {name: Sizes(given, brings(f), changing).function(f) for name, f in program.functions.items()},
        program.main,
    )


def sized_by_arguments(program: Program) -> Program:
    """`program`, in which results of calls have the sizes of arguments where functions give such: what a loop was seen
    to leave as it is, that of its start, is new to a caller that was there before.

    t: f8[m] = f(x)     (x: f8[n], f gives its parameter's size)     ->     t: f8[n] = f(x)

    What a function gives may be of the size that one which it calls gives: each after those that it calls.
    """
    done: dict[str, Function] = {}

    def settled(function: Function) -> Function:
        done[function.name] = function  # where it calls itself
        for equation in equations(function.body):
            if isinstance(equation.op, Call) and equation.op.function not in done:
                settled(program.functions[equation.op.function])
        done[function.name] = made = settled_alone(function)
        return made

    def settled_alone(function: Function) -> Function:
        brought = brings(function)

        def known(equation: Equation, env: dict[Var, Atom]) -> None:
            if not isinstance(equation.op, Call):
                return
            callee = done[equation.op.function]
            found = argument_sizes(callee.params, list(replaced(equation.op.operands, env)))
            for out, result in zip(equation.outs, callee.body.results, strict=True):
                for d, n in zip(out.type.shape, result.type.shape, strict=True):
                    if (
                        isinstance(d, Var)
                        and d in brought.get(out, ())
                        and (isinstance(n, int) or n in found)
                    ):
                        env[d] = size_atom(n if isinstance(n, int) else found[n])

        return replace(function, body=rewrite(function.body, {}, keep, known))

    return with_functions(program, lambda f: done.get(f.name) or settled(f))


def size_places(function: Function) -> dict[Place, Dim]:
    """Where among a function's results the sizes stand that its parameters do not have, each once."""
    known = {v for p in function.params for v in (p, *sizes(p.type))}
    found: dict[Dim, Place] = {}
    for k, result in enumerate(function.body.results):
        for axis, d in enumerate(result.type.shape):
            if isinstance(d, Var) and d not in known:
                found.setdefault(d, (k, axis))
    return {place: d for d, place in found.items()}


@dataclass(frozen=True, eq=False)
class Sizes:
    """One function; `given`: which sizes each function of the program gives before its results."""

    given: dict[str, list[Place]]
    brought: Brings
    changing: bool

    def function(self, function: Function) -> Function:
        listed = self.given.get(function.name, [])
        body = self.block(function.body)
        return replace(function, body=replace(body, results=(*sizes_at(body, listed), *body.results)))

    def block(self, block: Block) -> Block:
        return Block(tuple(self.equation(e) for e in block.equations), block.results)

    def equation(self, equation: Equation) -> Equation:
        op, outs = equation.op, equation.outs
        new = [d for out in outs for d in self.brought.get(out, ())]
        match op:
            case Call(function) if listed := self.given.get(function):
                dims = []
                for k, axis in listed:
                    d = outs[k].type.shape[axis]
                    dims.append(d if d in new and d not in dims else Var("n", Type("i8")))
                return replace(equation, outs=(*dims, *outs))
            case If(test, then, orelse):
                found = {d: (k, outs[k].type.shape.index(d)) for d in new for k in [holder(outs, d)]}
                sides = (self.block(side) for side in (then, orelse))
                sides = (Block(s.equations, (*sizes_at(s, list(found.values())), *s.results)) for s in sides)
                return replace(equation, outs=(*found, *outs), op=If(test, *sides))
            case For() | While() as loop:
                return self.loop(equation, with_inner(loop, self.block))
        return replace(equation, op=with_inner(op, self.block))

    def loop(self, equation: Equation, loop: For | While) -> Equation:
        """A loop that carries the sizes that its iterations exchange; of those that they make tangents are made too."""
        carried, outs = loop.carried, equation.outs
        own = dict.fromkeys(d for p in carried for d in self.brought.get(p, ()) if d not in carried)
        places = [(k := holder(carried, d), carried[k].type.shape.index(d)) for d in own]
        inside = {d for e in equations(loop.body) for out in e.outs for d in self.brought.get(out, ())}
        if not self.changing and inside.intersection(sizes_at(loop.body, places)):
            return replace(equation, op=loop)
        dims: list[Var] = []
        for k, axis in places:
            d = outs[k].type.shape[axis]
            dims.append(d if d in self.brought.get(outs[k], ()) and d not in dims else Var("n", Type("i8")))
        init = tuple(size_atom(loop.init[k].type.shape[axis]) for k, axis in places)
        results = (*sizes_at(loop.body, places), *loop.body.results)
        made = replace(
            loop, carried=(*own, *carried), init=(*init, *loop.init), body=replace(loop.body, results=results)
        )
        return replace(equation, outs=(*dims, *outs), op=made)


def holder(outs: tuple[Var, ...], d: Var) -> int:
    return next(k for k, out in enumerate(outs) if d in out.type.shape)


def sizes_at(block: Block, listed: list[Place]) -> list[ir.Atom]:
    """The sizes at these places of a block's results."""
    dims = [block.results[k].type.shape[axis] for k, axis in listed]
    return [size_atom(d) for d in dims]
