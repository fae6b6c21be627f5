"""Lanes in structured code: local_static : Program, which arguments are over lanes -> LaneProgram.

    def f(x, n):                          def f(x, n):                      # x: [lanes], n shared
        for i in range(n):                    for i in range(n):
            if x > 1:           ->                at = np.flatnonzero(x > 1)
                x = x / 2                         x[at] = x[at] / 2
        return x                              return x

(Radul et al. 2020, "Automatically batching control-intensive programs", section 2: local static
autobatching.) Calls use the host's own recursion, with the lanes that are active; a function is not called
for no lane at all. What is the same for all lanes is computed once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from autobatch.branches import masked
from autobatch.lanes import ONE_STREAM
from autobatch.masks import Failing, Scope, Value, Whole, may_fail, run
from autobatch.wind import wind
from codegen.bounds import bounds
from codegen.build import Builder
from codegen.inline import reach, recursive
from codegen.ir import Block, Call, Equation, Function, Program, Type, Var, program
from codegen.source import refuse

I8 = Type("i8")


@dataclass(frozen=True, eq=False)
class LaneProgram:
    """A program over lanes: parameters over lanes have them first, all results do.

    failings   where not empty, the last result is i8[lanes]: 0 for a lane that went through, k for one that
               failed as failings[k - 1] says (its other results mean nothing)
    """

    program: Program
    failings: tuple[Failing, ...]


def local_static(one: Program, over: Sequence[bool]) -> LaneProgram:
    """`one` for many lanes; `over` says which of its parameters are given per lane.

    ValueError where none is: then there is nothing that could tell how many lanes there are. SourceError
    where the size of an array would differ from lane to lane, or lanes would share a random generator.
    """
    check_arguments(one, over)
    one = wind(bounds(one))
    making = Making(one)
    name = making.function(one.main, tuple(over), main=True)
    order = [n for n in making.made if n != name] + [name]
    return LaneProgram(program({n: making.made[n] for n in order}, name), tuple(making.whole.failings))


def check_arguments(one: Program, over: Sequence[bool]) -> None:
    """Refuse arguments that are not one flag a parameter, with a lane axis somewhere and one of each stream."""
    params = one.entry.params
    if len(over) != len(params):
        raise ValueError(f"{one.main} takes {len(params)} arguments, not {len(over)}")
    if not any(over):
        raise ValueError("no argument is given per lane")
    if any(p.type.dtype == "rng" and not o for p, o in zip(params, over)):
        raise refuse(one.entry.span, ONE_STREAM)


@dataclass(eq=False)
class Making:
    """The functions over lanes made so far, by which of their parameters are over lanes."""

    one: Program
    made: dict[str, Function] = field(default_factory=dict)
    names: dict[tuple[str, tuple[bool, ...]], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.whole = Whole(self.one, self.call)
        self.failing = may_fail(self.one)

    def function(self, name: str, over: tuple[bool, ...], *, main: bool = False) -> str:
        """The name of `name` with these parameters over lanes; made at its first use."""
        if (name, over) not in self.names:
            taken = {*self.names.values(), *self.one.functions} - ({name} if main else set())
            self.names[name, over] = new = fresh(name if main else f"{name}_lanes", taken)
            self.made[new] = self.build(new, self.one.functions[name], over, main)
        return self.names[name, over]

    def build(self, new: str, old: Function, over: tuple[bool, ...], main: bool) -> Function:
        lanes = Var("lanes", I8)
        b = Builder(span=old.span, checked=False)
        scope = Scope(self.whole, b, b.wrap(lanes), masked=not main or old.name in recursive(self.one))
        params = []
        for var, o in zip(old.params, over):
            params.append(Var(var.name, scope.type(var.type, o)))
            scope.bind(var, b.wrap(params[-1]), o)
        results = [scope.over(v) for v in run(scope, old.body)]
        if old.name in self.failing:
            results.append(scope.failed_here())
        return Function(new, tuple(params), b.block(tuple(results)), old.span, old.doc)

    def call(self, scope: Scope, equation: Equation, op: Call) -> None:
        """A call over the scope's lanes; of those only that have not failed."""
        values = [scope.value(o) for o in op.operands]
        fails = op.function in self.failing
        if not any(v.over for v in values) and not (fails and scope.masked):
            self.shared_call(scope, equation, op, values)
        elif scope.failed is not None:
            block = Block((equation,), equation.outs)
            nothing = [None] * len(equation.outs)
            fine = scope.b.apply("eq", scope.b.wrap(scope.failed), 0)
            for out, value in zip(equation.outs, masked(scope, block, fine, nothing, equation.outs, {})):
                assert value is not None
                scope.enter(out, value)
        else:
            self.lanes_call(scope, equation, op, values)

    def shared_call(self, scope: Scope, equation: Equation, op: Call, values: list[Value]) -> None:
        """All lanes make the same call: it is made once."""
        for name in reach(self.one.functions, op.function):
            self.made.setdefault(name, self.one.functions[name])
        outs = tuple(Var(o.name, scope.type(o.type, False)) for o in equation.outs)
        scope.b.emit(outs, Call(op.function, tuple(scope.b.atom(scope.use(v)) for v in values)))
        for out, new in zip(equation.outs, outs):
            scope.bind(out, scope.b.wrap(new), False)

    def lanes_call(self, scope: Scope, equation: Equation, op: Call, values: list[Value]) -> None:
        if not any(v.over for v in values):
            values = [Value(scope.b.atom(scope.over(values[0])), True, scope.base), *values[1:]]
        name = self.function(op.function, tuple(v.over for v in values))
        fails = op.function in self.failing
        outs = [Var(o.name, scope.type(o.type, True)) for o in equation.outs]
        if fails:
            outs.append(Var("failed", scope.type(I8, True)))
        scope.b.emit(tuple(outs), Call(name, tuple(scope.b.atom(scope.use(v)) for v in values)))
        if fails:
            scope.failed = outs[-1]
        streams = iter(v for v in values if v.atom.type.dtype == "rng")
        for out, new in zip(equation.outs, outs):
            if out.type.dtype == "rng":
                scope.put_back(out, scope.b.wrap(new), next(streams))
            else:
                scope.bind(out, scope.b.wrap(new), True)


def fresh(name: str, taken: set[str]) -> str:
    """`name`, or name_2, name_3, ..."""
    count, found = 1, name
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    return found
