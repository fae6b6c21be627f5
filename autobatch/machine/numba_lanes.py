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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

from autobatch.cfg.graph import BasicBlock, BlockProgram, Branch, Call, Jump, Return, writes
from autobatch.cfg.spilling import Storage, storage
from autobatch.kernel.arenas import ARENAS, TYPES, is_stream
from autobatch.kernel.ir import (
    Assign,
    Frame,
    If,
    Layout,
    Look,
    Loop,
    Memory,
    Next,
    Pop,
    Probe,
    Push,
    Region,
    Stmt,
    statements,
)
from autobatch.kernel.lower import LONG, Lowering, Site, count, is_long
from autobatch.kernel.numba.addresses import element
from autobatch.kernel.numba.ends import ByCounter
from autobatch.kernel.numba.spelling import FAST_NAMES, STEPS, LaneSpelling
from autobatch.kernel.numba.statements import Statements
from autobatch.machine.flags import ALIGNED, ATTENDS, DISTINCT, MULADD, PACKED, SELECT, STOPS, WIDE
from autobatch.machine.looks import again, price
from autobatch.machine.packed import packed
from autobatch.machine.panel_rows import loop_names
from autobatch.machine.panel_text import panel_names
from autobatch.machine.panels import panels
from autobatch.machine.slots import Slots, slots
from autobatch.machine.together import Together, is_product
from autobatch.profiling.probes import UNMARKED, Unmarked
from autobatch.schedule import TOO_DEEP
from codegen import runtime
from codegen.emit.coalescing import candidates
from codegen.emit.module import imports_of, sections
from codegen.emit.nesting import readable
from codegen.emit.spelling import TAKEN
from codegen.ir import Equation, For, Lit, Type, Var
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
        self.homes = self.places_of()
        self.lowering = Lowering(self.slots, self.memory, returns=False, selects=self.packed)
        self.spelling = LaneSpelling()
        self.ends = ByCounter(len(program.blocks))
        self.printer = Statements(self.spelling, self.ends)
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

    def memory(self, var: Var) -> Memory | None:
        """Where a lane's array is; None for one of the caller's, and for a stream, which has a name."""
        return None if var in self.fixed else self.homes.get(self.slots.names.get(var, ""))

    def places_of(self) -> dict[str, Memory]:
        """Slot name of an array -> where it is: in an arena, from a constant on."""
        found: dict[str, Memory] = {}
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
            found[slot] = Memory(Layout.ARENA, arena, constant, var.type)
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
        helpers = self.spelling.helpers(self.program)
        constants = "\n".join(f"{c} = {k}" for c, k in self.places.items())
        classes = [DISTINCT] if self.panels else []
        classes += [PACKED] if self.packed else []
        called = [SELECT] if "select" in self.spelling.intrinsics else []
        called += [MULADD] if "muladd" in self.spelling.intrinsics else []
        called += [helpers]
        called += [ALIGNED] if self.panels or self.aligned else []
        called += [WIDE] if self.panels or self.wide else []
        called += [ATTENDS, STOPS] if self.looked else []
        code = sections((constants, *classes, *panels, function), (*called, self.marks.text()))
        text = f'"""{self.notes}"""\n\n' if self.notes else ""
        text += imports_of(code) + "\n\n" + code
        stacks = tuple((f"{a}_stack", TYPES[a].removeprefix("np.")) for a in self.stacks)
        return LaneModule(
            readable(text, self.program.program.entry.span),
            f"{self.name}_lanes",
            tuple(self.lowering.sites),
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
        used = {home.name for home in self.homes.values()}
        return [a for a in self.sizes if a in used]

    @property
    def stacks(self) -> list[str]:
        """The arenas whose dtypes some pushed variable has."""
        kinds = dict.fromkeys(ARENAS[v.type.dtype] for v in self.where.stacks)
        return [a for a in ARENAS.values() if a in kinds]

    def signature(self) -> str:
        outputs = (o for o, r in zip(self.outputs, self.program.entry.results) if not is_stream(r))
        return ", ".join((*self.inputs, *outputs, *self.marks.given))

    def function(self) -> str:
        """The function over a range of lanes."""
        p, visits = self.printer, self.visits()
        self.looked = bool(self.together.products) or any(v.looks or looks_in(v.region) for v in visits)
        stacks = [f"{a}_stack" for a in self.stacks]
        compiler = ", pipeline_class=Packed" if self.packed else ""
        p.line(f'@njit(cache=True, nogil=True, error_model="numpy"{compiler})')
        p.line(
            f"def {self.name}_lanes({', '.join(('first', 'last', 'limit', 'failed', *stacks, self.signature()))}):"
        )
        p.depth = 1
        if self.together.products:
            self.together.function(visits)
        else:
            self.one_by_one(visits)
        p.written(["raise_waiting(failed)"] if self.looked else [])
        p.line("return last")
        return "\n".join(p.lines)

    def one_by_one(self, visits: Sequence[Visit]) -> None:
        """Each lane from its start to its end, in the same memory."""
        p = self.printer
        p.line('"""Lanes first to last, one after the other; the lane that needs a larger stack, or last."""')
        p.written(["use_wide_registers()"] if self.wide else [])
        for arena in self.arenas:
            made = "aligned" if self.aligned else "np.empty"
            p.line(f"{arena} = {made}({self.sizes[arena]}, {TYPES[arena]})")
        self.looked = self.looked or self.a_lane > SHORT
        p.line("for lane in range(first, last):")
        p.depth += 1
        self.prologue()
        p.line(f"pc = {self.program.entry.entry}")
        p.line(f"while pc != {self.ends.end}:")
        p.depth += 1
        self.dispatch(visits)
        p.depth -= 1
        p.written(["if stopped(failed):", "    break"] if self.looked else [])
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
            self.copy_stream(f"{argument}[lane, k]", before)
        p.line("return lane")
        p.depth -= 1

    def copy_stream(self, word: str, stream: str) -> None:
        """The words of a stream, one by one."""
        self.printer.line(f"for k in range({runtime.STATE_WORDS}):")
        self.printer.line(f"    {word} = {stream}[k]")

    def streams(self) -> list[tuple[str, str]]:
        """For each stream argument a name for what it was, and the argument's."""
        names = [a for a, v in zip(self.inputs, self.shared) if is_stream(v)]
        return [(f"{a}_before", a) for a in names]

    def prologue(self, *, streams: bool = True) -> None:
        """What a lane is given, and the zeros that its registers begin with."""
        p = self.printer
        for (param, is_shared), argument in zip(self.shared.items(), self.inputs, strict=True):
            if is_stream(param) and not streams:
                continue
            if param not in self.fixed and param in self.slots.names:
                self.read_argument(param, argument, is_shared)
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
                p.line(f"{slot} = {len(self.program.blocks) if slot == address else self.zero(var.type)}")

    def read_argument(self, param: Var, argument: str, shared: bool) -> None:
        p = self.printer
        if is_stream(param):
            p.line(f"{self.slots.names[param]} = {argument}[lane]")
        elif not param.type.rank:
            p.line(f"{self.slots.names[param]} = {argument}{'' if shared else '[lane]'}")
        elif self.lowering.is_read(param):
            source = f"{argument}.flat[k]" if shared else f"{argument}[lane, k]"
            p.line(f"for k in range({count(param.type)}):")
            p.line(f"    {element(self.lowering.array(param), 'k')} = {source}")

    def zero(self, type_: Type) -> str:
        plain = {"f8": "0.0", "i8": "0", "b1": "False"}
        return plain.get(type_.dtype) or self.spelling.literal(Lit(0, type_))[0]

    def epilogue(self) -> None:
        p = self.printer
        p.written(self.marks.ended())
        for result, out in zip(self.program.entry.results, self.outputs, strict=True):
            if is_stream(result):
                self.stream_back(result)
            elif not result.type.rank:
                p.line(f"{out}[lane] = {self.slots.names[result]}")
            else:
                p.line(f"for k in range({count(result.type)}):")
                p.line(f"    {out}[lane, k] = {element(self.lowering.array(result), 'k')}")

    def stream_back(self, result: Var) -> None:
        """A stream's last state goes to its row, unless it was there all along."""
        streams = [(p, a) for (p, s), a in zip(self.shared.items(), self.inputs) if is_stream(p)]
        results = [r for r in self.program.entry.results if is_stream(r)]
        param, argument = streams[results.index(result)]
        if self.slots.names.get(param) != self.slots.names.get(result):
            self.copy_stream(f"{argument}[lane, k]", self.slots.names[result])

    def dispatch(self, visits: Sequence[Visit]) -> None:
        """The blocks, as one chain of tests of the program counter."""
        p = self.printer
        for n, visit in enumerate(visits):
            p.line(f"{'if' if n == 0 else 'elif'} pc == {visit.number}:  # {visit.name}")
            p.depth += 1
            p.written(["if stopped(failed):", "    break"] if visit.looks else [])
            p.region(visit.region)
            p.depth -= 1

    # blocks

    def visits(self) -> list[Visit]:
        """What lanes do at each place where they may be."""
        found: list[Visit] = []
        come_again = again(self.program)
        for k, block in enumerate(self.program.blocks):
            waits = k in come_again and self.has_products
            begin = [Look()] if waits else []
            first = Visit(
                k, block.name, (*begin, *probe(self.marks.visit(k, block))), k in come_again and not waits
            )
            found += self.block(k, block, first)
        return found

    @cached_property
    def has_products(self) -> bool:
        return any(is_product(e, self.fixed) for block in self.program.blocks for e in block.equations)

    def block(self, k: int, block: BasicBlock, visit: Visit) -> Iterator[Visit]:
        """A visit of a block, and one more for each product at which it waits."""
        low = self.lowering
        region: list[Stmt] = [*visit.region]
        if popped := self.where.popped(self.program, k):
            region.append(Pop(self.frames(popped)))
        region += low.moves(list(block.arrives))
        for at, equation in enumerate(block.equations):
            if equation in self.panelled and equation not in self.panels:
                continue
            if is_product(equation, self.fixed):
                product = self.together.product(k, block, at, equation)
                yield replace(visit, region=(*region, *self.together.pause_at(product)))
                visit = Visit(product.resumes, f"{block.name}, the product taken", ())
                region = [*probe(self.marks.back(k, block)), *self.together.back(product)]
            elif not low.is_folded(equation):
                region.append(low.step(equation))
        yield replace(visit, region=(*region, *self.terminator(k, block)))

    def terminator(self, k: int, block: BasicBlock) -> Iterator[Stmt]:
        low, names = self.lowering, self.slots.names
        match block.terminator:
            case Jump() as jump:
                yield from self.jump(jump)
            case Branch(test, then, orelse) if then.moves or orelse.moves:
                yield If(low.value(test), tuple(self.jump(then)), tuple(self.jump(orelse)), ends=True)
            case Branch(test, then, orelse):
                yield Next(then.target, low.value(test), orelse.target)
            case Call(name, moves, then, span):
                callee = self.program.functions[name]
                if pushed := self.where.pushes.get(k, ()):
                    yield Push(self.frames(pushed), low.site("RecursionError", TOO_DEEP, span))
                yield from low.moves(list(moves))
                if callee.address in names and callee.address in self.where.registers:
                    yield Assign(low.register(callee.address), Lit(then, callee.address.type))
                yield Next(callee.entry)
            case Return(moves):
                yield from low.moves(list(moves))
                known = self.where.returns.get(k)
                address = self.program.functions[block.function].address
                yield Next(low.register(address) if known is None else known)

    def jump(self, jump: Jump) -> Iterator[Stmt]:
        yield from self.lowering.moves(list(jump.moves))
        yield Next(jump.target)

    def frames(self, pushed: Sequence[Var]) -> tuple[Frame, ...]:
        """What is pushed, or popped, by arena."""
        contents: dict[str, list[Var]] = {}
        for var in pushed:
            contents.setdefault(ARENAS[var.type.dtype], []).append(var)
        return tuple(
            frame(arena, f"{arena}_top", listed, self.lowering) for arena, listed in contents.items()
        )


def frame(arena: str, top: str, listed: Sequence[Var], low: Lowering) -> Frame:
    """Variables of one arena, one after the other."""
    sizes = [count(v.type) for v in listed]
    places = [sum(sizes[:n]) for n in range(len(listed))]
    content = [low.array(v) if v.type.rank else low.register(v) for v in listed]
    return Frame(arena, sum(sizes), top, tuple(zip(content, places, strict=True)))


@dataclass(frozen=True, eq=False)
class Visit:
    """What a lane does at a place; `looks`: whether it looks before if it is to stop."""

    number: int
    name: str
    region: Region
    looks: bool = False


def probe(lines: Sequence[str]) -> list[Stmt]:
    return [Probe(tuple(lines))] if lines else []


def looks_in(region: Region) -> bool:
    return any(isinstance(s, Look) or (isinstance(s, Loop) and s.strip) for s in statements(region))


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
