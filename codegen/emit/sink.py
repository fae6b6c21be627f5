"""Updates moved behind the last read of the array they overwrite, so that no copy is needed.

    y = update x, v, i                 t = index x, j
    t = index x, j             ->      y = update x, v, i

Only equations that do not depend on the new array pass in front of the update; effects keep their order,
and no read of another array moves behind a write of that one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from dataclasses import replace
from typing import TypeGuard

from codegen.analysis.effects import acts
from codegen.ir import Apply, Atom, Block, Equation, Operation, Var
from codegen.ir.substitution import free
from codegen.ir.traversal import with_inner, within


def sink(block: Block, pinned: Set[Equation] = frozenset()) -> Block:
    """`block` with its updates, and those of inner blocks, as late as the reads of their arrays ask.

    `pinned` ones may raise, and stay in front of what acts.
    """
    equations = [replace(e, op=with_inner(e.op, lambda inner: sink(inner, pinned))) for e in block.equations]
    return Block(Sinking(equations, block.results, pinned).run(), block.results)


def is_update(op: Operation) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.primitive.writes


def makes_view(op: Operation) -> TypeGuard[Apply]:
    return isinstance(op, Apply) and op.primitive.views


class Sinking:
    """The equations of one block, in the order reached so far."""

    def __init__(self, equations: list[Equation], results: tuple[Atom, ...], pinned: Set[Equation]):
        self.equations = equations
        self.pinned = pinned
        self.results = set(results)
        self.free = {e: frozenset(free(e.op)) for e in equations}
        self.readers: dict[Var, list[Equation]] = defaultdict(list)
        self.views: dict[Atom, list[Equation]] = defaultdict(list)
        for equation in equations:
            for var in self.free[equation]:
                self.readers[var].append(equation)
            if makes_view(equation.op) and equation.outs[0].type.rank:
                self.views[equation.op.operands[0]].append(equation)
        self.place = {e: k for k, e in enumerate(equations)}

    def run(self) -> tuple[Equation, ...]:
        for equation in tuple(self.equations):
            if is_update(equation.op):
                self.behind_reads(equation, equation.op.operands[0])
        return tuple(self.equations)

    def behind_reads(self, update: Equation, array: Atom) -> None:
        """Move an update behind the last read of its array, where that can and need be."""
        k = self.place[update]
        old = self.seen_through(array, k)
        late = [self.place[e] for v in old for e in self.readers[v] if self.place[e] > k]
        if not late or not old.isdisjoint(self.results):
            return
        window = self.equations[k + 1 : max(late) + 1]
        before, after = self.split(window, update)
        if all(old.isdisjoint(self.free[e]) for e in after) and self.passes([update, *after], before):
            self.equations[k : max(late) + 1] = [*before, update, *after]
            self.place.update((e, m) for m, e in enumerate(self.equations[k : max(late) + 1], k))

    def seen_through(self, array: Atom, k: int) -> set[Var]:
        """The array and what equations before k made views of it."""
        found: set[Var] = set()
        waiting = [array] if isinstance(array, Var) else []
        while waiting:
            var = waiting.pop()
            found.add(var)
            waiting.extend(e.outs[0] for e in self.views[var] if self.place[e] < k)
        return found

    def split(self, window: list[Equation], update: Equation) -> tuple[list[Equation], list[Equation]]:
        """The equations that do not depend on the update's array, and those that do."""
        new = set(update.outs)
        before: list[Equation] = []
        after: list[Equation] = []
        for equation in window:
            if new.isdisjoint(self.free[equation]):
                before.append(equation)
            else:
                after.append(equation)
                new.update(equation.outs)
                new.update(n for o in equation.outs for n in o.type.shape if isinstance(n, Var))
        return before, after

    def passes(self, late: list[Equation], early: list[Equation]) -> bool:
        """Whether `late` may follow `early`: effects stay in order, nothing read late is written early."""
        if any(acts(e) or e in self.pinned for e in late) and any(acts(e) for e in early):
            return False
        written = {a for e in early for a in arrays_updated(e)}
        return all(written.isdisjoint(self.free[e]) for e in late)


def arrays_updated(equation: Equation) -> list[Var]:
    """The arrays an equation writes, at any depth."""
    written = (e.op.operands[0] for e in within(equation) if is_update(e.op))
    return [a for a in written if isinstance(a, Var)]
