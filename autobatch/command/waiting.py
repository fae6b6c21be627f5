"""A kernel whose lanes wait, as it is written into wrappers: waiting_lanes : KernelModule -> lines.

WaitingLanes(
    f_kernel,
    end=1,
    width=32,
    kept=[('float64', 528)],
    products=[
        ((2,), -4, False, 0, 104, 104, 160),
    ],
    loops=[
        ((2, 4), f_loop_kernel, (0, 1, 4), 8),
    ],
),
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import astuple

from autobatch.kernel.cuda.module import KernelModule
from codegen.emit.structures import literal_text

INDENT = "    "


def waiting_lanes(machine: KernelModule, name: str, kernel: str, *loops: str) -> Iterator[str]:
    """`name`: of the class (execute/waiting.py); then those of the kernels."""
    products = [literal_text(astuple(product)) for product in machine.products]
    through = [
        f"({loop.places}, {word}, {loop.given}, {loop.parts})" for loop, word in zip(machine.loops, loops)
    ]
    yield f"{name}("
    yield f"{INDENT}{kernel},"
    yield f"{INDENT}end={machine.end},"
    yield f"{INDENT}width={machine.width},"
    yield f"{INDENT}kept={literal_text(list(machine.kept))},"
    yield from listed_lines("products", products)
    yield from listed_lines("loops", through)
    yield "),"


def listed_lines(word: str, texts: Sequence[str]) -> Iterator[str]:
    """A list that is given under this word, if it has anything, a line for each."""
    if texts:
        yield f"{INDENT}{word}=["
        yield from (f"{INDENT * 2}{text}," for text in texts)
        yield f"{INDENT}],"
