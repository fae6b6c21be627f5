"""What lies between products with a shared matrix, row by row of it: panels : BlockProgram -> BlockProgram, Panels.

    logits = X @ q                            X shared, q a lane's
    for i: total += f(logits[i], y[i])        each row for itself
           r[i] = g(logits[i], y[i])
    slope = r @ X

Such equations are done together, a panel of rows after the other, for all lanes that wait there: the panel of X serves
all of them, and what has an element a row (`logits`, `r`) is only ever as long as a panel. The program comes back with
these equations side by side, as early as what they read allows; the others go before them, or after where they wait
for results. An array with an element a row that is needed whole keeps its equations as they were.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace

from autobatch.cfg.graph import BlockProgram, terminator_atoms, variables_read
from autobatch.cfg.spilling import Home, assign_storage
from codegen.analysis.definitions import is_empty
from codegen.analysis.effects import acts
from codegen.analysis.own_places import own_axes
from codegen.ir import Apply, Block, Equation, For, If, Lit, Var
from codegen.ir.kinds import Access, Product
from codegen.ir.substitution import blocks as blocks_of
from codegen.ir.substitution import free


@dataclass(frozen=True, eq=False)
class Panel:
    """Equations over `rows` rows, in order: products, loops over the rows, and the making of `own`.

    own: the arrays with an element a row that nobody else reads. results: what is known once all rows are done.
    """

    rows: int
    equations: tuple[Equation, ...]
    own: frozenset[Var]
    results: frozenset[Var]

    @property
    def loops(self) -> list[Equation]:
        return [e for e in self.equations if isinstance(e.op, For)]

    def inside(self) -> Iterator[Var]:
        """All arrays that are only as long as a panel, those inside its loops too."""
        yield from self.own
        for equation in self.loops:
            assert isinstance(equation.op, For)
            yield from (v for v in equation.op.carried if v.type.rank)
            yield from (v for e in equation.op.body.equations for v in e.outs if v.type.rank)


def panels(program: BlockProgram, fixed: Collection[Var]) -> tuple[BlockProgram, dict[Equation, Panel]]:
    """The program with each panel's equations side by side, and each panel by its first equation."""
    homes = assign_storage(program).homes
    found: dict[Equation, Panel] = {}
    blocks = []
    for block in program.blocks:
        kept = {v for v in terminator_atoms(block) if isinstance(v, Var) and v.type.rank}
        kept |= {o for e in block.equations for o in e.outs if homes.get(o) is not Home.TEMPORARY}
        blocks.append(replace(block, equations=with_panels(block.equations, fixed, kept, found)))
    return replace(program, blocks=tuple(blocks)), found


def with_panels(
    equations: tuple[Equation, ...], fixed: Collection[Var], kept: set[Var], found: dict[Equation, Panel]
) -> tuple[Equation, ...]:
    """Equations of a block, those of each panel side by side."""
    for at, equation in enumerate(equations):
        if (rows := product_rows(equation, fixed)) is None:
            continue
        draft = PanelDraft(rows, fixed)
        for each in equations[at:]:
            draft.take(each)
        if draft.results and not draft.own & (kept | variables_read_by(draft.after)):
            panel = Panel(rows, tuple(draft.members), frozenset(draft.own), frozenset(draft.results))
            found[panel.equations[0]] = panel
            before = (*equations[:at], *(e for e in draft.before if e not in draft.members))
            needed = kept | variables_read_by(draft.members) | variables_read_by(draft.after)
            earlier = with_panels(before, fixed, needed, found)
            return (*earlier, *panel.equations, *with_panels(tuple(draft.after), fixed, kept, found))
    return equations


def variables_read_by(equations: Iterable[Equation]) -> set[Var]:
    """What equations read."""
    return {v for e in equations for v in variables_read(e)}


def shared_product(equation: Equation, fixed: Collection[Var]) -> tuple[Var, Var, bool] | None:
    """Of a product of a shared matrix and a lane's vector these, and whether the matrix stands on the left."""
    op = equation.op
    if not isinstance(op, Apply) or op.primitive.kind is not Product.MATRIX:
        return None
    x, y = op.operands
    assert isinstance(x, Var) and isinstance(y, Var)
    if x in fixed and x.type.rank == 2 and y.type.rank == 1:
        return x, y, True
    return (y, x, False) if y in fixed and y.type.rank == 2 and x.type.rank == 1 else None


