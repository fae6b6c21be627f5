"""What the front end hands on: the user's program as a small tree, every node with its Span.

Names are resolved by `scope.py`'s rules, values by `infer.py`. Nothing here knows types.

    Expression = Name | Constant | Tuple | Attribute | Subscript | CallExpr | Unary | Binary | Logical
               | Compare | Conditional | Lambda | Slice | Comprehension | Text
    Statement  = Assign | AugAssign | Branch | Loop | Iterate | Try | Return | Yield | Break | Continue | Raise | Assert
               | Delete | Evaluate | Change | Define; everything else is refused
"""

from __future__ import annotations

from dataclasses import dataclass, field

from codegen.source import Source, Span


@dataclass(frozen=True, eq=False)
class Node:
    """A part of the program and where it stands; compared by identity."""

    span: Span


@dataclass(frozen=True, eq=False)
class Name(Node):
    id: str


@dataclass(frozen=True, eq=False)
class Constant(Node):
    """A literal: bool, int, float, str, None or Ellipsis."""

    value: object


@dataclass(frozen=True, eq=False)
class Import(Node):
    """What an import in the function binds a name to: a module or what is in one, by its dotted path."""

    path: str


@dataclass(frozen=True, eq=False)
class Text(Node):
    """An f-string: what it says as it is, and Replacements. Only error messages may use one."""

    parts: tuple[str | Replacement, ...]


@dataclass(frozen=True, eq=False)
class Replacement(Node):
    """`{value!conversion:spec}` in an f-string; a spec may have Replacements too."""

    value: Expression
    conversion: str
    spec: tuple[str | Replacement, ...]


@dataclass(frozen=True, eq=False)
class Tuple(Node):
    """A tuple or list display; as an assignment target, a pattern. Items may be Starred."""

    items: tuple[Expression, ...]
    list: bool = False


@dataclass(frozen=True, eq=False)
class Starred(Node):
    """`*value` in a call of known length or a tuple display; `*rest` in a pattern."""

    value: Expression


@dataclass(frozen=True, eq=False)
class DictDisplay(Node):
    """`{"key": value, **more}`: keys are string literals, None of what is spread out."""

    keys: tuple[str | None, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Attribute(Node):
    value: Expression
    name: str


@dataclass(frozen=True, eq=False)
class Subscript(Node):
    """`value[index]`; several indices are one Tuple, slices are Slice."""

    value: Expression
    index: Expression


@dataclass(frozen=True, eq=False)
class Slice(Node):
    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(frozen=True, eq=False)
class CallExpr(Node):
    """A call. `**value` is a keyword without a name."""

    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str | None, Expression], ...] = ()


@dataclass(frozen=True, eq=False)
class Unary(Node):
    """operator: '-', '+', '~', 'not'."""

    operator: str
    value: Expression


@dataclass(frozen=True, eq=False)
class Binary(Node):
    """operator: '+ - * / // % ** @ & | ^ << >>'."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False)
class Logical(Node):
    """`and` / `or` over two or more values, short-circuit."""

    operator: str
    values: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Compare(Node):
    """`a < b <= c`: one left, then (operator, right) pairs; operators as written, 'in', 'is not' too."""

    left: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, eq=False)
class Conditional(Node):
    test: Expression
    then: Expression
    orelse: Expression


@dataclass(frozen=True, eq=False)
class Clause(Node):
    """`for target in iterable if condition`, of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Comprehension(Node):
    """`[value for target in iterable]`, or a generator expression."""

    value: Expression
    clauses: tuple[Clause, ...]
    generator: bool


@dataclass(frozen=True, eq=False)
class Parameter(Node):
    """One parameter. kind: 'positional' (positional only), 'plain', 'keyword' (keyword only), 'star' (*args), 'stars'
    (**kwargs)."""

    name: str
    default: Expression | None
    kind: str


@dataclass(frozen=True, eq=False)
class Lambda(Node):
    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, eq=False)
