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
    ir.LibraryCall: "{out} <- {op}({operands})",
    ir.MakeStream: "stream {to} <- {op}({operands})",
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
    return "\n".join((f"{name}{' (vectors)' * vectors}:", *indented_lines(region))) + "\n"


def indented_lines(region: Region) -> Iterator[str]:
    for stmt in region:
        yield from (f"  {line}" for line in lines(stmt))


def lines(stmt: Stmt) -> Iterator[str]:
    match stmt:
        case ir.Step(body):
            yield from (line for each in body for line in lines(each))
        case ir.If(test, then, orelse):
            yield f"if {shown(test)}:"
            yield from indented_lines(then)
            if orelse:
                yield "else:"
                yield from indented_lines(orelse)
        case ir.Loop(index, start, stop, step, body, strip):
            strips = f"  # in strips of {strip}" if strip else ""
            yield f"for {index.name} in range({shown(start)}, {shown(stop)}, {step}):{strips}"
            yield from indented_lines(body)
        case ir.While(head, test, body):
            yield f"while {shown(test)}:" if not head else "loop:"
            yield from indented_lines(head)
            yield from [f"  leave unless {shown(test)}"] if head else []
            yield from indented_lines(body)
        case _:
            yield shown(stmt)


def shown(node: Any) -> str:
    """A value, a memory or a statement without others inside."""
    match node:
        case Lit(known):
            return repr(known)
        case Apply(primitive):
            return str(primitive)
        case tuple():
            return ", ".join(map(shown, node))
        case ir.Memory(_, name, first, _, _, top):
            return f"{name}[{' + '.join(filter(None, (top, shown(first))))}]"
        case ir.Address(memory, places):
            return f"{shown(memory)[:-1]}{''.join(f', {shown(p)}' for p in places)}]"
        case ir.Operation(op, operands, eager=eager):
            return f"{shown(op)}{'!' * eager}({shown(operands)})"
        case ir.Select(test, then, orelse, eager=True):
            return f"select!({shown((test, then, orelse))})"
        case ir.StackFrame(arena, content=content):
            return f"{arena}[{', '.join(f'{shown(each)} at {at}' for each, at in content)}]"
        case ir.Assign(out, value, _, reassociated):
            return f"{out.name} = {shown(value)}{'  # in any order' * reassociated}"
        case ir.Accumulate(to, value, minus):
            return f"{shown(to)} <- {shown(to)} {'-' if minus else '+'} {shown(value)}"
        case ir.Copy(pairs, now, test=test, others=others):
            chosen = f" if {shown(test)} else {shown(others)}" if test is not None else ""
            targets, sources = map(shown, zip(*pairs, strict=True))
            return f"copy {targets} <- {sources}{chosen}{'' if now else '  # if needed'}"
        case ir.Next(then, test, orelse):
            return f"next {shown(then)}" + (
                f" if {shown(test)} else {shown(orelse)}" if test is not None else ""
            )
        case ir.Probe(noted):
            return "; ".join(noted)
        case _ if type(node) not in FORMS:
            return str(node)
    return FORMS[type(node)].format(**{name: shown(part) for name, part in vars(node).items()})
