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
from dataclasses import dataclass, field, replace
from typing import assert_never

from autobatch.cfg.may_fail import failing_functions
from autobatch.errors import Site
from autobatch.lanes.batching_rules import ONE_STREAM
from autobatch.lanes.equations import apply_primitive
from autobatch.lanes.if_conversion import convert_if, run_masked
from autobatch.lanes.loops import convert_loop
from autobatch.lanes.masks import LaneContext, LaneScope, LaneValue
from codegen.analysis.calls import reach, recursive
from codegen.ir import Apply, Block, Call, Equation, For, Function, If, Program, Type, Var, While, program
from codegen.ir.build import I8, Builder
from codegen.ir.traversal import recalled, unused_name
from codegen.simplify.bounds_checks import bounds
from codegen.simplify.function_merging import merge_functions
from codegen.source import refuse


@dataclass(frozen=True, eq=False)
class LaneProgram:
    """A program over lanes: parameters over lanes have them first, all results do.

    form       the schedule that made it
    failings   where not empty, the last result is i8[lanes]: 0 for a lane that went through, k for one that
               failed as failings[k - 1] says (its other results mean nothing)
    """

    program: Program
    failings: tuple[Site, ...]
    form: str = "local_static"


def local_static(one: Program, over: Sequence[bool]) -> LaneProgram:
    """`one` for many lanes; `over` says which of its parameters are given per lane.

    ValueError where none is: then there is nothing that could tell how many lanes there are. SourceError
    where the size of an array would differ from lane to lane, or lanes would share a random generator.
    """
    check_lane_flags(one, over)
    one = merge_functions(bounds(one))
    making = LaneFunctions(one)
    name = making.function(one.main, ParameterKinds(tuple(over), (False,) * len(over)), main=True)
    order = [n for n in making.made if n != name] + [name]
    return LaneProgram(program({n: making.made[n] for n in order}, name), tuple(making.whole.failings))


def check_lane_flags(one: Program, over: Sequence[bool]) -> None:
    """Refuse flags that are not one a parameter, with a lane axis somewhere and each stream over lanes."""
    params = one.entry.params
    if len(over) != len(params):
        raise ValueError(f"{one.main} takes {len(params)} arguments, not {len(over)}")
    if not any(over):
        raise ValueError("no argument is given per lane")
    if any(p.type.dtype == "rng" and not o for p, o in zip(params, over)):
        raise refuse(one.entry.span, ONE_STREAM)


def convert_block(scope: LaneScope, block: Block) -> list[LaneValue]:
    """The block's equations over the scope's lanes; its results."""
    for equation in block.equations:
        convert_equation(scope, equation)
    return [scope.value(r) for r in block.results]


def convert_equation(scope: LaneScope, equation: Equation) -> None:
    """What stands for an equation over the scope's lanes."""
    with scope.b.at(equation.span):
        match equation.op:
            case Apply() as op:
                apply_primitive(scope, equation, op)
            case Call() as op:
                scope.whole.call(scope, equation, op)
            case If() as op:
                convert_if(scope, equation, op)
            case For() | While() as op:
                convert_loop(scope, equation, op)
            case _ as never:
                assert_never(never)


@dataclass(frozen=True)
class ParameterKinds:
    """How parameters are given: over lanes or shared; `far`: streams among more lanes than run here."""

    over: tuple[bool, ...]
    far: tuple[bool, ...]