class Assign(Node):
    """`a = b = value`: targets left to right; a bare annotation gives no statement."""

    targets: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, eq=False)
class AugAssign(Node):
    target: Expression
    operator: str
    value: Expression


@dataclass(frozen=True, eq=False)
class Branch(Node):
    """if / else; elif is a Branch alone in `orelse`."""

    test: Expression
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Loop(Node):
    """while; `orelse` runs when no break left the loop."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Iterate(Node):
    """for target in iterable."""

    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Handler(Node):
    """`except kind as name:`; without a kind it is of all exceptions. `passes`: it raises them again alone."""

    kind: Expression | None
    name: str | None
    body: tuple[Statement, ...]
    passes: bool = False


@dataclass(frozen=True, eq=False)
class Try(Node):
    """try; `orelse` runs when nothing was raised in `body`, and is not looked after; `final` runs in any case."""

    body: tuple[Statement, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Statement, ...]
    final: tuple[Statement, ...] = ()


@dataclass(frozen=True, eq=False)
class Return(Node):
    value: Expression | None


@dataclass(frozen=True, eq=False)
class Yield(Node):
    """`yield value`"""

    value: Expression


@dataclass(frozen=True, eq=False)
class Break(Node):
    pass


@dataclass(frozen=True, eq=False)
class Continue(Node):
    pass


@dataclass(frozen=True, eq=False)
class Raise(Node):
    """`raise value from cause`; `from None` is no cause."""

    value: Expression
    cause: Expression | None = None


@dataclass(frozen=True, eq=False)
class Assert(Node):
    test: Expression
    message: Expression | None


@dataclass(frozen=True, eq=False)
class Delete(Node):
    """`del x, y`"""

    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Evaluate(Node):
    """An expression for its effect: `rng.random()` or a call that writes into its argument."""

    value: Expression


@dataclass(frozen=True, eq=False)
class Enter(Node):
    """`with value:`, whose body follows: a context that only says what NumPy and Python warn of."""

    value: Expression


@dataclass(frozen=True, eq=False)
class Change(Node):
    """A statement that changes in place the lists or dicts of names, to which nothing else refers (owned_lists.py).
    `anew`: `xs = xs + more`, as `xs += more`, which it is of lists alone: of arrays a view of xs is left as it was."""

    names: tuple[str, ...]
    statement: Statement
    anew: bool = False

    @property
    def of_arrays(self) -> Statement:
        """What it is where the names have no lists."""
        match self.statement:
            case AugAssign(span, target, operator, value) if self.anew:
                return Assign(span, (target,), Binary(span, operator, target, value))
        return self.statement


@dataclass(frozen=True, eq=False)
class Define(Node):
    """A function: the one read, or a nested def. `rebound`: names around it that it declares `nonlocal`, until boxes.py
    has read."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    source: Source = field(repr=False)
    doc: str | None = None
    rebound: tuple[str, ...] = ()


Expression = (
    Name
    | Constant
    | Import
    | Text
    | Tuple
    | Starred
    | DictDisplay
    | Attribute
    | Subscript
    | Slice
    | CallExpr
    | Unary
    | Binary
    | Logical
    | Compare
    | Conditional
    | Comprehension
    | Lambda
)
Statement = (
    Assign
    | AugAssign
    | Branch
    | Loop
    | Iterate
    | Try
    | Return
    | Yield
    | Break
    | Continue
    | Raise
    | Assert
    | Delete
    | Evaluate
    | Enter
    | Change
    | Define
)


def blocks_of(node: Statement) -> tuple[tuple[Statement, ...], ...]:
    """The blocks of statements in one, those of a function not among them."""
    match node:
        case Branch():
            return node.then, node.orelse
        case Loop() | Iterate():
            return node.body, node.orelse
        case Try():
            return (node.body, *(handler.body for handler in node.handlers), node.orelse, node.final)
    return ()
