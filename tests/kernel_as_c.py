"""The visits of a lane that runs by itself as one sequential function in C: as_c : LaneMemory, visits -> text.

A second printer of the kernel language: what a target must spell, and nothing else. Streams, stacks and products with
shared matrices have no spelling here.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from autobatch.kernel.ir import (
    Accumulate,
    Address,
    Assign,
    Check,
    Copy,
    Element,
    Fail,
    Fill,
    If,
    Layout,
    LeaveIfFailed,
    Look,
    Loop,
    Memory,
    Move,
    Next,
    Operation,
    Quotient,
    Region,
    Register,
    Select,
    Step,
    Stmt,
    Store,
    Value,
    While,
)
from autobatch.kernel.lane_visits import Visit
from autobatch.kernel.memory.arenas import element_count
from autobatch.kernel.memory.lane import LaneMemory
from autobatch.kernel.walk import outs, statements, values_read
from codegen.ir import Lit
from codegen.ir.kinds import Arithmetic, Choice, Logic

TYPES = {"f8": "double", "i8": "int64_t", "b1": "bool"}
CALLS = {"math.exp": "exp", "math.sin": "sin", "math.cos": "cos", "math.sqrt": "sqrt", "abs": "fabs"}
SPELLED = {
    Arithmetic.MULADD: "fma({0}, {1}, {2})",
    Arithmetic.NEG: "(-{0})",
    Arithmetic.FLOORDIV: "floor_div({0}, {1})",
    Arithmetic.MOD: "floor_mod({0}, {1})",
    Choice.SELECT: "({0} ? {1} : {2})",
    Logic.AND: "({0} && {1})",
    Logic.OR: "({0} || {1})",
    Logic.NOT: "(!{0})",
}
HEAD = """#include <math.h>
#include <stdbool.h>
#include <stdint.h>
static int64_t floor_div(int64_t x, int64_t y) { return x / y - (x % y != 0 && (x < 0) != (y < 0)); }
static int64_t floor_mod(int64_t x, int64_t y) { return x - y * floor_div(x, y); }
"""


def as_c(memory: LaneMemory, visits: Sequence[Visit]) -> str:
    """A function of the entry's numbers, the arenas and places for results that are numbers; it gives what failed."""
    entry, low = memory.program.entry, memory.lowering
    numbers = [low.register(p) for p in entry.params if not p.type.rank and p in low.names]
    results = [low.register(r) for r in entry.results if not r.type.rank]
    given = [f"{TYPES[r.type.dtype]} {r.name}" for r in numbers]
    given += ["double *F", "int64_t *I", *(f"{TYPES[r.type.dtype]} *out_{k}" for k, r in enumerate(results))]
    local = {r.name: r for v in visits for r in assigned(v.region)} | {r.name: r for r in results}
    text = Text()
    text.line(f"int64_t {memory.name}({', '.join(given)}) {{")
    for name, register in local.items():
        if name not in {r.name for r in numbers}:
            text.line(f"{TYPES[register.type.dtype]} {name} = 0;")
    text.line(f"int64_t failed = 0, pc = {entry.entry};")
    text.line(f"while (pc != {len(memory.program.blocks)}) {{")
    for n, visit in enumerate(visits):
        text.block(f"{'else ' * bool(n)}if (pc == {visit.number}) /* {visit.name} */", visit.region)
    text.line("}")
    for k, register in enumerate(results):
        text.line(f"*out_{k} = {register.name};")
    text.line("return failed;")
    places = "".join(f"enum {{ {name} = {at} }};\n" for name, at in memory.constants.items())
    return HEAD + places + "\n".join((*text.lines, "}")) + "\n"


def assigned(region: Region) -> list[Register]:
    found: list[Register] = []
    for stmt in statements(region):
        found += (value for value in values_read(stmt) if isinstance(value, Register))
        found += outs(stmt)
    return found


class Text:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.depth = 0

    def line(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def block(self, head: str, region: Region, tail: str = "}") -> None:
        self.line(f"{head} {{")
        self.nested(region)
        self.line(tail)

    def nested(self, region: Region) -> None:
        self.depth += 1
        for stmt in region:
            self.statement(stmt)
        self.depth -= 1

    def statement(self, stmt: Stmt) -> None:
        match stmt:
            case Step(body):
                for each in body:
                    self.statement(each)
            case Assign(out, given):
                self.line(f"{out.name} = {value(given)};")
            case Move(outs, values):
                for k, (out, given) in enumerate(zip(outs, values, strict=True)):
                    self.line(f"{TYPES[out.type.dtype]} new_{k}_{out.name} = {value(given)};")
                for k, out in enumerate(outs):
                    self.line(f"{out.name} = new_{k}_{out.name};")
            case Store(to, given):
                self.line(f"{element(to)} = {value(given)};")
            case Accumulate(to, given, minus):
                self.line(f"{element(to)} {'-' if minus else '+'}= {value(given)};")
            case Copy(pairs):  # element k of all is read before that of one is written
                self.line(f"for (int64_t k = 0; k < {element_count(pairs[0][0].type)}; k++) {{")
                for n, (_, source) in enumerate(pairs):
                    self.line(f"  {TYPES[source.type.dtype]} e{n} = {at(source, 'k')};")
                for n, (to, _) in enumerate(pairs):
                    self.line(f"  {at(to, 'k')} = e{n};")
                self.line("}")
            case Fill(to, given):
                self.line(
                    f"for (int64_t k = 0; k < {element_count(to.type)}; k++) {at(to, 'k')} = {value(given)};"
                )
            case Check(site=site) | Fail(site):
                test = f"if (!{value(stmt.test)}) " if isinstance(stmt, Check) else ""
                self.line(f"{test}return {site};")
            case Look() | LeaveIfFailed():
                pass
            case If(test, then, orelse):
                self.block(f"if ({value(test)})", then)
                self.block("else", orelse)
            case Loop(index, start, stop, step, body):
                i, sign = index.name, "<" if step > 0 else ">"
                self.block(f"for ({i} = {value(start)}; {i} {sign} {value(stop)}; {i} += {step})", body)
            case While(head, test, body):
                self.block("while (true)", head, f"  if (!{value(test)}) break;")
                self.nested(body)
                self.line("}")
            case Next(then, test, orelse):
                self.line(f"pc = {then};" if test is None else f"pc = {value(test)} ? {then} : {orelse};")
            case _:
                raise NotImplementedError(type(stmt).__name__)


def value(given: Value) -> str:
    match given:
        case Lit(known):
            return str(known).lower()
        case Register(name):
            return name
        case Element(address):
            return element(address)
        case Quotient(op, parts, _, type_):
            return value(Operation(op, parts, type_))
        case Select(test, then, orelse):
            return f"({value(test)} ? {value(then)} : {value(orelse)})"
    row, parts = given.op.primitive, [value(o) for o in given.operands]
    if row.kind in SPELLED:
        return SPELLED[row.kind].format(*parts)
    if row.operator:
        return f"({f' {row.operator} '.join(parts)})"
    return f"{CALLS[row.scalar or '']}({', '.join(parts)})"


def element(address: Address) -> str:
    shape = address.memory.type.shape
    strides = [prod(n for n in shape[axis + 1 :] if isinstance(n, int)) for axis in range(len(shape))]
    terms = [f"{stride} * {value(place)}" for stride, place in zip(strides, address.places, strict=True)]
    return at(address.memory, " + ".join(terms))


def at(memory: Memory, offset: str) -> str:
    assert memory.layout is Layout.ARENA
    return f"{memory.name}[{memory.first} + {offset}]"
