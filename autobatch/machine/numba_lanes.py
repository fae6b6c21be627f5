"""A block program as one function over lanes that Numba compiles: lanes_module : BlockProgram -> LaneModule.

    def fib_lanes(first, last, limit, failed, I_stack, n_lanes, out0):
        for lane in range(first, last):
            n = n_lanes[lane]
            pc = 0
            while pc != 5:
                if pc == 0:                       # fib
                    pc = 4 if n < 2 else 1
                ...
            out0[lane] = result

Scalars are local variables; a lane's arrays lie side by side in one array a dtype (`F` for float64), at places that
are constants of the module, so that LLVM knows them distinct; what must outlive a recursive call goes to a stack.
Where a lane fails it notes the number of the place in `failed` and goes to its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from autobatch.cfg.graph import BasicBlock, BlockProgram, Branch, Call, Jump, Moves, Return, writes
from autobatch.cfg.spilling import Storage, storage
from autobatch.machine.blends import BlendPrinter
from autobatch.machine.flags import ALIGNED, ATTENDS, DISTINCT, MULADD, PACKED, SELECT, STOPS, WIDE
from autobatch.machine.looks import again, price
from autobatch.machine.packed import packed
from autobatch.machine.panel_rows import loop_names
from autobatch.machine.panel_text import panel_names
from autobatch.machine.panels import panels
from autobatch.machine.printer import (
    ARENAS,
    FAST_NAMES,
    LONG,
    STEPS,
    TYPES,
    LanePrinter,
    Site,
    count,
    is_long,
    stream,
)
from autobatch.machine.slots import Slots, slots
from autobatch.machine.together import Together, is_product
from autobatch.profiling.probes import UNMARKED, Unmarked
from autobatch.schedule import TOO_DEEP
from codegen import runtime
from codegen.emit.coalescing import candidates
from codegen.emit.module import imports_of, sections
from codegen.emit.nesting import readable
from codegen.emit.spelling import TAKEN
from codegen.ir import Equation, For, Type, Var
from codegen.ir.substitution import blocks as blocks_of
from codegen.source import Span, refuse
from codegen.targets import TARGETS


@dataclass(frozen=True, eq=False)
class LaneModule:
    """text: the module; run: its function `(first, last, limit, failed, *stacks, *inputs, *outputs) -> lane`.

    Inputs are in the order of the program's parameters: shared ones as they are, a lane's own (lanes, size) for arrays,
    (lanes,) for scalars, state rows for streams. Outputs likewise, without streams, which advance in place. `sites`
    tells what each failure number means. `stacks` are the names and dtypes of the stacks to be given; where they are
    too small for a lane, `run` returns its number instead of `last`, to be called again from there with larger ones.
    `together`: lanes of one call wait for each other at products with shared matrices. `numbers`: of a lane's arrays,
    where each runs by itself. `wide`: functions that are to be compiled to vector instructions. `group`: lanes that
    are side by side, `few`: when no more come; `ways`: how they run each block. `tiles`: the rows of each panel of a
    shared matrix. `frame`: bytes of the largest frame on a lane's stacks. `queued`: `first` is an array of the lane
    that comes next, and more (threads.from_queue): calls that share it share the lanes up to `last`. `packed`: short
    loops over a lane's arrays are compiled to vectors.
    """

    text: str
    run: str
    sites: tuple[Site, ...]
    stacks: tuple[tuple[str, str], ...]
    together: bool
    numbers: int = 0
    wide: tuple[str, ...] = ()
    group: int = 1
    few: int = 1
    ways: tuple[str, ...] = ()
    tiles: tuple[int, ...] = ()
    frame: int = 0
    queued: bool = False
    packed: bool = False


# Names of the module's own.
OWN = """
    count places place waiting wanted most n j rows products depths begin some size
    Distinct Packed Compiler config muladd select yes use_wide_registers aligned
    kept_apart attends look said_at last_of stopped raise_waiting strip intrinsic types
