"""One lane after the other: lanewise : Program, which arguments are over lanes -> Program.

    def f(x, n): ...                   def f_lanes(x, n):                # x: [lanes], n shared
                                  ->       result = np.empty(len(x))
                                           for k in range(len(x)):
                                               result[k] = f(x[k], n)
                                           return result

An ordinary loop around the function as it is: what it does may be differentiated, batched again and
compiled like any other program. A lane that fails ends the program.
"""

from __future__ import annotations

from collections.abc import Sequence

from autobatch.lanes.axes import varying
from autobatch.lanes.batching_rules import Carried, new_home, over_all
from autobatch.lanes.local_static import check_arguments, fresh
from autobatch.lanes.masks import Scope, Whole
from autobatch.lanes.walk import run
from codegen.analysis.calls import call_graph
from codegen.ir import Call, Function, Lit, Program, Type, Var, program
from codegen.ir.build import Builder

I8 = Type("i8")


def lanewise(one: Program, over: Sequence[bool]) -> Program:
    """`one` in a loop over lanes; `over` says which of its parameters are given per lane. Results have
    lanes first.

    Errors as for `local_static`: SourceError for results whose sizes the lanes' own numbers give.
    """
    check_arguments(one, over)
    entry = one.entry
    recursive = any(one.main in called for called in call_graph(one).values())
    name = fresh(f"{one.main}_lane", set(one.functions))
    inner_name = one.main if recursive else name
    outer_name = fresh(f"{one.main}_lanes", set(one.functions)) if recursive else one.main
    b = Builder(span=entry.span, checked=False)
    scope = Scope(Whole(one, run, lambda *_: None), b, b.wrap(Var("lanes", I8)))
    params = []
    for var, o in zip(entry.params, over):
        params.append(Var(var.name, scope.type(var.type, o)))
        scope.bind(var, b.wrap(params[-1]), o)
    results = each_lane(scope, entry, params, over, inner_name)
    function = Function(outer_name, tuple(params), b.block(results), entry.span, entry.doc)
    functions = {n: f for n, f in one.functions.items() if n != one.main}
    functions[inner_name] = Function(inner_name, entry.params, entry.body, entry.span, entry.doc)
    return program({**functions, outer_name: function}, outer_name)


def each_lane(
    scope: Scope, entry: Function, params: Sequence[Var], over: Sequence[bool], name: str
) -> tuple[object, ...]:
    """The loop, and the arrays over lanes that it fills."""
    b, inner, k = scope.b, scope.b.inner(), Var("k", I8)
    streams = {p: Var(p.name, p.type) for p, o in zip(params, over) if o and p.type.dtype == "rng"}
    sources = [streams.get(p, p) for p in params]
    operands = [
        inner.atom(inner.apply("index", s, k, spec=("i",), name=s.name)) if o else s
        for s, o in zip(sources, over)
    ]
    outs = tuple(Var(named(r), one_lane(scope, r.type)) for r in entry.body.results)
    inner.emit(outs, Call(name, tuple(operands)))
    waiting = iter(streams.items())
    carried: list[Carried] = []
    for out in outs:
        if out.type.dtype == "rng":
            before, here = next(waiting)
            after = inner.apply("update", inner.wrap(here), out, k, spec=("i",), name=here.name)
            carried.append((here, before, after))
        else:
            carried.append(new_home(b, inner, scope.n, k, inner.wrap(out)))
    return over_all(b, inner, scope.n, k, carried)


def named(atom: Var | Lit) -> str:
    return atom.name if isinstance(atom, Var) else "result"


def one_lane(scope: Scope, type_: Type) -> Type:
    """The type of a lane's result outside its function: sizes are known, or those of arguments."""
    for dim in type_.shape:
        if isinstance(dim, Var) and scope.find(dim) is None:
            raise varying(scope.b, "a result whose size is computed")
    return Type(type_.dtype, tuple(scope.dim(d) for d in type_.shape))
