"""Statements of one lane: the printer of codegen with a lane's arrays in arenas, and failures that end the lane."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import prod

from autobatch.cfg.graph import BlockProgram
from autobatch.machine.looks import STOPPED, STRIP, in_strips, is_endless, may_look
from autobatch.machine.slots import Slots
from codegen import runtime
from codegen.emit.expression_folding import leaves
from codegen.emit.spelling import ATOM, BINARY, UNARY, Text, enclose
from codegen.emit.statements import Moves, Printer
from codegen.ir import Apply, Block, Equation, For, Function, Lit, Type, Var, While, program
from codegen.ir.exceptions import Thrown
from codegen.ir.substitution import blocks
from codegen.source import Span
from codegen.targets.numba_cpu import NUMBA, NumbaSpelling

EXPONENTIAL = ("exp", "log", "log1p", "expm1", "tanh", "expit", "log_expit", "logaddexp")
FAST = (*EXPONENTIAL, "sin", "cos", "pow", "erf", "erfc", "gammaln")
PREFIXES = {"f8": "fast", "f4": "single"}
FAST_NAMES = tuple(f"{prefix}_{name}" for prefix in PREFIXES.values() for name in FAST)
LONG = 64  # terms of a sum or an extreme that may be taken in any order
STEPS = {
    "add": "plus",
    "sub": "plus",
    "maximum": "highest",
    "minimum": "lowest",
}  # how one more is then taken in


class LaneSpelling(NumbaSpelling):
    """Elementary functions as text that LLVM inlines, so that loops over a lane's arrays vectorise."""

    def __init__(self) -> None:
        self.wanted: dict[str, None] = {}

    def apply(self, op: Apply, args: Sequence[Text], out: Type) -> Text:
        name = op.primitive.name
        if name == "muladd":
            return f"muladd({', '.join(a for a, _ in args)})", ATOM
        if name not in FAST or out.dtype not in PREFIXES or out.rank or is_product(op):
            return super().apply(op, args, out)
        function = f"{PREFIXES[out.dtype]}_{name}"
        self.wanted[function] = None
        given = [self.met(o, a, out.dtype) for o, a in zip(op.operands, args, strict=True)]
        return f"{function}({', '.join(a for a, _ in given)})", ATOM


def is_product(op: Apply) -> bool:
    """A power that is a few multiplications."""
    power = op.operands[-1]
    return op.primitive.name == "pow" and isinstance(power, Lit) and power.value in (0, 1, 2, 3, 4)


ARENAS = {"f8": "F", "i8": "I", "b1": "B", "f4": "F4"}
ARENAS |= {"i4": "I4", "i2": "I2", "i1": "I1", "u8": "U8", "u4": "U4", "u2": "U2", "u1": "U1"}

TYPES = {"F": "np.float64", "I": "np.int64", "B": "np.bool_", "F4": "np.float32"}
TYPES |= {"I4": "np.int32", "I2": "np.int16", "I1": "np.int8"}
TYPES |= {"U8": "np.uint64", "U4": "np.uint32", "U2": "np.uint16", "U1": "np.uint8"}


@dataclass(frozen=True)
class Site:
    """A place where a lane can fail: the exception's name, its message, the user's line."""

    exception: str
    message: str
    span: Span | None


