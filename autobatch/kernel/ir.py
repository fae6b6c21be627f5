"""The kernel language: what one lane does when it visits a block, on numbers in registers and arrays in memories.

    Region  = statements in order
    Stmt    = Assign | Move | Store | Accumulate | Copy | Fill | Draw | DrawArray | MakeStream | CopyStream
            | MatrixVector | Check | Fail | Look | LeaveIfFailed | If | Loop | While | Repeat | Exit | Push | Pop
            | Needed | Next | Wait | Probe | Step
    Value   = Lit | Register | Operation | Quotient | Element | Select
    Address = Memory, places

    def f(q, x): q[0] = 2.0 * q[1]; return x if q[0] > x else q[0]

        F[Q, 0] <- mul(2.0, F[Q, 1])
        out = (x if gt(F[Q, 0], x) else F[Q, 0])
        next 7

A register is a number that has a name; it is assigned again and again, as its allocation has it. Where an array's
elements are is said by its memory alone: lane after lane, lanes innermost, in a frame of a stack, in an argument.
Nothing here is text: a printer per target spells it (numba/), `listing.py` shows it, `check.py` says what is well
formed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from codegen.ir import Apply, Equation, Lit, Type
from codegen.ir.kinds import Arithmetic, Logic
from codegen.source import Span

# Where a memory's elements are, lane by lane. Of `name[...]`, e an element's number in order:
#   ARENA    first + e                       one lane's arrays, side by side
#   ROWS     first + e * LS + lane           lanes innermost
#   COLD     W * lane + first + e            a lane's arrays together
#   SHARED   first + e                       one array for all lanes, copied beside theirs
#   OWN      lane, e                         a row a lane
#   FRAME    lane, top + first + e           a part of a lane's row, on a stack
#   STREAM   first + 16 * lane + e           the words of a lane's stream
#   PLACES   its places as they are          an array of the caller's, one for all lanes
#   BY_ROW   row, the other places           an array given for the rows of a panel
#   KEPT     lane - first, first             what a lane keeps while it waits for a product
#   LANES    first + e, row                  lanes innermost: where threads of a GPU wait, or in memory of their block
Layout = Enum("Layout", "ARENA ROWS COLD SHARED OWN FRAME STREAM PLACES BY_ROW KEPT LANES")


@dataclass(frozen=True)
class Register:
    """A number with a name."""

    name: str
    type: Type = field(compare=False)


@dataclass(frozen=True)
class Memory:
    """Where an array is: in `name`, from `first` on. `row`: the register of its row, in OWN, BY_ROW and LANES.

    `top`: the register from which `first` counts, of a frame.
    """

    layout: Layout
    name: str
    first: First
    type: Type = field(compare=False)
    row: str = "lane"
    top: str = ""


@dataclass(frozen=True)
class Either:
    """One place or another, as a test says."""

    test: Register
    then: str
    orelse: str


First = str | int | Either


@dataclass(frozen=True, eq=False)
class Address:
    """An element, by its places along the axes."""

    memory: Memory
    places: tuple[Value, ...] = ()


@dataclass(frozen=True, eq=False)
class Operation:
    """A primitive on values. `eager`: both operands of `and` and `or`, all of a select, are computed."""

    op: Apply
    operands: tuple[Value, ...]
    type: Type
    eager: bool = False


@dataclass(frozen=True, eq=False)
class Quotient:
    """A division by what is known beforehand, whose reciprocal is `inverse`."""

    op: Apply
    operands: tuple[Value, ...]
    inverse: Value
    type: Type


@dataclass(frozen=True, eq=False)
class Element:
    """A load. `type` is what the number is used as: a b1 in memory of ints is compared with 0."""

    address: Address
    type: Type


@dataclass(frozen=True, eq=False)
class Select:
    """One of two values, of which only that one is computed; `eager`: both are."""

    test: Value
    then: Value
    orelse: Value
    type: Type
    eager: bool = False


Value = Lit | Register | Operation | Quotient | Element | Select


# statements


@dataclass(frozen=True, eq=False)
class Assign:
    """`reassociated`: the value is the register and one more term, which may be taken in any order."""

    out: Register
    value: Value
    span: Span | None = None
    reassociated: bool = False


@dataclass(frozen=True, eq=False)
class Move:
    """Numbers, all read before any is assigned."""

    outs: tuple[Register, ...]
    values: tuple[Value, ...]
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Store:
    address: Address
    value: Value
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Accumulate:
    """address += value, or -= where `minus`."""

    address: Address
    value: Value
    minus: bool
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Copy:
    """Arrays of one size, to and from: element k of all is read before that of one is written.

    `now`: part of a statement that needs it; else the elements may be left where they are as long as they can be.
    `test`: each source is one of two, chosen element by element.
    """

    pairs: tuple[tuple[Memory, Memory], ...]
    now: bool = False
    span: Span | None = None
    test: Value | None = None
    others: tuple[Memory, ...] = ()  # the sources where the test does not hold
    apart: bool = False  # each by a statement of its own


@dataclass(frozen=True, eq=False)
class Fill:
    memory: Memory
    value: Value
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Draw:
    """A number off a stream."""

    op: Apply
    out: Register
    operands: tuple[Value, ...]
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class DrawArray:
    op: Apply
    out: Memory
    operands: tuple[Value, ...]
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class MakeStream:
    """A stream of seeds."""

    op: Apply
    to: Register | Memory
    operands: tuple[Value, ...]
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class CopyStream:
    to: Register | Memory
    source: Register | Memory
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class MatrixVector:
    """out = matrix @ vector, or vector @ matrix where the matrix is not `left`, of one lane."""

    out: Memory
    matrix: Memory
    vector: Memory
    left: bool
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class LibraryCall:
    """out = a function of whole arrays of one lane, by a library."""

    out: Memory
    op: Apply
    operands: tuple[Memory, ...]
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Check:
    """The lane ends at `site` unless the test holds."""

    test: Value
    site: int
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Fail:
    site: int
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Look:
    """The lane looks whether it is to stop."""

    span: Span | None = None


@dataclass(frozen=True, eq=False)
class LeaveIfFailed:
    """After a loop in which the lane may have stopped."""


@dataclass(frozen=True, eq=False)
class If:
    test: Value
    then: Region
    orelse: Region = ()
    ends: bool = False  # the visit's: both arms say where the lane goes on


@dataclass(frozen=True, eq=False)
class Loop:
    """for index in range(start, stop, step).

    `strip`: numbers between looks whether to stop, 0 for no looks. `fails`: a lane may stop in the body.
    `reduced`: what rounds reduce to that may be taken in any order (cuda/warp_loops.py).
    """

    index: Register
    start: Value
    stop: Value
    step: int
    body: Region
    strip: int = 0
    fails: bool = False
    span: Span | None = None
    reduced: tuple[Reduced, ...] | None = None


@dataclass(frozen=True, eq=False)
class While:
    """`head` is run before each test."""

    head: Region
    test: Value
    body: Region


@dataclass(frozen=True, eq=False)
class Repeat:
    """The body again and again, until an Exit in it."""

    body: Region


@dataclass(frozen=True, eq=False)
class Exit:
    """The Repeat around it is left."""


@dataclass(frozen=True, eq=False)
class Next:
    """Where the lane goes on: a block's number, or the register that holds it; of two, by a test."""

    then: int | Register
    test: Value | None = None
    orelse: int | Register = 0


