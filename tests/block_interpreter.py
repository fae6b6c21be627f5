"""What a block program means: run : BlockProgram, lanes -> results, failures, counts.

A plain interpreter, one dictionary of values and one stack a lane, every equation computed for each lane by
itself with the rows' own NumPy functions. Every other form and target is held against it.

    outcome = run(blocks(program), [(3,), (7,), (4,), (5,)])
    outcome.results        [(3,), (21,), (5,), (8,)]
    outcome.executions     how often each block ran, for however many lanes
    outcome.visits         how many lanes went through each block, all runs together
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, assert_never

import numpy as np

from autobatch.cfg.graph import BasicBlock, BlockProgram, Branch, Call, Jump, Moves, Return
from autobatch.cfg.spilling import Storage, assign_storage
from autobatch.schedule import TOO_DEEP, block_order
from codegen.ir import Equation, Var
from codegen.ir.interpreter import perform, typed, value_of
from codegen.source import Span

Choice = Callable[[Mapping[int, int]], int]  # block -> lanes waiting there, to the block to run


@dataclass(frozen=True)
class Failure:
    """What stopped a lane: the exception's name and message, and the user's line."""

    lane: int
    exception: str
    message: str
    span: Span | None


@dataclass(frozen=True)
class Outcome:
    """What became of the lanes.

    results                one tuple a lane, None where it failed
    executions, visits     one number a block
    depth                  the deepest stack of each lane, in frames
    """

    results: list[tuple[Any, ...] | None]
    failures: list[Failure]
    executions: list[int]
    visits: list[int]
    depth: list[int]

    @property
    def occupancy(self) -> float:
        """Lanes served a run of a block, as a share of all lanes, on average over runs."""
        runs = sum(self.executions)
        return sum(self.visits) / (runs * len(self.results)) if runs and self.results else 1.0


@dataclass
class Lane:
    """One lane's state: where it is, what its variables hold, and the frames it pushed."""

    number: int
    at: int
    values: dict[Var, Any]
    stack: list[dict[Var, Any]] = field(default_factory=list)
    deepest: int = 0


class Stopped(Exception):
    """A lane cannot go on."""

    def __init__(self, exception: str, message: str, span: Span | None):
        super().__init__(message)
        self.failure = (exception, message, span)


def run(
    program: BlockProgram,
    lanes: Sequence[Sequence[Any]],
    *,
    choice: Choice | None = None,
    stack_limit: int | None = None,
    counts_depth: bool = False,
) -> Outcome:
    """Run all lanes to their ends. `lanes[i]` are lane i's arguments; `choice` says which block runs
    next, schedule.py's order if nothing does.

    A lane that raises, indexes out of range or needs more than `stack_limit` frames fails by itself and is
    reported.
    """
    machine = Machine(program, assign_storage(program, counts_depth=counts_depth), stack_limit)
    rank = {k: place for place, k in enumerate(block_order(program))}
    choice = choice or (lambda waiting: min(waiting, key=rank.__getitem__))
    running = [machine.start(i, arguments) for i, arguments in enumerate(lanes)]
    everyone = list(running)
    executions, visits = [0] * len(program.blocks), [0] * len(program.blocks)
    failures: list[Failure] = []
    results: list[tuple[Any, ...] | None] = [None] * len(lanes)
    with np.errstate(all="ignore"):
        while running:
            k = choice(Counter(lane.at for lane in running))
            here = [lane for lane in running if lane.at == k]
            executions[k] += 1
            visits[k] += len(here)
            for lane in here:
                try:
                    machine.visit(lane, k)
                except Stopped as stop:
                    failures.append(Failure(lane.number, *stop.failure))
                    running.remove(lane)
            for lane in [lane for lane in running if lane.at == len(program.blocks)]:
                results[lane.number] = tuple(lane.values[r] for r in program.entry.results)
                running.remove(lane)
    failures.sort(key=lambda failure: failure.lane)
    return Outcome(results, failures, executions, visits, [lane.deepest for lane in everyone])


@dataclass
class Machine:
    """A block program ready to run."""

    program: BlockProgram
    where: Storage
    stack_limit: int | None

    def start(self, number: int, arguments: Sequence[Any]) -> Lane:
        entry = self.program.entry
        if len(arguments) != len(entry.params):
            raise TypeError(f"{entry.name} takes {len(entry.params)} arguments, not {len(arguments)}")
        lane = Lane(number, entry.entry, {entry.address: len(self.program.blocks)})
        for param, argument in zip(entry.params, arguments):
            self.assign(lane, param, typed(argument, param.type))
        return lane

    def assign(self, lane: Lane, var: Var, value: Any) -> None:
        lane.values[var] = value
        for size, axis in self.program.brings.get(var, ()):
            lane.values[size] = np.int64(value.shape[axis])

    def move(self, lane: Lane, moves: Moves) -> None:
        """All sources are read before any target is written."""
        found = [(to, typed(value_of(lane.values, source), to.type)) for to, source in moves]
        for to, value in found:
            self.assign(lane, to, value)

    def visit(self, lane: Lane, k: int) -> None:
        """One lane through block k."""
        block = self.program.blocks[k]
        if block.arrives or self.where.popped(self.program, k):
            self.arrive(lane, k, block)
        for equation in block.equations:
            for out, value in zip(equation.outs, self.compute(lane, equation), strict=True):
                self.assign(lane, out, value)
        self.leave(lane, k, block)

    def arrive(self, lane: Lane, k: int, block: BasicBlock) -> None:
        results = [(to, value_of(lane.values, source)) for to, source in block.arrives]
        if self.where.popped(self.program, k):
            lane.values.update(lane.stack.pop())
        for to, value in results:
            self.assign(lane, to, value)

    def compute(self, lane: Lane, equation: Equation) -> tuple[Any, ...]:
        try:
            return perform(self.program.program.functions, equation, lane.values)
        except Exception as error:
            raise Stopped(type(error).__name__, str(error), equation.span) from error

    def leave(self, lane: Lane, k: int, block: BasicBlock) -> None:
        match block.terminator:
            case Jump(target, moves):
                self.move(lane, moves)
                lane.at = target
            case Branch(test, then, orelse):
                edge = then if value_of(lane.values, test) else orelse
                self.move(lane, edge.moves)
                lane.at = edge.target
            case Call() as call:
                self.call(lane, k, call)
            case Return(moves):
                self.move(lane, moves)
                lane.at = self.returns_to(lane, k, block)
            case _ as never:
                assert_never(never)

    def returns_to(self, lane: Lane, k: int, block: BasicBlock) -> int:
        if k in self.where.by_depth:
            depth = self.where.by_depth[k]
            return depth.deep if lane.stack else depth.shallow
        if k in self.where.returns:
            return self.where.returns[k]
        return int(lane.values[self.program.functions[block.function].address])

    def call(self, lane: Lane, k: int, call: Call) -> None:
        if pushed := self.where.pushes[k]:
            lane.stack.append({v: lane.values[v] for v in pushed})
            lane.deepest = max(lane.deepest, len(lane.stack))
            if self.stack_limit is not None and len(lane.stack) > self.stack_limit:
                raise Stopped("RecursionError", TOO_DEEP, call.span)
        self.move(lane, call.moves)
        callee = self.program.functions[call.function]
        lane.values[callee.address] = call.then
        lane.at = callee.entry