class LanePrinter(Printer):
    """`places`: slot name of an array -> (arena, constant, type); `fixed`: arrays printed by their own names."""

    def __init__(
        self, slots: Slots, places: Mapping[str, tuple[str, str, Type]], fixed: Collection[Var], *, end: int
    ):
        super().__init__(NUMBA, {}, slots.folded, slots.names)
        self.spelling: LaneSpelling = LaneSpelling()
        self.sums: set[str] = set()
        self.used = slots.used
        self.places = places
        self.fixed = set(fixed)
        self.end = end
        self.loops = 0
        self.looks = True  # whether loops look if they are to stop
        self.looked = False  # and some did
        self.sites: list[Site] = []
        self.span: Span | None = None

    def target_helpers(self, whole: BlockProgram) -> str:
        """The text of the functions that the blocks call."""
        equations = tuple(e for block in whole.blocks for e in block.equations)
        shell = Function("main", (), Block(equations, ()))
        wanted = [*NUMBA.wanted(program({"main": shell}, "main")), *self.spelling.wanted]
        return runtime.text(wanted).strip("\n") if wanted else ""

    # places in arenas

    def placed(self, var: Var) -> tuple[str, str, Type] | None:
        return None if var in self.fixed else self.places.get(self.names.get(var, ""))

    def at(self, var: Var, index: str) -> str:
        """Element `index` (in order) of a lane's array."""
        place = self.placed(var)
        assert place is not None
        return f"{place[0]}[{place[1]} + {index}]"

    def offset(self, type_: Type, places: Sequence[Text]) -> str:
        """The number in order of the element at these places."""
        if len(places) == 1:
            return enclose(places[0], BINARY["+"])
        terms = []
        for axis, text in enumerate(places):
            stride = prod(n for n in type_.shape[axis + 1 :] if isinstance(n, int))
            terms.append(enclose(text, BINARY["+"]) if stride == 1 else f"{stride} * {enclose(text, UNARY)}")
        return " + ".join(terms)

    def expression(self, equation: Equation) -> Text:
        op = equation.op
        if isinstance(op, Apply) and op.primitive.name == "index":
            array = op.operands[0]
            assert isinstance(array, Var)
            if self.placed(array) is not None:
                return self.slot(array, op), ATOM
        return super().expression(equation)

    def slot(self, array: Var, op: Apply) -> str:
        """The element of a lane's array that an index, update or accumulate is about."""
        return self.at(array, self.offset(array.type, self.wrapped(op, array.type)))

    def wrapped(self, op: Apply, type_: Type) -> list[Text]:
        """The places of an index; a literal that counts from the end is counted from the start."""
        first = 2 if op.primitive.name in ("update", "accumulate") else 1
        found: list[Text] = []
        for n, atom in zip(type_.shape, op.operands[first:], strict=False):
            if isinstance(atom, Lit) and atom.value < 0 and isinstance(n, int):
                found.append((str(atom.value + n), ATOM))
            else:
                found.append(self.text(atom))
        return found

    # statements

    def written(self, lines: Sequence[str]) -> None:
        """Lines as they are."""
        for line in lines:
            self.line(line)

    def statement(self, equation: Equation) -> None:
        self.span = equation.span or self.span
        super().statement(equation)

    def leave(self, number: int) -> None:
        """The lane stops here, for the reason with this number."""
        self.line(f"failed[lane] = {number}")
        self.stop()

    def leave_if(self, test: str, number: int) -> None:
        """The lane stops here if the test holds."""
        self.line(f"if {test}:")
        self.depth += 1
        self.leave(number)
        self.depth -= 1

    def stop(self) -> None:
        """Out of the loop that is printed, which `left` follows, or else to the lane's end."""
        if self.loops:
            self.line("break")
        else:
            self.line(f"pc = {self.end}")
            self.line("continue")

    def left(self, op: For | While) -> None:
        """After a loop in which the lane may have stopped."""
        looks = self.looks and (is_endless(op) or any(may_look(block) for block in blocks(op)))
        if looks or any(may_stop(block) for block in blocks(op)):
            self.line("if failed[lane] != 0:")
            self.depth += 1
            self.stop()
            self.depth -= 1

    # looks

    def look(self) -> None:
        """The lane looks whether it is to stop."""
        self.looked = True
        self.leave_if("stopped(failed)", STOPPED)

    def begins(self, loop: For | While) -> None:
        if self.looks and is_endless(loop) and not (isinstance(loop, For) and in_strips(loop)):
            self.look()

    def while_(self, equation: Equation, loop: While) -> None:
        self.loops += 1
        super().while_(equation, loop)
        self.loops -= 1
        self.left(loop)

    def site(self, exception: str, message: str, span: Span | None) -> int:
        """The number of a place where a lane can fail."""
        wanted = Site(exception, message, span)
        if wanted not in self.sites:
            self.sites.append(wanted)
        return self.sites.index(wanted) + 1

    def apply(self, equation: Equation, op: Apply) -> None:
        name = op.primitive.name
        if name in ("check", "fail"):
            thrown: Thrown = op.params["exception"]
            number = self.site(thrown.name, thrown.message, equation.span or self.span)
            if name == "check":
                self.leave_if(self.denied(op.operands[0]), number)
            else:
                self.leave(number)
            return
        if name == "empty" or (name == "copy" and equation.outs[0].type.rank):
            if name == "copy":
                self.moves([(equation.outs[0], op.operands[0])])
            return
        if name == "full" and equation.outs[0].type.rank:
            if self.wanted(equation.outs[0]):
                self.line(f"for k in range({count(equation.outs[0].type)}):")
                self.line(f"    {self.at(equation.outs[0], 'k')} = {self.plain(op.operands[0])}")
            return
        super().apply(equation, op)

    def pure(self, equation: Equation, op: Apply) -> None:
        out = equation.outs[0]
        if op.primitive.name == "index" and self.wanted(out):
            self.assign(out, self.expression(equation)[0])
            return
        if op.primitive.name == "matmul" and self.wanted(out):
            self.product(equation, op)
            return
        if out.type.rank and self.wanted(out):
            raise AssertionError(f"{op.primitive.name} of arrays is left in a lane's program")
        super().pure(equation, op)

    def product(self, equation: Equation, op: Apply) -> None:
        """A matrix times a vector (or the other way round) of one lane's own, row by row of the matrix."""
        out = equation.outs[0]
        x, y = op.operands
        assert isinstance(x, Var) and isinstance(y, Var)
        matrix, vector = (x, y) if x.type.rank == 2 else (y, x)
        rows, columns = (str(n) for n in matrix.type.shape)
        cell = self.cell(matrix, f"k * {columns} + j", "k, j")
        self.spelling.wanted["plus"] = None
        if matrix is x:
            self.line(f"for k in range({rows}):")
            self.line(f"    {self.at(out, 'k')} = 0.0")
            self.line(f"    for j in range({columns}):")
            total, term = self.at(out, "k"), f"{cell} * {self.cell(vector, 'j', 'j')}"
            long = int(columns) > LONG
            self.line(f"        {total} = plus({total}, {term})" if long else f"        {total} += {term}")
            return
        self.line(f"for j in range({columns}):")
        self.line(f"    {self.at(out, 'j')} = 0.0")
        self.line(f"for k in range({rows}):")
        self.line(f"    for j in range({columns}):")
        self.line(f"        {self.at(out, 'j')} += {self.cell(vector, 'k', 'k')} * {cell}")

    def cell(self, array: Var, flat: str, places: str) -> str:
        """An element, by its number in order in an arena, by its places in an array of its own."""
        return self.at(array, flat) if self.placed(array) is not None else f"{self.names[array]}[{places}]"

    def write(self, equation: Equation, op: Apply) -> None:
        out = equation.outs[0]
        if not self.wanted(out):
            return
        array, value = op.operands[:2]
        self.moves([(out, array)])
        slot = self.slot(out, op)
        if op.primitive.name == "update":
            self.line(f"{slot} = {self.plain(value)}")
            return
        sign, added = self.signed(value)
        self.line(f"{slot} {sign}= {added}")

    def draw(self, equation: Equation, op: Apply) -> None:
        value = equation.outs[1]
        if not value.type.rank:
            super().draw(equation, op)
            return
        self.moves([(equation.outs[0], op.operands[0])] if self.wanted(equation.outs[0]) else [])
        place = self.placed(value)
        assert place is not None
        arena, constant, _ = place
        name = op.primitive.name.removeprefix("draw_")
        given = [self.plain(o) for o in op.operands[1 : 3 if name == "integers" else 1]]
        part = f"{arena}[{constant} : {constant} + {count(value.type)}]"
        self.line(f"fill_{name}({', '.join((self.plain(op.operands[0]), part, *given))})")

    # sums and extremes over arrays

    def for_(self, equation: Equation, loop: For) -> None:
        """In a long loop over an array's elements the terms of its sums and extremes may be taken in any order."""
        before = self.sums
        if loop.kind == "parallel" and is_long(loop):
            self.sums = before | {
                self.names[p] for p in loop.carried if not p.type.rank and p.type.dtype == "f8"
            }
        self.loops += 1
        if self.looks and in_strips(loop):
            self.strips(equation, loop)
        else:
            super().for_(equation, loop)
        self.loops -= 1
        self.sums = before
        self.left(loop)

    def strips(self, equation: Equation, loop: For) -> None:
        """A long loop by parts, between which the lane looks whether it is to stop."""
        self.moves(list(zip(loop.carried, loop.init)))
        start, stop = self.plain(loop.start), self.plain(loop.stop)
        index = self.names[loop.index] if self.used[loop.index] else self.nobody
        self.line(f"for strip in range({start}, {stop}, {STRIP}):")
        self.depth += 1
        self.look()
        self.line(f"for {index} in range(strip, min(strip + {STRIP}, {stop})):")
        self.body(loop, Moves(loop.carried))
        if may_stop(loop.body):
            self.line("if failed[lane] != 0:")
            self.line("    break")
        self.depth -= 1
        self.moves(list(zip(equation.outs, loop.carried)))

    def augmented(self, out: Var, op: Apply, args: Sequence[Text], value: Text) -> str | None:
        name, step = self.names[out], STEPS.get(op.primitive.name)
        if step is None or name not in self.sums or args[0] != (name, ATOM):
            return super().augmented(out, op, args, value)
        self.spelling.wanted[step] = None
        term = f"-{enclose(args[1], BINARY['**'])}" if op.primitive.name == "sub" else args[1][0]
        return f"{name} = {step}({name}, {term})"

    # moves: scalars by assignment, arrays element by element

    def moves(self, pairs: Sequence[tuple[Var, Lit | Var]]) -> None:
        scalars = [(o, v) for o, v in pairs if not o.type.rank and o.type.dtype != "rng"]
        arrays = [(o, v) for o, v in pairs if o.type.rank and self.wanted(o) and not self.same_slot(o, v)]
        streams = [(o, v) for o, v in pairs if o.type.dtype == "rng" and not self.same_slot(o, v)]
        over = {self.names[o] for o, _ in arrays}
        if any(self.names.get(v) in over for _, a in scalars for v in leaves(a, self.folded)):
            super().moves(scalars)  # of elements that are moved over
            scalars = []
        self.array_moves(arrays)
        for out, value in streams:
            self.copy_stream(f"{self.names[out]}[k]", self.plain(value))
        super().moves(scalars)

    def copy_stream(self, word: str, value: str) -> None:
        """A stream's words, one by one: what Numba says of slices that differ in length takes 2 s to compile."""
        self.line(f"for k in range({runtime.STATE_WORDS}):")
        self.line(f"    {word} = {value}[k]")

    def same_slot(self, out: Var, value: Lit | Var) -> bool:
        return isinstance(value, Var) and self.names.get(out) == self.names.get(value)

    def array_moves(self, pairs: Sequence[tuple[Var, Lit | Var]]) -> None:
        """Arrays of one size are moved in one loop, all read before any is written."""
        self.copies([(count(o.type), self.at(o, "k"), self.element(v)) for o, v in pairs])

    def copies(self, arrays: Sequence[tuple[int, str, str]]) -> None:
        """The same of arrays of these sizes, element k of each to and from these places."""
        for size in dict.fromkeys(n for n, _, _ in arrays):
            targets, sources = zip(*((to, source) for n, to, source in arrays if n == size), strict=True)
            self.line(f"for k in range({size}):")
            self.copy(targets, sources)

    def copy(self, targets: Sequence[str], sources: Sequence[str]) -> None:
        """One element each, in a loop."""
        self.line(f"    {', '.join(targets)} = {', '.join(sources)}")

    def element(self, value: Lit | Var) -> str:
        """Element k, in order, of a lane's or a shared array."""
        assert isinstance(value, Var)
        if self.placed(value) is not None:
            return self.at(value, "k")
        if value.type.rank == 1:
            return f"{self.names[value]}[k]"
        return f"{self.names[value]}.flat[k]"

    # arguments, results and the stack

    def read_argument(self, param: Var, argument: str, shared: bool) -> None:
        if param.type.dtype == "rng":
            self.line(f"{self.names[param]} = {argument}[lane]")
        elif not param.type.rank:
            self.line(f"{self.names[param]} = {argument}{'' if shared else '[lane]'}")
        elif self.wanted(param):
            source = f"{argument}.flat[k]" if shared else f"{argument}[lane, k]"
            self.line(f"for k in range({count(param.type)}):")
            self.line(f"    {self.at(param, 'k')} = {source}")

    def write_result(self, result: Var, out: str) -> None:
        if not result.type.rank:
            self.line(f"{out}[lane] = {self.names[result]}")
            return
        self.line(f"for k in range({count(result.type)}):")
        self.line(f"    {out}[lane, k] = {self.element(result)}")

    def save(self, var: Var, stack: str, top: str, at: int) -> None:
        place = top if at == 0 else f"{top} + {at}"
        if not var.type.rank:
            self.line(f"{stack}[{place}] = {self.names[var]}")
            return
        self.line(f"for k in range({count(var.type)}):")
        self.line(f"    {stack}[{place} + k] = {self.at(var, 'k')}")

    def restore(self, var: Var, stack: str, top: str, at: int) -> None:
        place = top if at == 0 else f"{top} + {at}"
        if not var.type.rank:
            self.line(f"{self.names[var]} = {stack}[{place}]")
            return
        self.line(f"for k in range({count(var.type)}):")
        self.line(f"    {self.at(var, 'k')} = {stack}[{place} + k]")

    def zero(self, type_: Type) -> str:
        return {"f8": "0.0", "i8": "0", "b1": "False"}.get(
            type_.dtype
        ) or f"{self.spelling.literal(Lit(0, type_))[0]}"


def is_long(loop: For) -> bool:
    """Whether a loop's sums are long enough that their terms are worth taking side by side."""
    start, stop = loop.start, loop.stop
    if not isinstance(start, Lit) or not isinstance(stop, Lit):
        return True
    return len(range(start.value, stop.value, loop.step)) > LONG


def may_stop(block: Block) -> bool:
    """Whether a check or fail stands in a block, at any depth."""
    return any(
        (isinstance(e.op, Apply) and e.op.primitive.effect) or any(may_stop(b) for b in blocks(e.op))
        for e in block.equations
    )


def count(type_: Type) -> int:
    return prod(n for n in type_.shape if isinstance(n, int))


def stream(var: Var) -> bool:
    return var.type.dtype == "rng"
