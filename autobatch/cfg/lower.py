"""Basic blocks: lower_to_blocks : Program -> BlockProgram. The data is described in graph.py, the tidying
done in optimise.py.

    program = lower_to_blocks(program, keep="calls")

`keep` says how much structure stays inside a block's equations:

    "none"    nothing: each If, For and While and each Call becomes blocks
    "calls"   a loop or condition in which nothing recursive is called stays whole: only recursion, and what
              contains it, is cut. Other functions' calls are inlined

What the structured IR carries as flags (break, continue, early return) is a jump again afterwards: an edge
along which a test is known goes straight to where the test leads. A call whose results are returned at once
is a jump too, so that tail recursion runs in constant stack.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import replace
from typing import Literal

from autobatch.cfg.check import check
from autobatch.cfg.graph import (
    BasicBlock,
    BlockFunction,
    BlockProgram,
    Branch,
    Call,
    Jump,
    Moves,
    Return,
    Terminator,
)
from autobatch.cfg.optimise import optimise
from codegen import ir
from codegen.analysis.calls import calls_in, reach
from codegen.analysis.calls import recursive as cyclic
from codegen.ir import Atom, Block, Equation, For, If, Lit, Program, Type, Var, While
from codegen.ir.substitution import binders
from codegen.ir.substitution import blocks as blocks_of
from codegen.primitives import ROWS
from codegen.simplify.function_merging import merge_functions
from codegen.simplify.inline import inline
from codegen.source import Span

Keep = Literal["none", "calls"]


def lower_to_blocks(
    program: Program,
    *,
    keep: Keep = "calls",
    meets: Callable[[Equation], bool] = lambda equation: False,
    waits: Callable[[Equation], bool] = lambda equation: False,
) -> BlockProgram:
    """The program's main function and all it calls as basic blocks. Never fails on a checked program.

    `meets` says at which equations lanes are to be served together: no such loop, and no loop or condition
    around such an equation, stays whole. `waits`: the same of equations, in which nothing recursive is called, that
    stay whole themselves.
    """
    program = merge_functions(program)
    cut = {program.main} | recursive_or_calling(program)
    if keep == "none":
        cut = reach(program.functions, program.main)
    else:
        program = inline(program, when=lambda function, calls: function.name not in cut or calls == 1)
    lowering = GraphBuilder(program, cut & set(program.functions), keep, meets, waits)
    for name in (program.main, *(n for n in program.functions if n in cut and n != program.main)):
        lowering.function(name)
    return check(optimise(lowering.finish()), after="blocks")


def recursive_or_calling(program: Program) -> set[str]:
    """The functions that are recursive or call one that is, at whatever remove."""
    cycles = cyclic(program)
    return {name for name in program.functions if reach(program.functions, name) & cycles}


class DraftBlock:
    """A block that is being filled."""

    def __init__(self, name: str, function: str):
        self.name = name
        self.function = function
        self.equations: list[Equation] = []
        self.terminator: Terminator = Return(())
        self.arrives: Moves = ()


class GraphBuilder:
    """The blocks made so far; `at` is always the number of the block being filled."""

    def __init__(
        self,
        program: Program,
        cut: Set[str],
        keep: Keep,
        meets: Callable[[Equation], bool],
        waits: Callable[[Equation], bool],
    ):
        self.program = program
        self.meets, self.waits = meets, waits
        self.cut = cut
        self.keep = keep
        self.drafts: list[DraftBlock] = []
        self.known: set[Var] = set()
        self.brings: dict[Var, tuple[tuple[Var, int], ...]] = {}
        self.functions = {name: self.declare(name) for name in program.functions if name in cut}

    def declare(self, name: str) -> BlockFunction:
        function = self.program.functions[name]
        self.bind(function.params)
        results = tuple(result_place(r) for r in function.body.results)
        self.bind(results)
        return BlockFunction(name, -1, function.params, results, Var("address", Type("i8")))

    def bind(self, group: tuple[Var, ...]) -> None:
        """Note the sizes that these binders bring: those not known so far."""
        for var in group:
            for axis, dim in enumerate(var.type.shape):
                if isinstance(dim, Var) and dim not in self.known:
                    self.known.add(dim)
                    self.brings[var] = (*self.brings.get(var, ()), (dim, axis))
            self.known.add(var)

    def new(self, name: str, function: str) -> int:
        self.drafts.append(DraftBlock(name, function))
        return len(self.drafts) - 1

    def after(self, at: int, what: str) -> int:
        """A new block of the same function."""
        return self.new(f"{self.drafts[at].function} {what}", self.drafts[at].function)

    def end(self, at: int, terminator: Terminator) -> None:
        self.drafts[at].terminator = terminator

    def function(self, name: str) -> None:
        made = self.functions[name]
        entry = self.new(name, name)
        self.functions[name] = replace(made, entry=entry)
        body = self.program.functions[name].body
        at = self.block(entry, body)
        self.end(at, Return(tuple(zip(made.results, body.results))))

    def block(self, at: int, block: Block) -> int:
        """Lower the equations from block `at` on; the block where they end."""
        for equation in block.equations:
            at = self.equation(at, equation)
        return at

    def equation(self, at: int, equation: Equation) -> int:
        if self.stays(equation):
            self.drafts[at].equations.append(equation)
            self.bind_inside(equation)
            return at
        match equation.op:
            case ir.Call() as call:
                return self.call(at, equation.outs, call, equation.span)
            case If() as condition:
                return self.condition(at, equation.outs, condition)
            case For() as loop:
                counted = as_while(equation, loop)
                return self.loop(at, (Var(loop.index.name, loop.index.type), *equation.outs), counted, "for")
            case While() as loop:
                return self.loop(at, equation.outs, loop, "while")
            case _:
                raise AssertionError("an Apply stays")

    def stays(self, equation: Equation) -> bool:
        op = equation.op
        if isinstance(op, ir.Apply | ir.Call):
            return isinstance(op, ir.Apply)
        if self.waits(equation):
            return True
        if self.meets(equation) or any(self.met_inside(b) for b in blocks_of(op)):
            return False
        inside = (calls_in(block) for block in blocks_of(op))
        return self.keep == "calls" and not any(name in self.cut for names in inside for name in names)

    def met_inside(self, block: Block) -> bool:
        """Whether lanes meet somewhere inside."""
        return any(
            self.meets(e) or self.waits(e) or any(self.met_inside(b) for b in blocks_of(e.op))
            for e in block.equations
        )

    def bind_inside(self, equation: Equation) -> None:
        self.bind(binders(equation.op))
        for inner in blocks_of(equation.op):
            for each in inner.equations:
                self.bind_inside(each)
        self.bind(equation.outs)

    def call(self, at: int, outs: tuple[Var, ...], call: ir.Call, span: Span | None) -> int:
        callee = self.functions[call.function]
        then = self.after(at, f"after {call.function}")
        self.end(at, Call(call.function, tuple(zip(callee.params, call.operands)), then, span))
        self.bind(outs)
        self.drafts[then].arrives = tuple(zip(outs, callee.results))
        return then

    def condition(self, at: int, outs: tuple[Var, ...], op: If) -> int:
        then = self.after(at, "then")
        end_then = self.block(then, op.then)
        orelse = self.after(at, "else")
        end_orelse = self.block(orelse, op.orelse)
        self.end(at, Branch(op.test, Jump(then), Jump(orelse)))
        join = self.after(at, "join")
        self.bind(outs)
        self.end(end_then, Jump(join, tuple(zip(outs, op.then.results))))
        self.end(end_orelse, Jump(join, tuple(zip(outs, op.orelse.results))))
        return join

    def loop(self, at: int, outs: tuple[Var, ...], op: While, what: str) -> int:
        head = self.after(at, what)
        self.bind(op.carried)
        self.end(at, Jump(head, tuple(zip(op.carried, op.init))))
        test = self.block(head, op.cond)
        body = self.after(at, "body")
        end = self.block(body, op.body)
        self.end(end, Jump(head, tuple(zip(op.carried, op.body.results))))
        leave = self.after(at, "end")
        self.bind(outs)
        self.end(test, Branch(op.cond.results[0], Jump(body), Jump(leave, tuple(zip(outs, op.carried)))))
        return leave

    def finish(self) -> BlockProgram:
        blocks = (
            BasicBlock(d.name, d.function, tuple(d.equations), d.terminator, d.arrives) for d in self.drafts
        )
        return BlockProgram(tuple(blocks), self.functions, self.program.main, self.brings, {}, self.program)


def result_place(result: Atom) -> Var:
    """The variable a function's result is handed over in; sizes not known are its own."""
    type_ = result.type
    shape = tuple(d if isinstance(d, int) else Var(d.name, Type("i8")) for d in type_.shape)
    return Var(result.name if isinstance(result, Var) else "result", Type(type_.dtype, shape))


def as_while(equation: Equation, loop: For) -> While:
    """A For as a While that counts, its index carried before the rest."""
    following, more = Var(loop.index.name, loop.index.type), Var("more", Type("b1"))
    order, step = ROWS["lt" if loop.step > 0 else "gt"], Lit(loop.step, loop.index.type)
    test = Equation((more,), ir.Apply(order, (loop.index, loop.stop)), equation.span)
    count = Equation((following,), ir.Apply(ROWS["add"], (loop.index, step)), equation.span)
    body = Block((*loop.body.equations, count), (following, *loop.body.results))
    return While((loop.index, *loop.carried), (loop.start, *loop.init), Block((test,), (more,)), body)