def product_rows(equation: Equation, fixed: Collection[Var]) -> int | None:
    """Of a product X @ q with a shared matrix its rows."""
    found = shared_product(equation, fixed)
    if found is None or not found[2] or found[1] in fixed:
        return None
    rows = found[0].type.shape[0]
    return rows if isinstance(rows, int) else None


@dataclass(eq=False)
class PanelDraft:
    """A panel that is being filled, and what goes before and after it."""

    rows: int
    fixed: Collection[Var]
    before: list[Equation] = field(default_factory=list)
    members: list[Equation] = field(default_factory=list)
    after: list[Equation] = field(default_factory=list)
    own: set[Var] = field(default_factory=set)
    results: set[Var] = field(default_factory=set)
    late: set[Var] = field(default_factory=set)  # what is known only after the panel
    blank: dict[Var, Equation] = field(default_factory=dict)  # arrays made empty, not yet written
    closed: bool = False  # whether something after the panel may end the lane

    def take(self, equation: Equation) -> None:
        """The next equation, where it belongs."""
        read = set(variables_read(equation))
        if not read & self.late and self.joins(equation):
            return
        if read & (self.late | self.own) or (self.closed and acts(equation)):
            self.after.append(equation)
            self.late.update(equation.outs)
            self.closed = self.closed or acts(equation)
            return
        self.before.append(equation)
        if is_empty(equation):
            self.blank[equation.outs[0]] = equation

    def joins(self, equation: Equation) -> bool:
        """Whether an equation is one of the panel's, which then has it."""
        op = equation.op
        if isinstance(op, For):
            return self.joins_loop(equation, op)
        if (found := shared_product(equation, self.fixed)) is None:
            return False
        (_, vector, left), (out,) = found, equation.outs
        if left and (vector in self.own or product_rows(equation, self.fixed) != self.rows):
            return False
        if not left and vector not in self.own:
            return False
        self.members.append(equation)
        (self.own if left else self.results).add(out)
        self.late |= set() if left else {out}
        return True

    def joins_loop(self, equation: Equation, loop: For) -> bool:
        """A loop over the rows that stays at its own row of each array that is the panel's."""
        ends = (loop.start, loop.stop)
        if loop.step != 1 or [e.value for e in ends if isinstance(e, Lit)] != [0, self.rows]:
            return False
        if not is_row_wise(loop.body):
            return False
        if not all(
            0 in own_axes(loop.body, v, loop.index, how=(Access.READ,))
            for v in free(loop.body)
            if v in self.own
        ):
            return False
        arrays = [k for k, v in enumerate(loop.carried) if v.type.rank]
        for k in arrays:
            init = loop.init[k]
            if not isinstance(init, Var) or not (init in self.own or init in self.blank):
                return False
            if 0 not in own_axes(loop.body, loop.carried[k], loop.index, loop.body.results[k]):
                return False
        for k in arrays:
            init = loop.init[k]
            assert isinstance(init, Var)
            if init in self.blank:
                self.members.append(self.blank.pop(init))
            self.own |= {init, loop.carried[k], equation.outs[k]}
        self.members.append(equation)
        sums = {out for out in equation.outs if not out.type.rank}
        self.results |= sums
        self.late |= sums
        return True


def is_row_wise(block: Block, writes: bool = True) -> bool:
    """Whether a loop's body is arithmetic on numbers and on elements of arrays that cannot fail."""
    for equation in block.equations:
        op = equation.op
        match op:
            case Apply():
                if op.primitive.effect or op.primitive.of_streams:
                    return False
                if op.primitive.kind is Access.READ or (writes and op.primitive.writes):
                    if op.primitive.kind is Access.READ and equation.outs[0].type.rank:
                        return False
                elif any(a.type.rank for a in (*op.operands, *equation.outs)):
                    return False
            case If() | For():
                if any(o.type.rank for o in equation.outs):
                    return False
                if not all(is_row_wise(b, writes=False) for b in blocks_of(op)):
                    return False
            case _:
                return False
    return True


def panel_names(name: str, panels: Iterable[Panel]) -> dict[Panel, str]:
    """The functions of a program's panels."""
    return {panel: f"{name}_panel{k + 1 if k else ''}" for k, panel in enumerate(panels)}


def loop_names(name: str, panel: Panel) -> list[str]:
    """The functions of a panel's loops."""
    return [f"{name}_rows{k + 1 if k else ''}" for k in range(len(panel.loops))]
