"""Functions that threads of a GPU run as text: a kernel, and the function that launches it.

    def f_loop(result, x, s):                  @cuda.jit
        for i in range(len(x)):                def f_loop_kernel(result, x, s_parts):
            result[i] = x[i]                       s = 0.0
            s += x[i]                  ->          i = cuda.grid(1)
        return result, s                           while i < len(x):
                                                       result[i] = x[i]
                                                       s += x[i]
                                                       i += cuda.gridsize(1)
                                                   shared = cuda.shared.array(THREADS, np.float64)
                                                   s = block_sum(s, shared)
                                                   if cuda.threadIdx.x == 0:
                                                       s_parts[cuda.blockIdx.x] = s


                                               def f_loop(result, x, s):
                                                   s_parts = cp.zeros(BLOCKS)
                                                   f_loop_kernel[BLOCKS, THREADS](result, x, s_parts)
                                                   with np.errstate(all="ignore"):
                                                       return result, s + np.float64(np.sum(s_parts.get()))

A number that iterations add to begins at 0 in each thread. An iteration that fails notes its number, and what its
message tells; the host raises what the first of them would have raised. One block of threads: block_kernels.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from codegen.emit.coalescing import claim
from codegen.emit.expression_folding import length_form
from codegen.emit.lines import INDENT
from codegen.emit.raising import exactly_used, used_by
from codegen.emit.spelling import number_text, scalar_type
from codegen.emit.statements import Moves, Printer
from codegen.ir import Apply, Atom, Equation, For, Lit, Type, Var, While
from codegen.ir.kinds import Access, Effect
from codegen.ir.substitution import binders, free, sizes
from codegen.ir.traversal import equations
from codegen.loops.independent import counts, reductions
from codegen.source import Span
from codegen.targets.cuda import REDUCERS, Reducer


@dataclass(frozen=True)
class Reduced:
    """A number that a kernel reduces to, from `init`; `parts` is the name of what its blocks leave."""

    by: Reducer
    init: Atom
    parts: str
    type: Type

    @property
    def first(self) -> str:
        """What each thread begins with."""
        value, dtype = self.by.first, self.type.dtype
        if math.isinf(value) and dtype[0] in "iu":
            value = np.iinfo(dtype).min if value < 0 else np.iinfo(dtype).max
        text = number_text(np.dtype(dtype).type(value).item())[0]
        return f"np.uint64({text})" if dtype == "u8" else text  # beside one, an int is a float

    @property
    def warns(self) -> bool:
        """Whether NumPy tells of overflow where it puts them together."""
        return self.type.is_float and not math.isinf(self.by.first)

    @property
    def room(self) -> str:
        """The array of parts, as if nothing had been found."""
        made = {"0": "cp.zeros(BLOCKS", "1": "cp.ones(BLOCKS"}.get(
            f"{self.by.first}", f"cp.full(BLOCKS, {self.first}"
        )
        return f"{made}{dtype_argument(self.type.dtype)})"


def dtype_argument(dtype: str) -> str:
    return f", {scalar_type(dtype)}" if dtype != "f8" else ""


@dataclass(frozen=True)
class RaisingStop:
    """A check or fail, by its number; `told`: the arrays of what its message tells and the host does not know."""

    number: int
    equation: Equation
    op: Apply
    span: Span | None
    told: dict[int, str]


@dataclass(eq=False)
class KernelPrinter(Printer):
    """The text of a function that is one loop for the threads of a grid."""

    taken: set[str] = field(init=False)
    stops: dict[Equation, RaisingStop] = field(init=False, default_factory=dict)
    scratch: dict[str, str] = field(init=False, default_factory=dict)  # memory for reductions, of each dtype
    added: set[str] = field(init=False, default_factory=set)  # arrays that threads add whole numbers to
    # A thread's first iteration, how far apart they are; the number of its block, and whether it is the first there.
    first, step = "cuda.grid(1)", "cuda.gridsize(1)"
    block_number, is_first = "cuda.blockIdx.x", "cuda.threadIdx.x == 0"

    def definition(self, decorator: str | None = None) -> str:
        self.taken = {*self.names.values(), *self.called.values()}
        self.name = self.called[self.function.name]
        self.failed = claim("failed", self.taken)
        for equation in equations(self.function.body):
            if isinstance(equation.op, Apply) and equation.op.primitive.stops:
                self.stops[equation] = self.stop(equation, equation.op)
        self.both()
        return "\n".join(self.out.lines)

    def stop(self, equation: Equation, op: Apply) -> RaisingStop:
        values = self.values(op)
        told = {k: values[k] for k in used_by(op.params["exception"]) if self.on_host(values[k]) is None}
        named = {k: claim(f"{self.word(v)}_told", self.taken) for k, v in told.items()}
        return RaisingStop(len(self.stops), equation, op, equation.span, named)

    def word(self, value: Atom) -> str:
        return self.names.get(value, "value") if isinstance(value, Var) else "value"

    def values(self, op: Apply) -> Sequence[Atom]:
        return op.operands[op.primitive.kind is Effect.CHECK :]

    def on_host(self, value: Atom) -> str | None:
        """How the function that launches the kernel writes a value, if it has it."""
        if isinstance(value, Lit):
            return self.plain(value)
        for param in self.function.params:
            if value is param:
                return self.names[param]
            if value in sizes(param.type):
                axis = param.type.shape.index(value)
                return length_form(self.names[param], axis=axis, rank=param.type.rank)[0]
        return None

    def both(self) -> None:
        """The kernel, and the function that launches it."""
        (equation,) = self.function.body.equations
        assert isinstance(equation.op, For)
        loop = self.loop_of_all = equation.op
        if self.stops:  # which is told at the end of an iteration
            self.names = {**self.names, loop.index: claim("iteration", self.taken)}
        self.reduced: dict[Var, Reduced] = {}
        inits = dict(zip(loop.carried, loop.init))
        for carried, kind in reductions(loop).items():
            parts = claim(f"{self.names[carried]}_parts", self.taken)
            self.reduced[carried] = Reduced(REDUCERS[kind], inits[carried], parts, carried.type)
        self.added = self.counted(loop)
        outside = {i for c, i in inits.items() if c not in self.reduced}
        read = {*free(loop.body), loop.start, loop.stop, *outside}
        parts_of_all = [r.parts for r in self.reduced.values()]
        arguments = self.kernel(read, parts_of_all, lambda: self.shared(loop, inits))
        self.out.lines += ["", ""]
        self.head(f"def {self.name}(", [self.names[p] for p in self.function.params])
        for found in self.reduced.values():
            self.out.line(f"{found.parts} = {found.room}")
        self.launch(self.threads(loop), arguments)
        at = dict(zip(equation.outs, zip(loop.carried, loop.init)))
        results = [at[r] for r in self.function.body.results if isinstance(r, Var)]
        if results:
            totals = [self.total(c) if c in self.reduced else self.plain(i) for c, i in results]
            warns = any(found.warns for found in self.reduced.values())
            if warns:
                self.out.line('with np.errstate(all="ignore"):')
            self.out.depth += warns
            self.out.returned(totals, self.names.values())
            self.out.depth -= warns
        self.out.depth -= 1

    def threads(self, loop: For) -> str:
        """Of a launch, its blocks and the threads of each."""
        return "BLOCKS, THREADS"

    def counted(self, loop: For) -> set[str]:
        """The arrays of whole numbers that iterations of a loop add to at any places."""
        return {self.names[c] for k, c in enumerate(loop.carried) if c.type.rank and counts(loop, k)}

    # the kernel

    def head(self, text: str, items: Sequence[str]) -> None:
        self.out.listed(text, items, "):")
        self.out.depth += 1

    def kernel(self, read: Container[Atom], more: Sequence[str], body: Callable[[], None]) -> list[str]:
        """The kernel, and what it is given: what it reads, arrays for what it finds, and for what fails."""
        given = [p for p in self.function.params if p in read or p.type.rank]
        told = [name for stop in self.stops.values() for name in stop.told.values()]
        arguments = [*(self.names[p] for p in given), *more, *[self.failed][: len(self.stops)], *told]
        self.out.line("@cuda.jit")
        self.head(f"def {self.name}_kernel(", arguments)
        self.sized.update(self.scalars())
        self.sizes(sorted(given, key=lambda p: p.type.rank != 1))
        body()
        self.out.depth -= 1
        return arguments

    def shared(self, loop: For, inits: Mapping[Var, Atom]) -> None:
        """The loop, a grid of threads apart, and what its blocks have found."""
        self.memory(c.type.dtype for c in self.put_together(loop))
        self.begin(inits)
        self.strided(loop, self.first, self.step)
        for carried, found in self.reduced.items():
            self.of_threads(carried, found)
        if self.reduced:
            self.out.line(f"if {self.is_first}:")
            for carried, found in self.reduced.items():
                self.out.line(f"{INDENT}{found.parts}[{self.block_number}] = {self.names[carried]}")

    def put_together(self, loop: For) -> Iterable[Var]:
        """The numbers that threads of a block reduce."""
        return self.reduced

    def of_threads(self, carried: Var, found: Reduced) -> None:
        """What all threads of a block have found."""
        self.of_block(carried, found.by)

    def strided(self, loop: For, first: str, step: str) -> None:
        """The iterations of a loop from a thread's first, so far apart."""
        start = self.plain(loop.start)
        self.counted_on(loop, first if start == "0" else f"{start} + {first}", step)

    def loop(self, equation: Equation, loop: For | While) -> None:
        """A loop that a thread goes through by itself."""
        if not isinstance(loop, For):
            super().loop(equation, loop)
            return
        self.out.span = None
        self.moves(list(zip(loop.carried, loop.init)))
        self.counted_on(loop, self.plain(loop.start), f"{loop.step}")
        self.moves(list(zip(equation.outs, loop.carried)))

    def counted_on(self, loop: For, begin: str, step: str) -> None:
        """The iterations of a loop, from one on, so far apart. (Of a `range` the compiler counts what is left besides,
        by divisions where steps are not known, and does not see that places are not negative: an element of a row took
        48 instructions, of which it needs 13.)"""
        body = list(equations(loop.body))
        made = (*loop.carried, *(v for e in body for v in (*e.outs, *binders(e.op))))
        inside = {self.names[v] for v in made if v in self.names}
        index, stop = self.names[loop.index], self.plain(loop.stop)
        seen = self.used[loop.index] or any(e in self.stops for e in body)
        place = claim("place", self.taken) if index in inside or not seen else index
        known = {n for p in self.function.params for n in sizes(p.type)}
        if stop in inside or loop.stop in self.folded and loop.stop not in known:
            end = claim("end", self.taken)
            self.out.line(f"{end} = {stop}")
            stop = end
        self.out.line(f"{place} = {begin}")
        self.out.line(f"while {place} {'<' if loop.step > 0 else '>'} {stop}:")
        if place != index and seen:
            self.out.line(f"{INDENT}{index} = {place}")
        self.out.depth += 1
        self.sizes(loop.carried)
        self.out.depth -= 1
        self.nested(loop.body, Moves(loop.carried))
        self.out.line(f"{INDENT}{place} += {step}")

    def begin(self, inits: Mapping[Var, Atom]) -> None:
        """What iterations carry, before the first."""
        self.moves([(c, i) for c, i in inits.items() if c not in self.reduced])
        for carried, found in self.reduced.items():
            self.out.line(f"{self.names[carried]} = {found.first}")

    def memory(self, dtypes: Iterable[str]) -> None:
        """What threads of a block reduce in."""
        for dtype in dict.fromkeys(dtypes):
            self.scratch[dtype] = claim("shared", self.taken)
            self.out.line(f"{self.scratch[dtype]} = cuda.shared.array(THREADS, {scalar_type(dtype)})")

    def of_block(self, carried: Var, by: Reducer) -> None:
        """A number reduced over the threads of a block, for all of them."""
        name = self.names[carried]
        self.out.line(f"{name} = {by.in_a_block}({name}, {self.scratch[carried.type.dtype]})")

    def put(self, out: Var, op: Apply) -> None:
        """Threads add to whole numbers in one step, wherever these are."""
        if op.primitive.kind is not Access.ADD or self.names[out] not in self.added:
            super().put(out, op)
            return
        _, value, *places = op.operands
        where = [self.plain(p) for p in places]
        place = where[0] if len(where) == 1 else f"({', '.join(where)})"
        self.out.line(f"cuda.atomic.add({self.names[out]}, {place}, {self.plain(value)})")

    def apply(self, equation: Equation, op: Apply) -> None:
        if not op.primitive.stops:
            super().apply(equation, op)
        elif op.primitive.kind is Effect.CHECK:
            self.out.line(f"if {self.failing(op.operands[0])}:")
            self.out.depth += 1
            self.give_up(self.stops[equation])
            self.out.depth -= 1
        else:
            self.give_up(self.stops[equation])

    def give_up(self, stop: RaisingStop) -> None:
        """Note that an iteration has failed, by which check, and of what; the thread's next ones come later."""
        index, many = self.names[self.loop_of_all.index], len(self.stops)
        number = index if many == 1 else f"{many} * {index}"
        more = f" + {stop.number}" if stop.number else ""
        self.out.line(f"cuda.atomic.min({self.failed}, 0, {number}{more})")
        for k, name in stop.told.items():
            self.out.line(f"{name}[{index} % len({name})] = {self.plain(self.values(stop.op)[k])}")
        self.out.line(self.leave())

    def leave(self) -> str:
        return "return"

    # what launches it

    def launch(self, shape: str, arguments: Sequence[str]) -> None:
        """The launch, and what is raised where something has failed."""
        if self.stops:
            self.out.line(f"{self.failed} = cp.full(1, NOWHERE)")
        for stop in self.stops.values():
            for k, name in stop.told.items():
                dtype = dtype_argument(self.values(stop.op)[k].type.dtype)
                self.out.line(f"{name} = cp.empty({self.room_to_tell(stop)}{dtype})")
        self.out.listed(f"{self.name}_kernel[{shape}](", arguments, ")")
        if self.stops:
            self.raised_after()

    def room_to_tell(self, stop: RaisingStop) -> str:
        """How many threads may fail there."""
        return "BLOCKS * THREADS"

    def raised_after(self) -> None:
        at, many = claim("at", self.taken), len(self.stops)
        self.out.line(f"{at} = {self.failed}.item()")
        self.out.line(f"if {at} != NOWHERE:")
        self.out.depth += 1
        for stop in self.stops.values():
            last = stop.number == many - 1
            if not last:
                self.out.line(f"if {self.which(at)} == {stop.number}:")
                self.out.depth += 1
            texts = [self.told(stop, k, value, at) for k, value in enumerate(self.values(stop.op))]
            self.out.span = stop.span
            self.out.line(self.raising.statement(stop.op, texts, self.values(stop.op)))
            self.out.span = None
            self.out.depth -= not last
        self.out.depth -= 1

    def which(self, at: str) -> str:
        """The number of the check that failed."""
        return f"{at} % {len(self.stops)}"

    def told(self, stop: RaisingStop, k: int, value: Atom, at: str) -> str:
        """A value of a message."""
        if k not in stop.told:
            return self.on_host(value) or ""
        text, dtype = f"{stop.told[k]}[{self.teller(stop, k, at)}].item()", value.type.dtype
        shows = dtype not in ("f8", "i8", "b1") or k in exactly_used(stop.op.params["exception"])
        return f"{scalar_type(dtype)}({text})" if shows else text

    def teller(self, stop: RaisingStop, k: int, at: str) -> str:
        iteration = at if len(self.stops) == 1 else f"{at} // {len(self.stops)}"
        return f"{iteration} % len({stop.told[k]})"

    def total(self, carried: Var) -> str:
        """What was there before, and what the blocks have found."""
        found, dtype = self.reduced[carried], carried.type.dtype
        text = f"{scalar_type(dtype)}({found.by.of_blocks}({found.parts}.get()))"  # CuPy takes 40 us for it
        if isinstance(found.init, Lit) and found.init.value == found.by.first:
            return text
        before = self.plain(found.init)
        match found.by.first:
            case 0:
                return f"{before} + {text}" if dtype != "b1" else f"{before} or {text}"
            case 1:
                return f"{before} * {text}" if dtype != "b1" else f"{before} and {text}"
        return f"np.{'maximum' if found.by.first < 0 else 'minimum'}({before}, {text})"
