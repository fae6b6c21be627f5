"""Parts of arrays that are read for their sizes alone: sizes_of_parts : Block -> Block, with the sizes computed.

    t = xs[k, 1:-1]                    n = max(len(xs[k]) - 2, 0)
    y = np.zeros(len(t))       ->      y = np.zeros(n)

Then nothing hangs on the array, whose rows reverse mode would keep.
"""

from __future__ import annotations

from codegen.ir import Apply, Atom, Block, Equation, Var
from codegen.ir.build import Builder
from codegen.ir.kinds import Access
from codegen.ir.substitution import free_in, keep, nothing, rewrite, rewrite_op, sizes
from codegen.ir.traversal import operands
from codegen.loops.elements import slot_sizes


def sizes_of_parts(block: Block) -> Block:
    read = set(operands(block))

    def expanded(equation: Equation, env: dict[Var, Atom]) -> list[Equation] | None:
        op = equation.op
        if not isinstance(op, Apply) or op.primitive.kind is not Access.READ or equation.outs[0] in read:
            return None
        brought = set(sizes(equation.outs[0].type)).difference(free_in(op))
        if not brought:
            return None
        part = rewrite_op(op, env, keep, nothing)
        assert isinstance(part, Apply)
        b = Builder(span=equation.span, checked=False)
        found = slot_sizes(b, part.operands[0].type, part.params["spec"], part.operands[1:])
        env.update(
            (d, b.atom(n))
            for d, n in zip(equation.outs[0].type.shape, found)
            if isinstance(d, Var) and d in brought
        )
        return [*b.equations, Equation((keep(equation.outs[0], env),), part, equation.span)]

    return rewrite(block, {}, keep, expanded)
