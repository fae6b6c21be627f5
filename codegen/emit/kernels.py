"""A loop that threads of a GPU share as text: a kernel, and the function that launches it.

    def f_loop(result, x, s):                  @cuda.jit
        for i in range(len(x)):                def f_loop_kernel(result, x, s_parts):
            result[i] = x[i]                       s = 0.0
            s += x[i]                  ->          for i in range(cuda.grid(1), len(x), cuda.gridsize(1)):
        return result, s                               result[i] = x[i]
                                                       s += x[i]
                                                   block_sum(s, s_parts)


                                               def f_loop(result, x, s):
                                                   s_parts = cp.zeros(BLOCKS)
                                                   f_loop_kernel[BLOCKS, THREADS](result, x, s_parts)
                                                   return result, s + np.float64(cp.sum(s_parts).item())

A number that iterations add to begins at 0 in each thread.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from codegen.emit.coalescing import claim
from codegen.emit.spelling import number_text, scalar_type
from codegen.emit.statements import Moves, Printer
from codegen.ir import Atom, For, Lit, Type, Var
from codegen.ir.substitution import free
from codegen.loops.kernels import reductions
from codegen.targets.cuda import REDUCERS, Reducer


@dataclass(frozen=True)
class Reduced:
    """A number that a kernel reduces to, from `init`; `parts` is the name of what its blocks leave."""

    by: Reducer
    init: Atom
    parts: str
    type: Type

    @property
    def first(self) -> str:
        """What each thread begins with."""
        value, dtype = self.by.first, self.type.dtype
        if math.isinf(value) and dtype[0] in "iu":
            value = np.iinfo(dtype).min if value < 0 else np.iinfo(dtype).max
        text = number_text(np.dtype(dtype).type(value).item())[0]
        return f"np.uint64({text})" if dtype == "u8" else text  # beside one, an int is a float

    @property
    def room(self) -> str:
        """The array of parts, as if nothing had been found."""
        dtype = f", {scalar_type(self.type.dtype)}" if self.type.dtype != "f8" else ""
        made = {"0": "cp.zeros(BLOCKS", "1": "cp.ones(BLOCKS"}.get(
            f"{self.by.first}", f"cp.full(BLOCKS, {self.first}"
        )
        return f"{made}{dtype})"


class KernelPrinter(Printer):
    """The text of a function that is one such loop."""

    def definition(self, decorator: str | None = None) -> str:
        (equation,) = self.function.body.equations
        assert isinstance(equation.op, For)
        loop, name, taken = equation.op, self.called[self.function.name], set(self.names.values())
        self.reduced: dict[Var, Reduced] = {}
        inits = dict(zip(loop.carried, loop.init))
        for carried, kind in reductions(loop).items():
            parts = claim(f"{self.names[carried]}_parts", taken)
            self.reduced[carried] = Reduced(REDUCERS[kind], inits[carried], parts, carried.type)
        assert all(c.type.rank or c in self.reduced for c in loop.carried), (
            "a kernel has a number of no reduction"
        )
        read = {
            *free(loop.body),
            loop.start,
            loop.stop,
            *(i for c, i in zip(loop.carried, loop.init) if c.type.rank),
        }
        given = [p for p in self.function.params if p in read or p.type.rank]
        arguments = [*(self.names[p] for p in given), *(r.parts for r in self.reduced.values())]
        self.kernel(name, given, arguments, loop)
        self.out.lines += ["", ""]
        self.launch(name, arguments, loop)
        return "\n".join(self.out.lines)

    def kernel(self, name: str, given: list[Var], arguments: list[str], loop: For) -> None:
        self.out.line("@cuda.jit")
        self.out.listed(f"def {name}_kernel(", arguments, "):")
        self.out.depth += 1
        self.sized.update(self.function.params)
        self.sizes(sorted(given, key=lambda p: p.type.rank != 1))
        self.moves([(c, i) for c, i in zip(loop.carried, loop.init) if c not in self.reduced])
        for carried, found in self.reduced.items():
            self.out.line(f"{self.names[carried]} = {found.first}")
        start, stop = self.plain(loop.start), self.plain(loop.stop)
        first = "cuda.grid(1)" if start == "0" else f"{start} + cuda.grid(1)"
        index = self.names[loop.index] if self.used[loop.index] else self.nobody
        self.out.line(f"for {index} in range({first}, {stop}, cuda.gridsize(1)):")
        self.sized.add(loop.index)
        self.nested(loop.body, Moves(loop.carried))
        for carried, found in self.reduced.items():
            self.out.line(f"{found.by.in_a_block}({self.names[carried]}, {found.parts})")
        self.out.depth -= 1

    def launch(self, name: str, arguments: list[str], loop: For) -> None:
        """What has the loop's name: arrays are written in place."""
        self.out.listed(f"def {name}(", [self.names[p] for p in self.function.params], "):")
        self.out.depth += 1
        for found in self.reduced.values():
            self.out.line(f"{found.parts} = {found.room}")
        self.out.listed(f"{name}_kernel[BLOCKS, THREADS](", arguments, ")")
        results = [
            self.total(c) if c in self.reduced else self.plain(i) for c, i in zip(loop.carried, loop.init)
        ]
        self.out.returned(results, self.names.values())
        self.out.depth -= 1

    def total(self, carried: Var) -> str:
        """What was there before, and what the blocks have found."""
        found, dtype = self.reduced[carried], carried.type.dtype
        text = f"{scalar_type(dtype)}({found.by.of_blocks}({found.parts}).item())"
        if isinstance(found.init, Lit) and found.init.value == found.by.first:
            return text
        before = self.plain(found.init)
        match found.by.first:
            case 0:
                return f"{before} + {text}" if dtype != "b1" else f"{before} or {text}"
            case 1:
                return f"{before} * {text}" if dtype != "b1" else f"{before} and {text}"
        return f"np.{'maximum' if found.by.first < 0 else 'minimum'}({before}, {text})"
