"""Random functions that step grids in time: neighbours by slices, joins and loops, borders kept, set and copied, or
none, where an axis is a ring.

    text = random_steps(seed, rank)     the text of `def f(u, v, k, steps): ...`; u, v of that rank, k of five numbers

Every value stays bounded, and a few functions look far: at sums, at the other end, at the place itself.
"""

from __future__ import annotations

import random


class Steps:
    def __init__(self, seed: int, rank: int):
        self.random = random.Random(seed)
        self.rank = rank
        self.lines: list[str] = []
        self.grids = ["u", "v"]
        self.rings = {axis for axis in range(rank) if self.random.random() < 0.3}

    def is_ring(self, axis: int) -> bool:
        """Whether an axis has no ends; seldom a statement takes one for another."""
        return (axis in self.rings) != (self.random.random() < 0.02)

    def pick(self, items):
        return self.random.choice(items)

    def cut(self, start: int, less: int) -> str:
        """A slice that leaves out `less` places, from `start`."""
        stop = start - less
        return f"{start or ''}:{stop or ''}"

    def whole(self, axis: int, inside: str) -> str:
        """A subscript of all axes, cut along one."""
        return ", ".join(inside if k == axis else ":" for k in range(self.rank))

    def near(self) -> str:
        """A grid, each element a neighbour's; the border repeated."""
        g, axis, far = self.pick(self.grids), self.random.randrange(self.rank), self.pick([1, 1, 2])
        first, last = self.whole(axis, f":{far}"), self.whole(axis, f"-{far}:")
        before, after = self.whole(axis, f":-{far}"), self.whole(axis, f"{far}:")
        if self.is_ring(axis):
            by = self.pick([f"{g}[{last}], {g}[{before}]", f"{g}[{after}], {g}[{first}]", ""])
            joined = f"np.concatenate(({by}), axis={axis})"
            return joined if by else f"np.roll({g}, {self.pick([-far, far])}, axis={axis})"
        if self.random.random() < 0.3:
            inside = self.whole(axis, self.pick([f":-{2 * far}", f"{2 * far}:", f"{far}:-{far}"]))
            return f"np.concatenate(({g}[{first}], {g}, {g}[{last}]), axis={axis})[{inside}]"
        pieces = self.pick([f"{g}[{first}], {g}[{before}]", f"{g}[{after}], {g}[{last}]"])
        return f"np.concatenate(({pieces}), axis={axis})"

    def inner(self, less: list[int]) -> str:
        """A grid without `less` places along each axis, from anywhere."""
        cuts = [self.cut(self.random.randint(0, n), n) for n in less]
        return f"{self.pick(self.grids)}[{', '.join(cuts)}]"

    def statement(self) -> None:
        match self.random.randrange(9):
            case 0:
                self.made(f"0.5 * {self.pick(self.grids)} + 0.25 * ({self.near()} - {self.near()})")
            case 1:
                less = [0 if self.is_ring(axis) else self.pick([1, 2, 2, 3]) for axis in range(self.rank)]
                own = ", ".join(self.cut(self.random.randint(0, n), n) for n in less)
                value = f"0.5 * {self.inner(less)} + 0.3 * np.sin({self.inner(less)}) * k[{self.random.randrange(5)}]"
                self.lines.append(f"{self.fresh()}[{own}] = {value}")
            case 2:
                g, axis = self.pick(self.grids), self.random.randrange(self.rank)
                if self.is_ring(axis):
                    return
                at, of = self.pick([("0", "1"), ("-1", "-2"), (":2", "1:3"), ("-2:", "-3:-1"), ("1", "0")])
                value = self.pick([f"{g}[{self.whole(axis, of)}]", "0.25"])
                self.lines.append(f"{g}[{self.whole(axis, at)}] = {value}")
            case 3:
                a, b = self.pick(self.grids), self.pick(self.grids)
                self.made(f"np.where({a} > {b}, np.cos({a}), 0.5 * {b})")
            case 4 | 5 | 6:
                self.loops()
            case 7:
                self.made(f"{self.pick(self.grids)} * k[2] - 0.1")
            case 8 if self.random.random() < 0.2:
                self.far()

    def made(self, value: str) -> None:
        name = f"w{len(self.lines)}"
        self.lines.append(f"{name} = {value}")
        self.grids.append(name)

    def fresh(self) -> str:
        """A grid to write into."""
        how = self.pick(["np.zeros_like({})", "{}.copy()", "{}"]).format(self.pick(self.grids))
        if how in self.grids:
            return how
        self.made(how)
        return self.grids[-1]

    def loops(self) -> None:
        into, indices = self.fresh(), "ij"[: self.rank]
        rings = {index for axis, index in enumerate(indices) if self.is_ring(axis)}
        bounds = [(0, 0) if i in rings else (self.pick([0, 1, 2]), self.pick([0, 1, 2])) for i in indices]
        depth = 0
        for index, size, (low, high) in zip(indices, "nm", bounds):
            self.lines.append("    " * depth + f"for {index} in range({low}, {size} - {high}):")
            depth += 1
        source = self.pick([g for g in self.grids if g != into] or ["u"])

        def near() -> str:
            wrap = self.random.random() < 0.08  # an index below 0 is at the other end
            places = []
            for index, size, (low, high) in zip(indices, "nm", bounds):
                if index in rings:
                    places.append(
                        self.pick(
                            [
                                f"{index} - {self.pick([1, 2])}",
                                f"({index} + {self.pick([1, 2])}) % {size}",
                                f"({index} - 1 + {size}) % {size}",
                            ]
                        )
                    )
                else:
                    places.append(f"{index} + {self.random.randint(-low - wrap, high)}")
            return ", ".join(places)

        add = "    " * depth
        value = f"0.5 * {source}[{near()}] - 0.3 * {self.pick([source, source, into])}[{near()}]"
        ends = [(index, size) for index, size in zip(indices, "nm") if index not in rings]
        if ends and self.random.random() < 0.4:
            index, size = self.random.choice(ends)
            test = self.pick([f"{index} > 2", f"{index} < {size} - 2", f"{index} == 0"])
            value = f"{value} if {test} else 0.1 * {source}[{', '.join(indices)}]"
        if ends and self.random.random() < 0.3:
            index, less = self.pick(ends)[0], self.pick([1, 1, 2])
            before = ", ".join(f"{k} - {less}" if k == index else k for k in indices)
            after = self.pick(
                [f"{index} >= {less}", f"{index} > {less - 1}", f"{less} <= {index}", f"not {index} < {less}"]
            )
            value = f"0.4 * ({source}[{before}] if {after} else 0.7) + 0.5 * ({value})"
        if self.random.random() < 0.3:
            self.lines += [f"{add}s = 0.0", f"{add}for d in range({self.pick([2, 3])}):"]
            self.lines += [f"{add}    s += k[d] * {source}[{', '.join(indices)}]"]
            value = f"0.2 * s + ({value})"
        self.lines.append(f"{add}{into}[{', '.join(indices)}] = {value}")

    def far(self) -> None:
        g, h = self.pick(self.grids), self.pick(self.grids)
        self.made(
            self.pick(
                [
                    f"{g} / (1.0 + np.sum({h}) ** 2)",
                    f"np.concatenate(({g}[-1:], {g}[:-1]))",
                    f"{g} + 0.1 * {h}[{', '.join('3' for _ in range(self.rank))}]",
                    f"{g} * (1.0 / n)",
                ]
            )
        )

    def text(self) -> str:
        while len(self.lines) < 4:
            self.statement()
        made = [g for g in self.grids if g not in "uv"] or self.grids
        sizes = "n, m = u.shape" if self.rank == 2 else "n = len(u)"
        body = "\n        ".join([*self.lines, f"u, v = {self.pick(made)}, {self.pick(self.grids)}"])
        return f"""import numpy as np


def f(u, v, k, steps):
    {sizes}
    u, v = u.copy(), v.copy()
    for t in range(steps):
        {body}
    return u, v
"""


def random_steps(seed: int, rank: int) -> str:
    return Steps(seed, rank).text()
