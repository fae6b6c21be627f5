"""What the front end hands on: the user's program as a small tree, every node with its Span.

Names are resolved by `scope.py`'s rules, values by `infer.py`. Nothing here knows types.

    Expression = Name | Constant | Tuple | Attribute | Subscript | CallExpr | Unary | Binary | Logical
               | Compare | Conditional | Lambda | Slice | Comprehension | Text
    Statement  = Assign | AugAssign | Branch | Loop | Iterate | Return | Break | Continue | Raise | Assert
               | Evaluate | Define | Delete-free: everything else is refused
"""

from __future__ import annotations

from dataclasses import dataclass, field

from codegen.source import Source, Span


@dataclass(frozen=True, eq=False)
class Name:
    span: Span
    id: str


@dataclass(frozen=True, eq=False)
class Constant:
    """A literal: bool, int, float, str, None or Ellipsis."""

    span: Span
    value: object


@dataclass(frozen=True, eq=False)
class Text:
    """An f-string: what it says as it is, and Replacements. Only error messages may use one."""

    span: Span
    parts: tuple[str | Replacement, ...]


@dataclass(frozen=True, eq=False)
class Replacement:
    """`{value!conversion:spec}` in an f-string; a spec may have Replacements too."""

    span: Span
    value: Expression
    conversion: str
    spec: tuple[str | Replacement, ...]


@dataclass(frozen=True, eq=False)
class Tuple:
    """A tuple or list display; as an assignment target, a pattern. Items may be Starred."""

    span: Span
    items: tuple[Expression, ...]
    list: bool = False


@dataclass(frozen=True, eq=False)
class Starred:
    """`*value` in a call of known length or a tuple display; `*rest` in a pattern."""

    span: Span
    value: Expression


@dataclass(frozen=True, eq=False)
class DictDisplay:
    """`{"key": value}`: keys are string literals."""

    span: Span
    keys: tuple[str, ...]
    values: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Attribute:
    span: Span
    value: Expression
    name: str


@dataclass(frozen=True, eq=False)
class Subscript:
    """`value[index]`; several indices are one Tuple, slices are Slice."""

    span: Span
    value: Expression
    index: Expression


@dataclass(frozen=True, eq=False)
class Slice:
    span: Span
    start: Expression | None
    stop: Expression | None
    step: Expression | None


@dataclass(frozen=True, eq=False)
class CallExpr:
    span: Span
    function: Expression
    arguments: tuple[Expression, ...]
    keywords: tuple[tuple[str, Expression], ...] = ()


@dataclass(frozen=True, eq=False)
class Unary:
    """operator: '-', '+', '~', 'not'."""

    span: Span
    operator: str
    value: Expression


@dataclass(frozen=True, eq=False)
class Binary:
    """operator: '+ - * / // % ** @ & | ^ << >>'."""

    span: Span
    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, eq=False)
class Logical:
    """`and` / `or` over two or more values, short-circuit."""

    span: Span
    operator: str
    values: tuple[Expression, ...]


@dataclass(frozen=True, eq=False)
class Compare:
    """`a < b <= c`: one left, then (operator, right) pairs; operators as written, 'in', 'is not' too."""

    span: Span
    left: Expression
    rest: tuple[tuple[str, Expression], ...]


@dataclass(frozen=True, eq=False)
class Conditional:
    span: Span
    test: Expression
    then: Expression
    orelse: Expression


@dataclass(frozen=True, eq=False)
class Comprehension:
    """`[value for target in iterable]`, one clause, no condition: the iterable's length must be known."""

    span: Span
    value: Expression
    target: Expression
    iterable: Expression


@dataclass(frozen=True, eq=False)
class Parameter:
    """One parameter. kind: 'positional' (positional only), 'plain', 'keyword' (keyword only), 'star' (*args)."""

    span: Span
    name: str
    default: Expression | None
    kind: str


@dataclass(frozen=True, eq=False)
class Lambda:
    span: Span
    parameters: tuple[Parameter, ...]
    body: Expression


@dataclass(frozen=True, eq=False)
class Assign:
    """`a = b = value`: targets left to right; a bare annotation gives no statement."""

    span: Span
    targets: tuple[Expression, ...]
    value: Expression


@dataclass(frozen=True, eq=False)
class AugAssign:
    span: Span
    target: Expression
    operator: str
    value: Expression


@dataclass(frozen=True, eq=False)
class Branch:
    """if / else; elif is a Branch alone in `orelse`."""

    span: Span
    test: Expression
    then: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Loop:
    """while; `orelse` runs when no break left the loop."""

    span: Span
    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Iterate:
    """for target in iterable."""

    span: Span
    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


@dataclass(frozen=True, eq=False)
class Return:
    span: Span
    value: Expression | None


@dataclass(frozen=True, eq=False)
class Break:
    span: Span


@dataclass(frozen=True, eq=False)
class Continue:
    span: Span


@dataclass(frozen=True, eq=False)
class Raise:
    """`raise value from cause`; `from None` is no cause."""

    span: Span
    value: Expression
    cause: Expression | None = None


@dataclass(frozen=True, eq=False)
class Assert:
    span: Span
    test: Expression
    message: Expression | None


@dataclass(frozen=True, eq=False)
class Evaluate:
    """An expression for its effect: `rng.random()` or a call that writes into its argument."""

    span: Span
    value: Expression


@dataclass(frozen=True, eq=False)
class Define:
    """A function: the one read, or a nested def."""

    span: Span
    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    source: Source = field(repr=False)
    doc: str | None = None


Expression = (
    Name
    | Constant
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
    | Return
    | Break
    | Continue
    | Raise
    | Assert
    | Evaluate
    | Define
)
