"""Of what a loop saves for its linear half, less: what is made of it, where that is fewer bytes. A minimum cut.

    x = xs[i]; y = ys[i]                saved: x, y                       (16 bytes an iteration)
    b = x < y or x == y and i < k  ->   saved: b                          (1 byte)
    xs[i] = ...
    x_dot = where(b, x_dot, y_dot)

Nodes are equations. What one costs are the bytes of its numbers that are wanted; arrays are left where they are. Of
cuts that cost the same that which is nearest to what was saved before, so that as much is run again. Ford and
Fulkerson, Maximal flow through a network, Canadian Journal of Mathematics 8 (1956), theorem 1.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterable, Sequence
from itertools import pairwise

from autodiff.sizes.scope import Brings, bound, mentions
from codegen.ir import Equation, Var

Node = tuple[int, bool]  # the place of an equation, and whether what it makes is meant, or what makes it
SOURCE: Node = (-1, False)
SINK: Node = (-1, True)
UNBOUNDED = 2**40


def least_saved(
    saved: Sequence[Equation],
    again: Sequence[Equation],
    wanted: Container[Var],
    used: Container[Var],
    brought: Brings,
) -> set[Equation]:
    """Of the equations that are run again those to be saved, in place of some of the `saved`, which make numbers.

    `wanted`: what is asked for beside what is run again; `used`: that, and what is run again.
    """
    nodes, network = [*saved, *again], Network()
    made = {v: k for k, each in enumerate(nodes) for v in bound(each, brought)}
    for k, each in enumerate(nodes):
        outs = bound(each, brought)
        network.edge((k, False), (k, True), bytes_to_save(v for v in outs if v in used))
        if any(v in wanted for v in outs):
            network.edge((k, True), SINK, UNBOUNDED)
        before = {made[v] for v in mentions(each, brought) if v in made}
        for start in [SOURCE] if k < len(saved) else [(j, True) for j in before]:
            network.edge(start, (k, False), UNBOUNDED)
    near = network.near_source()
    return {nodes[k] for k in range(len(saved), len(nodes)) if (k, False) in near and (k, True) not in near}


def bytes_to_save(variables: Iterable[Var]) -> int:
    """What numbers take in memory; without bound where one is an array or a stream."""
    total = 0
    for var in variables:
        size = var.type.dtype[1:]
        total += UNBOUNDED if var.type.rank or not size.isdigit() else int(size)
    return total


class Network:
    """A network: what may still flow from node to node."""

    def __init__(self) -> None:
        self.room: dict[Node, dict[Node, int]] = {SOURCE: {}, SINK: {}}

    def edge(self, start: Node, end: Node, most: int) -> None:
        self.room.setdefault(start, {})[end] = most
        self.room.setdefault(end, {}).setdefault(start, 0)

    def reach(self) -> dict[Node, Node]:
        """The nodes to which more may flow, breadth first, each with the one before it."""
        found, todo = {SOURCE: SOURCE}, deque([SOURCE])
        while todo:
            start = todo.popleft()
            for end, most in self.room[start].items():
                if most and end not in found:
                    found[end] = start
                    todo.append(end)
        return found

    def near_source(self) -> Container[Node]:
        """The nodes on the side of the source of the minimum cut that is nearest to it."""
        while SINK in (found := self.reach()):
            way = [SINK]
            while way[-1] != SOURCE:
                way.append(found[way[-1]])
            steps = [(start, end) for end, start in pairwise(way)]
            most = min(self.room[start][end] for start, end in steps)
            for start, end in steps:
                self.room[start][end] -= most
                self.room[end][start] += most
        return found