@dataclass(frozen=True, eq=False)
class Wait:
    """The lane stays at a place until a product has been taken."""

    place: int


@dataclass(frozen=True, eq=False)
class StackFrame:
    """A part of a stack: `size` numbers of `arena` from the register `top` on, and what is there, at which place."""

    arena: str
    size: int
    top: str
    content: tuple[tuple[Register | Memory, int], ...]


@dataclass(frozen=True, eq=False)
class Push:
    """Frames are written; the lane ends at `site` where that is too deep.

    `again`: where frames have just been popped, so that it is not.
    """

    frames: tuple[StackFrame, ...]
    site: int
    before: Region = ()  # what is in the way is brought elsewhere
    again: bool = False


@dataclass(frozen=True, eq=False)
class Pop:
    """The last frames are read."""

    frames: tuple[StackFrame, ...]


@dataclass(frozen=True, eq=False)
class Needed:
    """The arrays in these memories, and these registers, are read after the visit."""

    memories: tuple[Memory, ...]
    numbers: frozenset[str] = frozenset()


@dataclass(frozen=True, eq=False)
class Probe:
    """Lines of a profile's notes."""

    lines: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Step:
    """What one equation of the program is done by."""

    body: Region
    equation: Equation


Stmt = (
    Assign | Move | Store | Accumulate | Copy | Fill | Draw | DrawArray | MakeStream | CopyStream | MatrixVector
    | LibraryCall | Check | Fail | Look | LeaveIfFailed | If | Loop | While | Repeat | Exit | Next | Wait | Push
    | Pop | Needed | Probe | Step
)  # fmt: skip
Region = tuple[Stmt, ...]
Reduced = tuple[Register, Arithmetic | Logic, bool]  # by what; whether it begins with what changes nothing
