"""Calls of transformed functions inside a program: `grad(f)(x)` in the user's code is the gradient's program, called.

A transformation of a nested function (`grad(lambda y: x * y)`) transforms it with the values it reads as further
arguments.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from codegen.infer.calls import Arguments, Keywords, bind, captured_values
from codegen.infer.frame import Frame
from codegen.infer.inference import Inference
from codegen.infer.packing import argument_sizes, outer_type
from codegen.infer.trace import Signature, Traced, trace_define
from codegen.infer.values import Closure, Nest, Ref, Static, Value, View, describe, leaves, rebuild
from codegen.ir import Apply, Block, Call, Equation, For, Function, If, Operation, Type, Var, While
from codegen.read.tree import Define
from codegen.source import Span, refuse


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
        define = self.closure.define
        return define.name if isinstance(define, Define) else "lambda"

    def trace(self, signature: Signature, keywords: dict[str, Any], *, known_sizes: bool = False) -> Traced:
        """As codegen.infer.trace.trace, the captured values last."""
        define, home = self.closure.define, self.closure.frame
        inference = Inference(known_sizes)
        shell = Frame(inference, define, home.globals)
        count = len(signature) - len(self.captured)
        bound = bind(define.parameters, signature[:count], keywords, lambda p: None, self.__name__, define.span)
        captured = dict(zip(self.captured, signature[count:], strict=True))
        return trace_define(inference, shell, define, home.globals, captured, bound, self.__name__)


@dataclass(frozen=True, eq=False)
class Applied:
    """A transformed nested function, with the values that go after its arguments. Callable in the user's program."""

    function: Any
    extra: tuple[Value, ...]

    @property
    def __wrapped__(self) -> Any:
        return self.function

    @property
    def trace(self) -> Any:
        return self.function.trace


def transform(frame: Frame, transformation: Any, arguments: Arguments, keywords: Keywords, span: Span) -> Value:
    """`grad(f, ...)` met in a program."""
    if not arguments:
        raise refuse(span, f"{transformation.__name__} takes a function")
    function, *rest = arguments
    options = [frame.give(v, span) for v in rest]
    named = {k: frame.give(v, span) for k, v in keywords.items()}
    if isinstance(function, Static):
        if isinstance(function.value, Applied):
            inner = function.value
            return Static(Applied(transformation(inner.function, *options, **named), inner.extra))
        return Static(transformation(function.value, *options, **named))
    if isinstance(function, Closure):
        captured = captured_values(frame, function)
        lifted = Lifted(function, tuple(captured), frame)
        return Static(Applied(transformation(lifted, *options, **named), tuple(captured.values())))
    raise refuse(span, f"{transformation.__name__} takes a function, not {describe(function, frame.st.store)}")


def call_transformed(
    frame: Frame, obj: Any, extra: Arguments, arguments: Arguments, keywords: Keywords, span: Span, name: str
) -> Value:
    """A Call of a transformed function's program, its functions joined to this one's."""
    if isinstance(obj, Applied):
        return call_transformed(frame, obj.function, obj.extra, arguments, keywords, span, name)
    given = (*arguments, *extra)
    signature = tuple(signature_of(frame, value) for value in given)
    named = {key: signature_of(frame, value) for key, value in keywords.items()}
    key = (id(obj), tuple(map(signature_key, signature)), tuple((k, signature_key(v)) for k, v in named.items()))
    traced, main = frame.inference.spliced(key, obj, signature, named)
    values = [*given, *keywords.values()]
    objects = [leaf for value in values for leaf in leaves(value) if not isinstance(leaf, Static | Closure)]
    operands = [frame.atom(leaf, span) for leaf in objects]
    operands += [frame.atom(frame.capture(array, "data")) for array in traced.hidden]
    function = frame.inference.functions[main]
    sizes = argument_sizes(function.params, operands)
    outs = tuple(Var(name, outer_type(r.type, sizes)) for r in function.body.results)
    frame.b.emit(outs, Call(main, tuple(operands)))
    put_streams(frame, objects, outs, span)
    rest = list(outs)

    def make(leaf: Any) -> Any:
        if not isinstance(leaf, Type):
            return frame.constant(leaf.value, name, span) if isinstance(leaf, Static) else leaf
        out = rest.pop(0)
        return frame.new(out, name) if out.type.rank else out

    return rebuild(traced.out, make)


def put_streams(frame: Frame, objects: list[Value], outs: tuple[Var, ...], span: Span) -> None:
    """Streams that went in come back last, advanced."""
    streams = [leaf for leaf in objects if isinstance(leaf, Ref) and frame.st.store[leaf.cell].type.dtype == "rng"]
    advanced = [out for out in outs if out.type.dtype == "rng"]
    for stream, out in zip(streams, advanced, strict=False):
        frame.write(stream, out, span)


def signature_of(frame: Frame, value: Value) -> Any:
    """A value's entry in a signature."""
    match value:
        case Nest(_, items):
            return value.with_items(tuple(signature_of(frame, item) for item in items))
        case Ref() | View():
            return frame.atom(value).type
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


def renamed(function: Function, names: dict[str, str]) -> Function:
    """A function whose Calls go to other names, under its own other name."""
    return Function(names[function.name], function.params, recalled(function.body, names), function.span, function.doc)


def recalled(block: Block, names: dict[str, str]) -> Block:
    return Block(tuple(Equation(e.outs, recalled_op(e.op, names), e.span) for e in block.equations), block.results)


def recalled_op(op: Operation, names: dict[str, str]) -> Operation:
    match op:
        case Apply():
            return op
        case Call(function, operands):
            return Call(names[function], operands)
        case If(test, then, orelse):
            return If(test, recalled(then, names), recalled(orelse, names))
        case For():
            return For(op.index, op.start, op.stop, op.step, op.carried, op.init, recalled(op.body, names), op.kind)
        case While(carried, init, cond, body):
            return While(carried, init, recalled(cond, names), recalled(body, names))


__all__ = ["Applied", "Lifted", "call_transformed", "renamed", "transform"]
