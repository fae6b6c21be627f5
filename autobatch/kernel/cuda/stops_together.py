"""Places where lanes wait, next to each other: with_stops_together : BlockProgram -> BlockProgram.

    logits = X @ q                            prior = -0.5 * sum(q ** 2)
    prior = -0.5 * sum(q ** 2)                logits = X @ q
    low = logits[0]                 ->        for i in range(10000): ...
    for i in range(10000): ...                low = logits[0]

Where one such place follows another at once lanes need not be run in between (visits.py). What stands between two of
them in a block goes before the first, if it does not hang on it, else after the second, unless that is read there. An
array is not moved away from where it is written over, so that nothing is copied for it, and what acts stays in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from autobatch.cfg.graph import BlockProgram, variables_read
from codegen.analysis.definitions import is_empty
from codegen.analysis.effects import acts, pure
from codegen.ir import Apply, Equation, For, Var

IsStop = Callable[[Equation], bool]


def with_stops_together(program: BlockProgram, is_stop: IsStop) -> BlockProgram:
    """The program with the stops of each block next to each other, where that can be."""
    blocks = (replace(block, equations=together(block.equations, is_stop)) for block in program.blocks)
    return replace(program, blocks=tuple(blocks))


def together(equations: Sequence[Equation], is_stop: IsStop) -> tuple[Equation, ...]:
    first = next((k for k, equation in enumerate(equations) if is_stop(equation)), None)
    if first is None:
        return tuple(equations)
    draft = StopSequence([equations[first]], {e.outs[0] for e in equations[:first] if is_empty(e)})
    end = first + 1  # of what the row is made of
    for k, equation in enumerate(equations[first + 1 :], first + 1):
        if draft.take(equation, is_stop(equation)):
            end = k + 1
            draft.settle()
    rest = together((*draft.after, *equations[end:]), is_stop)
    return (*equations[:first], *draft.before, *draft.stops, *rest)


@dataclass(eq=False)
class StopSequence:
    """Stops next to each other, and what goes before and after them; `early`, `late`: if another stop comes.

    blank: arrays that have nothing in them yet.
    """

    stops: list[Equation]
    blank: set[Var]
    before: list[Equation] = field(default_factory=list)
    after: list[Equation] = field(default_factory=list)
    early: list[Equation] = field(default_factory=list)
    late: list[Equation] = field(default_factory=list)

    def take(self, equation: Equation, is_stop: bool) -> bool:
        """The next equation, where it belongs; whether that is in the row."""
        if is_stop and self.joins(equation):
            self.stops.append(equation)
            return True
        if self.goes_before(equation):
            self.early.append(equation)
            self.blank |= {equation.outs[0]} if is_empty(equation) else set()
        else:
            self.late.append(equation)
        return False

    def settle(self) -> None:
        """Another stop has come."""
        self.before += self.early
        self.after += self.late
        self.early, self.late = [], []

    def joins(self, stop: Equation) -> bool:
        """Whether a stop may come before what goes after the row."""
        waiting = (*self.after, *self.late)
        if (read_vars(waiting) & made_vars((stop,))) or (made_vars(waiting) & read_vars((stop,))):
            return False
        if overwritten(stop, self.blank) & read_vars(waiting):
            return False
        return not (acts(stop) and any(map(acts, waiting)))

    def goes_before(self, equation: Equation) -> bool:
        """Whether an equation may come before the row, and leaves all arrays as they are."""
        others = (*self.stops, *self.after, *self.late)
        if not pure(equation) or overwritten(equation, self.blank):
            return False
        return not (read_vars((equation,)) & made_vars(others) or made_vars((equation,)) & read_vars(others))


def read_vars(equations: Iterable[Equation]) -> set[Var]:
    return {v for e in equations for v in variables_read(e)}


def made_vars(equations: Iterable[Equation]) -> set[Var]:
    return {v for e in equations for v in e.outs}


def overwritten(equation: Equation, blank: set[Var]) -> set[Var]:
    """The arrays whose places the results of an equation may have, but those with nothing in them."""
    op = equation.op
    if not any(out.type.rank for out in equation.outs) or is_empty(equation):
        return set()
    if isinstance(op, For):
        return {v for v in op.init if isinstance(v, Var) and v.type.rank} - blank
    if isinstance(op, Apply) and not op.primitive.writes:
        return set()
    return {v for v in variables_read(equation) if v.type.rank}
