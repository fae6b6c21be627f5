"""The plain listing of kernels, for `.stages()` and the checker's complaints.

leaf (vectors):
  q = F[ENERGY]
  for k in range(0, 3, 1):
    F[MOMENTUM, k] <- add(F[MOMENTUM, k], q)
  next 7
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from autobatch.kernel import ir
from autobatch.kernel.ir import Region, Stmt
from codegen.ir import Apply, Lit

FORMS = {
    ir.Register: "{name}",
    ir.Element: "{address}",
    ir.Quotient: "quotient({operands}, {inverse})",
    ir.Select: "({then} if {test} else {orelse})",
    ir.Either: "{then} if {test} else {orelse}",
    ir.Move: "{outs} = {values}",
    ir.Store: "{address} <- {value}",
    ir.Fill: "fill {memory} <- {value}",
    ir.Draw: "{out} = {op}({operands})",
    ir.DrawArray: "{out} <- {op}({operands})",
    ir.CopyStream: "stream {to} <- {source}",
    ir.Check: "check {test}, else fail {site}",
    ir.Fail: "fail {site}",
    ir.Look: "look whether to stop",
    ir.LeaveIfFailed: "leave if failed",
    ir.Push: "push {frames}",
    ir.Pop: "pop {frames}",
    ir.Needed: "needed {memories}",
    ir.Wait: "wait at {place}",
}


def listing(name: str, region: Region, *, vectors: bool = False) -> str:
    """A line a statement."""
    return "\n".join((f"{name}{' (vectors)' * vectors}:", *indented(region))) + "\n"


def indented(region: Region) -> Iterator[str]:
    for stmt in region:
        yield from (f"  {line}" for line in lines(stmt))


def lines(stmt: Stmt) -> Iterator[str]:
    match stmt:
        case ir.Step(body):
            yield from (line for each in body for line in lines(each))
        case ir.If(test, then, orelse):
            yield f"if {show(test)}:"
            yield from indented(then)
            if orelse:
                yield "else:"
                yield from indented(orelse)
        case ir.Loop(index, start, stop, step, body, strip):
            strips = f"  # in strips of {strip}" if strip else ""
            yield f"for {index.name} in range({show(start)}, {show(stop)}, {step}):{strips}"
            yield from indented(body)
        case ir.While(head, test, body):
            yield f"while {show(test)}:" if not head else "loop:"
            yield from indented(head)
            yield from [f"  leave unless {show(test)}"] if head else []
            yield from indented(body)
        case _:
            yield show(stmt)


def show(node: Any) -> str:
    """A value, a memory or a statement without others inside."""
    match node:
        case Lit(known):
            return repr(known)
        case Apply(primitive):
            return primitive.name
        case tuple():
            return ", ".join(map(show, node))
        case ir.Memory(_, name, first, _, _, top):
            return f"{name}[{' + '.join(filter(None, (top, show(first))))}]"
        case ir.Address(memory, places):
            return f"{show(memory)[:-1]}{''.join(f', {show(p)}' for p in places)}]"
        case ir.Operation(op, operands, eager=eager):
            return f"{show(op)}{'!' * eager}({show(operands)})"
        case ir.Frame(arena, content=content):
            return f"{arena}[{', '.join(f'{show(each)} at {at}' for each, at in content)}]"
        case ir.Assign(out, value, _, reassociated):
            return f"{out.name} = {show(value)}{'  # in any order' * reassociated}"
        case ir.Accumulate(to, value, minus):
            return f"{show(to)} <- {show(to)} {'-' if minus else '+'} {show(value)}"
        case ir.Copy(pairs, now, test=test, others=others):
            chosen = f" if {show(test)} else {show(others)}" if test is not None else ""
            targets, sources = map(show, zip(*pairs, strict=True))
            return f"copy {targets} <- {sources}{chosen}{'' if now else '  # if needed'}"
        case ir.Next(then, test, orelse):
            return f"next {show(then)}" + (
                f" if {show(test)} else {show(orelse)}" if test is not None else ""
            )
        case ir.Probe(noted):
            return "; ".join(noted)
        case _ if type(node) not in FORMS:
            return str(node)
    return FORMS[type(node)].format(**{name: show(part) for name, part in vars(node).items()})
