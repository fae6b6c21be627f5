"""The intermediate representation: structured, typed, single-assignment; control flow nested, no jumps.

    Program   = functions by name, one of them the main one
    Function  = name, parameters, Block
    Block     = equations, results
    Equation  = outs, Operation, span
    Operation = Apply | Call | If | For | While
    Atom      = Var | Lit

    def f(x):                       f(x: f8[n]):
        s = 0.0                       s2 = for i in range(0, n, 1) with s = 0.0:
        for i in range(len(x)):         t = index x i
            s += x[i]         ->        s1 = add s t
        return s                        yield s1
                                      yield s2

Scopes. A Var is bound once: as a parameter, an out, a loop's index or a loop's carried variable. Blocks of If,
For and While are closed over the scope around them: they mention outer Vars freely. What leaves a block leaves
by position in `results`.

Sizes. A type's shape holds ints and scalar i8 Vars. A Var in the shape of a *binder's* type that is in scope there
is that value; one that is not yet in scope is bound by this binder ("an array brings its sizes": parameters, outs of
slices, carried arrays whose size changes). So `zeros(n)` mentions n, never the array that n came from.

Effects. Equations without outs (`check`, `fail`) act and are never removed; draws thread a stream Var (dtype 'rng').
In-place writes are functional: `update`, `accumulate` give a new array. Whether one is done in place is decided by
`inplace.py` just before printing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from codegen.ir.primitive import Primitive
from codegen.source import Span


@dataclass(frozen=True)
class Type:
    """dtype: a NumPy code ('f8', 'f4', 'i8', 'i4', 'u8', 'b1', ...) or 'rng'; shape: ints and size Vars.

    `weak`: a Python number (literal or argument), which takes the dtype of what it meets, as in NumPy 2.
    Only scalars are weak.
    """

    dtype: str
    shape: tuple[Dim, ...] = ()
    weak: bool = False

    @property
    def rank(self) -> int:
        return len(self.shape)

    @property
    def is_float(self) -> bool:
        return self.dtype[0] == "f"

    def __str__(self) -> str:
        dims = ", ".join(str(d) if isinstance(d, int) else d.name for d in self.shape)
        return self.dtype + (f"[{dims}]" if self.shape else "")


@dataclass(frozen=True, eq=False)
class Var:
    """A value's name. Compared by identity; `name` is what the user called it and need not be unique."""

    name: str
    type: Type

    def __repr__(self) -> str:
        return f"{self.name}: {self.type}"


@dataclass(frozen=True, eq=False)
class Lit:
    """A scalar constant: bool, int or float, of `type` (rank 0)."""

    value: Any
    type: Type

    def __repr__(self) -> str:
        return repr(self.value)


Atom = Var | Lit
Dim = int | Var


@dataclass(frozen=True, eq=False)
class Apply:
    """A primitive on operands; `params` are the row's static parameters (axis, dtype, index spec, ...)."""

    primitive: Primitive
    operands: tuple[Atom, ...]
    params: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


@dataclass(frozen=True, eq=False)
class Call:
    """A function of the Program, by name (so that recursion is no cycle of objects)."""

    function: str
    operands: tuple[Atom, ...]


@dataclass(frozen=True, eq=False)
class If:
    """`test` is a scalar b1; both blocks give as many results as the equation has outs, of their types."""

    test: Atom
    then: Block
    orelse: Block


@dataclass(frozen=True, eq=False)
class For:
    """`for index in range(start, stop, step)`; `carried` take `init`, then the body's results, which leave at the end.

    `step` is a non-zero literal. kind 'parallel': iterations may run in any order (carried are accumulated only);
    'threads': and are to be shared by threads (each writes places of its own, or adds to numbers).
    """

    index: Var
    start: Atom
    stop: Atom
    step: int
    carried: tuple[Var, ...]
    init: tuple[Atom, ...]
    body: Block
    kind: str = "sequential"


@dataclass(frozen=True, eq=False)
class While:
    """While `cond` (one b1 result, reads `carried`) holds, `carried` take the body's results."""

    carried: tuple[Var, ...]
    init: tuple[Atom, ...]
    cond: Block
    body: Block


Operation = Apply | Call | If | For | While


@dataclass(frozen=True, eq=False)
class Equation:
    """`outs = operation`, at the user's `span` (None for what no line of the user's stands for)."""

    outs: tuple[Var, ...]
    op: Operation
    span: Span | None = None


@dataclass(frozen=True, eq=False)
class Block:
    equations: tuple[Equation, ...]
    results: tuple[Atom, ...]


@dataclass(frozen=True, eq=False)
class Function:
    """`doc` goes into emitted source. `kernel`: threads of a GPU run it: those of a grid share its one loop, of kind
    'threads'; or those of one block go through it."""

    name: str
    params: tuple[Var, ...]
    body: Block
    span: Span | None = None
    doc: str | None = None
    kernel: bool = False


@dataclass(frozen=True, eq=False)
class Program:
    """Functions by name, in the order they are to be printed (callees first where possible), and the main one."""

    functions: Mapping[str, Function]
    main: str

    @property
    def entry(self) -> Function:
        return self.functions[self.main]


def program(functions: Mapping[str, Function], main: str) -> Program:
    """A Program over a read-only copy of `functions`."""
    return Program(MappingProxyType(dict(functions)), main)