@dataclass(eq=False)
class LaneFunctions:
    """The functions over lanes made so far, by name and kind."""

    one: Program
    made: dict[str, Function] = field(default_factory=dict)
    names: dict[tuple[str, ParameterKinds], str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.whole = LaneContext(self.one, convert_block, self.call)
        self.failing = failing_functions(self.one)

    def function(self, name: str, kind: ParameterKinds, *, main: bool = False) -> str:
        """The name of `name` with parameters of this kind; made at its first use."""
        if (name, kind) not in self.names:
            taken = {*self.names.values(), *self.one.functions, *self.made} - ({name} if main else set())
            self.names[name, kind] = new = unused_name(name if main else f"{name}_lanes", taken)
            self.made[new] = self.build(new, self.one.functions[name], kind, main)
        return self.names[name, kind]

    def build(self, new: str, old: Function, kind: ParameterKinds, main: bool) -> Function:
        """The function over lanes, which for each far stream takes the places of its lanes, after the rest."""
        lanes = Var("lanes", I8)
        b = Builder(span=old.span, checked=False)
        scope = LaneScope(self.whole, b, b.wrap(lanes), masked=not main or old.name in recursive(self.one))
        params, places = [], []
        for var, over, far in zip(old.params, kind.over, kind.far):
            if far:
                home = LaneScope(self.whole, b, b.wrap(Var("streams", I8)))
                params.append(Var(var.name, home.type(var.type, True)))
                places.append(Var("rows", Type("i8", (lanes,))))
                scope.places[home] = places[-1]
                scope.enter(var, LaneValue(params[-1], True, home))
            else:
                params.append(scope.parameter(var, over))
        results = [scope.carried(value, True) for value in convert_block(scope, old.body)]
        if old.name in self.failing:
            results.append(scope.failed_here())
        return Function(new, (*params, *places), b.block(tuple(results)), old.span, old.doc)

    def call(self, scope: LaneScope, equation: Equation, op: Call) -> None:
        """A call over the scope's lanes; of those only that have not failed."""
        values = [scope.value(o) for o in op.operands]
        fails = op.function in self.failing
        if not any(v.over for v in values) and not (fails and scope.masked):
            self.shared_call(scope, equation, op, values)
        elif scope.failed is not None:
            block = Block((equation,), equation.outs)
            nothing = [None] * len(equation.outs)
            fine = scope.b.apply("eq", scope.b.wrap(scope.failed), 0)
            for out, value in zip(equation.outs, run_masked(scope, block, fine, nothing, equation.outs, {})):
                assert value is not None
                scope.enter(out, value)
        else:
            self.lanes_call(scope, equation, op, values)

    def shared_call(self, scope: LaneScope, equation: Equation, op: Call, values: list[LaneValue]) -> None:
        """All lanes make the same call: it is made once."""
        called, main = reach(self.one.functions, op.function), self.one.main
        # The function over lanes has the main function's name.
        names = {main: unused_name(f"{main}_once", self.one.functions)} if main in called else {}
        for name, old in self.one.functions.items():  # in the program's order: a set has none
            if name in called:
                new = names.get(name, name)
                self.made.setdefault(new, replace(old, name=new, body=recalled(old.body, names)))
        outs = tuple(Var(o.name, scope.type(o.type, False)) for o in equation.outs)
        function = names.get(op.function, op.function)
        scope.b.emit(outs, Call(function, tuple(scope.b.atom(scope.use(v)) for v in values)))
        for out, once in zip(equation.outs, outs):
            scope.bind(out, scope.b.wrap(once), False)

    def lanes_call(self, scope: LaneScope, equation: Equation, op: Call, values: list[LaneValue]) -> None:
        if not any(v.over for v in values):
            values = [LaneValue(scope.b.atom(scope.over(values[0])), True, scope.base), *values[1:]]
        far = tuple(v.atom.type.dtype == "rng" and not scope.here(v) for v in values)
        name = self.function(op.function, ParameterKinds(tuple(v.over for v in values), far))
        operands = [v.atom if f else scope.b.atom(scope.use(v)) for v, f in zip(values, far)]
        operands += [scope.b.atom(scope.rows(v.home)) for v, f in zip(values, far) if f]
        streams = iter([v for v in values if v.atom.type.dtype == "rng"])
        before = {out: next(streams) for out in equation.outs if out.type.dtype == "rng"}
        outs = [
            Var(o.name, before[o].atom.type if o in before else scope.type(o.type, True))
            for o in equation.outs
        ]
        if op.function in self.failing:
            outs.append(Var("failed", scope.type(I8, True)))
            scope.failed = outs[-1]
        scope.b.emit(tuple(outs), Call(name, tuple(operands)))
        for out, new in zip(equation.outs, outs):
            if out in before:
                scope.enter_written(out, scope.b.wrap(new), before[out])
            else:
                scope.bind(out, scope.b.wrap(new), True)