"""


def lanes_module(
    program: BlockProgram,
    shared: Sequence[bool],
    name: str,
    notes: str = "",
    tile: int | None = None,
    marks: Unmarked = UNMARKED,
) -> LaneModule:
    """The module of a block program whose parameters marked in `shared` are one for all lanes.

    `tile`: rows of a shared matrix that are taken at a time; None: chosen.
    """
    return Writer(program, shared, name, notes, tile, marks).module()


class Writer:
    """The text while it is written."""

    def __init__(
        self,
        program: BlockProgram,
        shared: Sequence[bool],
        name: str,
        notes: str,
        tile: int | None,
        marks: Unmarked,
    ):
        self.name, self.notes, self.tile, self.marks = name, notes, tile, marks
        self.shared = dict(zip(program.entry.params, shared, strict=True))
        assigned = {v for block in program.blocks for v in writes(program, block)}
        self.fixed = [v for v, one in self.shared.items() if one and is_large(v) and v not in assigned]
        program, self.panels = panels(program, self.fixed)
        self.panelled = {e for panel in self.panels.values() for e in panel.equations}
        self.program = program
        self.where: Storage = storage(program)
        target = TARGETS["numba"]
        reserved = {"lane", "first", "last", "limit", "failed", "pc", "depth", "k", *ARENAS.values()}
        reserved |= {f"{p.name}_lanes_before" for p in self.shared}
        reserved |= {*OWN.split()}
        for panel, word in panel_names(name, self.panels.values()).items():
            reserved |= {word, *loop_names(word, panel)}
        reserved |= {f"{a}_{what}" for a in ARENAS.values() for what in ("all", "kept", "stacks", "tops")}
        reserved |= {f"{a}_stack" for a in ARENAS.values()} | {f"{a}_top" for a in ARENAS.values()}
        helpers = {
            *target.helper_names(program.program),
            *runtime.defines([*STEPS.values(), *FAST_NAMES]),
        }
        self.avoid = TAKEN | reserved | helpers | {f"{name}_lanes", *marks.words}
        self.slots: Slots = slots(program, self.where, self.fixed, self.avoid)
        self.places: dict[str, int] = {}
        self.sizes: dict[str, int] = dict.fromkeys(ARENAS.values(), 0)
        printer = BlendPrinter if self.packed else LanePrinter
        self.printer = printer(self.slots, self.places_of(), self.fixed, end=len(program.blocks))
        self.together = Together(self)
        self.inputs = self.argument_names("in")
        self.outputs = [f"out{k}" for k in range(len(program.entry.results))]

    def argument_names(self, suffix: str) -> list[str]:
        """A name for each parameter's argument; fixed shared arrays keep their own."""
        taken = set(self.slots.names.values()) | self.avoid
        found = []
        for param, is_shared in self.shared.items():
            if param in self.fixed:
                found.append(self.slots.names[param])
                continue
            base = f"{param.name}_{'shared' if is_shared else 'lanes'}"
            word = next(c for c in candidates(base) if c not in taken)
            taken.add(word)
            found.append(word)
        return found

    def places_of(self) -> dict[str, tuple[str, str, Type]]:
        """Slot name of an array -> arena, constant that is its place there, type."""
        found: dict[str, tuple[str, str, Type]] = {}
        taken = set(self.slots.names.values()) | self.avoid
        own = {v for panel in self.panels.values() for v in panel.inside()}
        for var, slot in self.slots.names.items():
            if (
                not var.type.rank
                or var in own
                or var.type.dtype == "rng"
                or var in self.fixed
                or slot in found
            ):
                continue
            if not all(isinstance(n, int) for n in var.type.shape):
                raise refuse(
                    made_at(self.program, var),
                    f"the size of the array {var.name!r} is not known before the program runs: {var.type}; "
                    "use the largest size and a mask (np.where), or a loop over the elements",
                )
            arena = ARENAS[var.type.dtype]
            constant = next(c for c in candidates(slot.upper()) if c not in taken)
            taken.add(constant)
            found[slot] = (arena, constant, var.type)
            size: int = prod(var.type.shape)  # type: ignore[arg-type]
            if size > LONG:
                self.sizes[arena] += -self.sizes[arena] % LINE
            self.places[constant] = self.sizes[arena]
            self.sizes[arena] += size + (APART if size % PAGE == 0 else 0)
        return found

    # the module

    def module(self) -> LaneModule:
        function = self.function()
        panels = self.together.functions()
        helpers = self.printer.target_helpers(self.program)
        constants = "\n".join(f"{c} = {k}" for c, k in self.places.items())
        classes = [DISTINCT] if self.panels else []
        classes += [PACKED] if self.packed else []
        called = [SELECT] if " select(" in function else []
        called += [MULADD] if any("muladd(" in t for t in (*panels, function)) else []
        called += [helpers]
        called += [ALIGNED] if self.panels or self.aligned else []
        called += [WIDE] if self.panels or self.wide else []
        called += [ATTENDS, STOPS] if self.printer.looked else []
        code = sections((constants, *classes, *panels, function), (*called, self.marks.text()))
        text = f'"""{self.notes}"""\n\n' if self.notes else ""
        text += imports_of(code) + "\n\n" + code
        stacks = tuple((f"{a}_stack", TYPES[a].removeprefix("np.")) for a in self.stacks)
        return LaneModule(
            readable(text, self.program.program.entry.span),
            f"{self.name}_lanes",
            tuple(self.printer.sites),
            stacks,
            bool(self.together.products),
            sum(self.sizes.values()),
            tiles=self.together.tiles,
            frame=self.where.frame,
            packed=self.packed,
        )

    @property
    def wide(self) -> bool:
        """Whether there are loops for which the widest vector instructions pay."""
        return any(has_long_loop(e) for block in self.program.blocks for e in block.equations)

    @cached_property
    def packed(self) -> bool:
        """Whether loops that are written out are to become vectors; not where lanes wait for products."""
        products = (is_product(e, self.fixed) for block in self.program.blocks for e in block.equations)
        return not any(products) and packed(self.program)

    @property
    def aligned(self) -> bool:
        """Whether vectors are to lie in one cache line each."""
        return self.wide or self.packed

    @property
    def arenas(self) -> list[str]:
        used = {arena for arena, _, _ in self.printer.places.values()}
        return [a for a in self.sizes if a in used]

    @property
    def stacks(self) -> list[str]:
        """The arenas whose dtypes some pushed variable has."""
        kinds = dict.fromkeys(ARENAS[v.type.dtype] for v in self.where.stacks)
        return [a for a in ARENAS.values() if a in kinds]

    def signature(self) -> str:
        outputs = (o for o, r in zip(self.outputs, self.program.entry.results) if not stream(r))
        return ", ".join((*self.inputs, *outputs, *self.marks.given))

    def function(self) -> str:
        """The function over a range of lanes."""
        p = self.printer
        p.depth = 4
        self.dispatch()
        blocks, p.lines = p.lines, []
        stacks = [f"{a}_stack" for a in self.stacks]
        p.depth = 0
        compiler = ", pipeline_class=Packed" if self.packed else ""
        p.line(f'@njit(cache=True, nogil=True, error_model="numpy"{compiler})')
        p.line(
            f"def {self.name}_lanes({', '.join(('first', 'last', 'limit', 'failed', *stacks, self.signature()))}):"
        )
        p.depth = 1
        if self.together.products:
            self.together.function(blocks)
        else:
            self.one_by_one([line.removeprefix("    ") for line in blocks])
        p.written(["raise_waiting(failed)"] if p.looked else [])
        p.line("return last")
        return "\n".join(p.lines)

    def one_by_one(self, blocks: list[str]) -> None:
        """Each lane from its start to its end, in the same memory."""
        p = self.printer
        p.line('"""Lanes first to last, one after the other; the lane that needs a larger stack, or last."""')
        p.written(["use_wide_registers()"] if self.wide else [])
        for arena in self.arenas:
            made = "aligned" if self.aligned else "np.empty"
            p.line(f"{arena} = {made}({self.sizes[arena]}, {TYPES[arena]})")
        p.looked = p.looked or self.a_lane > SHORT
        p.line("for lane in range(first, last):")
        p.depth += 1
        self.prologue()
        p.line(f"pc = {self.program.entry.entry}")
        p.line(f"while pc != {p.end}:")
        p.lines += blocks
        p.written(["if stopped(failed):", "    break"] if p.looked else [])
        p.written(self.marks.between())
        if self.stacks:
            self.restart()
        self.epilogue()
        p.depth -= 1

    @cached_property
    def a_lane(self) -> int:
        """The operations of a lane that comes to each block once."""
        return price(e for block in self.program.blocks for e in block.equations)

    def restart(self) -> None:
        """A lane whose stack is full starts again, with larger ones and its streams as they were."""
        p = self.printer
        p.line("if failed[lane] == -1:")
        p.depth += 1
        p.line("failed[lane] = 0")
        for before, argument in self.streams():
            p.copy_stream(f"{argument}[lane, k]", before)
        p.line("return lane")
        p.depth -= 1

    def streams(self) -> list[tuple[str, str]]:
        """For each stream argument a name for what it was, and the argument's."""
        names = [a for a, v in zip(self.inputs, self.shared) if stream(v)]
        return [(f"{a}_before", a) for a in names]

    def prologue(self, *, streams: bool = True) -> None:
        p = self.printer
        for (param, is_shared), argument in zip(self.shared.items(), self.inputs, strict=True):
            if stream(param) and not streams:
                continue
            if param not in self.fixed and param in self.slots.names:
                p.read_argument(param, argument, is_shared)
        for arena in self.stacks:
            p.line(f"{arena}_top = 0")
        if self.stacks:
            p.line("depth = 0")
        if self.stacks and streams:
            for before, argument in self.streams():
                p.line(f"{before} = {argument}[lane].copy()")
        known = set(self.program.entry.params)
        names = {self.slots.names[v] for v in known if v in self.slots.names}
        address = self.slots.names.get(self.program.entry.address)  # functions may have one for all of them
        for var in self.where.registers:
            slot = self.slots.names.get(var)
            if slot is not None and slot not in names and not var.type.rank and var.type.dtype != "rng":
                names.add(slot)
                p.line(f"{slot} = {len(self.program.blocks) if slot == address else p.zero(var.type)}")

    def epilogue(self) -> None:
        self.printer.written(self.marks.ended())
        for result, out in zip(self.program.entry.results, self.outputs, strict=True):
            if stream(result):
                self.stream_back(result)
            else:
                self.printer.write_result(result, out)

    def stream_back(self, result: Var) -> None:
        """A stream's last state goes to its row, unless it was there all along."""
        streams = [(p, a) for (p, s), a in zip(self.shared.items(), self.inputs) if stream(p)]
        results = [r for r in self.program.entry.results if stream(r)]
        param, argument = streams[results.index(result)]
        if self.slots.names.get(param) != self.slots.names.get(result):
            self.printer.copy_stream(f"{argument}[lane, k]", self.slots.names[result])

    def dispatch(self) -> None:
        """The blocks, as one chain of tests of the program counter."""
        p = self.printer
        come_again = again(self.program)
        for k, block in enumerate(self.program.blocks):
            p.line(f"{'if' if k == 0 else 'elif'} pc == {k}:  # {block.name}")
            p.depth += 1
            if k in come_again and self.together.products:
                p.look()
            elif k in come_again:
                p.looked = True
                p.written(["if stopped(failed):", "    break"])
            p.written(self.marks.visit(k, block))
            self.block(k, block)
            p.depth -= 1

    def block(self, k: int, block: BasicBlock) -> None:
        p = self.printer
        popped = self.where.popped(self.program, k)
        if popped:
            self.pop(popped)
        p.moves(list(block.arrives))
        for at, equation in enumerate(block.equations):
            if equation in self.panelled and equation not in self.panels:
                continue
            if is_product(equation, self.fixed):
                self.together.product(k, block, at, equation)
            elif not p.is_folded(equation):
                p.statement(equation)
        self.terminator(k, block)

    def terminator(self, k: int, block: BasicBlock) -> None:
        p = self.printer
        match block.terminator:
            case Jump() as jump:
                self.jump(jump)
            case Branch(test, then, orelse):
                self.branch(p.text(test)[0], then, orelse)
            case Call(name, moves, then, span):
                self.push(self.where.pushes.get(k, ()), span)
                self.call(name, moves, then)
            case Return(moves):
                p.moves(list(moves))
                known = self.where.returns.get(k)
                address = self.program.functions[block.function].address
                p.line(f"pc = {self.slots.names[address] if known is None else known}")

    def branch(self, test: str, then: Jump, orelse: Jump) -> None:
        p = self.printer
        if not then.moves and not orelse.moves:
            p.line(f"pc = {then.target} if {test} else {orelse.target}")
            return
        p.line(f"if {test}:")
        for jump in (then, orelse):
            p.depth += 1
            self.jump(jump)
            p.depth -= 1
            if jump is then:
                p.line("else:")

    def jump(self, jump: Jump) -> None:
        self.printer.moves(list(jump.moves))
        self.printer.line(f"pc = {jump.target}")

    def call(self, name: str, moves: Moves, then: int) -> None:
        p = self.printer
        callee = self.program.functions[name]
        p.moves(list(moves))
        if callee.address in self.slots.names and callee.address in self.where.registers:
            p.line(f"{self.slots.names[callee.address]} = {then}")
        p.line(f"pc = {callee.entry}")

    # the stack

    def frame(self, pushed: Sequence[Var]) -> dict[str, list[tuple[Var, int]]]:
        """Arena -> what is pushed there, each at its place in the frame."""
        found: dict[str, list[tuple[Var, int]]] = {}
        for var in pushed:
            listed = found.setdefault(ARENAS[var.type.dtype], [])
            at = listed[-1][1] + count(listed[-1][0].type) if listed else 0
            listed.append((var, at))
        return found

    def push(self, pushed: Sequence[Var], span: Span | None) -> None:
        p = self.printer
        if not pushed:
            return
        p.leave_if("depth == limit", p.site("RecursionError", TOO_DEEP, span))
        p.line("depth += 1")
        for arena, listed in self.frame(pushed).items():
            size = listed[-1][1] + count(listed[-1][0].type)
            p.leave_if(f"{arena}_top + {size} > len({arena}_stack)", -1)
            for var, at in listed:
                p.save(var, f"{arena}_stack", f"{arena}_top", at)
            p.line(f"{arena}_top += {size}")

    def pop(self, popped: Sequence[Var]) -> None:
        p = self.printer
        p.line("depth -= 1")
        for arena, listed in self.frame(popped).items():
            size = listed[-1][1] + count(listed[-1][0].type)
            p.line(f"{arena}_top -= {size}")
            for var, at in listed:
                p.restore(var, f"{arena}_stack", f"{arena}_top", at)


