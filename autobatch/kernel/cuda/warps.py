"""A kernel of one warp a lane, where lanes wait for products: WarpKernel, in WaitingKernel's place.

    while pc != 1:
        cuda.syncwarp()
        if pc == 0:
            t = 0.0
            i = thread                                      a loop whose rounds its 32 threads share
            while i < 100:
                x_i = F[X + i, lane]
                F[Y + i, lane] = x_i * x_i
                t += x_i
                i += 32
            distance = 16
            while distance > 0:                             the same sum in all of them
                t += cuda.shfl_xor_sync(0xFFFFFFFF, t, distance)
                distance //= 2
            if t > 0.0:                                     all go one way
                cuda.syncwarp()
                t = F[Y + 7, lane]                          which another thread has written
                if thread == 9:
                    F[Y + 9, lane] = t

All threads of a lane do the same with the same numbers, draws too, but where there are elements to share: those of
arrays that are copied, filled, given and returned, and rounds that do not look at each other's results
(warp_loops.py). One thread alone writes an element elsewhere. Where one may see what another does, they meet before
(touched.py); at the beginning of each visit anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from autobatch.kernel import ir
from autobatch.kernel.cuda.dialect import WARP_THREADS
from autobatch.kernel.cuda.touched import (
    Touched,
    must_meet,
    of_rounds,
    of_statement,
    of_target,
    of_value,
    reads_of,
)
from autobatch.kernel.cuda.waiting import WaitingKernel
from autobatch.kernel.cuda.warp_loops import UNCHANGED
from autobatch.kernel.ir import Address, Region, Register, Stmt
from autobatch.kernel.lane_visits import Visit
from autobatch.kernel.memory.arenas import element_count, is_stream
from autobatch.kernel.numba.addresses import element_text, linear_index
from autobatch.kernel.parts import I8, REDUCED, operation
from autobatch.kernel.walk import nodes
from codegen.ir import Lit, Type, Var
from codegen.ir.kinds import Arithmetic, Logic

OF_ELEMENTS = ir.Copy | ir.Fill | ir.MatrixVector | ir.Push | ir.Pop
STORES = ir.Store | ir.Accumulate


class WarpKernel(WaitingKernel):
    """`touched`: what threads have touched since they met. `shares`: whether they share the elements of the loop that
    is written next; `inside`: whether what is written is a round that one of them does."""

    width = WARP_THREADS
    lanes = "A warp"
    touched: Touched = frozenset()
    shares = inside = False

    def begin_lane(self) -> None:
        self.line(f"thread = {self.dialect.lane()}")
        self.line(f"lane, thread = thread // {WARP_THREADS}, thread % {WARP_THREADS}")

    def chain(self, visits: Sequence[Visit]) -> None:
        self.meet()
        super().chain(visits)

    def visit(self, visit: Visit) -> None:
        self.touched = frozenset()
        super().visit(visit)

    def read_argument(self, param: Var, argument: str, shared: bool) -> None:
        with self.shared(param.type.rank > 0 and not is_stream(param)):
            super().read_argument(param, argument, shared)

    def counted_stop(self) -> None:
        with self.block("if thread == 0:"):
            super().counted_stop()

    def epilogue(self) -> None:
        self.meet()
        with self.shared():
            super().epilogue()

    def copy_stream(self, to: str, source: str) -> None:
        """Each thread has a stream's words."""
        with self.shared(False):
            super().copy_stream(to, source)

    # meetings

    def meet(self) -> None:
        self.written(self.dialect.together())
        self.touched = frozenset()

    def touch(self, now: Touched) -> None:
        if must_meet(self.touched, now):
            self.meet()
        self.touched |= now

    def body(self, region: Region) -> None:
        """After an arm there is what was before, too: it may not have been run."""
        before = self.touched
        super().body(region)
        self.touched |= before

    # statements

    def statement(self, stmt: Stmt) -> None:
        if self.inside or isinstance(stmt, ir.Step):
            super().statement(stmt)
        elif isinstance(stmt, STORES):
            self.store(stmt)
        elif isinstance(stmt, ir.If):
            self.touch(reads_of(tuple(tests(stmt))))
            super().statement(stmt)
        elif isinstance(stmt, ir.Loop) and stmt.reduced is not None:
            self.touch(of_rounds(stmt))
            self.rounds(stmt, stmt.reduced)
        elif isinstance(stmt, ir.Loop | ir.While):
            self.touch(reads_of((stmt.start, stmt.stop) if isinstance(stmt, ir.Loop) else stmt.test))
            before = self.touched = self.touched | of_statement(stmt)  # the round before
            super().statement(stmt)
            self.touched |= before
        elif isinstance(stmt, ir.DrawArray):
            self.touch(of_statement(stmt))
            self.draw_elements(stmt)
        else:
            self.touch(of_statement(stmt))
            with self.shared(isinstance(stmt, OF_ELEMENTS)):
                super().statement(stmt)

    def store(self, stmt: ir.Store | ir.Accumulate) -> None:
        """An element is written by the thread whose own it is. What is drawn, all draw."""
        if is_drawn(stmt):
            self.touch(of_value(stmt))
            stmt = self.drawn(stmt)
        self.touch(of_value(stmt) | of_target(stmt))
        if not stmt.address.places:
            super().statement(stmt)
            return
        with self.block(f"if {is_owner(stmt.address.places, self.index(stmt.address))}:"):
            super().statement(stmt)

    def index(self, address: Address) -> str:
        return linear_index(address.memory.type, list(map(self.values.text, address.places)))

    def drawn(self, stmt: ir.Store | ir.Accumulate) -> ir.Store | ir.Accumulate:
        """The same, of numbers that all threads have."""
        memory, value = stmt.address.memory, Register("drawn", stmt.value.type)
        self.line(f"{value.name} = {self.plain(stmt.value)}")
        if not is_drawn(stmt.address):
            return replace(stmt, value=value)
        self.line(f"place = {self.index(stmt.address)}")
        flat = replace(memory, type=Type(memory.type.dtype, (element_count(memory.type),)))
        return replace(stmt, address=Address(flat, (Register("place", I8),)), value=value)

    def draw_elements(self, stmt: ir.DrawArray) -> None:
        given = list(map(self.plain, stmt.operands[: stmt.op.primitive.first_size]))
        with self.counted("k", element_count(stmt.out.type)):
            self.line(f"drawn = {self.values.draw(stmt.op, given)[0]}")
            self.written(
                [f"if {is_owner([Register('k', I8)], 'k')}:", f"    {element_text(stmt.out, 'k')} = drawn"]
            )

    def while_(self, loop: ir.While) -> None:
        """Where a test reads what a round may write, they meet before."""
        if not reads_of(loop.test):
            super().while_(loop)
            return
        self.loops += 1
        with self.block("while True:"):
            self.region(loop.head)
            self.touch(reads_of(loop.test))
            self.written([f"if {self.values.denied(loop.test)}:", "    break"])
            self.body(loop.body)
        self.loops -= 1

    # what threads share

    @contextmanager
    def shared(self, shares: bool = True) -> Iterator[None]:
        before, self.shares = self.shares, shares
        yield
        self.shares = before

    @contextmanager
    def counted(self, index: str, stop: int, start: int | str = 0, step: int = 1) -> Iterator[None]:
        """A thread has the numbers that are its own (touched.py)."""
        if not self.shares:
            with super().counted(index, stop, start, step):
                yield
            return
        self.line(f"{index} = {f'{start} + (thread - {start}) % {WARP_THREADS}' if start else 'thread'}")
        with self.block(f"while {index} < {stop}:"), self.shared(False):
            yield
            self.line(f"{index} += {WARP_THREADS}")

    def rounds(self, loop: ir.Loop, reduced: Sequence[ir.Reduced]) -> None:
        """Rounds that threads share, and what they come to."""
        assert isinstance(loop.start, Lit) and isinstance(loop.stop, Lit)
        for register, kind, fresh in reduced:
            if not fresh:
                first = self.plain(Lit(UNCHANGED[kind], register.type))
                self.line(f"{register.name} = {register.name} if thread == 0 else {first}")
        with self.shared(), self.counted(loop.index.name, loop.stop.value, loop.start.value):
            self.inside = True
            self.body(loop.body)
            self.inside = False
        self.together([(register, kind) for register, kind, _ in reduced])

    def together(self, reduced: Sequence[tuple[Register, Arithmetic | Logic]]) -> None:
        """What the threads have each, as one number in all of them."""
        numbers = [(r, kind) for r, kind in reduced if isinstance(kind, Arithmetic)]
        if numbers:
            self.line(f"distance = {WARP_THREADS // 2}")
            with self.block("while distance > 0:"):
                for register, kind in numbers:
                    other = Register(self.dialect.exchanged(register.name, "distance"), register.type)
                    value = operation(REDUCED[kind][0], register.type, register, other)
                    self.assign(ir.Assign(register, value))
                self.line("distance //= 2")
        for register, by in reduced:
            name = register.name
            if by is Logic.OR:
                self.line(f"{name} = {self.dialect.any(name)}")
            elif by is Logic.AND:
                self.line(f"{name} = not {self.dialect.any(f'not {name}')}")
            elif by not in UNCHANGED:  # of two zeros each thread may have another
                self.line(f"{name} = {self.dialect.of_first(name)}")


def is_drawn(part: Stmt | Address) -> bool:
    return any(isinstance(n, ir.Operation) and n.op.primitive.family == "random" for n in nodes(part))


def tests(stmt: ir.If) -> Iterator[ir.Value]:
    """Of a chain of branches, which are all made before the first arm."""
    yield stmt.test
    if len(stmt.orelse) == 1 and isinstance(stmt.orelse[0], ir.If):
        yield from tests(stmt.orelse[0])


def is_owner(places: Sequence[ir.Value], index: str) -> str:
    """Whether an element is the thread's own: at these places, `index` in order."""
    match places:
        case [Lit(value)]:
            return f"thread == {value % WARP_THREADS}"
        case [Register()]:
            return f"thread == {index} % {WARP_THREADS}"
        case _:
            return f"thread == ({index}) % {WARP_THREADS}"
