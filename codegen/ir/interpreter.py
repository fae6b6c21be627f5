"""The reference meaning of a Program: run its equations one by one with the rows' own NumPy functions.

    evaluate(program, *arguments) -> results

Nothing is compiled, fused or done in place, so every target and every pass is held against this. Scalars
are NumPy scalars of the declared dtype; a stream is a `numpy.random.Generator` and advances, as the
caller's own would.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping, MutableMapping
from typing import Any, assert_never

import numpy as np

from codegen.ir import Apply, Atom, Block, Call, Equation, For, Function, If, Lit, Program, Type, Var, While
from codegen.ir.primitive import Primitive
from codegen.source import Span

Values = MutableMapping[Var, Any]


class Watched(dict[str, Function]):
    """A program's functions, of which `left` equations may be run; `at`: where what was raised was raised."""

    def __init__(self, functions: Mapping[str, Function], left: int):
        super().__init__(functions)
        self.left = left
        self.at: Span | None = None


def evaluate(
    program: Program, *arguments: Any, functions: Mapping[str, Function] | None = None
) -> tuple[Any, ...]:
    """The results of `program.main` for flat `arguments`, one per parameter, in the parameters' types.

    Floating-point exceptions give inf and nan silently. `check` and `fail` raise the exception they name;
    arrays whose sizes contradict the types raise ValueError. Arguments are never changed, streams excepted.
    `functions`: the program's, watched.

        evaluate(program, np.array([1.0, 2.0]), 3.0)
    """
    with np.errstate(all="ignore"):
        return run_function(functions or program.functions, program.entry, arguments)


def run_function(
    functions: Mapping[str, Function], function: Function, arguments: tuple[Any, ...]
) -> tuple[Any, ...]:
    if len(arguments) != len(function.params):
        raise TypeError(f"{function.name} takes {len(function.params)} arguments, not {len(arguments)}")
    values: Values = {}
    for param, argument in zip(function.params, arguments):
        enter_var(values, param, typed(argument, param.type))
    return run_block(functions, function.body, values)


def run_block(functions: Mapping[str, Function], block: Block, values: Values) -> tuple[Any, ...]:
    one: Any = perform_counted if isinstance(functions, Watched) else perform
    for equation in block.equations:
        for out, value in zip(equation.outs, one(functions, equation, values), strict=True):
            enter_var(values, out, value)
    return tuple(value_of(values, r) for r in block.results)


def perform_counted(functions: Watched, equation: Equation, values: Values) -> tuple[Any, ...]:
    """As `perform`, of what is watched. TimeoutError when no equations are left."""
    functions.left -= 1
    if functions.left < 0:
        raise TimeoutError("too many steps")
    try:
        return perform(functions, equation, values)
    except BaseException:
        functions.at = functions.at or equation.span
        raise


def perform(functions: Mapping[str, Function], equation: Equation, values: Values) -> tuple[Any, ...]:
    """The values of an equation's outs."""
    match equation.op:
        case Apply():
            return run_primitive(equation, values)
        case Call(name, operands):
            return run_function(functions, functions[name], tuple(value_of(values, o) for o in operands))
        case If(test, then, orelse):
            return run_block(functions, then if value_of(values, test) else orelse, ChainMap({}, values))
        case For() as loop:
            state = tuple(initial(values, u, p) for u, p in zip(loop.init, loop.carried))
            for i in range(int(value_of(values, loop.start)), int(value_of(values, loop.stop)), loop.step):
                inner = inner_scope(values, (loop.index, *loop.carried), (np.int64(i), *state))
                state = run_block(functions, loop.body, inner)
            return state
        case While() as loop:
            state = tuple(initial(values, u, p) for u, p in zip(loop.init, loop.carried))
            while run_block(functions, loop.cond, inner_scope(values, loop.carried, state))[0]:
                state = run_block(functions, loop.body, inner_scope(values, loop.carried, state))
            return state
        case _ as never:
            assert_never(never)


def initial(values: Values, init: Atom, param: Var) -> Any:
    return typed(value_of(values, init), param.type)


def inner_scope(values: Values, params: tuple[Var, ...], given: tuple[Any, ...]) -> Values:
    """An inner scope in which `params` are `given`."""
    inner: Values = ChainMap({}, values)
    for param, value in zip(params, given):
        enter_var(inner, param, value)
    return inner


def run_primitive(equation: Equation, values: Values) -> tuple[Any, ...]:
    assert isinstance(equation.op, Apply)
    rule, operands = equation.op.primitive, equation.op.operands
    given = [operand(values, o) for o in operands]
    if rule.tells:  # in Python
        given = [
            v.item() if o.type.weak and isinstance(v, np.generic) else v for v, o in zip(given, operands)
        ]
    result = rule.numpy(*given, **equation.op.params)
    if not equation.outs:
        return ()
    results = result if len(equation.outs) > 1 else (result,)
    for out, value in zip(equation.outs, results, strict=True):
        expect(out, value, rule)
    return tuple(typed(value, out.type) for out, value in zip(equation.outs, results))


def operand(values: Values, atom: Atom) -> Any:
    """An operand as NumPy is to see it: weak literals are Python numbers, of whatever dtype they meet."""
    return atom.value if isinstance(atom, Lit) and atom.type.weak else value_of(values, atom)


def value_of(values: Values, atom: Atom) -> Any:
    return typed(atom.value, atom.type) if isinstance(atom, Lit) else values[atom]


def typed(value: Any, type_: Type) -> Any:
    """`value` as an array or NumPy scalar of `type_`'s dtype."""
    if type_.dtype == "rng":
        return value
    return np.asarray(value, type_.dtype)[()]


def expect(out: Var, value: Any, rule: Primitive) -> None:
    """A row's meaning and its type rule must agree on dtype and rank."""
    if out.type.dtype == "rng" or isinstance(value, bool | int | float):
        return
    if np.ndim(value) != out.type.rank or np.dtype(value.dtype) != np.dtype(out.type.dtype):
        raise TypeError(f"{rule}: computed {np.ndim(value)} axes of {value.dtype} for {out!r}")


def enter_var(values: Values, var: Var, value: Any) -> None:
    """Enter a Var, and the sizes its type brings that are not in scope yet."""
    if var.type.rank:
        if np.ndim(value) != var.type.rank:
            raise ValueError(f"{var!r}: given an array with {np.ndim(value)} axes")
        for dim, n in zip(var.type.shape, value.shape):
            if isinstance(dim, Var) and dim not in values:
                values[dim] = np.int64(n)
            elif n != (values[dim] if isinstance(dim, Var) else dim):
                raise ValueError(f"{var!r}: given an array of shape {value.shape}")
    values[var] = value