def made_at(whole: BlockProgram, var: Var) -> Span | None:
    """The user's line that gives a variable its value, or the function's first."""
    todo = [e for block in whole.blocks for e in block.equations]
    while todo:
        equation = todo.pop()
        if var in equation.outs and equation.span is not None:
            return equation.span
        todo += [e for block in blocks_of(equation.op) for e in block.equations]
    return whole.program.entry.span


SHORT = 64  # operations of a lane; calls of lanes as short as that are cut short by others (executor.py)
SMALL = 256  # elements
PAGE = (
    512  # numbers: what is so far apart, or a multiple of it, is one place to a processor's buffer of stores
)
APART = 32  # numbers between arrays that would be
LINE = 8  # numbers of a cache line: long arrays begin with one


def is_large(var: Var) -> bool:
    """A shared array that is read where it is; small ones are copied into a lane's memory, where LLVM knows them."""
    return var.type.rank > 0 and prod(n if isinstance(n, int) else SMALL for n in var.type.shape) > SMALL


def has_long_loop(equation: Equation) -> bool:
    """Whether an equation is a loop over a long range, or has one inside."""
    op = equation.op
    return (isinstance(op, For) and is_long(op)) or any(
        has_long_loop(e) for b in blocks_of(op) for e in b.equations
    )
