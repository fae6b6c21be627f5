"""Calls of transformed functions inside a program: `grad(f)(x)` in the user's code is the gradient's program, called.

A transformation of a nested function (`grad(lambda y: x * y)`) transforms it with the values it reads as further
arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from codegen.infer.calls.binding import Arguments, Keywords, bind_call
from codegen.infer.calls.results import argument_sizes, type_at_call
from codegen.infer.calls.returned_functions import Applied, as_nests
from codegen.infer.frame import Frame
from codegen.infer.inference import Inference
from codegen.infer.main import Signature, Traced, trace_define
from codegen.infer.memory.aliases import reachable_cells
from codegen.infer.objects.fields import NOT_GIVEN, as_they_are
from codegen.infer.objects.placed import Placed
from codegen.infer.texts.chosen import with_own_numbers
from codegen.infer.values import Closure, Nest, Ref, Static, Value, leaves, rebuild
from codegen.ir import Call, Lit, Type, Var
from codegen.ir.traversal import renamed_functions


@dataclass(frozen=True, eq=False)
class Lifted:
    """A nested function with the values it reads as arguments after its own."""

    closure: Closure
    captured: tuple[str, ...]
    frame: Frame

    @property
    def __wrapped__(self) -> Any:
        return self.closure

    @property
    def __name__(self) -> str:
        return self.closure.label

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        """As codegen.infer.trace.trace, the captured values last."""
        define, home = self.closure.define, self.closure.frame
        around = self.frame.inference
        inference = Inference(
            around.run, around.call, around.text, around.attribute, known_sizes, fields=around.fields
        )
        shell = Frame(inference, define, home.globals)
        count = len(signature) - len(self.captured)
        bound = bind_call(define, signature[:count], keywords, self.closure.defaults)
        captured = dict(zip(self.captured, signature[count:], strict=True))
        return trace_define(inference, shell, define, home.globals, captured, bound, self.__name__)


def transform(frame: Frame, transformation: Any, arguments: Arguments, keywords: Keywords) -> Value:
    """`grad(f, ...)` met in a program."""
    if not arguments:
        raise frame.refusal(f"{transformation.__name__} takes a function")
    function, *rest = arguments
    options = [transformation_option(frame, transformation, v) for v in rest]
    named = {k: transformation_option(frame, transformation, v) for k, v in keywords.items()}
    if getattr(transformation, "__unchanged__", False) and isinstance(function, Static | Closure):
        return function
    if isinstance(function, Static):
        if isinstance(function.value, Applied):
            inner = function.value
            return Static(Applied(transformation(inner.function, *options, **named), inner.extra))
        return Static(transformation(function.value, *options, **named))
    if isinstance(function, Closure):
        captured = frame.captured_values(function)
        lifted = Lifted(function, tuple(captured), frame)
        held = tuple(as_nests(frame, value, frame.span) for value in captured.values())
        return Static(Applied(transformation(lifted, *options, **named), held))
    raise frame.refusal(f"{transformation.__name__} takes a function, not {frame.describe(function)}")


def transformation_option(frame: Frame, transformation: Any, value: Value) -> Any:
    """What a transformation is told beside its function, as `argnums`: a constant of the program."""
    if all(isinstance(leaf, Static | Lit | Closure) for leaf in leaves(value)):
        return frame.give(value)
    raise frame.refusal(
        f"what {transformation.__name__} is told beside its function must be known before the program runs"
    )


def call_transformed(frame: Frame, obj: Any, arguments: Arguments, keywords: Keywords, name: str) -> Value:
    """A Call of a transformed function's program, its functions joined to this one's."""
    given: Arguments = arguments
    while isinstance(obj, Applied):
        obj, given = obj.function, (*given, *obj.extra)
    if hasattr(obj, "rows"):
        given, keywords = obj.rows(frame, given, keywords, frame.span)
    given = tuple(as_argument(frame, value) for value in given)
    keywords = {key: as_argument(frame, value) for key, value in keywords.items()}
    signature = tuple(signature_of(frame, value) for value in given)
    named = {key: signature_of(frame, value) for key, value in keywords.items()}
    with frame.refusing():
        traced, main, written = splice_program(frame, obj, signature, named)
    values = [*given, *keywords.values()]
    objects = [leaf for value in values for leaf in leaves(value) if not isinstance(leaf, Static | Closure)]
    operands = [frame.atom(leaf) for leaf in objects]
    operands += [frame.atom(frame.capture(array, "data")) for array in traced.hidden]
    function = frame.inference.functions[main]
    sizes = argument_sizes(function.params, operands)
    outs = tuple(Var(name, type_at_call(r.type, sizes)) for r in function.body.results)
    frame.b.emit(outs, Call(main, tuple(operands)))
    put_streams(frame, objects, outs)
    put_written(frame, objects, written, outs)
    rest = iter(outs)

    def make(leaf: Any) -> Any:
        if not isinstance(leaf, Type):
            return frame.constant(leaf.value, name) if isinstance(leaf, Static) else leaf
        out = next(rest)
        return frame.new(out, name) if out.type.rank else out

    return with_own_numbers(frame, rebuild(traced.out, make))


def as_argument(frame: Frame, value: Value) -> Value:
    """A value with what its fields hold now, and with what the functions in it hold."""
    return as_nests(frame, as_they_are(frame, value, frame.span), frame.span)


def splice_program(
    frame: Frame, obj: Any, signature: Signature, keywords: dict[str, Any]
) -> tuple[Traced, str, tuple[int, ...]]:
    """A transformed function traced for a signature, its functions added under free names; once per kinds. And the
    arguments that its last results are left in."""
    inference = frame.inference
    named = tuple((k, signature_key(v)) for k, v in keywords.items())
    key = (id(obj), tuple(map(signature_key, signature)), named)
    if key not in inference.splices:
        written: tuple[int, ...] = ()
        if hasattr(obj, "writing"):
            traced, written = obj.writing(signature, keywords, known_sizes=inference.known_sizes)
        else:
            traced = obj.trace(signature, keywords, known_sizes=inference.known_sizes)
        names: dict[str, str] = {}
        for name in traced.program.functions:
            names[name] = inference.fresh(name)
            inference.reserved.add(names[name])
        inference.functions |= renamed_functions(traced.program.functions, names)
        inference.splices[key] = (traced, names[traced.program.main], written, obj)
    traced, main, written, _ = inference.splices[key]
    return traced, main, written


def put_written(
    frame: Frame, objects: Sequence[Value], written: Sequence[int], outs: tuple[Var, ...]
) -> None:
    """Arrays that went in and were written come back last."""
    for k, out in zip(written, outs[len(outs) - len(written) :], strict=True):
        mine = reachable_cells(objects[k])
        if any(not mine.isdisjoint(reachable_cells(other)) for m, other in enumerate(objects) if m != k):
            raise frame.refusal("an array that the lanes write is given to them twice: give them a copy")
        frame.write(objects[k], out)


def put_streams(frame: Frame, objects: Sequence[Value], outs: tuple[Var, ...]) -> None:
    """Streams that went in come back last, advanced."""
    streams = [
        leaf for leaf in objects if isinstance(leaf, Ref) and frame.st.store[leaf.cell].type.dtype == "rng"
    ]
    advanced = [out for out in outs if out.type.dtype == "rng"]
    for stream, out in zip(streams, advanced, strict=False):
        frame.write(stream, out)


def signature_of(frame: Frame, value: Value) -> Any:
    """A value's entry in a signature."""
    match value:
        case Placed(cls):
            raise frame.refusal(NOT_GIVEN.format(cls.__name__))
        case Nest(_, items):
            return value.with_items(tuple(signature_of(frame, item) for item in items))
        case Static() | Closure():
            return value
    return frame.atom(value).type


def signature_key(entry: Any) -> Any:
    match entry:
        case Nest(cls, items, keys):
            return cls, keys, tuple(signature_key(item) for item in items)
        case Type(dtype, shape, weak):
            return dtype, weak, tuple(n if isinstance(n, int) else ("size", n.name) for n in shape)
        case Static(obj):
            return "static", id(obj)
    return "closure", id(entry)
